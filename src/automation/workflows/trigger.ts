// When a workflow starts: at an event, at times of a schedule, or when somebody asks for it.
import { fault, isObject, isUuid, missingOr } from "../../audience/faults.ts";
import type { FieldError } from "../../problem/mod.ts";
import type { Reference } from "../steps/step_type.ts";
import { eventNameFaults } from "../text_faults.ts";

/** The ways in which a workflow can start. */
export const TRIGGER_TYPES = ["EVENT", "MANUAL", "SCHEDULE"] as const;
/** A way in which a workflow can start. */
export type TriggerType = (typeof TRIGGER_TYPES)[number];

/** What a trigger goes by: `{eventName}` or `{schedule, segmentId?, timezone?}`; null for MANUAL, or while unknown. */
export type TriggerConfig = EventTrigger | ScheduleTrigger | null;

/** Starts at an event of this name. */
export interface EventTrigger {
  eventName: string;
}

/** Starts for the members of a segment, or for all contacts. */
export interface ScheduleTrigger {
  /** Five fields, or a word such as `@daily`. */
  schedule: string;
  segmentId?: string;
  /** An IANA name; UTC if there is none. */
  timezone?: string;
}

const MAX_SCHEDULE_LENGTH = 255;

/** Everything wrong with the config of a trigger. Null means that it is still to be set. */
export function triggerErrors(type: TriggerType, config: unknown, now: Date): FieldError[] {
  if (config === null || config === undefined || type === "MANUAL") return [];
  if (!isObject(config)) return [missingOr("triggerConfig", config, "Expected an object")];
  if (type === "EVENT") return eventNameFaults("triggerConfig.eventName", config.eventName);
  return [
    ...scheduleFaults(config.schedule, now),
    ...timezoneFaults(config.timezone, now),
    ...segmentFaults(config.segmentId),
  ];
}

/** What an enabled workflow has to have and this one has not. */
export function missingTrigger(type: TriggerType, config: TriggerConfig): FieldError[] {
  if (type === "MANUAL" || config !== null) return [];
  const field = type === "EVENT" ? "triggerConfig.eventName" : "triggerConfig.schedule";
  return [fault(field, "required", `A workflow with the trigger ${type} is enabled with this field only`)];
}

/** What is kept of a config without faults. */
export function readTrigger(type: TriggerType, config: unknown): TriggerConfig {
  if (config === null || config === undefined || type === "MANUAL") return null;
  const { eventName, schedule, segmentId, timezone } = config as EventTrigger & ScheduleTrigger;
  if (type === "EVENT") return { eventName: eventName.trim() };
  return { schedule: schedule.trim(), ...(segmentId && { segmentId }), ...(timezone && { timezone }) };
}

/** When a schedule next comes round after an instant; null when it never does. Clocks that are put on or back count. */
export function nextRunAt({ schedule, timezone }: ScheduleTrigger, after: Date): Date | null {
  return Bun.cron.parse(schedule, after, { tz: timezone ?? "UTC" });
}

/** The event or the segment that a trigger names. */
export function triggerReferences(config: TriggerConfig): Reference[] {
  if (config === null) return [];
  if ("eventName" in config) return [{ kind: "EVENT", name: config.eventName }];
  return config.segmentId === undefined ? [] : [{ kind: "SEGMENT", name: config.segmentId.toLowerCase() }];
}

function scheduleFaults(schedule: unknown, now: Date): FieldError[] {
  const field = "triggerConfig.schedule";
  if (typeof schedule !== "string") return [missingOr(field, schedule, "Expected a cron expression")];
  if (schedule.length > MAX_SCHEDULE_LENGTH) {
    return [fault(field, "too_big", `Expected at most ${MAX_SCHEDULE_LENGTH} characters`)];
  }
  try {
    const next = nextRunAt({ schedule: schedule.trim() }, now);
    return next ? [] : [fault(field, "custom", "This schedule never fires", schedule)];
  } catch {
    const message = "Expected a cron expression: minute, hour, day, month and weekday";
    return [fault(field, "invalid_string", message, schedule)];
  }
}

function timezoneFaults(timezone: unknown, now: Date): FieldError[] {
  const field = "triggerConfig.timezone";
  if (timezone === undefined || timezone === null) return [];
  if (typeof timezone !== "string") return [missingOr(field, timezone, "Expected the name of a time zone")];
  try {
    nextRunAt({ schedule: "@daily", timezone }, now);
    return [];
  } catch {
    return [
      fault(field, "invalid_string", "Expected the name of a time zone, such as Europe/Oslo", timezone),
    ];
  }
}

function segmentFaults(segmentId: unknown): FieldError[] {
  const field = "triggerConfig.segmentId";
  if (segmentId === undefined || segmentId === null) return [];
  if (typeof segmentId !== "string") return [missingOr(field, segmentId, "Expected the id of a segment")];
  return isUuid(segmentId) ? [] : [fault(field, "invalid_string", "Expected a UUID", segmentId)];
}
