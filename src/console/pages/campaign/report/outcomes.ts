// What can happen to a mail of a campaign, as its recipients are listed by it.
import type { Input } from "../../../api.ts";

type Query = NonNullable<Input<"GET /campaigns/{id}/recipients">["query"]>;

interface Outcome {
  label: string;
  /** What there is none of, if there is none. */
  none: string;
  query: Query;
}

/** By their names in the address. */
export const OUTCOMES = {
  all: { label: "All", none: "No mails", query: {} },
  opened: { label: "Opened", none: "Nobody has opened it yet", query: { opened: "true" } },
  unopened: { label: "Did not open", none: "Everybody has opened it", query: { opened: "false" } },
  clicked: { label: "Clicked", none: "Nobody has clicked yet", query: { clicked: "true" } },
  unclicked: { label: "Did not click", none: "Everybody has clicked", query: { clicked: "false" } },
  unsubscribed: {
    label: "Unsubscribed",
    none: "Nobody has unsubscribed through it",
    query: { unsubscribed: "true" },
  },
  bounced: { label: "Bounced", none: "No mail has bounced", query: { status: "BOUNCED" } },
  complained: {
    label: "Reported as spam",
    none: "Nobody has reported it as spam",
    query: { status: "COMPLAINED" },
  },
  failed: { label: "Failed", none: "No mail has failed", query: { status: "FAILED" } },
  suppressed: { label: "Suppressed", none: "No mail was suppressed", query: { status: "SUPPRESSED" } },
  doubted: { label: "In doubt", none: "No mail is in doubt", query: { status: "IN_DOUBT" } },
  captured: { label: "Captured", none: "No mail was captured", query: { status: "CAPTURED" } },
  waiting: { label: "Not sent yet", none: "No mail is waiting", query: { status: "PENDING" } },
} as const satisfies Record<string, Outcome>;

export type OutcomeName = keyof typeof OUTCOMES;

/** The outcome of this name; all if there is none. */
export const outcomeNamed = (name: string): OutcomeName =>
  Object.hasOwn(OUTCOMES, name) ? (name as OutcomeName) : "all";

/** The outcome whose mails are in a state. */
export const OF_STATUS: Record<string, OutcomeName> = {
  BOUNCED: "bounced",
  FAILED: "failed",
  COMPLAINED: "complained",
  SUPPRESSED: "suppressed",
  IN_DOUBT: "doubted",
};

/** The page of a campaign's recipients with one outcome. */
export const recipientsOf = (campaignId: string, outcome: OutcomeName) =>
  `/campaigns/${campaignId}?tab=recipients&outcome=${outcome}`;
