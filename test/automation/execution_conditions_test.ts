// Executions that come to a condition.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { useService } from "../support/service.ts";
import { workflowsOf } from "../support/workflows.ts";

const service = useService();
let project: NewProject;
const workflows = workflowsOf(service, () => project);
const { build, call, outcomes, subjects, template, track } = workflows;

beforeEach(async () => {
  project = await service.createProject();
  service.smtp.received.length = 0;
});

afterEach(async () => {
  service.smtp.behave({});
  service.setNow(new Date());
  await service.dropJobs();
});

const EXIT = { type: "EXIT" };

describe("a condition", () => {
  const mail = async (subject: string) => ({ type: "SEND_EMAIL", template: await template({ subject }) });

  test("of one field takes yes or no, and tells what decided", async () => {
    const { id } = await build({
      steps: {
        "Pro?": { type: "CONDITION", field: "data.plan", operator: "equals", value: "pro" },
        Yes: EXIT,
      },
      ways: ["Trigger > Pro?", "Pro? yes> Yes"],
    });
    await track("pro@example.com", "signup", { plan: "pro" });
    await track("free@example.com", "signup", { plan: "free" });
    await track("none@example.com");
    await service.runJobs();
    const told = async (name: string) => {
      const { status, steps } = await workflows.history(id, await workflows.of(id, name));
      return [status, steps[1]!.output];
    };

    expect(await Promise.all(["pro", "free", "none"].map(told))).toEqual([
      ["EXITED", { branch: "yes", values: { "data.plan": "pro" } }],
      ["COMPLETED", { branch: "no", values: { "data.plan": "free" } }],
      ["COMPLETED", { branch: "no", values: { "data.plan": null } }],
    ]);
  });

  test("with several branches takes the first that holds, else the default", async () => {
    const { id } = await build({
      steps: {
        "How many?": {
          type: "CONDITION",
          mode: "multi",
          field: "data.orders",
          branches: [
            { id: "many", name: "Many", operator: "greaterThan", value: 10 },
            { id: "some", name: "Some", operator: "greaterThan", value: 0 },
          ],
        },
        Many: await mail("Many"),
        Some: await mail("Some"),
        Default: await mail("None"),
      },
      ways: [
        "Trigger > How many?",
        "How many? many> Many",
        "How many? some> Some",
        "How many? default> Default",
      ],
    });
    for (const orders of [11, 1, 0]) await track(`o${orders}@example.com`, "signup", { orders });
    await service.runJobs();

    const arrived = service.smtp.received.map(({ to }, i) => [to[0], subjects()[i]]);
    expect(Object.fromEntries(arrived)).toEqual({
      "o11@example.com": "Many",
      "o1@example.com": "Some",
      "o0@example.com": "None",
    });
    expect(await workflows.states(id)).toEqual(Array(3).fill("COMPLETED"));
  });

  test("may be a whole tree, with events and segments in it", async () => {
    const segment = (await call("POST", "/segments", { name: "VIP", type: "STATIC" })).body;
    await track("both@example.com", "bought");
    await track("member@example.com", "looked");
    await call("POST", `/segments/${segment.id}/members`, {
      emails: ["both@example.com", "member@example.com"],
    });
    const condition = {
      logic: "AND",
      groups: [
        { filters: [{ field: `segment.${segment.id}`, operator: "memberOfSegment" }] },
        { filters: [{ field: "event.bought", operator: "triggeredWithin", value: 1, unit: "days" }] },
      ],
    };
    const { id } = await build({
      steps: { "Buyer?": { type: "CONDITION", condition }, Yes: EXIT },
      ways: ["Trigger > Buyer?", "Buyer? yes> Yes"],
    });
    for (const who of ["both", "member", "nobody"]) await track(`${who}@example.com`);
    await service.runJobs();

    const isMember = { field: `segment.${segment.id}`, operator: "memberOfSegment" };
    const hasBought = { field: "event.bought", operator: "triggeredWithin", value: 1, unit: "days" };
    const told = async (who: string) =>
      (await workflows.history(id, await workflows.of(id, who))).steps[1]!.output;

    expect(await outcomes(id)).toEqual({ both: "EXITED", member: "COMPLETED", nobody: "COMPLETED" });
    expect([await told("both"), await told("member"), await told("nobody")]).toEqual([
      {
        branch: "yes",
        values: {},
        filters: [
          { ...isMember, holds: true },
          { ...hasBought, holds: true },
        ],
      },
      {
        branch: "no",
        values: {},
        filters: [
          { ...isMember, holds: true },
          { ...hasBought, holds: false },
        ],
      },
      {
        branch: "no",
        values: {},
        filters: [
          { ...isMember, holds: false },
          { ...hasBought, holds: false },
        ],
      },
    ]);
  });

  test("that decides by a single event tells it, too", async () => {
    const { id } = await build({
      steps: { "Paid?": { type: "CONDITION", field: "event.paid", operator: "notTriggered" }, Yes: EXIT },
      ways: ["Trigger > Paid?", "Paid? yes> Yes"],
    });
    await track("a@example.com");
    await service.runJobs();

    expect((await workflows.history(id)).steps[1]!.output).toEqual({
      branch: "yes",
      values: {},
      filters: [{ field: "event.paid", operator: "notTriggered", holds: true }],
    });
  });

  test("that counts events in its branches tells how it counted", async () => {
    const often = {
      id: "often",
      name: "Often",
      operator: "triggeredAtLeast",
      count: 2,
      value: 1,
      unit: "days",
    };
    const once = { id: "once", name: "Once", operator: "triggeredAtMost", count: 1 };
    const { id } = await build({
      steps: {
        "How often?": { type: "CONDITION", mode: "multi", field: "event.bought", branches: [often, once] },
        Yes: EXIT,
      },
      ways: ["Trigger > How often?", "How often? often> Yes"],
    });
    for (const who of ["keen", "keen", "calm"]) await track(`${who}@example.com`, "bought");
    for (const who of ["keen", "calm"]) await track(`${who}@example.com`);
    await service.runJobs();
    const { steps } = await workflows.history(id, await workflows.of(id, "keen"));

    expect(await outcomes(id)).toEqual({ keen: "EXITED", calm: "COMPLETED" });
    expect(steps[1]!.output).toMatchObject({
      branch: "often",
      filters: [
        {
          field: "event.bought",
          operator: "triggeredAtLeast",
          count: 2,
          value: 1,
          unit: "days",
          holds: true,
        },
      ],
    });
  });

  test("tells long texts in short, without half a character", async () => {
    const { id } = await build({
      steps: { "Bio?": { type: "CONDITION", field: "data.bio", operator: "exists" }, Yes: EXIT },
      ways: ["Trigger > Bio?", "Bio? yes> Yes"],
    });
    await track("a@example.com", "signup", { bio: "😀".repeat(300) });
    await service.runJobs();
    const { status, steps } = await workflows.history(id);
    const { "data.bio": bio } = steps[1]!.output!.values as { "data.bio": string };

    expect(status).toBe("EXITED");
    expect([bio.length, bio.isWellFormed(), bio.slice(-4)]).toEqual([501, true, "😀\ufffd…"]);
  });

  test("may ask for the data of the event, and of what the caller gave", async () => {
    const { id } = await build({
      steps: {
        "Much?": { type: "CONDITION", field: "event.total", operator: "greaterThan", value: 100 },
        "Tried?": { type: "CONDITION", field: "context.trial", operator: "equals", value: true },
        Yes: EXIT,
      },
      ways: ["Trigger > Much?", "Much? yes> Yes", "Much? no> Tried?", "Tried? yes> Yes"],
    });
    const total = (value: number) => ({ total: { value, persistent: false } });
    await track("much@example.com", "signup", total(101));
    await track("little@example.com", "signup", total(99));
    await service.runJobs();
    const contactId = await track("given@example.com", "looked");
    await call("POST", `/workflows/${id}/executions`, { contactId, context: { trial: true } });
    await service.runJobs();

    expect(await outcomes(id)).toEqual({ much: "EXITED", little: "COMPLETED", given: "EXITED" });
    expect((await workflows.history(id, await workflows.of(id, "little"))).steps[1]!.output).toEqual({
      branch: "no",
      values: { "event.total": 99 },
    });
  });
});
