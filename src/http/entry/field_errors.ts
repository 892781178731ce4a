// Turns what TypeBox says about a value into the field errors of the API: all of them, each at its own path.
import { Kind, type TSchema } from "@sinclair/typebox";
import { type ValueError, type ValueErrorIterator, ValueErrorType as Type } from "@sinclair/typebox/errors";
import type { FieldError, FieldErrorCode } from "../../problem/mod.ts";
import { textFault } from "./text.ts";

const MAX_ERRORS = 100;
const MAX_RECEIVED_LENGTH = 100;

const RULES = Symbol("rules");

/** Rules over several fields, which a schema cannot say. They see the fields that the schema let through, and which it did not. */
export type Rules = (value: never, refused: ReadonlySet<string>) => FieldError[] | Promise<FieldError[]>;

/** Adds rules to the schema of a body, so that a refusal lists their errors together with those of the schema. */
export function withRules<T extends TSchema>(schema: T, rules: Rules): T {
  return Object.assign(schema, { [RULES]: rules });
}

/**
 * The field errors of a value that its schema has refused: every missing field, the first 100 others, and those of the
 * rules. The search stops at as many errors as are reported. `before` are known errors of other fields.
 */
export async function fieldErrors(
  schema: TSchema,
  errors: Iterable<ValueError>,
  value: unknown,
  before: FieldError[] = [],
): Promise<FieldError[]> {
  const found = firstErrors(errors, before);
  return [...found, ...(await ruleErrors(schema, value, found))];
}

/**
 * The errors of the rules alone, for a value of which these fields are known to be wrong. Of a list with wrong items, the rules of
 * its items see what the schema let through of each.
 */
export async function ruleErrors(
  schema: TSchema,
  value: unknown,
  found: FieldError[] = [],
): Promise<FieldError[]> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  const refused = new Set(found.map((error) => error.field.split(".")[0]!));
  const ofItems = await itemErrors(schema, value as Record<string, unknown>, found);
  const rules = (schema as { [RULES]?: Rules })[RULES];
  if (!rules) return ofItems;
  const rest = Object.fromEntries(Object.entries(value).filter(([name]) => !refused.has(name)));
  const more = await rules(rest as never, refused);
  return [...more.filter((error) => !refused.has(error.field.split(".")[0]!)), ...ofItems];
}

/** What the rules of items say of the lists in which the schema has refused some of them. */
async function itemErrors(
  schema: TSchema,
  value: Record<string, unknown>,
  found: FieldError[],
): Promise<FieldError[]> {
  const errors: FieldError[] = [];
  for (const [name, property] of Object.entries((schema.properties ?? {}) as Record<string, TSchema>)) {
    const items = property.items as (TSchema & { [RULES]?: Rules }) | undefined;
    const list = value[name];
    if (!items?.[RULES] || !Array.isArray(list)) continue;
    const byItem = Map.groupBy(
      found.filter(({ field }) => field.startsWith(`${name}.`)),
      ({ field }) => Number(field.split(".")[1]),
    );
    if (byItem.size === 0) continue;
    for (const [n, item] of list.entries()) {
      const at = `${name}.${n}.`;
      const known = (byItem.get(n) ?? []).map((error) => ({ ...error, field: error.field.slice(at.length) }));
      const more = await ruleErrors(items, item, known);
      errors.push(...more.map((error) => ({ ...error, field: `${at}${error.field}` })));
      if (errors.length >= MAX_ERRORS) return errors.slice(0, MAX_ERRORS);
    }
  }
  return errors;
}

/** The error of a field that is not there. */
export const requiredError = (field: string): FieldError => ({
  field,
  code: "required",
  message: "This field is required",
});

/** One for each field: TypeBox reports a missing field twice, as missing (first of all) and as of the wrong type. */
function firstErrors(errors: Iterable<ValueError>, before: FieldError[]): FieldError[] {
  const found = new Map(before.map((error) => [error.field, error]));
  let others = 0;
  for (const error of errors) {
    for (const fieldError of toFieldErrors(error)) {
      const { field, code } = fieldError;
      if (found.has(field)) continue;
      found.set(field, fieldError);
      if (code !== "required" || field.includes(".")) others++;
      if (others === MAX_ERRORS) return [...found.values()];
    }
  }
  return [...found.values()];
}

function* toFieldErrors(error: ValueError): Generator<FieldError> {
  if (error.type !== Type.Union) return yield toFieldError(error, codeOf(error), messageOf(error));
  const branch = bestBranch(error);
  if (!branch) {
    // One kind, or null: not a choice between forms.
    const code = kindsOf(error.schema).length === 1 ? "invalid_type" : "invalid_union";
    return yield toFieldError(error, code, unionMessage(error));
  }
  for (const inner of branch) yield* toFieldErrors(inner);
}

/** Of the alternatives, the only one whose type fits: its errors say more than "none of these". */
function bestBranch(error: ValueError): ValueError[] | null {
  const fitting = branchesOf(error).filter((errors) =>
    errors.every((inner) => inner.path !== error.path || typeFits(inner)),
  );
  return fitting.length === 1 ? fitting[0]! : null;
}

/** The first errors of each alternative. They can be read only once: the result is kept for the next look. */
function branchesOf(error: ValueError): ValueError[][] {
  const branches = error.errors.map((errors) => [...take(errors, MAX_ERRORS)]);
  error.errors = branches as unknown as ValueErrorIterator[];
  return branches;
}

/** The first of them; the rest is not computed. */
export function* take<T>(items: Iterable<T>, count: number): Generator<T> {
  let left = count;
  for (const item of items) {
    yield item;
    if ((left -= 1) === 0) return;
  }
}

/** True when the value is of the right type and something else is wrong with it. */
function typeFits(error: ValueError): boolean {
  if (error.type === Type.Union) return bestBranch(error) !== null;
  return codeOf(error) !== "invalid_type";
}

/** What is wrong with text of a limited length. Null for everything else, and for a format: it has words of its own. */
function textErrorOf({ type, schema, value }: ValueError) {
  if (type !== Type.Kind || schema[Kind] !== "Text" || value === undefined) return null;
  return textFault(schema, value);
}

function toFieldError(error: ValueError, code: FieldErrorCode, message: string): FieldError {
  const field = error.path.slice(1).split("/").map(unescapePointer).join(".");
  const received = receivedOf(error.value);
  return { field, code, message, ...(received !== undefined && { received }) };
}

function codeOf(error: ValueError): FieldErrorCode {
  const { type, schema, value } = error;
  if (value === undefined) return "required";
  const fault = textErrorOf(error);
  if (fault) return fault.code;
  if (type === Type.Kind && schema.type === "integer" && Number(value) < 1) return "too_small";
  if (type === Type.Kind && !schema.enum) return "invalid_type";
  switch (type) {
    case Type.StringFormat:
    case Type.StringPattern:
      return "invalid_string";
    case Type.StringMinLength:
    case Type.ArrayMinItems:
    case Type.ObjectMinProperties:
    case Type.NumberMinimum:
    case Type.NumberExclusiveMinimum:
    case Type.IntegerMinimum:
    case Type.IntegerExclusiveMinimum:
      return "too_small";
    case Type.StringMaxLength:
    case Type.ArrayMaxItems:
    case Type.ObjectMaxProperties:
    case Type.NumberMaximum:
    case Type.NumberExclusiveMaximum:
    case Type.IntegerMaximum:
    case Type.IntegerExclusiveMaximum:
      return "too_big";
    case Type.Literal:
    case Type.Kind:
      return "invalid_enum_value";
    default:
      return "invalid_type";
  }
}

/** What is said of a list that is too short or too long. */
export function itemsMessage(bound: "at least" | "at most", count: number): string {
  return `Expected ${bound} ${count} ${count === 1 ? "item" : "items"}`;
}

function messageOf(error: ValueError): string {
  const { type, schema, message, value } = error;
  if (value === undefined) return "This field is required";
  const fault = textErrorOf(error);
  if (fault) return fault.message || (FORMATS[schema.format as string] ?? message);
  if (type === Type.ArrayMinItems) return itemsMessage("at least", Number(schema.minItems));
  if (type === Type.ArrayMaxItems) return itemsMessage("at most", Number(schema.maxItems));
  if (type === Type.String) return "Expected a string";
  if (type === Type.Boolean) return "Expected true or false";
  if (schema["x-any-object"]) return "Expected an object";
  if (type === Type.Kind && schema.type === "integer") {
    return Number(value) < 1 ? "Expected at least 1" : "Expected a whole number";
  }
  if (type === Type.StringFormat && schema.format === "mailbox" && isList(value)) return SEVERAL;
  if (type === Type.StringFormat && schema.format === "uuid") return idMessage(schema);
  if (type === Type.StringFormat) return FORMATS[schema.format as string] ?? message;
  if (schema.enum) return `Expected one of ${(schema.enum as string[]).join(", ")}`;
  return message;
}

const FORMATS: Record<string, string> = {
  email: "Expected an email address",
  "email-or-empty": "Expected an email address",
  mailbox: "Expected an email address, or a name and an address such as Ada <ada@example.com>",
  "header-text": "Line breaks and NUL are not allowed here",
  "date-time": "Expected a date and time in ISO 8601",
};

/** What kind of an id is expected, where the schema says so. */
function idMessage({ description = "" }: TSchema): string {
  const [, what] = /^The (id of .+, a UUID)\.$/.exec(description) ?? [];
  return what ? `Expected the ${what}` : "Expected a UUID";
}

const SEVERAL = 'Expected one address: write several as a list, ["ada@example.com", "bob@example.com"]';

/** Whether a text is several addresses in a row. */
function isList(value: unknown): boolean {
  return typeof value === "string" && value.length < 10_000 && value.split(/[,;]/).length > 1;
}

const KINDS: Record<string, string> = {
  string: "a string",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
};

/** What a union takes; null only if it takes nothing else. */
function unionMessage({ schema }: ValueError): string {
  const kinds = [...new Set(kindsOf(schema))];
  return kinds.length === 0 ? "Expected null" : `Expected ${kinds.join(" or ")}`;
}

function kindsOf(schema: TSchema): string[] {
  if (schema.anyOf) return (schema.anyOf as TSchema[]).flatMap(kindsOf);
  if (schema["x-any-object"]) return ["an object"];
  return schema.type === "null" ? [] : [KINDS[schema.type as string] ?? String(schema.type)];
}

/** The value, where it is short enough to be of help. */
function receivedOf(value: unknown): unknown {
  if (value === null || typeof value === "number" || typeof value === "boolean") return value;
  if (typeof value === "string") return value.length <= MAX_RECEIVED_LENGTH ? value : undefined;
  return undefined;
}

function unescapePointer(segment: string): string {
  return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}
