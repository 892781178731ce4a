// What steps and triggers do, in a few words.
import type { Condition, GraphStep, Workflow } from "../../api.gen.ts";
import {
  amountName,
  filterSentence,
  operatorName,
  type SegmentNames,
  sentence,
  type Terms,
  valueName,
} from "../conditions/words.ts";
import { formatDay } from "../format.ts";

/** The names that steps refer to by ids. Null: not known yet. */
export interface Names {
  templates: ReadonlyMap<string, string>;
  vocabulary: Terms | null;
}

type Step = Pick<GraphStep, "type" | "config" | "templateId">;
/** What a workflow starts with. */
export type Trigger = Pick<Workflow, "triggerType" | "triggerConfig">;

/** What a step does. `trigger` is that of the workflow. */
export function aboutOf(step: Step, names: Names, trigger: Trigger): string {
  const { config } = step;
  switch (step.type) {
    case "TRIGGER":
      return triggerWords(trigger, names.vocabulary ?? {});
    case "SEND_EMAIL":
      return mailWords(step, names);
    case "DELAY":
      return delayWords(config);
    case "WAIT_FOR_EVENT":
      return waitWords(config);
    case "CONDITION":
      return questionWords(config, names);
    case "WEBHOOK":
      return webhookWords(config);
    case "UPDATE_CONTACT":
      return updateWords(config);
    case "EXIT":
      return config.reason ? `Because: ${String(config.reason)}` : "Ends here";
  }
}

const OTHER_DIRECTION = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufefc]/;

/** A name in a sentence. One that is read from right to left, or says that it is, turns nothing around it. */
const quoted = (name: unknown) =>
  OTHER_DIRECTION.test(String(name)) ? `“\u2068${String(name)}\u2069”` : `“${String(name)}”`;

/** When a workflow starts: `When “signed up” happens`, `Every day at 09:00, for VIPs`. */
export function triggerWords(
  { triggerType, triggerConfig }: Trigger,
  { segments }: { segments?: SegmentNames | undefined },
): string {
  if (triggerType === "MANUAL") return "When you or your application starts it";
  if (!triggerConfig) return triggerType === "EVENT" ? "No event chosen yet" : "No time chosen yet";
  if (triggerType === "EVENT") return `When ${quoted(triggerConfig.eventName)} happens`;
  const { schedule, timezone, segmentId } = triggerConfig as {
    schedule: string;
    timezone?: string;
    segmentId?: string;
  };
  const whom = segmentId
    ? `for ${segments ? (segments.get(segmentId.toLowerCase()) ?? "a deleted segment") : "a segment"}`
    : "for all contacts";
  return `${scheduleWords(schedule)}${timezone && timezone !== "UTC" ? ` (${timezone})` : ""}, ${whom}`;
}

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const WORDS: Record<string, string> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
};

/** A cron expression in words, where it is one of the usual ones; else as it is. */
export function scheduleWords(schedule: string): string {
  const [minute, hour, day, month, weekday] = (WORDS[schedule.trim()] ?? schedule.trim()).split(/\s+/);
  const isNumber = (part: string | undefined) => part !== undefined && /^\d{1,2}$/.test(part);
  if (month === "*" && isNumber(minute)) {
    if (hour === "*" && day === "*" && weekday === "*")
      return Number(minute) === 0 ? "Every hour" : `Every hour, ${minute} minutes past`;
    if (isNumber(hour)) {
      const at = `at ${hour!.padStart(2, "0")}:${minute!.padStart(2, "0")}`;
      if (day === "*" && weekday === "*") return `Every day ${at}`;
      if (day === "*" && weekday === "1-5") return `Every weekday ${at}`;
      if (day === "*" && isNumber(weekday) && DAYS[Number(weekday)])
        return `Every ${DAYS[Number(weekday)]} ${at}`;
      if (isNumber(day) && weekday === "*") return `On day ${day} of every month ${at}`;
    }
  }
  return `At the times of “${schedule}”`;
}

function mailWords({ templateId, config }: Step, { templates }: Names): string {
  if (!templateId) return "No template yet";
  const name = templates.get(templateId) ?? "Template";
  const recipient = config.recipient as { type?: string; customEmail?: string } | undefined;
  return recipient?.type === "CUSTOM" ? `${name}, to ${recipient.customEmail || "somebody else"}` : name;
}

function delayWords({ amount, unit, until }: Record<string, unknown>): string {
  if (typeof until === "string") {
    const field = /^(?:contact\.)?data\.(.+)$/s.exec(until)?.[1];
    if (field) return `Until the date in ${field}`;
    return until && !Number.isNaN(Date.parse(until)) ? `Until ${formatDay(until)}` : "No date yet";
  }
  return typeof amount === "number" && typeof unit === "string" ? amountName(amount, unit) : "No time yet";
}

function waitWords({ eventName, timeout }: Record<string, unknown>): string {
  if (!eventName) return "No event chosen yet";
  const limit = typeof timeout === "number" ? `, for ${durationWords(timeout)} at most` : "";
  return `${quoted(eventName)}${limit}`;
}

const UNITS = [
  ["weeks", 604_800],
  ["days", 86_400],
  ["hours", 3_600],
  ["minutes", 60],
  ["seconds", 1],
] as const;

/** Seconds in the largest unit that they are a whole number of: `3 days`. Two weeks and more only are weeks. */
export function durationOf(seconds: number): { amount: number; unit: (typeof UNITS)[number][0] } {
  const [unit, size] = UNITS.find(([, each]) => seconds >= each && seconds % each === 0) ?? UNITS.at(-1)!;
  return { amount: seconds / size, unit };
}

/** `3 days`. */
function durationWords(seconds: number): string {
  const { amount, unit } = durationOf(seconds);
  return amountName(amount, unit);
}

interface Asked {
  field: string;
  operator: string;
  value?: unknown;
  unit?: string;
  count?: number;
}

function questionWords(config: Record<string, unknown>, { vocabulary }: Names): string {
  if (Array.isArray(config.branches)) {
    const field = subjectName(String(config.field ?? ""));
    const names = (config.branches as { name?: string }[]).map(({ name }) => name).filter(Boolean);
    return field ? `By ${field}: ${names.join(", ")}` : "No condition yet";
  }
  if (config.condition) {
    const condition = config.condition as Condition;
    if (condition.groups.length === 0) return "No condition yet";
    const words = vocabulary && sentence(condition, vocabulary);
    return words ? words.replace(/^Contacts where /, "").replace(/\.$/, "") : "A condition";
  }
  if (!config.field) return "No condition yet";
  return askedWords(config as unknown as Asked, vocabulary);
}

const UNKNOWN: Terms = { kindOf: () => undefined, segments: new Map(), mails: new Map() };

function askedWords(asked: Asked, vocabulary: Terms | null): string {
  const of = /^(event|context)\.(.+)$/s.exec(asked.field);
  // Of an event it may also be asked whether it happened.
  if (of && !/triggered/i.test(asked.operator)) {
    const { operator, value, unit } = asked;
    const what = unit ? amountName(Number(value), unit) : value === undefined ? "" : valueName(value);
    return `${subjectName(asked.field)} ${operatorName(operator, false)} ${what}`.trim();
  }
  const field = asked.field.replace(/^contact\./, "");
  return filterSentence({ ...asked, field }, vocabulary ?? UNKNOWN);
}

/** `plan`, `plan of the event`. */
function subjectName(field: string): string {
  const of = /^(event|context)\.(.+)$/s.exec(field);
  if (of) return `${of[2]} of the ${of[1]}`;
  return field.replace(/^contact\./, "").replace(/^data\./, "");
}

function webhookWords({ url, method }: Record<string, unknown>): string {
  if (!url) return "No address yet";
  const host = /^https?:\/\/([^/?#]+)/i.exec(String(url))?.[1];
  return `${String(method ?? "POST")} ${host ?? String(url)}`;
}

function updateWords({ updates, subscriptionAction }: Record<string, unknown>): string {
  const entries = Object.entries((updates ?? {}) as Record<string, unknown>);
  const of = (isRemoved: boolean) =>
    entries.filter(([, value]) => (value === null) === isRemoved).map(([name]) => name);
  const parts = [
    of(false).length > 0 && `sets ${of(false).join(", ")}`,
    of(true).length > 0 && `removes ${of(true).join(", ")}`,
    subscriptionAction === "subscribe" && "subscribes",
    subscriptionAction === "unsubscribe" && "unsubscribes",
  ].filter((part) => part !== false);
  const text = parts.join("; ");
  return text ? text.charAt(0).toUpperCase() + text.slice(1) : "Changes nothing yet";
}
