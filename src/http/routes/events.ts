// /events: what happened, by name and by contact. Bare responses, except for those of /v1/track.
import { Elysia, t } from "elysia";
import type { Context } from "../../context.ts";
import { daysErrors, readDays } from "../../insight/date_range.ts";
import { deleteEvents } from "../../insight/events/deletion.ts";
import { listContactEvents, listEvents, type LoggedEvent } from "../../insight/events/log.ts";
import { countEvents, countEventsByDay, listEventNames } from "../../insight/events/stats.ts";
import { trackInput } from "../../insight/events/tracking.ts";
import { getEventUsage } from "../../insight/events/usage.ts";
import { parseAddress } from "../../mail/address.ts";
import { problems } from "../../problem/mod.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { withRules } from "../entry/field_errors.ts";
import { idempotencyKey } from "../entry/idempotency.ts";
import { DaysQuery } from "./_analytics_schemas.ts";
import {
  Event,
  EventCount,
  EventCountsByDay,
  EventList,
  EventUsage,
  ListedEvent,
  TrackBody,
} from "./_event_schemas.ts";
import { clampLimit, CursorQuery, readIdCursor, toIdPage } from "./_lists.ts";
import { bodyWarnings } from "../entry/body_plans.ts";
import { answers, Int, isUuid, PathId, Timestamp, Uuid, Warnings } from "../entry/schemas.ts";

/** A day is a number for each name. */
const MAX_DAYS = 90;

const Tracked = t.Object(
  {
    success: t.Literal(true),
    data: t.Object({ contact: Uuid, event: Uuid, timestamp: Timestamp }),
    ...Warnings,
  },
  { title: "TrackedEvent" },
);

const named = {
  params: t.Object({ eventName: t.String({ description: "Percent-encoded, including any slash in it." }) }),
};

/** The event endpoints, in the order of the specification's table. */
export function eventsRoutes(ctx: Context) {
  const usage = async (projectId: string, name: string) => await getEventUsage(ctx, projectId, name);
  return (
    new Elysia({ prefix: "/events", detail: { tags: ["Events"] } })
      .use(authenticateKey(ctx, "secret"))
      .post(
        "/track",
        async ({ project, body, headers, status, request }) => {
          const call = { projectId: project.id, key: idempotencyKey(headers), request: "POST /events/track" };
          const { email, event, name, ...rest } = body;
          const input = {
            ...rest,
            ...(event !== undefined && { event: event.trim() }),
            ...(name !== undefined && { name: name.trim() }),
            ...(email !== undefined && { email: parseAddress(email)!.email }),
          };
          const done = await trackInput(ctx, call, input);
          if ("event" in done) return status(201, toEvent(done.event));
          return { success: true as const, data: done.tracked, ...bodyWarnings(request) };
        },
        {
          headers: t.Object({
            "idempotency-key": t.Optional(t.String({ description: "The same as for `/v1/track`." })),
          }),
          body: TrackBody,
          response: { ...answers(Tracked, { refusals: [400, 404, 409, 413, 415, 422] }), 201: Event },
          detail: {
            operationId: "trackEventAsMember",
            summary: "Track an event of a contact (200), or record a separate event (201)",
            description:
              "With `email` and `event`, it does the same as `/v1/track`, with the secret key or a session. With `name`, it records a separate event (201), optionally for a contact or a mail.",
          },
        },
      )
      .get(
        "/",
        async ({ project, query: { eventName, limit, cursor } }) => {
          const page = pageOf(limit, cursor);
          return toPage(
            await listEvents(ctx, project.id, { eventName: eventName || undefined }, page),
            page.limit,
          );
        },
        {
          query: t.Object({
            ...CursorQuery,
            eventName: t.Optional(t.String({ description: "Default: all, including those of the service." })),
          }),
          response: answers(EventList(ListedEvent), { refusals: [400] }),
          detail: {
            operationId: "listEvents",
            summary: "List events, newest first",
            description: "A cursor list of events with their contacts; with `eventName`, only of that name.",
          },
        },
      )
      .get(
        "/stats",
        async ({ project, query }) => {
          const isOfAllTime = !query.startDate && !query.endDate;
          const days = isOfAllTime ? null : readDays(query, { now: ctx.now() });
          return await countEvents(ctx, project.id, days);
        },
        {
          query: withRules(
            t.Object({
              startDate: t.Optional(
                t.String({ description: "A day (UTC), or a time on it. Without both dates: all time." }),
              ),
              endDate: t.Optional(t.String({ description: "The last day. Default: today." })),
            }),
            daysErrors,
          ),
          response: answers(t.Array(EventCount), { refusals: [400] }),
          detail: {
            operationId: "countEvents",
            summary: "Count events by name, most frequent first",
            description: "From counters, so it takes the same time however old the project is.",
          },
        },
      )
      .get(
        "/daily",
        async ({ project, query }) =>
          await countEventsByDay(ctx, project.id, readDays(query, { now: ctx.now(), maxDays: MAX_DAYS })),
        {
          query: withRules(t.Object(DaysQuery), daysErrors),
          response: answers(EventCountsByDay, { refusals: [400] }),
          detail: {
            operationId: "countEventsByDay",
            summary: "Count events by name and day, with the time of the last one",
            description: `For a small chart next to each name: up to ${MAX_DAYS} days (UTC) of the 1,000 most frequent names (all time). From counters, so it takes the same time however old the project is. \`counts\` has an entry for each of \`dates\`; \`lastSeenAt\` is null if the last one has expired.`,
          },
        },
      )
      .get(
        "/contact/:contactId",
        async ({ project, params: { contactId }, query: { limit, cursor } }) => {
          if (!isUuid(contactId)) throw problems.contactNotFound(contactId);
          const page = pageOf(limit, cursor);
          return toPage(await listContactEvents(ctx, project.id, contactId, page), page.limit);
        },
        {
          params: t.Object({ contactId: PathId }),
          query: t.Object(CursorQuery),
          response: answers(EventList(Event), { refusals: [400, 404] }),
          detail: {
            operationId: "listContactEvents",
            summary: "List the events of a contact, newest first",
            description: "A cursor list, with the data of each event.",
          },
        },
      )
      // The usage of the event `contact`: the path before would take it for somebody's.
      .get("/contact/usage", async ({ project }) => await usage(project.id, "contact"), {
        response: answers(EventUsage),
        detail: { hide: true },
      })
      .get("/names", async ({ project }) => ({ eventNames: await listEventNames(ctx, project.id) }), {
        response: answers(t.Object({ eventNames: t.Array(t.String()) })),
        detail: {
          operationId: "listEventNames",
          summary: "List the names of all events, most frequent first",
          description: "Names of custom events and of events of the service.",
        },
      })
      .get(
        "/:eventName/usage",
        async ({ project, params: { eventName } }) => await usage(project.id, eventName),
        {
          ...named,
          response: answers(EventUsage, { refusals: [400] }),
          detail: {
            operationId: "getEventUsage",
            summary: "List what refers to an event name, and how often it was recorded",
            description:
              "The segments, campaigns and workflows that name it. `canDelete` is false while there are any.",
          },
        },
      )
      .delete(
        "/:eventName",
        async ({ project, params: { eventName } }) => ({
          deletedCount: await deleteEvents(ctx, project.id, eventName),
        }),
        {
          ...named,
          response: answers(t.Object({ deletedCount: Int }), { refusals: [400, 409] }),
          detail: {
            operationId: "deleteEvents",
            summary: "Delete all events with a name; large numbers are deleted by a job",
            description:
              "Refused with 409 while something refers to the name, and with 400 for names of the service's own events. This cannot be undone.",
          },
        },
      )
  );
}

function pageOf(limit: string | undefined, cursor: string | undefined) {
  return { limit: clampLimit(limit), beforeId: readIdCursor(cursor) };
}

function toPage<Row extends LoggedEvent>(rows: Row[], limit: number) {
  const { data, cursor, hasMore } = toIdPage(rows, limit, 0);
  return { events: data.map(toEvent), cursor, hasMore };
}

function toEvent<Row extends LoggedEvent>(event: Row) {
  return { ...event, data: event.data as Record<string, unknown> };
}
