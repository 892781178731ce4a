// A body that is a file by itself, and is worked on while it comes: nothing of it is kept here.
import { Kind, TypeRegistry } from "@sinclair/typebox";
import { t } from "elysia";
import { problems } from "../../problem/mod.ts";

/** A file on its way. */
export interface StreamedBody {
  /** As the caller declared it, without parameters; empty if nothing was declared. */
  type: string;
  pieces: AsyncIterable<Uint8Array>;
}

// The document says what is expected; what comes is checked by the route.
TypeRegistry.Set("StreamedBody", () => true);

/** The body of a route that takes a file of this type as it comes. */
export const StreamBody = (mediaType: string, description: string) =>
  t.Unsafe<StreamedBody>({
    [Kind]: "StreamedBody",
    type: "string",
    format: "binary",
    contentMediaType: mediaType,
    description,
  });

/** The media type of the schema of a streamed body; null for any other. */
export function streamedType(schema: object): string | null {
  const { [Kind]: kind, contentMediaType } = schema as { [Kind]?: string; contentMediaType?: string };
  return kind === "StreamedBody" ? contentMediaType! : null;
}

/** The body of a request as it comes. Refuses with 413 more than `limit` bytes: at once, where its length is given. */
export function streamBody(request: Request, limit: number): StreamedBody {
  if (Number(request.headers.get("content-length") ?? 0) > limit) throw problems.bodyTooLarge(limit);
  const type = (request.headers.get("content-type") ?? "").split(";", 1)[0]!.trim().toLowerCase();
  return { type, pieces: piecesOf(request, limit) };
}

async function* piecesOf(request: Request, limit: number): AsyncGenerator<Uint8Array> {
  let length = 0;
  try {
    for await (const piece of request.body ?? []) {
      length += piece.byteLength;
      if (length > limit) throw problems.bodyTooLarge(limit);
      yield piece;
    }
  } catch (error) {
    // The sender has hung up.
    if (error instanceof Error && error.name === "AbortError") throw problems.bodyCutShort();
    throw error;
  }
}
