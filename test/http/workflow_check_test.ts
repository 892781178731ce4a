// Graphs that are looked at before they are saved: what saving and enabling would refuse, what may be a mistake, and that
// nothing is stored.
import { beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import type { GraphFault, GraphWarning } from "../../src/automation/workflows/check.ts";
import { useService } from "../support/service.ts";
import { workflowsOf } from "../support/workflows.ts";

const service = useService();
let project: NewProject;
let id: string;
let trigger: string;
const { call, template, build } = workflowsOf(service, () => project);

beforeEach(async () => {
  project = await service.createProject();
  id = (await call("POST", "/workflows", { name: "Welcome", eventName: "signup" })).body.id;
  trigger = (await stored()).steps[0].id;
});

const stored = async () => (await call("GET", `/workflows/${id}/graph`)).body;

/** A graph by the names of its steps, and ways such as `Trigger > Wait` or `Ask yes> End`. */
function graph(
  steps: Record<string, { type: string; config?: object; templateId?: string }>,
  ways: string[],
) {
  const ids: Record<string, string> = { Trigger: trigger };
  for (const name of Object.keys(steps)) ids[name] = crypto.randomUUID();
  return {
    ids,
    body: {
      steps: [
        { id: trigger, type: "TRIGGER", name: "Trigger" },
        ...Object.entries(steps).map(([name, step]) => ({ id: ids[name]!, name, ...step })),
      ],
      transitions: ways.map((way) => {
        const [, from, branch, to] = /^(.+?) (\S*)> (.+)$/.exec(way)!;
        return { from: ids[from!]!, to: ids[to!] ?? crypto.randomUUID(), ...(branch && { branch }) };
      }),
    },
  };
}

/** What is said of a graph, by the names of its steps. */
async function said({ ids, body }: ReturnType<typeof graph>) {
  const { status, body: answer } = await call("POST", `/workflows/${id}/graph/check`, body);
  expect([status, answer.error]).toEqual([200, undefined]);
  const nameOf = new Map(Object.entries(ids).map(([name, step]) => [step, name]));
  const place = ({ stepId, transition, field }: GraphWarning) =>
    [nameOf.get(stepId ?? ""), transition, field]
      .filter((part) => part !== null && part !== undefined)
      .join(" ");
  return {
    valid: answer.valid as boolean,
    faults: (answer.faults as GraphFault[]).map((fault) => `${fault.prevents}: ${place(fault)}`),
    warnings: (answer.warnings as GraphWarning[]).map((warning) => `${place(warning)}: ${warning.message}`),
  };
}

const day = { type: "DELAY", config: { amount: 1, unit: "days" } };
const exit = { type: "EXIT" };
const ask = { type: "CONDITION", config: { field: "data.plan", operator: "equals", value: "pro" } };

describe("POST /workflows/:id/graph/check", () => {
  test("says of a sound graph that it is valid, and stores nothing of it", async () => {
    const before = await stored();
    const sound = graph({ Wait: day, End: exit }, ["Trigger > Wait", "Wait > End"]);

    expect(await said(sound)).toEqual({ valid: true, faults: [], warnings: [] });
    expect(await stored()).toEqual(before);
  });

  test("names at once, each at its step or transition, all that saving and enabling would refuse", async () => {
    const wrong = graph(
      {
        Wait: { type: "DELAY", config: { amount: 0, unit: "days" } },
        Mail: { type: "SEND_EMAIL" },
        Gone: { type: "SEND_EMAIL", templateId: crypto.randomUUID() },
        Hook: { type: "WEBHOOK", config: { url: "http://10.0.0.7/hook" } },
        Ask: ask,
        End: exit,
      },
      [
        "Trigger > Wait",
        "Wait > Mail",
        "Mail > Hook",
        "Hook > Ask",
        "End > Wait",
        "Ask maybe> End",
        "Ask yes> Nowhere",
        "Trigger > End",
      ],
    );
    wrong.body.steps[2]!.name = " ";

    expect(await said(wrong)).toEqual({
      valid: false,
      faults: [
        "saving: Mail name",
        "saving: Wait config.amount",
        "saving: Gone templateId",
        "saving: End 4",
        "saving: Ask 5",
        "saving: Ask 6 to",
        "saving: Trigger 7",
        "enabling: Hook config.url",
        "enabling: Ask",
        "enabling: Mail templateId",
      ],
      warnings: ['Gone: Nothing leads to "Gone"', 'End: Nothing leads to "End"'],
    });
  });

  test("refuses exactly what PUT refuses, at the same places", async () => {
    const bad = graph({ Wait: { type: "DELAY", config: { amout: 3 } }, A: exit, B: exit }, [
      "Trigger > Wait",
      "A > B",
      "Wait > Wait",
    ]);
    const { version } = await stored();
    const refused = await call("PUT", `/workflows/${id}/graph`, { version, ...bad.body });
    const { body } = await call("POST", `/workflows/${id}/graph/check`, { version, ...bad.body });
    const told = (body.faults as GraphFault[])
      .filter(({ prevents }) => prevents === "saving")
      .map(({ stepId, transition, field, message }) => {
        const n = bad.body.steps.findIndex((step) => step.id === stepId);
        const place = transition === null ? `steps.${n}` : `transitions.${transition}`;
        return [[place, field].filter(Boolean).join("."), message];
      });
    const errors = refused.body.error.errors as { field: string; message: string }[];
    const ofSteps = errors.filter(({ field }) => field.startsWith("steps"));

    // A save that is refused for its configs has not looked at its transitions yet.
    expect(told).toEqual(expect.arrayContaining(ofSteps.map(({ field, message }) => [field, message])));
    expect(told.map(([place]) => place)).toEqual(expect.arrayContaining(["transitions.1", "transitions.2"]));
  });

  test("warns of branches that lead nowhere, circles that nobody leaves, dates that have passed and mails without a way out", async () => {
    const headless = await template({ type: "HEADLESS" });
    const decent = await template({ type: "HEADLESS", body: "<a href='{{unsubscribeUrl}}'>Leave</a>" });
    const odd = graph(
      {
        Past: { type: "DELAY", config: { until: "2020-01-01" } },
        Bare: { type: "SEND_EMAIL", templateId: headless },
        Decent: { type: "SEND_EMAIL", templateId: decent.toUpperCase() },
        Ask: ask,
        Round: day,
        About: day,
        Wait: { type: "WAIT_FOR_EVENT", config: { eventName: "paid", timeout: 60 } },
        Plan: {
          type: "CONDITION",
          config: {
            mode: "multi",
            field: "data.plan",
            branches: [
              { id: "7fd0fa62", name: "On pro", operator: "equals", value: "pro" },
              { id: "free", name: "Free", operator: "equals", value: "free" },
            ],
          },
        },
        End: exit,
      },
      [
        "Trigger > Past",
        "Past > Bare",
        "Bare > Decent",
        "Decent > Ask",
        "Ask yes> Wait",
        "Ask no> Round",
        "Round > About",
        "About > Round",
        "Wait event> Plan",
        "Plan free> End",
      ],
    );

    expect(await said(odd)).toEqual({
      valid: true,
      faults: [],
      warnings: [
        "Past config.until: This date has passed: contacts go on at once",
        'Wait: Nothing follows on "Time is up" (timeout) of "Wait": contacts end there',
        'Plan: Nothing follows on "On pro" and "None of them" (default) of "Plan": contacts end there',
        'Round: Contacts who reach "Round" go round forever: no branch leads out of the loop',
        'Bare templateId: "Hello" has no link to unsubscribe: add one, or make it MARKETING',
      ],
    });
  });

  test("says nothing of ends that are meant: a wait without an end of its time, and a way for every branch", async () => {
    const meant = graph(
      {
        Wait: { type: "WAIT_FOR_EVENT", config: { eventName: "paid" } },
        Any: { ...day },
        Ask: ask,
        End: exit,
      },
      ["Trigger > Wait", "Wait event> Ask", "Ask yes> Any", "Ask no> End"],
    );
    expect(await said(meant)).toEqual({ valid: true, faults: [], warnings: [] });
  });

  test("finds the circle that never waits, and a graph that has lost its trigger", async () => {
    const set = { type: "UPDATE_CONTACT", config: { updates: { a: 1 } } };
    const circle = graph({ A: set, B: ask }, ["Trigger > A", "A > B", "B yes> A"]);
    const headless = graph({ A: exit }, []);
    headless.body.steps.shift();

    expect((await said(circle)).faults).toEqual(["saving: B 2", "enabling: B"]);
    expect((await said(headless)).faults).toEqual(["saving: steps"]);
  });

  test("without a body looks at what is stored, and of an enabled workflow wants the templates too", async () => {
    const { body: empty } = await call("POST", `/workflows/${id}/graph/check`);
    const enabled = await build({
      steps: { Wait: { type: "DELAY", ...day.config } },
      ways: ["Trigger > Wait"],
    });
    const now = await call("POST", `/workflows/${enabled.id}/graph/check`);
    const { steps, transitions } = (await call("GET", `/workflows/${enabled.id}/graph`)).body;
    const mail = { id: crypto.randomUUID(), type: "SEND_EMAIL", name: "Mail" };
    const unfinished = await call("POST", `/workflows/${enabled.id}/graph/check`, {
      steps: [...steps, mail],
      transitions: [...transitions, { from: enabled.ids.Wait, to: mail.id }],
    });

    expect(empty).toEqual({
      valid: false,
      faults: [
        {
          stepId: null,
          transition: null,
          field: null,
          message: "The trigger leads to no step: nothing would happen",
          prevents: "enabling",
        },
      ],
      warnings: [],
    });
    expect([now.status, now.body]).toEqual([200, { valid: true, faults: [], warnings: [] }]);
    expect(unfinished.body.faults).toEqual([
      expect.objectContaining({ stepId: mail.id, field: "templateId", prevents: "saving" }),
    ]);
  });

  test("refuses what is no graph", async () => {
    const wrong = await call("POST", `/workflows/${id}/graph/check`, {
      steps: [{ id: 5 }],
      transitions: "none",
    });
    const fields = wrong.body.error.errors.map(({ field }: { field: string }) => field);

    expect(wrong.status).toBe(422);
    expect(fields).toEqual(
      expect.arrayContaining(["steps.0.id", "steps.0.type", "steps.0.name", "transitions"]),
    );
  });
});
