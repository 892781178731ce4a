import type { ClaimedEmail } from "./emails.ts";

/** What of a mail and its contact decides whether it may be sent. */
export type Reconsidered = Pick<
  ClaimedEmail,
  "contactId" | "address" | "sourceType" | "subscribed" | "optedOutAt" | "suppressed"
>;

/** Said of a mail whose body is gone (`retention.empty_contents`, `retention.close_captured`). */
export const EXPIRED = "The content of this mail has expired";

/**
 * Why this mail must not be sent any more; null when nothing speaks against it. `type` is that of its content, null where
 * that has expired.
 */
export function reasonAgainst(email: Reconsidered, type: ClaimedEmail["type"]): string | null {
  // The address of a deleted contact is a hash (`contact_deletion.part_with_emails`).
  if (email.subscribed === null && !(email.contactId === null && email.address.includes("@"))) {
    return "The contact was deleted";
  }
  if (email.suppressed !== null) return `The address is on the suppression list (${email.suppressed})`;
  if (type === null) return EXPIRED;
  if (type === "MARKETING" && email.optedOutAt) return "The contact has opted out";
  const asksForSubscription = email.sourceType !== "TRANSACTIONAL" && type !== "TRANSACTIONAL";
  if (asksForSubscription && email.subscribed === false) return "The contact is not subscribed";
  return null;
}
