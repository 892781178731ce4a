// The headers of Standard Webhooks.
import { createHmac } from "node:crypto";
import type { GuardedRequest } from "../../net/guarded_request.ts";

/** The headers by which a receiver knows that a webhook is ours, at this time, and not another one (Standard Webhooks). */
export function signatureHeaders(
  { body }: Pick<GuardedRequest, "body">,
  { id, at, secrets }: { id: string; at: Date; secrets: string[] },
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
    return `v1,${createHmac("sha256", key)
      .update(`${id}.${timestamp}.${body ?? ""}`)
      .digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}
