// GET /activity/stream: what happens, as it happens.
import { Elysia, t } from "elysia";
import type { Context } from "../../context.ts";
import { isWanted, type WantedActivity } from "../../insight/activity/types.ts";
import type { FeedPlace } from "../../insight/activity/mod.ts";
import { mayWatch, type News, readSince, watchActivity } from "../../insight/activity/live.ts";
import { problems } from "../../problem/mod.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { STREAM_MINUTES, type StreamReader, streamEvents } from "../entry/event_stream.ts";
import { withRules } from "../entry/field_errors.ts";
import { answers, ProjectInQuery, Uuid } from "../entry/schemas.ts";
import { readPlace, WantedQuery, writePlace } from "./_activity_place.ts";
import { readTypes, typesErrors } from "./_activity_schemas.ts";

const Query = {
  ...WantedQuery,
  contactId: t.Optional(Uuid),
  projectId: ProjectInQuery,
};

interface StreamFilter extends WantedActivity {
  contactId?: string | undefined;
}

/** The stream of a project's activity. */
export function activityStreamRoutes(ctx: Context) {
  return new Elysia({ prefix: "/activity", detail: { tags: ["Activity"] } })
    .use(authenticateKey(ctx, "secret", { projectInQuery: true }))
    .get(
      "/stream",
      ({ project, actor, query, headers, request }) => {
        const errors = typesErrors(query.types);
        if (errors.length > 0) throw problems.badParameters(errors);
        const { types, eventName, contactId } = query;
        const filter = { types: readTypes(types), eventName, contactId: contactId?.toLowerCase() };
        const after = readPlace(headers["last-event-id"] || undefined);
        if (!mayWatch(ctx, project.id)) throw problems.busy("watch another project");
        return streamEvents(ctx, project.id, request, actor, (reader) =>
          follow(ctx, project.id, filter, after, reader),
        );
      },
      {
        query: withRules(t.Object(Query), ({ types }) => typesErrors(types)),
        response: answers(t.Any({ description: "Messages, as they come: `text/event-stream`." }), {
          refusals: [400, 429],
        }),
        detail: {
          operationId: "streamActivity",
          summary: "Stream activity live",
          description: `Server-sent events: each message is an item as in \`GET /activity\`, about a second after it happened. A client that reconnects with \`Last-Event-ID\`, as an \`EventSource\` does automatically, gets what it has missed; items of the last seconds may arrive twice, with the same \`id\`. The event \`cut\` means that more happened than was sent: read the list. The stream ends after ${STREAM_MINUTES} minutes; then reconnect.`,
        },
      },
    );
}

/** What comes while the past is read is told after it, and nothing of it twice. */
async function follow(
  ctx: Context,
  projectId: string,
  filter: StreamFilter,
  after: FeedPlace | null,
  reader: StreamReader,
): Promise<() => void> {
  let waiting: News[] | null = [];
  const stop = await watchActivity(ctx, projectId, {
    tell: (news) => (waiting ? waiting.push(news) : send(reader, news, filter)),
    end: () => reader.end(),
  });
  try {
    const past = after && (await readSince(ctx, projectId, after));
    if (past) send(reader, past, filter);
    const told = new Set(past?.items.map(({ item }) => item.id));
    for (const { items, isCut } of waiting)
      send(reader, { items: items.filter(({ item }) => !told.has(item.id)), isCut }, filter);
    waiting = null;
    return stop;
  } catch (error) {
    stop();
    throw error;
  }
}

function send(reader: StreamReader, { items, isCut }: News, { contactId, ...wanted }: StreamFilter): void {
  if (isCut) reader.send({ event: "cut", data: { message: "More happened: read GET /activity" } });
  for (const { place, item } of items) {
    if (!isWanted(item, wanted)) continue;
    if (contactId && item.contactId !== contactId) continue;
    reader.send({ id: writePlace(place), data: item });
  }
}
