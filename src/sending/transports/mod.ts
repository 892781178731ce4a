// Transports are added, changed and removed: by the owners of a project for it, by the operator for all projects.
import type { Actor } from "../../accounts/audit.ts";
import { changesOf } from "../../accounts/projects/mod.ts";
import { type Context, inTransaction, newId } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { type FieldError, problems } from "../../problem/mod.ts";
import { feedbackAfter, feedbackErrors } from "./feedback.ts";
import {
  addressAfter,
  changeErrors,
  type HeldRow,
  sealed,
  type TransportChange,
  transportErrors,
  type TransportInput,
  wholeUrlOf,
} from "./input.ts";
import { holdProjectOf, noteChange } from "./owners.ts";
import { getTransport, type TransportRecord } from "./records.ts";
import { rulesNaming } from "./route_documents.ts";
import { INSTALLATION } from "./routes.ts";

/** How many a project may have, and the installation. */
export const MAX_TRANSPORTS = 50;

/** Adds a transport. Throws 422, and 409 where there are 50 already. */
export async function addTransport(
  ctx: Context,
  projectId: string,
  input: TransportInput,
  actor: Actor,
): Promise<TransportRecord> {
  const errors = await transportErrors(ctx, input, projectId !== INSTALLATION);
  if (errors.length > 0) throw problems.invalid(errors);
  const { name, kind, warmup } = input;
  const url = wholeUrlOf(ctx, input);
  return await inTransaction(ctx, async (tx) => {
    await holdProjectOf(tx, projectId);
    const id = newId(tx);
    const added = await q.transportSettings.insert(tx, {
      projectId,
      id,
      name,
      kind,
      ...sealed(tx, { projectId, id }, url),
      priority: input.priority ?? 100,
      weight: input.weight ?? 1,
      ratePerSecond: input.ratePerSecond ?? null,
      perDay: input.perDay ?? null,
      connections: input.connections ?? null,
      ...(await warmupOf(tx, projectId, warmup ?? null, null)),
      ...feedbackAfter(tx, { projectId, id }, url, { secret: input.feedbackSecret, before: null }),
      now: tx.now(),
      max: MAX_TRANSPORTS,
    });
    if (added === 0) throw problems.tooManyTransports(MAX_TRANSPORTS);
    const record = await getTransport(tx, projectId, id);
    const details = { kind, url: record.url };
    await noteChange(tx, projectId, actor, { action: "transport.added", subject: name, details });
    return record;
  });
}

/**
 * Changes what is given. A URL without a password keeps the known one only where it leads to the same server as the same user. A
 * new address ends what its provider has refused before. Throws not-found and 422.
 */
export async function changeTransport(
  ctx: Context,
  projectId: string,
  transportId: string,
  change: TransportChange,
  actor: Actor,
): Promise<TransportRecord> {
  const errors = await changeErrors(ctx, change, projectId !== INSTALLATION);
  if (errors.length > 0) throw problems.invalid(errors);
  return await inTransaction(ctx, async (tx) => {
    await holdProjectOf(tx, projectId);
    const row = await q.transportSettings.lock(tx, { projectId, transportId });
    if (!row) throw problems.notFound("transport", transportId);
    const before = await getTransport(tx, projectId, transportId);
    const address = addressAfter(tx, projectId, row, change);
    const wrong = feedbackErrors(address.shownUrl, change.feedbackSecret);
    if (wrong.length > 0) throw problems.invalid(wrong);
    await q.transportSettings.replace(tx, {
      projectId,
      id: row.id,
      name: change.name ?? row.name,
      ...address,
      ...feedbackAfter(tx, { projectId, id: row.id }, address.shownUrl, {
        secret: change.feedbackSecret,
        before: row,
      }),
      priority: change.priority ?? row.priority,
      weight: change.weight ?? row.weight,
      ratePerSecond: given(change.ratePerSecond, row.ratePerSecond),
      perDay: given(change.perDay, row.perDay),
      connections: given(change.connections, row.connections),
      ...(await warmupOf(tx, projectId, change.warmup, row)),
      ...pauseAfter(tx, row, change),
      now: tx.now(),
    });
    const after = await getTransport(tx, projectId, transportId);
    await auditChange(tx, projectId, actor, { before, after, change });
    return after;
  });
}

/** Removes a transport. Throws not-found, and 409 while rules of routes name it. */
export async function removeTransport(
  ctx: Context,
  projectId: string,
  transportId: string,
  actor: Actor,
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    await holdProjectOf(tx, projectId);
    if (!(await q.transportSettings.lock(tx, { projectId, transportId })))
      throw problems.notFound("transport", transportId);
    const rules = await rulesNaming(tx, projectId, transportId);
    if (rules.length > 0) throw problems.transportInUse(rules);
    const row = await q.transportSettings.remove(tx, { projectId, transportId });
    await noteChange(tx, projectId, actor, { action: "transport.removed", subject: row!.name });
  });
}

function pauseAfter(
  tx: Context,
  { pausedAt, pauseReason }: HeldRow,
  { paused, pauseReason: reason }: TransportChange,
) {
  if (paused === false) return { pausedAt: null, pauseReason: null };
  if (paused === undefined && pausedAt === null) return { pausedAt, pauseReason };
  return { pausedAt: pausedAt ?? tx.now(), pauseReason: reason ?? pauseReason ?? "" };
}

/** The columns of a warm-up: it begins on the day on which it is given, unless another one is said. */
async function warmupOf(
  tx: Context,
  projectId: string,
  warmup: TransportInput["warmup"],
  row: HeldRow | null,
): Promise<{ warmupPlanId: string | null; warmupSince: Date | null }> {
  if (warmup === undefined && row) return { warmupPlanId: row.warmupPlanId, warmupSince: row.warmupSince };
  if (!warmup) return { warmupPlanId: null, warmupSince: null };
  const planId = warmup.planId.toLowerCase();
  const [plan] = await q.warmupPlans.list(tx, { projectId, planId });
  if (!plan) throw problems.invalid([{ ...NO_PLAN, received: warmup.planId }]);
  const same = row?.warmupPlanId === planId ? row.warmupSince : null;
  return { warmupPlanId: planId, warmupSince: warmup.since ?? same ?? tx.now() };
}

const NO_PLAN: FieldError = {
  field: "warmup.planId",
  code: "custom",
  message: "There is no such plan: see GET /warmup-plans",
};

function given<T>(value: T | undefined, before: T): T {
  return value === undefined ? before : value;
}

/** What of a record people change. */
function settingsOf({
  name,
  url,
  priority,
  weight,
  ratePerSecond,
  perDay,
  connections,
  warmup,
}: TransportRecord) {
  return {
    name,
    url,
    priority,
    weight,
    ratePerSecond,
    perDay,
    connections,
    warmupPlan: warmup?.planId ?? null,
  };
}

async function auditChange(
  tx: Context,
  projectId: string,
  actor: Actor,
  { before, after, change }: { before: TransportRecord; after: TransportRecord; change: TransportChange },
): Promise<void> {
  const subject = after.name;
  const isPaused = after.state === "PAUSED";
  if (isPaused !== (before.state === "PAUSED")) {
    const action = isPaused ? "transport.paused" : "transport.resumed";
    const details = isPaused ? { reason: after.stateReason } : {};
    await noteChange(tx, projectId, actor, { action, subject, details });
  }
  const changes = changesOf(settingsOf(before), settingsOf(after));
  // A new password or secret alone shows nowhere else.
  const details = {
    ...changes,
    ...(change.url !== undefined && { addressGiven: true }),
    ...(change.feedbackSecret !== undefined && { feedbackSecretGiven: change.feedbackSecret !== null }),
  };
  if (Object.keys(details).length > 0) {
    await noteChange(tx, projectId, actor, { action: "transport.updated", subject, details });
  }
}
