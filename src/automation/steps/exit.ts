import { optionalTextFaults } from "../text_faults.ts";
import { all, defineStep } from "./step_type.ts";

interface Config {
  reason: string | null;
}

const MAX_REASON_LENGTH = 500;

/** EXIT: ends the execution. */
export const exitStep = defineStep<Config>({
  schema: { type: "object", properties: { reason: { type: "string", maxLength: MAX_REASON_LENGTH } } },
  place: "end",
  faults: ({ reason }) => optionalTextFaults("config.reason", reason, MAX_REASON_LENGTH),
  complete: ({ reason }) => ({ reason: (reason as string | undefined)?.trim() || null }),
  rehearse: "as performed",
  perform: async (_tx, { config: { reason } }, visits) => all(visits, { kind: "exit", reason }),
});
