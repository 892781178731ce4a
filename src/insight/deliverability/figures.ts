// How mails were taken, by mailbox provider, sender domain or transport: read from hours that delivery counts itself
// (`sending/delivery/figures.ts`).
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { rollUpAll } from "../../rollup.ts";
import { INSTALLATION } from "../../sending/transports/routes.ts";
import { type Days, type DaysQuery, limitsOf, readDays } from "../date_range.ts";
import { MAX_DAYS_OF_HOURS } from "../timeseries.ts";
import { type Figures, type FigureRow, NOTHING, rateFigures } from "./_rates.ts";

/** How long figures are kept, and the longest period that can be asked for. */
export const KEPT_FIGURES_DAYS = 90;
const USUAL_DAYS = 7;
const MAX_GROUPS = 100;
const HOUR_MS = 3_600_000;

/** What figures can be grouped by. */
export const GROUPINGS = ["provider", "domain", "transport"] as const;

export type Grouping = (typeof GROUPINGS)[number];

/** The figures of one provider, domain or transport. `key`: of a transport its id, or `default`. */
export interface FigureGroup extends Figures {
  key: string;
  name: string;
}

/** The figures of a project. */
export interface Deliverability {
  from: Date;
  until: Date;
  total: Figures;
  /** Those with the most mails first. */
  groups: FigureGroup[];
  series: ({ at: Date } & Figures)[];
}

/** What is asked for. */
export interface FiguresQuery extends Pick<DaysQuery, "startDate" | "endDate"> {
  groupBy?: Grouping | undefined;
  interval?: "hour" | "day" | undefined;
  provider?: string | undefined;
  domain?: string | undefined;
  /** An id, or `default`. */
  transport?: string | undefined;
}

/** Adds what delivery has counted since the last time to the hours. Returns whether there was anything. */
export async function rollUpDeliveryFigures(ctx: Context): Promise<boolean> {
  return await rollUpAll(ctx, q.deliverability.rollUp);
}

/**
 * The figures of days (UTC), 7 unless dates are given: in all, by group, and by the hour or the day. Throws BAD_REQUEST for
 * what `readDays` does not take, more than 90 days, or more than 7 by the hour.
 */
export async function readDeliverability(
  ctx: Context,
  projectId: string,
  { groupBy = "provider", interval = "day", provider, domain, transport, ...range }: FiguresQuery,
): Promise<Deliverability> {
  const days = readDays(range, {
    now: ctx.now(),
    maxDays: interval === "hour" ? MAX_DAYS_OF_HOURS : KEPT_FIGURES_DAYS,
    usualDays: interval === "hour" ? 1 : USUAL_DAYS,
  });
  const [from, until] = limitsOf(days);
  const [rows, names] = await Promise.all([
    q.deliverability.figures(ctx, {
      projectId,
      since: from,
      until,
      groupBy,
      bucket: interval,
      provider: provider?.toLowerCase() ?? null,
      senderDomain: domain?.toLowerCase() ?? null,
      transportId: transport === undefined ? null : transport === "default" ? INSTALLATION : transport,
    }),
    groupBy === "transport" ? namesOfTransports(ctx, projectId) : null,
  ]);
  const total = rows.find(({ group, bucket }) => group === null && bucket === null);
  return {
    from,
    until,
    total: rateFigures(total ?? NOTHING),
    groups: groupsOf(rows, names),
    series: seriesOf(rows, days, interval),
  };
}

async function namesOfTransports(ctx: Context, projectId: string): Promise<Map<string, string>> {
  const rows = await q.deliverability.transportNames(ctx, { projectId, installationId: INSTALLATION });
  return new Map([
    [INSTALLATION, "Mail server of the installation"],
    ...rows.map(({ id, name }) => [id, name] as const),
  ]);
}

function groupsOf(rows: FigureRow[], names: Map<string, string> | null): FigureGroup[] {
  return rows
    .flatMap(({ group, ...counts }) => {
      if (group === null) return [];
      const name = names ? (names.get(group) ?? "Removed transport") : group;
      return { key: group === INSTALLATION ? "default" : group, name, ...rateFigures(counts) };
    })
    .sort((a, b) => b.mails - a.mails || b.deferred - a.deferred || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_GROUPS);
}

function seriesOf(rows: FigureRow[], days: Days, interval: "hour" | "day"): Deliverability["series"] {
  const byStart = new Map(rows.flatMap((row) => (row.bucket ? [[row.bucket.getTime(), row]] : [])));
  const [from, until] = limitsOf(days).map((at) => at.getTime());
  const stepMs = interval === "hour" ? HOUR_MS : 24 * HOUR_MS;
  return Array.from({ length: Math.round((until! - from!) / stepMs) }, (_, i) => {
    const at = from! + i * stepMs;
    return { at: new Date(at), ...rateFigures(byStart.get(at) ?? NOTHING) };
  });
}
