// Values that a schema of the document allows, and no others: patterns are solved, and alternatives are kept apart.
import fc from "fast-check";
import type { Schema } from "./fuzz_values.ts";

/** Where values come from that a schema cannot invent. */
export interface Known {
  ids: readonly string[];
  /** Addresses that may stand wherever one is asked for. */
  emails: readonly string[];
  resolve(ref: string): Schema;
}

/** A schema, with the keywords that only some of the document's have. */
type WholeSchema = Schema & {
  not?: unknown;
  dependentRequired?: Record<string, string[]>;
  maxItems?: number;
};

/** Deeper than this a value is as small as it can be. */
const MAX_DEPTH = 7;
const SMALL = 3;

/** Small values of a schema. */
export function allowedBy(given: Schema, known: Known, depth = 0): fc.Arbitrary<unknown> {
  const schema: WholeSchema = given.$ref ? known.resolve(given.$ref) : given;
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const branches = (schema.anyOf ?? schema.oneOf)?.filter((branch) => !("not" in branch));
  if (branches) {
    // The last one is the one that goes on: a group of a condition holds filters, or another condition.
    const open = depth < MAX_DEPTH ? branches : branches.slice(0, 1);
    return fc.oneof(...open.map((branch) => allowedBy(branch, known, depth + 1)));
  }
  const types = [schema.type ?? []].flat();
  if (types.length > 1) return fc.oneof(...types.map((type) => allowedBy({ ...schema, type }, known, depth)));
  switch (types[0]) {
    case "object":
      return objectBy(schema, known, depth);
    case "array": {
      const minLength = schema.minItems ?? 0;
      const maxLength = Math.min(schema.maxItems ?? Infinity, minLength + (depth < MAX_DEPTH ? 2 : 0));
      return fc.array(allowedBy(schema.items ?? {}, known, depth + 1), { minLength, maxLength });
    }
    case "integer":
      return fc.integer({ min: schema.minimum ?? -SMALL, max: Math.min(schema.maximum ?? 99, 99) });
    case "number":
      return fc.constantFrom(...[0, 1.5, -2].filter((n) => n >= (schema.minimum ?? -2)));
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "string":
      return textBy(schema, known);
    default:
      return fc.constantFrom<unknown>("pro", 42, true, ["a"], { a: 1 });
  }
}

function objectBy(schema: WholeSchema, known: Known, depth: number): fc.Arbitrary<unknown> {
  const { properties, required = [], additionalProperties, dependentRequired = {} } = schema;
  if (!properties) {
    const isText = typeof additionalProperties === "object" && additionalProperties.type === "string";
    return isText
      ? fc.constantFrom({}, { "X-A": "b" })
      : fc.constantFrom({}, { plan: "pro" }, { age: 42, tags: ["a"] });
  }
  const possible = Object.entries(properties).filter(
    ([name, inner]) => !("not" in inner) && (depth < MAX_DEPTH || required.includes(name)),
  );
  const fields = Object.fromEntries(
    possible.map(([name, inner]) => [name, allowedBy(inner, known, depth + 1)]),
  );
  return fc.record(fields, { requiredKeys: required }).map((value) => {
    const lacks = Object.entries(dependentRequired).filter(
      ([name, others]) => name in value && others.some((other) => !(other in value)),
    );
    return Object.fromEntries(
      Object.entries(value).filter(([name]) => !lacks.some(([lacking]) => lacking === name)),
    );
  });
}

function textBy(schema: WholeSchema, { ids, emails }: Known): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = Infinity, pattern, examples } = schema;
  const fits = (text: string) => text.length >= minLength && text.length <= maxLength;
  switch (schema.format) {
    case "uuid":
      return fc.constantFrom(...ids);
    case "email":
      return fc.constantFrom(...emails);
    case "date-time":
      return fc.constantFrom("2031-01-31T09:00:00Z", "2030-02-28T23:59:59.999+02:00");
    case "uri":
      return fc.constant("https://example.com/x");
  }
  if (examples?.length) return fc.constantFrom(...(examples as string[]));
  // Braces would be those of a template.
  if (pattern !== undefined)
    return fc
      .stringMatching(new RegExp(pattern))
      .map((text) => text.replace(/[{}]/g, "x"))
      .filter(fits);
  return fc
    .string({ minLength, maxLength: Math.min(maxLength, minLength + 12) })
    .map((text) => text.replace(/[{}]/g, "x"));
}
