// Conditions in words: of fields, of operators, of a filter, and of the whole.
import type { Condition, Filter } from "../../api.gen.ts";
import { formatCount, formatDay, formatNumber } from "../format.ts";
import { type Entry, nameIn, type ValueKind } from "./catalogue.ts";

/** The names of segments by their ids. */
export type SegmentNames = ReadonlyMap<string, string>;

const STANDARD: Record<string, string> = {
  email: "Address",
  subscribed: "Subscribed",
  createdAt: "Created",
  updatedAt: "Last changed",
};

/** The names of campaigns and templates by their ids. Null: it is gone. What is not there is not known yet. */
export type MailNames = ReadonlyMap<string, string | null>;

/** What words of a condition depend on. */
export interface Terms {
  kindOf: (field: string) => Entry["kind"] | undefined;
  segments: SegmentNames;
  mails: MailNames;
}

/** The activities of mail that are offered; the others of the API mean the same as one of these. */
export const ACTIVITIES: Record<string, string> = {
  sent: "Mail was sent",
  delivered: "Mail was delivered",
  opened: "Mail was opened",
  clicked: "Link in a mail was clicked",
  bounced: "Mail bounced",
  complained: "Mail was marked as spam",
  received: "Mail was received from them",
};

/** The same in a sentence: what of a mail, that it happened, that it did not, and that it happened last. */
const HAPPENED: Record<string, { what: string; did: string; never: string; not: string; last: string }> = {
  sent: passive("a mail", "sent"),
  delivered: passive("a mail", "delivered"),
  opened: passive("a mail", "opened"),
  clicked: passive("a link in a mail", "clicked"),
  bounced: {
    what: "a mail",
    did: "bounced",
    never: "never bounced",
    not: "did not bounce",
    last: "last bounced",
  },
  complained: passive("a mail", "marked as spam"),
  received: passive("a mail from them", "received"),
};

function passive(what: string, done: string) {
  return {
    what,
    did: `was ${done}`,
    never: `was never ${done}`,
    not: `was not ${done}`,
    last: `was last ${done}`,
  };
}

const SAME: Record<string, string> = {
  delivery: "delivered",
  open: "opened",
  click: "clicked",
  bounce: "bounced",
  complaint: "complained",
};

/** `Address`, `plan`, `Event ordered`, `Mail was opened`, `Segment VIPs`. */
export function fieldName(field: string, kind: Entry["kind"] | undefined, segments: SegmentNames): string {
  const name = nameIn(field);
  if (STANDARD[field]) return STANDARD[field];
  if (field.startsWith("email.")) return ACTIVITIES[activityOf(field)] ?? name;
  if (kind === "segment") return `Segment ${segments.get(name.toLowerCase()) ?? "that is gone"}`;
  if (kind === "event") return `Event ${field.startsWith("event.") ? name : field}`;
  return name;
}

/** The activity of `email.<activity>` under its one name. */
const activityOf = (field: string) => SAME[nameIn(field)] ?? nameIn(field);

const OPERATORS: Record<string, string> = {
  equals: "is",
  notEquals: "is not",
  contains: "contains",
  notContains: "does not contain",
  greaterThan: "is more than",
  greaterThanOrEqual: "is at least",
  lessThan: "is less than",
  lessThanOrEqual: "is at most",
  within: "is within the last",
  olderThan: "is longer ago than",
  exists: "is known",
  notExists: "is not known",
  triggered: "happened",
  notTriggered: "never happened",
  triggeredWithin: "happened in the last",
  notTriggeredWithin: "did not happen in the last",
  triggeredOlderThan: "last happened longer ago than",
  triggeredAtLeast: "happened at least",
  triggeredAtMost: "happened at most",
  memberOfSegment: "has the contact",
  notMemberOfSegment: "does not have the contact",
};

const OF_DATES: Record<string, string> = {
  greaterThan: "is after",
  greaterThanOrEqual: "is on or after",
  lessThan: "is before",
  lessThanOrEqual: "is on or before",
};

/** An operator in words, which differ for dates. One that is not known here is shown as the service names it. */
export const operatorName = (operator: string, isDate: boolean) =>
  (isDate ? OF_DATES[operator] : undefined) ?? OPERATORS[operator] ?? operator;

export const KIND_NAMES: Record<ValueKind, string> = {
  text: "text",
  number: "number",
  boolean: "yes or no",
  date: "date",
  nothing: "nothing",
  empty: "empty text",
  json: "JSON",
};

/** A value as it is in a sentence: `“pro”`, `12`, `yes`, `3 Mar 2026`. */
export function valueName(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return formatNumber(value);
  if (typeof value !== "string") return JSON.stringify(value);
  if (/^\d{4}-\d{2}-\d{2}$/.test(value)) return formatDay(`${value}T12:00`);
  return `“${value}”`;
}

type AnyFilter = Pick<Filter, "field"> & {
  operator: string;
  value?: unknown;
  unit?: string;
  count?: number;
  campaignId?: string | null;
  templateId?: string | null;
};

/** One filter in words: `plan is “pro”`, `Event ordered happened at least 3 times in the last 30 days`. */
export function filterSentence(filter: AnyFilter, terms: Terms): string {
  const { field, operator, value, unit, count } = filter;
  const kind = terms.kindOf(field);
  if (field.startsWith("email.") && kind === "event") return mailSentence(filter, terms.mails);
  const name = fieldName(field, kind, terms.segments);
  const isDate = kind === "time" || (typeof value === "string" && /^\d{4}-\d{2}-\d{2}/.test(value));
  const period = unit ? amountName(value as number, unit) : null;
  const says = `${name} ${operatorName(operator, isDate)}`;
  if (count !== undefined) {
    return `${says} ${formatCount(count, "time")}${period ? ` in the last ${period}` : ""}`;
  }
  if (period) return `${says} ${period}`;
  return value === undefined ? says : `${says} ${valueName(value)}`;
}

/** `a mail of the campaign “Sale” was never opened`, `a link in a mail was clicked in the last 30 days`. */
function mailSentence(filter: AnyFilter, mails: MailNames): string {
  const { field, operator, value, unit, count = 0 } = filter;
  const { what, did, never, not, last } = HAPPENED[activityOf(field)]!;
  const period = unit ? amountName(value as number, unit) : "";
  const recently = period ? ` in the last ${period}` : "";
  const mail = `${what}${sourceWords(filter, mails)}`;
  switch (operator) {
    case "notTriggered":
      return `${mail} ${never}`;
    case "triggeredWithin":
      return `${mail} ${did}${recently}`;
    case "notTriggeredWithin":
      return `${mail} ${not}${recently}`;
    case "triggeredOlderThan":
      return `${mail} ${last} more than ${period} ago`;
    case "triggeredAtLeast":
      return `${mail} ${did} at least ${formatCount(count, "time")}${recently}`;
    case "triggeredAtMost":
      return `${mail} ${did} at most ${formatCount(count, "time")}${recently}`;
    default:
      return `${mail} ${did}`;
  }
}

function sourceWords({ campaignId, templateId }: AnyFilter, mails: MailNames): string {
  const named = (id: string | null | undefined, what: string) => {
    if (!id) return "";
    const name = mails.get(id);
    return name === null
      ? ` of a deleted ${what}`
      : ` of the ${what} ${name === undefined ? "…" : `“${name}”`}`;
  };
  return `${named(campaignId, "campaign")}${named(templateId, "template")}`;
}

/** `30 days`, `1 day`. */
export const amountName = (amount: number, unit: string) => formatCount(amount, unit.replace(/s$/, ""));

/** A whole condition in words; null of nothing. */
export function sentence(condition: Condition | null, terms: Terms): string | null {
  return condition ? `Contacts where ${clause(condition, terms, false)}.` : null;
}

function clause({ logic, groups }: Condition, terms: Terms, isInner: boolean): string {
  const parts = groups.map(({ filters = [], conditions }) => {
    const said = filters.map((filter) => filterSentence(filter, terms));
    if (conditions) said.push(clause(conditions, terms, true));
    return said.join(" and ");
  });
  const joined = parts.join(logic === "AND" ? " and " : ", or ");
  return isInner && (parts.length > 1 || logic === "OR") ? `(${joined})` : joined;
}
