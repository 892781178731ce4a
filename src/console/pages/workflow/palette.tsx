// The types of steps, at the edge of the canvas.
import { Tooltip, UnstyledButton } from "@mantine/core";
import { DRAGGED_TYPE } from "../../parts/canvas/dragged.ts";
import type { StepType } from "../../parts/canvas/graph.ts";
import { ADDED_TYPES, STEP_KINDS } from "../../parts/canvas/step_types.tsx";
import { dragByTouch } from "../../parts/touch_drag.ts";
import classes from "./workflow.module.css";

/** A click adds a step, a drag puts it somewhere. */
export function Palette({ add }: { add: (type: StepType) => void }) {
  return (
    <div className={classes.palette} role="group" aria-label="Add a step">
      {ADDED_TYPES.map((type) => {
        const { icon: Shape, label, about } = STEP_KINDS[type];
        return (
          <Tooltip key={type} label={`${label}: ${about}`} position="right">
            <UnstyledButton
              className={classes.kind!}
              draggable
              onDragStart={(event) => event.dataTransfer.setData(DRAGGED_TYPE, type)}
              onPointerDown={(event) =>
                dragByTouch(event, { data: { type: DRAGGED_TYPE, value: type }, withCopy: true })
              }
              onClick={() => add(type)}
            >
              <Shape size={15} />
              <span>{label}</span>
            </UnstyledButton>
          </Tooltip>
        );
      })}
    </div>
  );
}
