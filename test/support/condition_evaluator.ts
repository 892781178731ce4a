// What guides/segments.md says about a condition tree, written down once more as plainly as possible: one contact, one
// answer. It shares nothing with the compiler, so that each can be tried against the other.
import type { Condition, Filter } from "../../src/audience/conditions/tree.ts";

/** A contact with all that a condition may ask about. */
export interface EvaluatedContact {
  email: string;
  subscribed: boolean;
  data: unknown;
  createdAt: Date;
  updatedAt: Date;
  events: { name: string; at: Date; campaignId: string | null; templateId: string | null }[];
  /** The static segments it is a member of. */
  memberOf: string[];
}

/** What else the answer depends on. */
export interface Surroundings {
  now: Date;
  segments: Map<string, { type: "DYNAMIC" | "STATIC"; condition: Condition | null }>;
}

/** True when the contact satisfies the tree. */
export function satisfies(contact: EvaluatedContact, tree: Condition, around: Surroundings): boolean {
  const answers = tree.groups.map(
    (group) =>
      (group.filters ?? []).every((filter) => passes(contact, filter, around)) &&
      (!group.conditions || satisfies(contact, group.conditions, around)),
  );
  return tree.logic === "AND" ? answers.every(Boolean) : answers.some(Boolean);
}

const OPPOSITES: [string, string][] = [
  ["notEquals", "equals"],
  ["notContains", "contains"],
  ["notExists", "exists"],
  ["notTriggered", "triggered"],
  ["notTriggeredWithin", "triggeredWithin"],
  ["notMemberOfSegment", "memberOfSegment"],
];

function passes(contact: EvaluatedContact, filter: Filter, around: Surroundings): boolean {
  for (const [negation, operator] of OPPOSITES) {
    if (filter.operator === negation) return !passes(contact, { ...filter, operator }, around);
  }
  const { field } = filter;
  if (field === "email") return passesEmail(contact.email, filter);
  if (field === "subscribed") return contact.subscribed === (String(filter.value) === "true");
  if (field === "createdAt") return passesTime(contact.createdAt, filter, around.now);
  if (field === "updatedAt") return passesTime(contact.updatedAt, filter, around.now);
  if (field.startsWith("data.")) return passesData(lookUp(contact.data, field.slice(5)), filter, around.now);
  if (field.startsWith("segment.") && filter.operator === "memberOfSegment") {
    const id = field.slice(8);
    const { type, condition } = around.segments.get(id)!;
    return type === "STATIC" ? contact.memberOf.includes(id) : satisfies(contact, condition!, around);
  }
  return passesEvents(contact, filter, around.now);
}

function passesEmail(email: string, { operator, value }: Filter): boolean {
  const wanted = String(value).toLowerCase();
  return operator === "equals" ? email === wanted : email.includes(wanted);
}

function passesTime(time: Date, filter: Filter, now: Date): boolean {
  const { operator, value } = filter;
  if (operator === "within" || operator === "olderThan") return passesAge(time.getTime(), filter, now);
  const wanted = String(value);
  if (operator === "equals" && isDay(wanted)) return time.toISOString().slice(0, 10) === wanted;
  const other = Number(microseconds(wanted)! / 1000n);
  return compares(time.getTime() - other, operator);
}

function passesAge(time: number, { operator, value, unit }: Filter, now: Date): boolean {
  const bound = goBack(now, Number(value), unit!).getTime();
  return operator.toLowerCase().endsWith("within") ? time >= bound && time <= now.getTime() : time < bound;
}

function goBack(now: Date, amount: number, unit: string): Date {
  const back = new Date(now);
  if (unit === "minutes") back.setTime(now.getTime() - amount * 60e3);
  if (unit === "hours") back.setTime(now.getTime() - amount * 3600e3);
  if (unit === "days") back.setTime(now.getTime() - amount * 86400e3);
  if (unit === "weeks") back.setTime(now.getTime() - amount * 7 * 86400e3);
  if (unit === "months") {
    const months = now.getUTCFullYear() * 12 + now.getUTCMonth() - amount;
    const [year, month] = [Math.floor(months / 12), months % 12];
    const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
    back.setUTCFullYear(year, month, Math.min(now.getUTCDate(), lastDay));
  }
  return back;
}

function passesEvents({ events }: EvaluatedContact, filter: Filter, now: Date): boolean {
  const name = eventName(filter.field);
  const times = events
    .filter((event) => event.name === name)
    .filter((event) => !filter.campaignId || event.campaignId === filter.campaignId.toLowerCase())
    .filter((event) => !filter.templateId || event.templateId === filter.templateId.toLowerCase())
    .map((event) => event.at.getTime());
  const isWithin = (time: number) => passesAge(time, { ...filter, operator: "within" }, now);
  if (filter.operator === "triggered") return times.length > 0;
  if (filter.operator === "triggeredWithin") return times.some(isWithin);
  if (filter.operator === "triggeredAtLeast" || filter.operator === "triggeredAtMost") {
    const counted = filter.unit ? times.filter(isWithin) : times;
    const [count, wanted] = [counted.length, Number(filter.count)];
    return filter.operator === "triggeredAtLeast" ? count >= wanted : count <= wanted;
  }
  return times.length > 0 && !times.some(isWithin);
}

function eventName(field: string): string {
  if (field.startsWith("event.")) return field.slice(6);
  if (!field.startsWith("email.")) return field;
  const activity = field.slice(6);
  if (activity.startsWith("deliver")) return "email.delivery";
  if (activity.startsWith("complain")) return "email.complaint";
  return `email.${activity.replace(/^(open|click|bounce)e?d$/, "$1")}`;
}

function lookUp(data: unknown, path: string): unknown {
  const own = (value: unknown, key: string): unknown =>
    typeof value === "object" && value !== null && !Array.isArray(value) && Object.hasOwn(value, key)
      ? (value as Record<string, unknown>)[key]
      : undefined;
  const flat = own(data, path);
  return flat === undefined ? path.split(".").reduce(own, data) : flat;
}

function passesData(found: unknown, filter: Filter, now: Date): boolean {
  const { operator, value } = filter;
  switch (operator) {
    case "exists":
      return found !== undefined && found !== null;
    case "equals":
      if (value === null) return found === undefined || found === null;
      if (typeof value === "string" && isDay(value)) {
        const day = microseconds(value)!;
        const time = typeof found === "string" ? microseconds(found) : null;
        return time !== null && time >= day && time < day + 86_400_000_000n;
      }
      return found !== undefined && isSameJson(found, value);
    case "contains":
      if (typeof found === "string") return typeof value === "string" && fold(found).includes(fold(value));
      return Array.isArray(found) && found.some((item) => isSameJson(folded(item), folded(value)));
    case "within":
    case "olderThan": {
      const time = typeof found === "string" ? microseconds(found) : null;
      return time !== null && passesAge(Number(time) / 1000, filter, now);
    }
    default:
      return ordered(found, value, operator);
  }
}

function ordered(found: unknown, value: unknown, operator: string): boolean {
  if (typeof found === "number" && typeof value === "number")
    return compares(found - value || Number(found > value) - Number(found < value), operator);
  if (typeof found !== "string" || typeof value !== "string") return false;
  const [time, other] = [microseconds(found), microseconds(value)];
  if (time !== null && other !== null) return compares(time < other ? -1 : time > other ? 1 : 0, operator);
  return compares(byCodePoint(found, value), operator);
}

function compares(difference: number, operator: string): boolean {
  if (operator === "equals") return difference === 0;
  if (operator === "greaterThan") return difference > 0;
  if (operator === "greaterThanOrEqual") return difference >= 0;
  if (operator === "lessThan") return difference < 0;
  if (operator === "lessThanOrEqual") return difference <= 0;
  throw new Error(`Cannot evaluate the operator ${operator}`);
}

function byCodePoint(left: string, right: string): number {
  const [a, b] = [[...left], [...right]].map((text) => text.map((char) => char.codePointAt(0)!)) as [
    number[],
    number[],
  ];
  for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}

function fold(text: string): string {
  return text.toLowerCase();
}

function folded(value: unknown): unknown {
  return typeof value === "string" ? fold(value) : value;
}

function isSameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSameJson((a as never)[key], (b as never)[key]))
  );
}

function isDay(text: string): boolean {
  return /^....-..-..$/.test(text) && microseconds(text) !== null;
}

/** The instant that a text says in ISO 8601, in microseconds; null when it says none. */
export function microseconds(text: string): bigint | null {
  const match =
    /^([1-9]\d\d\d)-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:Z|([+-])(\d\d)(?::?(\d\d))?)?)?$/.exec(
      text,
    );
  if (!match) return null;
  const [year, month, day, hour, minute, second] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0)) as number[];
  const [offsetHour, offsetMinute] = [Number(match[9] ?? 0), Number(match[10] ?? 0)];
  if (month! < 1 || month! > 12 || day! < 1 || day! > new Date(Date.UTC(year!, month!, 0)).getUTCDate())
    return null;
  if (hour! > 23 || minute! > 59 || second! > 59 || offsetHour > 14 || offsetMinute > 59) return null;
  const offset = (offsetHour * 60 + offsetMinute) * (match[8] === "-" ? -1 : 1);
  const seconds = Date.UTC(year!, month! - 1, day!, hour!, minute! - offset, second!) / 1000;
  return BigInt(seconds) * 1_000_000n + BigInt(Math.round(Number((match[7] ?? "").padEnd(9, "0")) / 1000));
}
