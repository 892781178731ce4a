// The state of a thing, as a word with a dot in its colour.
import classes from "./status.module.css";
import type { Tone } from "./tone.ts";

export type { Tone } from "./tone.ts";

/** The states of every noun of the API. */
const TONES: Record<string, Tone> = {
  // Mails
  PENDING: "quiet",
  SENDING: "busy",
  CAPTURED: "quiet",
  SENT: "fine",
  DELIVERED: "fine",
  OPENED: "fine",
  CLICKED: "fine",
  BOUNCED: "bad",
  COMPLAINED: "bad",
  FAILED: "bad",
  SUPPRESSED: "warn",
  IN_DOUBT: "warn",
  // Campaigns, workflows, executions
  DRAFT: "quiet",
  SCHEDULED: "busy",
  CANCELLED: "quiet",
  RUNNING: "busy",
  WAITING: "busy",
  COMPLETED: "fine",
  EXITED: "quiet",
  enabled: "fine",
  disabled: "quiet",
  // Contacts
  subscribed: "fine",
  unsubscribed: "quiet",
  // Domains
  verified: "fine",
  unverified: "warn",
  // Jobs
  queued: "quiet",
  active: "busy",
  completed: "fine",
  failed: "bad",
};

/** `IN_DOUBT` as `In doubt`. */
export function wordOf(status: string): string {
  const words = status.replaceAll("_", " ").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

interface Props {
  /** As the API has it. */
  status: string;
  /** Left out: that of the status. */
  tone?: Tone;
  /** Left out: the status as a word. */
  children?: React.ReactNode;
}

/** A state. The word says it; the colour helps those who see it. */
export function Status({ status, tone = TONES[status] ?? "quiet", children }: Props) {
  return (
    <span className={classes.status} data-tone={tone}>
      {children ?? wordOf(status)}
    </span>
  );
}
