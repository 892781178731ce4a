// /activity: what happened in a project, and what will happen.
import { Elysia, t } from "elysia";
import type { Context } from "../../context.ts";
import { listActivity } from "../../insight/activity/mod.ts";
import { MAX_SEARCHED, searchActivity } from "../../insight/activity/search.ts";
import { countRecent, readActivityStats } from "../../insight/activity/stats.ts";
import { listActivityTypes } from "../../insight/activity/types.ts";
import { listUpcoming } from "../../insight/activity/upcoming.ts";
import { daysErrors, readDays } from "../../insight/date_range.ts";
import { problems } from "../../problem/mod.ts";
import { readPlace, WantedQuery, writePlace } from "./_activity_place.ts";
import { ActivityItem, readTypes, TypeWord, typesErrors, UpcomingItem } from "./_activity_schemas.ts";
import { ActivityTotals, DaysQuery } from "./_analytics_schemas.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { withRules } from "../entry/field_errors.ts";
import { clampLimit, CursorQuery } from "./_lists.ts";
import { periodErrors, PeriodQuery, readPeriod } from "./_periods.ts";
import { answers, Int, Nullable, QueryInteger, Text, Uuid } from "../entry/schemas.ts";

const FEED_LIMIT = { fallback: 50, max: 100 };
const MINUTES = { fallback: 5, max: 60 };
const DAYS_AHEAD = { fallback: 30, max: 90 };

const FeedQuery = {
  limit: QueryInteger({ minimum: 1, maximum: 100, fallback: 50, description: "Clamped to 1..100." }),
  cursor: CursorQuery.cursor,
  ...WantedQuery,
  contactId: t.Optional(Uuid),
  search: t.Optional(
    Text({
      maxLength: 255,
      description: `Finds activity of contacts whose address contains this text, and events whose name contains it. At least 3 letters, which may occur in at most ${MAX_SEARCHED} addresses and ${MAX_SEARCHED} names.`,
    }),
  ),
  ...PeriodQuery,
};

interface FeedFilter {
  types?: string | undefined;
  startDate?: string | undefined;
  endDate?: string | undefined;
}

/** The activity endpoints, in the order of the specification's table. */
export function activityRoutes(ctx: Context) {
  return new Elysia({ prefix: "/activity", detail: { tags: ["Activity"] } })
    .use(authenticateKey(ctx, "secret"))
    .get(
      "/",
      async ({ project, query }) => {
        const errors = filterErrors(query);
        if (errors.length > 0) throw problems.badParameters(errors);
        const { contactId, eventName } = query;
        const filter = { types: readTypes(query.types), eventName, contactId, ...readPeriod(query) };
        const page = { limit: clampLimit(query.limit, FEED_LIMIT), after: readPlace(query.cursor) };
        const { items, next } =
          query.search === undefined
            ? await listActivity(ctx, project.id, filter, page)
            : await searchActivity(ctx, project.id, query.search, filter, page);
        return {
          data: items,
          cursor: next && writePlace(next),
          hasMore: next !== null,
        };
      },
      {
        query: withRules(t.Object(FeedQuery), filterErrors),
        response: answers(
          t.Object({ data: t.Array(ActivityItem), cursor: Nullable(t.String()), hasMore: t.Boolean() }),
          { refusals: [400] },
        ),
        detail: {
          operationId: "listActivity",
          summary: "List activity, newest first",
          description:
            "Events, mails, campaigns and workflows in one list, ordered by time. Everything that existed when the first page " +
            "was read is on exactly one page; what is added in the meantime is never on two.",
        },
      },
    )
    .get(
      "/stats",
      async ({ project, query }) =>
        await readActivityStats(ctx, project.id, readDays(query, { now: ctx.now() })),
      {
        query: withRules(t.Object(DaysQuery), daysErrors),
        response: answers(ActivityTotals, { refusals: [400] }),
        detail: {
          operationId: "getActivityStats",
          summary: "Count activity over a number of days (UTC), from counters",
          description: "Without dates: the last 30 days.",
        },
      },
    )
    .get(
      "/recent-count",
      async ({ project, query }) => {
        const minutes = clampLimit(query.minutes, MINUTES);
        return { count: await countRecent(ctx, project.id, minutes), minutes };
      },
      {
        query: t.Object({
          minutes: QueryInteger({ minimum: 1, maximum: 60, fallback: 5, description: "Clamped to 1..60." }),
        }),
        response: answers(t.Object({ count: Int, minutes: Int }), { refusals: [400] }),
        detail: {
          operationId: "getRecentActivityCount",
          summary: "Count activity of the last minutes",
          description: "Events and executions are each counted up to 20,000.",
        },
      },
    )
    .get("/types", async ({ project }) => ({ types: await listActivityTypes(ctx, project.id) }), {
      response: answers(t.Object({ types: t.Array(TypeWord) })),
      detail: {
        operationId: "listActivityTypes",
        summary: "List the types of activity in the project",
        description: "The types by which `GET /activity` can be filtered with a result.",
      },
    })
    .get(
      "/upcoming",
      async ({ project, query }) => {
        const daysAhead = clampLimit(query.daysAhead, DAYS_AHEAD);
        const limit = clampLimit(query.limit);
        return { activities: await listUpcoming(ctx, project.id, { daysAhead, limit }) };
      },
      {
        query: t.Object({
          limit: CursorQuery.limit,
          daysAhead: QueryInteger({
            minimum: 1,
            maximum: 90,
            fallback: 30,
            description: "Clamped to 1..90.",
          }),
        }),
        response: answers(t.Object({ activities: t.Array(UpcomingItem) }), { refusals: [400] }),
        detail: {
          operationId: "listUpcomingActivity",
          summary: "List upcoming activity, next first",
          description:
            "Scheduled campaigns, and workflow steps that wait for a time, or for an event with a timeout.",
        },
      },
    );
}

function filterErrors(query: FeedFilter) {
  return [...typesErrors(query.types), ...periodErrors(query)];
}
