import { type Condition, type Filter, filtersOf } from "../audience/condition_tree.ts";
import { compileCondition } from "../audience/conditions.ts";

import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";
import type { Fragment, Json } from "../db/types.ts";
import { dataAt } from "./_data_at.ts";
import type { Outcome, Run } from "./_run.ts";
import { all, type Visit } from "./_visit.ts";
import { namesSegments } from "./workflow_conditions.ts";
import { type GraphStep, type Questions, questionsOf } from "./workflow_graph.ts";

/** Of what decided, so many fields are told, and so many characters of each. */
const MAX_TOLD = 20;
const MAX_TOLD_LENGTH = 500;

/** Takes the first branch whose condition holds, of the contact as it is in memory; the story tells what decided. */
export async function performCondition(
  tx: Context,
  step: GraphStep<"CONDITION">,
  visits: Visit[],
): Promise<Outcome[]> {
  const { projectId } = visits[0]!.run;
  const questions = questionsOf(step.config);
  const { over, branches, otherwise } = questions;
  const rows = visits.map(({ run }, n) => rowOf(run, over, n));
  const compile = await compilerOf(tx, projectId, step);
  const taken = new Map<number, string>();
  // One after another, each for those that are left: mostly there are one or two.
  for (const { branch, condition } of branches) {
    const left = rows.filter(({ n }) => !taken.has(n));
    if (left.length === 0) break;
    const compiled = compile(condition);
    if (typeof compiled === "string") {
      return all(visits, { kind: "fail", reason: `Cannot decide "${step.name}": ${compiled}` });
    }
    const satisfying = await q.executionRun.satisfying(tx, { rows: left, condition: compiled.fragment });
    for (const { n } of satisfying) taken.set(n, branch);
  }
  const fields = toldFields(branches.map(({ condition }) => condition));
  return rows.map((row) => {
    const branch = taken.get(row.n) ?? otherwise;
    return { kind: "on", branch, output: { branch, values: valuesOf(fields, row, over) } };
  });
}

type Compiled = { fragment: Fragment } | string;

/** Compiles conditions; answers the reason where a segment that one names is gone. */
async function compilerOf(
  tx: Context,
  projectId: string,
  { config }: GraphStep<"CONDITION">,
): Promise<(condition: Condition) => Compiled> {
  const rows = namesSegments(config) ? await q.segments.conditions(tx, { projectId }) : [];
  const options = { now: tx.now(), segments: new Map(rows.map((row) => [row.id, row])) };
  return (condition) => {
    try {
      return { fragment: compileCondition(tx.sql, projectId, condition, options) };
    } catch (error) {
      return (error as Error).message;
    }
  };
}

/** What stands for the contact `c`: itself, or other data in the place of its own. */
function rowOf({ contact, context }: Run, over: Questions["over"], n: number) {
  const { id, email, subscribed, createdAt, updatedAt } = contact;
  const data = over === "contact" ? contact.data : over === "event" ? (context.event ?? {}) : context;
  return { n, id, email, subscribed, created_at: createdAt, updated_at: updatedAt, data };
}

type Row = ReturnType<typeof rowOf>;

const COLUMNS: Record<string, (row: Row) => unknown> = {
  email: (row) => row.email,
  subscribed: (row) => row.subscribed,
  createdAt: (row) => row.created_at,
  updatedAt: (row) => row.updated_at,
};

/** The fields of the conditions that are values, and not what happened or whose member somebody is. */
function toldFields(conditions: Condition[]): string[] {
  const fields = conditions.flatMap((condition) =>
    [...filtersOf(condition)].map(({ filter }: { filter: Filter }) => filter.field),
  );
  const values = fields.filter((field) => field.startsWith("data.") || Object.hasOwn(COLUMNS, field));
  return [...new Set(values)].slice(0, MAX_TOLD);
}

/** The values that decided, under the names by which the author knows them. */
function valuesOf(fields: string[], row: Row, over: Questions["over"]): Record<string, Json> {
  return Object.fromEntries(
    fields.map((field) => {
      const path = field.slice("data.".length);
      const value = COLUMNS[field]?.(row) ?? dataAt(row.data as Record<string, unknown>, path) ?? null;
      const name = over === "contact" ? field : `${over}.${path}`;
      return [name, short(value)];
    }),
  );
}

function short(value: unknown): Json {
  const text = JSON.stringify(value);
  return text.length <= MAX_TOLD_LENGTH ? (JSON.parse(text) as Json) : `${text.slice(0, MAX_TOLD_LENGTH)}…`;
}
