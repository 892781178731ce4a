// What Google, Yahoo and Microsoft ask of senders, and how a domain stands: by what the last check of its records found, the
// settings, and the figures of delivery. Nothing is waited for that has to be looked up.
import { createPublicKey } from "node:crypto";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { type Domain, getDomain } from "../../sending/domains/mod.ts";
import type { ShownRecord } from "../../sending/domains/records.ts";
import { reverseDnsVerdict, type ReverseVerdict } from "./_reverse_dns.ts";
import { type Figures, NOTHING, rateFigures } from "./_rates.ts";

/** Providers that publish rules, and where. */
export const RULE_SOURCES = {
  google: "https://support.google.com/a/answer/81126",
  yahoo: "https://senders.yahooinc.com/best-practices/",
  microsoft: "https://sendersupport.olc.protection.outlook.com/pm/policies",
} as const;

export type RuleProvider = keyof typeof RULE_SOURCES;

/** Every rule, in the order in which they are shown. */
export const RULES = [
  "SPF",
  "DKIM",
  "DMARC",
  "ALIGNMENT",
  "ONE_CLICK_UNSUBSCRIBE",
  "TLS",
  "REVERSE_DNS",
  "COMPLAINT_RATE",
] as const;

type RuleName = (typeof RULES)[number];

/** How a domain stands. WARNING: it still does, but should not. */
export const RULE_STATES = ["OK", "WARNING", "FAILED", "UNKNOWN"] as const;

/** What is asked, and how the domain stands. */
export interface SenderRule {
  rule: RuleName;
  /** Who asks for it. */
  providers: RuleProvider[];
  /** BULK: of those who send 5,000 mails a day to a provider. */
  askedOf: "ALL" | "BULK";
  state: (typeof RULE_STATES)[number];
  /** What was found, in a sentence. */
  detail: string;
  /** What to do; null where nothing is. */
  advice: string | null;
}

/** The rules for a domain. */
export interface SenderRules {
  domain: string;
  /** The most mails that one of these providers accepted on one of the last 30 days (UTC). */
  busiestDay: { provider: RuleProvider; date: string; mails: number } | null;
  isBulkSender: boolean;
  rules: SenderRule[];
}

/** From so many mails a day to one provider on, its rules for bulk senders apply. */
export const BULK_MAILS = 5_000;
const BUSIEST_OF_DAYS = 30;
const RATES_OF_DAYS = 7;
/** A rate of fewer mails says little. */
const MINIMUM_MAILS = 100;
const TLS_PERCENT = 99;
const COMPLAINTS = { aim: 0.1, limit: 0.3 };
const DAY_MS = 86_400_000;

const EVERYBODY: RuleProvider[] = ["google", "yahoo", "microsoft"];

type Verdict = Pick<SenderRule, "state" | "detail" | "advice">;

/** How a domain of the project stands. Throws 404. */
export async function readSenderRules(
  ctx: Context,
  projectId: string,
  domainId: string,
): Promise<SenderRules> {
  const domain = await getDomain(ctx, projectId, domainId);
  const [busiest, figures, reverse] = await Promise.all([
    q.deliverability.busiestDay(ctx, {
      projectId,
      senderDomain: domain.domain,
      providers: EVERYBODY,
      since: daysAgo(ctx, BUSIEST_OF_DAYS),
      until: ctx.now(),
    }),
    readRates(ctx, projectId, domain.domain),
    reverseDnsVerdict(ctx, projectId),
  ]);
  return {
    domain: domain.domain,
    busiestDay: busiest && { ...busiest, provider: busiest.provider as RuleProvider },
    isBulkSender: (busiest?.mails ?? 0) >= BULK_MAILS,
    rules: rulesOf(ctx, domain, figures, reverse),
  };
}

async function readRates(ctx: Context, projectId: string, senderDomain: string): Promise<Figures> {
  const rows = await q.deliverability.figures(ctx, {
    projectId,
    since: daysAgo(ctx, RATES_OF_DAYS),
    until: ctx.now(),
    groupBy: "domain",
    bucket: "day",
    provider: null,
    senderDomain,
    transportId: null,
  });
  return rateFigures(rows.find(({ group, bucket }) => group === null && bucket === null) ?? NOTHING);
}

function daysAgo(ctx: Context, days: number): Date {
  return new Date(Math.floor(ctx.now().getTime() / DAY_MS - days + 1) * DAY_MS);
}

function rulesOf(ctx: Context, domain: Domain, figures: Figures, reverse: ReverseVerdict): SenderRule[] {
  const record = (purpose: ShownRecord["purpose"], type: ShownRecord["type"] = "TXT") =>
    domain.records.find((one) => one.purpose === purpose && one.type === type);
  const rule = (
    name: RuleName,
    askedOf: SenderRule["askedOf"],
    providers: RuleProvider[],
    verdict: Verdict,
  ): SenderRule => ({ rule: name, providers, askedOf, ...verdict });
  return [
    rule("SPF", "BULK", EVERYBODY, recordVerdict("SPF record", record("SPF"))),
    rule("DKIM", "BULK", EVERYBODY, dkimVerdict(record("DKIM"))),
    rule("DMARC", "BULK", EVERYBODY, recordVerdict("DMARC record", record("DMARC"))),
    rule("ALIGNMENT", "BULK", EVERYBODY, alignmentVerdict(record("DKIM"), record("RETURN_PATH", "MX"))),
    rule("ONE_CLICK_UNSUBSCRIBE", "BULK", ["google", "yahoo"], unsubscribeVerdict(ctx.config.BASE_URL)),
    rule("TLS", "ALL", ["google"], tlsVerdict(figures)),
    rule("REVERSE_DNS", "ALL", ["google", "yahoo"], reverse),
    rule("COMPLAINT_RATE", "ALL", ["google", "yahoo"], complaintVerdict(figures)),
  ];
}

function ok(detail: string): Verdict {
  return { state: "OK", detail, advice: null };
}

function recordVerdict(noun: string, record: ShownRecord | undefined): Verdict {
  if (!record || record.status === "PENDING") {
    return {
      state: "UNKNOWN",
      detail: `The ${noun} has not been looked up yet.`,
      advice: "Check the domain now.",
    };
  }
  if (record.status === "VERIFIED") return ok(`The ${noun} is in place.`);
  return {
    state: "FAILED",
    detail: `${record.reason ?? `The ${noun} is ${record.status === "MISSING" ? "missing" : "another one"}`}.`,
    advice: `Publish it: ${record.type} ${record.name} ${record.value}`,
  };
}

/** 1,024 bits are taken, 2,048 are recommended. */
function dkimVerdict(record: ShownRecord | undefined): Verdict {
  const verdict = recordVerdict("DKIM record", record);
  if (verdict.state !== "OK") return verdict;
  const bits = bitsOf(record!.value);
  return ok(bits === null ? verdict.detail : `The DKIM record is in place, with a key of ${bits} bits.`);
}

function bitsOf(record: string): number | null {
  const key = /\bp=([\w+/=]+)/.exec(record)?.[1];
  if (key === undefined) return null;
  try {
    const { asymmetricKeyDetails } = createPublicKey({
      key: Buffer.from(key, "base64"),
      format: "der",
      type: "spki",
    });
    return asymmetricKeyDetails?.modulusLength ?? null;
  } catch {
    return null;
  }
}

/** Mails are signed with the domain in From, and bounces go to a domain below it: one of both has to pass. */
function alignmentVerdict(dkim: ShownRecord | undefined, returnPath: ShownRecord | undefined): Verdict {
  const by = [
    ...(dkim?.status === "VERIFIED" ? ["DKIM: mails are signed with the domain in From"] : []),
    ...(returnPath?.status === "VERIFIED" ? ["SPF: bounces go to a domain below it"] : []),
  ];
  if (by.length > 0) return ok(`DMARC passes by ${by.join(", and by ")}.`);
  if (!dkim || dkim.status === "PENDING") {
    return {
      state: "UNKNOWN",
      detail: "The DKIM record has not been looked up yet.",
      advice: "Check the domain now.",
    };
  }
  return {
    state: "FAILED",
    detail: "Mails are not signed with the domain in From, so DMARC fails.",
    advice: "Publish the DKIM record.",
  };
}

/** RFC 8058 takes no address without TLS. */
function unsubscribeVerdict(baseUrl: string): Verdict {
  if (baseUrl.startsWith("https:")) {
    return ok(
      "Marketing mails carry List-Unsubscribe and List-Unsubscribe-Post, and the link in their footer.",
    );
  }
  return {
    state: "FAILED",
    detail: "One-click unsubscribe needs an address with https, and this installation has none.",
    advice: "The operator of this installation sets BASE_URL to an address that begins with https://.",
  };
}

function tlsVerdict({ tlsRate }: Figures): Verdict {
  if (tlsRate === null) {
    return {
      state: "UNKNOWN",
      detail: "Mails go through a mail server that encrypts, or not: it does not say.",
      advice: null,
    };
  }
  const detail = `${tlsRate} % of the mails of the last ${RATES_OF_DAYS} days were delivered over TLS.`;
  if (tlsRate >= TLS_PERCENT) return ok(detail);
  const advice = "See which mailbox providers take mail without TLS, in the figures by provider.";
  return { state: "WARNING", detail, advice };
}

/** Google tells its complaints to nobody else than in its Postmaster Tools. */
function complaintVerdict({ accepted, complained, complaintRate }: Figures): Verdict {
  if (accepted < MINIMUM_MAILS) {
    const detail = `Fewer than ${MINIMUM_MAILS} mails were accepted in the last ${RATES_OF_DAYS} days.`;
    return { state: "UNKNOWN", detail, advice: null };
  }
  const detail = `${complaintRate} % of the mails of the last ${RATES_OF_DAYS} days were reported as spam (${complained.toLocaleString("en")} of ${accepted.toLocaleString("en")}). Gmail's are only in Google's Postmaster Tools.`;
  if (complaintRate < COMPLAINTS.aim) return ok(detail);
  const advice = `Keep it below ${COMPLAINTS.aim} %, and never at ${COMPLAINTS.limit} %: write only to people who asked for it.`;
  return { state: complaintRate < COMPLAINTS.limit ? "WARNING" : "FAILED", detail, advice };
}
