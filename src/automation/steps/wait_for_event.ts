import { fault, missingOr } from "../../audience/faults.ts";
import type { FieldError } from "../../problem/mod.ts";
import { eventNameFaults } from "../text_faults.ts";
import { all, defineStep, MAX_WAIT_SECONDS } from "./step_type.ts";

interface Config {
  eventName: string;
  /** In seconds; null waits for ever. */
  timeout: number | null;
}

/** WAIT_FOR_EVENT: waits for an event of the contact, with a timeout for so long at most. */
export const waitForEventStep = defineStep<Config>({
  schema: {
    type: "object",
    properties: {
      eventName: { type: "string", minLength: 1, maxLength: 255 },
      timeout: { type: "integer", minimum: 1, maximum: MAX_WAIT_SECONDS, description: "In seconds." },
    },
    required: ["eventName"],
  },
  mayNameSegments: true,
  faults: ({ eventName, timeout }) => [
    ...eventNameFaults("config.eventName", eventName),
    ...timeoutFaults(timeout),
  ],
  complete: ({ eventName, timeout }) => ({
    eventName: (eventName as string).trim(),
    timeout: (timeout as number | undefined) ?? null,
  }),
  refersTo: ({ eventName }) => [{ kind: "EVENT", name: eventName }],
  awaitsEvent: true,
  whenDue: async () => ({ branch: "timeout", output: { branch: "timeout" } }),
  branches: () => ["event", "timeout"],
  branchesTaken: ({ timeout }) => (timeout === null ? ["event"] : ["event", "timeout"]),
  pauses: () => true,
  rehearse: "as performed",
  async perform(tx, { config: { eventName, timeout } }, visits) {
    const until = timeout === null ? null : new Date(tx.now().getTime() + timeout * 1000);
    const output = { eventName, until: until && until.toISOString() };
    return all(visits, { kind: "wait", until, event: eventName, output });
  },
});

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
