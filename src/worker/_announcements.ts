import type { WorkerEvents } from "graphile-worker";

/**
 * A lane that found nothing waits before it looks again (`refetchDelay`). The library counts what is announced meanwhile, and
 * forgets it afterwards: such a job would lie until the lane looks by itself, up to a second later. So the lane looks when the
 * pause is over, if anything was announced.
 */
export function keepAnnouncements(events: WorkerEvents): void {
  events.on("localQueue:refetchDelay:expired", ({ localQueue }) => {
    const { refetchDelayCounter: announced } = localQueue as unknown as { refetchDelayCounter: number };
    // Not at once: the queue is about to decide whether it looks by itself.
    if (announced > 0) queueMicrotask(() => localQueue.pulse(0));
  });
}
