// What happened to mails by the quarter of an hour: kept by a trigger of the ledger (`count_emails`), rolled up and checked here.
import { type Context, inTransaction, patiently } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Queries } from "../../db/queries.gen.ts";
import { rollUpAll } from "../../rollup.ts";
import { FIRST_ID } from "../ids.ts";

/** A day of mails from one source whose counter differs from the ledger. */
export type MailCountFault = Awaited<ReturnType<Queries["mailCounts"]["faults"]>>[number];

type Counted = Awaited<ReturnType<Queries["mailCounts"]["byDay"]>>[number];

/** How many mails are read in one statement: 0.2 s. */
const PAGE = 50_000;
const DAY_MS = 86_400_000;

/** Adds what has been counted since the last time to the quarters. Returns whether there was anything. */
export async function rollUpMailCounts(ctx: Context): Promise<boolean> {
  return await rollUpAll(ctx, q.mailCounts.rollUp);
}

/**
 * Compares the counters of a project with its ledger, and returns up to `limit` faults. Where mails have expired the
 * counters know more than the ledger, and only what they lack is a fault, unless that `forgets`.
 */
export async function mailCountFaults(
  ctx: Context,
  projectId: string,
  { forgets = false, limit }: { forgets?: boolean; limit: number },
): Promise<MailCountFault[]> {
  if (await seemRight(ctx, projectId, forgets)) return [];
  // It changed while it was read, or it is a fault: only one statement sees everything at one moment.
  return await inTransaction(patiently(ctx), async (tx) => {
    await q.recounts.takeTime(tx);
    return await q.mailCounts.faults(tx, { projectId, forgets, limit });
  });
}

/**
 * Makes the counters of a project equal its ledger, while others continue to send; where mails have expired by the time
 * they are read, only adds what is missing, unless it `forgets`. One statement, which takes 3.5 s for each million of
 * mails. Returns how many quarters were wrong.
 */
export async function recountMails(
  ctx: Context,
  projectId: string,
  { forgets }: { forgets: boolean },
): Promise<number> {
  return await inTransaction(patiently(ctx), async (tx) => {
    await q.recounts.hold(tx, { projectId, kind: "mails" });
    return await q.mailCounts.recount(tx, { projectId, forgets });
  });
}

/**
 * Goes through the ledger page by page, so that no statement is long: a long one keeps Postgres from clearing up behind
 * everybody else. Today is left out, because it changes while this continues.
 */
async function seemRight(ctx: Context, projectId: string, forgets: boolean): Promise<boolean> {
  const expired = forgets ? undefined : (await q.expired.ofProject(ctx, { projectId }))?.emails;
  const before = new Date(Math.floor(ctx.now().getTime() / DAY_MS) * DAY_MS);
  const left = new Map<string, number>();
  const add = (sign: 1 | -1, rows: Counted[]) => {
    for (const row of rows) {
      const key = `${row.day.getTime()} ${row.sourceType} ${row.campaignId} ${row.measure}`;
      const count = (left.get(key) ?? 0) + sign * row.count;
      if (count === 0) left.delete(key);
      else left.set(key, count);
    }
  };
  add(1, await q.mailCounts.byDay(ctx, { projectId, before }));
  for (let after = FIRST_ID; ;) {
    const end = await q.mailCounts.pageEnd(ctx, { projectId, after, limit: PAGE });
    if (!end) break;
    add(-1, await q.mailCounts.factsByDay(ctx, { projectId, after, upTo: end.id, before }));
    after = end.id;
  }
  return [...left.values()].every((count) => expired && count > 0);
}
