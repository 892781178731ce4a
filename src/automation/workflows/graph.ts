// A workflow as it runs: steps and the transitions between them. Nothing here knows the database.
import type { Json } from "../../db/types.ts";
import { type ConditionConfig, questionsOf } from "./conditions.ts";

export { type ConditionBranch, type ConditionConfig, type Questions, questionsOf } from "./conditions.ts";

/** What a step can do. */
export const STEP_TYPES = [
  "TRIGGER",
  "SEND_EMAIL",
  "DELAY",
  "WAIT_FOR_EVENT",
  "CONDITION",
  "WEBHOOK",
  "UPDATE_CONTACT",
  "EXIT",
] as const;
/** A kind of step. */
export type StepType = (typeof STEP_TYPES)[number];

/** How a delay is counted. */
export const DELAY_UNITS = ["minutes", "hours", "days", "weeks"] as const;
/** A unit of a delay. */
export type DelayUnit = (typeof DELAY_UNITS)[number];

/** How a webhook may be called. */
export const WEBHOOK_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
/** A method of a webhook. */
export type WebhookMethod = (typeof WEBHOOK_METHODS)[number];

/** What UPDATE_CONTACT may do to the subscription. */
export const SUBSCRIPTION_ACTIONS = ["none", "subscribe", "unsubscribe"] as const;

/** The config of each kind of step, with every default filled in. */
export interface StepConfigs {
  TRIGGER: Record<string, never>;
  SEND_EMAIL: { recipient: { type: "CONTACT" } | { type: "CUSTOM"; customEmail: string } };
  DELAY: DelayConfig;
  /** `timeout` in seconds; null waits for ever. */
  WAIT_FOR_EVENT: { eventName: string; timeout: number | null };
  CONDITION: ConditionConfig;
  /** Without a `body` the default one. Strings in `url`, `headers` and `body` are templates. */
  WEBHOOK: { url: string; method: WebhookMethod; headers: Record<string, string>; body?: Json };
  /** `updates` is what the `data` of a request is: null removes a key, and so on. Strings in it are templates. */
  UPDATE_CONTACT: {
    updates: Record<string, Json>;
    subscriptionAction: (typeof SUBSCRIPTION_ACTIONS)[number];
  };
  EXIT: { reason: string | null };
}

/** A time that passes, or a moment: a date in ISO 8601, or the field of the contact that holds one (`data.<key>`). */
export type DelayConfig = { amount: number; unit: DelayUnit } | { until: string };

/** A step. */
export type GraphStep<Type extends StepType = StepType> = {
  [T in Type]: { id: string; type: T; name: string; config: StepConfigs[T]; templateId: string | null };
}[Type];

/** A way from one step to another; see {@linkcode branchesOf} for its branch. */
export interface GraphTransition {
  id: string;
  from: string;
  to: string;
  branch: string | null;
}

/** A whole workflow, as a version keeps it. The steps are in the order in which they were added. */
export interface Graph {
  steps: GraphStep[];
  transitions: GraphTransition[];
}

/** The step that every execution begins with. */
export function triggerOf(graph: Graph): GraphStep<"TRIGGER"> {
  return graph.steps.find((step): step is GraphStep<"TRIGGER"> => step.type === "TRIGGER")!;
}

/** The branches by which a step is left, if it branches. That of a CONDITION has to be named by every transition. */
export function branchesOf(step: GraphStep): string[] {
  if (step.type === "WAIT_FOR_EVENT") return ["event", "timeout"];
  if (step.type !== "CONDITION") return [];
  const { branches, otherwise } = questionsOf(step.config);
  return [...branches.map(({ branch }) => branch), otherwise];
}

/**
 * The transition by which a step is left on this branch, or null where the graph ends. One without a branch serves
 * every branch that has none of its own.
 */
export function wayOut(graph: Graph, stepId: string, branch: string | null = null): GraphTransition | null {
  const ways = graph.transitions.filter(({ from }) => from === stepId);
  return ways.find((way) => way.branch === branch) ?? ways.find((way) => way.branch === null) ?? null;
}
