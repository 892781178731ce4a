// What a request says about a contact's data, sorted by the rules of guides/contacts.md.
import { violatedConstraint } from "../../database_errors.ts";
import { type FieldError, type Problem, problems } from "../../problem/mod.ts";
import { hasOverflow, isDeeper } from "../json_values.ts";

/** Values of free-form data, as a request carries them. */
export type DataInput = Record<string, unknown>;

/** The same data, sorted by what happens to each key. */
export interface DataChange {
  /** Stored on the contact, merged over its data. */
  sets: DataInput;
  /** Removed from the contact. */
  deletes: string[];
  /** Every value without its wrapping, the one-off ones included: what this request can use. */
  values: DataInput;
}

const MAX_KEY_LENGTH = 128;
const MAX_DEPTH = 64;
const MAX_BYTES = 65_536;
const MAX_ERRORS = 100;

const RESERVED = new Set([
  "id",
  "plunk_id",
  "plunk_email",
  "email",
  "unsubscribeUrl",
  "subscribeUrl",
  "manageUrl",
]);

/**
 * Sorts the keys of `data`: null removes, an empty string is skipped, `{value, persistent: false}` is for this request
 * only, `{value, persistent: true}` is stored as its value, reserved keys are dropped. Anything else is stored as is.
 */
export function sortData(data: DataInput = {}): DataChange {
  const change: DataChange = { sets: {}, deletes: [], values: {} };
  for (const [key, given] of Object.entries(data)) {
    if (RESERVED.has(key) || given === undefined) continue;
    const wrapped = asWrapped(given);
    const value = wrapped ? wrapped.value : given;
    define(change.values, key, value);
    if (wrapped?.persistent === false || value === "") continue;
    if (value === null || value === undefined) change.deletes.push(key);
    else define(change.sets, key, value);
  }
  return change;
}

/** Two changes one after the other, as one. */
export function bothOf(first: DataChange, second: DataChange): DataChange {
  const both: DataChange = { sets: {}, deletes: [], values: { ...first.values, ...second.values } };
  for (const [key, value] of Object.entries(first.sets)) {
    if (!second.deletes.includes(key)) define(both.sets, key, value);
  }
  for (const [key, value] of Object.entries(second.sets)) define(both.sets, key, value);
  const kept = first.deletes.filter((key) => !Object.hasOwn(second.sets, key));
  both.deletes.push(...new Set([...kept, ...second.deletes]));
  return both;
}

/**
 * What a mail of this request shows: the values, without empty text, which leaves what is stored as it is. Empty text
 * for this request only is shown.
 */
export function shownData(data: DataInput): DataInput {
  const shown = sortData(data).values;
  for (const [key, given] of Object.entries(data)) {
    if (shown[key] === "" && asWrapped(given)?.persistent !== false) delete shown[key];
  }
  return shown;
}

/**
 * What is wrong with `data`: that it is too large, or else each key, a hundred at most. `field` is its place in the
 * request.
 */
export function dataErrors(data: DataInput | undefined, field = "data"): FieldError[] {
  if (data === undefined) return [];
  // First of all, so that nothing is walked through that is too large.
  if (Buffer.byteLength(JSON.stringify(data)) > MAX_BYTES) return [tooLarge(field)];
  const errors: FieldError[] = [];
  for (const [key, given] of Object.entries(data)) {
    errors.push(...keyErrors(key, given, `${field}.${key.slice(0, MAX_KEY_LENGTH)}`));
    if (errors.length >= MAX_ERRORS) break;
  }
  return errors;
}

function keyErrors(key: string, given: unknown, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (key.length > MAX_KEY_LENGTH)
    errors.push({ field, code: "too_big", message: `A key has at most ${MAX_KEY_LENGTH} characters` });
  if (key === "") errors.push({ field, code: "too_small", message: "A key has at least one character" });
  const value = asWrapped(given)?.value ?? given;
  if (key === "locale" && value !== null && typeof value !== "string") {
    errors.push({ field, code: "invalid_type", message: "The locale is a string, such as en or pt-BR" });
  }
  if (hasOverflow(value, MAX_DEPTH))
    errors.push({
      field,
      code: "too_big",
      message: "A number is too large to be kept exactly: send it as text",
    });
  if (isDeeper(value, MAX_DEPTH)) {
    const message = `A value is nested at most ${MAX_DEPTH} levels deep`;
    errors.push({ field, code: "custom", message });
  }
  return errors;
}

/** Turns the database's refusal of data that has grown too large into the API's. Anything else is rethrown. */
export function dataProblem(error: unknown): unknown {
  return violatedConstraint(error) === "contacts_data_size" ? dataTooLarge() : error;
}

/** The message about data that has grown too large. */
export function dataTooLarge(): Problem {
  return problems.invalid([tooLarge("data")]);
}

function tooLarge(field: string): FieldError {
  return { field, code: "too_big", message: `The data of one contact has at most ${MAX_BYTES / 1024} KB` };
}

function asWrapped(given: unknown): { value: unknown; persistent: boolean } | null {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return null;
  const { value, persistent } = given as { value?: unknown; persistent?: unknown };
  return "value" in given && typeof persistent === "boolean" ? { value, persistent } : null;
}

/** Sets an own property, whatever its name: `object["__proto__"] = …` would not. */
function define(object: DataInput, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}
