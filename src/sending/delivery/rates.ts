// How fast mail may leave: for the installation (`SEND_RATE_PER_SECOND`) and for a project (`projects.send_rate`), over
// all processes. Postgres has a bucket for each; if it is empty, the caller is told when to come again.
import { type Context, perService } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { dayOf, limitOn } from "../transports/holds.ts";
import { transportsOf } from "../transports/known.ts";
import type { Transport } from "../transports/transport.ts";
import { type Pace, pacesOf } from "../transports/paces.ts";
import { INSTALLATION } from "../transports/routes.ts";
import type { RateAdmission, DeliveryRequest } from "./_requests.ts";

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

/**
 * Takes the places of these mails if there are any: of their project, of the installation, and of the transport that each was
 * given to. Null if nothing is limited. A mail whose transport has sent all of its day waits for Infinity: it takes another.
 */
export async function admitByRate(ctx: Context, requests: DeliveryRequest[]): Promise<RateAdmission | null> {
  if (requests.length === 0) return null;
  const { rates } = await current(ctx);
  const limited = limitedTransports(ctx, requests);
  const paced = await admitByPace(ctx, requests);
  if (rates.size + limited.size === 0) return paced;
  const scopes = [({ projectId }: DeliveryRequest) => projectId, () => INSTALLATION];
  const admission: RateAdmission = paced ?? { admitted: requests, refused: [] };
  for (const [i, scopeOf] of scopes.entries()) {
    const next = await grant(ctx, admission.admitted, scopeOf, rates);
    await giveBack(ctx, next.refused, scopes.slice(0, i));
    admission.admitted = next.admitted;
    admission.refused.push(...next.refused);
  }
  if (limited.size === 0) return admission;
  const ofTransports = await admitByTransport(ctx, admission.admitted, limited);
  await giveBack(ctx, ofTransports.refused, scopes);
  return { admitted: ofTransports.admitted, refused: [...admission.refused, ...ofTransports.refused] };
}

/** The transports of these mails that have limits of their own, by their ids. */
function limitedTransports(ctx: Context, requests: DeliveryRequest[]): Map<string, Transport> {
  const known = transportsOf(ctx);
  if (known.isPlain) return new Map();
  const day = dayOf(ctx.now());
  const used = new Set(requests.map((request) => request.transportId!));
  const transports = [...used].flatMap((id) => known.byId(id) ?? []);
  const hasLimits = (one: Transport) => one.ratePerSecond !== null || limitOn(day, one) !== null;
  return new Map(transports.filter(hasLimits).map((one) => [one.id, one]));
}

/** What their transports allow of the second, and then of the day. */
async function admitByTransport(
  ctx: Context,
  requests: DeliveryRequest[],
  limited: Map<string, Transport>,
): Promise<RateAdmission> {
  const rates = new Map(
    [...limited].flatMap(([id, { ratePerSecond }]) => (ratePerSecond ? [[id, ratePerSecond]] : [])),
  );
  const bySecond = await grant(ctx, requests, (request) => request.transportId!, rates);
  const byDay = await grantOfDay(ctx, bySecond.admitted, limited);
  return { admitted: byDay.admitted, refused: [...bySecond.refused, ...byDay.refused] };
}

/** What the paces allow that somebody has asked for. What has to wait for a mailbox provider waits apart, at no cost. */
async function admitByPace(ctx: Context, requests: DeliveryRequest[]): Promise<RateAdmission | null> {
  const [known, paces] = [transportsOf(ctx), pacesOf(ctx)];
  const scopes = new Map<DeliveryRequest, Pace>();
  for (const request of requests) {
    const transport = known.byId(request.transportId!);
    const pace = transport && paces.of(transport, request.domain);
    if (pace) scopes.set(request, pace);
  }
  if (scopes.size === 0) return null;
  const rates = new Map([...scopes.values()].map(({ scope, rate }) => [scope, rate]));
  const { admitted, refused } = await grant(ctx, requests, (one) => scopes.get(one)?.scope ?? "", rates);
  for (const { request, waitMs } of refused) {
    const transport = known.byId(request.transportId!)!;
    paces.noteEmpty(transport, request.domain, Math.min(waitMs, 1_000));
  }
  const isDirect = (request: DeliveryRequest) => known.byId(request.transportId!)!.kind === "DIRECT";
  return {
    admitted,
    refused: refused.map(({ request, waitMs }) => ({ request, waitMs, isApart: isDirect(request) })),
  };
}

async function grantOfDay(
  ctx: Context,
  requests: DeliveryRequest[],
  limited: Map<string, Transport>,
): Promise<RateAdmission> {
  const now = ctx.now();
  const day = dayOf(now);
  const groups = [...Map.groupBy(requests, (request) => request.transportId!)];
  const counted = groups.flatMap(([id, group]) => {
    const transport = limited.get(id);
    const perDay = transport ? limitOn(day, transport) : null;
    return transport && perDay !== null ? [{ id, transport, perDay, group }] : [];
  });
  if (counted.length === 0) return { admitted: requests, refused: [] };
  const granted = await q.transports.takeDays(ctx, {
    ids: counted.map(({ id }) => id),
    wanted: counted.map(({ group }) => group.length),
    perDays: counted.map(({ perDay }) => perDay),
    now,
  });
  const grants = new Map(granted.map((row) => [row.id, row.granted]));
  const refused = new Set<DeliveryRequest>();
  for (const { id, transport, group } of counted) {
    const left = group.slice(grants.get(id) ?? 0);
    if (left.length > 0) transport.fullOn = day;
    for (const request of left) refused.add(request);
  }
  return {
    admitted: requests.filter((request) => !refused.has(request)),
    refused: [...refused].map((request) => ({ request, waitMs: Infinity })),
  };
}

/** Takes from one kind of bucket, in the order of the requests. */
async function grant(
  ctx: Context,
  requests: DeliveryRequest[],
  scopeOf: (request: DeliveryRequest) => string,
  rates: Map<string, number>,
): Promise<RateAdmission> {
  const { lines } = stateOf(ctx);
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
      ...refused.map((request) => ({
        request,
        waitMs: placeOf(lines, { scope, rate: rates.get(scope)! }, request, waitMs),
      })),
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

/** Places that were taken and not used. */
async function giveBack(
  ctx: Context,
  refused: RateAdmission["refused"],
  scopes: ((request: DeliveryRequest) => string)[],
): Promise<void> {
  const { rates } = stateOf(ctx);
  const taken = refused.flatMap(({ request }) => scopes.map((scopeOf) => scopeOf(request)));
  const groups = [...Map.groupBy(taken, (id) => id)].filter(([id]) => rates.has(id));
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
