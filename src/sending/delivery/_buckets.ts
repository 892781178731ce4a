// The buckets in Postgres from which mails take their places, each with its rate in mails a second.
import { type Context, perService } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { DeliveryRequest, RateAdmission } from "./_requests.ts";

const LANES = ["fast", "bulk"] as const;
/** A process takes a hundredth of a second at once where that is more than it needs: high rates cost few round trips. */
const LOT_S = 0.01;
/** What is left of a lot counts for so long: a rate is exceeded by no more than a lot of each process. */
const LOT_MS = 250;

interface Buckets {
  /** Until when the places are given away, by bucket and lane. Each process has a queue of its own; Postgres decides. */
  lines: Map<string, number>;
  /** Places that this process has taken and not used yet. */
  lots: Map<string, { left: number; until: number }>;
}

const bucketsOf = perService((): Buckets => ({ lines: new Map(), lots: new Map() }));

/**
 * Takes from one kind of bucket, whose `rates` are mails a second, in the order of the requests. A bucket holds what comes in
 * `seconds`: so much may leave at once.
 */
export async function grant(
  ctx: Context,
  requests: DeliveryRequest[],
  scopeOf: (request: DeliveryRequest) => string,
  rates: Map<string, number>,
  seconds = 1,
): Promise<RateAdmission> {
  const { lines } = bucketsOf(ctx);
  const groups = Map.groupBy(requests, scopeOf);
  const scopes = [...groups.keys()].filter((scope) => rates.has(scope));
  if (scopes.length === 0) return { admitted: requests, refused: [] };
  const wanted = scopes.map((scope) => ({
    scope,
    mails: groups.get(scope)!.length,
    rate: rates.get(scope)!,
  }));
  const taken = await take(ctx, wanted, seconds);
  const admission: RateAdmission = { admitted: [], refused: [] };
  for (const [scope, group] of groups) {
    const { granted, waitMs } = taken.find((row) => row.scope === scope) ?? {
      granted: group.length,
      waitMs: 0,
    };
    admission.admitted.push(...group.slice(0, granted));
    const refused = group.slice(granted);
    if (refused.length === 0) for (const lane of LANES) lines.delete(`${scope} ${lane}`);
    admission.refused.push(
      ...refused.map((request) => ({
        request,
        waitMs: placeOf(lines, { scope, rate: rates.get(scope)! }, request, waitMs),
      })),
    );
  }
  return admission;
}

/** Gives back places that were taken and are not used: one for each time that a bucket is named. */
export async function giveBack(ctx: Context, scopes: string[]): Promise<void> {
  if (scopes.length === 0) return;
  const groups = [...Map.groupBy(scopes, (scope) => scope)];
  await q.sendRates.giveBack(ctx, {
    scopes: groups.map(([scope]) => scope),
    tokens: groups.map(([, named]) => named.length),
  });
}

interface Wanted {
  scope: string;
  mails: number;
  rate: number;
}

/** Places out of these buckets: what is left of lots, and the rest from the database. */
async function take(
  ctx: Context,
  wanted: Wanted[],
  seconds: number,
): Promise<{ scope: string; granted: number; waitMs: number }[]> {
  const { lots } = bucketsOf(ctx);
  const now = performance.now();
  const held = wanted.map(({ scope, mails }) => {
    const lot = lots.get(scope);
    lots.delete(scope);
    const left = lot && lot.until > now ? lot.left : 0;
    if (left > mails) lots.set(scope, { ...lot!, left: left - mails });
    return Math.min(left, mails);
  });
  const short = wanted.flatMap((one, i) => {
    const missing = one.mails - held[i]!;
    return missing > 0 ? [{ ...one, missing, asked: Math.max(missing, Math.floor(one.rate * LOT_S)) }] : [];
  });
  const rows =
    short.length === 0
      ? []
      : await q.sendRates.take(ctx, {
          scopes: short.map(({ scope }) => scope),
          wanted: short.map(({ asked }) => asked),
          rates: short.map(({ rate }) => String(rate)),
          seconds: String(seconds),
        });
  for (const { scope, missing } of short) {
    const left = (rows.find((row) => row.scope === scope)?.granted ?? 0) - missing;
    if (left > 0) lots.set(scope, { left, until: performance.now() + LOT_MS });
  }
  return wanted.map(({ scope, mails }, i) => {
    const row = rows.find((one) => one.scope === scope);
    return {
      scope,
      granted: Math.min(mails, held[i]! + (row?.granted ?? 0)),
      waitMs: row?.waitMs ?? 0,
    };
  });
}

/** When there will be a place for this one, if everybody before it in the line of this process takes theirs. */
function placeOf(
  lines: Map<string, number>,
  { scope, rate }: { scope: string; rate: number },
  request: DeliveryRequest,
  waitMs: number,
): number {
  const line = `${scope} ${request.campaignId === null ? "fast" : "bulk"}`;
  const now = performance.now();
  const place = Math.max(now + waitMs, lines.get(line) ?? 0);
  lines.set(line, place + 1000 / rate);
  return place - now;
}
