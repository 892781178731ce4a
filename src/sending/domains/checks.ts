// Checks whether the records of domains are in place. A check takes the domain first, so that nobody else checks it at
// the same time, and no transaction is open during it.
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Queries } from "../../db/queries.gen.ts";
import { addJob } from "../../jobs.ts";
import type { DnsAnswer } from "../../mail/dns.ts";
import {
  type DomainRecord,
  inheritedDmarcName,
  judgeRecord,
  recordKey,
  type RecordState,
} from "../../mail/domain_records.ts";
import { findingOf, type RecordFinding } from "../../mail/record_findings.ts";
import { type RecordFindings, recordsOf, type RecordStates } from "./records.ts";
import { afterCheck, type KeyVerdict, nextCheckAt } from "./_status.ts";
import { notifyMembers } from "../platform/mod.ts";

type Claimed = Awaited<ReturnType<Queries["domains"]["claimDue"]>>[number];
type Checked = Awaited<ReturnType<Queries["domains"]["recordChecks"]>>[number];

/** The minimum time between two look-ups of one domain, by anybody. */
export const FLOOR_MS = 30_000;
/** The look-ups of one domain together: less than the floor, so that two never run side by side. */
const CHECK_MS = 8_000;
const LOOK_UP_MS = 4_000;
/** A check that has not returned by then is taken for dead. */
const HOLD_MS = 2 * 60_000;
/** How many domains are looked up at once. */
const AT_ONCE = 50;
/** A batch, as `domains.claim_due` takes it: two domains for each place, so it ends before a process that is to stop. */
const BATCH = 100;

/**
 * Checks a batch of the domains that are due; where there may be more, the next batch is another job. Concurrent
 * processes share them.
 */
export async function checkDueDomains(ctx: Context): Promise<void> {
  const now = ctx.now();
  const domains = await q.domains.claimDue(ctx, { now, heldUntil: heldUntil(now) });
  await check(ctx, domains, now);
  if (domains.length === BATCH) await addJob(ctx, "check_domains", {}, { key: "check_domains" });
}

/** Checks one domain now, unless a look-up of it began within the last 30 s. */
export async function checkDomain(ctx: Context, projectId: string, domainId: string): Promise<void> {
  const now = ctx.now();
  const notSince = new Date(now.getTime() - FLOOR_MS);
  const claim = { projectId, domainId, now, heldUntil: heldUntil(now), notSince };
  const claimed = await q.domains.claim(ctx, claim);
  if (claimed) await check(ctx, [claimed], now);
}

function heldUntil(now: Date): Date {
  return new Date(now.getTime() + HOLD_MS);
}

/** Looks all of them up, and stores the results in one statement. */
async function check(ctx: Context, domains: Claimed[], startedAt: Date): Promise<void> {
  if (domains.length === 0) return;
  const seen = await lookUpAll(ctx, domains);
  const now = ctx.now();
  const checks = domains.map((domain, i) => outcomeOf(domain, seen[i]!, now));
  await inTransaction(ctx, async (tx) => {
    const written = await q.domains.recordChecks(tx, { checks, startedAt, now });
    for (const domain of written) if (domain.changed) await notify(tx, domain);
  });
}

/** What the DNS says of each domain, in their order. A domain with silent servers delays only itself. */
async function lookUpAll(ctx: Context, domains: Claimed[]): Promise<Seen[]> {
  const seen: Seen[] = [];
  const left = domains.entries();
  const work = async () => {
    for (const [i, domain] of left) seen[i] = await lookUp(ctx, domain);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return seen;
}

/**
 * One look-up after the other, with their results. Unanswered ones are left out; without an answer for the record that
 * counts, the others are not looked up.
 */
async function lookUp(ctx: Context, domain: Claimed): Promise<Seen> {
  const deadline = performance.now() + CHECK_MS;
  const seen: Seen = { states: {}, findings: {} };
  for (const record of recordsOf(ctx.config, domain)) {
    const judged = await judge(ctx, record, deadline);
    if (judged !== null) {
      seen.states[recordKey(record)] = judged.state;
      seen.findings[recordKey(record)] = judged.finding;
    } else if (record.required) break;
  }
  return seen;
}

/** What one look-up of a domain found out. */
interface Seen {
  states: RecordStates;
  findings: RecordFindings;
}

/** Null when the DNS did not answer. */
async function judge(
  ctx: Context,
  record: DomainRecord,
  deadline: number,
): Promise<{ state: RecordState; finding: RecordFinding } | null> {
  const ask = async (name: string): Promise<DnsAnswer<"TXT" | "MX">> => {
    const timeoutMs = Math.min(LOOK_UP_MS, deadline - performance.now());
    if (timeoutMs <= 0) return { state: "failed", reason: "timeout" };
    return await ctx.dns.lookup(name, record.type, { timeoutMs });
  };
  const judgeAt = async (name: string) => {
    const answer = await ask(name);
    const state = judgeRecord(record, answer);
    return state && { state, finding: findingOf(record, state, answer) };
  };
  const judged = await judgeAt(record.name);
  const isMissing = record.purpose === "DMARC" && judged?.state === "MISSING";
  const above = isMissing ? inheritedDmarcName(record.name) : null;
  return above === null ? judged : await judgeAt(above);
}

function outcomeOf(domain: Claimed, { states, findings }: Seen, now: Date) {
  const standing = afterCheck(domain, verdictOf(states["DKIM TXT"]), now);
  return {
    project_id: domain.projectId,
    id: domain.id,
    status: standing.status,
    verified_at: standing.verifiedAt,
    failures: standing.failures,
    failing_since: standing.failingSince,
    next_check_at: nextCheckAt(standing, now),
    record_states: { ...(domain.recordStates as RecordStates), ...states },
    record_findings: { ...(domain.recordFindings as unknown as RecordFindings), ...findings },
  };
}

function verdictOf(state: RecordState | undefined): KeyVerdict {
  if (state === undefined) return "unknown";
  return state === "VERIFIED" ? "match" : "fail";
}

/** Notifies the members of a domain's new status. */
async function notify(tx: Context, { projectId, domain, dkimSelector, was, status }: Checked): Promise<void> {
  const record = `${dkimSelector}._domainkey.${domain}`;
  if (status === "VERIFIED") {
    return await notifyMembers(tx, projectId, {
      subject: `${domain} is verified`,
      paragraphs: [
        `The DKIM record of ${domain} is in place: mail can now be sent from the domain, and is signed.`,
        `Keep the TXT record ${record}: it is checked regularly.`,
      ],
    });
  }
  const [subject, reason] =
    was === "VERIFIED"
      ? [`${domain} is no longer verified`, "was missing or wrong in several checks over at least an hour"]
      : [`${domain} could not be verified`, "has not been found for three days"];
  await notifyMembers(tx, projectId, {
    subject,
    paragraphs: [
      `The TXT record ${record} ${reason}. Mail from ${domain} is refused until it is there.`,
      `Publish it as shown in the list of the project's domains. It will be noticed automatically, or at once when you request a check.`,
    ],
  });
}
