// /requests: what was asked of the API for a project, and how it was answered.
import { Elysia, t } from "elysia";
import type { Context } from "../../context.ts";
import { getRequest, KEPT_DAYS, listRequests, type RequestFilter } from "../../insight/requests/mod.ts";
import { problems } from "../../problem/mod.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { withRules } from "../entry/field_errors.ts";
import {
  answers,
  CaselessWords,
  Int,
  isUuid,
  Nullable,
  PathId,
  Text,
  Timestamp,
  Uuid,
  Words,
} from "../entry/schemas.ts";
import { clampLimit, CursorQuery, readIdCursor, toCursor } from "./_lists.ts";
import { periodErrors, readPeriod, SpanQuery } from "./_periods.ts";

const Made = {
  id: Uuid,
  requestId: t.String({
    format: "uuid",
    description: "The `X-Request-Id` of the response: the same as `id`, unless the caller chose it.",
  }),
  createdAt: Timestamp,
  method: t.String(),
  path: t.String({ description: "With the query, and without secrets.", examples: ["/contacts?limit=5"] }),
  route: t.String({ examples: ["/contacts/:id"] }),
  status: Int,
  code: Nullable(t.String({ description: "Why it was refused, as in the response." })),
  message: Nullable(t.String()),
  durationMs: t.Number(),
  key: Nullable(
    t.Object({
      kind: Words(["secret", "public"]),
      id: Nullable(t.String({ format: "uuid", description: "Null for a key of the pair." })),
      name: Nullable(t.String()),
      hint: t.String({ description: "The last characters of the key." }),
    }),
  ),
  user: Nullable(
    t.Object(
      { id: Uuid, email: Nullable(t.String({ description: "Null if the account was deleted." })) },
      { description: "Whose session it was." },
    ),
  ),
  userAgent: Nullable(t.String()),
  leftOut: t.Integer({
    description: "Requests since the previous entry that were not logged, because there were too many.",
  }),
};

const LoggedRequest = t.Object(Made, { title: "LoggedRequest" });

const RequestDetails = t.Object(
  {
    ...Made,
    errors: Nullable(
      t.Array(t.Object({ field: t.String(), code: t.String(), message: t.String() }), {
        description: "The errors, by field.",
      }),
    ),
    body: Nullable(
      t.String({
        description:
          "The JSON body of a refused request: up to 4 KB, secrets replaced by `[removed]`. Null if it was not kept.",
      }),
    ),
  },
  { title: "RequestDetails" },
);

const Query = withRules(
  t.Object({
    ...CursorQuery,
    status: t.Optional(
      Text({
        maxLength: 3,
        pattern: "^[1-5]([0-9]{2}|xx)$",
        expected: "Expected a status such as 404, or a class of them such as 4xx",
        description: "A status, such as `404`, or a class of them, such as `4xx`.",
        examples: ["4xx"],
      }),
    ),
    method: t.Optional(
      CaselessWords(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"], { description: "Ignoring case." }),
    ),
    path: t.Optional(
      Text({
        maxLength: 1_000,
        description: "A path as called, or a route: `/contacts/:id`.",
        examples: ["/v1/send"],
      }),
    ),
    key: t.Optional(
      Text({
        maxLength: 36,
        expected: "Expected the id of a key with a name, or secret, public or session",
        pattern: "^(secret|public|session|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$",
        description: "The id of a named key; `secret` or `public` for the pair; or `session`.",
      }),
    ),
    ...SpanQuery("Made"),
  }),
  periodErrors,
);

const Page = t.Object({
  data: t.Array(LoggedRequest),
  cursor: Nullable(t.String()),
  hasMore: t.Boolean(),
});

const ABOUT_THE_LOG = `The log has what was asked with the keys of the project, and what members changed in sessions (not what they read), for ${KEPT_DAYS} days, a second or so after the answer. It is for finding mistakes, and not for billing: of a project with more than a few requests a second it has a sample, where \`leftOut\` says how many are missing, and while the database is away it may miss some.`;

/** `GET /requests` and `GET /requests/:id`. */
export function requestsRoutes(ctx: Context) {
  return new Elysia({ prefix: "/requests", detail: { tags: ["Requests"] } })
    .use(authenticateKey(ctx, "secret"))
    .get("/", async ({ project, query }) => await list(ctx, project.id, query), {
      query: Query,
      response: answers(Page, { refusals: [400] }),
      detail: {
        operationId: "listRequests",
        summary: "List the API requests of the project, newest first",
        description: `${ABOUT_THE_LOG} With a filter that matches few requests, a page may have fewer than \`limit\` items, or none, although there are more: continue as long as \`hasMore\` is true.`,
      },
    })
    .get(
      "/:id",
      async ({ project, params: { id } }) => {
        if (!isUuid(id)) throw problems.notFound("request", id);
        return await getRequest(ctx, project.id, id.toLowerCase());
      },
      {
        params: t.Object({ id: PathId }),
        response: answers(RequestDetails, { refusals: [404] }),
        detail: {
          operationId: "getRequest",
          summary: "Get a request, with what was wrong and its body",
          description:
            "By its id, or by the `X-Request-Id` of its response. The bodies of refused requests are kept, up to 4 KB of JSON. Passwords, tokens, keys and the like are replaced by `[removed]`; addresses are kept until the contact is deleted.",
        },
      },
    );
}

async function list(ctx: Context, projectId: string, query: (typeof Query)["static"]) {
  const { status, method, path, key } = query;
  const filter: RequestFilter = {
    statuses: status === undefined ? undefined : statusesOf(status),
    method: method?.toUpperCase(),
    path,
    key: key === undefined ? undefined : keyOf(key),
    ...readPeriod({ from: query.from, until: query.until }),
  };
  const page = { limit: clampLimit(query.limit), beforeId: readIdCursor(query.cursor) };
  const { requests, nextId } = await listRequests(ctx, projectId, filter, page);
  return { data: requests, cursor: nextId === null ? null : toCursor([nextId]), hasMore: nextId !== null };
}

function statusesOf(text: string): { from: number; to: number } {
  const first = Number(text.replace("xx", "00"));
  return { from: first, to: text.endsWith("xx") ? first + 99 : first };
}

function keyOf(text: string): RequestFilter["key"] {
  return text === "secret" || text === "public" || text === "session"
    ? { kind: text }
    : { id: text.toLowerCase() };
}
