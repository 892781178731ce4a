// Which fields a condition may name, and which operators each of them takes (the tables of guides/segments.md).
import { isStandard, STANDARD_FIELDS, type StandardFieldName } from "../standard_fields.ts";
import { type Unit, UNITS } from "./_instants.ts";

/** What a filter is about. */
export type Field =
  | { kind: "text" | "boolean" | "time"; name: StandardFieldName }
  | { kind: "data"; path: string }
  | { kind: "event"; name: string }
  | { kind: "segment"; id: string };

/** The operators of each kind of field, without their negations. */
export const OPERATORS = {
  text: ["equals", "contains"],
  boolean: ["equals"],
  time: ["equals", "greaterThan", "lessThan", "greaterThanOrEqual", "lessThanOrEqual", "within", "olderThan"],
  data: [
    "equals",
    "greaterThan",
    "lessThan",
    "greaterThanOrEqual",
    "lessThanOrEqual",
    "within",
    "olderThan",
    "contains",
    "exists",
  ],
  event: ["triggered", "triggeredWithin", "triggeredOlderThan", "triggeredAtLeast", "triggeredAtMost"],
  segment: ["memberOfSegment"],
} as const satisfies Record<Field["kind"], readonly string[]>;

/** An operator that a kind of field takes, without its negation. */
export type OperatorOf<Kind extends Field["kind"]> = (typeof OPERATORS)[Kind][number];

/** What a filter on an activity of mail may name, so that only the mails of this one count. */
export const MAIL_SOURCES = ["campaignId", "templateId"] as const;
/** The name of such a part of a filter. */
export type MailSource = (typeof MAIL_SOURCES)[number];

/** Any operator that is not a negation. */
export type Operator = OperatorOf<Field["kind"]>;

/** Every negation, with the operator that it is the exact opposite of. */
const NEGATIONS: Record<string, Operator> = {
  notEquals: "equals",
  notContains: "contains",
  notExists: "exists",
  notTriggered: "triggered",
  notTriggeredWithin: "triggeredWithin",
  notMemberOfSegment: "memberOfSegment",
};

/** The name under which activities of mail are recorded, by the names that a condition may use. */
const ACTIVITIES: Record<string, string> = {
  sent: "email.sent",
  delivered: "email.delivery",
  delivery: "email.delivery",
  opened: "email.open",
  open: "email.open",
  clicked: "email.click",
  click: "email.click",
  bounced: "email.bounce",
  bounce: "email.bounce",
  complained: "email.complaint",
  complaint: "email.complaint",
  received: "email.received",
};

/** The names of activities of mail, as a condition may write them. */
export const MAIL_ACTIVITIES: readonly string[] = Object.keys(ACTIVITIES);

/** Those of mails that the project sent: only these have a campaign or a template. */
export const SENT_ACTIVITIES: readonly string[] = MAIL_ACTIVITIES.filter((name) => name !== "received");

/** The fields behind those names. */
export const ACTIVITY_FIELDS: readonly string[] = MAIL_ACTIVITIES.map((activity) => `email.${activity}`);

const MEMBERSHIP_EVENT = /^segment\..*\.(entry|exit)$/s;

/** What the name of a field means, or null when it means nothing. A name of no other kind is that of an event. */
export function fieldOf(name: string): Field | null {
  if (isStandard(name)) return { kind: STANDARD_FIELDS[name].kind, name };
  const [prefix, rest] = cut(name);
  switch (prefix) {
    case "data":
      return rest === "" ? null : { kind: "data", path: rest };
    case "event":
      return rest === "" ? null : { kind: "event", name: rest };
    case "email":
      return Object.hasOwn(ACTIVITIES, rest) ? { kind: "event", name: ACTIVITIES[rest]! } : null;
    case "segment":
      if (MEMBERSHIP_EVENT.test(name)) return { kind: "event", name };
      return rest === "" ? null : { kind: "segment", id: rest.toLowerCase() };
    default:
      return name === "" ? null : { kind: "event", name };
  }
}

/** True for the fields that take {@linkcode MAIL_SOURCES}. */
export function takesSources(name: string): boolean {
  const [prefix, rest] = cut(name);
  return prefix === "email" && SENT_ACTIVITIES.includes(rest);
}

/** The part before the first dot, and the part after it; without a dot there is no first part. */
function cut(name: string): [string, string] {
  const dot = name.indexOf(".");
  return dot === -1 ? ["", name] : [name.slice(0, dot), name.slice(dot + 1)];
}

/** An operator as its question, and whether the result is negated; null when the field does not take it. */
export function readOperator(field: Field, operator: string): { asks: Operator; negated: boolean } | null {
  const negated = Object.hasOwn(NEGATIONS, operator);
  const asks = (negated ? NEGATIONS[operator]! : operator) as Operator;
  return (OPERATORS[field.kind] as readonly Operator[]).includes(asks) ? { asks, negated } : null;
}

/** The names of all operators that a field takes. */
export function operatorNames(field: Field): string[] {
  return operatorsOf(field.kind).map(({ operator }) => operator);
}

/** All operators of a kind of field, negations last, each with the question that it asks. */
export function operatorsOf(kind: Field["kind"]): { operator: string; asks: Operator }[] {
  const asked: readonly Operator[] = OPERATORS[kind];
  const negations = Object.entries(NEGATIONS).filter(([, asks]) => asked.includes(asks));
  return [
    ...asked.map((asks) => ({ operator: asks, asks })),
    ...negations.map(([operator, asks]) => ({ operator, asks })),
  ];
}

/** True for the units of time. */
export function isUnit(value: unknown): value is Unit {
  return (UNITS as readonly unknown[]).includes(value);
}
