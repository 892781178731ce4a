// A workflow as it runs: steps and the transitions between them. Nothing here knows the database.
import type { Condition, Filter } from "../audience/condition_tree.ts";
import type { Json } from "../db/types.ts";

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

/** The config of each kind of step, with every default filled in. */
export interface StepConfigs {
  TRIGGER: Record<string, never>;
  SEND_EMAIL: { recipient: { type: "CONTACT" } | { type: "CUSTOM"; customEmail: string } };
  DELAY: DelayConfig;
  /** `timeout` in seconds; null waits for ever. */
  WAIT_FOR_EVENT: { eventName: string; timeout: number | null };
  CONDITION: ConditionConfig;
  /** `body` undefined: the default body. Strings in `url`, `headers` and `body` are templates. */
  WEBHOOK: { url: string; method: WebhookMethod; headers: Record<string, string>; body?: Json };
  /** `updates` is what a request's `data` is: null removes, and so on. */
  UPDATE_CONTACT: {
    updates: Record<string, Json>;
    subscriptionAction: "none" | "subscribe" | "unsubscribe";
  };
  EXIT: { reason: string | null };
}

/** A time that passes, or a moment: an ISO 8601 date, or the field of a contact that holds one (`data.<key>`). */
export type DelayConfig = { amount: number; unit: DelayUnit } | { until: string };

/** How a delay is counted. */
export const DELAY_UNITS = ["minutes", "hours", "days", "weeks"] as const;
export type DelayUnit = (typeof DELAY_UNITS)[number];

/** How a webhook may be called. */
export const WEBHOOK_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export type WebhookMethod = (typeof WEBHOOK_METHODS)[number];

/** One question, a whole tree, or one question about a field with several answers. */
export type ConditionConfig =
  | Filter
  | { condition: Condition }
  | { mode: "multi"; field: string; branches: ConditionBranch[] };

/** One answer of a CONDITION in mode `multi`; its id names the way out. */
export interface ConditionBranch extends Omit<Filter, "field"> {
  id: string;
  name: string;
}

/** A step. */
export type GraphStep<Type extends StepType = StepType> = {
  [T in Type]: { id: string; type: T; name: string; config: StepConfigs[T]; templateId: string | null };
}[Type];

/** A way from one step to another: `yes` and `no`, `event` and `timeout`, the id of a branch, or `default`. */
export interface GraphTransition {
  id: string;
  from: string;
  to: string;
  branch: string | null;
}

/** A whole workflow, as a version keeps it. */
export interface Graph {
  steps: GraphStep[];
  transitions: GraphTransition[];
}

/** The step that every execution begins with. */
export function triggerOf(graph: Graph): GraphStep<"TRIGGER"> {
  return graph.steps.find((step): step is GraphStep<"TRIGGER"> => step.type === "TRIGGER")!;
}

/**
 * The transition by which an execution leaves a step, or null where the graph ends. `branch` is what the step came to;
 * a transition without a branch serves every one.
 */
export function wayOut(graph: Graph, stepId: string, branch: string | null = null): GraphTransition | null {
  const ways = graph.transitions.filter(({ from }) => from === stepId);
  return ways.find((way) => way.branch === branch) ?? ways.find((way) => way.branch === null) ?? null;
}

/** What a CONDITION asks: its branches in their order, the first that holds is taken, else `otherwise`. */
export interface Questions {
  /**
   * What the conditions are about: the contact as it is; or `data` is that of the event (`context.event`), or the whole
   * context. For the latter two every field is `data.<path>`: splice the condition over a row `c` whose `data` it is.
   */
  over: "contact" | "event" | "context";
  branches: { branch: string; condition: Condition }[];
  otherwise: string;
}

/** A CONDITION as condition trees, which the audience's compiler takes. */
export function questionsOf(config: ConditionConfig): Questions {
  if ("condition" in config) {
    return { over: "contact", branches: [{ branch: "yes", condition: config.condition }], otherwise: "no" };
  }
  if ("branches" in config) {
    const asked = config.branches.map(({ id, name: _, ...filter }) => ({ id, filter }));
    const subject = subjectOf(config.field, asked[0]!.filter.operator);
    const branches = asked.map(({ id, filter }) => ({
      branch: id,
      condition: treeOf({ ...filter, field: subject.field }),
    }));
    return { over: subject.over, branches, otherwise: "default" };
  }
  const { over, field } = subjectOf(config.field, config.operator);
  return { over, branches: [{ branch: "yes", condition: treeOf({ ...config, field }) }], otherwise: "no" };
}
