// What happened to each step, in the order in which it was come to.
import type { ReactNode } from "react";
import type { GraphStep } from "../../api.gen.ts";
import { branchNamesOf, type StepType } from "../../parts/canvas/graph.ts";
import { STEP_KINDS } from "../../parts/canvas/step_types.tsx";
import { FieldValue } from "../../parts/field_value.tsx";
import { Time } from "../../parts/time.tsx";
import classes from "./execution.module.css";
import { outcomeWords, type Told } from "./story.ts";

/** A line of it. */
export interface Line {
  id: string;
  stepId: string;
  type: StepType | undefined;
  /** Null if the step is not known any more. */
  name: string | null;
  at: string;
  isWaiting: boolean;
  told: Told;
  error: string | null;
}

interface Props {
  label: string;
  lines: Line[];
  /** Those of the graph: some have branches with names. */
  steps: Pick<GraphStep, "id" | "config">[];
  /** The step that is chosen. */
  chosen: string | null;
  choose: (stepId: string) => void;
  /** Shows a mail that was written. */
  openMail?: (id: string) => void;
  /** Stands at the end. */
  end?: ReactNode;
}

/** The lines; a click shows the step on the canvas. */
export function TimeLine({ label, lines, steps, chosen, choose, openMail, end }: Props) {
  return (
    <ol className={classes.lines} aria-label={label}>
      {lines.map((line) => (
        <li key={line.id} className={classes.line} data-chosen={line.stepId === chosen || undefined}>
          <Sign line={line} />
          <div className={classes.lineWords}>
            <button
              type="button"
              className={classes.stepName}
              aria-pressed={line.stepId === chosen}
              onClick={() => choose(line.stepId)}
            >
              {line.name ?? "A deleted step"}
            </button>
            <Outcome
              line={line}
              step={steps.find(({ id }) => id === line.stepId)}
              {...(openMail && { openMail })}
            />
          </div>
          <span className={classes.when}>
            <Time at={line.at} />
          </span>
        </li>
      ))}
      {end && <li className={classes.end}>{end}</li>}
    </ol>
  );
}

function Sign({ line: { type, error, isWaiting } }: { line: Line }) {
  const Shape = STEP_KINDS[type ?? "EXIT"].icon;
  const tone = error !== null ? "bad" : isWaiting ? "busy" : "fine";
  return (
    <span className={classes.sign} data-tone={tone} aria-hidden="true">
      <Shape size={15} />
    </span>
  );
}

interface OutcomeProps {
  line: Line;
  step: Pick<GraphStep, "config"> | undefined;
  openMail?: (id: string) => void;
}

function Outcome({ line, step, openMail }: OutcomeProps) {
  const { type, told, isWaiting, error } = line;
  const until = told.nextAttemptAt ?? told.until;
  return (
    <div className={classes.outcome}>
      {error === null ? (
        outcomeWords(type, told, isWaiting, step && branchNamesOf(step))
      ) : (
        <strong className={classes.bad}>{error}</strong>
      )}
      {isWaiting && until && (
        <>
          {told.nextAttemptAt ? ", the next " : type === "WAIT_FOR_EVENT" ? ", until " : " until "}
          <Time at={until} />
          {type === "WAIT_FOR_EVENT" && " at most"}
        </>
      )}
      {told.emailId && openMail && (
        <>
          {" · "}
          <button type="button" className={classes.link} onClick={() => openMail(told.emailId!)}>
            See the mail
          </button>
        </>
      )}
      <Values values={told.values} />
    </div>
  );
}

/** What a decision was made of. */
function Values({ values = {} }: { values?: Record<string, unknown> | undefined }) {
  const entries = Object.entries(values);
  if (entries.length === 0) return null;
  return (
    <dl className={classes.values}>
      {entries.slice(0, 8).map(([name, value]) => (
        <div key={name}>
          <dt>{name.replace(/^data\./, "")}</dt>
          <dd>
            <FieldValue value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
