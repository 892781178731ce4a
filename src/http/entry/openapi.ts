// The OpenAPI document, made from the routes themselves.
//
// From the part of the package that generates it: its main entry loads two more validation libraries, which replace
// formats (`email`, `uuid`, …) that bodies are checked with.
import { toOpenAPISchema } from "@elysiajs/openapi/openapi";
import type { AnyElysia } from "elysia";
import type { Config } from "../../config.ts";
import { VERSION } from "../../version.ts";
import { isForm } from "./form.ts";
import { BareError, ProblemEnvelope, REFUSALS_BESIDE } from "./schemas.ts";
import { ownCookie, SESSION_COOKIE } from "./session.ts";

type Schema = Record<string, unknown>;

interface Operation {
  requestBody?: { content: Record<string, { schema: unknown }>; required?: boolean };
  responses?: Record<string, { description: string; content?: Record<string, { schema: unknown }> }>;
  security?: Record<string, string[]>[];
  [field: string]: unknown;
}

const credentials = (config: Config) => ({
  secretKey: { type: "http", scheme: "bearer", description: "The secret key of the project: `sk_…`" },
  publicKey: {
    type: "http",
    scheme: "bearer",
    description: "The public key of the project: `pk_…`, for `/v1/track` only",
  },
  session: {
    type: "apiKey",
    in: "cookie",
    name: ownCookie({ config }, SESSION_COOKIE),
    description:
      "Set by `POST /auth/login`. What changes something has to come from our origin or a dashboard's.",
  },
  projectId: { type: "apiKey", in: "header", name: "X-Project-Id", description: "Which project is meant" },
});

/** Who may call a project endpoint: the holder of its key, or a member who names the project. */
const OF_PROJECT = [{ secretKey: [] }, { session: [], projectId: [] }];

const REFUSALS: Record<string, string> = {
  400: "Malformed, or a parameter that cannot be used",
  401: "No key, an unknown key, or the wrong kind of key",
  402: "A billing limit is reached",
  403: "Not allowed: the project is disabled, or the sender domain is not verified",
  404: "Not found",
  409: "In conflict with what is there",
  413: "The body is too large",
  415: "The body is of a type that is not read here",
  422: "Validation failed: `errors` lists every field",
  429: "The rate limit is reached: `details.retryAfter` says when to come back",
  500: "Something unexpected went wrong",
  501: "This installation lacks what is needed: `suggestion` says which setting",
  503: "The database is away: nothing was changed",
};

/** The document for these routes, as OpenAPI 3.1. Routes with `detail.hide` are left out. */
export function openApiDocument(app: AnyElysia, config: Config) {
  const made = toOpenAPISchema(app) as unknown as { paths: Record<string, Record<string, Operation>> };
  const paths = Object.fromEntries(
    Object.entries(made.paths).map(([path, item]) => [withoutSlash(path), item]),
  );
  for (const route of app.routes) {
    const operation =
      paths[withoutSlash(route.path.replace(/:(\w+)/g, "{$1}"))]?.[route.method.toLowerCase()];
    if (operation) complete(operation, route.hooks, route.path);
  }
  return asJsonSchema({
    openapi: "3.1.0",
    info: {
      title: "Postrider",
      version: VERSION,
      description: "An email service that needs nothing but Postgres.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: config.BASE_URL }],
    paths,
    components: { securitySchemes: credentials(config), schemas: { Problem: ProblemEnvelope } },
  });
}

/** Drops what is only for the validator, and shows free-form data as the object it is. */
function asJsonSchema<T extends object>(document: T): T {
  return JSON.parse(JSON.stringify(document), (_key, value: Schema | null) => {
    if (!value?.["x-any-object"]) return value;
    const values = value["x-any-object"] === true ? true : { type: value["x-any-object"] };
    return { ...value, type: "object", additionalProperties: values, "x-any-object": undefined };
  }) as T;
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

function mediaTypeOf(body: object): string {
  return isForm(body) ? "multipart/form-data" : "application/json";
}

function complete(
  operation: Operation,
  hooks: { body?: object; detail?: Schema; response?: Record<string, Schema> },
  path: string,
): void {
  // A body that is read late (after the key is known) is of no known type for the generator.
  if (hooks.body)
    operation.requestBody = {
      required: true,
      content: { [mediaTypeOf(hooks.body)]: { schema: openObjects(hooks.body) } },
    };
  addRefusals((operation.responses ??= {}), hooks.response ?? {});
  for (const [status, response] of Object.entries(operation.responses)) {
    response.description = REFUSALS[status] ?? (status === "204" ? "Done" : "Done: here is the result");
    const { title } = (response.content?.["application/json"]?.schema ?? {}) as Schema;
    if (status in REFUSALS && title !== BareError.title) {
      response.content = { "application/json": { schema: { $ref: "#/components/schemas/Problem" } } };
    }
  }
  operation.security ??= path === "/v1/track" ? [{ publicKey: [] }] : OF_PROJECT;
}

/** Adds the refusals beside each schema; a route may have described one itself. */
function addRefusals(responses: NonNullable<Operation["responses"]>, schemas: Record<string, Schema>): void {
  for (const [status, schema] of Object.entries(schemas)) {
    delete (responses[status]?.content?.["application/json"]?.schema as Schema | undefined)?.[
      REFUSALS_BESIDE
    ];
    for (const refusal of (schema[REFUSALS_BESIDE] ?? []) as number[])
      responses[refusal] ??= { description: "", content: { "application/json": { schema: {} } } };
  }
}

/** The schema of a body without `additionalProperties: false`, which Elysia adds: unknown fields are ignored here. */
function openObjects(schema: object): object {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === "additionalProperties" && value === false ? undefined : value,
  ) as object;
}
