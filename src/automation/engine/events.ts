// Matches events with the workflows that start by them and the executions that wait for them.
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Jobs } from "../../jobs.ts";
import { enqueue, inParts } from "../runs/jobs.ts";
import type { Claim } from "./start.ts";
import type { AwaitedEvent } from "../runs/waits.ts";

/** As many as the trigger gives to one. */
const EVENTS_A_JOB = 500;

/** Workflows that start by some events, and waits that they end: the oldest event first. */
export interface Matches {
  claims: Claim[];
  arrived: AwaitedEvent[];
}

/** Finds what these events start and resume, by indexes only. A wait that began after an event is not ended by it. */
export async function matchEvents(tx: Context, jobs: Jobs["start_workflows"][]): Promise<Matches> {
  if (jobs.length === 0) return { claims: [], arrived: [] };
  const events = jobs.flatMap(({ projectId, eventIds }) => eventIds.map((id) => ({ projectId, id })));
  const depths = new Map(jobs.flatMap(({ eventIds, depth }) => eventIds.map((id) => [id, depth])));
  const which = {
    projectIds: events.map((event) => event.projectId),
    eventIds: events.map((event) => event.id),
  };
  const listening = await q.executionRun.listening(tx, which);
  const waiting = await q.waits.matched(tx, which);
  return {
    claims: listening.map(({ eventName, ...claim }) => ({
      ...claim,
      depth: depths.get(claim.eventId)!,
      history: { event: { id: claim.eventId, name: eventName } },
    })),
    arrived: waiting.map(({ executionId, ...event }) => ({
      ...event,
      id: executionId,
      depth: depths.get(event.eventId)!,
    })),
  };
}

/**
 * Claims that can be made together, and those that must wait until another one of the same contact has ended:
 * concurrent events have the same effect as if they had come one after another.
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

/** Enqueues the events of these claims again, to be matched after a pause. What they have already started stays. */
export async function matchLater(tx: Context, claims: Claim[], afterMs: number): Promise<void> {
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
