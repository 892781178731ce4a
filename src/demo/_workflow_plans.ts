// The workflows of the demo: their graphs, and the paths on which contacts went through them.
import type { StepTypeName } from "../automation/steps/mod.ts";
import type { Templates } from "./_content.ts";

/** A step of a graph; the trigger is there already. */
export interface StepPlan {
  type: StepTypeName;
  config?: Record<string, unknown>;
  template?: keyof Templates;
  at: [x: number, y: number];
}

/** A path through a graph: which share of the contacts takes it, its steps with the seconds that each takes. */
export interface PathPlan {
  share: number;
  status: "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED" | "RUNNING";
  /** `[step, seconds, branch?]`, after the trigger. */
  steps: [name: string, seconds: number, branch?: string][];
  reason?: string;
}

/** A workflow. One without paths was never enabled. */
export interface WorkflowPlan {
  name: string;
  description: string;
  event: string;
  enabled: boolean;
  steps: Record<string, StepPlan>;
  /** `From > To`, or `From branch> To`. */
  ways: string[];
  paths: PathPlan[];
}

const HOUR = 3_600;
const DAY = 86_400;

export const WORKFLOWS: WorkflowPlan[] = [
  {
    name: "Welcome series",
    description: "Three mails for those who sign up, until they order",
    event: "signed up",
    enabled: true,
    steps: {
      Welcome: { type: "SEND_EMAIL", template: "welcome", at: [0, 140] },
      "First order?": {
        type: "WAIT_FOR_EVENT",
        config: { eventName: "ordered", timeout: 3 * DAY },
        at: [0, 280],
      },
      "Tag as customer": { type: "UPDATE_CONTACT", config: { updates: { welcomed: true } }, at: [-220, 420] },
      "On a paid plan?": {
        type: "CONDITION",
        config: { field: "data.plan", operator: "notEquals", value: "free" },
        at: [220, 420],
      },
      "Tell the shop": {
        type: "WEBHOOK",
        config: { url: "https://shop.example/hooks/new-member", method: "POST" },
        at: [80, 560],
      },
      Letter: { type: "SEND_EMAIL", template: "newsletter", at: [380, 560] },
      "Two weeks": { type: "DELAY", config: { amount: 14, unit: "days" }, at: [380, 700] },
      "Last try": { type: "SEND_EMAIL", template: "winBack", at: [380, 840] },
      "Has ordered": { type: "EXIT", config: { reason: "has ordered" }, at: [-220, 560] },
    },
    ways: [
      "Trigger > Welcome",
      "Welcome > First order?",
      "First order? event> Tag as customer",
      "Tag as customer > Has ordered",
      "First order? timeout> On a paid plan?",
      "On a paid plan? yes> Tell the shop",
      "On a paid plan? no> Letter",
      "Letter > Two weeks",
      "Two weeks > Last try",
    ],
    paths: [
      {
        share: 0.24,
        status: "EXITED",
        reason: "has ordered",
        steps: [
          ["Welcome", 0],
          ["First order?", 20 * HOUR, "event"],
          ["Tag as customer", 0],
          ["Has ordered", 0],
        ],
      },
      {
        share: 0.5,
        status: "COMPLETED",
        steps: [
          ["Welcome", 0],
          ["First order?", 3 * DAY, "timeout"],
          ["On a paid plan?", 0, "no"],
          ["Letter", 0],
          ["Two weeks", 14 * DAY],
          ["Last try", 0],
        ],
      },
      {
        share: 0.21,
        status: "COMPLETED",
        steps: [
          ["Welcome", 0],
          ["First order?", 3 * DAY, "timeout"],
          ["On a paid plan?", 0, "yes"],
          ["Tell the shop", 2],
        ],
      },
      {
        share: 0.03,
        status: "FAILED",
        reason: "The server answered 503, five times",
        steps: [
          ["Welcome", 0],
          ["First order?", 3 * DAY, "timeout"],
          ["On a paid plan?", 0, "yes"],
          ["Tell the shop", 2 * HOUR],
        ],
      },
      {
        share: 0.015,
        status: "CANCELLED",
        steps: [
          ["Welcome", 0],
          ["First order?", DAY],
        ],
      },
      {
        share: 0.005,
        status: "RUNNING",
        steps: [
          ["Welcome", 0],
          ["First order?", HOUR, "event"],
          ["Tag as customer", 0],
        ],
      },
    ],
  },
  {
    name: "Abandoned cart",
    description: "A reminder after four hours, unless the order comes",
    event: "cart started",
    enabled: true,
    steps: {
      "Ordered?": {
        type: "WAIT_FOR_EVENT",
        config: { eventName: "ordered", timeout: 4 * HOUR },
        at: [0, 140],
      },
      Ordered: { type: "EXIT", config: { reason: "ordered" }, at: [-200, 280] },
      Reminder: { type: "SEND_EMAIL", template: "cart", at: [200, 280] },
      "Two days": { type: "DELAY", config: { amount: 2, unit: "days" }, at: [200, 420] },
      "Mark the cart": { type: "UPDATE_CONTACT", config: { updates: { leftCart: true } }, at: [200, 560] },
    },
    ways: [
      "Trigger > Ordered?",
      "Ordered? event> Ordered",
      "Ordered? timeout> Reminder",
      "Reminder > Two days",
      "Two days > Mark the cart",
    ],
    paths: [
      {
        share: 0.42,
        status: "EXITED",
        reason: "ordered",
        steps: [
          ["Ordered?", 300, "event"],
          ["Ordered", 0],
        ],
      },
      {
        share: 0.57,
        status: "COMPLETED",
        steps: [
          ["Ordered?", 4 * HOUR, "timeout"],
          ["Reminder", 0],
          ["Two days", 2 * DAY],
          ["Mark the cart", 0],
        ],
      },
      { share: 0.01, status: "CANCELLED", steps: [["Ordered?", 2 * HOUR]] },
    ],
  },
  {
    name: "After the delivery",
    description: "Asks for a review; paused while the questions are rewritten",
    event: "order shipped",
    enabled: false,
    steps: {
      "A week": { type: "DELAY", config: { amount: 1, unit: "weeks" }, at: [0, 140] },
      "How is it?": { type: "SEND_EMAIL", template: "newsletter", at: [0, 280] },
    },
    ways: ["Trigger > A week", "A week > How is it?"],
    paths: [],
  },
  {
    name: "Win-back",
    description: "Every Monday, for those who have not ordered in a while",
    event: "win-back",
    enabled: true,
    steps: {
      "Which plan?": {
        type: "CONDITION",
        config: {
          mode: "multi",
          field: "data.plan",
          branches: [
            { id: "free", name: "Free", operator: "equals", value: "free" },
            { id: "paid", name: "Paid", operator: "notEquals", value: "free" },
          ],
        },
        at: [0, 140],
      },
      "Come back": { type: "SEND_EMAIL", template: "winBack", at: [-160, 280] },
      "Nothing to offer": { type: "EXIT", config: { reason: "is on a paid plan" }, at: [160, 280] },
    },
    ways: ["Trigger > Which plan?", "Which plan? free> Come back", "Which plan? paid> Nothing to offer"],
    paths: [],
  },
];
