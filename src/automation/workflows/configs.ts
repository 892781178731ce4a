// The config of a step without faults: what is kept of it, and how a version has it.
import type { Json } from "../../db/types.ts";
import { completeCondition } from "./conditions.ts";
import type { DelayUnit, StepConfigs, StepType } from "./graph.ts";

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

/** What counts of a config as it was given: the fields of its kind. Null is as good as nothing, but as a `value`. */
export function storedConfig(type: StepType, config: unknown): Record<string, Json> {
  const given = (config ?? {}) as Record<string, Json | undefined>;
  const fields = FIELDS[type].filter((field) => given[field] !== undefined);
  return Object.fromEntries(
    fields
      .filter((field) => given[field] !== null || field === "value")
      .map((field) => [field, given[field]!]),
  );
}

/** The field of the contact that a text names, as `data.<path>`; null for a text that names none. */
export function fieldOfContact(text: string): string | null {
  return FIELD_OF_CONTACT.exec(text)?.[1] ?? null;
}

/** A config as it was kept, with every default filled in. */
export function completeConfig<Type extends StepType>(
  type: Type,
  stored: Record<string, unknown>,
): StepConfigs[Type] {
  return COMPLETE[type](stored as never);
}

const COMPLETE: { [Type in StepType]: (stored: never) => StepConfigs[Type] } = {
  TRIGGER: () => ({}),
  SEND_EMAIL: ({ recipient }: { recipient?: { type: string; customEmail: string } }) => ({
    recipient:
      recipient?.type === "CUSTOM"
        ? { type: "CUSTOM", customEmail: recipient.customEmail.trim() }
        : { type: "CONTACT" },
  }),
  DELAY: ({ amount, unit, until }: { amount: number; unit: DelayUnit; until?: string }) =>
    until === undefined ? { amount, unit } : { until: fieldOfContact(until) ?? until },
  WAIT_FOR_EVENT: ({ eventName, timeout }: { eventName: string; timeout?: number }) => ({
    eventName: eventName.trim(),
    timeout: timeout ?? null,
  }),
  CONDITION: completeCondition,
  WEBHOOK: ({ url, method, headers, body }: Partial<StepConfigs["WEBHOOK"]>) => ({
    url: url!.trim(),
    method: method ?? "POST",
    headers: headers ?? {},
    ...(body !== undefined && { body }),
  }),
  UPDATE_CONTACT: ({ updates, subscriptionAction }: Partial<StepConfigs["UPDATE_CONTACT"]>) => ({
    updates: updates ?? {},
    subscriptionAction: subscriptionAction ?? "none",
  }),
  EXIT: ({ reason }: { reason?: string }) => ({ reason: reason?.trim() || null }),
};
