/** Where a map is too large by this part, the oldest are dropped: walking past dropped ones for each new one costs more. */
const SLACK = 0.1;

/** Drops the oldest entries that are not in use, when there are clearly more than `limit`. */
export function forgetOldest<Value>(
  entries: Map<string, Value>,
  limit: number,
  isInUse: (value: Value) => boolean,
): void {
  if (entries.size <= limit * (1 + SLACK)) return;
  for (const [key, value] of entries) {
    if (entries.size <= limit) return;
    if (!isInUse(value)) entries.delete(key);
  }
}
