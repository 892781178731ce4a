// What became of a campaign to many providers: of each mail, how long each provider took, and how long it would have taken at
// best.
import { loadavg } from "node:os";
import type { Context } from "../../src/context.ts";
import type { Provider } from "./fleet_providers.ts";
import type { FleetServer } from "./fleet_servers.ts";

/** What became of one mail. */
export interface FleetFate {
  address: string;
  provider: Provider;
  status: string;
  error: string | null;
  wasInDoubt: boolean;
  /** At any server. */
  arrivals: number;
}

/** A transport's own server. */
type Relay = Pick<FleetServer, "arrivals" | "times">;

/** What became of all. */
export interface FleetReport {
  /** When the campaign was sent, `Date.now()`. */
  startedAt: number;
  /** Until it had ended. */
  seconds: number;
  /** Mails a second to fast servers alone, before and after. */
  capacity: number[];
  kills: number;
  fates: FleetFate[];
  servers: Map<string, FleetServer>;
  relays: { paced: Relay; daily: Relay };
  /** When the first mail of the transport with a rate was claimed, `Date.now()`. */
  pacedSince: number;
}

/** How a provider has done. Times in seconds since the campaign was sent. */
export interface ProviderFigures {
  provider: string;
  mails: number;
  /** When it took its last mail; null: it took none. */
  lastAt: number | null;
  /** When that could have been at best, by its own limits. */
  bestAt: number;
  /** Replies that asked for another time, or for fewer mails. */
  refused: number;
}

/** The whole, against the best possible schedule. */
export interface FleetFigures {
  mails: number;
  seconds: number;
  /** No schedule is faster. */
  bestSeconds: number;
  ratio: number;
  /** Mails a second that the machine can do. */
  capacity: number[];
  kills: number;
  load: number[];
}

/** What the ledger and the servers say of each mail of a campaign. */
export async function fatesOf(
  ctx: Context,
  campaignId: string,
  { fleet, servers, relays }: { fleet: Provider[] } & Pick<FleetReport, "servers" | "relays">,
): Promise<Pick<FleetReport, "fates" | "pacedSince">> {
  const rows = await ctx.pool`
    select address, status, error, doubted_at, tried_at from emails where campaign_id = ${campaignId}`;
  const all = [...servers.values(), ...Object.values(relays)];
  const fates = rows.map(({ address, status, error, doubtedAt }): FleetFate => {
    const [, name] = /\.(\w+)\.test$/.exec(address as string)!;
    return {
      address,
      status,
      error,
      provider: fleet.find((one) => one.name === name)!,
      wasInDoubt: doubtedAt !== null,
      arrivals: all.reduce((sum, { arrivals }) => sum + (arrivals.get(address) ?? 0), 0),
    };
  });
  const pacedSince = rows
    .filter(({ address }) => address.endsWith(".paced.test"))
    .reduce((first, { triedAt }) => Math.min(first, triedAt.getTime()), Infinity);
  return { fates, pacedSince };
}

/** How each provider has done, in the order of the fleet. */
export function figuresByProvider(report: FleetReport): ProviderFigures[] {
  const { fates, servers, relays, startedAt, seconds } = report;
  const isOfCampaign = (at: number) => at >= startedAt && at <= startedAt + seconds * 1_000;
  return [...Map.groupBy(fates, ({ provider }) => provider)].map(([provider, { length: mails }]) => {
    const { name } = provider;
    const own = servers.get(name)!;
    const times = [...own.times, ...(relays[name as "paced"]?.times ?? [])].filter(isOfCampaign);
    const last = times.reduce((latest, at) => Math.max(latest, at), 0);
    return {
      provider: name,
      mails,
      lastAt: times.length === 0 ? null : (last - startedAt) / 1_000,
      bestAt: provider.leastSeconds?.(mails) ?? 0,
      refused: own.refused,
    };
  });
}

/**
 * The whole. No schedule ends before the slowest provider does at its own limits, nor before the machine has made all tries
 * that the providers ask for, at what it did just before and just after.
 */
export function figuresOf(report: FleetReport): FleetFigures {
  const { fates, capacity, seconds, kills } = report;
  const tries = fates.reduce((sum, { provider: { repeats = 0 } }) => sum + 1 + repeats / 100, 0);
  const rate = capacity.reduce((sum, one) => sum + one, 0) / capacity.length;
  const bestSeconds = Math.max(tries / rate, ...figuresByProvider(report).map(({ bestAt }) => bestAt));
  return {
    mails: fates.length,
    seconds,
    bestSeconds,
    ratio: seconds / bestSeconds,
    capacity,
    kills,
    load: loadavg(),
  };
}
