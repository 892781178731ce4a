// What transports allow: mails a second and a day, and the paces that somebody has asked for.
import { type Context, perService } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { dayOf, limitOn } from "../transports/holds.ts";
import { transportsOf } from "../transports/known.ts";
import { type Pace, pacesOf } from "../transports/paces.ts";
import type { Transport } from "../transports/transport.ts";
import { giveBack, grant } from "./_buckets.ts";
import type { DeliveryRequest, RateAdmission } from "./_requests.ts";

/** The transports of these mails that have limits of their own, by their ids. */
export function limitedTransports(ctx: Context, requests: DeliveryRequest[]): Map<string, Transport> {
  const known = transportsOf(ctx);
  if (known.isPlain) return new Map();
  const day = dayOf(ctx.now());
  const used = new Set(requests.map((request) => request.transportId!));
  const transports = [...used].flatMap((id) => known.byId(id) ?? []);
  const hasLimits = (one: Transport) => one.ratePerSecond !== null || limitOn(day, one) !== null;
  return new Map(transports.filter(hasLimits).map((one) => [one.id, one]));
}

/** What their transports allow of the second, and then of the day. */
export async function admitByTransport(
  ctx: Context,
  requests: DeliveryRequest[],
  limited: Map<string, Transport>,
): Promise<RateAdmission> {
  const rates = new Map(
    [...limited].flatMap(([id, { ratePerSecond }]) => (ratePerSecond ? [[id, ratePerSecond]] : [])),
  );
  const bySecond = await grant(ctx, requests, (request) => request.transportId!, rates);
  const byDay = await grantOfDay(ctx, bySecond.admitted, limited);
  const unused = byDay.refused.map(({ request }) => request.transportId!);
  await giveBack(
    ctx,
    unused.filter((id) => rates.has(id)),
  );
  const refused = bySecond.refused.map((one) => {
    const transportId = one.request.transportId!;
    return { ...one, transportRate: { transportId, rate: rates.get(transportId)! } };
  });
  return { admitted: byDay.admitted, refused: [...refused, ...byDay.refused] };
}

/** What paces allow, and the bucket that a request has taken its place from; undefined: it needed none. */
interface PaceAdmission extends RateAdmission {
  bucketOf(request: DeliveryRequest): string | undefined;
}

/** Who has asked for fewer mails gets them evenly: a second's worth at once may be the double of what fits into a second. */
const AT_ONCE_S = 0.2;

/** What the paces allow that somebody has asked for. What has to wait for a mailbox provider waits apart, at no cost. */
export async function admitByPace(ctx: Context, requests: DeliveryRequest[]): Promise<PaceAdmission | null> {
  const [known, paces] = [transportsOf(ctx), pacesOf(ctx)];
  // With their transports as they are now: one may be removed before the database answers.
  const scopes = new Map<DeliveryRequest, Pace & { transport: Transport }>();
  for (const request of requests) {
    const transport = known.byId(request.transportId!);
    const pace = transport && paces.of(transport, request.domain);
    if (pace) scopes.set(request, { ...pace, transport });
  }
  if (scopes.size === 0) return null;
  const rates = new Map([...scopes.values()].map(({ scope, rate }) => [scope, rate]));
  const { admitted, refused } = await grant(
    ctx,
    requests,
    (one) => scopes.get(one)?.scope ?? "",
    rates,
    AT_ONCE_S,
  );
  // The first of them says when there is the next place.
  for (const { request, waitMs } of refused.toReversed()) {
    paces.noteEmpty(scopes.get(request)!.transport, request.domain, Math.min(waitMs, 1_000));
  }
  const isDirect = (request: DeliveryRequest) => scopes.get(request)!.transport.kind === "DIRECT";
  return {
    admitted,
    bucketOf: (request) => scopes.get(request)?.scope,
    refused: refused.map(({ request, waitMs }) => ({
      request,
      waitMs,
      isApart: isDirect(request),
      transportRate: { transportId: request.transportId!, rate: scopes.get(request)!.rate },
    })),
  };
}

/** The mails of a day are taken in lots of this part of it: what is left when a process ends is not used that day. */
const LOT_OF_DAY = 1 / 500;

/** Mails of a day that this process has taken and not used yet, by transport. */
const lotsOf = perService(() => new Map<string, { day: number; left: number }>());

/** A transport whose mails of the day are used up takes no more until tomorrow. */
async function grantOfDay(
  ctx: Context,
  requests: DeliveryRequest[],
  limited: Map<string, Transport>,
): Promise<RateAdmission> {
  const now = ctx.now();
  const day = dayOf(now);
  const lots = lotsOf(ctx);
  const wanted = [...Map.groupBy(requests, (request) => request.transportId!)].flatMap(([id, group]) => {
    const transport = limited.get(id);
    const perDay = transport ? limitOn(day, transport) : null;
    if (!transport || perDay === null) return [];
    const lot = lots.get(id);
    const held = lot?.day === day ? lot.left : 0;
    lots.delete(id);
    return [{ transport, group, perDay, held, missing: Math.max(0, group.length - held) }];
  });
  const short = wanted.filter(({ missing }) => missing > 0);
  const rows =
    short.length === 0
      ? []
      : await q.transports.takeDays(ctx, {
          ids: short.map(({ transport }) => transport.id),
          wanted: short.map(({ missing, perDay }) => Math.max(missing, Math.floor(perDay * LOT_OF_DAY))),
          perDays: short.map(({ perDay }) => perDay),
          now,
        });
  const refused = new Set<DeliveryRequest>();
  for (const { transport, group, held } of wanted) {
    const granted = held + (rows.find(({ id }) => id === transport.id)?.granted ?? 0);
    if (granted > group.length) lots.set(transport.id, { day, left: granted - group.length });
    if (granted < group.length) transport.fullOn = day;
    for (const request of group.slice(granted)) refused.add(request);
  }
  return {
    admitted: requests.filter((request) => !refused.has(request)),
    refused: [...refused].map((request) => ({ request, waitMs: Infinity })),
  };
}
