// The condition language as data: what `GET /segments/operators` and the OpenAPI document say, from the compiler's tables.
import { STANDARD_FIELDS, STANDARD_NAMES } from "../standard_fields.ts";
import {
  type Field,
  MAIL_ACTIVITIES,
  MAIL_SOURCES,
  type MailSource,
  type Operator,
  OPERATORS,
  operatorsOf,
  SENT_ACTIVITIES,
} from "./fields.ts";
import { MAX_COUNT } from "./_filters.ts";
import { UNITS } from "./_instants.ts";

/**
 * What is next to an operator: nothing, a value of the field's own kind, a number or a text to be put in order with, an
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
  /** What a filter may name so that only some mails count; of every activity but `received`. */
  sources?: string[];
}

/** Every field that a filter may name, with the operators that it takes. */
export function conditionCatalogue(): { fields: CatalogueEntry[]; units: string[]; logic: string[] } {
  return {
    fields: [
      ...STANDARD_NAMES.map((name) => entry(name, STANDARD_FIELDS[name].kind)),
      entry("data.<key>", "data"),
      entry("event.<name>", "event"),
      { ...entry("email.<activity>", "event"), activities: [...MAIL_ACTIVITIES], sources: [...MAIL_SOURCES] },
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

/** What is in front of the first dot decides what a name means: a name of no other kind is that of an event. */
const RESERVED_NAMES = STANDARD_NAMES.join("|");
const UUID = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";
const EVENT_NAMES = [
  "event\\.[\\s\\S]{1,255}",
  `email\\.(${MAIL_ACTIVITIES.filter((name) => !SENT_ACTIVITIES.includes(name)).join("|")})`,
  "segment\\.[\\s\\S]*\\.(entry|exit)",
  `(?!(data|event|email|segment)\\.)(?!(${RESERVED_NAMES})$)[\\s\\S]{1,255}`,
];
const ABOUT_FIELDS = "See the guide on segments, or `GET /segments/operators`.";

/** The fields whose filters differ: `mail` are the activities of mails that the project sent. */
type Variant = Field["kind"] | "mail";

/** The names of fields of a kind. */
function fieldSchema(kind: Variant): JsonSchema {
  const named = (pattern: string, example: string) => ({
    type: "string",
    pattern: `^${pattern}$`,
    examples: [example],
    description: ABOUT_FIELDS,
  });
  switch (kind) {
    case "data":
      return named("data\\.(?!$)[^.]*(\\.[^.]*){0,9}", "data.plan");
    case "event":
      return named(`(${EVENT_NAMES.join("|")})`, "event.signed up");
    case "mail":
      return named(`email\\.(${SENT_ACTIVITIES.join("|")})`, "email.opened");
    case "segment":
      return named(`segment\\.${UUID}`, "segment.0190a3c4-0000-7000-8000-000000000000");
    default: {
      const names = STANDARD_NAMES.filter((name) => STANDARD_FIELDS[name].kind === kind);
      return { type: "string", enum: names, description: ABOUT_FIELDS };
    }
  }
}

const AMOUNT = {
  value: { type: "integer", minimum: 1 },
  unit: { type: "string", enum: [...UNITS] },
};
const COUNT = {
  count: { type: "integer", minimum: 1, maximum: MAX_COUNT, description: "How often." },
};
const SOURCES = {
  campaignId: { type: "string", format: "uuid", description: "Only mails of this campaign count." },
  templateId: { type: "string", format: "uuid", description: "Only mails of this template count." },
} satisfies Record<MailSource, JsonSchema>;
const SCALAR = { type: ["string", "number", "boolean"] };
const VALUES: Record<Exclude<Operand, "amount" | "count" | "none">, JsonSchema> = {
  json: {},
  text: { type: "string" },
  boolean: { anyOf: [{ type: "boolean" }, { type: "string", enum: ["true", "false"] }] },
  time: { type: "string", format: "date-time", description: "ISO 8601; a date is its start (UTC)." },
  ordered: { type: ["number", "string"] },
};

/** JSON Schema of a condition tree, with one of filters by the operators that take the same operand. */
export function conditionSchemas(): Record<string, JsonSchema> {
  const filters = filterSchemas();
  const names = Object.keys(filters);
  const refOf = (name: string) => `#/components/schemas/${name}`;
  const mapping = Object.fromEntries(
    names.flatMap((name) => filters[name]!.operators.map((operator) => [operator, refOf(name)])),
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
    Filter: {
      oneOf: names.map((name) => ({ $ref: refOf(name) })),
      discriminator: { propertyName: "operator", mapping },
    },
    ...Object.fromEntries(names.map((name) => [name, filters[name]!.schema])),
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

/** The filters by what is next to their operators. */
const FILTER_NAMES: Record<Operand, string> = {
  none: "ExistenceFilter",
  json: "EqualityFilter",
  text: "TextFilter",
  ordered: "OrderFilter",
  amount: "AgeFilter",
  count: "CountFilter",
  boolean: "BooleanFilter",
  time: "TimeFilter",
};

function filterSchemas(): Record<string, { operators: string[]; schema: JsonSchema }> {
  const kinds = Object.keys(OPERATORS) as Field["kind"][];
  const all = kinds.flatMap((kind) => operatorsOf(kind).map((operator) => ({ kind, ...operator })));
  const byOperand = Map.groupBy(all, ({ asks }) => OPERANDS[asks]);
  return Object.fromEntries(
    [...byOperand].map(([operand, found]) => {
      const variants = [...Map.groupBy(found, ({ kind }) => kind)].flatMap(([kind, of]) => {
        const names = of.map(({ operator }) => operator);
        const ways: Variant[] = kind === "event" ? ["event", "mail"] : [kind];
        return ways.map((way) => filterSchema(way, of[0]!.asks, names));
      });
      const operators = [...new Set(found.map(({ operator }) => operator))];
      const schema = variants.length === 1 ? variants[0]! : { anyOf: variants };
      return [FILTER_NAMES[operand], { operators, schema }];
    }),
  );
}

function filterSchema(kind: Variant, asks: Operator, operators: string[]): JsonSchema {
  const operand = operandOf(kind === "mail" ? "event" : kind, asks);
  const schema = (beside: JsonSchema, optional: JsonSchema = {}) => ({
    type: "object",
    properties: {
      field: fieldSchema(kind),
      operator: { type: "string", enum: operators },
      ...beside,
      ...optional,
      ...(kind === "mail" && SOURCES),
    },
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
      return schema({ value: asks === "contains" && kind === "data" ? SCALAR : VALUES[operand] });
  }
}
