// A step on the canvas: its sign, its name, what it does; and below it the ways out that lead nowhere yet.
import { Handle, type NodeProps, Position } from "@xyflow/react";
import { memo, useContext } from "react";
import { AddIcon } from "../icons.tsx";
import classes from "./canvas.module.css";
import { CanvasContext } from "./context.ts";
import { branchName, type DrawnStep } from "./graph.ts";
import type { StepNode } from "./nodes.ts";
import { STEP_KINDS } from "./step_types.tsx";

export const StepCard = memo(function StepCard({ data }: NodeProps<StepNode>) {
  const { step, mark, isChosen, isCurrent, isFaded, isOnPath, isEditable } = data;
  const { icon: Shape, label } = STEP_KINDS[step.type];
  return (
    <>
      <div
        className={classes.step}
        role="button"
        tabIndex={isCurrent ? 0 : -1}
        aria-pressed={isChosen}
        data-step={step.id}
        data-type={step.type}
        data-tone={mark?.tone}
        data-chosen={isChosen || undefined}
        data-faded={isFaded || undefined}
        data-path={isOnPath || undefined}
      >
        <span className={classes.sign} aria-hidden="true">
          <Shape size={17} />
        </span>
        <span className={classes.words}>
          <span className={classes.name}>
            {step.name} <span className="for-readers">({label})</span>
          </span>
          <span className={classes.about}>{step.about}</span>
        </span>
        {mark?.badges && mark.badges.length > 0 && (
          <span className={classes.badges}>
            {mark.badges.map(({ label: text, tone = "quiet", title }) => (
              <span key={text} className={classes.badge} data-tone={tone} title={title}>
                {text}
              </span>
            ))}
          </span>
        )}
      </div>
      {step.type !== "TRIGGER" && (
        <Handle
          className={classes.handle!}
          type="target"
          position={Position.Top}
          isConnectableStart={false}
        />
      )}
      <Handle
        className={classes.handle!}
        type="source"
        position={Position.Bottom}
        isConnectable={false}
        isConnectableStart={false}
      />
      {isEditable && step.openEnds && step.openEnds.length > 0 && <OpenEnds step={step} />}
    </>
  );
});

/** A click adds a step there; dragged to another step, it leads to that. */
function OpenEnds({ step: { id, name, openEnds = [], leadsOn, branchNames } }: { step: DrawnStep }) {
  const actions = useContext(CanvasContext);
  return (
    <div className={`${classes.ends} nodrag`} data-beside={leadsOn || undefined}>
      {openEnds.map((branch) => {
        const words = branch === null ? null : branchName(branch, branchNames);
        return (
          <div key={branch ?? ""} className={classes.end} data-end>
            <Handle
              className={classes.grip!}
              type="source"
              id={branch ?? ""}
              position={Position.Bottom}
              isConnectableEnd={false}
            />
            <button
              type="button"
              className={classes.endButton}
              tabIndex={-1}
              aria-label={`Add a step after ${name}${words === null ? "" : `, ${words}`}`}
              onClick={(event) => actions?.grow({ after: id, branch }, event.currentTarget)}
            >
              <AddIcon size={13} />
              {words}
            </button>
          </div>
        );
      })}
    </div>
  );
}
