// The condition language as data: what `GET /segments/operators` and the OpenAPI document say, from the compiler's tables.
import { STANDARD_FIELDS, STANDARD_NAMES } from "../standard_fields.ts";
import { type Field, type Operator, OPERATORS, operatorsOf, MAIL_ACTIVITIES } from "./fields.ts";
import { MAX_COUNT } from "./_filters.ts";
import { UNITS } from "./_instants.ts";

/**
 * What stands beside an operator: nothing, a value of the field's own kind, a number or a text to be put in order with, an
 * amount of time with its unit, or a count and, where it is about a period, an amount of time with its unit.
 */
export type Operand = "none" | "text" | "boolean" | "time" | "json" | "ordered" | "amount" | "count";

/** Of fields whose kind does not decide it. */
const OPERANDS: Record<Operator, Operand> = {
  equals: "json",
  contains: "text",
  greaterThan: "ordered",
  lessThan: "ordered",
  greaterThanOrEqual: "ordered",
  lessThanOrEqual: "ordered",
  within: "amount",
  olderThan: "amount",
  exists: "none",
  triggered: "none",
  triggeredWithin: "amount",
  triggeredOlderThan: "amount",
  triggeredAtLeast: "count",
  triggeredAtMost: "count",
  memberOfSegment: "none",
};

/** A kind of field with its operators. */
export interface CatalogueEntry {
  /** As a filter writes it; `<…>` stands for a name of the project. */
  field: string;
  kind: Field["kind"];
  operators: { operator: string; operand: Operand }[];
  /** The names that may stand for `<activity>`. */
  activities?: string[];
}

/** Every field that a filter may name, with the operators that it takes. */
export function conditionCatalogue(): { fields: CatalogueEntry[]; units: string[]; logic: string[] } {
  return {
    fields: [
      ...STANDARD_NAMES.map((name) => entry(name, STANDARD_FIELDS[name].kind)),
      entry("data.<key>", "data"),
      entry("event.<name>", "event"),
      { ...entry("email.<activity>", "event"), activities: [...MAIL_ACTIVITIES] },
      entry("segment.<id>", "segment"),
    ],
    units: [...UNITS],
    logic: ["AND", "OR"],
  };
}

function entry(field: string, kind: Field["kind"]): CatalogueEntry {
  const operators = operatorsOf(kind).map(({ operator, asks }) => ({
    operator,
    operand: operandOf(kind, asks),
  }));
  return { field, kind, operators };
}

function operandOf(kind: Field["kind"], asks: Operator): Operand {
  const isPlain = kind === "text" || kind === "boolean" || kind === "time";
  return isPlain && OPERANDS[asks] !== "amount" ? kind : OPERANDS[asks];
}

type JsonSchema = Record<string, unknown>;

const FIELD = { type: "string", description: "See the guide on segments, or `GET /segments/operators`." };
const AMOUNT = {
  value: { type: "integer", minimum: 1 },
  unit: { type: "string", enum: [...UNITS] },
};
const COUNT = {
  count: { type: "integer", minimum: 1, maximum: MAX_COUNT, description: "How often." },
};
const VALUES: Record<Exclude<Operand, "amount" | "count" | "none">, JsonSchema> = {
  json: {},
  text: { type: ["string", "number", "boolean"] },
  boolean: { type: ["boolean", "string"] },
  time: { type: "string" },
  ordered: { type: ["number", "string"] },
};

/** JSON Schema of a condition tree, with one of filters by the operators that take the same operand. */
export function conditionSchemas(): Record<string, JsonSchema> {
  const filters = filterSchemas();
  const refs = Object.keys(filters).map((name) => ({ $ref: `#/components/schemas/${name}` }));
  const mapping = Object.fromEntries(
    Object.entries(filters).flatMap(([name, { properties }]) =>
      (properties as { operator: { enum: string[] } }).operator.enum.map((operator) => [
        operator,
        `#/components/schemas/${name}`,
      ]),
    ),
  );
  return {
    Condition: {
      type: "object",
      description: "Which contacts match: `logic` joins the groups.",
      properties: {
        logic: { type: "string", enum: ["AND", "OR"] },
        groups: {
          type: "array",
          minItems: 1,
          maxItems: 200,
          items: { $ref: "#/components/schemas/ConditionGroup" },
        },
      },
      required: ["logic", "groups"],
    },
    ConditionGroup: {
      description: "All filters and the nested condition must hold.",
      anyOf: [
        groupSchema({ minItems: 1, required: "filters" }),
        groupSchema({ minItems: 0, required: "conditions" }),
      ],
    },
    Filter: { oneOf: refs, discriminator: { propertyName: "operator", mapping } },
    ...filters,
  };
}

/** A group has filters or a nested condition, or both. */
function groupSchema({ minItems, required }: { minItems: number; required: string }): JsonSchema {
  return {
    type: "object",
    properties: {
      filters: { type: "array", minItems, maxItems: 200, items: { $ref: "#/components/schemas/Filter" } },
      conditions: { $ref: "#/components/schemas/Condition" },
    },
    required: [required],
  };
}

function filterSchemas(): Record<string, JsonSchema> {
  const names: Record<Operand, string> = {
    none: "ExistenceFilter",
    json: "EqualityFilter",
    text: "TextFilter",
    ordered: "OrderFilter",
    amount: "AgeFilter",
    count: "CountFilter",
    boolean: "BooleanFilter",
    time: "TimeFilter",
  };
  const byOperand = new Map<Operand, Set<string>>();
  for (const kind of Object.keys(OPERATORS) as Field["kind"][]) {
    for (const { operator, asks } of operatorsOf(kind)) {
      const operand = OPERANDS[asks];
      byOperand.set(operand, (byOperand.get(operand) ?? new Set()).add(operator));
    }
  }
  return Object.fromEntries(
    [...byOperand].map(([operand, found]) => [names[operand], filterSchema(operand, [...found])]),
  );
}

function filterSchema(operand: Operand, operators: string[]): JsonSchema {
  const properties = { field: FIELD, operator: { type: "string", enum: operators } };
  const schema = (beside: JsonSchema, optional: JsonSchema = {}) => ({
    type: "object",
    properties: { ...properties, ...beside, ...optional },
    required: ["field", "operator", ...Object.keys(beside)],
  });
  switch (operand) {
    case "none":
      return schema({});
    case "amount":
      return schema(AMOUNT);
    case "count":
      return { ...schema(COUNT, AMOUNT), dependentRequired: { value: ["unit"], unit: ["value"] } };
    default:
      return schema({ value: VALUES[operand] });
  }
}
