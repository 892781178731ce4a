// Switching a workflow on and off: asked first what would start, shown at once, and taken back with one click.
import { type InfiniteData, type QueryClient, useQueryClient } from "@tanstack/react-query";
import { Link } from "wouter";
import type { CountedWorkflow, Workflow, WorkflowGraph } from "../../api.gen.ts";
import { type Answer, call, type FieldFault, Refusal } from "../../api.ts";
import { triggerWords } from "../../parts/canvas/words.ts";
import { confirm } from "../../parts/confirm.tsx";
import { formatCount } from "../../parts/format.ts";
import { toast } from "../../parts/toast.tsx";
import { useProjectId } from "../../place.ts";
import { keyOf, readAgain } from "../../queries.ts";
import classes from "./workflows.module.css";

type Switched = Pick<Workflow, "id" | "name" | "triggerType" | "triggerConfig" | "allowReentry">;

/** Switches workflows on and off. To switch one on asks first. */
export function useEnable() {
  const projectId = useProjectId();
  const cache = useQueryClient();
  const change = async (workflow: Switched, enabled: boolean) => {
    const { id, name } = workflow;
    paint(cache, projectId, id, enabled);
    let refused: FieldFault[] = [];
    try {
      await call("PATCH /workflows/{id}", { path: { id }, body: { enabled } }, { projectId });
      const undo = () => change(workflow, !enabled);
      const text = enabled ? `${name} is enabled` : `${name} is disabled. Contacts in it continue`;
      toast.done(text, { undo, of: id });
    } catch (error) {
      paint(cache, projectId, id, !enabled);
      if (error instanceof Refusal) refused = error.fields;
      if (refused.length === 0) toast.failed(error);
    } finally {
      await readAgain(cache, projectId, ["GET /workflows", "GET /projects/{id}/setup-state"]);
    }
    if (refused.length > 0) explain(workflow, refused);
  };
  const ask = async (workflow: Switched) => {
    const known = await knownOf(projectId, workflow);
    confirm({
      title: `Enable ${workflow.name}?`,
      action: "Enable",
      isDestructive: false,
      children: <WhatStarts workflow={workflow} known={known} />,
      act: () => change(workflow, true),
    });
  };
  return { enable: ask, disable: (workflow: Switched) => change(workflow, false) };
}

/** Shows another state at once, wherever the workflow is shown. */
function paint(cache: QueryClient, projectId: string, id: string, enabled: boolean): void {
  cache.setQueryData<WorkflowGraph>(
    keyOf(projectId, "GET /workflows/{id}", { path: { id } }),
    (one) => one && { ...one, enabled },
  );
  cache.setQueriesData<InfiniteData<Answer<"GET /workflows">>>(
    { predicate: ({ queryKey }) => queryKey[0] === projectId && queryKey[1] === "GET /workflows" },
    (list) =>
      list && {
        ...list,
        pages: list.pages.map((page) => ({
          ...page,
          data: page.data.map((one: CountedWorkflow) => (one.id === id ? { ...one, enabled } : one)),
        })),
      },
  );
}

/** After the dialog that has asked, which closes itself when this is over. */
function explain({ id, name }: Switched, faults: FieldFault[]): void {
  setTimeout(() =>
    confirm({
      title: `${name} cannot be enabled yet`,
      children: (
        <>
          This is missing:
          <ul className={classes.faults}>
            {faults.map(({ field, message }) => (
              <li key={field + message}>{message}</li>
            ))}
          </ul>
          <Link href={`/workflows/${id}`}>Open it</Link>
        </>
      ),
    }),
  );
}

const A_MONTH_MS = 30 * 86_400_000;

/** What is known of those who would enter. If it cannot be read, nothing is said. */
interface Known {
  /** How often the event happened in the last 30 days. */
  happened?: number | undefined;
  segment?: { name: string; memberCount: number } | undefined;
}

async function knownOf(projectId: string, { triggerType, triggerConfig }: Switched): Promise<Known> {
  const { eventName, segmentId } = (triggerConfig ?? {}) as { eventName?: string; segmentId?: string };
  if (triggerType === "EVENT" && eventName !== undefined) {
    const startDate = new Date(Date.now() - A_MONTH_MS).toISOString().slice(0, 10);
    const stats = await call("GET /events/stats", { query: { startDate } }, { projectId }).catch(() => null);
    return { happened: stats ? (stats.find(({ name }) => name === eventName)?.count ?? 0) : undefined };
  }
  if (triggerType !== "SCHEDULE" || segmentId === undefined) return {};
  const path = { id: segmentId };
  return { segment: await call("GET /segments/{id}", { path }, { projectId }).catch(() => undefined) };
}

/** What happens from then on. */
function WhatStarts({ workflow, known: { happened, segment } }: { workflow: Switched; known: Known }) {
  const { triggerType, triggerConfig, allowReentry } = workflow;
  const { eventName } = (triggerConfig ?? {}) as { eventName?: string };
  const segments = new Map(segment ? [[segmentIdOf(triggerConfig), segment.name]] : []);
  return (
    <>
      <p className={classes.plain}>
        {triggerType === "MANUAL"
          ? "It only starts through the API, or by hand."
          : `Contacts enter it from now on: ${lower(triggerWords(workflow, { segments }))}.`}
      </p>
      {happened !== undefined && (
        <p className={classes.plain}>
          {happened === 0
            ? `“${eventName}” did not happen in the last 30 days.`
            : `“${eventName}” happened ${formatCount(happened, "time")} in the last 30 days.`}
        </p>
      )}
      {segment && (
        <p className={classes.plain}>
          {segment.name} has {formatCount(segment.memberCount, "member")} now.
        </p>
      )}
      <p className={classes.plain}>
        {allowReentry
          ? "A contact can go through it again, but not twice at the same time."
          : "Each contact goes through it once."}{" "}
        What happened before does not count.
      </p>
    </>
  );
}

const segmentIdOf = (config: Switched["triggerConfig"]) => String(config?.segmentId ?? "").toLowerCase();

const lower = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
