// A queue for something that only a few can have at once, shared out by owner: a large load delays its own owner, and
// nobody else.

/** How long a line may be. */
export interface LineLimits {
  maxAtOnce: number;
  /** Of one owner; left out: all but one. */
  maxOfOne?: number;
  maxWaiting: number;
  /** Less than the whole queue, so that one owner cannot fill it. */
  maxWaitingOfOne: number;
}

/** The refusals for those who cannot wait: because too many others do, or too many of their own. */
export interface LineRefusals {
  ofAll(): Error;
  ofOne(): Error;
}

/**
 * Does `work` when its turn has come. Throws one of the refusals when it cannot wait for that, or has waited longer than
 * `patienceMs`; left out: it waits as long as it takes.
 */
export type FairLine = <T>(owner: string, work: () => Promise<T>, patienceMs?: number) => Promise<T>;

interface Turn {
  come(): void;
  refuse(error: Error): void;
}

/**
 * A queue in which owners take turns, one piece of work each. Nobody has all places at once: one, at least, is kept for
 * the next owner. Where the queue is full, the last piece of the owner with the most in it makes room for an owner with less.
 */
export function newFairLine(limits: LineLimits, refusals: LineRefusals): FairLine {
  const { maxAtOnce, maxWaiting, maxWaitingOfOne, maxOfOne = Math.max(1, maxAtOnce - 1) } = limits;
  const running = new Map<string, number>();
  // In the order in which the owners come next.
  const waiting = new Map<string, Turn[]>();

  const runningOf = (owner: string) => running.get(owner) ?? 0;
  const mayBegin = (owner: string) => sum(running.values()) < maxAtOnce && runningOf(owner) < maxOfOne;
  const begin = (owner: string) => running.set(owner, runningOf(owner) + 1);

  const end = (owner: string) => {
    if (runningOf(owner) === 1) running.delete(owner);
    else running.set(owner, runningOf(owner) - 1);
    const next = [...waiting.keys()].find(mayBegin);
    if (next === undefined) return;
    const [turn, ...rest] = waiting.get(next)!;
    waiting.delete(next);
    if (rest.length > 0) waiting.set(next, rest);
    begin(next);
    turn!.come();
  };

  const queue = (owner: string, turn: Turn) => {
    const own = waiting.get(owner) ?? [];
    if (own.length >= maxWaitingOfOne) throw refusals.ofOne();
    const lines = [...waiting.values()];
    if (sum(lines.map((line) => line.length)) >= maxWaiting) {
      const longest = lines.reduce((a, b) => (b.length > a.length ? b : a));
      if (longest.length <= own.length + 1) throw refusals.ofAll();
      longest.pop()!.refuse(refusals.ofAll());
    }
    waiting.set(owner, [...own, turn]);
  };

  const leave = (owner: string, turn: Turn) => {
    const rest = (waiting.get(owner) ?? []).filter((other) => other !== turn);
    if (rest.length > 0) waiting.set(owner, rest);
    else waiting.delete(owner);
  };

  const wait = (owner: string, patienceMs: number | undefined) =>
    new Promise<void>((come, refuse) => {
      let timer: Timer | undefined;
      const turn: Turn = {
        come() {
          clearTimeout(timer);
          come();
        },
        refuse(error) {
          clearTimeout(timer);
          refuse(error);
        },
      };
      queue(owner, turn);
      if (patienceMs === undefined) return;
      timer = setTimeout(() => {
        leave(owner, turn);
        refuse(refusals.ofAll());
      }, patienceMs);
    });

  return async (owner, work, patienceMs) => {
    if (mayBegin(owner)) begin(owner);
    else await wait(owner, patienceMs);
    try {
      return await work();
    } finally {
      end(owner);
    }
  };
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
