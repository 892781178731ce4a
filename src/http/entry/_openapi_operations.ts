// What the document says of one operation, beyond what the generator finds in its route.
import { OptionalKind } from "@sinclair/typebox";
import { roleNeeded } from "../../accounts/projects/roles.ts";
import { isForm } from "./form.ts";
import { streamedType } from "./stream_body.ts";
import { meaningOf } from "./_openapi_parameters.ts";
import { REFUSALS_BESIDE } from "./schemas.ts";

type Schema = Record<string, unknown>;

interface Parameter {
  name: string;
  in: string;
  description?: string;
  schema: Schema;
  [field: string]: unknown;
}

interface Response {
  description: string;
  headers?: Record<string, unknown>;
  content?: Record<string, { schema: unknown; example?: unknown }>;
}

/** An operation of the document. */
export interface Operation {
  description?: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: unknown; example?: unknown }>; required?: boolean };
  responses?: Record<string, Response>;
  security?: Record<string, string[]>[];
  [field: string]: unknown;
}

/** What a route says of itself, as Elysia keeps it. */
export interface RouteHooks {
  body?: object;
  detail?: Schema;
  response?: Record<string, Schema>;
}

/** Who may call a project endpoint: the holder of its key, or a member who names the project. */
const OF_PROJECT = [{ secretKey: [] }, { session: [], projectId: [] }];

const REFUSALS: Record<string, string> = {
  400: "Malformed, or an invalid parameter",
  401: "No key, an unknown key, or the wrong kind of key",
  402: "A billing limit is reached",
  403: "Not allowed: the project is disabled, or the sender domain is not verified",
  404: "Not found",
  409: "In conflict with the current state",
  412: "Somebody else has changed it since: `details` says who",
  413: "The body is too large",
  415: "The content type of the body is not accepted",
  422: "Validation failed: `errors` lists every field",
  429: "The rate limit is reached: retry after `details.retryAfter` seconds",
  500: "Something unexpected went wrong",
  501: "This installation is not configured for this: `suggestion` names the setting",
  503: "The database is away: nothing was changed",
};

const integer = (description: string) => ({ description, schema: { type: "integer" } });

const text = (description: string) => ({ description, schema: { type: "string" } });

/** The headers of answers. */
export const HEADERS = {
  "X-Request-Id": {
    description:
      "The id of the request, in every response and in the log. If the request sends a UUID, it is used.",
    schema: { type: "string", format: "uuid" },
  },
  "RateLimit-Limit": integer("Requests that the project may make in a minute."),
  "RateLimit-Remaining": integer("How many of them are left."),
  "RateLimit-Reset": integer("Seconds until the next minute begins."),
  RateLimit: text('What is left, as in the draft of the IETF: `"minute";r=<requests>;t=<seconds>`.'),
  "RateLimit-Policy": text('The limit, as in the draft of the IETF: `"minute";q=<requests>;w=60`.'),
  "Retry-After": integer("Seconds after which to try again."),
  ETag: text(
    "Of what people edit of it: send it as `If-Match` with a change, and no change of others is lost.",
  ),
};

const REQUEST_ID = { "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" } };
const RATE_LIMIT = Object.fromEntries(
  ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "RateLimit", "RateLimit-Policy"].map(
    (name) => [name, { $ref: `#/components/headers/${name}` }],
  ),
);
/** What people edit: making, reading and changing it answer with its tag. */
const NOUNS = "(templates|campaigns|segments|workflows)";
const EDITED = new RegExp(
  `^(\\w+ /${NOUNS}/:id(/graph)?|POST /${NOUNS}/?(:id/duplicate|:id/versions/:version/restore)?)$`,
);
const ETAG = { ETag: { $ref: "#/components/headers/ETag" } };
const RETRY_AFTER = { "Retry-After": { $ref: "#/components/headers/Retry-After" } };

/** A request that was made, and its answer. */
export interface Example {
  request?: unknown;
  status: number;
  answer?: unknown;
}

/** Puts an example beside the schemas of its request and its answer. */
export function addExample(operation: Operation, { request, status, answer }: Example): void {
  const body = operation.requestBody?.content["application/json"];
  if (body && request !== undefined) body.example = request;
  const response = operation.responses?.[status]?.content?.["application/json"];
  if (response && answer !== undefined) response.example = answer;
}

/** Adds what the generator does not know: the body, refusals, headers, and who may call it. */
export function completeOperation(
  operation: Operation,
  hooks: RouteHooks,
  route: { method: string; path: string },
): void {
  // A body that is read late (after the key is known) is of no known type for the generator.
  if (hooks.body) {
    operation.requestBody = {
      required: !(OptionalKind in hooks.body),
      content: { [mediaTypeOf(hooks.body)]: { schema: hooks.body } },
    };
  }
  for (const parameter of operation.parameters ?? []) describeParameter(parameter, route.path);
  operation.security ??= route.path === "/v1/track" ? [{ publicKey: [] }] : OF_PROJECT;
  const caller = whoMayCall(operation.security, route);
  operation.description = [operation.description, caller].filter(Boolean).join("\n\n");
  const responses = (operation.responses ??= {});
  addRefusals(responses, hooks.response ?? {});
  for (const [status, response] of Object.entries(responses)) {
    describeResponse(status, response, operation.security.length > 0);
    if (/^20[01]$/.test(status) && EDITED.test(`${route.method} ${route.path}`))
      response.headers = { ...response.headers, ...ETAG };
  }
}

/** Said of the parameter itself: tools do not look for it in the schema. */
function describeParameter(parameter: Parameter, path: string): void {
  const { description, ...schema } = parameter.schema;
  if (typeof description === "string") parameter.description ??= description;
  const meaning = parameter.description ?? meaningOf(parameter.name, path);
  if (meaning !== undefined) parameter.description = meaning;
  parameter.schema = schema;
}

function whoMayCall(
  security: Record<string, string[]>[],
  { method, path }: { method: string; path: string },
) {
  if (security.length === 0) return "Needs no key.";
  const role = roleNeeded(method, path);
  const ofRole = role === "MEMBER" ? "" : role === "ADMIN" ? " of an owner or admin" : " of an owner";
  const ways = security.map((way) => {
    if ("publicKey" in way) return "the public key";
    if ("secretKey" in way) return "the secret key";
    return "projectId" in way ? `a session${ofRole} with \`X-Project-Id\`` : `a session${ofRole}`;
  });
  return `Takes ${ways.join(", or ")}.`;
}

function describeResponse(status: string, response: Response, isKeyed: boolean): void {
  response.description = REFUSALS[status] ?? (status === "204" ? "Done" : "Done: here is the result");
  const given = response.content?.["application/json"]?.schema ?? {};
  if (status in REFUSALS && Object.keys(given).length === 0) {
    response.content = { "application/json": { schema: { $ref: "#/components/schemas/Problem" } } };
  }
  if (status === "204") delete response.content;
  const isLimited = isKeyed && (status.startsWith("2") || status === "429");
  response.headers = {
    ...REQUEST_ID,
    ...(isLimited && RATE_LIMIT),
    ...((status === "429" || status === "503") && RETRY_AFTER),
  };
}

/** Adds the refusals beside each schema; a route may have described one itself. */
function addRefusals(responses: Record<string, Response>, schemas: Record<string, Schema>): void {
  for (const [status, schema] of Object.entries(schemas)) {
    delete (responses[status]?.content?.["application/json"]?.schema as Schema | undefined)?.[
      REFUSALS_BESIDE
    ];
    for (const refusal of (schema[REFUSALS_BESIDE] ?? []) as number[])
      responses[refusal] ??= { description: "", content: { "application/json": { schema: {} } } };
  }
}

function mediaTypeOf(body: object): string {
  return streamedType(body) ?? (isForm(body) ? "multipart/form-data" : "application/json");
}
