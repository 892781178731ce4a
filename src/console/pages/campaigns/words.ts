// Campaigns in words.
import type { Campaign } from "../../api.gen.ts";
import { wordOf } from "../../parts/status.tsx";

/** The states, in the order in which a campaign goes through them. */
export const STATUSES: Campaign["status"][] = ["DRAFT", "SCHEDULED", "SENDING", "SENT", "CANCELLED"];

export const isStatus = (status: string): status is Campaign["status"] =>
  STATUSES.includes(status as Campaign["status"]);

/** `Draft`; what is no state stays as it is. */
export const wordOfStatus = (status: string) => (isStatus(status) ? wordOf(status) : status);

type Timed = Pick<Campaign, "status" | "scheduledFor" | "sentAt" | "updatedAt">;

/** What happened last, or happens next, and when. */
export function momentOf({ status, scheduledFor, sentAt, updatedAt }: Timed): { verb: string; at: string } {
  switch (status) {
    case "DRAFT":
      return { verb: "Changed", at: updatedAt };
    case "SCHEDULED":
      return { verb: "Goes out", at: scheduledFor ?? updatedAt };
    case "SENDING":
      return { verb: "Began", at: sentAt ?? updatedAt };
    case "SENT":
      return { verb: "Sent", at: sentAt ?? updatedAt };
    case "CANCELLED":
      return { verb: "Cancelled", at: updatedAt };
  }
}

type Targeted = Pick<Campaign, "audienceType" | "segmentId">;

/** Whom it is for, in two or three words. */
export function audienceOf(
  { audienceType, segmentId }: Targeted,
  segments: ReadonlyMap<string, string>,
): string {
  if (audienceType === "ALL") return "All contacts";
  if (audienceType === "FILTERED") return "A condition";
  if (segmentId === null) return "A deleted segment";
  return segments.get(segmentId) ?? "A segment";
}

type Counted = Pick<Campaign, "totalRecipients" | "processedCount">;

/** How far the sending is: how many mails have an outcome, of how many. */
export const progressOf = ({ totalRecipients, processedCount }: Counted) => ({
  done: processedCount,
  total: Math.max(totalRecipients, processedCount),
});
