// Numbers and times as people read them, in the language of their browser.
import { useSyncExternalStore } from "react";

const numbers = new Intl.NumberFormat();
const compact = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });
const percents = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });
const rates = new Intl.NumberFormat(undefined, {
  style: "percent",
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
/** Below it a share would be rounded to nothing. */
const LEAST_SHARE = 0.001;
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "long", timeStyle: "long" });
const days = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const daysOfYear = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
const appointments = new Intl.DateTimeFormat(undefined, {
  weekday: "long",
  day: "numeric",
  month: "long",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZoneName: "short",
});
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });

/** `12,345`. */
export const formatNumber = (value: number) => numbers.format(value);

/** `12K`: if there is little room. */
export const formatCompact = (value: number) => compact.format(value);

const formatWith = (format: Intl.NumberFormat, share: number) => {
  if (!Number.isFinite(share)) return "–";
  return share > 0 && share < LEAST_SHARE ? `<${format.format(LEAST_SHARE)}` : format.format(share);
};

/** `12.3%` of a share between 0 and 1, `<0.1%` of what is less but not nothing; `–` of nothing, as `0 / 0` is. */
export const formatPercent = (share: number) => formatWith(percents, share);

/** The same with one decimal always, `40.0%`: in a column they stand below each other. */
export const formatRate = (share: number) => formatWith(rates, share);

/** `part / whole` as a percentage; `–` if there is no whole. */
export const formatShare = (part: number, whole: number) => formatPercent(part / whole);

/** `3 contacts`, `1 contact`. */
export const formatCount = (count: number, one: string, many = `${one}s`) =>
  `${formatNumber(count)} ${count === 1 ? one : many}`;

const BYTES = ["B", "KB", "MB", "GB", "TB"];

/** `1.2 MB`, by 1,000. */
export function formatBytes(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(BYTES.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** step;
  return `${numbers.format(step === 0 || value >= 100 ? Math.round(value) : Math.round(value * 10) / 10)} ${BYTES[step]}`;
}

/** `24 November 2026 at 15:04:05 UTC`. */
export const formatExact = (at: Date | string) => exact.format(new Date(at));

/** `Friday 27 November 2026 at 09:00 CET`. */
export const formatAppointment = (at: Date | string) => appointments.format(new Date(at));

/** `24 Nov`, with the year where it is another. */
export function formatDay(at: Date | string): string {
  const date = new Date(at);
  return (date.getFullYear() === new Date().getFullYear() ? days : daysOfYear).format(date);
}

/** `15:04`. */
export const formatClock = (at: Date | string) => clock.format(new Date(at));

const seconds = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

/** `15:04:05` of today, otherwise `24 Nov, 15:04`. */
export function formatMoment(at: Date | string): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday ? seconds.format(date) : `${formatDay(date)}, ${clock.format(date)}`;
}

const SKEW = 5_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `5 minutes ago`, `in 2 hours`, `yesterday`; from a week on the day. */
export function formatRelative(at: Date | string, now = Date.now()): string {
  const ms = new Date(at).getTime() - now;
  const size = Math.abs(ms);
  // The clocks of the service and of the browser differ by a little.
  if (size < 45_000) return ms > SKEW ? "in a moment" : "just now";
  if (size < HOUR) return relative.format(Math.round(ms / MINUTE), "minute");
  if (size < DAY) return relative.format(Math.round(ms / HOUR), "hour");
  if (size < 7 * DAY) return relative.format(Math.round(ms / DAY), "day");
  return formatDay(at);
}

const TICK_MS = 20_000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** The time, a few times a minute: one clock for all that shows how long ago something was. */
export function useNow(): number {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      timer ??= setInterval(() => {
        now = Date.now();
        for (const each of listeners) each();
      }, TICK_MS);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
    () => now,
  );
}
