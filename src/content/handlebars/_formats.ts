// Dates and numbers for a reader, by Intl. A value that is neither is printed as it is; an unknown locale is English,
// an unknown time zone UTC: a mail does not fail because of them.
import { type Cache, createCache } from "../../cache.ts";
import { isBlank, textOf, type Rendering } from "./_rendering.ts";

const MAX_FORMATS = 100;
/** What making a formatter costs: about as long as that many steps of a rendering. */
const STEPS_PER_FORMAT = 2_000;
/** And what formatting one value costs. */
const STEPS_PER_VALUE = 40;
const MAX_LOOK_CHARS = 100;
const MAX_DECIMALS = 20;

const STYLES = new Map<string, Intl.DateTimeFormatOptions>([
  ["short", { dateStyle: "short" }],
  ["medium", { dateStyle: "medium" }],
  ["long", { dateStyle: "long" }],
  ["full", { dateStyle: "full" }],
  ["time", { timeStyle: "short" }],
  ["datetime", { dateStyle: "medium", timeStyle: "short" }],
]);
const ISO_DATE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/i;
const TOKENS = /'([^']*)'|yyyy|yy|MMMM|MMM|MM|M|dd|d|EEEE|EEE|HH|H|hh|h|mm|ss|a/g;

/** How a date is to look: a style (short medium long full time datetime) or a pattern such as `d MMMM yyyy, HH:mm`. */
export interface DateLook {
  format: unknown;
  locale: unknown;
  timeZone: unknown;
}

/** Formats a Date, milliseconds since 1970, or an ISO 8601 text; without a zone it is UTC. */
export function formatDate(run: Rendering, value: unknown, look: DateLook): string {
  const date = toDate(value);
  if (!date) return textOf(run, value);
  const locale = textOf(run, look.locale).slice(0, MAX_LOOK_CHARS) || "en";
  const timeZone = textOf(run, look.timeZone).slice(0, MAX_LOOK_CHARS) || "UTC";
  const format = textOf(run, look.format).slice(0, MAX_LOOK_CHARS) || "medium";
  const style = STYLES.get(format);
  if (style) return dateFormat(run, locale, timeZone, style).format(date);
  const names = (month: "long" | "short") => {
    // With the day, because some languages decline the month then.
    return partsOf(dateFormat(run, locale, timeZone, { weekday: month, day: "numeric", month }), date);
  };
  const numbers = partsOf(dateFormat(run, "en", timeZone, NUMERIC), date);
  return format.replace(TOKENS, (token, quoted?: string) => quoted ?? partText(token, numbers, names));
}

const NUMERIC: Intl.DateTimeFormatOptions = {
  year: "numeric",
  month: "numeric",
  day: "numeric",
  hour: "numeric",
  minute: "numeric",
  second: "numeric",
  hourCycle: "h23",
};

type Parts = Partial<Record<Intl.DateTimeFormatPartTypes, string>>;

function partText(token: string, numbers: Parts, names: (length: "long" | "short") => Parts): string {
  const hour = Number(numbers.hour);
  const padded = (part: string | number | undefined) => String(part).padStart(token.length, "0");
  switch (token[0]) {
    case "y":
      return token === "yy" ? numbers.year!.slice(-2) : padded(numbers.year);
    case "M":
      if (token.length < 3) return padded(Number(numbers.month));
      return names(token === "MMM" ? "short" : "long").month ?? "";
    case "d":
      return padded(Number(numbers.day));
    case "E":
      return names(token === "EEE" ? "short" : "long").weekday ?? "";
    case "H":
      return padded(hour);
    case "h":
      return padded(hour % 12 || 12);
    case "m":
      return padded(Number(numbers.minute));
    case "s":
      return padded(Number(numbers.second));
    default:
      return hour < 12 ? "AM" : "PM";
  }
}

function partsOf(format: Intl.DateTimeFormat, date: Date): Parts {
  return Object.fromEntries(format.formatToParts(date).map((part) => [part.type, part.value]));
}

function toDate(value: unknown): Date | null {
  const date =
    value instanceof Date || typeof value === "number"
      ? new Date(value)
      : new Date(isoOf(value) ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? null : date;
}

function isoOf(value: unknown): string | null {
  const found = typeof value === "string" && value.length < 40 ? ISO_DATE.exec(value.trim()) : null;
  if (!found) return null;
  // "2026-01-05" is UTC already; with a time and no zone JavaScript would take the zone of this computer.
  const iso = found[0].replace(" ", "T");
  return iso.length > 10 && !found[1] ? `${iso}Z` : iso;
}

/** Formats a number; without decimals as many as it has, at most three. */
export function formatNumber(run: Rendering, value: unknown, decimals: unknown, locale: unknown): string {
  const number = toNumber(value);
  if (number === null) return textOf(run, value);
  const digits = isBlank(decimals) ? null : toNumber(decimals);
  const fixed = digits === null ? null : Math.min(Math.max(Math.trunc(digits), 0), MAX_DECIMALS);
  return numberFormat(run, textOf(run, locale).slice(0, MAX_LOOK_CHARS) || "en", fixed).format(number);
}

/** The number that a value is, or that a text spells. */
export function toNumber(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "string" || value.length > 40 || value.trim() === "") return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

const dateFormats = createCache<Intl.DateTimeFormat>({ maxEntries: MAX_FORMATS });
const numberFormats = createCache<Intl.NumberFormat>({ maxEntries: MAX_FORMATS });

function dateFormat(run: Rendering, locale: string, timeZone: string, options: Intl.DateTimeFormatOptions) {
  const key = `${locale}\n${timeZone}\n${JSON.stringify(options)}`;
  return kept(run, dateFormats, key, () => {
    const tries = [
      [locale, timeZone],
      ["en", timeZone],
      [locale, "UTC"],
    ] as const;
    for (const [language, zone] of tries) {
      const format = attempt(() => new Intl.DateTimeFormat(language, { ...options, timeZone: zone }));
      if (format) return format;
    }
    return new Intl.DateTimeFormat("en", { ...options, timeZone: "UTC" });
  });
}

function numberFormat(run: Rendering, locale: string, digits: number | null) {
  const options = digits === null ? {} : { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return kept(run, numberFormats, `${locale}\n${digits}`, () => {
    return attempt(() => new Intl.NumberFormat(locale, options)) ?? new Intl.NumberFormat("en", options);
  });
}

function attempt<Format>(make: () => Format): Format | null {
  try {
    return make();
  } catch {
    return null;
  }
}

function kept<Format>(run: Rendering, formats: Cache<Format>, key: string, make: () => Format): Format {
  run.steps -= STEPS_PER_VALUE;
  const known = formats.get(key);
  if (known) return known;
  run.steps -= STEPS_PER_FORMAT;
  const made = make();
  formats.set(key, made);
  return made;
}
