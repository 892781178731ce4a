// How many webhooks are called at once. Each holds a job, and somebody else's server decides for how long: they share a
// part of the jobs that a process does at the same time, and the rest waits in the queue of the database.

/** What places are made of. */
interface PlaceOptions {
  /** How many there are. */
  all: number;
  /** How many of them one project may have. As many more of it may wait here for one. */
  each: number;
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

interface Line {
  running: number;
  /** How long a call takes, by those that ended last. */
  meanMs: number;
  /** Until when its places are given away, a reading of performance.now(). */
  takenUntil: number;
}

const PATIENCE_MS = 1_000;
const FIRST_GUESS_MS = 500;
/** What comes back sooner would do nothing but ask. */
const SHORTEST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 120_000;
const MAX_IDLE_LINES = 1_000;

/** Places of one process. */
export function createPlaces({ all, each, patienceMs = PATIENCE_MS }: PlaceOptions): Places {
  const lines = new Map<string, Line>();
  const waiting: { projectId: string; admit: () => void }[] = [];
  let running = 0;

  const lineOf = (projectId: string): Line => {
    let line = lines.get(projectId);
    if (!line) lines.set(projectId, (line = { running: 0, meanMs: FIRST_GUESS_MS, takenUntil: 0 }));
    return line;
  };

  const isFree = (projectId: string) => running < all && lineOf(projectId).running < each;

  const grant = (projectId: string): (() => void) => {
    const line = lineOf(projectId);
    const startedAt = performance.now();
    running += 1;
    line.running += 1;
    return () => {
      running -= 1;
      line.running -= 1;
      line.meanMs += (performance.now() - startedAt - line.meanMs) / 4;
      const next = waiting.findIndex((other) => isFree(other.projectId));
      if (next !== -1) waiting.splice(next, 1)[0]!.admit();
      forgetIdle();
    };
  };

  const forgetIdle = (): void => {
    if (lines.size <= MAX_IDLE_LINES) return;
    for (const [projectId, line] of lines) if (line.running === 0) lines.delete(projectId);
  };

  /** When there will be a place, if everybody before takes theirs: a reading of performance.now(). */
  const queueUp = (projectId: string): number => {
    const line = lineOf(projectId);
    const now = performance.now();
    // No longer than anybody waits: a server that is quick again is not taken for slow until all have come back.
    const end = Math.max(line.takenUntil, now) + line.meanMs / each;
    return (line.takenUntil = Math.min(end, now + LONGEST_PAUSE_MS));
  };

  const pauseUntil = (turnAt: number): number => {
    const pause = Math.max(SHORTEST_PAUSE_MS, turnAt - performance.now());
    // Who is told the longest comes back some time before, and not all at the same moment.
    return pause < LONGEST_PAUSE_MS * 0.99 ? pause : LONGEST_PAUSE_MS * (0.75 + Math.random() / 4);
  };

  return {
    take(projectId) {
      if (isFree(projectId)) return Promise.resolve(grant(projectId));
      const turnAt = queueUp(projectId);
      const before = waiting.filter((other) => other.projectId === projectId).length;
      if (before >= each || waiting.length >= all) return Promise.resolve(pauseUntil(turnAt));
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
