// How fast mail may leave: for the installation (`SEND_RATE_PER_SECOND`) and for a project (`projects.send_rate`), over
// all processes. Postgres has a bucket for each; if it is empty, the caller is told when to come again.
import { type Context, perService } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { RateAdmission, DeliveryRequest } from "./_requests.ts";

/** The bucket of the installation. */
const INSTALLATION = "00000000-0000-0000-0000-000000000000";
const LANES = ["fast", "bulk"] as const;
/** A changed rate is noticed within this time. */
const REFRESH_MS = 5_000;

interface Rates {
  /** Mails a second, by bucket. */
  rates: Map<string, number>;
  /** The reading of them that is valid, or in progress. */
  reading: Promise<void> | null;
  readAt: number;
  /**
   * Until when the places are given away, by bucket and lane. Each process has a queue of its own; Postgres decides.
   */
  lines: Map<string, number>;
}

const stateOf = perService((): Rates => ({ rates: new Map(), reading: null, readAt: 0, lines: new Map() }));

/**
 * How many mails per second a project may send: the lower of its own rate and that of the installation. Null when
 * nothing limits it.
 */
export async function rateOf(ctx: Context, projectId: string): Promise<number | null> {
  const { rates } = await current(ctx);
  const limits = [projectId, INSTALLATION].flatMap((scope) => rates.get(scope) ?? []);
  return limits.length === 0 ? null : Math.min(...limits);
}

/** Whether a rate limits this project, as far as this process knows by now. */
export function isLimited(ctx: Context, projectId: string): boolean {
  const { rates } = stateOf(ctx);
  return rates.has(projectId) || rates.has(INSTALLATION);
}

/** Takes the places of these mails if there are any. Null if nothing is limited. */
export async function admitByRate(ctx: Context, requests: DeliveryRequest[]): Promise<RateAdmission | null> {
  const { rates } = await current(ctx);
  if (rates.size === 0) return null;
  const byProject = await grant(ctx, requests, (request) => request.projectId);
  const byAll = await grant(ctx, byProject.admitted, () => INSTALLATION);
  await giveBack(
    ctx,
    byAll.refused.map(({ request }) => request.projectId),
  );
  return { admitted: byAll.admitted, refused: [...byProject.refused, ...byAll.refused] };
}

/** Takes from one kind of bucket, in the order of the requests. */
async function grant(
  ctx: Context,
  requests: DeliveryRequest[],
  scopeOf: (request: DeliveryRequest) => string,
): Promise<RateAdmission> {
  const { rates, lines } = stateOf(ctx);
  const groups = Map.groupBy(requests, scopeOf);
  const scopes = [...groups.keys()].filter((scope) => rates.has(scope));
  if (scopes.length === 0) return { admitted: requests, refused: [] };
  const taken = await q.sendRates.take(ctx, {
    scopes,
    wanted: scopes.map((scope) => groups.get(scope)!.length),
    rates: scopes.map((scope) => String(rates.get(scope))),
  });
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
      ...refused.map((request) => ({ request, waitMs: placeOf(ctx, scope, request, waitMs) })),
    );
  }
  return admission;
}

/**
 * How many milliseconds a batch has to wait for its place in the line of its project, when everybody before it in this
 * process takes theirs. So thousands of batches come one after another, and do not ask again and again.
 */
export function placeOfBatch(ctx: Context, projectId: string, rate: number, mails: number): number {
  const { lines } = stateOf(ctx);
  const line = `${projectId} batches`;
  const now = performance.now();
  const place = Math.max(now, lines.get(line) ?? 0);
  lines.set(line, place + (mails * 1000) / rate);
  return place - now;
}

/** When there will be a place for this one, if everybody before it in the line of this process takes theirs. */
function placeOf(ctx: Context, scope: string, request: DeliveryRequest, waitMs: number): number {
  const { rates, lines } = stateOf(ctx);
  const line = `${scope} ${request.campaignId === null ? "fast" : "bulk"}`;
  const now = performance.now();
  const place = Math.max(now + waitMs, lines.get(line) ?? 0);
  lines.set(line, place + 1000 / rates.get(scope)!);
  return place - now;
}

/** Places that were taken and not used. */
async function giveBack(ctx: Context, projectIds: string[]): Promise<void> {
  const { rates } = stateOf(ctx);
  const groups = [...Map.groupBy(projectIds, (id) => id)].filter(([id]) => rates.has(id));
  if (groups.length === 0) return;
  await q.sendRates.giveBack(ctx, {
    scopes: groups.map(([id]) => id),
    tokens: groups.map(([, ids]) => ids.length),
  });
}

async function current(ctx: Context): Promise<Rates> {
  const state = stateOf(ctx);
  if (!state.reading || performance.now() - state.readAt > REFRESH_MS) {
    state.readAt = performance.now();
    state.reading = read(ctx, state);
    // The next one reads again.
    state.reading.catch(() => (state.reading = null));
  }
  await state.reading;
  return state;
}

async function read(ctx: Context, state: Rates): Promise<void> {
  const rates = new Map((await q.sendRates.limited(ctx)).map(({ projectId, rate }) => [projectId, rate]));
  const { SEND_RATE_PER_SECOND: rate } = ctx.config;
  if (rate > 0) rates.set(INSTALLATION, rate);
  state.rates = rates;
}
