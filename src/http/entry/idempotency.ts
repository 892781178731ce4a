// The header that keeps a repeated request from being carried out twice.
import { t } from "elysia";
import { assertIdempotencyKey } from "../../accounts/idempotency.ts";

/** The headers of an endpoint that takes it. */
export const IdempotencyHeaders = t.Object({
  "idempotency-key": t.Optional(
    t.String({
      description:
        "1 to 255 printable ASCII characters: a repeated request with the same key within 24 hours is refused with 409.",
    }),
  ),
});

/** The headers of an endpoint that can answer again what it answered first. */
export const ReplayHeaders = t.Object({
  ...IdempotencyHeaders.properties,
  "idempotency-replay": t.Optional(
    t.String({
      description:
        "`true`: where the key was used before by the same request, the answer is the first one, with `Idempotent-Replayed: true`, in place of 409.",
    }),
  ),
});

/** Whether a request asks for the first answer. */
export function wantsReplay(headers: { "idempotency-replay"?: string | undefined }): boolean {
  return headers["idempotency-replay"]?.toLowerCase() === "true";
}

/** The key of a request; null if it has none. Throws 400 for one that is no key. */
export function idempotencyKey(headers: { "idempotency-key"?: string | undefined }): string | null {
  const key = headers["idempotency-key"];
  if (key === undefined) return null;
  assertIdempotencyKey(key);
  return key;
}
