// /segments/:id/…: who is in a segment, why, and how its size went.
import { Elysia, t } from "elysia";
import { listContacts } from "../../audience/contacts/list.ts";
import { explainSegment } from "../../audience/segments/explain.ts";
import { listSegmentMembers } from "../../audience/segments/members.ts";
import { segmentUsage } from "../../audience/segments/mod.ts";
import { allSegmentSizes, segmentSizes } from "../../audience/segments/sizes.ts";
import { compileSelection, countSelected, type Selected } from "../../audience/selection.ts";
import type { Context } from "../../context.ts";
import { daysErrors, readDays } from "../../insight/date_range.ts";
import { MAX_DAYS } from "../../insight/timeseries.ts";
import { problems } from "../../problem/mod.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { withRules } from "../entry/field_errors.ts";
import { answers, Contact, Int, isUuid, Nullable, PathId, Text } from "../entry/schemas.ts";
import { DaysQuery } from "./_analytics_schemas.ts";
import { Explanation, SegmentSizes, SegmentUsage } from "./_segment_schemas.ts";
import { segmentId } from "./_segment_ids.ts";
import { Estimated, NOT_COUNTED, pageList, PageQuery, readCursor, readPage, toCursor } from "./_lists.ts";

const one = { params: t.Object({ id: PathId }) };
const NEWEST_FIRST = { sort: "createdAt", dir: "desc" } as const;

/** A day is a number for each segment. */
const MAX_DAYS_OF_ALL = 90;

const MembersQuery = t.Object({
  ...PageQuery,
  search: t.Optional(Text({ description: "Part of the address, ignoring case.", maxLength: 254 })),
  cursor: t.Optional(
    t.String({ description: "The `cursor` of the previous page: faster than a high `page`." }),
  ),
});

/** The members of segments. */
export function segmentViewsRoutes(ctx: Context) {
  return new Elysia({ prefix: "/segments", detail: { tags: ["Segments"] } })
    .use(authenticateKey(ctx, "secret"))
    .get(
      "/sizes",
      async ({ project, query }) =>
        await allSegmentSizes(ctx, project.id, readDays(query, { now: ctx.now(), maxDays: MAX_DAYS_OF_ALL })),
      {
        query: withRules(t.Object(DaysQuery), daysErrors),
        response: answers(SegmentSizes, { refusals: [400] }),
        detail: {
          operationId: "listSizesOfSegments",
          summary: "List the number of members of all segments per day",
          description:
            "For a small chart next to each segment: up to 90 days (UTC) of the newest 1,000 segments. `members` has an entry for each of `dates`, null if the segment was not counted on that day.",
        },
      },
    )
    .get(
      "/:id/contacts",
      async ({ project, params: { id }, query }) => await members(ctx, project.id, segmentId(id), query),
      {
        ...one,
        query: MembersQuery,
        response: answers(
          t.Object({
            ...pageList(Contact).properties,
            cursor: Nullable(t.String({ description: "For the next page. Null at the end." })),
            hasMore: t.Boolean(),
            estimated: Estimated,
          }),
          { refusals: [400, 404] },
        ),
        detail: {
          operationId: "listSegmentMembers",
          summary: "List the members, live for a dynamic segment",
          description:
            "The current members, newest contacts first: by pages, or by cursor, which does not slow down. With a cursor, `total` is 0; with `search`, it may be an estimate.",
        },
      },
    )
    .get(
      "/:id/explain",
      async ({ project, params: { id }, query: { contactId } }) => {
        if (!isUuid(contactId)) throw problems.contactNotFound(contactId);
        return await explainSegment(ctx, project.id, segmentId(id), contactId.toLowerCase());
      },
      {
        ...one,
        query: t.Object({ contactId: t.String({ description: "The contact to explain." }) }),
        response: answers(Explanation, { refusals: [400, 404] }),
        detail: {
          operationId: "explainSegment",
          summary: "Explain why a contact is or is not in a segment",
          description:
            "The condition with the current result of each filter, and in `found` what it found: the value, how often and when an event last happened, or the name of a segment.",
        },
      },
    )
    .get(
      "/:id/history",
      async ({ project, params: { id }, query }) => {
        const days = readDays(query, { now: ctx.now(), maxDays: MAX_DAYS });
        return await segmentSizes(ctx, project.id, segmentId(id), days);
      },
      {
        ...one,
        query: withRules(t.Object(DaysQuery), daysErrors),
        response: answers(
          t.Array(t.Object({ date: t.String({ format: "date" }), members: Int }, { title: "SegmentSize" })),
          { refusals: [400, 404] },
        ),
        detail: {
          operationId: "listSegmentSizes",
          summary: "List the number of members of a segment per day",
          description:
            "A row for each day (UTC) on which it was counted: every night, and whenever its count changes.",
        },
      },
    )
    .get(
      "/:id/usage",
      async ({ project, params: { id } }) => await segmentUsage(ctx, project.id, segmentId(id)),
      {
        ...one,
        response: answers(SegmentUsage, { refusals: [404] }),
        detail: {
          operationId: "getSegmentUsage",
          summary: "List what refers to a segment",
          description:
            "The other segments, unsent campaigns and enabled workflows that refer to it. While there are any, it cannot be deleted.",
        },
      },
    );
}

async function members(ctx: Context, projectId: string, id: string, query: (typeof MembersQuery)["static"]) {
  const { page, pageSize } = readPage(query);
  if (query.search === undefined && query.cursor === undefined) {
    const { data, total } = await listSegmentMembers(ctx, projectId, id, { page, pageSize });
    const hasMore = page * pageSize < total;
    const cursor = hasMore ? cursorAt(data.at(-1)) : null;
    const totalPages = Math.ceil(total / pageSize);
    return { data, total, estimated: false, page, pageSize, totalPages, cursor, hasMore };
  }
  if (page > 1) throw problems.badRequest("Cannot use a page beside a cursor or a search: use its cursor");
  const selection = { segmentId: id, search: query.search };
  const selected = await compileSelection(ctx, projectId, selection);
  const after = query.cursor === undefined ? null : placeOf(query.cursor);
  const paged: Selected = (on) => selected(on, { whole: true });
  const [rows, counted] = await Promise.all([
    listContacts(ctx, projectId, paged, { order: NEWEST_FIRST, after, limit: pageSize }),
    after === null ? countSelected(ctx, projectId, selection, selected) : NOT_COUNTED,
  ]);
  const hasMore = rows.length > pageSize;
  const data = rows.slice(0, pageSize);
  const cursor = hasMore ? cursorAt(data.at(-1)) : null;
  const totalPages = Math.ceil(counted.total / pageSize);
  return { data, ...counted, page: 1, pageSize, totalPages, cursor, hasMore };
}

function cursorAt(row: { id: string; sortKey: string } | undefined): string | null {
  return row ? toCursor(["member", row.sortKey, row.id]) : null;
}

function placeOf(cursor: string) {
  const [kind, sortKey, id] = readCursor(cursor, 3);
  if (kind !== "member" || !isUuid(id!) || Number.isNaN(new Date(sortKey!.replace(/\+00$/, "Z")).getTime())) {
    throw problems.badCursor();
  }
  return { sortKey: sortKey!, id: id! };
}
