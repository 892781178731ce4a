// What can be wrong with one filter of a condition as it comes in a request.
import type { FieldError } from "../../problem/mod.ts";
import {
  type Field,
  fieldOf,
  isUnit,
  MAIL_SOURCES,
  type MailSource,
  type Operator,
  operatorNames,
  readOperator,
  takesSources,
} from "./fields.ts";
import { fault, isObject, missingOr, notOneOf } from "../faults.ts";
import { isDeeper, someInner } from "../json_values.ts";
import { STANDARD_NAMES } from "../standard_fields.ts";
import { MAX_AMOUNT, toInstant, UNITS } from "./_instants.ts";

const MAX_EVENT_NAME_LENGTH = 255;
const MAX_PATH_LENGTH = 1_024;
const MAX_PATH_KEYS = 10;
/** The most often that an operator can ask for. */
export const MAX_COUNT = 1_000;
// A contact holds no more than that, so nothing longer or deeper can equal its values.
const MAX_VALUE_LENGTH = 65_536;
const MAX_VALUE_DEPTH = 64;

/** Everything wrong with a filter, at its dot path. Whether the segment it names exists is not checked. */
export function filterErrors(filter: unknown, at: string): FieldError[] {
  if (!isObject(filter)) return [missingOr(at, filter, "Expected an object with field and operator")];
  const { field: name, operator } = filter;
  if (typeof name !== "string") return [missingOr(`${at}.field`, name, "Expected a string")];
  const field = fieldOf(name);
  const errors = field
    ? nameErrors(field, `${at}.field`)
    : [fault(`${at}.field`, "invalid_enum_value", UNKNOWN, name)];
  if (!field || errors.length > 0) return errors;
  const read = typeof operator === "string" ? readOperator(field, operator) : null;
  if (read) return [...valueErrors(field, read.asks, filter, at), ...sourceFaults(name, filter, at)];
  // An unknown name is taken for that of an event, unless its operator shows that no event was meant.
  const isGuess = field.kind === "event" && field.name === name && typeof operator === "string";
  if (isGuess && !operatorNames(field).includes(operator)) {
    return [fault(`${at}.field`, "invalid_enum_value", `${UNKNOWN}, or an operator of events`, name)];
  }
  return [notOneOf(`${at}.operator`, operator, operatorNames(field))];
}

const UNKNOWN = `Expected ${STANDARD_NAMES.join(", ")}, data.<key>, event.<name>, email.<activity> or segment.<id>`;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function nameErrors(field: Field, at: string): FieldError[] {
  switch (field.kind) {
    case "data":
      if (field.path.length > MAX_PATH_LENGTH || field.path.split(".").length > MAX_PATH_KEYS) {
        const message = `A path has at most ${MAX_PATH_LENGTH} characters and ${MAX_PATH_KEYS} keys`;
        return [fault(at, "too_big", message)];
      }
      return isStorable(field.path) ? [] : [fault(at, "invalid_string", NOT_TEXT)];
    case "event":
      if (field.name.length > MAX_EVENT_NAME_LENGTH) {
        return [fault(at, "too_big", `The name of an event has at most ${MAX_EVENT_NAME_LENGTH} characters`)];
      }
      return isStorable(field.name) ? [] : [fault(at, "invalid_string", NOT_TEXT)];
    case "segment":
      return UUID.test(field.id) ? [] : [fault(at, "custom", "Cannot find this segment", field.id)];
    case "text":
    case "boolean":
    case "time":
      return [];
  }
}

/** What is wrong with the campaign and the template of a filter. Whether there are such is for `sourceErrors` to say. */
function sourceFaults(name: string, filter: Record<string, unknown>, at: string): FieldError[] {
  return MAIL_SOURCES.flatMap((source) => {
    const id = filter[source];
    if (id === undefined || id === null) return [];
    if (!takesSources(name)) {
      const message = `Only a filter on email.<activity> takes a ${source}, and email.received does not`;
      return [fault(`${at}.${source}`, "custom", message)];
    }
    if (typeof id !== "string") return [missingOr(`${at}.${source}`, id, "Expected an id")];
    return UUID.test(id.toLowerCase()) ? [] : [unknownSource(`${at}.${source}`, source, id)];
  });
}

/** A campaign or a template that is not there. */
export function unknownSource(at: string, source: MailSource, id: string): FieldError {
  return fault(at, "custom", `Cannot find this ${source === "campaignId" ? "campaign" : "template"}`, id);
}

function valueErrors(
  field: Field,
  asks: Operator,
  filter: Record<string, unknown>,
  at: string,
): FieldError[] {
  const { value, unit } = filter;
  const refuse = (expected: string) => [missingOr(`${at}.value`, value, expected)];
  switch (asks) {
    case "exists":
    case "triggered":
    case "memberOfSegment":
      return [];
    case "within":
    case "olderThan":
    case "triggeredWithin":
    case "triggeredOlderThan":
      return amountErrors(value, unit, at);
    case "triggeredAtLeast":
    case "triggeredAtMost":
      return [...countErrors(filter.count, asks, `${at}.count`), ...periodErrors(value, unit, at)];
    case "equals":
      if (field.kind === "data") return jsonErrors(value, `${at}.value`);
      if (field.kind === "time") return timeErrors(value, `${at}.value`);
      if (field.kind === "text") return textErrors(value, `${at}.value`);
      return typeof value === "boolean" || value === "true" || value === "false"
        ? []
        : refuse("Expected true or false");
    case "contains":
      if (field.kind === "data" && typeof value === "boolean") return [];
      if (field.kind === "data" && typeof value === "number") return jsonErrors(value, `${at}.value`);
      return textErrors(value, `${at}.value`);
    case "greaterThan":
    case "lessThan":
    case "greaterThanOrEqual":
    case "lessThanOrEqual":
      if (field.kind === "time") return timeErrors(value, `${at}.value`);
      if (typeof value === "number" || typeof value === "string") return jsonErrors(value, `${at}.value`);
      return refuse("Expected a number, a date in ISO 8601 or a string");
  }
}

function countErrors(count: unknown, asks: Operator, at: string): FieldError[] {
  const errors = wholeErrors(count, at, { max: MAX_COUNT, what: "times" });
  if (asks !== "triggeredAtMost" || count !== 0) return errors;
  const message = "Expected 1 or more: for never there are notTriggered and notTriggeredWithin";
  return errors.map((error) => ({ ...error, message }));
}

/** A period is optional: without one, all that ever happened counts. */
function periodErrors(value: unknown, unit: unknown, at: string): FieldError[] {
  const isAbsent = (part: unknown) => part === undefined || part === null;
  return isAbsent(value) && isAbsent(unit) ? [] : amountErrors(value, unit, at);
}

function amountErrors(value: unknown, unit: unknown, at: string): FieldError[] {
  const errors = isUnit(unit) ? [] : [notOneOf(`${at}.unit`, unit, UNITS)];
  const max = isUnit(unit) ? MAX_AMOUNT[unit] : Infinity;
  return [...wholeErrors(value, `${at}.value`, { max, what: String(unit) }), ...errors];
}

function wholeErrors(value: unknown, at: string, { max, what }: { max: number; what: string }): FieldError[] {
  if (typeof value !== "number" || !Number.isInteger(value)) {
    return [missingOr(at, value, "Expected a whole number")];
  }
  if (value < 1) return [fault(at, "too_small", "Expected 1 or more", value)];
  return value > max ? [fault(at, "too_big", `Expected at most ${max} ${what}`, value)] : [];
}

function timeErrors(value: unknown, at: string): FieldError[] {
  if (typeof value !== "string") return [missingOr(at, value, "Expected a date in ISO 8601")];
  return toInstant(value) ? [] : [fault(at, "invalid_string", "Expected a date in ISO 8601", value)];
}

function textErrors(value: unknown, at: string): FieldError[] {
  return typeof value === "string" ? jsonErrors(value, at) : [missingOr(at, value, "Expected a string")];
}

function jsonErrors(value: unknown, at: string): FieldError[] {
  if (value === undefined) return [missingOr(at, value, "")];
  if (isDeeper(value, MAX_VALUE_DEPTH)) {
    return [fault(at, "custom", `A value is nested at most ${MAX_VALUE_DEPTH} levels deep`)];
  }
  if (!isStorableJson(value)) return [fault(at, "invalid_string", NOT_TEXT)];
  if (JSON.stringify(value).length <= MAX_VALUE_LENGTH) return [];
  return [fault(at, "too_big", `A value has at most ${MAX_VALUE_LENGTH} characters as JSON`)];
}

const NOT_TEXT = "NUL, unpaired surrogates and numbers out of range are not allowed here";

/** Postgres holds neither NUL nor half a surrogate pair. */
function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

function isStorableJson(value: unknown): boolean {
  if (typeof value === "string") return isStorable(value);
  // JSON.parse makes Infinity of 1e999.
  if (typeof value === "number") return Number.isFinite(value);
  return !someInner(value, (inner, key) => !isStorable(key) || !isStorableJson(inner));
}
