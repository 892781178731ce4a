// The config of each kind of step, as it comes in a request: what is wrong with it, and what is kept of it.
import { toInstant } from "../audience/condition_tree.ts";
import { dataErrors } from "../audience/contact_data.ts";
import { fault, isObject, missingOr, notOneOf } from "../audience/faults.ts";
import { templateErrors } from "../content/template_errors.ts";
import type { Json } from "../db/types.ts";
import { parseAddress } from "../mail/address.ts";
import type { FieldError } from "../problem.ts";
import { headerFaults, urlFaults } from "./_webhook_input.ts";
import { completeCondition, conditionFaults } from "./workflow_conditions.ts";
import {
  DELAY_UNITS,
  type DelayUnit,
  type StepConfigs,
  type StepType,
  SUBSCRIPTION_ACTIONS,
  WEBHOOK_METHODS,
} from "./workflow_graph.ts";

/** What a request says about a step. */
export interface StepInput {
  config?: unknown;
  templateId?: string | null | undefined;
}

type Given = Record<string, unknown>;

const MAX_CONFIG_LENGTH = 65_536;
const MAX_CONFIG_DEPTH = 32;
const MAX_EVENT_NAME_LENGTH = 255;
const MAX_PATH_LENGTH = 1_024;
const MAX_REASON_LENGTH = 500;
const MAX_EMAIL_LENGTH = 1_000;
const MAX_WAIT_SECONDS = 31_536_000;
const UNIT_SECONDS: Record<DelayUnit, number> = { minutes: 60, hours: 3_600, days: 86_400, weeks: 604_800 };
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const FIELD_OF_CONTACT = /^(?:contact\.)?(data\..+)$/s;

/** The fields of each config. Anything else in one is ignored. */
const FIELDS: Record<StepType, readonly string[]> = {
  TRIGGER: [],
  SEND_EMAIL: ["recipient"],
  DELAY: ["amount", "unit", "until"],
  WAIT_FOR_EVENT: ["eventName", "timeout"],
  CONDITION: ["mode", "field", "operator", "value", "unit", "condition", "branches"],
  WEBHOOK: ["url", "method", "headers", "body"],
  UPDATE_CONTACT: ["updates", "subscriptionAction"],
  EXIT: ["reason"],
};

const CHECKS: Record<StepType, (config: Given) => FieldError[]> = {
  TRIGGER: () => [],
  SEND_EMAIL: ({ recipient }) => recipientFaults(recipient),
  DELAY: delayFaults,
  WAIT_FOR_EVENT: ({ eventName, timeout }) => [
    ...eventNameFaults("config.eventName", eventName),
    ...timeoutFaults(timeout),
  ],
  CONDITION: conditionFaults,
  WEBHOOK: webhookFaults,
  UPDATE_CONTACT: updateFaults,
  EXIT: ({ reason }) => textFaults("config.reason", reason, MAX_REASON_LENGTH),
};

/** All that is wrong with the config of a step, and with its template; that the template exists is not looked at. */
export function stepErrors(type: StepType, { config, templateId }: StepInput): FieldError[] {
  const given = config ?? {};
  if (!isObject(given)) return [missingOr("config", given, "Expected an object")];
  if (isUnstorable(given, MAX_CONFIG_DEPTH)) {
    const message = `A config is nested at most ${MAX_CONFIG_DEPTH} levels deep, and has no endless numbers`;
    return [fault("config", "custom", message)];
  }
  if (JSON.stringify(given).length > MAX_CONFIG_LENGTH) {
    return [fault("config", "too_big", `A config has at most ${MAX_CONFIG_LENGTH} characters as JSON`)];
  }
  const errors = CHECKS[type](given);
  return type === "SEND_EMAIL" ? [...templateFaults(templateId ?? given.templateId), ...errors] : errors;
}

/** The template that a step uses: that of the request, or of its config. Only SEND_EMAIL has one. */
export function templateOf(type: StepType, { config, templateId }: StepInput): string | null {
  if (type !== "SEND_EMAIL") return null;
  return templateId ?? (config as { templateId?: string } | undefined)?.templateId ?? null;
}

/** What is kept of a config without faults: the fields of its kind, as they were given. */
export function storedConfig(type: StepType, config: unknown): Record<string, Json> {
  const given = (config ?? {}) as Record<string, Json>;
  const fields = FIELDS[type].filter((field) => given[field] !== undefined);
  return Object.fromEntries(fields.map((field) => [field, given[field]!]));
}

/** A config as it was kept, with every default filled in. */
export function completeConfig<Type extends StepType>(type: Type, stored: Given): StepConfigs[Type] {
  return COMPLETE[type](stored as never);
}

const COMPLETE: { [Type in StepType]: (stored: never) => StepConfigs[Type] } = {
  TRIGGER: () => ({}),
  SEND_EMAIL: ({ recipient }: { recipient?: { type: string; customEmail: string } | null }) => ({
    recipient:
      recipient?.type === "CUSTOM"
        ? { type: "CUSTOM", customEmail: recipient.customEmail.trim() }
        : { type: "CONTACT" },
  }),
  DELAY: ({ amount, unit, until }: { amount: number; unit: DelayUnit; until?: string }) =>
    until === undefined ? { amount, unit } : { until: FIELD_OF_CONTACT.exec(until)?.[1] ?? until },
  WAIT_FOR_EVENT: ({ eventName, timeout }: { eventName: string; timeout?: number | null }) => ({
    eventName: eventName.trim(),
    timeout: timeout ?? null,
  }),
  CONDITION: completeCondition,
  WEBHOOK: ({ url, method, headers, body }: Partial<StepConfigs["WEBHOOK"]>) => ({
    url: url!.trim(),
    method: method ?? "POST",
    headers: headers ?? {},
    ...(body !== undefined && body !== null && { body }),
  }),
  UPDATE_CONTACT: ({ updates, subscriptionAction }: Partial<StepConfigs["UPDATE_CONTACT"]>) => ({
    updates: updates ?? {},
    subscriptionAction: subscriptionAction ?? "none",
  }),
  EXIT: ({ reason }: { reason?: string | null }) => ({ reason: reason?.trim() || null }),
};

/** What is wrong with the name of an event that somebody waits for. Any name will do, also those of the service. */
export function eventNameFaults(field: string, name: unknown): FieldError[] {
  if (typeof name !== "string") return [missingOr(field, name, "Expected a string")];
  if (name.trim() === "") return [fault(field, "too_small", "Expected at least one character", name)];
  return textFaults(field, name, MAX_EVENT_NAME_LENGTH);
}

function templateFaults(templateId: unknown): FieldError[] {
  if (templateId === undefined || templateId === null || templateId === "") {
    return [fault("templateId", "required", "A SEND_EMAIL step needs a template")];
  }
  if (typeof templateId === "string" && UUID.test(templateId)) return [];
  return [fault("templateId", "invalid_string", "Expected a UUID", templateId)];
}

function recipientFaults(recipient: unknown): FieldError[] {
  const at = "config.recipient";
  if (recipient === undefined || recipient === null) return [];
  if (!isObject(recipient)) return [missingOr(at, recipient, "Expected an object with type")];
  const { type, customEmail } = recipient;
  if (type !== "CONTACT" && type !== "CUSTOM") return [notOneOf(`${at}.type`, type, ["CONTACT", "CUSTOM"])];
  if (type === "CONTACT") return [];
  const field = `${at}.customEmail`;
  if (typeof customEmail !== "string") return [missingOr(field, customEmail, "Expected an email address")];
  if (customEmail.length > MAX_EMAIL_LENGTH) return textFaults(field, customEmail, MAX_EMAIL_LENGTH);
  if (customEmail.includes("{{")) return templateErrors(field, customEmail);
  return parseAddress(customEmail)
    ? []
    : [fault(field, "invalid_string", "Expected an email address", customEmail)];
}

function delayFaults({ amount, unit, until }: Given): FieldError[] {
  if (until !== undefined) return untilFaults(until);
  const isUnit = (DELAY_UNITS as readonly unknown[]).includes(unit);
  const errors = isUnit ? [] : [notOneOf("config.unit", unit, DELAY_UNITS)];
  if (typeof amount !== "number") return [missingOr("config.amount", amount, "Expected a number"), ...errors];
  const seconds = amount * (isUnit ? UNIT_SECONDS[unit as DelayUnit] : 1);
  if (amount <= 0) return [fault("config.amount", "too_small", "Expected more than 0", amount), ...errors];
  if (isUnit && seconds < 1) {
    return [fault("config.amount", "too_small", "A delay is at least one second", amount)];
  }
  if (isUnit && seconds > MAX_WAIT_SECONDS) {
    return [fault("config.amount", "too_big", "A delay is at most 365 days", amount)];
  }
  return errors;
}

function untilFaults(until: unknown): FieldError[] {
  if (typeof until !== "string") return [missingOr("config.until", until, "Expected a date or data.<key>")];
  if (FIELD_OF_CONTACT.test(until)) return textFaults("config.until", until, MAX_PATH_LENGTH);
  return toInstant(until)
    ? []
    : [fault("config.until", "invalid_string", "Expected a date in ISO 8601, or data.<key>", until)];
}

function timeoutFaults(timeout: unknown): FieldError[] {
  const at = "config.timeout";
  if (timeout === undefined || timeout === null) return [];
  if (typeof timeout !== "number" || !Number.isInteger(timeout)) {
    return [missingOr(at, timeout, "Expected a whole number of seconds")];
  }
  if (timeout < 1) return [fault(at, "too_small", "Expected at least 1 second", timeout)];
  return timeout > MAX_WAIT_SECONDS
    ? [fault(at, "too_big", `Expected at most ${MAX_WAIT_SECONDS} seconds, a year`, timeout)]
    : [];
}

function webhookFaults({ url, method, headers, body }: Given): FieldError[] {
  const isMethod = method === undefined || (WEBHOOK_METHODS as readonly unknown[]).includes(method);
  return [
    ...urlFaults("config.url", url),
    ...(isMethod ? [] : [notOneOf("config.method", method, WEBHOOK_METHODS)]),
    ...headerFaults("config.headers", headers),
    ...stringsFaults("config.body", body),
  ];
}

/** What is wrong with the templates that the strings of a JSON value are. */
function stringsFaults(field: string, value: unknown): FieldError[] {
  if (typeof value === "string") return templateErrors(field, value);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => stringsFaults(`${field}.${key}`, inner));
}

function updateFaults({ updates, subscriptionAction: action }: Given): FieldError[] {
  const isAction = action === undefined || (SUBSCRIPTION_ACTIONS as readonly unknown[]).includes(action);
  return [
    ...dataFaults("config.updates", updates),
    ...(isAction ? [] : [notOneOf("config.subscriptionAction", action, SUBSCRIPTION_ACTIONS)]),
  ];
}

function dataFaults(field: string, data: unknown): FieldError[] {
  if (data === undefined || data === null) return [];
  if (!isObject(data)) return [missingOr(field, data, "Expected an object")];
  return [...dataErrors(data, field), ...stringsFaults(field, data)];
}

function textFaults(field: string, value: unknown, maxLength: number): FieldError[] {
  if (value === undefined || value === null) return [];
  if (typeof value !== "string") return [missingOr(field, value, "Expected a string")];
  return value.length > maxLength
    ? [fault(field, "too_big", `Expected at most ${maxLength} characters`)]
    : [];
}

/** True for what is nested too deeply, and for a number beyond all bounds, which JSON.parse makes of 1e999. */
function isUnstorable(value: unknown, levels: number): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isUnstorable(inner, levels - 1));
}
