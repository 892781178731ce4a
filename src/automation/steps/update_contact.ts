import { setImmediate } from "node:timers/promises";
import { type DataChange, type DataInput, sortData } from "../../audience/contacts/data.ts";
import { upsertContacts } from "../../audience/contacts/mod.ts";
import type { Budget } from "../../content/handlebars/mod.ts";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Db } from "../../db/types.ts";
import {
  budgetOf,
  compileTree,
  payForCompiling,
  type Tree,
  Unfillable,
  withinTrial,
} from "../../content/handlebars/filled.ts";
import { type Outcome, type Run, type RunContact, scopeOf } from "../runs/run.ts";
import type { Later, Visit } from "./visit.ts";
import type { GraphStep, StepConfigs } from "../workflows/graph.ts";

type Config = StepConfigs["UPDATE_CONTACT"];

/** After so much work of texts everybody else gets a turn. */
const TURN_MS = 10;
/** So much of it there is in one transaction. */
const TRANSACTION_MS = 2_000;

const spentIn = new WeakMap<Db, { ms: number }>();

/**
 * Changes the contacts by the rule that every request goes by, and records what changed of their subscriptions. The
 * events are one further from the first than the execution.
 */
export async function performUpdate(
  tx: Context,
  step: GraphStep<"UPDATE_CONTACT">,
  visits: Visit[],
): Promise<(Outcome | Later)[]> {
  const changes = await changesOf(tx, step, visits);
  const subscribed = subscriptionOf(step.config);
  const writes = visits.flatMap(({ run }, i) => {
    const change = changes[i]!;
    return isChange(change) ? [{ run, change }] : [];
  });
  for (const [depth, group] of Map.groupBy(writes, ({ run }) => run.depth)) {
    await q.executionRun.deepen(tx, { depth: String(depth + 1) });
    // Held since they were read, so these are their addresses.
    await upsertContacts(
      tx,
      group.map(({ run: { projectId, contact }, change }) => ({
        projectId,
        email: contact.email,
        subscribed,
        subscribedDefault: true,
        change,
      })),
    );
  }
  await q.executionRun.deepen(tx, { depth: "" });
  await readAgain(
    tx,
    writes.map(({ run }) => run),
  );
  return changes.map((change) =>
    isChange(change) ? { kind: "on", output: outputOf(change, subscribed) } : change,
  );
}

/** What would become of the contact of a trial. Throws {@linkcode Unfillable}, also when the whole trial is too much. */
export function changeOf(config: Config, run: Run, trial: Budget): DataChange {
  payForCompiling(config.updates, trial);
  const fill = treeOf(config);
  return withinTrial(trial, (visit) => sortData(fill(scopeOf(run), visit) as DataInput));
}

/** The outcome of a step whose texts are {@linkcode Unfillable}; throws every other error on. */
export function unfillable({ name }: GraphStep<"UPDATE_CONTACT">, error: unknown): Outcome {
  if (!(error instanceof Unfillable)) throw error;
  return { kind: "fail", reason: `Cannot carry out "${name}": ${error.message}` };
}

/** What an update says about the subscription; undefined leaves it as it is. */
export function subscriptionOf({ subscriptionAction: action }: Config): boolean | undefined {
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

/**
 * What becomes of each contact, or how the step fails for it. Each may cost as much; nobody else waits for all, and what
 * is too much for this transaction is for the next one. The first in a transaction is always for that one.
 */
async function changesOf(
  tx: Context,
  step: GraphStep<"UPDATE_CONTACT">,
  visits: Visit[],
): Promise<(DataChange | Outcome | Later)[]> {
  const spent = spentIn.get(tx.sql) ?? { ms: 0 };
  spentIn.set(tx.sql, spent);
  let turnAt = performance.now();
  const fill = spent.ms < TRANSACTION_MS ? treeOf(step.config) : null;
  const changes: (DataChange | Outcome | Later)[] = [];
  for (const { run } of visits) {
    changes.push(fill && spent.ms < TRANSACTION_MS ? changeFor(step, fill, run) : "later");
    const ms = performance.now() - turnAt;
    if (ms < TURN_MS) continue;
    await setImmediate();
    spent.ms += ms;
    turnAt = performance.now();
  }
  spent.ms += performance.now() - turnAt;
  return changes;
}

function changeFor(step: GraphStep<"UPDATE_CONTACT">, fill: Tree, run: Run): DataChange | Outcome {
  try {
    return sortData(fill(scopeOf(run), budgetOf("visit")) as DataInput);
  } catch (error) {
    return unfillable(step, error);
  }
}

function isChange(change: DataChange | Outcome | Later): change is DataChange {
  return typeof change === "object" && "sets" in change;
}

/** Texts may name what the contact has and what the event said: `{{event.plan}}`. */
function treeOf({ updates }: Config): Tree {
  return JSON.stringify(updates).includes("{{") ? compileTree(updates) : () => updates;
}

async function readAgain(tx: Context, runs: Run[]): Promise<void> {
  if (runs.length === 0) return;
  const ids = runs.map(({ contact }) => contact.id);
  const rows = await q.executionRun.contacts(tx, { projectId: runs[0]!.projectId, ids });
  const contacts = new Map(rows.map((row) => [row.id, row as RunContact]));
  for (const run of runs) run.contact = contacts.get(run.contact.id)!;
}
