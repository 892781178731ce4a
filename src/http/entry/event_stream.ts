// Server-sent events: an answer that goes on, a message at a time (https://html.spec.whatwg.org/multipage/server-sent-events.html).
import type { Context } from "../../context.ts";
import { createTurnstile } from "./turnstile.ts";

/** Of one project, and of all, in this process. */
export const STREAMS_OF_PROJECT = 10;
const STREAMS_OF_ALL = 100;
/** The caller is authenticated once: who is no longer allowed is out after this time. */
export const STREAM_MINUTES = 5;
/** Proxies close what is silent for longer; most give it a minute. */
const HEARTBEAT_MS = 15_000;
const RETRY_MS = 1_000;
/** What a reader may leave unread before it is let go: it comes back, and goes on where it was. */
const MAX_UNREAD_BYTES = 1_048_576;

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // nginx keeps answers back otherwise.
  "x-accel-buffering": "no",
};

/** A message. */
export interface StreamMessage {
  /** Where a reader that comes back goes on: it sends it as `Last-Event-ID`. */
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

const turnstile = createTurnstile("open a stream", { ofProject: STREAMS_OF_PROJECT, ofAll: STREAMS_OF_ALL });

/**
 * An answer that `start` sends messages to, until the reader leaves, five minutes are over, or it reads too slowly; then the
 * function that `start` returned is called. Throws 429 while ten of the project are open, and 503 while a hundred are in all.
 */
export function streamEvents(
  ctx: Context,
  projectId: string,
  { method }: Request,
  start: (reader: StreamReader) => Promise<() => void>,
): Response {
  // Elysia reads all of a body to count it, and this one has no end.
  if (method === "HEAD") return new Response(null, { headers: HEADERS });
  const leave = turnstile(ctx, projectId);
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
