// The fields of contacts, as people read them.
import { Time } from "./time.tsx";

/** What a value is. What is none of the first four is kept and edited as JSON. */
export type FieldKind = "text" | "number" | "boolean" | "date" | "json";

const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** What kind of value this is. */
export function kindOf(value: unknown): FieldKind {
  if (typeof value === "string") return isDate(value) ? "date" : "text";
  if (typeof value === "number") return "number";
  return typeof value === "boolean" ? "boolean" : "json";
}

/** `firstName` as `First name`. */
export function fieldName(key: string): string {
  if (!/^[a-z][a-zA-Z0-9]*$/.test(key) && !/^[a-z0-9]+(_[a-z0-9]+)*$/.test(key)) return key;
  const words = key
    .replaceAll("_", " ")
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A value in a cell. A day that is meant as a day has no time. */
export function FieldValue({ value }: { value: unknown }) {
  if (value === undefined || value === null || value === "") return <span data-none>–</span>;
  if (typeof value === "boolean") return <>{value ? "Yes" : "No"}</>;
  if (typeof value === "string" && isDate(value) && value.length > 10) return <Time at={value} />;
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return <span title={text}>{text}</span>;
}

function isDate(text: string): boolean {
  return DATE.test(text) && !Number.isNaN(Date.parse(text));
}
