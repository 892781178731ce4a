// The table of the step types, and what is looked up by the type of a step.
import { fault, isObject, isUuid, missingOr } from "../../audience/faults.ts";
import { expressionChars } from "../../content/handlebars/filled.ts";
import type { Json } from "../../db/types.ts";
import { nearMisses, nearMissErrors } from "../../near_misses.ts";
import type { FieldError } from "../../problem/mod.ts";
import type { GraphStep } from "../graph.ts";
import { jsonFaults } from "../text_faults.ts";
import { conditionStep } from "./condition.ts";
import { delayStep } from "./delay.ts";
import { exitStep } from "./exit.ts";
import { sendEmailStep } from "./send_email.ts";
import type { ConfigSchema, Given, StepType } from "./step_type.ts";
import { triggerStep } from "./trigger.ts";
import { updateContactStep } from "./update_contact.ts";
import { waitForEventStep } from "./wait_for_event.ts";
import { webhookStep } from "./webhook.ts";

/** Every step type. One that is added here can be saved, tried and run. */
const STEPS = {
  TRIGGER: triggerStep,
  SEND_EMAIL: sendEmailStep,
  DELAY: delayStep,
  WAIT_FOR_EVENT: waitForEventStep,
  CONDITION: conditionStep,
  WEBHOOK: webhookStep,
  UPDATE_CONTACT: updateContactStep,
  EXIT: exitStep,
};

/** The name of a step type. */
export type StepTypeName = keyof typeof STEPS;

/** The names of all step types. */
export const STEP_TYPES = Object.keys(STEPS) as StepTypeName[];

// A condition tree may be nested 10 levels deep, which are up to 33 of JSON, and each of its values 64 more.
const CONFIG = { what: "A config", maxBytes: 65_536, maxDepth: 100 };
/** They are compiled whenever the step is saved or done: that many take some 15 ms. */
const MAX_EXPRESSION_CHARS = 10_000;

/** The fields of a step in a request. */
export interface StepInput {
  config?: unknown;
  templateId?: string | null | undefined;
}

/** The type of a step, or of that name. */
export function stepTypeOf({ type }: { type: string }): StepType {
  return STEPS[type as StepTypeName] as StepType;
}

/**
 * Everything wrong with the config of a step, and with its template; whether the template exists is not checked, and one of a
 * draft may be missing.
 */
export function stepErrors(
  type: string,
  { config, templateId }: StepInput,
  { isDraft = false } = {},
): FieldError[] {
  const given = config ?? {};
  if (!isObject(given)) return [missingOr("config", given, "Expected an object")];
  const unfit = [...jsonFaults("config", given, CONFIG), ...expressionFaults(type, given)].slice(0, 1);
  if (unfit.length > 0) return unfit;
  const { sendsTemplate, faults } = stepTypeOf({ type });
  const misses = nearMisses(given, [...fieldsOf(stepTypeOf({ type }).schema), "templateId"]);
  const errors = [
    ...faults(storedConfig(type, given)),
    ...nearMissErrors(misses).map((error) => ({ ...error, field: `config.${error.field}` })),
  ];
  if (!sendsTemplate) return errors;
  const template = templateId ?? given.templateId;
  return isDraft && isLeftOut(template) ? errors : [...templateFaults(type, template), ...errors];
}

/** The template that a step sends: that of the request, or of its config. */
export function templateOf(type: string, input: StepInput): string | null {
  return stepTypeOf({ type }).sendsTemplate ? givenTemplate(input) : null;
}

/** The template that a request names. */
export function givenTemplate({ config, templateId }: StepInput): string | null {
  return templateId ?? ((config as { templateId?: string } | undefined)?.templateId || null);
}

/** The relevant part of a given config: the fields of its type. Null counts as absent, except for `value`. */
export function storedConfig(type: string, config: unknown): Record<string, Json> {
  const given = (config ?? {}) as Record<string, Json | undefined>;
  const fields = fieldsOf(stepTypeOf({ type }).schema).filter((field) => given[field] !== undefined);
  return Object.fromEntries(
    fields
      .filter((field) => given[field] !== null || field === "value")
      .map((field) => [field, given[field]!]),
  );
}

/** A stored config, with every default filled in. */
export function completeConfig(type: string, stored: Record<string, unknown>): unknown {
  return stepTypeOf({ type }).complete(stored);
}

/** The branches by which a step is left, if it branches. */
export function branchesOf(step: GraphStep): string[] {
  return stepTypeOf(step).branches?.(step.config) ?? [];
}

function expressionFaults(type: string, given: Given): FieldError[] {
  const { hasTexts } = stepTypeOf({ type });
  if (!hasTexts || expressionChars(JSON.stringify(given)) <= MAX_EXPRESSION_CHARS) return [];
  const limit = `The expressions of a config have at most ${MAX_EXPRESSION_CHARS} characters together`;
  return [fault("config", "too_big", limit)];
}

function isLeftOut(templateId: unknown): boolean {
  return templateId === undefined || templateId === null || templateId === "";
}

function templateFaults(type: string, templateId: unknown): FieldError[] {
  if (isLeftOut(templateId)) return [fault("templateId", "required", `A ${type} step needs a template`)];
  if (typeof templateId === "string" && isUuid(templateId)) return [];
  return [fault("templateId", "invalid_string", "Expected a UUID", templateId)];
}

function fieldsOf(schema: ConfigSchema): string[] {
  return "anyOf" in schema
    ? [...new Set(schema.anyOf.flatMap(fieldsOf))]
    : Object.keys(schema.properties ?? {});
}
