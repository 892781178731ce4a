import { templateErrors } from "../../content/handlebars/errors.ts";
import type { FieldError } from "../../problem/mod.ts";

/** What is wrong with the templates that the strings of a JSON value are. */
export function textsFaults(field: string, value: unknown): FieldError[] {
  if (typeof value === "string") return templateErrors(field, value);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => textsFaults(`${field}.${key}`, inner));
}
