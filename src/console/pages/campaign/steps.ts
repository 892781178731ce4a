// The steps from a draft to what is sent. One may go back and forth: the address says where one is.
import { gapOf, type Words } from "./kind.ts";

/** In their order. */
export const STEPS = [
  { value: "content", label: "Content" },
  { value: "audience", label: "Audience" },
  { value: "check", label: "Check" },
  { value: "send", label: "Send" },
] as const;

export type Step = (typeof STEPS)[number]["value"];

/** What the address says, or the first. */
export const stepOf = (text: string): Step => STEPS.find(({ value }) => value === text)?.value ?? "content";

export const nextOf = (step: Step) => STEPS[STEPS.findIndex(({ value }) => value === step) + 1];

const IN_AUDIENCE = ["audienceType", "segmentId", "audienceCondition", "type"];

/** In which step a field of the API is fixed. */
export const stepOfField = (field: string): Step =>
  IN_AUDIENCE.some((name) => field === name || field.startsWith(`${name}.`)) ? "audience" : "content";

/** The steps in which something is missing, or was refused. */
export function wrongSteps(words: Words, faults: { field: string }[]): Set<Step> {
  const gap = gapOf(words);
  return new Set([...(gap ? [gap.step] : []), ...faults.map(({ field }) => stepOfField(field))]);
}
