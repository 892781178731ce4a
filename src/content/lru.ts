/** Keeps what was made last, bounded by number and by bytes; asking for a value makes it young again. */
export interface Lru<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value, bytes: number): void;
}

/** An empty cache. Keys are compared in full, so that no two texts are ever taken for each other. */
export function newLru<Value>(maxEntries: number, maxBytes: number): Lru<Value> {
  const entries = new Map<string, { value: Value; bytes: number }>();
  let total = 0;
  const forget = (key: string) => {
    total -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  };
  return {
    get(key) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value, bytes) {
      forget(key);
      entries.set(key, { value, bytes });
      total += bytes;
      for (const oldest of entries.keys()) {
        if (entries.size <= maxEntries && total <= maxBytes) return;
        forget(oldest);
      }
    },
  };
}
