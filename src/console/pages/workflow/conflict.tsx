// Two people have changed one workflow: both versions, side by side, and nothing is lost.
import { Alert, Button } from "@mantine/core";
import { WarningIcon } from "../../parts/icons.tsx";
import { Time } from "../../parts/time.tsx";
import { differences } from "./differences.ts";
import type { WorkflowDraft } from "./draft.ts";
import { type Model, modelOf } from "./model.ts";
import classes from "./workflow.module.css";

export function Conflict({ draft }: { draft: WorkflowDraft }) {
  const { base, model, other, isSaving, keepMine, takeOther } = draft;
  if (!other) return null;
  const theirs = modelOf(other.workflow, other.graph);
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<WarningIcon />}
      className={classes.note!}
      role="alert"
      title="Somebody else has changed this workflow since you opened it"
    >
      Nothing was overwritten. Choose which version stays.
      <div className={classes.versions}>
        <section className={classes.version} aria-label="Yours">
          <span className={classes.faded}>Yours</span>
          <Changes before={base} after={model} />
          <Button size="xs" onClick={() => void keepMine()} loading={isSaving}>
            Save mine
          </Button>
        </section>
        <section className={classes.version} aria-label="Theirs">
          <span className={classes.faded}>
            {other.by}, <Time at={other.at} />
          </span>
          <Changes before={base} after={theirs} />
          <Button size="xs" variant="default" onClick={takeOther}>
            Take this one
          </Button>
        </section>
      </div>
    </Alert>
  );
}

const SHOWN = 12;

function Changes({ before, after }: { before: Model; after: Model }) {
  const all = differences(before, after);
  if (all.length === 0) return <span>Only moved steps</span>;
  return (
    <ul>
      {all.slice(0, SHOWN).map((text) => (
        <li key={text}>{text}</li>
      ))}
      {all.length > SHOWN && <li>and {all.length - SHOWN} more</li>}
    </ul>
  );
}
