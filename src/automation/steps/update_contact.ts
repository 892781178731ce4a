import { setImmediate } from "node:timers/promises";
import {
  type DataChange,
  dataErrors,
  type DataInput,
  dataTooLarge,
  sortData,
} from "../../audience/contacts/data.ts";
import { upsertContacts } from "../../audience/contacts/mod.ts";
import { isObject, missingOr, notOneOf } from "../../audience/faults.ts";
import type { Budget } from "../../content/handlebars/mod.ts";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Db, Json } from "../../db/types.ts";
import type { FieldError } from "../../problem/mod.ts";
import {
  budgetOf,
  compileTree,
  payForCompiling,
  type FillableTree,
  Unfillable,
  withinTrial,
} from "../../content/handlebars/filled.ts";
import { type StepOutcome, type Run, type RunContact, scopeOf } from "../runs/run.ts";
import type { GraphStep } from "../graph.ts";
import { textsFaults } from "./_texts.ts";
import { defineStep, type Later, type StepVisit } from "./step_type.ts";

interface Config {
  /** What the `data` of a request is: null removes a key, and so on. Strings in it are templates. */
  updates: Record<string, Json>;
  subscriptionAction: (typeof ACTIONS)[number];
}

type Step = GraphStep<Config>;

/** What may be done to the subscription. */
const ACTIONS = ["none", "subscribe", "unsubscribe"] as const;

/** After this much work on texts, everybody else gets a turn. */
const TURN_MS = 10;
/** So much of it there is in one transaction. */
const TRANSACTION_MS = 2_000;

const spentIn = new WeakMap<Db, { ms: number }>();

/**
 * UPDATE_CONTACT: changes the contacts by the rule that every request goes by, and records what changed of their
 * subscriptions. The events are one further from the first than the execution.
 */
export const updateContactStep = defineStep<Config>({
  schema: {
    type: "object",
    properties: {
      updates: {
        type: "object",
        additionalProperties: true,
        description: "Merged into the data of the contact.",
      },
      subscriptionAction: { type: "string", enum: [...ACTIONS], description: "Default: none." },
    },
  },
  hasTexts: true,
  faults({ updates, subscriptionAction: action }) {
    const isAction = action === undefined || (ACTIONS as readonly unknown[]).includes(action);
    return [
      ...updateFaults("config.updates", updates),
      ...(isAction ? [] : [notOneOf("config.subscriptionAction", action, ACTIONS)]),
    ];
  },
  complete(stored) {
    const { updates, subscriptionAction } = stored as Partial<Config>;
    return { updates: updates ?? {}, subscriptionAction: subscriptionAction ?? "none" };
  },
  async perform(tx, step, visits) {
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
          given: { subscribed },
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
  },
  async rehearse(ctx, step, run, budget) {
    return await changeInMemory(ctx, step, run, budget).catch((error) => unfillable(step, error));
  },
});

function updateFaults(field: string, data: unknown): FieldError[] {
  if (data === undefined) return [];
  if (!isObject(data)) return [missingOr(field, data, "Expected an object")];
  return [...dataErrors(data, field), ...textsFaults(field, data)];
}

async function changeInMemory(
  ctx: Context,
  { config }: Step,
  run: Run,
  budget: Budget,
): Promise<StepOutcome> {
  const change = changeOf(config, run, budget);
  const { sets, deletes } = change;
  const { data, fits } = await q.executionTrial.merge(ctx, {
    current: run.contact.data,
    sets,
    deletes: deletes.length > 0 ? deletes : null,
  });
  if (!fits) throw dataTooLarge();
  const subscribed = subscriptionOf(config) ?? run.contact.subscribed;
  run.contact = { ...run.contact, data: data as Run["contact"]["data"], subscribed };
  return { kind: "on", output: outputOf(change, subscriptionOf(config)) };
}

/** What would happen to the contact of a trial. Throws {@linkcode Unfillable}, also when the whole trial is too much. */
function changeOf(config: Config, run: Run, trial: Budget): DataChange {
  payForCompiling(config.updates, trial);
  const fill = treeOf(config);
  return withinTrial(trial, (visit) => sortData(fill(scopeOf(run), visit) as DataInput));
}

/** The outcome of a step whose texts are {@linkcode Unfillable}; throws every other error on. */
function unfillable({ name }: Step, error: unknown): StepOutcome {
  if (!(error instanceof Unfillable)) throw error;
  return { kind: "fail", reason: `Cannot carry out "${name}": ${error.message}` };
}

/** What an update says about the subscription; undefined leaves it unchanged. */
function subscriptionOf({ subscriptionAction: action }: Config): boolean | undefined {
  return action === "none" ? undefined : action === "subscribe";
}

/** What an update tells in the history: keys, and no values. */
function outputOf({ sets, deletes }: DataChange, subscribed: boolean | undefined) {
  return {
    set: Object.keys(sets),
    removed: deletes,
    ...(subscribed !== undefined && { subscribed }),
  };
}

/**
 * The result for each contact, or how the step fails for it. Each may be expensive; nobody else waits for all of them,
 * and what is too much for this transaction is left to the next one. The first one in a transaction always runs.
 */
async function changesOf(
  tx: Context,
  step: Step,
  visits: StepVisit[],
): Promise<(DataChange | StepOutcome | Later)[]> {
  const spent = spentIn.get(tx.sql) ?? { ms: 0 };
  spentIn.set(tx.sql, spent);
  let turnAt = performance.now();
  const fill = spent.ms < TRANSACTION_MS ? treeOf(step.config) : null;
  const changes: (DataChange | StepOutcome | Later)[] = [];
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

function changeFor(step: Step, fill: FillableTree, run: Run): DataChange | StepOutcome {
  try {
    return sortData(fill(scopeOf(run), budgetOf("visit")) as DataInput);
  } catch (error) {
    return unfillable(step, error);
  }
}

function isChange(change: DataChange | StepOutcome | Later): change is DataChange {
  return typeof change === "object" && "sets" in change;
}

/** Texts may use the contact's data and the event's: `{{event.plan}}`. */
function treeOf({ updates }: Config): FillableTree {
  return JSON.stringify(updates).includes("{{") ? compileTree(updates) : () => updates;
}

async function readAgain(tx: Context, runs: Run[]): Promise<void> {
  if (runs.length === 0) return;
  const ids = runs.map(({ contact }) => contact.id);
  const rows = await q.executionRun.contacts(tx, { projectId: runs[0]!.projectId, ids });
  const contacts = new Map(rows.map((row) => [row.id, row as RunContact]));
  for (const run of runs) run.contact = contacts.get(run.contact.id)!;
}
