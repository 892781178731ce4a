// What a check before sending says.
import type { RecordPurpose, RecordState } from "../../mail/domain_records.ts";
import type { SpamSymbol } from "../../mail/spam_filter.ts";
import type { Reach } from "../campaigns/reach.ts";

/** What is checked, in the order of the answer (guides/campaigns.md). `SPAM` only where there is a spam filter. */
export const CHECK_IDS = [
  "AUDIENCE",
  "SUPPRESSED",
  "USAGE_LIMIT",
  "SENDER",
  "SUBJECT",
  "VARIABLES",
  "LINKS",
  "IMAGES",
  "TEXT",
  "SIZE",
  "SPAM",
  "UNSUBSCRIBE",
  "POSTAL_ADDRESS",
] as const;

export type CheckId = (typeof CHECK_IDS)[number];

/** `ERROR`: recipients will have trouble, or nobody gets it. `WARNING`: look at it. */
export const CHECK_LEVELS = ["ERROR", "WARNING", "OK"] as const;

export type CheckLevel = (typeof CHECK_LEVELS)[number];

/** A link or an image that something is wrong with. */
export interface FaultyLink {
  /** As it is written. */
  url: string;
  kind: "link" | "image";
  level: "ERROR" | "WARNING";
  /** Half a sentence. */
  reason: string;
}

/** What a check found, by the kind of it. */
export interface CheckDetails {
  reach?: Reach;
  usage?: { limit: number; used: number };
  records?: { purpose: RecordPurpose; type: string; name: string; status: RecordState }[];
  rules?: string[];
  /** `share`: percent of the recipients in the sample without a value. */
  variables?: { name: string; share: number }[];
  sample?: number;
  links?: FaultyLink[];
  /** How many links and images were asked for. */
  visited?: number;
  /** Those that depend on the recipient: nobody asked for them. */
  skipped?: string[];
  /** How many more there are than a check asks for, or had time for. */
  unvisited?: number;
  images?: string[];
  words?: number;
  bytes?: number;
  spam?: { score: number; threshold: number; symbols: SpamSymbol[] };
}

/** One thing that was checked. */
export interface CampaignCheck {
  id: CheckId;
  level: CheckLevel;
  title: string;
  /** What was found, and what to do about it. */
  message: string;
  /** The field of the campaign that it is about. */
  field?: string;
  details?: CheckDetails;
}

/** `1 image`, `2 images`. */
export function count(number: number, noun: string): string {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
