// A way on the canvas, with the name of its branch, and what is put into it.
import { BaseEdge, EdgeLabelRenderer, type EdgeProps, getSmoothStepPath } from "@xyflow/react";
import { memo, useContext } from "react";
import { AddIcon, CloseIcon } from "../icons.tsx";
import classes from "./canvas.module.css";
import { CanvasContext } from "./context.ts";
import type { WayEdge } from "./nodes.ts";

const ROUND = 14;

export const WayLine = memo(function WayLine(props: EdgeProps<WayEdge>) {
  const { data, markerEnd } = props;
  const actions = useContext(CanvasContext);
  const [path, x, y] = getSmoothStepPath({ ...props, borderRadius: ROUND });
  const { id, says, branch, mark, isFaded, isOnPath } = data!;
  const words = [branch, mark?.label].filter(Boolean).join(" · ");
  return (
    <>
      <BaseEdge
        path={path}
        className={classes.way!}
        interactionWidth={actions ? 24 : 0}
        {...(markerEnd && { markerEnd })}
        data-tone={mark?.tone}
        data-faded={isFaded || undefined}
        data-path={isOnPath || undefined}
      />
      {(words !== "" || actions) && (
        <EdgeLabelRenderer>
          <div
            className={`${classes.wayLabel} nodrag nopan`}
            style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
            data-way={id}
            data-tone={mark?.tone}
            data-faded={isFaded || undefined}
            data-path={isOnPath || undefined}
          >
            {words && <span>{words}</span>}
            {actions && (
              <>
                <button
                  type="button"
                  tabIndex={-1}
                  className={classes.wayButton}
                  aria-label={`Insert a step: ${says}`}
                  onClick={(event) => actions.grow({ into: id }, event.currentTarget)}
                >
                  <AddIcon size={13} />
                </button>
                <button
                  type="button"
                  tabIndex={-1}
                  className={classes.wayButton}
                  data-cut
                  aria-label={`Remove the way: ${says}`}
                  onClick={() => actions.cut(id)}
                >
                  <CloseIcon size={12} />
                </button>
              </>
            )}
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
});
