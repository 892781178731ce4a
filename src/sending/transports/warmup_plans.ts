// Warm-up plans: how many mails a new transport may send on its first day, its second and so on.
import type { Actor } from "../../accounts/audit.ts";
import { nameErrors } from "../../accounts/names.ts";
import { changesOf } from "../../accounts/projects/mod.ts";
import { type Context, inTransaction, newId } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Queries } from "../../db/queries.gen.ts";
import { type FieldError, problems } from "../../problem/mod.ts";
import { holdProjectOf, noteChange } from "./owners.ts";

/** A plan as the API shows it. */
export type WarmupPlan = Awaited<ReturnType<Queries["warmupPlans"]["list"]>>[number];

/** What a plan is made of: mails on the first day, the second and so on. */
export interface WarmupPlanInput {
  name: string;
  dailyLimits: number[];
}

/** How many a project may have, and the installation. */
export const MAX_WARMUP_PLANS = 50;
export const MAX_WARMUP_DAYS = 90;

/** Every fault of a plan that its schema cannot say. */
export function warmupPlanErrors({ name }: Partial<WarmupPlanInput>): FieldError[] {
  return name === undefined ? [] : nameErrors(name);
}

/** The plans of a project, or of the installation, oldest first. */
export async function listWarmupPlans(ctx: Context, projectId: string): Promise<WarmupPlan[]> {
  return await q.warmupPlans.list(ctx, { projectId, planId: null });
}

/** One of them. Throws not-found. */
export async function getWarmupPlan(ctx: Context, projectId: string, planId: string): Promise<WarmupPlan> {
  const [plan] = await q.warmupPlans.list(ctx, { projectId, planId });
  if (!plan) throw problems.notFound("warm-up plan", planId);
  return plan;
}

/** Makes a plan. Throws 409 where there are 50 already. */
export async function addWarmupPlan(
  ctx: Context,
  projectId: string,
  { name, dailyLimits }: WarmupPlanInput,
  actor: Actor,
): Promise<WarmupPlan> {
  return await inTransaction(ctx, async (tx) => {
    await holdProjectOf(tx, projectId);
    const id = newId(tx);
    const plan = { projectId, id, name, dailyLimits, now: tx.now(), max: MAX_WARMUP_PLANS };
    if ((await q.warmupPlans.insert(tx, plan)) === 0) throw problems.tooManyWarmupPlans(MAX_WARMUP_PLANS);
    await noteChange(tx, projectId, actor, { action: "warmup_plan.added", subject: name });
    return await getWarmupPlan(tx, projectId, id);
  });
}

/** Changes what is given, for all transports that are warmed up by it. Throws not-found. */
export async function changeWarmupPlan(
  ctx: Context,
  projectId: string,
  planId: string,
  { name, dailyLimits }: Partial<WarmupPlanInput>,
  actor: Actor,
): Promise<WarmupPlan> {
  return await inTransaction(ctx, async (tx) => {
    await holdProjectOf(tx, projectId);
    const before = await getWarmupPlan(tx, projectId, planId);
    const change = { name: name ?? null, dailyLimits: dailyLimits ?? null, now: tx.now() };
    await q.warmupPlans.patch(tx, { projectId, planId, ...change });
    const after = await getWarmupPlan(tx, projectId, planId);
    const details = changesOf(settingsOf(before), settingsOf(after));
    if (Object.keys(details).length > 0) {
      await noteChange(tx, projectId, actor, { action: "warmup_plan.updated", subject: after.name, details });
    }
    return after;
  });
}

/** Removes a plan. Throws not-found, and 409 while transports are warmed up by it. */
export async function removeWarmupPlan(
  ctx: Context,
  projectId: string,
  planId: string,
  actor: Actor,
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    await holdProjectOf(tx, projectId);
    const plan = await q.warmupPlans.lock(tx, { projectId, planId });
    if (!plan) throw problems.notFound("warm-up plan", planId);
    const transports = await q.warmupPlans.transportsOn(tx, { projectId, planId });
    if (transports.length > 0) throw problems.warmupPlanInUse(transports);
    await q.warmupPlans.remove(tx, { projectId, planId });
    await noteChange(tx, projectId, actor, { action: "warmup_plan.removed", subject: plan.name });
  });
}

function settingsOf({ name, dailyLimits }: WarmupPlan) {
  return { name, dailyLimits };
}
