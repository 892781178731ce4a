// GET /contacts and /contacts/export: the audience as a list and as a file.
import { Elysia, t } from "elysia";
import {
  type ContactOrder,
  type ContactPlace,
  listByActivity,
  listContacts,
  SORTS,
} from "../../audience/contacts/list.ts";
import { EXPORT_FORMATS, exportContacts } from "../../audience/export.ts";
import { compileSelection, countSelected, type Selected, type Selection } from "../../audience/selection.ts";
import type { Context } from "../../context.ts";
import { exportContact } from "../../insight/contact_export.ts";
import { type FieldError, problems } from "../../problem/mod.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { withRules } from "../entry/field_errors.ts";
import { streamText } from "../entry/streams.ts";
import {
  answers,
  Contact,
  isUuid,
  Nullable,
  PathId,
  ProjectInQuery,
  Text,
  Timestamp,
  Words,
} from "../entry/schemas.ts";
import { selectionErrors, SelectionQuery, selectionOf } from "./_contact_selection.ts";
import { contactIdOf } from "./_contact_id.ts";
import {
  clampLimit,
  CursorList,
  CursorQuery,
  NOT_COUNTED,
  orderQuery,
  readCursor,
  toCursor,
} from "./_lists.ts";

const ListedContact = t.Object(
  {
    ...Contact.properties,
    lastActivityAt: t.Optional(t.Unsafe<Date>({ ...Timestamp, description: "With `sort=lastActivity`." })),
  },
  { title: "ListedContact" },
);

type ContactQuery = Parameters<typeof selectionErrors>[0] & { sort?: string; dir?: string; anchor?: string };

const Query = withRules(
  t.Object({
    ...CursorQuery,
    ...SelectionQuery,
    ...orderQuery(SORTS),
    anchor: t.Optional(
      Text({
        maxLength: 254,
        description:
          "Where the list begins: the start of an address, or a time in ISO 8601, depending on `sort`. Not together with `cursor`.",
      }),
    ),
  }),
  (query: ContactQuery, refused) => selectionErrors(query, refused, anchorErrors(query)),
);

/** The list of contacts, their export, and that of all data of one. */
export function contactListRoutes(ctx: Context) {
  const detail = { tags: ["Contacts"] };
  return new Elysia({ prefix: "/contacts", detail })
    .use(listRoute(ctx))
    .use(exportRoute(ctx))
    .use(exportOneRoute(ctx));
}

function listRoute(ctx: Context) {
  return new Elysia()
    .use(authenticateKey(ctx, "secret"))
    .get("/", async ({ project, query }) => await list(ctx, project.id, query), {
      query: Query,
      response: answers(
        t.Object({
          ...CursorList(ListedContact).properties,
          startCursor: Nullable(
            t.String({
              description:
                "The position of the first row: with the opposite `dir`, the list goes backwards from here.",
            }),
          ),
        }),
        { refusals: [400, 404, 422] },
      ),
      detail: {
        operationId: "listContacts",
        summary: "List contacts",
        description:
          "A cursor list of contacts. Filters may be combined. `total` counts all matches, on the first page only; if counting takes longer than a quarter of a second, it is estimated. `sort=lastActivity` lists contacts with activity (tracked events, opens, clicks and subscriptions), most recent first. Unknown values of `sort` and `dir` count as the default.",
      },
    });
}

function exportRoute(ctx: Context) {
  return new Elysia().use(authenticateKey(ctx, "secret", { projectInQuery: true })).get(
    "/export",
    async ({ project, query: { format = "csv", ...query }, request }) => {
      const selected = await compileSelection(ctx, project.id, selectionOf(query));
      const day = ctx.now().toISOString().slice(0, 10);
      const file = {
        type: format === "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson",
        fileName: `contacts-${day}.${format}`,
      };
      return streamText(ctx, project.id, exportContacts(ctx, project.id, selected, format), file, request);
    },
    {
      query: withRules(
        t.Object({
          ...SelectionQuery,
          projectId: ProjectInQuery,
          format: t.Optional(Words(EXPORT_FORMATS)),
        }),
        selectionErrors,
      ),
      response: answers(t.Any({ description: "The file, streamed." }), { refusals: [400, 404, 422, 429] }),
      detail: {
        operationId: "exportContacts",
        summary: "Export contacts as CSV or NDJSON",
        description:
          "Streams the selected contacts in the order in which they were created. CSV has a column for each key of `data`, at most 990; a cell that a spreadsheet would treat as a formula gets a leading apostrophe. NDJSON has one contact per line. At most two exports of a project run at a time.",
      },
    },
  );
}

function exportOneRoute(ctx: Context) {
  return new Elysia().use(authenticateKey(ctx, "secret", { projectInQuery: true })).get(
    "/export/:id",
    async ({ project, params: { id }, request }) => {
      const pieces = await exportContact(ctx, project.id, contactIdOf(id));
      const file = { type: "application/json", fileName: `contact-${id}.json` };
      return streamText(ctx, project.id, pieces, file, request);
    },
    {
      params: t.Object({ id: PathId }),
      query: t.Object({ projectId: ProjectInQuery }),
      response: answers(t.Any({ description: "The file, streamed." }), { refusals: [400, 404, 429] }),
      detail: {
        operationId: "exportContactData",
        summary: "Export everything that is known of a contact",
        description:
          "One JSON object, for a person who asks what is stored: `contact`, `suppression` (why it gets no mail, or null), `segments`, `events` (sorted by name, then by time), `emails` with their subjects and outcomes, and `executions` of workflows with their steps. It is streamed, so its size has no limit. At most two exports of a project run at a time.",
      },
    },
  );
}

async function list(ctx: Context, projectId: string, query: (typeof Query)["static"]) {
  const selection = selectionOf(query);
  const selected = await compileSelection(ctx, projectId, selection);
  const paged: Selected = (on) => selected(on, { whole: true });
  const order = orderOf(query.sort, query.dir);
  const limit = clampLimit(query.limit);
  const after = readPlace(query, order);
  const isFirst = query.cursor === undefined;
  if (order.sort === "lastActivity")
    return await byActivity(ctx, projectId, { selection, selected: paged, after, limit, isFirst });
  const [rows, counted] = await Promise.all([
    listContacts(ctx, projectId, paged, { order, after, limit }),
    isFirst ? countSelected(ctx, projectId, selection, selected) : NOT_COUNTED,
  ]);
  const hasMore = rows.length > limit;
  const data = rows.slice(0, limit);
  const cursorAt = (row: (typeof data)[number] | undefined) =>
    row ? toCursor([order.sort, row.sortKey, row.id]) : null;
  return {
    data,
    cursor: hasMore ? cursorAt(data.at(-1)) : null,
    startCursor: cursorAt(data[0]),
    hasMore,
    ...counted,
  };
}

interface ActivityQuery {
  selection: Selection;
  selected: Selected;
  after: ContactPlace | null;
  limit: number;
  isFirst: boolean;
}

async function byActivity(
  ctx: Context,
  projectId: string,
  { selection, selected, after, limit, isFirst }: ActivityQuery,
) {
  const [{ contacts, next }, counted] = await Promise.all([
    listByActivity(ctx, projectId, selected, { after, limit }),
    isFirst ? countSelected(ctx, projectId, selection, selected) : NOT_COUNTED,
  ]);
  const cursor = next === null ? null : toCursor(["lastActivity", next, next]);
  return { data: contacts, cursor, startCursor: null, hasMore: next !== null, ...counted };
}

/** Unknown words fall back to the default, as the specification says. */
function orderOf(sort: string | undefined, dir: string | undefined): ContactOrder {
  return { sort: SORTS.find((word) => word === sort) ?? "createdAt", dir: dir === "asc" ? "asc" : "desc" };
}

/** A cursor belongs to the sort column it was made for; it serves both directions. */
function readPlace(
  { cursor, anchor }: { cursor?: string; anchor?: string },
  order: ContactOrder,
): ContactPlace | null {
  if (cursor === undefined) return anchor === undefined ? null : anchored(anchor, order);
  if (anchor !== undefined)
    throw problems.badRequest("Cannot use an anchor beside a cursor: the cursor is the place");
  const [madeFor, sortKey, id] = readCursor(cursor, 3);
  const isTime = order.sort === "createdAt" || order.sort === "updatedAt";
  const isWrong =
    (isTime && !isPostgresTime(sortKey!)) || (order.sort === "lastActivity" && !isUuid(sortKey!));
  if (madeFor !== order.sort || !isUuid(id!) || isWrong) throw problems.badCursor();
  return { sortKey: sortKey!, id: id! };
}

function anchorErrors({ anchor, ...query }: ContactQuery): FieldError[] {
  const { sort } = orderOf(query.sort, query.dir);
  if (anchor === undefined || sort === "email") return [];
  const isOrdered = sort !== "lastActivity";
  if (isOrdered && !Number.isNaN(new Date(anchor).getTime())) return [];
  const message = isOrdered ? "Expected a date in ISO 8601" : "There is no anchor in this order";
  return [{ field: "anchor", code: "invalid_string", message, received: anchor }];
}

function anchored(anchor: string, { sort, dir }: ContactOrder): ContactPlace {
  if (sort === "email") return { sortKey: anchor.trim().toLowerCase(), id: null };
  const time = new Date(anchor);
  // From the newest on, a day is reached at its end.
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(anchor.trim());
  const at = dir === "desc" && isDay ? new Date(time.getTime() + 86_399_999) : time;
  return { sortKey: at.toISOString(), id: null };
}

/** A time as Postgres writes it in UTC, on a day that exists. */
function isPostgresTime(text: string): boolean {
  const parts = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(\.\d{1,6})?\+00$/.exec(text);
  const time = new Date(`${parts?.[1]}T${parts?.[2]}Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(parts![1]!);
}
