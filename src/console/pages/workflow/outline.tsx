// The steps as a list, in the order in which they are gone through: the same graph for those who do not use the canvas.
import { ActionIcon } from "@mantine/core";
import type { KnownNames } from "../../parts/canvas/drawn.ts";
import { branchName, branchNamesOf, wayId } from "../../parts/canvas/graph.ts";
import { STEP_KINDS } from "../../parts/canvas/step_types.tsx";
import { aboutOf } from "../../parts/canvas/words.ts";
import { AddIcon, WarningIcon } from "../../parts/icons.tsx";
import type { Edits } from "./edits.ts";
import type { Fault } from "./faults.ts";
import { exitsOf, type Line, linesOf, type Model, stepOf } from "./model.ts";
import classes from "./workflow.module.css";

interface Props {
  model: Model;
  names: KnownNames;
  faults: Fault[];
  chosen: string | null;
  open: (id: string | null) => void;
  edits: Edits;
}

/** Beside each step are its ways out: where each leads, and a button that puts a step there. */
export function Outline(props: Props) {
  return (
    <ol className={classes.outline} aria-label="Steps">
      {linesOf(props.model).map((line) => (
        <OutlineLine key={line.step.id} line={line} {...props} />
      ))}
    </ol>
  );
}

/** Further in than this nobody sees the difference. */
const MAX_DEPTH = 6;

function OutlineLine({
  line: { step, depth },
  model,
  names,
  faults,
  chosen,
  open,
  edits,
}: Props & { line: Line }) {
  const { icon: Shape, label } = STEP_KINDS[step.type];
  const wrong = faults.filter(({ stepId }) => stepId === step.id);
  return (
    <li
      className={classes.outlineLine}
      style={{ "--depth": Math.min(depth, MAX_DEPTH) } as React.CSSProperties}
    >
      <button
        type="button"
        className={classes.outlineStep}
        data-step={step.id}
        aria-current={step.id === chosen || undefined}
        onClick={() => open(step.id)}
      >
        <Shape size={17} />
        <span className={classes.outlineWords}>
          <span className={classes.outlineName}>
            {step.name} <span className="for-readers">({label})</span>
          </span>
          <span className={classes.faded}>{aboutOf(step, names, model.trigger)}</span>
        </span>
        {wrong.length > 0 && (
          <span className={classes.outlineFault} data-level={wrong[0]!.level}>
            <WarningIcon size={14} />
            {wrong[0]!.message}
          </span>
        )}
      </button>
      {exitsOf(model, step).map((branch) => {
        const way = model.ways.find((one) => wayId(one) === wayId({ from: step.id, branch }));
        const words = branch === null ? "" : `${branchName(branch, branchNamesOf(step))}: `;
        const next = way && stepOf(model, way.to)?.name;
        return (
          <div key={branch ?? ""} className={classes.outlineExit}>
            <span>
              {words}
              {next ? `goes on to ${next}` : "ends here"}
            </span>
            <ActionIcon
              size="sm"
              aria-label={`Add a step after ${step.name}${branch === null ? "" : `, ${words.slice(0, -2)}`}`}
              onClick={(event) =>
                edits.grow(way ? { into: wayId(way) } : { after: step.id, branch }, event.currentTarget)
              }
            >
              <AddIcon size={14} />
            </ActionIcon>
          </div>
        );
      })}
    </li>
  );
}
