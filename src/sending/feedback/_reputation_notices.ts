// The notices to the members of a project about its reputation.
import { type Counts, exceeded, faultsOf, LEVELS, type RateName } from "./_reputation_levels.ts";
import type { MemberNotice } from "../platform/mod.ts";

/** What has happened: a level was exceeded, or the project was disabled for it. */
export type Turn = "WARNING" | "CRITICAL" | "DISABLED";

const NAMES: Record<RateName, string> = { bounceRate: "bounces", complaintRate: "complaints" };

const ADVICE: Record<RateName, string> = {
  bounceRate:
    "Mails bounce when their addresses do not exist. Send only to people who gave you their address themselves, have " +
    "new addresses confirmed, and check lists that are old, bought or imported: POST /v1/verify says what " +
    "speaks against an address.",
  complaintRate:
    "People complain about mails that they did not expect. Send only to those who asked for it, not too " +
    "often, and with a link to unsubscribe that is easy to find.",
};

const CRITICAL = `over ${LEVELS.bounceRate.critical} % bounces or ${LEVELS.complaintRate.critical} % complaints`;

/** The notice about a turn. `disables`: whether this installation disables a project that is critical. */
export function noticeOf(projectName: string, turn: Turn, counts: Counts, disables: boolean): MemberNotice {
  const { violations, warnings } = faultsOf(counts);
  const rates = exceeded(counts, "warning");
  const what = rates.map((rate) => NAMES[rate]).join(" and ");
  return {
    subject: subjectOf(projectName, turn, what),
    paragraphs: [
      ...[...violations, ...warnings].map((sentence) => `${sentence}.`),
      consequenceOf(turn, disables),
      ...rates.map((rate) => ADVICE[rate]),
    ],
  };
}

function subjectOf(name: string, turn: Turn, what: string): string {
  if (turn === "DISABLED") return `${name} was disabled: too many ${what}`;
  return turn === "CRITICAL" ? `${name} has far too many ${what}` : `${name} has too many ${what}`;
}

function consequenceOf(turn: Turn, disables: boolean): string {
  if (turn === "DISABLED") {
    return (
      "Requests of the project are refused, and nothing is sent. Mails that were accepted before are kept: they go out " +
      "once the operator of this installation has enabled the project again."
    );
  }
  const providers = "Mailbox providers treat the mail of such a sender as spam, or reject all of it.";
  return turn === "WARNING" && disables
    ? `${providers} With ${CRITICAL} the project is disabled.`
    : providers;
}
