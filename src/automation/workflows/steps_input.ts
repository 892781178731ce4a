// The config of each kind of step, as it comes in a request: what is wrong with it.
import { toInstant } from "../../audience/conditions/tree.ts";
import { dataErrors } from "../../audience/contacts/data.ts";
import { fault, isObject, isUuid, missingOr, notOneOf } from "../../audience/faults.ts";
import { templateErrors } from "../../content/handlebars/errors.ts";
import { parseAddress } from "../../mail/address.ts";
import type { FieldError } from "../../problem.ts";
import { expressionChars } from "../../content/handlebars/filled.ts";
import { jsonFaults, lengthFaults, optionalTextFaults, textFaults } from "./text_faults.ts";
import { headerFaults, urlFaults } from "./_webhook_input.ts";
import { conditionFaults } from "./conditions.ts";
import { fieldOfContact, storedConfig } from "./configs.ts";
import {
  DELAY_UNITS,
  type DelayUnit,
  type StepType,
  SUBSCRIPTION_ACTIONS,
  WEBHOOK_METHODS,
} from "./graph.ts";

/** What a request says about a step. */
export interface StepInput {
  config?: unknown;
  templateId?: string | null | undefined;
}

type Given = Record<string, unknown>;

// A condition tree may be nested 10 levels deep, which are up to 33 of JSON, and each of its values 64 more.
const CONFIG = { what: "A config", maxBytes: 65_536, maxDepth: 100 };
/** They are compiled whenever the step is saved or done: that many take some 50 ms. */
const MAX_EXPRESSION_CHARS = 10_000;
const MAX_EVENT_NAME_LENGTH = 255;
const MAX_PATH_LENGTH = 1_024;
const MAX_REASON_LENGTH = 500;
const MAX_EMAIL_LENGTH = 1_000;
const MAX_WAIT_SECONDS = 31_536_000;
const UNIT_SECONDS: Record<DelayUnit, number> = { minutes: 60, hours: 3_600, days: 86_400, weeks: 604_800 };

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
  EXIT: ({ reason }) => optionalTextFaults("config.reason", reason, MAX_REASON_LENGTH),
};

/** All that is wrong with the config of a step, and with its template; that the template exists is not looked at. */
export function stepErrors(type: StepType, { config, templateId }: StepInput): FieldError[] {
  const given = config ?? {};
  if (!isObject(given)) return [missingOr("config", given, "Expected an object")];
  const unfit = [...jsonFaults("config", given, CONFIG), ...expressionFaults(type, given)].slice(0, 1);
  if (unfit.length > 0) return unfit;
  const errors = CHECKS[type](storedConfig(type, given));
  return type === "SEND_EMAIL" ? [...templateFaults(templateId ?? given.templateId), ...errors] : errors;
}

/** The template that a step uses: that of the request, or of its config. Only SEND_EMAIL has one. */
export function templateOf(type: StepType, { config, templateId }: StepInput): string | null {
  if (type !== "SEND_EMAIL") return null;
  return templateId ?? (config as { templateId?: string } | undefined)?.templateId ?? null;
}

function expressionFaults(type: StepType, given: Given): FieldError[] {
  const hasTemplates = type === "WEBHOOK" || type === "UPDATE_CONTACT";
  if (!hasTemplates || expressionChars(JSON.stringify(given)) <= MAX_EXPRESSION_CHARS) return [];
  const limit = `The expressions of a config have at most ${MAX_EXPRESSION_CHARS} characters together`;
  return [fault("config", "too_big", limit)];
}

/** What is wrong with the name of an event that somebody waits for. Any name will do, also those of the service. */
export function eventNameFaults(field: string, name: unknown): FieldError[] {
  return textFaults(field, name, MAX_EVENT_NAME_LENGTH);
}

function templateFaults(templateId: unknown): FieldError[] {
  if (templateId === undefined || templateId === null || templateId === "") {
    return [fault("templateId", "required", "A SEND_EMAIL step needs a template")];
  }
  if (typeof templateId === "string" && isUuid(templateId)) return [];
  return [fault("templateId", "invalid_string", "Expected a UUID", templateId)];
}

function recipientFaults(recipient: unknown): FieldError[] {
  const at = "config.recipient";
  if (recipient === undefined) return [];
  if (!isObject(recipient)) return [missingOr(at, recipient, "Expected an object with type")];
  const { type, customEmail } = recipient;
  if (type !== "CONTACT" && type !== "CUSTOM") return [notOneOf(`${at}.type`, type, ["CONTACT", "CUSTOM"])];
  if (type === "CONTACT") return [];
  const field = `${at}.customEmail`;
  if (typeof customEmail !== "string") return [missingOr(field, customEmail, "Expected an email address")];
  if (customEmail.length > MAX_EMAIL_LENGTH) return lengthFaults(field, customEmail, MAX_EMAIL_LENGTH);
  if (customEmail.includes("{{")) return templateErrors(field, customEmail);
  return parseAddress(customEmail)
    ? []
    : [fault(field, "invalid_string", "Expected an email address", customEmail)];
}

function delayFaults({ amount, unit, until }: Given): FieldError[] {
  if (until !== undefined) return [...eitherFaults({ amount, unit }), ...untilFaults(until)];
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

function eitherFaults(others: Given): FieldError[] {
  const [other] = Object.keys(others).filter((name) => others[name] !== undefined);
  const message = "A delay has either until, or amount and unit";
  return other === undefined ? [] : [fault(`config.${other}`, "custom", message)];
}

function untilFaults(until: unknown): FieldError[] {
  if (typeof until !== "string") return [missingOr("config.until", until, "Expected a date or data.<key>")];
  if (fieldOfContact(until) !== null) return lengthFaults("config.until", until, MAX_PATH_LENGTH);
  return toInstant(until)
    ? []
    : [fault("config.until", "invalid_string", "Expected a date in ISO 8601, or data.<key>", until)];
}

function timeoutFaults(timeout: unknown): FieldError[] {
  const at = "config.timeout";
  if (timeout === undefined) return [];
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
  if (data === undefined) return [];
  if (!isObject(data)) return [missingOr(field, data, "Expected an object")];
  return [...dataErrors(data, field), ...stringsFaults(field, data)];
}
