// Values of fields as somebody types them.
import type { FieldKind } from "../../parts/field_value.tsx";

/** The words of the kinds, in the order of the menu. */
export const KINDS: { value: FieldKind; label: string }[] = [
  { value: "text", label: "Text" },
  { value: "number", label: "Number" },
  { value: "boolean", label: "Yes or no" },
  { value: "date", label: "Date" },
  { value: "json", label: "JSON" },
];

/** A value as text to be edited. */
export function writeText(kind: FieldKind, value: unknown): string {
  if (value === undefined || value === null) return "";
  if (kind === "boolean") return value === true ? "true" : "false";
  return kind === "json" ? JSON.stringify(value) : String(value);
}

/** The value that a text means, or what is wrong with it. */
export function readText(kind: FieldKind, text: string): { value?: unknown; error?: string } {
  switch (kind) {
    case "number": {
      const number = Number(text.trim().replace(",", "."));
      if (text.trim() === "" || !Number.isFinite(number)) return { error: "This is not a number" };
      return { value: number };
    }
    case "boolean":
      return { value: text === "true" };
    case "date":
      return text === "" || Number.isNaN(Date.parse(text))
        ? { error: "This is not a date" }
        : { value: text };
    case "json":
      try {
        return { value: JSON.parse(text) };
      } catch {
        return { error: 'This is not JSON, such as ["a", "b"]' };
      }
    default:
      return { value: text };
  }
}
