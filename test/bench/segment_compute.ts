// What it takes to bring the membership of a large tracked segment up to date.
import { createSegment } from "../../src/audience/segments/mod.ts";
import { computeMembership } from "../../src/audience/segments/members.ts";
import { updateSegments } from "../../src/audience/segments/upkeep.ts";
import type { Context } from "../../src/context.ts";
import { below, exactly, type Report } from "./support/report.ts";

const CHANGES = 1_000;

/** A fifth of all contacts are members; a thousand contacts change, and all of them are looked at; then only those. */
export async function measureCompute(report: Report, ctx: Context, projectId: string): Promise<void> {
  const { id } = await createSegment(ctx, projectId, {
    name: "Pro",
    type: "DYNAMIC",
    condition: {
      logic: "AND",
      groups: [{ filters: [{ field: "data.plan", operator: "equals", value: "pro" }] }],
    },
    trackMembership: true,
  });
  const first = await timed(() => computeMembership(ctx, projectId, id));
  report.line("first compute, everybody enters", first.ms, "ms", { note: { members: first.result.total } });
  await swapPlans(ctx, projectId);
  const resident = process.memoryUsage().rss;
  const changed = await timed(() => computeMembership(ctx, projectId, id));
  const { added, removed } = changed.result;
  report.line("compute after 1,000 changes", changed.ms, "ms", {
    note: { added, removed },
    goal: below(2_000),
  });
  report.line("changes that were missed", CHANGES - added - removed, "members", { goal: exactly(0) });
  const grown = (process.memoryUsage().rss - resident) / 1_048_576;
  report.line("memory of the process for it", Math.max(0, grown), "MB", { goal: below(50) });
  await ctx.pool`delete from segment_candidates`;
  await swapPlans(ctx, projectId);
  const noted = await timed(() => updateSegments(ctx, projectId));
  report.line("upkeep of 1,000 changed contacts", noted.ms, "ms", { goal: below(2_000) });
}

/** Half of the thousand leave the segment, and half of them enter it. */
async function swapPlans({ pool }: Context, projectId: string): Promise<void> {
  await pool`
    update contacts
    set data = data || jsonb_build_object('plan', case when data ->> 'plan' = 'pro' then 'free' else 'pro' end)
    where (project_id, id) in (
      (select project_id, id from contacts where project_id = ${projectId} and data ->> 'plan' = 'pro' limit ${CHANGES / 2})
      union all
      (select project_id, id from contacts where project_id = ${projectId} and data ->> 'plan' = 'free' limit ${CHANGES / 2})
    )`;
}

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; result: T }> {
  const startedAt = performance.now();
  const result = await work();
  return { ms: performance.now() - startedAt, result };
}
