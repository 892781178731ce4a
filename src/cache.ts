// What was read or made last, kept in the memory of this process.
import { LRUCache } from "lru-cache";

/** How much a cache keeps, and for how long. */
export interface CacheOptions {
  maxEntries: number;
  /** The sum of all values, as given to `set`. */
  maxBytes?: number;
  /** Left out: as long as there is room. */
  keepMs?: number;
  /** The time in milliseconds that `keepMs` is counted by; left out: the process's own clock. */
  now?: () => number;
}

/** Values by their keys. Keys are compared in full, so that no two texts are ever taken for each other. */
export interface Cache<Value> {
  /** The value, which is then the last to be dropped. */
  get(key: string): Value | undefined;
  /** Stores a value, and drops the least recently used ones if there are too many. */
  set(key: string, value: Value, bytes?: number): void;
  /** The cached value, or the result of `read`: concurrent callers share it. A failure is not cached. */
  load(key: string, read: () => Promise<Value>): Promise<Value>;
  /** What is kept now, the one used last first. To look at it is no use of it. */
  entries(): [key: string, value: Value][];
}

/** An empty cache. */
export function createCache<Value>({ maxEntries, maxBytes, keepMs, now }: CacheOptions): Cache<Value> {
  const kept = new LRUCache<string, { value: Value }>({
    max: maxEntries,
    ...(maxBytes !== undefined && { maxSize: maxBytes }),
    ...(keepMs !== undefined && { ttl: keepMs, ttlResolution: 0 }),
    ...(now && { perf: { now } }),
  });
  const underway = new Map<string, Promise<Value>>();
  const set = (key: string, value: Value, bytes = 1) =>
    void kept.set(key, { value }, maxBytes === undefined ? {} : { size: Math.max(1, bytes) });
  const read = async (key: string, load: () => Promise<Value>): Promise<Value> => {
    try {
      const value = await load();
      set(key, value);
      return value;
    } finally {
      underway.delete(key);
    }
  };
  return {
    get: (key) => kept.get(key)?.value,
    set,
    async load(key, load) {
      const known = kept.get(key);
      if (known) return known.value;
      const waiting = underway.get(key) ?? read(key, load);
      underway.set(key, waiting);
      return await waiting;
    },
    entries: () => [...kept.entries()].map(([key, { value }]) => [key, value]),
  };
}
