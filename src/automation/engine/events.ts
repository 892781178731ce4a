// What events call for: workflows that start, and executions that wait for them.
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Jobs } from "../../jobs.ts";
import { enqueue, inParts } from "../runs/jobs.ts";
import type { Claim } from "./start.ts";
import type { Call } from "../runs/waits.ts";

/** As many as the trigger gives to one. */
const EVENTS_A_JOB = 500;

/** What some events call for, the oldest event first. */
export interface Heard {
  claims: Claim[];
  calls: Call[];
}

/** Finds out what these events call for, by indexes only. Who waits since after an event is not among them. */
export async function hear(tx: Context, jobs: Jobs["start_workflows"][]): Promise<Heard> {
  if (jobs.length === 0) return { claims: [], calls: [] };
  const events = jobs.flatMap(({ projectId, eventIds }) => eventIds.map((id) => ({ projectId, id })));
  const depths = new Map(jobs.flatMap(({ eventIds, depth }) => eventIds.map((id) => [id, depth])));
  const which = {
    projectIds: events.map((event) => event.projectId),
    eventIds: events.map((event) => event.id),
  };
  const listening = await q.executionRun.listening(tx, which);
  const waiting = await q.waits.heard(tx, which);
  return {
    claims: listening.map(({ eventName, ...claim }) => ({
      ...claim,
      depth: depths.get(claim.eventId)!,
      story: { event: { id: claim.eventId, name: eventName } },
    })),
    calls: waiting.map(({ executionId, ...call }) => ({
      ...call,
      id: executionId,
      depth: depths.get(call.eventId)!,
    })),
  };
}

/**
 * Claims that can be made together, and those that cannot be before another one of the same contact has come to its end:
 * several events at once are as if they had come one after the other.
 */
export function firstRound(claims: Claim[]): { round: Claim[]; later: Claim[] } {
  const seen = new Set<string>();
  const round: Claim[] = [];
  const later: Claim[] = [];
  for (const claim of claims) {
    const key = `${claim.workflowId} ${claim.contactId}`;
    if (!seen.has(key)) round.push(claim);
    else if (claim.allowReentry) later.push(claim);
    seen.add(key);
  }
  return { round, later };
}

/** Has the events of these claims heard once more, after so long. What they have started by now stays as it is. */
export async function hearAgain(tx: Context, claims: Claim[], afterMs: number): Promise<void> {
  const runAt = new Date(tx.now().getTime() + afterMs);
  const groups = Map.groupBy(claims, ({ projectId, depth }) => `${projectId} ${depth}`);
  const jobs = [...groups.values()].flatMap((group) => {
    const { projectId, depth } = group[0]!;
    const events = [...new Set(group.map((claim) => claim.eventId!))];
    return inParts(events, EVENTS_A_JOB).map((eventIds) => ({
      task: "start_workflows" as const,
      payload: { projectId, eventIds, depth },
      ...(afterMs > 0 && { run_at: runAt }),
    }));
  });
  await enqueue(tx, jobs);
}
