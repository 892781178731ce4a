// Turns the schemas of routes into those of the document: plain JSON Schema (draft 2020-12, as OpenAPI 3.1 has it), with
// every named one in one place.

type Schema = Record<string, unknown>;

/** What a schema says to the document alone. */
export const DOCUMENT_KEYS = {
  /** Shown in its place: JSON Schema for what our own code checks. */
  instead: "x-document",
  /** Fields that are required, though the service answers their absence in a way of its own. */
  required: "x-required",
  /** An object with any keys: true, or the type of its values. */
  anyObject: "x-any-object",
} as const;

/**
 * A copy of the document without what is only for the validator, and without the `additionalProperties: false` that
 * Elysia adds to a schema once its route is compiled: unknown fields of a body are ignored.
 */
export function asJsonSchema<T extends object>(document: T): T {
  return JSON.parse(JSON.stringify(document), (_key, value: Schema | null) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    if (DOCUMENT_KEYS.instead in value) return value[DOCUMENT_KEYS.instead];
    const { [DOCUMENT_KEYS.anyObject]: anyObject, [DOCUMENT_KEYS.required]: required, ...rest } = value;
    if (anyObject !== undefined) {
      return {
        ...rest,
        type: "object",
        additionalProperties: anyObject === true ? true : { type: anyObject },
      };
    }
    // The plugin writes "or null" as a second type, and leaves the list of values as it was.
    if (Array.isArray(rest.enum) && Array.isArray(rest.type) && rest.type.includes("null"))
      rest.enum = [...rest.enum, null];
    if (rest.additionalProperties === false) delete rest.additionalProperties;
    if (rest.format === "header-text") rest.pattern = rest.pattern === "\\S" ? FILLED_LINE : LINE;
    if (typeof rest.format === "string" && rest.type === "string") rest.format = FORMATS[rest.format];
    return required === undefined ? rest : { ...rest, required };
  }) as T;
}

/** Formats that others know, by ours. */
const FORMATS: Record<string, string> = {
  email: "email",
  "email-or-empty": "email",
  uuid: "uuid",
  "date-time": "date-time",
  binary: "binary",
  uri: "uri",
};

/** Text in one line, and the same with something in it. */
const LINE = "^[^\\r\\n\\u0000]*$";
const FILLED_LINE = "^[^\\r\\n\\u0000]*[^\\s\\u0000][^\\r\\n\\u0000]*$";

const NAME = /^[A-Z][A-Za-z]+$/;

/**
 * Moves every schema with a name as its `title` to the components, and leaves a reference in its place. Throws if two
 * that differ have the same name.
 */
export function hoistSchemas<T>(node: T, components: Record<string, Schema>): T {
  if (typeof node !== "object" || node === null) return node;
  if (Array.isArray(node)) return node.map((item) => hoistSchemas(item, components)) as T;
  const inner = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      isOpaque(key) ? value : hoistSchemas(value, components),
    ]),
  ) as Schema;
  const { title, ...schema } = inner;
  if (typeof title !== "string" || !NAME.test(title) || !isSchema(schema)) return inner as T;
  const known = components[title];
  if (known && !Bun.deepEquals(known, schema))
    throw new Error(
      `Two schemas of the document are named ${title}: ${JSON.stringify(known)} ${JSON.stringify(schema)}`,
    );
  components[title] = schema;
  return { $ref: `#/components/schemas/${title}` } as T;
}

/** Values, and not schemas. */
function isOpaque(key: string): boolean {
  return key === "example" || key === "examples" || key === "enum" || key === "default";
}

function isSchema(node: Schema): boolean {
  return "type" in node || "anyOf" in node || "oneOf" in node || "$ref" in node;
}
