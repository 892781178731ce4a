// What can be wrong with a text, or with free-form JSON, as it comes in a request.
import { fault, missingOr } from "../audience/faults.ts";
import { hasOverflow, isDeeper } from "../audience/json_values.ts";
import type { FieldError } from "../problem/mod.ts";

const MAX_EVENT_NAME_LENGTH = 255;

/** A text that has to be there, and must not be blank. */
export function textFaults(field: string, value: unknown, maxLength: number): FieldError[] {
  if (typeof value !== "string") return [missingOr(field, value, "Expected a string")];
  if (value.trim() === "") return [fault(field, "too_small", "Expected at least one character", value)];
  return lengthFaults(field, value, maxLength);
}

/** The name of an event that somebody waits for. Any name will do, also those of the service. */
export function eventNameFaults(field: string, name: unknown): FieldError[] {
  return textFaults(field, name, MAX_EVENT_NAME_LENGTH);
}

/** A text that may be missing or blank. */
export function optionalTextFaults(field: string, value: unknown, maxLength: number): FieldError[] {
  if (value === undefined || value === null) return [];
  if (typeof value !== "string") return [missingOr(field, value, "Expected a string")];
  return lengthFaults(field, value, maxLength);
}

/** A text that is too long. */
export function lengthFaults(field: string, value: string, maxLength: number): FieldError[] {
  if (value.length <= maxLength) return [];
  return [fault(field, "too_big", `Expected at most ${maxLength} characters`)];
}

/** JSON that the database would not take, or that is longer than is good; `what` it is, such as `A config`. */
export function jsonFaults(
  field: string,
  value: unknown,
  { what, maxBytes, maxDepth }: { what: string; maxBytes: number; maxDepth: number },
): FieldError[] {
  if (Buffer.byteLength(JSON.stringify(value)) > maxBytes) {
    return [fault(field, "too_big", `${what} has at most ${maxBytes / 1024} KB as JSON`)];
  }
  if (isDeeper(value, maxDepth)) {
    return [fault(field, "custom", `${what} is nested at most ${maxDepth} levels deep`)];
  }
  return hasOverflow(value)
    ? [fault(field, "too_big", "A number in it is too large to be kept exactly: write it as text")]
    : [];
}
