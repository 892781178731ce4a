// How many an audience has, and whom of them a campaign does not reach.
import { countBySubscription } from "../../audience/contacts/list.ts";
import type { Condition } from "../../audience/conditions/tree.ts";
import { lookAtSample } from "../../audience/sampling.ts";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { problems } from "../../problem/mod.ts";
import { withinBudget } from "../../time_budget.ts";
import {
  type AudienceDefinition,
  type CampaignAudience,
  compileAudience,
  defineAudience,
} from "./audience.ts";
import { assertAudience, audienceErrors, type AudienceInput } from "./input.ts";

/** An audience in numbers. */
export interface Reach {
  /** The contacts of the audience. */
  matching: number;
  /** Those of them who get nothing because they are not subscribed; none where the campaign goes to everybody. */
  unsubscribed: number;
  /** Those of the rest whose address is on the suppression list. */
  suppressed: number;
  /** Who is left. */
  reachable: number;
  /** `suppressed` and `reachable`, or all counts, are those of a sample of contacts, multiplied. */
  estimated: boolean;
}

/** Somebody waits at a keyboard: what takes longer is estimated. */
const PATIENCE_MS = 250;

/**
 * Whom a campaign would reach that is not saved. `totalRecipients` are the mails that it would make: those to suppressed
 * addresses are among them. Throws 404 for a segment that does not exist, 422 for a condition.
 */
export async function countAudienceOf(
  ctx: Context,
  projectId: string,
  input: AudienceInput,
): Promise<Reach & { totalRecipients: number }> {
  const { audienceType, segmentId, audienceCondition, type } = input;
  const errors = audienceErrors(input);
  if (errors.length > 0) throw problems.invalid(errors);
  const audience: CampaignAudience = {
    type: type ?? "MARKETING",
    audienceType,
    segmentId: audienceType === "SEGMENT" ? segmentId! : null,
    audienceCondition: audienceType === "FILTERED" ? (audienceCondition as Condition) : null,
  };
  await assertAudience(ctx, projectId, audience);
  const reach = await countReach(ctx, projectId, audience);
  return { totalRecipients: reach.reachable + reach.suppressed, ...reach };
}

/** An audience in numbers. What takes longer than `patienceMs` is estimated from a sample. */
export async function countReach(
  ctx: Context,
  projectId: string,
  audience: CampaignAudience,
  { patienceMs = PATIENCE_MS } = {},
): Promise<Reach> {
  const defined = await defineAudience(ctx, projectId, audience);
  const isForAll = audience.type === "TRANSACTIONAL";
  const counted = await countAll(ctx, projectId, defined, patienceMs);
  if (!counted) return await estimate(ctx, projectId, defined, isForAll);
  const { matching, subscribed } = counted;
  const unsubscribed = isForAll ? 0 : matching - subscribed;
  const suppressed = await countSuppressed(ctx, projectId, { audience, defined }, patienceMs);
  if (suppressed !== null) return toReach({ matching, unsubscribed, suppressed });
  const guess = await estimate(ctx, projectId, defined, isForAll);
  const share = shareOf(guess.suppressed, guess.matching - guess.unsubscribed);
  return {
    ...toReach({ matching, unsubscribed, suppressed: Math.round(share * (matching - unsubscribed)) }),
    estimated: true,
  };
}

const shareOf = (part: number, whole: number) => (whole === 0 ? 0 : Math.min(1, part / whole));

/** The members, and the subscribed ones of them. Null if counting takes longer. */
async function countAll(ctx: Context, projectId: string, defined: AudienceDefinition, patienceMs: number) {
  if (defined.condition === null && !defined.isEmpty) {
    const subscribed = await countBySubscription(ctx, projectId, true);
    return { matching: subscribed + (await countBySubscription(ctx, projectId, false)), subscribed };
  }
  const counts = await withinBudget(ctx, patienceMs, async (tx) => {
    await q.audience.allowHashing(tx);
    return await q.audience.countReachable(tx, {
      projectId,
      audience: membersOf(tx, projectId, defined, true),
    });
  });
  return counts && { matching: counts.count, subscribed: counts.reachable };
}

/** How many of those who would get a mail are on the suppression list. Null if counting takes longer. */
async function countSuppressed(
  ctx: Context,
  projectId: string,
  { audience, defined }: { audience: CampaignAudience; defined: AudienceDefinition },
  patienceMs: number,
): Promise<number | null> {
  const counted = await withinBudget(ctx, patienceMs, async (tx) => {
    await q.audience.allowHashing(tx);
    const getsMail = compileAudience(tx, projectId, audience.type, defined, { now: tx.now() });
    return await q.audience.countSuppressed(tx, { projectId, audience: getsMail() });
  });
  return counted && counted.total;
}

async function estimate(
  ctx: Context,
  projectId: string,
  defined: AudienceDefinition,
  isForAll: boolean,
): Promise<Reach> {
  const total = await countBySubscription(ctx, projectId);
  const sample = await lookAtSample(total, (part) =>
    q.audience.sampleReach(ctx, {
      projectId,
      ...part,
      audience: membersOf(ctx, projectId, defined, false),
    }),
  );
  const all = (part: number) => (sample.seen === 0 ? 0 : Math.round((part / sample.seen) * total));
  const matching = all(sample.matching);
  const unsubscribed = isForAll ? 0 : matching - all(sample.subscribed);
  const suppressed = all(isForAll ? sample.suppressed : sample.subscribedSuppressed);
  return { ...toReach({ matching, unsubscribed, suppressed }), estimated: true };
}

/** Everybody of the audience, subscribed or not. */
function membersOf(ctx: Context, projectId: string, defined: AudienceDefinition, whole: boolean) {
  return compileAudience(ctx, projectId, "TRANSACTIONAL", defined, { now: ctx.now(), whole })();
}

function toReach(counts: Pick<Reach, "matching" | "unsubscribed" | "suppressed">): Reach {
  const { matching, unsubscribed, suppressed } = counts;
  return { ...counts, reachable: Math.max(0, matching - unsubscribed - suppressed), estimated: false };
}
