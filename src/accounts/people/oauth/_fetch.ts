// What is required of a provider: within bounds, and without following it anywhere.
import type { CustomFetchOptions } from "openid-client";

/** Key sets and metadata are the largest, with some 10 KB. */
const MAX_ANSWER_BYTES = 262_144;

/** Statuses whose responses have no body. */
const BODILESS = [204, 205, 304];

/** Fetches with an answer that is all there and not too large. Throws for a larger one, and when `signal` ends it. */
export async function boundedFetch(
  url: string,
  { method, headers, body, signal }: CustomFetchOptions,
): Promise<Response> {
  const response = await fetch(url, {
    method,
    headers,
    redirect: "manual",
    ...(body && { body: body as BodyInit }),
    ...(signal && { signal }),
  });
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    // Leaving the loop ends the connection.
    if (length > MAX_ANSWER_BYTES) throw new Error(`an answer of more than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  const { status } = response;
  return new Response(BODILESS.includes(status) ? null : Buffer.concat(chunks), {
    status,
    headers: response.headers,
  });
}
