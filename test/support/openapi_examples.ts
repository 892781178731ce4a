// Makes examples readable, and the same from one run to the next: what is different each time is replaced.

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const KEY = /\b([ps]k)_[0-9a-f]{48}\b/g;
const LONG = 400;
const NOW = Date.parse("2026-11-22T08:00:00.000Z");

/** The same examples with ids, times and keys that nobody has. */
export function plainExamples<T>(examples: T): T {
  const ids = new Map<string, string>();
  const idOf = (id: string) => {
    if (!ids.has(id)) ids.set(id, `019aa8f0-1c00-7000-8000-${String(ids.size + 1).padStart(12, "0")}`);
    return ids.get(id)!;
  };
  return JSON.parse(JSON.stringify(examples), (_key, value: unknown) => {
    if (typeof value !== "string") return value;
    const plain = value
      .replace(UUID, idOf)
      .replace(TIME, (time) => (isRecent(time) ? new Date(NOW).toISOString() : time))
      .replace(KEY, (_, kind: string) => `${kind}_${"0123456789abcdef".repeat(3)}`)
      .replace(/(p=)[A-Za-z0-9+/]{40,}={0,2}/, "$1MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA…")
      .replace(/\b[0-9a-f]{32,}\b/g, "5f2c…")
      .replace(/eyJ[\w.-]{20,}/g, "eyJhbGciOi…");
    return plain.length > LONG ? `${plain.slice(0, LONG)}…` : plain;
  }) as T;
}

/** Of this run; another one stands in a request. */
function isRecent(time: string): boolean {
  return Math.abs(Date.parse(time) - Date.now()) < 400 * 24 * 3_600_000;
}
