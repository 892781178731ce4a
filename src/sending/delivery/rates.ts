// How fast mail may leave: for the installation (`SEND_RATE_PER_SECOND`) and for a project (`projects.send_rate`), over
// all processes. Postgres has a bucket for each; if it is empty, the caller is told when to come again.
import { isSandbox } from "../../accounts/projects/sandbox_id.ts";
import { type Context, perService } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { INSTALLATION } from "../transports/routes.ts";
import { giveBack, grant } from "./_buckets.ts";
import type { RateAdmission, DeliveryRequest } from "./_requests.ts";
import { admitByPace, admitByTransport, limitedTransports } from "./_transport_limits.ts";

/** A changed rate is noticed within this time. */
const REFRESH_MS = 5_000;
/** From here on those at whose end nobody waits are forgotten. */
const MANY_LINES = 1_000;

interface Rates {
  /** Mails a second, by bucket. */
  rates: Map<string, number>;
  /** The reading of them that is valid, or in progress. */
  reading: Promise<void> | null;
  readAt: number;
  /** Until when the places of batches are given away, by their lines. */
  lines: Map<string, number>;
}

const stateOf = perService((): Rates => ({ rates: new Map(), reading: null, readAt: 0, lines: new Map() }));

/**
 * How many mails per second a project may send: the lower of its own rate and that of the installation. Null when
 * nothing limits it.
 */
export async function rateOf(ctx: Context, projectId: string): Promise<number | null> {
  if (isSandbox(projectId)) return null;
  const { rates } = await current(ctx);
  const limits = [projectId, INSTALLATION].flatMap((scope) => rates.get(scope) ?? []);
  return limits.length === 0 ? null : Math.min(...limits);
}

/** Whether a rate limits this project, as far as this process knows by now. */
export function isLimited(ctx: Context, projectId: string): boolean {
  const { rates } = stateOf(ctx);
  if (isSandbox(projectId)) return false;
  return rates.has(projectId) || rates.has(INSTALLATION);
}

/**
 * Takes the places of these mails if there are any: of their project, of the installation, and of the transport that each was
 * given to. Null if nothing is limited. A mail whose transport has sent all of its day waits for Infinity: it takes another.
 */
export async function admitByRate(ctx: Context, requests: DeliveryRequest[]): Promise<RateAdmission | null> {
  // Mails of sandboxes take no place of those that are sent.
  const free = requests.filter(({ projectId }) => isSandbox(projectId));
  if (free.length === 0) return await admitSent(ctx, requests);
  const sent = await admitSent(
    ctx,
    requests.filter(({ projectId }) => !isSandbox(projectId)),
  );
  return sent && { ...sent, admitted: [...free, ...sent.admitted] };
}

async function admitSent(ctx: Context, requests: DeliveryRequest[]): Promise<RateAdmission | null> {
  if (requests.length === 0) return null;
  const { rates } = await current(ctx);
  const limited = limitedTransports(ctx, requests);
  const paced = await admitByPace(ctx, requests);
  if (rates.size + limited.size === 0) return paced;
  const admission = { admitted: paced?.admitted ?? requests, refused: [...(paced?.refused ?? [])] };
  /** The buckets that a request has taken a place from so far: whoever is refused later gives it back. */
  const takenFrom: ((request: DeliveryRequest) => string | undefined)[] = paced ? [paced.bucketOf] : [];
  const goOn = async (next: RateAdmission) => {
    const unused = next.refused.flatMap(({ request }) => takenFrom.flatMap((of) => of(request) ?? []));
    await giveBack(ctx, unused);
    admission.admitted = next.admitted;
    admission.refused.push(...next.refused);
  };
  for (const scopeOf of [({ projectId }: DeliveryRequest) => projectId, () => INSTALLATION]) {
    await goOn(await grant(ctx, admission.admitted, scopeOf, rates));
    takenFrom.push((request) => (rates.has(scopeOf(request)) ? scopeOf(request) : undefined));
  }
  if (limited.size > 0) await goOn(await admitByTransport(ctx, admission.admitted, limited));
  return admission;
}

/**
 * How many milliseconds a batch has to wait for its place in a line, such as that of its project, when everybody before it in
 * this process takes theirs. So thousands of batches come one after another, and do not ask again and again.
 */
export function placeOfBatch(ctx: Context, line: string, rate: number, mails: number): number {
  const { lines } = stateOf(ctx);
  const now = performance.now();
  const place = Math.max(now, lines.get(line) ?? 0);
  if (lines.size >= MANY_LINES) for (const [other, end] of lines) if (end < now) lines.delete(other);
  lines.set(line, place + (mails * 1000) / rate);
  return place - now;
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
