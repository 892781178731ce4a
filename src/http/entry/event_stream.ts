// Server-sent events: an answer that continues, a message at a time (https://html.spec.whatwg.org/multipage/server-sent-events.html).
import type { Context } from "../../context.ts";
import type { Actor } from "../../accounts/audit.ts";
import { problems } from "../../problem/mod.ts";
import { createTurnstile } from "./turnstile.ts";

/** Of one project, of one of its members, and of all, in this process. An idle one costs a timer and 6 KB besides its connection. */
export const STREAMS_OF_PROJECT = 100;
export const STREAMS_OF_MEMBER = 10;
const STREAMS_OF_ALL = 500;
/** The caller is authenticated once: who is no longer allowed is out after this time. */
export const STREAM_MINUTES = 5;
/** Proxies close what is silent for longer; most give it a minute. */
const HEARTBEAT_MS = 15_000;
const RETRY_MS = 1_000;
/** What a reader may leave unread before it is let go: it comes back, and continues where it was. */
const MAX_UNREAD_BYTES = 1_048_576;

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // nginx keeps answers back otherwise.
  "x-accel-buffering": "no",
};

/** A message. */
export interface StreamMessage {
  /** Where a reader that comes back continues: it sends it as `Last-Event-ID`. */
  id?: string;
  /** Left out: `message`. */
  event?: string;
  data: unknown;
}

/** The reader of a stream. */
export interface StreamReader {
  send(message: StreamMessage): void;
  end(): void;
}

const ofProject = createTurnstile("open a stream", {
  ofOne: STREAMS_OF_PROJECT,
  ofAll: STREAMS_OF_ALL,
  refusal: () => problems.tooManyStreams(STREAMS_OF_PROJECT, "of this project"),
});
const ofMember = createTurnstile("open a stream", {
  ofOne: STREAMS_OF_MEMBER,
  ofAll: STREAMS_OF_ALL,
  refusal: () => problems.tooManyStreams(STREAMS_OF_MEMBER, "of yours in this project"),
});

/** A place for one more stream, and how it is left. */
function enter(ctx: Context, projectId: string, actor: Actor): () => void {
  const leaveProject = ofProject(ctx, projectId);
  if (actor.kind !== "user") return leaveProject;
  try {
    const leaveMember = ofMember(ctx, `${projectId} ${actor.userId}`);
    return () => {
      leaveMember();
      leaveProject();
    };
  } catch (error) {
    leaveProject();
    throw error;
  }
}

/**
 * An answer that `start` sends messages to, until the reader leaves, five minutes are over, or it reads too slowly; then the
 * function that `start` returned is called. Throws 429 while 100 of the project are open, or 10 of the member who asks, and
 * 503 while 500 are in all.
 */
export function streamEvents(
  ctx: Context,
  projectId: string,
  { method }: Request,
  actor: Actor,
  start: (reader: StreamReader) => Promise<() => void>,
): Response {
  // Elysia reads all of a body to count it, and this one has no end.
  if (method === "HEAD") return new Response(null, { headers: HEADERS });
  const leave = enter(ctx, projectId, actor);
  const encoder = new TextEncoder();
  let end = (_hasLeft = false) => {};
  const body = new ReadableStream<Uint8Array>(
    {
      async start(controller) {
        let stop = () => {};
        let isOpen = true;
        const write = (text: string) => {
          if (!isOpen) return;
          controller.enqueue(encoder.encode(text));
          if (controller.desiredSize! <= 0) end();
        };
        const heart = setInterval(() => write(": \n\n"), HEARTBEAT_MS);
        const limit = setTimeout(() => end(), STREAM_MINUTES * 60_000);
        end = (hasLeft = false) => {
          if (!isOpen) return;
          isOpen = false;
          clearInterval(heart);
          clearTimeout(limit);
          stop();
          leave();
          if (!hasLeft) controller.close();
        };
        write(`retry: ${RETRY_MS}\n\n`);
        try {
          stop = await start({ send: (message) => write(textOf(message)), end: () => end() });
          if (!isOpen) stop();
        } catch (error) {
          ctx.log.warn("a stream could not begin", { projectId, error });
          end();
        }
      },
      cancel: () => end(true),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MAX_UNREAD_BYTES }),
  );
  return new Response(body, { headers: HEADERS });
}

function textOf({ id, event, data }: StreamMessage): string {
  const lines = [...(id ? [`id: ${id}`] : []), ...(event ? [`event: ${event}`] : [])];
  return `${[...lines, `data: ${JSON.stringify(data)}`].join("\n")}\n\n`;
}
