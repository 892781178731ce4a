// What the reference page reads of the OpenAPI document.

/** JSON Schema, as far as the page shows it. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  [keyword: string]: unknown;
}

/** A parameter of an operation. */
export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Schema;
}

type Content = Record<string, { schema?: Schema; example?: unknown }>;

/** An operation, with its path and method. */
export interface ReferenceOperation {
  method: string;
  path: string;
  operationId: string;
  summary: string;
  description: string;
  tag: string;
  parameters: Parameter[];
  security: Record<string, string[]>[];
  body: { type: string; schema: Schema; example?: unknown; required: boolean } | null;
  responses: { status: string; description: string; schema?: Schema | undefined; example?: unknown }[];
}

/** The document, in the order of its tags. */
export interface ReferenceDocument {
  version: string;
  server: string;
  cookie: string;
  schemas: Record<string, Schema>;
  groups: { tag: string; description: string; operations: ReferenceOperation[] }[];
}

interface OpenApi {
  info: { version: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, RawOperation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: { session: { name: string } } };
}

interface RawOperation {
  operationId: string;
  summary: string;
  description?: string;
  tags?: string[];
  parameters?: Parameter[];
  security?: Record<string, string[]>[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { description: string; content?: Content }>;
}

/** The document as the page needs it. */
export function readDocument(document: object): ReferenceDocument {
  const { info, servers, tags, paths, components } = document as OpenApi;
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, raw]) => operationOf(method.toUpperCase(), path, raw)),
  );
  return {
    version: info.version,
    server: servers[0]!.url,
    cookie: components.securitySchemes.session.name,
    schemas: components.schemas,
    groups: tags
      .map(({ name, description }) => ({
        tag: name,
        description,
        operations: all.filter(({ tag }) => tag === name),
      }))
      .filter(({ operations }) => operations.length > 0),
  };
}

function operationOf(method: string, path: string, raw: RawOperation): ReferenceOperation {
  const [body] = Object.entries(raw.requestBody?.content ?? {});
  return {
    method,
    path,
    operationId: raw.operationId,
    summary: raw.summary,
    description: raw.description ?? "",
    tag: raw.tags?.[0] ?? "",
    parameters: raw.parameters ?? [],
    security: raw.security ?? [],
    body: body
      ? {
          type: body[0],
          schema: body[1].schema ?? {},
          example: body[1].example,
          required: raw.requestBody?.required ?? false,
        }
      : null,
    responses: Object.entries(raw.responses).map(([status, { description, content }]) => {
      const [answer] = Object.values(content ?? {});
      return { status, description, schema: answer?.schema, example: answer?.example };
    }),
  };
}

/** The schema that a reference refers to, and its name; any other schema as it is. */
export function resolve(schema: Schema, schemas: Record<string, Schema>): { schema: Schema; name?: string } {
  const name = schema.$ref?.split("/").at(-1);
  return name === undefined ? { schema } : { schema: schemas[name] ?? {}, name };
}
