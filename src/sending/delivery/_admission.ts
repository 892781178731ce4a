// Which of the mails that a pass has chosen may go now: the server of their transport lets us in, and the rates allow it.
import type { Context } from "../../context.ts";
import type { Outlets } from "./_outlets.ts";
import type { QueuedRequest } from "./_places.ts";
import { Apart, Postponed, type RefusedByRate } from "./_requests.ts";
import { admitByRate } from "./rates.ts";

/** A mail whose turn is nearer than this waits for it here; the others wait in the queue of the database, at no cost. */
const LONGEST_WAIT_MS = 2_000;

/** Those that may go. The others take another transport, or wait: for a moment here, for longer in the queue. */
export async function admittedAmong(
  ctx: Context,
  outlets: Outlets,
  chosen: QueuedRequest[],
  enqueue: (request: QueuedRequest) => void,
): Promise<QueuedRequest[]> {
  const vacate = (request: QueuedRequest) => outlets.of(request).places.vacate(request);
  const open: QueuedRequest[] = [];
  for (const request of chosen) {
    if (outlets.of(request).gate.way === "here") {
      open.push(request);
      continue;
    }
    vacate(request);
    takeAnother(outlets, request, enqueue);
  }
  const admission = await admitByRate(ctx, open).catch((error: Error) => error);
  if (admission instanceof Error) {
    for (const request of open) {
      vacate(request);
      request.failed(admission);
    }
    return [];
  }
  if (!admission) return open;
  const refused = admission.refused as (RefusedByRate & { request: QueuedRequest })[];
  for (const { request, waitMs, isApart, transportRate } of refused) {
    vacate(request);
    if (isApart) {
      outlets.noteApart(request.domain, outlets.of(request));
      request.failed(new Apart(false));
      continue;
    }
    // What waits here occupies a job, and there are few for bulk.
    const isTooLong = waitMs > LONGEST_WAIT_MS || request.campaignId !== null;
    if (waitMs === Infinity) takeAnother(outlets, request, enqueue);
    else if (isTooLong) request.failed(new Postponed(waitMs, { transportRate }));
    else setTimeout(() => enqueue(request), Math.max(1, waitMs));
  }
  return admission.admitted as QueuedRequest[];
}

/** Its transport takes nothing now: by another one, where there is one that does; otherwise it has to wait. */
function takeAnother(
  outlets: Outlets,
  request: QueuedRequest,
  enqueue: (request: QueuedRequest) => void,
): void {
  const other = outlets.choose(request);
  if (typeof other === "number") return request.failed(new Postponed(other, { isShutOut: true }));
  if (other === outlets.of(request)) return request.failed(new Postponed(Infinity));
  enqueue(request);
}
