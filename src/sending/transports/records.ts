// A transport as people see it: its settings without the password, and how it stands.
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Queries } from "../../db/queries.gen.ts";
import { refusalOf } from "../../mail/provider_refusals.ts";
import { problems } from "../../problem/mod.ts";
import { directShown, reasonForbidden } from "./direct.ts";
import { feedbackOf, type TransportFeedback } from "./feedback.ts";
import { dayOf, limitOn } from "./holds.ts";
import { INSTALLATION } from "./routes.ts";
import type { TransportKind } from "./transport.ts";

type Row = Awaited<ReturnType<Queries["transportSettings"]["list"]>>[number];

/**
 * HEALTHY: it takes mail. SLOW: its provider, or a mailbox provider, has asked for fewer mails a second. PAUSED: by a person. HELD: its provider refuses the account or the log-in; it is tried again.
 * OUT_OF_QUOTA: its own limit of the day is reached, or its provider's.
 */
export type TransportState = "HEALTHY" | "SLOW" | "PAUSED" | "HELD" | "OUT_OF_QUOTA";
export const TRANSPORT_STATES: readonly TransportState[] = [
  "HEALTHY",
  "SLOW",
  "PAUSED",
  "HELD",
  "OUT_OF_QUOTA",
];

/** How a transport stands. */
export interface TransportStanding {
  state: TransportState;
  /** Why it takes no mail, in words of a person or a server. */
  stateReason: string | null;
  /** When it takes mail again by itself. */
  stateUntil: Date | null;
}

/** A transport as its owners see it. */
export interface TransportRecord extends TransportStanding {
  id: string;
  name: string;
  kind: TransportKind;
  /** Without the password. */
  url: string | null;
  /** Of kind DIRECT: how this machine names itself, and the addresses that it sends from; null: the system chooses. */
  heloName: string | null;
  bindAddresses: string[] | null;
  priority: number;
  weight: number;
  ratePerSecond: number | null;
  perDay: number | null;
  connections: number | null;
  warmup: {
    planId: string;
    since: Date;
    /** Of the plan, counted from 1. */
    day: number;
    /** Null: the plan is over. */
    limitToday: number | null;
  } | null;
  /** Of today, UTC; null where nothing limits the day, so that nobody counts. */
  sentToday: number | null;
  /** Null where nobody reports what became of its mails, but its server. */
  feedback: TransportFeedback | null;
  createdAt: Date;
  updatedAt: Date;
}

const DAY_MS = 24 * 3_600_000;

/** The transports of a project, or of the installation, those first that are used first. */
export async function listTransports(ctx: Context, projectId: string): Promise<TransportRecord[]> {
  const rows = await q.transportSettings.list(ctx, { projectId, transportId: null, now: ctx.now() });
  return rows.map((row) => recordOf(ctx, projectId, row));
}

/** One of them. Throws not-found. */
export async function getTransport(
  ctx: Context,
  projectId: string,
  transportId: string,
): Promise<TransportRecord> {
  const [row] = await q.transportSettings.list(ctx, { projectId, transportId, now: ctx.now() });
  if (!row) throw problems.notFound("transport", transportId);
  return recordOf(ctx, projectId, row);
}

function recordOf(ctx: Context, projectId: string, row: Row): TransportRecord {
  const { id, name, kind, priority, weight, ratePerSecond, perDay, connections, createdAt, updatedAt } = row;
  const today = dayOf(ctx.now());
  const plan =
    row.warmupPlanId && row.warmupSince && row.warmupLimits
      ? { planId: row.warmupPlanId, since: row.warmupSince, limits: row.warmupLimits }
      : null;
  const forbidden = reasonForbidden(ctx, { ...row, isOwn: projectId !== INSTALLATION });
  const limit = limitOn(today, { perDay, warmup: plan });
  const sent = row.taken ?? 0;
  return {
    id,
    name,
    kind: kind as TransportKind,
    url: row.shownUrl,
    ...directShown(kind, row.shownUrl),
    priority,
    weight,
    ratePerSecond,
    perDay,
    connections,
    warmup: plan && {
      planId: plan.planId,
      since: plan.since,
      day: today - dayOf(plan.since) + 1,
      limitToday: limitOn(today, { perDay: null, warmup: plan }),
    },
    ...(forbidden
      ? { state: "PAUSED" as const, stateReason: forbidden, stateUntil: null }
      : standingOf(ctx.now(), row, limit !== null && sent >= limit ? limit : null)),
    sentToday: limit === null ? null : sent,
    feedback: feedbackOf(ctx, { id, shownUrl: row.shownUrl, hasSecret: row.hasFeedbackSecret }),
    createdAt,
    updatedAt,
  };
}

/** `reached`: the limit of the day, where all of it has been sent. */
function standingOf(
  now: Date,
  { pausedAt, pauseReason, heldUntil, holdReason, slowedTo, slowReason }: Row,
  reached: number | null,
): TransportStanding {
  if (pausedAt) return { state: "PAUSED", stateReason: pauseReason || null, stateUntil: null };
  if (heldUntil && heldUntil > now) {
    const isQuota = refusalOf(holdReason ?? "") === "QUOTA";
    return { state: isQuota ? "OUT_OF_QUOTA" : "HELD", stateReason: holdReason, stateUntil: heldUntil };
  }
  if (reached === null && slowedTo !== null) {
    const rate = slowedTo.toLocaleString("en-US", { maximumSignificantDigits: 2 });
    return { state: "SLOW", stateReason: `${rate} mails a second: ${slowReason ?? ""}`, stateUntil: null };
  }
  if (reached === null) return { state: "HEALTHY", stateReason: null, stateUntil: null };
  const stateReason = `All ${reached.toLocaleString("en-US")} mails of today (UTC) have been sent`;
  return { state: "OUT_OF_QUOTA", stateReason, stateUntil: new Date((dayOf(now) + 1) * DAY_MS) };
}
