// What projects use in a calendar month (UTC), and the limits they set themselves. Mails are counted in the very
// statements that accept them (`take_usage`): one for each recipient, whatever happens to the mail.
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { rollUpAll } from "../../rollup.ts";
import { type FieldError, problems } from "../../problem/mod.ts";
import { type Actor, recordAudit } from "../audit.ts";

/** What is counted and can be limited, each separately. */
export const USAGE_CATEGORIES = ["workflows", "campaigns", "transactional", "inbound"] as const;

export type UsageCategory = (typeof USAGE_CATEGORIES)[number];

/** A limit, and what of it is used now. */
export interface UsageLimit {
  /** A month; null: without limit. */
  limit: number | null;
  usage: number;
  /** Of the limit, with two decimals; 0 without one. */
  percentage: number;
  /** 80 % are used. */
  isWarning: boolean;
  /** Nothing is left. */
  isBlocked: boolean;
}

export type UsageLimits = Record<UsageCategory, UsageLimit>;

/** The month (UTC) of a moment: from its first instant to the first one of the next. */
export interface Month {
  start: Date;
  end: Date;
}

/** The percentage from which a limit is nearly reached. */
export const WARNING_PERCENT = 80;
/** More is a slip of the hand. */
/** The highest limit of a category. */
export const MAX_LIMIT = 1_000_000_000_000;
/** What `take_usage` throws. */
const OVER_LIMIT = "PU402";

const WORDS: Record<UsageCategory, string> = {
  workflows: "workflow mails",
  campaigns: "campaign mails",
  transactional: "transactional mails",
  inbound: "received mails",
};

/** A category in words, such as `campaign mails`. */
export function inWords(category: UsageCategory): string {
  return WORDS[category];
}

/** The calendar month (UTC) that this moment belongs to. */
export function billingMonth(at: Date): Month {
  const first = (months: number) => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months));
  return { start: first(0), end: first(1) };
}

/** Why a mail is not sent that the month had no room for, for its row in the ledger. */
export function overLimit(category: UsageCategory, now: Date): string {
  const next = billingMonth(now).end.toISOString().slice(0, 10);
  return (
    `This month's limit of ${inWords(category)} is reached: more can be sent once it is raised ` +
    `(billing limits of the project), and from ${next} on`
  );
}

/** Waits for a statement that takes all that it wants, or nothing. Throws BILLING_LIMIT_EXCEEDED if less is left. */
export async function withinLimit<T>(tx: Context, statement: Promise<T>): Promise<T> {
  try {
    return await statement;
  } catch (error) {
    const { code, detail } = error as { code?: unknown; detail?: string };
    if (code !== OVER_LIMIT) throw error;
    const said = JSON.parse(detail!) as { category: UsageCategory; limit: number; usage: number };
    throw problems.billingLimitExceeded({ ...said, resetsAt: billingMonth(tx.now()).end });
  }
}

/**
 * Takes for each project as much as is wanted, or as is left of the month, in the transaction that accepts it. Returns
 * how much that is.
 */
export async function takeWhatIsLeft(
  tx: Context,
  category: UsageCategory,
  wanted: Map<string, number>,
): Promise<Map<string, number>> {
  if (wanted.size === 0) return new Map();
  const rows = await q.usage.takeMany(tx, {
    category,
    now: tx.now(),
    projectIds: [...wanted.keys()],
    wanted: [...wanted.values()],
  });
  return new Map(rows.map(({ projectId, granted }) => [projectId, granted]));
}

/** Throws BILLING_LIMIT_EXCEEDED if less than `wanted` is left now. Nothing is taken. */
export async function assertRoom(
  ctx: Context,
  projectId: string,
  category: UsageCategory,
  wanted: number,
): Promise<void> {
  const refused = (await dealOut(ctx, projectId, category))(wanted);
  if (refused) throw refused;
}

/**
 * What is left of this month now, dealt out in order: for each that wants some the refusal, where less is left, or null.
 * Nothing is taken.
 */
export async function dealOut(
  ctx: Context,
  projectId: string,
  category: UsageCategory,
): Promise<(wanted: number) => Error | null> {
  const now = ctx.now();
  const room = await q.usage.room(ctx, { projectId, category, now });
  if (!room) return () => null;
  const { monthlyLimit: limit } = room;
  let usage = room.used;
  return (wanted) => {
    if (usage + wanted > limit) {
      return problems.billingLimitExceeded({ category, limit, usage, resetsAt: billingMonth(now).end });
    }
    usage += wanted;
    return null;
  };
}

/** Every category with its limit, and what of it is used this month. */
export async function usageOf(ctx: Context, projectId: string): Promise<UsageLimits> {
  const rows = await q.usage.ofProject(ctx, { projectId, now: ctx.now() });
  const limits = rows.map(({ category, monthlyLimit, used }) => [category, toLimit(monthlyLimit, used)]);
  return Object.fromEntries(limits) as UsageLimits;
}

/**
 * Changes the limits given, null for none. They apply from the next request on. Returns all of them. Throws 422 with
 * every bad field, and not-found.
 */
export async function setUsageLimits(
  ctx: Context,
  projectId: string,
  actor: Actor,
  wanted: Partial<Record<UsageCategory, number | null>>,
): Promise<UsageLimits> {
  const given = USAGE_CATEGORIES.filter((category) => wanted[category] !== undefined);
  const errors = given.flatMap((category) => limitErrors(category, wanted[category]!));
  if (errors.length > 0) throw problems.invalid(errors);
  return await inTransaction(ctx, async (tx) => {
    if (!(await q.projects.hold(tx, { projectId }))) throw problems.notFound("project", projectId);
    const rows = await q.usage.limits(tx, { projectId });
    const before = new Map(rows.map(({ category, monthlyLimit }) => [category, monthlyLimit]));
    const changed = given.filter((category) => wanted[category] !== (before.get(category) ?? null));
    if (changed.length > 0) {
      const limits = changed.map((category) => ({ category, monthly_limit: wanted[category] }));
      await q.usage.setLimits(tx, { projectId, limits });
      const changes = changed.map((category) => [
        category,
        { from: before.get(category) ?? null, to: wanted[category] },
      ]);
      const details = Object.fromEntries(changes);
      await recordAudit(tx, { projectId, actor, action: "billing.limits_changed", details });
    }
    return await usageOf(tx, projectId);
  });
}

/** Adds what has been counted since the last time to the months. Returns whether there was anything. */
export async function rollUpUsage(ctx: Context): Promise<boolean> {
  return await rollUpAll(ctx, q.usage.rollUp);
}

function toLimit(limit: number | null, usage: number): UsageLimit {
  if (limit === null) return { limit, usage, percentage: 0, isWarning: false, isBlocked: false };
  return {
    limit,
    usage,
    percentage: Math.round((usage * 10_000) / limit) / 100,
    isWarning: usage * 100 >= limit * WARNING_PERCENT,
    isBlocked: usage >= limit,
  };
}

function limitErrors(field: UsageCategory, limit: number | null): FieldError[] {
  if (limit === null || (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT)) return [];
  const code = !Number.isInteger(limit) ? "invalid_type" : limit < 1 ? "too_small" : "too_big";
  const message = `Expected a whole number from 1 to ${MAX_LIMIT}, or null for no limit`;
  return [{ field, code, message, received: limit }];
}
