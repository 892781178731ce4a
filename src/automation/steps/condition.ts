import { type Condition, type Filter, filtersOf } from "../../audience/conditions/tree.ts";
import { compileAnswers } from "../../audience/conditions/answers.ts";
import { compileCondition } from "../../audience/conditions/mod.ts";
import {
  isStandard,
  STANDARD_FIELDS,
  type StandardColumns,
  type StandardFieldName,
  type StandardValues,
} from "../../audience/standard_fields.ts";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Fragment, Json } from "../../db/types.ts";
import { dataAt } from "./_data_at.ts";
import type { Run } from "../runs/run.ts";
import type { GraphStep } from "../graph.ts";
import {
  completeCondition,
  type ConditionConfig,
  conditionFaults,
  conditionReferenceFaults,
  namedIn,
  namesSegments,
  type Questions,
  questionsOf,
} from "./_questions.ts";
import { all, defineStep } from "./step_type.ts";

const TEXT = { type: "string" };
const ASKED = {
  operator: TEXT,
  value: {},
  unit: TEXT,
  count: { type: "integer" },
  campaignId: TEXT,
  templateId: TEXT,
};

/** How many of the deciding fields and filters are reported, and how many characters of each. */
const MAX_TOLD = 20;
const MAX_TOLD_LENGTH = 500;

/**
 * CONDITION: takes the first branch whose condition holds, for the contact as it is in memory; the history says what
 * decided.
 */
export const conditionStep = defineStep<ConditionConfig>({
  schema: {
    anyOf: [
      {
        type: "object",
        properties: { field: TEXT, ...ASKED },
        required: ["field", "operator"],
      },
      {
        type: "object",
        properties: { condition: { $ref: "#/components/schemas/Condition" } },
        required: ["condition"],
      },
      {
        type: "object",
        properties: {
          mode: { type: "string", enum: ["multi"] },
          field: TEXT,
          branches: {
            type: "array",
            minItems: 1,
            maxItems: 20,
            items: {
              type: "object",
              properties: { id: TEXT, name: TEXT, ...ASKED },
              required: ["id", "name", "operator"],
            },
          },
        },
        required: ["mode", "field", "branches"],
      },
    ],
  },
  mustNameBranch: true,
  mayNameSegments: true,
  faults: conditionFaults,
  complete: completeCondition,
  branches(config) {
    const { branches, otherwise } = questionsOf(config);
    return [...branches.map(({ branch }) => branch), otherwise];
  },
  refersTo: namedIn,
  referenceFaults: conditionReferenceFaults,
  rehearse: "as performed",
  async perform(tx, step, visits) {
    const { projectId } = visits[0]!.run;
    const questions = questionsOf(step.config);
    const { over, branches, otherwise } = questions;
    const rows = visits.map(({ run }, n) => rowOf(run, over, n));
    const compile = await compilerOf(tx, projectId, step);
    const taken = new Map<number, string>();
    const asked = new Map<number, Json[]>(rows.map(({ n }) => [n, []]));
    // One after another, each for the runs that are left: usually there are one or two.
    for (const { branch, condition } of branches) {
      const left = rows.filter(({ n }) => !taken.has(n));
      if (left.length === 0) break;
      const compiled = compile(condition);
      if (typeof compiled === "string") {
        return all(visits, { kind: "fail", reason: `Cannot decide "${step.name}": ${compiled}` });
      }
      const told = toldFilters(condition);
      const { fragment, answersTo } = compiled;
      const found = await q.executionRun.satisfying(tx, {
        rows: left,
        condition: fragment,
        answers: answersTo(told),
      });
      for (const { n, holds, answers } of found) {
        if (holds) taken.set(n, branch);
        asked.get(n)!.push(...told.map((filter, i) => answered(filter, answers[i]!)));
      }
    }
    const fields = toldFields(branches.map(({ condition }) => condition));
    return rows.map((row) => {
      const branch = taken.get(row.n) ?? otherwise;
      const values = valuesOf(fields, row, over);
      const filters = asked.get(row.n)!.slice(0, MAX_TOLD);
      return { kind: "on", branch, output: { branch, values, ...(filters.length > 0 && { filters }) } };
    });
  },
});

type Compiled = { fragment: Fragment; answersTo: (filters: Filter[]) => Fragment } | string;

/** Compiles conditions; returns the reason where a segment that one names is gone. */
async function compilerOf(
  tx: Context,
  projectId: string,
  { config }: GraphStep<ConditionConfig>,
): Promise<(condition: Condition) => Compiled> {
  const rows = namesSegments(config) ? await q.segments.conditions(tx, { projectId }) : [];
  const options = { now: tx.now(), segments: new Map(rows.map((row) => [row.id, row])) };
  return (condition) => {
    try {
      return {
        fragment: compileCondition(tx.sql, projectId, condition, options),
        answersTo: (filters) => compileAnswers(tx.sql, projectId, filters, options),
      };
    } catch (error) {
      return (error as Error).message;
    }
  };
}

/** The row of the contact `c`: the contact itself, or other data in place of its own. */
function rowOf({ contact, context }: Run, over: Questions["over"], n: number) {
  const data = over === "contact" ? contact.data : over === "event" ? (context.event ?? {}) : context;
  return { n, id: contact.id, ...columnsOf(contact), data };
}

type Row = ReturnType<typeof rowOf>;

const NAMES = Object.entries(STANDARD_FIELDS);

/** The standard fields of a contact, by their columns. */
function columnsOf(contact: StandardValues) {
  return Object.fromEntries(
    NAMES.map(([name, { column }]) => [column, contact[name as StandardFieldName]]),
  ) as StandardColumns;
}

/** The fields of the conditions that are values, and not what happened or whose member somebody is. */
function toldFields(conditions: Condition[]): string[] {
  const values = conditions.flatMap(toFilters).map(({ field }) => field);
  return [...new Set(values.filter(isValue))].slice(0, MAX_TOLD);
}

/** The filters whose results are reported. The result of a single filter on a value is the branch. */
function toldFilters(condition: Condition): Filter[] {
  const filters = toFilters(condition);
  return filters.length === 1 && isValue(filters[0]!.field) ? [] : filters.slice(0, MAX_TOLD);
}

/** A filter, and whether it held. */
function answered(filter: Filter, holds: boolean): Json {
  const { field, operator, value = null, unit, count, campaignId, templateId } = filter;
  return {
    field,
    operator,
    ...(value !== null && { value: short(value) }),
    ...(unit && { unit }),
    ...(count && { count }),
    ...(campaignId && { campaignId }),
    ...(templateId && { templateId }),
    holds,
  };
}

function toFilters(condition: Condition): Filter[] {
  return [...filtersOf(condition)].map(({ filter }) => filter);
}

function isValue(field: string): boolean {
  return field.startsWith("data.") || isStandard(field);
}

/** The values that decided, under the names by which the author knows them. */
function valuesOf(fields: string[], row: Row, over: Questions["over"]): Record<string, Json> {
  return Object.fromEntries(
    fields.map((field) => {
      const path = field.slice("data.".length);
      const value =
        (isStandard(field) ? row[STANDARD_FIELDS[field].column] : undefined) ??
        dataAt(row.data as Record<string, unknown>, path) ??
        null;
      const name = over === "contact" ? field : `${over}.${path}`;
      return [name, short(value)];
    }),
  );
}

/** Where it is cut, half a character may be left over: the database takes none. */
function short(value: unknown): Json {
  const text = JSON.stringify(value);
  if (text.length <= MAX_TOLD_LENGTH) return JSON.parse(text) as Json;
  return `${text.slice(0, MAX_TOLD_LENGTH).toWellFormed()}…`;
}
