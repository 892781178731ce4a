// What routes tell the OpenAPI document besides what the validator needs.
import type { TSchema } from "@sinclair/typebox";
import { Kind, TypeRegistry } from "@sinclair/typebox";
import { t } from "elysia";
import { DOCUMENT_KEYS } from "./_openapi_schemas.ts";

/** A value that our own code checks, and its JSON Schema for the document. */
export function documented<T extends TSchema>(schema: T, document: Record<string, unknown>): T {
  const { description } = schema;
  return Object.assign({}, schema, {
    [DOCUMENT_KEYS.instead]: { ...(description !== undefined && { description }), ...document },
  });
}

/** Fields that the document requires, though the service refuses their absence in a way of its own. */
export function requiredFields<T extends TSchema>(schema: T, fields: string[]): T {
  return Object.assign({}, schema, { [DOCUMENT_KEYS.required]: fields });
}

/** One of these words in a query; any other counts as `fallback` (the specification), so the document lists them. */
export const LenientWord = (words: readonly string[], fallback: string) =>
  t.Optional(
    t.Unsafe<string>({
      [Kind]: "LenientWord",
      type: "string",
      enum: [...words],
      description: `Default: \`${fallback}\`, also for any other value.`,
    }),
  );
TypeRegistry.Set("LenientWord", (_schema, value) => typeof value === "string");

/** For the document: a field that excludes the others. */
export const Absent = t.Optional(t.Unsafe<undefined>({ [Kind]: "Absent", not: {} }));

/** A condition tree, where one is taken or shown. */
export const CONDITION_REF = { $ref: "#/components/schemas/Condition" };
