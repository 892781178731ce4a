// Times that somebody chooses, in the zone of their computer.

/** Less than this is not enough to think again. */
const LEAD_MS = 5 * 60_000;
const AHEAD_MS = 10 * 365 * 86_400_000;

/** `Europe/Berlin (GMT+2)`: the zone of this computer, as it is on that day. */
export function zoneAt(text: string): string {
  const at = new Date(text);
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  if (Number.isNaN(at.getTime())) return timeZone;
  const parts = new Intl.DateTimeFormat("en", { timeZoneName: "shortOffset" }).formatToParts(at);
  const offset = parts.find(({ type }) => type === "timeZoneName")?.value;
  return offset && timeZone !== "UTC" ? `${timeZone} (${offset})` : timeZone;
}

const padded = (value: number) => String(value).padStart(2, "0");

/** `2026-11-27T09:00`, as a field for a day and a time has it. */
export function localTime(at: Date): string {
  const day = `${at.getFullYear()}-${padded(at.getMonth() + 1)}-${padded(at.getDate())}`;
  return `${day}T${padded(at.getHours())}:${padded(at.getMinutes())}`;
}

/** Tomorrow at nine. */
export function tomorrow(now = new Date()): string {
  return localTime(new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, 9));
}

/** What is wrong with a time of such a field; null: nothing. */
export function faultOf(text: string, now = Date.now()): string | null {
  const at = new Date(text).getTime();
  if (Number.isNaN(at)) return "Choose a day and a time";
  if (at < now) return "This time is over";
  if (at < now + LEAD_MS) return "Choose a time at least five minutes from now, or send it now";
  return at > now + AHEAD_MS ? "Choose a time within ten years" : null;
}
