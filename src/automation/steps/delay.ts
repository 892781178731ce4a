import { toInstant } from "../../audience/conditions/tree.ts";
import { fault, missingOr, notOneOf } from "../../audience/faults.ts";
import type { FieldError } from "../../problem/mod.ts";
import type { GraphStep } from "../graph.ts";
import type { Run } from "../runs/run.ts";
import { lengthFaults } from "../text_faults.ts";
import { dataAt } from "./_data_at.ts";
import { defineStep, type Given, MAX_WAIT_SECONDS } from "./step_type.ts";

/** A time that passes, or a moment: a date in ISO 8601, or the field of the contact that holds one (`data.<key>`). */
type Config = { amount: number; unit: Unit } | { until: string };

type Unit = keyof typeof UNIT_SECONDS;

const UNIT_SECONDS = { minutes: 60, hours: 3_600, days: 86_400, weeks: 604_800 };
const UNITS = Object.keys(UNIT_SECONDS);
const MAX_PATH_LENGTH = 1_024;
/** By its offset a date may be later still: so far no calendar of the service goes. */
const LAST_MS = Date.parse("9999-12-31T23:59:59.999Z");
const FIELD = /^data\.(.+)$/s;
const FIELD_OF_CONTACT = /^(?:contact\.)?(data\..+)$/s;

/** DELAY: waits for some time, or until a moment; one that has passed is not waited for. */
export const delayStep = defineStep<Config>({
  schema: {
    anyOf: [
      {
        type: "object",
        properties: { amount: { type: "integer", minimum: 1 }, unit: { type: "string", enum: UNITS } },
        required: ["amount", "unit"],
      },
      {
        type: "object",
        properties: {
          until: {
            type: "string",
            description: "A date in ISO 8601, or `data.<key>` for one of the contact.",
          },
        },
        required: ["until"],
      },
    ],
  },
  faults(config) {
    const { until } = config;
    return until === undefined ? amountFaults(config) : [...eitherFaults(config), ...untilFaults(until)];
  },
  complete({ amount, unit, until }) {
    if (until === undefined) return { amount: amount as number, unit: unit as Unit };
    return { until: fieldOfContact(until as string) ?? (until as string) };
  },
  // The moment of the other form may have passed.
  pauses: (config) => "amount" in config,
  advice(config, now) {
    const moment = "until" in config ? toInstant(config.until) : null;
    const message = "This date has passed: contacts go on at once";
    return moment && moment <= now ? [{ field: "config.until", message }] : [];
  },
  rehearse: "as performed",
  async perform(tx, step, visits) {
    // The same moment for all: they share a timer.
    const now = tx.now();
    return visits.map(({ run }) => {
      const until = endOf(step, run.contact, now);
      if (until === null) return { kind: "fail", reason: noDate(step) };
      const output = { until: until.toISOString() };
      return until > now ? { kind: "wait", until, output } : { kind: "on", output };
    });
  },
});

/** When a delay ends that begins now; null if the contact has no date in the field. */
function endOf({ config }: GraphStep<Config>, contact: Run["contact"], now: Date): Date | null {
  if ("amount" in config) return new Date(now.getTime() + config.amount * UNIT_SECONDS[config.unit] * 1000);
  const path = FIELD.exec(config.until)?.[1];
  const text = path === undefined ? config.until : dataAt(contact.data, path);
  const moment = typeof text === "string" ? toInstant(text) : null;
  return moment && moment.getTime() <= LAST_MS ? moment : null;
}

function noDate({ name, config }: GraphStep<Config>): string {
  const { until } = config as { until: string };
  return `Cannot wait in "${name}": the contact has no date in ${until}`;
}

function amountFaults({ amount, unit }: Given): FieldError[] {
  const isUnit = (UNITS as unknown[]).includes(unit);
  const errors = isUnit ? [] : [notOneOf("config.unit", unit, UNITS)];
  if (typeof amount !== "number") return [missingOr("config.amount", amount, "Expected a number"), ...errors];
  const seconds = amount * (isUnit ? UNIT_SECONDS[unit as Unit] : 1);
  if (amount <= 0) return [fault("config.amount", "too_small", "Expected more than 0", amount), ...errors];
  if (isUnit && seconds < 1) {
    return [fault("config.amount", "too_small", "A delay is at least one second", amount)];
  }
  if (isUnit && seconds > MAX_WAIT_SECONDS) {
    return [fault("config.amount", "too_big", "A delay is at most 365 days", amount)];
  }
  return errors;
}

function eitherFaults({ amount, unit }: Given): FieldError[] {
  const [other] = Object.entries({ amount, unit }).filter(([, value]) => value !== undefined);
  const message = "A delay has either until, or amount and unit";
  return other === undefined ? [] : [fault(`config.${other[0]}`, "custom", message)];
}

function untilFaults(until: unknown): FieldError[] {
  if (typeof until !== "string") return [missingOr("config.until", until, "Expected a date or data.<key>")];
  if (fieldOfContact(until) !== null) return lengthFaults("config.until", until, MAX_PATH_LENGTH);
  return toInstant(until)
    ? []
    : [fault("config.until", "invalid_string", "Expected a date in ISO 8601, or data.<key>", until)];
}

/** The field of the contact that a text names, as `data.<path>`; null for a text that names none. */
function fieldOfContact(text: string): string | null {
  return FIELD_OF_CONTACT.exec(text)?.[1] ?? null;
}
