import { toInstant } from "../../audience/conditions/tree.ts";
import type { Context } from "../../context.ts";
import { dataAt } from "./_data_at.ts";
import type { Outcome, Run } from "../runs/run.ts";
import type { Visit } from "./visit.ts";
import type { DelayUnit, GraphStep } from "../workflows/graph.ts";

const UNIT_MS: Record<DelayUnit, number> = {
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
  weeks: 604_800_000,
};
const FIELD = /^data\.(.+)$/s;
/** By its offset a date may be later still: so far no calendar of the service goes. */
const LAST_MS = Date.parse("9999-12-31T23:59:59.999Z");

/** Waits for some time, or until a moment; one that has passed is not waited for. */
export async function performDelay(
  tx: Context,
  step: GraphStep<"DELAY">,
  visits: Visit[],
): Promise<Outcome[]> {
  // The same moment for all: they share a timer.
  const now = tx.now();
  return visits.map(({ run }) => {
    const until = endOf(step, run.contact, now);
    if (until === null) return { kind: "fail", reason: noDate(step) };
    const output = { until: until.toISOString() };
    return until > now ? { kind: "wait", until, output } : { kind: "on", output };
  });
}

/** When a delay ends that begins now; null where the contact has no date in the field. */
function endOf({ config }: GraphStep<"DELAY">, contact: Run["contact"], now: Date): Date | null {
  if ("amount" in config) return new Date(now.getTime() + config.amount * UNIT_MS[config.unit]);
  const path = FIELD.exec(config.until)?.[1];
  const text = path === undefined ? config.until : dataAt(contact.data, path);
  const moment = typeof text === "string" ? toInstant(text) : null;
  return moment && moment.getTime() <= LAST_MS ? moment : null;
}

function noDate({ name, config }: GraphStep<"DELAY">): string {
  const { until } = config as { until: string };
  return `Cannot wait in "${name}": the contact has no date in ${until}`;
}
