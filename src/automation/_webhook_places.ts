// How many webhooks are called at once. Each holds a job, and somebody else's server decides for how long. Quick ones do
// no harm. Of slow ones there are few at a time, and fewer of one project: the rest waits in the queue of the database.

/** How many calls there may be at once. */
interface PlaceOptions {
  all: number;
  /** Of them, to servers that are slow. */
  slow: number;
  /** Of these, of one project. */
  slowEach: number;
  patienceMs?: number;
}

/** Places for calls. */
export interface Places {
  /**
   * A place, at once or in a moment: call what it answers with when the place is free again. Else in how many
   * milliseconds to ask again.
   */
  take(projectId: string): Promise<(() => void) | number>;
}

/** The calls of one project. */
interface Line {
  /** When those began that are under way, the oldest first: readings of performance.now(). */
  running: Set<{ since: number }>;
  /** How long a call takes, by those that ended last. */
  meanMs: number;
  /** Until when its places are given away, a reading of performance.now(). */
  takenUntil: number;
}

/** What takes no longer is quick. */
const QUICK_MS = 250;
const FIRST_GUESS_MS = 100;
/** So long a job waits here for a place. So many may. */
const PATIENCE_MS = 500;
const waitersOf = ({ slow }: PlaceOptions) => slow;
/** What comes back sooner would do nothing but ask. */
const SHORTEST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 120_000;
const MAX_IDLE_LINES = 1_000;

/** Places of one process. */
export function createPlaces(options: PlaceOptions): Places {
  const { all, slow, slowEach, patienceMs = PATIENCE_MS } = options;
  const lines = new Map<string, Line>();
  const waiting: { projectId: string; admit: () => void }[] = [];

  const lineOf = (projectId: string): Line => {
    let line = lines.get(projectId);
    if (!line) {
      lines.set(projectId, (line = { running: new Set(), meanMs: FIRST_GUESS_MS, takenUntil: 0 }));
    }
    return line;
  };

  const countOf = (isMeant: (line: Line) => boolean): number => {
    let count = 0;
    for (const line of lines.values()) if (line.running.size > 0 && isMeant(line)) count += line.running.size;
    return count;
  };

  const isFree = (projectId: string): boolean => {
    const line = lineOf(projectId);
    if (countOf(() => true) >= all) return false;
    return !isSlow(line) || (line.running.size < slowEach && countOf(isSlow) < slow);
  };

  const grant = (projectId: string): (() => void) => {
    const line = lineOf(projectId);
    const call = { since: performance.now() };
    line.running.add(call);
    return () => {
      line.running.delete(call);
      line.meanMs += (performance.now() - call.since - line.meanMs) / 4;
      const next = waiting.findIndex((other) => isFree(other.projectId));
      if (next !== -1) waiting.splice(next, 1)[0]!.admit();
      forgetIdle();
    };
  };

  const forgetIdle = (): void => {
    if (lines.size <= MAX_IDLE_LINES) return;
    for (const [projectId, line] of lines) if (line.running.size === 0) lines.delete(projectId);
  };

  /** When there will be a place, if everybody before takes theirs: a reading of performance.now(). */
  const queueUp = (projectId: string): number => {
    const line = lineOf(projectId);
    const now = performance.now();
    const places = isSlow(line) ? slowEach : all;
    // No longer than anybody waits: a server that is quick again is not taken for slow until all have come back.
    const end = Math.max(line.takenUntil, now) + line.meanMs / places;
    return (line.takenUntil = Math.min(end, now + LONGEST_PAUSE_MS));
  };

  const pauseUntil = (turnAt: number): number => {
    const pause = Math.max(SHORTEST_PAUSE_MS, turnAt - performance.now());
    // Who is told the longest comes back some time before, and not all at the same moment.
    return pause < LONGEST_PAUSE_MS * 0.99 ? pause : LONGEST_PAUSE_MS * (0.75 + Math.random() / 4);
  };

  const isWorthWaiting = (projectId: string): boolean => {
    if (waiting.length >= waitersOf(options)) return false;
    return !isSlow(lineOf(projectId)) || waiting.every((other) => other.projectId !== projectId);
  };

  return {
    take(projectId) {
      if (isFree(projectId)) return Promise.resolve(grant(projectId));
      const turnAt = queueUp(projectId);
      if (!isWorthWaiting(projectId)) return Promise.resolve(pauseUntil(turnAt));
      return new Promise((resolve) => {
        const waiter = { projectId, admit: () => (clearTimeout(timer), resolve(grant(projectId))) };
        const timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(waiter), 1);
          resolve(pauseUntil(turnAt));
        }, patienceMs);
        waiting.push(waiter);
      });
    },
  };
}

/** A call that has not ended yet counts as soon as it has taken too long. */
function isSlow({ running, meanMs }: Line): boolean {
  const [oldest] = running;
  return meanMs > QUICK_MS || (oldest !== undefined && performance.now() - oldest.since > QUICK_MS);
}
