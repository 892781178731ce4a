// What a tool takes, as JSON Schema, made from the operation that it calls.
import type { ApiDescription, JsonSchema, KnownOperation } from "./operations.ts";

/** What a tool is called with: an object. */
export interface ToolSchema extends JsonSchema {
  type: "object";
  properties: Record<string, JsonSchema>;
}

/** Schemas that are long and contain themselves: their guide explains them better. */
const EXPLAINED: Record<string, string> = {
  Condition:
    'A condition tree: {"logic": "AND" | "OR", "groups": [{"filters": [{"field", "operator", "value", "unit"}]}]}. Fields and operators are in the resource postrider://guides/segments, and the tool list_operators.',
};
/** What only the API needs to check: a refusal names it. A model reads all of a schema before it calls anything. */
const LEFT_OUT = new Set(
  "example examples title default pattern format minLength maxLength minItems maxItems minimum maximum additionalProperties".split(
    " ",
  ),
);
const MAX_DEPTH = 8;
const MAX_DESCRIPTION = 160;

/** Path and query by their names, and the body as `body`. The project is that of the key: it is not asked for. */
export function toolSchema(operation: KnownOperation, { components }: ApiDescription): ToolSchema {
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const { name, in: place, required: isRequired, description, schema } of operation.parameters ?? []) {
    if ((place !== "path" && place !== "query") || isOfProject(operation, name)) continue;
    properties[name] = { ...plain(schema, components.schemas), ...(description && { description }) };
    if (isRequired || place === "path") required.push(name);
  }
  const body = operation.requestBody?.content["application/json"]?.schema;
  if (body) properties.body = plain(body, components.schemas);
  if (body && operation.requestBody!.required) required.push("body");
  return { type: "object", properties, required, additionalProperties: false };
}

/** The parameters that name the project itself. */
export function isOfProject({ path }: KnownOperation, name: string): boolean {
  return name === "projectId" || (name === "id" && path.startsWith("/projects/{id}"));
}

/** Without references, which a tool cannot have, and as short as it can be. */
function plain(schema: JsonSchema, schemas: Record<string, JsonSchema>, depth = 0): JsonSchema {
  const name = schema.$ref?.split("/").at(-1);
  if (name && EXPLAINED[name]) return { type: "object", description: EXPLAINED[name] };
  if (depth > MAX_DEPTH) return {};
  if (name) return plain(schemas[name]!, schemas, depth);
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== "object" || value === null) return value;
    return plain(value as JsonSchema, schemas, depth + 1);
  };
  const parts = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    if (keyword === "properties") {
      const fields = Object.entries(value as Record<string, JsonSchema>);
      return [[keyword, Object.fromEntries(fields.map(([field, type]) => [field, walk(type)]))]];
    }
    if (LEFT_OUT.has(keyword) || keyword.startsWith("x-")) return [];
    if (keyword === "description") return [[keyword, String(value).slice(0, MAX_DESCRIPTION)]];
    return [[keyword, walk(value)]];
  });
  return Object.fromEntries(parts);
}
