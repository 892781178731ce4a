// The OpenAPI document as TypeScript: every named schema as a type, and for each `METHOD /path` its path, query, body and
// answer. What a client that is generated from the document can know.

interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  not?: Schema;
  enum?: unknown[];
  const?: unknown;
  additionalProperties?: boolean | Schema;
  $ref?: string;
}

type Content = Record<string, { schema?: Schema }>;

interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  security?: Record<string, unknown>[];
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
}

/** What of the document is read. */
export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** The document as TypeScript: the types of its schemas, and `Api`. */
export function apiTypes({ paths, components }: ApiDocument): string {
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `export type ${name} = ${type(schema)};`,
  );
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => `  "${method.toUpperCase()} ${path}": ${entry(operation)};`,
    ),
  );
  const head = "// Generated from the OpenAPI document by `bun run api:types`: do not edit.";
  return [head, ...schemas, "export interface Api {", ...operations, "}", ""].join("\n");
}

function entry({ parameters = [], requestBody, responses }: Operation): string {
  const group = (place: string) => {
    const found = parameters.filter((parameter) => parameter.in === place);
    if (found.length === 0) return [];
    const isRequired = found.some(({ required }) => required);
    const fields = found.map(
      ({ name, required, schema }) => `${key(name)}${required ? "" : "?"}: ${type(schema)}`,
    );
    return [`${place}${isRequired ? "" : "?"}: { ${fields.join("; ")} }`];
  };
  const body = requestBody?.content["application/json"]?.schema;
  const answers = Object.entries(responses).filter(([status]) => status.startsWith("2"));
  const answer = answers.map(([, { content }]) => (content ? answerType(content) : "undefined"));
  const parts = [
    ...group("path"),
    ...group("query"),
    ...(body ? [`body${requestBody!.required ? "" : "?"}: ${type(body)}`] : []),
    ...(requestBody && !body
      ? [`body: ${requestBody.content["multipart/form-data"] ? "FormData" : "Blob"}`]
      : []),
    `answer: ${[...new Set(answer)].join(" | ") || "undefined"}`,
  ];
  return `{ ${parts.join("; ")} }`;
}

/** JSON as what it is, and any other text as a string: a file of values, a page. */
function answerType(content: Content): string {
  if (content["application/json"]) return type(content["application/json"].schema ?? {});
  return Object.keys(content).some((media) => media.startsWith("text/")) ? "string" : "unknown";
}

function type(schema: Schema): string {
  if (schema.not) return "never";
  if (schema.$ref) return schema.$ref.split("/").at(-1)!;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.allOf) return schema.allOf.map((part) => `(${type(part)})`).join(" & ");
  const many = schema.anyOf ?? schema.oneOf;
  if (many) return [...new Set(many.map(type))].join(" | ");
  if (Array.isArray(schema.type)) return schema.type.map((one) => type({ ...schema, type: one })).join(" | ");
  switch (schema.type) {
    case "string":
    case "boolean":
    case "null":
      return schema.type;
    case "integer":
    case "number":
      return "number";
    case "array":
      return `(${type(schema.items ?? {})})[]`;
    case "object":
      return object(schema);
    default:
      return "unknown";
  }
}

function object({ properties = {}, required = [], additionalProperties }: Schema): string {
  const fields = Object.entries(properties).map(
    ([name, schema]) => `${key(name)}${required.includes(name) ? "" : "?"}: ${type(schema)}`,
  );
  if (fields.length > 0) return `{ ${fields.join("; ")} }`;
  if (additionalProperties === undefined) return "Record<string, never>";
  const values = typeof additionalProperties === "object" ? type(additionalProperties) : "unknown";
  return `Record<string, ${values}>`;
}

const key = (name: string) => (/^[a-zA-Z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
