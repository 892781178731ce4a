import { describe, expect, test } from "bun:test";
import {
  type Graph,
  type GraphStep,
  type GraphTransition,
  triggerOf,
  wayOut,
} from "../../src/automation/graph.ts";
import {
  assertPauses,
  assertTransition,
  openEnd,
  reachedSteps,
} from "../../src/automation/workflows/rules.ts";
import { type ConditionConfig, questionsOf } from "../../src/automation/steps/_questions.ts";
import {
  branchesOf,
  completeConfig,
  stepErrors,
  type StepTypeName,
  storedConfig,
  templateOf,
} from "../../src/automation/steps/mod.ts";
import { nextRunAt, readTrigger, triggerErrors } from "../../src/automation/workflows/trigger.ts";
import { Problem } from "../../src/problem/mod.ts";

const asks = (field: string, operator: string, value: unknown) => ({
  logic: "AND",
  groups: [{ filters: [{ field, operator, value }] }],
});

const CONFIGS: Record<StepTypeName, Record<string, unknown>> = {
  TRIGGER: {},
  SEND_EMAIL: {},
  DELAY: { amount: 1, unit: "days" },
  WAIT_FOR_EVENT: { eventName: "paid", timeout: 60 },
  CONDITION: { field: "data.plan", operator: "equals", value: "pro" },
  WEBHOOK: { url: "https://example.com" },
  UPDATE_CONTACT: {},
  EXIT: {},
};

/** `email DELAY:pause` is a step of type SEND_EMAIL named after its type, and one named pause. */
const steps = (...names: string[]) =>
  names.map((name): GraphStep => {
    const [type, id] = name.split(":") as [StepTypeName, string?];
    const config = completeConfig(type, CONFIGS[type]);
    return { id: id ?? type, type, name: id ?? type, config, templateId: null } as GraphStep;
  });
/** `A > B` leads from A to B, `A yes> B` by a branch. */
const ways = (...texts: string[]) =>
  texts.map((text): GraphTransition => {
    const [, from, branch, to] = /^(\S+) (\w*)> (\S+)$/.exec(text)!;
    return { id: text, from: from!, to: to!, branch: branch || null };
  });
const graph = (names: string[], transitions: string[]): Graph => ({
  steps: steps("TRIGGER", ...names),
  transitions: ways(...transitions),
});
const refusal = (work: () => void): string | null => {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof Problem && error.status === 400) return error.message;
    throw error;
  }
};

describe("a way out", () => {
  const wait = graph(
    ["WAIT_FOR_EVENT", "EXIT:a", "EXIT:b"],
    ["TRIGGER > WAIT_FOR_EVENT", "WAIT_FOR_EVENT timeout> a", "WAIT_FOR_EVENT > b"],
  );

  test("is that of the branch, else the one without a branch, else the end", () => {
    expect(wayOut(wait, "TRIGGER")?.to).toBe("WAIT_FOR_EVENT");
    expect(wayOut(wait, "WAIT_FOR_EVENT", "timeout")?.to).toBe("a");
    expect(wayOut(wait, "WAIT_FOR_EVENT", "event")?.to).toBe("b");
    expect(wayOut(wait, "a")).toBeNull();
    expect(triggerOf(wait).id).toBe("TRIGGER");
  });

  test("leads through everything that an execution can come to", () => {
    const loop = graph(
      ["DELAY", "CONDITION", "EXIT", "EXIT:lost"],
      ["TRIGGER > DELAY", "DELAY > CONDITION", "CONDITION no> DELAY", "CONDITION yes> EXIT"],
    );
    expect([...reachedSteps(loop)].sort()).toEqual(["CONDITION", "DELAY", "EXIT", "TRIGGER"]);
  });
});

describe("a transition is refused", () => {
  const names = ["SEND_EMAIL", "DELAY", "WAIT_FOR_EVENT", "CONDITION", "EXIT"];

  test.each([
    ["from a step to itself", [], "DELAY > DELAY", "itself"],
    ["out of an EXIT", [], "EXIT > DELAY", "EXIT"],
    ["into the trigger", [], "DELAY > TRIGGER", "trigger"],
    [
      "as a second one out of a step with a single exit",
      ["DELAY > EXIT"],
      "DELAY > SEND_EMAIL",
      "a second transition",
    ],
    ["with a branch out of a step with a single exit", [], "DELAY yes> EXIT", "a single exit"],
    ["without a branch out of a CONDITION", [], "CONDITION > EXIT", "without a branch"],
    ["by a branch that a CONDITION has not", [], "CONDITION maybe> EXIT", '"maybe"'],
    ["by a branch that is taken", ["CONDITION yes> EXIT"], "CONDITION yes> DELAY", "a second transition"],
    ["by a branch that a wait has not", [], "WAIT_FOR_EVENT yes> EXIT", '"yes"'],
    [
      "by an outcome that is taken",
      ["WAIT_FOR_EVENT event> EXIT"],
      "WAIT_FOR_EVENT event> DELAY",
      "a second transition",
    ],
    [
      "as a second one for both outcomes",
      ["WAIT_FOR_EVENT > EXIT"],
      "WAIT_FOR_EVENT > DELAY",
      "a second transition",
    ],
    [
      "for both outcomes where each has one",
      ["WAIT_FOR_EVENT event> EXIT", "WAIT_FOR_EVENT timeout> DELAY"],
      "WAIT_FOR_EVENT > SEND_EMAIL",
      "a second transition",
    ],
    ["a loop that never waits", ["SEND_EMAIL > CONDITION"], "CONDITION no> SEND_EMAIL", "never waits"],
  ] as [string, string[], string, string][])("%s", (_, there, added, reason) => {
    const [transition] = ways(added);
    expect(refusal(() => assertTransition(graph(names, there), transition!))).toContain(reason);
  });

  test.each([
    ["by the other branch", ["CONDITION yes> EXIT"], "CONDITION no> EXIT"],
    ["for the outcome that has none of its own", ["WAIT_FOR_EVENT event> EXIT"], "WAIT_FOR_EVENT > DELAY"],
    ["for one outcome beside that for both", ["WAIT_FOR_EVENT > EXIT"], "WAIT_FOR_EVENT timeout> DELAY"],
    ["in a circle with a DELAY", ["DELAY > SEND_EMAIL"], "SEND_EMAIL > DELAY"],
    ["in a circle with a wait", ["WAIT_FOR_EVENT timeout> SEND_EMAIL"], "SEND_EMAIL > WAIT_FOR_EVENT"],
    ["into a step that others lead to", ["DELAY > EXIT"], "SEND_EMAIL > EXIT"],
  ] as [string, string[], string][])("but not %s", (_, there, added) => {
    const [transition] = ways(added);
    expect(refusal(() => assertTransition(graph(names, there), transition!))).toBeNull();
  });

  test("in a circle that only waits until a moment, which may have passed", () => {
    const until = { ...steps("DELAY")[0]!, config: { until: "data.renewal" } } as GraphStep;
    const circle = {
      steps: [...steps("TRIGGER", "SEND_EMAIL"), until],
      transitions: ways("DELAY > SEND_EMAIL", "SEND_EMAIL > DELAY"),
    };
    expect(refusal(() => assertPauses(circle))).toContain("SEND_EMAIL → DELAY → SEND_EMAIL");
  });
});

describe("the open end", () => {
  test.each([
    ["is the trigger at first", [], [], "TRIGGER"],
    [
      "is the last step of a line",
      ["DELAY", "SEND_EMAIL"],
      ["TRIGGER > DELAY", "DELAY > SEND_EMAIL"],
      "SEND_EMAIL",
    ],
    ["is a wait, for both outcomes", ["WAIT_FOR_EVENT"], ["TRIGGER > WAIT_FOR_EVENT"], "WAIT_FOR_EVENT"],
    ["is no EXIT", ["EXIT"], ["TRIGGER > EXIT"], null],
    ["is no step that nothing leads to", ["DELAY", "SEND_EMAIL"], ["TRIGGER > DELAY"], "DELAY"],
    ["is no CONDITION, whose branch only the caller knows", ["CONDITION"], ["TRIGGER > CONDITION"], null],
    [
      "is nowhere while another branch is open",
      ["CONDITION", "SEND_EMAIL"],
      ["TRIGGER > CONDITION", "CONDITION yes> SEND_EMAIL"],
      null,
    ],
    [
      "is where the only branch goes on that does not end with an EXIT",
      ["CONDITION", "SEND_EMAIL", "EXIT"],
      ["TRIGGER > CONDITION", "CONDITION yes> SEND_EMAIL", "CONDITION no> EXIT"],
      "SEND_EMAIL",
    ],
    [
      "is nowhere while a wait has an outcome without a way",
      ["WAIT_FOR_EVENT", "SEND_EMAIL"],
      ["TRIGGER > WAIT_FOR_EVENT", "WAIT_FOR_EVENT event> SEND_EMAIL"],
      null,
    ],
  ] as [string, string[], string[], string | null][])("%s", (_, names, transitions, expected) => {
    expect(openEnd(graph(names, transitions))?.id ?? null).toBe(expected);
  });

  test("needs no way for a timeout that a wait has not", () => {
    const wait = {
      ...steps("WAIT_FOR_EVENT")[0]!,
      config: { eventName: "paid", timeout: null },
    } as GraphStep;
    const open = {
      steps: [...steps("TRIGGER", "SEND_EMAIL"), wait],
      transitions: ways("TRIGGER > WAIT_FOR_EVENT", "WAIT_FOR_EVENT event> SEND_EMAIL"),
    };
    expect(openEnd(open)?.id).toBe("SEND_EMAIL");
  });
});

describe("the questions of a CONDITION", () => {
  test.each([
    ["contact.email", "contact", "email"],
    ["email", "contact", "email"],
    ["contact.data.plan", "contact", "data.plan"],
    ["data.plan", "contact", "data.plan"],
    ["event.plan", "event", "data.plan"],
    ["event.order.plan", "event", "data.order.plan"],
    ["context.plan", "context", "data.plan"],
  ])("about %s are about the %s", (field, over, filter) => {
    expect(questionsOf({ field, operator: "equals", value: "pro" })).toEqual({
      over: over as "contact",
      branches: [{ branch: "yes", condition: asks(filter, "equals", "pro") as never }],
      otherwise: "no",
    });
  });

  test("about whether an event happened are about the contact", () => {
    expect(questionsOf({ field: "event.paid", operator: "triggered" })).toMatchObject({
      over: "contact",
      branches: [{ condition: { groups: [{ filters: [{ field: "event.paid", operator: "triggered" }] }] } }],
    });
  });

  test("with several answers are asked in their order, and end with default", () => {
    const config = {
      mode: "multi" as const,
      field: "event.plan",
      branches: [
        { id: "a", name: "A", operator: "equals", value: "pro" },
        { id: "b", name: "B", operator: "contains", value: "free" },
      ],
    };
    expect(questionsOf(config)).toEqual({
      over: "event",
      branches: [
        { branch: "a", condition: asks("data.plan", "equals", "pro") as never },
        { branch: "b", condition: asks("data.plan", "contains", "free") as never },
      ],
      otherwise: "default",
    });
    expect(branchesOf({ ...steps("CONDITION")[0]!, config } as GraphStep)).toEqual(["a", "b", "default"]);
  });

  test("with a tree are that tree, `contact.` taken away", () => {
    const given = { condition: asks("contact.data.plan", "equals", "contact.data.x") };
    const config = completeConfig("CONDITION", given) as ConditionConfig;

    expect(stepErrors("CONDITION", { config: given })).toEqual([]);
    expect(questionsOf(config)).toEqual({
      over: "contact",
      branches: [{ branch: "yes", condition: asks("data.plan", "equals", "contact.data.x") as never }],
      otherwise: "no",
    });
  });
});

const deep = (levels: number): object => (levels === 0 ? {} : { x: deep(levels - 1) });
const branch = { id: "a", name: "A", operator: "equals", value: 1 };
const template = "0190c2a0-0000-7000-8000-000000000000";

describe("a config is refused", () => {
  test.each([
    ["SEND_EMAIL", {}, "templateId required"],
    ["SEND_EMAIL", { templateId: "x" }, "templateId invalid_string"],
    ["SEND_EMAIL", { templateId: template, recipient: "me" }, "config.recipient invalid_type"],
    [
      "SEND_EMAIL",
      { templateId: template, recipient: { type: "ALL" } },
      "config.recipient.type invalid_enum_value",
    ],
    [
      "SEND_EMAIL",
      { templateId: template, recipient: { type: "CUSTOM" } },
      "config.recipient.customEmail required",
    ],
    [
      "SEND_EMAIL",
      { templateId: template, recipient: { type: "CUSTOM", customEmail: "me" } },
      "config.recipient.customEmail invalid_string",
    ],
    [
      "SEND_EMAIL",
      { templateId: template, recipient: { type: "CUSTOM", customEmail: "{{#if" } },
      "config.recipient.customEmail custom",
    ],
    ["DELAY", {}, "config.amount required, config.unit required"],
    ["DELAY", { amount: 0, unit: "days" }, "config.amount too_small"],
    ["DELAY", { amount: -1, unit: "months" }, "config.amount too_small, config.unit invalid_enum_value"],
    ["DELAY", { amount: 0.001, unit: "minutes" }, "config.amount too_small"],
    ["DELAY", { amount: 366, unit: "days" }, "config.amount too_big"],
    ["DELAY", { amount: "1", unit: "days" }, "config.amount invalid_type"],
    ["DELAY", { until: "tomorrow" }, "config.until invalid_string"],
    ["DELAY", { until: 5 }, "config.until invalid_type"],
    ["DELAY", { until: "data." }, "config.until invalid_string"],
    ["DELAY", { until: "data.at", amount: 1, unit: "days" }, "config.amount custom"],
    ["DELAY", { until: "data.at", unit: "days" }, "config.unit custom"],
    ["DELAY", { until: null }, "config.amount required, config.unit required"],
    ["WAIT_FOR_EVENT", {}, "config.eventName required"],
    ["WAIT_FOR_EVENT", { eventName: " " }, "config.eventName too_small"],
    ["WAIT_FOR_EVENT", { eventName: "e".repeat(256) }, "config.eventName too_big"],
    ["WAIT_FOR_EVENT", { eventName: "paid", timeout: 0 }, "config.timeout too_small"],
    ["WAIT_FOR_EVENT", { eventName: "paid", timeout: 1.5 }, "config.timeout invalid_type"],
    ["WAIT_FOR_EVENT", { eventName: "paid", timeout: 31_536_001 }, "config.timeout too_big"],
    ["CONDITION", {}, "config.field required"],
    ["CONDITION", { field: "plan", operator: "equals", value: 1 }, "config.field invalid_enum_value"],
    ["CONDITION", { field: "contact.plan", operator: "equals", value: 1 }, "config.field invalid_enum_value"],
    ["CONDITION", { field: "event.", operator: "equals", value: 1 }, "config.field invalid_enum_value"],
    ["CONDITION", { field: "data.plan", operator: "is" }, "config.operator invalid_enum_value"],
    ["CONDITION", { field: "data.plan" }, "config.operator required"],
    ["CONDITION", { field: "event.plan", operator: "equals" }, "config.value required"],
    ["CONDITION", { field: "data.at", operator: "within", value: 5 }, "config.unit required"],
    ["CONDITION", { mode: "all", field: "data.plan", operator: "exists" }, "config.mode invalid_enum_value"],
    ["CONDITION", { condition: { logic: "AND", groups: [] } }, "config.condition.groups too_small"],
    ["CONDITION", { condition: "all" }, "config.condition invalid_type"],
    [
      "CONDITION",
      { condition: asks("data.plan", "equals", 1), field: "data.plan", operator: "exists", branches: [] },
      "config.field custom, config.operator custom, config.branches custom",
    ],
    ["CONDITION", { field: "data.plan", operator: "exists", branches: [branch] }, "config.branches custom"],
    [
      "CONDITION",
      { mode: "multi", field: "data.plan", branches: [branch], operator: "exists", condition: {} },
      "config.operator custom, config.condition custom",
    ],
    ["CONDITION", { field: null, operator: null }, "config.field required"],
    ["CONDITION", { mode: "multi", field: "data.plan" }, "config.branches required"],
    ["CONDITION", { mode: "multi", field: "data.plan", branches: [] }, "config.branches too_small"],
    ["CONDITION", { mode: "multi", branches: [branch] }, "config.field required"],
    [
      "CONDITION",
      { mode: "multi", field: "data.plan", branches: [branch, branch] },
      "config.branches.1.id custom",
    ],
    [
      "CONDITION",
      { mode: "multi", field: "data.plan", branches: [{ ...branch, id: "default" }] },
      "config.branches.0.id custom",
    ],
    [
      "CONDITION",
      { mode: "multi", field: "data.plan", branches: [{ id: "", name: 5, operator: "is" }] },
      "config.branches.0.id too_small, config.branches.0.name invalid_type, config.branches.0.operator invalid_enum_value",
    ],
    [
      "CONDITION",
      {
        mode: "multi",
        field: "data.plan",
        branches: Array.from({ length: 21 }, (_, i) => ({ ...branch, id: `${i}` })),
      },
      "config.branches too_big",
    ],
    [
      "CONDITION",
      {
        mode: "multi",
        field: "event.plan",
        branches: [branch, { id: "b", name: "B", operator: "triggered" }],
      },
      "config.branches.1.operator custom",
    ],
    ["WEBHOOK", {}, "config.url required"],
    ["WEBHOOK", { url: "example.com" }, "config.url invalid_string"],
    ["WEBHOOK", { url: "ftp://example.com" }, "config.url invalid_string"],
    ["WEBHOOK", { url: "https://{{data.host}}/x" }, "config.url invalid_string"],
    ["WEBHOOK", { url: "https://example.com{{data.rest}}" }, "config.url invalid_string"],
    ["WEBHOOK", { url: "https://ada:secret@example.com" }, "config.url invalid_string"],
    ["WEBHOOK", { url: "https://example.com/{{#if" }, "config.url custom"],
    ["WEBHOOK", { url: "https://example.com", method: "HEAD" }, "config.method invalid_enum_value"],
    ["WEBHOOK", { url: "https://example.com", headers: { "x y": "1" } }, "config.headers.x y invalid_string"],
    [
      "WEBHOOK",
      { url: "https://example.com", headers: { x: "a\r\nb: c" } },
      "config.headers.x invalid_string",
    ],
    ["WEBHOOK", { url: "https://example.com", headers: { Host: "a" } }, "config.headers.Host custom"],
    [
      "WEBHOOK",
      { url: "https://example.com", headers: { "Webhook-Id": "a" } },
      "config.headers.Webhook-Id custom",
    ],
    ["WEBHOOK", { url: "https://example.com", headers: { x: 5 } }, "config.headers.x invalid_type"],
    [
      "WEBHOOK",
      JSON.parse('{"url": "https://example.com", "headers": {"__proto__": "a"}}') as object,
      "config.headers.__proto__ invalid_string",
    ],
    ["WEBHOOK", { url: "https://example.com", body: "{{name}}".repeat(2_049) }, "config too_big"],
    ["UPDATE_CONTACT", { updates: { a: Array(1_000).fill("{{#if a}}{{b ?? c}}{{/if}}") } }, "config too_big"],
    ["WEBHOOK", { url: "https://example.com", body: { a: ["{{#if"] } }, "config.body.a.0 custom"],
    ["UPDATE_CONTACT", { updates: [] }, "config.updates invalid_type"],
    ["UPDATE_CONTACT", { updates: { locale: 5 } }, "config.updates.locale invalid_type"],
    ["UPDATE_CONTACT", { updates: { at: "{{#if" } }, "config.updates.at custom"],
    ["UPDATE_CONTACT", { subscriptionAction: "drop" }, "config.subscriptionAction invalid_enum_value"],
    ["EXIT", { reason: 5 }, "config.reason invalid_type"],
    ["EXIT", { reason: "r".repeat(501) }, "config.reason too_big"],
    ["EXIT", "done", "config invalid_type"],
    ["EXIT", deep(101), "config custom"],
    ["EXIT", { reason: Infinity }, "config too_big"],
    ["EXIT", { other: "x".repeat(70_000) }, "config too_big"],
  ] as [StepTypeName, object | string, string][])("%s %j: %s", (type, config, expected) => {
    const errors = stepErrors(type, { config }).map(({ field, code }) => `${field} ${code}`);
    expect(errors.join(", ")).toBe(expected);
  });
});

describe("a config is taken", () => {
  test.each([
    ["SEND_EMAIL", { templateId: template }, {}, { recipient: { type: "CONTACT" } }],
    [
      "SEND_EMAIL",
      { templateId: template, recipient: { type: "CUSTOM", customEmail: "{{data.boss}}" } },
      { recipient: { type: "CUSTOM", customEmail: "{{data.boss}}" } },
      { recipient: { type: "CUSTOM", customEmail: "{{data.boss}}" } },
    ],
    ["DELAY", { amount: 365, unit: "days" }, { amount: 365, unit: "days" }, { amount: 365, unit: "days" }],
    ["DELAY", { amount: 0.5, unit: "hours" }, { amount: 0.5, unit: "hours" }, { amount: 0.5, unit: "hours" }],
    [
      "DELAY",
      { until: "contact.data.renewal" },
      { until: "contact.data.renewal" },
      { until: "data.renewal" },
    ],
    [
      "DELAY",
      { until: "2030-01-31T09:00:00Z" },
      { until: "2030-01-31T09:00:00Z" },
      { until: "2030-01-31T09:00:00Z" },
    ],
    [
      "WAIT_FOR_EVENT",
      { eventName: " email.open " },
      { eventName: " email.open " },
      { eventName: "email.open", timeout: null },
    ],
    [
      "CONDITION",
      { mode: "single", field: "subscribed", operator: "equals", value: true },
      { mode: "single", field: "subscribed", operator: "equals", value: true },
      { field: "subscribed", operator: "equals", value: true },
    ],
    [
      "WEBHOOK",
      { url: "https://example.com/{{id}}?to={{data.a}}", colour: "red" },
      { url: "https://example.com/{{id}}?to={{data.a}}" },
      { url: "https://example.com/{{id}}?to={{data.a}}", method: "POST", headers: {} },
    ],
    [
      "WEBHOOK",
      {
        url: "http://[::1]:80/",
        method: "PUT",
        headers: { "X-A": "{{email}}" },
        body: { a: ["{{email}}", 1] },
      },
      {
        url: "http://[::1]:80/",
        method: "PUT",
        headers: { "X-A": "{{email}}" },
        body: { a: ["{{email}}", 1] },
      },
      {
        url: "http://[::1]:80/",
        method: "PUT",
        headers: { "X-A": "{{email}}" },
        body: { a: ["{{email}}", 1] },
      },
    ],
    ["UPDATE_CONTACT", {}, {}, { updates: {}, subscriptionAction: "none" }],
    [
      "UPDATE_CONTACT",
      { updates: { plan: null, at: "{{event.at}}" }, subscriptionAction: "subscribe" },
      { updates: { plan: null, at: "{{event.at}}" }, subscriptionAction: "subscribe" },
      { updates: { plan: null, at: "{{event.at}}" }, subscriptionAction: "subscribe" },
    ],
    ["EXIT", {}, {}, { reason: null }],
    // Null is as good as nothing.
    ["EXIT", { reason: null }, {}, { reason: null }],
    ["SEND_EMAIL", { templateId: template, recipient: null }, {}, { recipient: { type: "CONTACT" } }],
    [
      "DELAY",
      { amount: 1, unit: "days", until: null },
      { amount: 1, unit: "days" },
      { amount: 1, unit: "days" },
    ],
    ["DELAY", { amount: null, unit: null, until: "data.at" }, { until: "data.at" }, { until: "data.at" }],
    [
      "WAIT_FOR_EVENT",
      { eventName: "paid", timeout: null },
      { eventName: "paid" },
      { eventName: "paid", timeout: null },
    ],
    [
      "WEBHOOK",
      { url: "https://example.com", method: null, headers: null, body: null },
      { url: "https://example.com" },
      { url: "https://example.com", method: "POST", headers: {} },
    ],
    [
      "UPDATE_CONTACT",
      { updates: null, subscriptionAction: null },
      {},
      { updates: {}, subscriptionAction: "none" },
    ],
    [
      "CONDITION",
      { mode: null, condition: null, branches: null, unit: null, field: "data.plan", operator: "exists" },
      { field: "data.plan", operator: "exists" },
      { field: "data.plan", operator: "exists" },
    ],
    // But as a value that is asked for.
    [
      "CONDITION",
      { field: "data.plan", operator: "equals", value: null },
      { field: "data.plan", operator: "equals", value: null },
      { field: "data.plan", operator: "equals", value: null },
    ],
  ] as [StepTypeName, object, object, object][])("%s %j", (type, config, kept, complete) => {
    expect(stepErrors(type, { config })).toEqual([]);
    expect<object>(storedConfig(type, config)).toEqual(kept);
    expect<unknown>(completeConfig(type, storedConfig(type, config))).toEqual(complete);
  });

  test("a template stands beside the config or in it, and is that of a SEND_EMAIL only", () => {
    expect(templateOf("SEND_EMAIL", { templateId: "a", config: { templateId: "b" } })).toBe("a");
    expect(templateOf("SEND_EMAIL", { config: { templateId: "b" } })).toBe("b");
    expect(templateOf("DELAY", { templateId: "a" })).toBeNull();
  });
});

describe("a trigger", () => {
  const now = new Date("2030-01-01T00:00:00Z");

  test.each([
    ["EVENT", {}, "triggerConfig.eventName required"],
    ["EVENT", "paid", "triggerConfig invalid_type"],
    ["SCHEDULE", {}, "triggerConfig.schedule required"],
    ["SCHEDULE", { schedule: "every day" }, "triggerConfig.schedule invalid_string"],
    ["SCHEDULE", { schedule: "0 0 30 2 *" }, "triggerConfig.schedule custom"],
    ["SCHEDULE", { schedule: "* * * * * *" }, "triggerConfig.schedule invalid_string"],
    ["SCHEDULE", { schedule: "@daily", timezone: "Mars/Crater" }, "triggerConfig.timezone invalid_string"],
    ["SCHEDULE", { schedule: "@daily", timezone: "+02:00" }, "triggerConfig.timezone invalid_string"],
    ["SCHEDULE", { schedule: "@daily", segmentId: "x" }, "triggerConfig.segmentId invalid_string"],
  ] as const)("%s %j is refused: %s", (type, config, expected) => {
    const errors = triggerErrors(type, config, now).map(({ field, code }) => `${field} ${code}`);
    expect(errors.join(", ")).toBe(expected);
  });

  test("keeps what is its own", () => {
    const given = {
      eventName: " paid ",
      schedule: " 0 9 * * MON ",
      segmentId: template,
      timezone: "Europe/Oslo",
    };

    expect(readTrigger("EVENT", given)).toEqual({ eventName: "paid" });
    expect(readTrigger("MANUAL", given)).toBeNull();
    expect(readTrigger("SCHEDULE", given)).toEqual({
      schedule: "0 9 * * MON",
      segmentId: template,
      timezone: "Europe/Oslo",
    });
  });

  test("comes round by the clock of its time zone, also when that is put on", () => {
    const daily = { schedule: "0 9 * * *", timezone: "Europe/Oslo" };

    expect(nextRunAt(daily, new Date("2030-03-30T12:00:00Z"))).toEqual(new Date("2030-03-31T07:00:00Z"));
    expect(nextRunAt(daily, new Date("2030-03-29T12:00:00Z"))).toEqual(new Date("2030-03-30T08:00:00Z"));
    expect(nextRunAt({ schedule: "0 9 * * *" }, now)).toEqual(new Date("2030-01-01T09:00:00Z"));
  });
});
