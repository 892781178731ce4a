// The workflows that a contact is in, or was in: the newest 20 runs.
import { Link } from "wouter";
import type { WholeContact } from "../../api.gen.ts";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { useHasPage } from "../../place.ts";
import { Panel } from "../../parts/panel.tsx";
import classes from "./contact.module.css";

export function Executions({ contact: { executions = [] } }: { contact: WholeContact }) {
  const hasPage = useHasPage("/workflows/:id/executions/:executionId");
  return (
    <Panel title="Workflows">
      {executions.length === 0 && <p className={classes.quiet}>In no workflow so far.</p>}
      <ul className={classes.list} aria-label="Workflows">
        {executions.map(({ id, workflowId, workflowName, status, startedAt }) => (
          <li key={id} className={classes.line}>
            <span className={classes.lineWords}>
              {hasPage ? (
                <Link href={`/workflows/${workflowId}/executions/${id}`}>{workflowName}</Link>
              ) : (
                workflowName
              )}
            </span>
            <Status status={status} />
            <span className={classes.when}>
              <Time at={startedAt} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
