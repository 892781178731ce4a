// Field errors of values that no schema describes.
import type { FieldError, FieldErrorCode } from "../problem/mod.ts";

const MAX_RECEIVED_LENGTH = 100;

/** True for a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for a UUID in its usual form. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/** The field is missing, or is not what was expected. */
export function missingOr(field: string, value: unknown, expected: string): FieldError {
  if (value === undefined) return fault(field, "required", "This field is required");
  return fault(field, "invalid_type", expected, value);
}

/** The field is missing, or none of the words allowed. */
export function notOneOf(field: string, value: unknown, allowed: readonly string[]): FieldError {
  if (value === undefined) return fault(field, "required", "This field is required");
  return fault(field, "invalid_enum_value", `Expected one of ${allowed.join(", ")}`, value);
}

/** One field error; it shows the value received where that is short. */
export function fault(field: string, code: FieldErrorCode, message: string, received?: unknown): FieldError {
  const isShort = typeof received === "string" && received.length <= MAX_RECEIVED_LENGTH;
  const isScalar = received === null || typeof received === "number" || typeof received === "boolean";
  return { field, code, message, ...((isShort || isScalar) && { received }) };
}
