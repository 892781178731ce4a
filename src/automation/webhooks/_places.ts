// How many webhooks are called at once. Each holds a job, and somebody else's server decides for how long: they share a
// part of the jobs that a process does at the same time. A call without a place is put aside, and starts as soon as one
// is free; only what is too much even for that is sent back to the queue for a while.

/** How many calls may run at once. */
interface PlaceOptions {
  all: number;
  /** Of one project. */
  each: number;
}

/** What needs a place: one call of a project. */
interface PlacedCall {
  projectId: string;
  stepExecutionId: string;
}

/** Places for calls, and the calls that wait for one. */
export interface CallPlaces<E extends PlacedCall> {
  /** Takes a place. False when there is none. */
  enter(call: E): boolean;
  /** Gives a place back. */
  leave(call: E): void;
  /** Puts a call aside; if it is aside already it keeps its turn. False when that would be too long in coming. */
  putAside(call: E): boolean;
  /** Takes a place for a call that was put aside, one project after the other. Null when there is none. */
  enterNext(): E | null;
  /** Takes one that was put aside, whose turn it is, without a place. */
  release(): E | null;
  /** In how many milliseconds there will be a place for a call that is sent back now. */
  pauseMs(projectId: string): number;
}

/** The calls of one project. */
interface Line<E> {
  /** When those in progress began: readings of performance.now(). */
  running: Map<E, number>;
  /** By the step, in the order of their turns. */
  aside: Map<string, E>;
  /** How long a call takes, by the latest ones. */
  meanMs: number;
  /** Until when its places are given away, a reading of performance.now(). */
  takenUntil: number;
}

const FIRST_GUESS_MS = 200;
const LONGEST_ASIDE_MS = 30_000;
const MAX_ASIDE = 1_000;
const SHORTEST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 120_000;
const MAX_LINES = 1_000;

/** Places of one process. */
export function createCallPlaces<E extends PlacedCall>({ all, each }: PlaceOptions): CallPlaces<E> {
  // The project served last goes to the end.
  const lines = new Map<string, Line<E>>();
  let running = 0;
  let aside = 0;

  const lineOf = (projectId: string): Line<E> => {
    let line = lines.get(projectId);
    if (!line) {
      line = { running: new Map(), aside: new Map(), meanMs: FIRST_GUESS_MS, takenUntil: 0 };
      lines.set(projectId, line);
      if (lines.size > MAX_LINES) forgetIdle();
    }
    return line;
  };

  const forgetIdle = (): void => {
    for (const [projectId, line] of lines) {
      if (line.running.size + line.aside.size === 0) lines.delete(projectId);
    }
  };

  const take = (line: Line<E>, call: E): E => {
    running += 1;
    line.running.set(call, performance.now());
    return call;
  };

  /** Brings back the first call of the project whose turn it is, if it has a place left. */
  const bringBack = (): { line: Line<E>; call: E } | null => {
    for (const [projectId, line] of lines) {
      if (line.aside.size === 0 || line.running.size >= each) continue;
      lines.delete(projectId);
      lines.set(projectId, line);
      const [id, call] = line.aside.entries().next().value!;
      line.aside.delete(id);
      aside -= 1;
      return { line, call };
    }
    return null;
  };

  return {
    enter(call) {
      const line = lineOf(call.projectId);
      if (running >= all || line.running.size >= each) return false;
      take(line, call);
      return true;
    },
    leave(call) {
      const line = lineOf(call.projectId);
      const ms = performance.now() - line.running.get(call)!;
      line.running.delete(call);
      line.meanMs += (ms - line.meanMs) / 4;
      running -= 1;
    },
    putAside(call) {
      const line = lineOf(call.projectId);
      if (line.aside.has(call.stepExecutionId)) return true;
      const waitMs = (line.aside.size * line.meanMs) / each;
      if (aside >= MAX_ASIDE || waitMs > LONGEST_ASIDE_MS) return false;
      line.aside.set(call.stepExecutionId, call);
      aside += 1;
      return true;
    },
    enterNext() {
      if (running >= all || aside === 0) return null;
      const next = bringBack();
      return next && take(next.line, next.call);
    },
    release() {
      return bringBack()?.call ?? null;
    },
    pauseMs(projectId) {
      const line = lineOf(projectId);
      const now = performance.now();
      // No longer than anybody is sent away: a server that is quick again is not taken for slow until all are back.
      const end = Math.max(line.takenUntil, now) + line.meanMs / each;
      line.takenUntil = Math.min(end, now + LONGEST_PAUSE_MS);
      const pause = Math.max(SHORTEST_PAUSE_MS, line.takenUntil - now);
      // Those sent back for longest return some time earlier, and not all at the same moment.
      return pause < LONGEST_PAUSE_MS * 0.99 ? pause : LONGEST_PAUSE_MS * (0.75 + Math.random() / 4);
    },
  };
}
