import { all, defineStep } from "./step_type.ts";

/** TRIGGER: where every execution begins. What it goes by is a part of the workflow, not of the step. */
export const triggerStep = defineStep<Record<string, never>>({
  schema: { type: "object" },
  place: "start",
  faults: () => [],
  complete: () => ({}),
  rehearse: "as performed",
  perform: async (_tx, _step, visits) => all(visits, { kind: "on" }),
});
