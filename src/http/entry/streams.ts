// Answers that are made while they are read: as fast as the reader takes them, and no faster.
import type { Context } from "../../context.ts";
import { describeError } from "../../log.ts";
import { createTurnstile } from "./turnstile.ts";

/** Of one project at a time: each keeps a statement running. */
const MAX_OF_PROJECT = 2;
const MAX_OF_ALL = 8;

const enter = createTurnstile("export", { ofOne: MAX_OF_PROJECT, ofAll: MAX_OF_ALL });

/** What a file is called, and what is in it. */
export interface StreamedFile {
  type: string;
  fileName: string;
}

/**
 * The answer that streams these pieces of text, or of its bytes. One that cannot be finished is broken off, so that nobody takes a part for
 * the whole. Throws 429 while two of the project run, and 503 while eight run in all.
 */
export function streamText(
  ctx: Context,
  projectId: string,
  pieces: AsyncGenerator<Uint8Array | string>,
  { type, fileName }: StreamedFile,
  { method }: Request,
): Response {
  const headers = {
    "content-type": type,
    "content-disposition": `attachment; filename="${fileName}"`,
    "cache-control": "no-store",
  };
  // Elysia reads all of a body to count it.
  if (method === "HEAD") return new Response(null, { headers });
  const leave = enter(ctx, projectId);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await pieces.next();
        if (!done) return controller.enqueue(typeof value === "string" ? encoder.encode(value) : value);
        leave();
        controller.close();
      } catch (error) {
        leave();
        ctx.log.error("a file was broken off", { projectId, fileName, ...describeError(error) });
        controller.error(error);
      }
    },
    async cancel() {
      leave();
      await pieces.return(undefined);
    },
  });
  return new Response(body, { headers });
}
