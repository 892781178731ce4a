// What owners and admins are told about an endpoint.
import type { MemberNotice } from "../../sending/platform/mod.ts";

/** An endpoint was paused by the service. */
export function pauseNotice(url: string, reason: "FAILING" | "GONE", failingSince: Date): MemberNotice {
  const why =
    reason === "GONE"
      ? "It responded with 410 Gone, which asks for no more calls."
      : `Every call has failed since ${failingSince.toISOString().slice(0, 16).replace("T", " ")} UTC.`;
  return {
    subject: `The webhook ${url} is paused`,
    paragraphs: [
      `The webhook ${url} is paused. ${why}`,
      "What was waiting for it is kept for 30 days. What happens from now on is not collected.",
      "When the endpoint works again, enable the webhook in the settings of the project. What was waiting is then delivered, and what has failed can be replayed.",
    ],
  };
}
