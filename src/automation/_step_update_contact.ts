import { type DataChange, type DataInput, sortData } from "../audience/contact_data.ts";
import { upsertContacts } from "../audience/contacts.ts";
import { compileTemplate } from "../content/render.ts";
import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";
import { type Outcome, type Run, type RunContact, scopeOf } from "./_run.ts";
import type { Visit } from "./_visit.ts";
import type { GraphStep, StepConfigs } from "./workflow_graph.ts";

/**
 * Changes the contacts by the rule that every request goes by, and records what changed of their subscriptions. The
 * events are one further from the first than the execution.
 */
export async function performUpdate(
  tx: Context,
  { config }: GraphStep<"UPDATE_CONTACT">,
  visits: Visit[],
): Promise<Outcome[]> {
  const { projectId } = visits[0]!.run;
  const changes = visits.map(({ run }) => changeOf(config, run));
  const subscribed = subscriptionOf(config);
  for (const [depth, group] of Map.groupBy(visits.keys(), (i) => visits[i]!.run.depth)) {
    await q.executionRun.deepen(tx, { depth: String(depth + 1) });
    // Held since they were read, so these are their addresses.
    await upsertContacts(
      tx,
      group.map((i) => ({
        projectId,
        email: visits[i]!.run.contact.email,
        subscribed,
        subscribedDefault: true,
        change: changes[i]!,
      })),
    );
  }
  await q.executionRun.deepen(tx, { depth: "" });
  await readAgain(tx, projectId, visits);
  return changes.map((change) => ({ kind: "on", output: outputOf(change, subscribed) }));
}

/** What becomes of the contact of one execution. */
export function changeOf({ updates }: StepConfigs["UPDATE_CONTACT"], run: Run): DataChange {
  return sortData(filledIn(updates, run));
}

/** What an update says about the subscription; undefined leaves it as it is. */
export function subscriptionOf({
  subscriptionAction: action,
}: StepConfigs["UPDATE_CONTACT"]): boolean | undefined {
  return action === "none" ? undefined : action === "subscribe";
}

/** What an update tells in the story: keys, and no values. */
export function outputOf({ sets, deletes }: DataChange, subscribed: boolean | undefined) {
  return {
    set: Object.keys(sets),
    removed: deletes,
    ...(subscribed !== undefined && { subscribed }),
  };
}

async function readAgain(tx: Context, projectId: string, visits: Visit[]): Promise<void> {
  const ids = visits.map(({ run }) => run.contact.id);
  const rows = await q.executionRun.contacts(tx, { projectId, ids });
  const contacts = new Map(rows.map((row) => [row.id, row as RunContact]));
  for (const { run } of visits) run.contact = contacts.get(run.contact.id)!;
}

/** Texts may name what the contact has and what the event said: `{{event.plan}}`. */
function filledIn(updates: DataInput, run: Run): DataInput {
  if (!JSON.stringify(updates).includes("{{")) return updates;
  const scope = scopeOf(run);
  const fill = (value: unknown): unknown => {
    if (typeof value === "string") return compileTemplate(value, "text")(scope);
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(fill);
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner)]));
  };
  return fill(updates) as DataInput;
}
