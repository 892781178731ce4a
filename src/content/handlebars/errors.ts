import type { FieldError } from "../../problem/mod.ts";
import { checkTemplate, type TemplateError } from "./mod.ts";

/** What is wrong with a template, as the error of a field; nothing for a source that is fine or not there. */
export function templateErrors(field: string, source: string | undefined): FieldError[] {
  const error = source === undefined ? null : checkTemplate(source);
  return error ? [toFieldError(field, error)] : [];
}

/** A fault of a template as the error of a field, with its place. */
export function toFieldError(field: string, { message, line, column }: TemplateError): FieldError {
  return { field, code: "custom", message: `${message} (line ${line}, column ${column})`, line, column };
}
