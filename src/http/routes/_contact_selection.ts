// Which contacts: the query of everything that lists, exports or counts them.
import { t } from "elysia";
import { conditionErrors } from "../../audience/conditions/tree.ts";
import { readCell } from "../../audience/contacts/cells.ts";
import type { Selection } from "../../audience/selection.ts";
import type { FieldError } from "../../problem/mod.ts";
import { IdOf, QueryFlag, readFlag, Text } from "../entry/schemas.ts";

const MAX_CONDITION = 8_000;

/** The query that selects contacts. */
export const SelectionQuery = {
  search: t.Optional(Text({ description: "Part of the address, ignoring case.", maxLength: 254 })),
  subscribed: QueryFlag("Left out: both."),
  segmentId: t.Optional(IdOf("a segment")),
  condition: t.Optional(
    Text({
      maxLength: MAX_CONDITION,
      description: "A condition like that of a segment, as JSON; it need not be saved.",
    }),
  ),
  field: t.Optional(
    Text({
      maxLength: 200,
      description:
        "A key of `data`. With `value`: contacts with that value; without: contacts with any value.",
    }),
  ),
  value: t.Optional(
    Text({ maxLength: 1_000, description: "Text, a number, `true` or `false`; requires `field`." }),
  ),
};

interface Query {
  search?: string | undefined;
  subscribed?: "true" | "false" | undefined;
  segmentId?: string | undefined;
  condition?: string | undefined;
  field?: string | undefined;
  value?: string | undefined;
}

/**
 * What is wrong with the query of a selection, beyond its schema, which has `refused` these parameters; `others` are known
 * errors. A condition that is wrong is 422 by itself, as everywhere, and listed here beside other faults.
 */
export function selectionErrors(
  { condition, field, value }: Query,
  refused: ReadonlySet<string>,
  others: FieldError[] = [],
): FieldError[] {
  const errors = [...others];
  if (value !== undefined && field === undefined && !refused.has("field"))
    errors.push({ field: "field", code: "required", message: "Which field has this value?" });
  if (condition === undefined) return errors;
  const parsed = treeOf(condition);
  if (parsed === undefined)
    errors.push({ field: "condition", code: "invalid_string", message: "Expected a condition as JSON" });
  else if (errors.length > 0 || refused.size > 0) errors.push(...conditionErrors(parsed));
  return errors;
}

/** The selection that a query asks for, in which {@linkcode selectionErrors} has found nothing wrong. */
export function selectionOf({ search, subscribed, segmentId, condition, field, value }: Query): Selection {
  const trees = [
    ...(condition === undefined ? [] : [treeOf(condition)]),
    ...(field === undefined ? [] : [fieldTree(field, value)]),
  ];
  return {
    search,
    subscribed: readFlag(subscribed),
    segmentId,
    condition: trees.length === 2 ? both(trees[0], trees[1]) : trees[0],
  };
}

/** Undefined for what is not JSON. */
function treeOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A number or `true` may have been stored as text. */
function fieldTree(name: string, value: string | undefined): unknown {
  const field = name.startsWith("data.") ? name : `data.${name}`;
  if (value === undefined) return tree("AND", [{ field, operator: "exists" }]);
  const values = [...new Set([value, readCell(value)])];
  return tree("OR", ...values.map((one) => [{ field, operator: "equals", value: one }]));
}

function tree(logic: "AND" | "OR", ...groups: object[][]) {
  return { logic, groups: groups.map((filters) => ({ filters })) };
}

function both(one: unknown, other: unknown) {
  return { logic: "AND", groups: [one, other].map((conditions) => ({ filters: [], conditions })) };
}
