// Answers that each have a lifetime of their own, as those of the DNS do.
import { createCache } from "../cache.ts";

/** An answer and how long it holds. */
export interface Lasting<Value> {
  value: Value;
  ttlS: number;
}

/** Answers by name. */
export interface Lifetimes<Value> {
  /** What is known and still holds, or the result of `read`: concurrent callers share it. */
  load(name: string, read: () => Promise<Lasting<Value>>): Promise<Value>;
}

/** However long an answer is said to hold: a domain that moves its mail is found again within a day. */
const LONGEST_S = 86_400;
/** However short: a thousand mails to one domain are one question. */
const SHORTEST_S = 5;

/** An empty memory of at most so many answers. `now` is a clock in milliseconds. */
export function createLifetimes<Value>(maxEntries: number, now: () => number): Lifetimes<Value> {
  const cache = createCache<{ value: Value; until: number }>({ maxEntries });
  const underway = new Map<string, Promise<Value>>();
  return {
    async load(name, read) {
      const known = cache.get(name);
      if (known && now() < known.until) return known.value;
      const waiting = underway.get(name);
      if (waiting) return await waiting;
      const asking = read().then(({ value, ttlS }) => {
        const lastsS = Math.min(LONGEST_S, Math.max(SHORTEST_S, ttlS));
        cache.set(name, { value, until: now() + lastsS * 1_000 });
        return value;
      });
      underway.set(name, asking);
      return await asking.finally(() => underway.delete(name));
    },
  };
}
