// What owners and admins are told about rates that got worse.
import type { MemberNotice } from "../../sending/platform/mod.ts";

/** What is watched. */
export const ALERT_KINDS = ["BOUNCES", "COMPLAINTS", "DEFERRALS"] as const;

export type AlertKind = (typeof ALERT_KINDS)[number];

/** A rate that is above its level. */
export interface RatedAlert {
  kind: AlertKind;
  /** The domain of the sender. */
  domain: string;
  /** Null: at all mailbox providers together. */
  provider: string | null;
  /** `count` of `total`, in percent, when it was last above its level. */
  count: number;
  total: number;
  rate: number;
  level: number;
}

const WHAT: Record<AlertKind, { noun: string; verb: string; advice: string }> = {
  BOUNCES: {
    noun: "bounces",
    verb: "bounced",
    advice:
      "Many bounces come from addresses that do not exist: look where the recipients came from, and stop the campaign if the list is old, bought or imported.",
  },
  COMPLAINTS: {
    noun: "complaints",
    verb: "were reported as spam",
    advice:
      "People complain about mail that they did not ask for, or cannot stop: check who was written to, and that the unsubscribe link is easy to find.",
  },
  DEFERRALS: {
    noun: "deferrals",
    verb: "were put off",
    advice:
      "Mailbox providers put off senders whose volume has jumped, or whom they do not trust: send more slowly, and read their replies in the list of sent mails.",
  },
};

/** The notice about alerts that are new. */
export function alertNotice(projectName: string, alerts: RatedAlert[]): MemberNotice {
  const nouns = [...new Set(alerts.map(({ kind }) => WHAT[kind].noun))];
  const advice = new Set(alerts.map(({ kind }) => WHAT[kind].advice));
  return {
    subject: `${projectName}: too many ${nouns.join(" and ")}`,
    paragraphs: [
      ...alerts.map(sentenceOf),
      ...advice,
      "The page Deliverability of the project shows the figures. You are told again when another rate gets worse.",
    ],
  };
}

function sentenceOf({ kind, domain, provider, count, total, rate, level }: RatedAlert): string {
  const where = provider === null ? "" : ` at ${provider}`;
  const what = kind === "DEFERRALS" ? "attempts" : "mails";
  const counted = `${count.toLocaleString("en")} of ${total.toLocaleString("en")} ${what}`;
  return `${domain}${where}: ${rate} % ${WHAT[kind].verb} (${counted}); the level is ${level} %.`;
}
