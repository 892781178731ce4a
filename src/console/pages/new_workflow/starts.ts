// What a new workflow can begin as.
import type { GraphBody } from "../../api.gen.ts";

/** Events of the application that a start is about. */
export interface Events {
  /** What it begins with. */
  begin: string;
  /** What it is to lead to; empty if it has no such aim. */
  goal: string;
}

/** A step of a start. Mails have no template yet. */
interface PlannedStep {
  name: string;
  type: GraphBody["steps"][number]["type"];
  config?: Record<string, unknown>;
}

/** A way of a start, by the names of its steps: `[from, to, branch]`. The first step is `Trigger`. */
type PlannedWay = [from: string, to: string, branch?: string];

/** A workflow that is nearly finished. */
export interface Start {
  label: string;
  about: string;
  /** What the workflow is called until it is called something else. */
  name: string;
  events: Events;
  allowReentry: boolean;
  plan: (events: Events) => { steps: PlannedStep[]; ways: PlannedWay[] };
  /** How it is drawn: how many steps are next to each other, from the top down. */
  sketch: number[];
}

const HOUR = 3_600;
const DAY = 24 * HOUR;

const mail = (name: string): PlannedStep => ({ name, type: "SEND_EMAIL", config: {} });
const wait = (name: string, eventName: string, timeout: number): PlannedStep => ({
  name,
  type: "WAIT_FOR_EVENT",
  config: { eventName, timeout },
});
const days = (name: string, amount: number): PlannedStep => ({
  name,
  type: "DELAY",
  config: { amount, unit: "days" },
});
const exit = (name: string, reason: string): PlannedStep => ({ name, type: "EXIT", config: { reason } });

/** By the name that the address has. */
export const STARTS: Record<string, Start> = {
  empty: {
    label: "Empty",
    about: "A trigger and nothing else.",
    name: "New workflow",
    events: { begin: "signed up", goal: "" },
    allowReentry: false,
    plan: () => ({ steps: [], ways: [] }),
    sketch: [1],
  },
  welcome: {
    label: "Welcome series",
    about: "Three mails to those who sign up, until they order.",
    name: "Welcome series",
    events: { begin: "signed up", goal: "ordered" },
    allowReentry: false,
    plan: ({ goal }) => ({
      steps: [
        mail("Welcome"),
        wait("First order?", goal, 3 * DAY),
        exit("Has ordered", "has ordered"),
        mail("Ideas to begin with"),
        days("One week", 7),
        mail("May we help?"),
      ],
      ways: [
        ["Trigger", "Welcome"],
        ["Welcome", "First order?"],
        ["First order?", "Has ordered", "event"],
        ["First order?", "Ideas to begin with", "timeout"],
        ["Ideas to begin with", "One week"],
        ["One week", "May we help?"],
      ],
    }),
    sketch: [1, 1, 2, 1],
  },
  cart: {
    label: "Abandoned cart",
    about: "Reminds those who left something in their cart, at most twice.",
    name: "Abandoned cart",
    events: { begin: "cart updated", goal: "ordered" },
    allowReentry: true,
    plan: ({ goal }) => ({
      steps: [
        wait("Ordered within 4 hours?", goal, 4 * HOUR),
        exit("Ordered by themselves", "has ordered"),
        mail("You left something behind"),
        wait("Ordered within a day?", goal, DAY),
        exit("Ordered after the reminder", "has ordered"),
        mail("Last reminder"),
      ],
      ways: [
        ["Trigger", "Ordered within 4 hours?"],
        ["Ordered within 4 hours?", "Ordered by themselves", "event"],
        ["Ordered within 4 hours?", "You left something behind", "timeout"],
        ["You left something behind", "Ordered within a day?"],
        ["Ordered within a day?", "Ordered after the reminder", "event"],
        ["Ordered within a day?", "Last reminder", "timeout"],
      ],
    }),
    sketch: [1, 2, 1, 2],
  },
  winBack: {
    label: "Win-back",
    about: "Writes to customers who have not ordered for 60 days.",
    name: "Win-back",
    events: { begin: "ordered", goal: "ordered" },
    allowReentry: true,
    plan: ({ goal }) => ({
      steps: [
        wait("Ordered within 60 days?", goal, 60 * DAY),
        days("A day later, again", 1),
        mail("We miss you"),
        wait("Back within two weeks?", goal, 14 * DAY),
        exit("Is back", "has ordered again"),
        mail("Something to come back for"),
      ],
      ways: [
        ["Trigger", "Ordered within 60 days?"],
        ["Ordered within 60 days?", "A day later, again", "event"],
        ["A day later, again", "Ordered within 60 days?"],
        ["Ordered within 60 days?", "We miss you", "timeout"],
        ["We miss you", "Back within two weeks?"],
        ["Back within two weeks?", "Is back", "event"],
        ["Back within two weeks?", "Something to come back for", "timeout"],
      ],
    }),
    sketch: [1, 1, 2, 2],
  },
};

/** The graph of a start, to be saved over that of a workflow with nothing but its trigger. */
export function graphOf(start: Start, events: Events, trigger: { id: string; version: string }): GraphBody {
  const { steps, ways } = start.plan(events);
  const ids = new Map([
    ["Trigger", trigger.id],
    ...steps.map(({ name }) => [name, crypto.randomUUID()] as const),
  ]);
  return {
    version: trigger.version,
    steps: [
      { id: trigger.id, type: "TRIGGER", name: "Trigger", config: {} },
      ...steps.map(({ name, type, config = {} }) => ({ id: ids.get(name)!, type, name, config })),
    ] as GraphBody["steps"],
    transitions: ways.map(([from, to, branch = null]) => ({
      from: ids.get(from)!,
      to: ids.get(to)!,
      branch,
    })),
  };
}
