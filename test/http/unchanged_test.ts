// A change that changes nothing leaves no trace: no time, no tag, no editor, no event, and nothing that wakes a segment.
import { beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { join, type Person, signUp } from "../support/accounts.ts";
import { DRAFT } from "../support/campaign.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService();
let project: NewProject;
let ada: Person;
const api = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  service.request(method, path, { key: project.secret, headers, ...(body !== undefined && { body }) });
const asAda = (method: string, path: string, body: unknown) =>
  ada.request(method, path, body, { projectId: project.id });

const condition = {
  logic: "AND",
  groups: [{ filters: [{ field: "data.plan", operator: "equals", value: "pro" }] }],
};
const TEMPLATE = {
  name: "Hello",
  description: "A note",
  subject: "Hello",
  preheader: "First",
  body: "<mjml><mj-body></mj-body></mjml>",
  from: `a@${DOMAIN}`,
  fromName: "Ada",
  replyTo: `b@${DOMAIN}`,
  type: "MARKETING",
};

beforeAll(async () => {
  project = await service.createProject();
  ada = await signUp(service);
  await join(service, ada, project.id, "OWNER");
});

interface Change {
  path: string;
  body: object;
  method: string;
  /** Something that is another state. */
  other: object;
}

/** What is changed to what it is. */
const CHANGES: Record<string, Change> = {
  "of a template": { path: "/templates", body: TEMPLATE, method: "PATCH", other: { preheader: null } },
  "of a campaign": { path: "/campaigns", body: DRAFT, method: "PATCH", other: { subject: "Other" } },
  "of a whole campaign": {
    path: "/campaigns",
    body: DRAFT,
    method: "PUT",
    other: { ...DRAFT, fromName: "X" },
  },
  "of a segment": {
    path: "/segments",
    body: { name: "Pros", description: "Who pays", condition, trackMembership: true },
    method: "PATCH",
    other: { trackMembership: false },
  },
  "of a workflow": {
    path: "/workflows",
    body: { name: "Flow", eventName: "ordered", allowReentry: true },
    method: "PATCH",
    other: { allowReentry: false },
  },
};

describe.each(Object.entries(CHANGES))("a change %s", (_, { path, body, method, other }) => {
  const stateOf = async (id: string) => {
    const { body: thing, headers } = await api("GET", `${path}/${id}`);
    const { updatedAt, memberCount: _count, ...rest } = thing.data ?? thing;
    return { updatedAt, rest, tag: headers.get("etag") };
  };
  const make = async (): Promise<string> => {
    const { body: made } = await asAda("POST", path, body);
    return (made.data ?? made).id;
  };
  const { eventName: _eventName, ...same } = body as { eventName?: string };

  test("to what it is leaves its time, its tag and its editor", async () => {
    const id = await make();
    const before = await stateOf(id);
    const answer = await api(method, `${path}/${id}`, same);
    const late = await api(method, `${path}/${id}`, other, { "if-match": '"another"' });

    expect([answer.status, answer.headers.get("etag")]).toEqual([200, before.tag]);
    expect(answer.body.updatedAt ?? answer.body.data.updatedAt).toBe(before.updatedAt);
    expect(await stateOf(id)).toEqual(before);
    expect([late.status, late.body.error.details.editedBy]).toEqual([412, ada.email]);
  });

  test("to something else moves all of them", async () => {
    const id = await make();
    const before = await stateOf(id);
    await api(method, `${path}/${id}`, other);
    const after = await stateOf(id);
    const late = await api(method, `${path}/${id}`, same, { "if-match": before.tag! });

    expect(after.updatedAt > before.updatedAt).toBe(true);
    expect(late.status).toBe(412);
    expect(late.body.error.details.editedBy).toStartWith("secret key");
  });
});

test("a template that stays what it is gets no version, also where one is restored that it is already", async () => {
  const { body: made } = await asAda("POST", "/templates", TEMPLATE);
  await api("PATCH", `/templates/${made.id}`, TEMPLATE);
  const restored = await api("POST", `/templates/${made.id}/versions/1/restore`);
  const { body: versions } = await api("GET", `/templates/${made.id}/versions`);

  expect([restored.status, restored.body.updatedAt]).toEqual([200, made.updatedAt]);
  expect(versions).toHaveLength(1);
});

describe("a contact", () => {
  const make = async () => {
    const email = `${crypto.randomUUID()}@example.com`;
    await api("POST", "/segments", { name: "Pros", condition, trackMembership: true });
    const { body } = await api("POST", "/contacts", { email, data: { plan: "pro", tags: ["a", { b: 1 }] } });
    await service.runJobs();
    return body;
  };
  const noted = async () =>
    (await service.pool`select distinct contact_id from segment_candidates where project_id = ${project.id}`)
      .length;
  const eventsOf = async (id: string) => (await api("GET", `/events/contact/${id}`)).body.events.length;

  test.each([
    ["nothing", () => ({})],
    ["what it is", ({ email, subscribed, data }: Record<string, unknown>) => ({ email, subscribed, data })],
    ["a key that it has not, to null", () => ({ data: { nothing: null } })],
  ])("that is changed to %s keeps its time, and nobody is told", async (_, patchOf) => {
    const contact = await make();
    const events = await eventsOf(contact.id);
    const { status, body } = await api("PATCH", `/contacts/${contact.id}`, patchOf(contact));

    expect([status, body.updatedAt, body.data]).toEqual([200, contact.updatedAt, contact.data]);
    expect([await noted(), await eventsOf(contact.id)]).toEqual([0, events]);
  });

  test.each([
    ["one value", { data: { plan: "free" } }],
    ["no data", { data: null }],
    ["another address", { email: `${crypto.randomUUID()}@example.com` }],
    ["unsubscribed", { subscribed: false }],
  ])("that is changed to %s does not", async (_, patch) => {
    const contact = await make();
    const { body } = await api("PATCH", `/contacts/${contact.id}`, patch);

    expect(body.updatedAt > contact.updatedAt).toBe(true);
    expect(await noted()).toBe(1);
    await service.runJobs();
  });
});

test("the settings of a project that stay what they are keep its time, and no entry in the log is made", async () => {
  const path = `/users/@me/projects/${project.id}`;
  const settings = {
    name: "Shop",
    language: "de",
    timezone: "Europe/Berlin",
    postalAddress: "Street 1\nTown",
  };
  await asAda("PATCH", path, settings);
  const { body: before } = await asAda("GET", `/projects/${project.id}`, undefined);
  const logged = async () =>
    (await service.pool`select id from audit where project_id = ${project.id}`).length;
  const entries = await logged();
  const { status } = await asAda("PATCH", path, settings);
  const { body: after } = await asAda("GET", `/projects/${project.id}`, undefined);

  expect([status, after]).toEqual([200, before]);
  expect(await logged()).toBe(entries);
});

describe("the graph of a workflow", () => {
  const make = async () => {
    const { body } = await asAda("POST", "/workflows", { name: "Flow", eventName: "ordered" });
    const path = `/workflows/${body.id}`;
    const { body: step } = await asAda("POST", `${path}/steps`, {
      type: "DELAY",
      name: "Day",
      config: { amount: 1, unit: "days" },
    });
    const { body: end } = await asAda("POST", `${path}/steps`, { type: "EXIT", name: "End" });
    return { path, step, end };
  };
  const readAll = async (path: string) => {
    const { body: graph } = await api("GET", `${path}/graph`);
    return { graph, updatedAt: (await api("GET", path)).body.updatedAt };
  };

  test("that is saved as it is keeps its version and the time of the workflow", async () => {
    const { path, step } = await make();
    const before = await readAll(path);
    const saved = await api("PUT", `${path}/graph`, before.graph);
    const { name, config, position } = step;
    const patched = await api("PATCH", `${path}/steps/${step.id}`, { name, config, position });
    const late = await api("PUT", `${path}/graph`, { ...before.graph, version: '"another"' });

    expect([saved.status, saved.body, patched.status]).toEqual([200, before.graph, 200]);
    expect(await readAll(path)).toEqual(before);
    expect(late.body.error.details.editedBy).toBe(ada.email);
  });

  const EDITS: [string, (made: Awaited<ReturnType<typeof make>>) => Promise<{ status: number }>][] = [
    ["a step is added", ({ path }) => api("POST", `${path}/steps`, { type: "EXIT", name: "Other" })],
    [
      "a step is moved",
      ({ path, step }) => api("PATCH", `${path}/steps/${step.id}`, { position: { x: 1, y: 2 } }),
    ],
    ["a step is deleted", ({ path, step }) => api("DELETE", `${path}/steps/${step.id}?splice=true`)],
    [
      "a transition is deleted",
      async ({ path, end }) => api("DELETE", `${path}/transitions/${await wayTo(path, end.id)}`),
    ],
    [
      "a transition is added",
      async ({ path, step }) => {
        const { body: other } = await asAda("POST", `${path}/steps`, { type: "EXIT", name: "Other" });
        await asAda("DELETE", `${path}/transitions/${await wayFrom(path, step.id)}`, undefined);
        return await api("POST", `${path}/transitions`, { fromStepId: step.id, toStepId: other.id });
      },
    ],
    [
      "a step is inserted",
      async ({ path, end }) =>
        api("POST", `${path}/transitions/${await wayTo(path, end.id)}/insert-step`, {
          type: "DELAY",
          name: "Week",
          config: { amount: 1, unit: "weeks" },
        }),
    ],
  ];
  const waysOf = async (path: string) => {
    const { body } = await api("GET", path);
    return (body.steps as { outgoingTransitions: Record<string, string>[] }[]).flatMap(
      ({ outgoingTransitions }) => outgoingTransitions,
    );
  };
  const wayTo = async (path: string, id: string) =>
    (await waysOf(path)).find(({ toStepId }) => toStepId === id)!.id;
  const wayFrom = async (path: string, id: string) =>
    (await waysOf(path)).find(({ fromStepId }) => fromStepId === id)!.id;

  test.each(EDITS)("in which %s says by whom to whoever comes second", async (_, edit) => {
    const made = await make();
    const { graph } = await readAll(made.path);
    const { status } = await edit(made);
    const late = await asAda("PUT", `${made.path}/graph`, graph);

    expect(status).toBeLessThan(300);
    expect([late.status, late.body.error.code]).toEqual([412, "PRECONDITION_FAILED"]);
    expect(late.body.error.details.editedBy).toStartWith("secret key");
  });
});

describe("a record that is sent back whole", () => {
  const PLACES: [string, string, () => Promise<string>, string][] = [
    [
      "PATCH",
      "a contact",
      () => madeAt("/contacts", { email: "whole@example.com", data: { a: 1 } }),
      "subscribd",
    ],
    ["PATCH", "a template", () => madeAt("/templates", TEMPLATE), "subjet"],
    ["PATCH", "a campaign", () => madeAt("/campaigns", DRAFT), "preheadr"],
    ["PUT", "a campaign", () => madeAt("/campaigns", DRAFT), "fromNam"],
    ["PATCH", "a segment", () => madeAt("/segments", { name: "Pros", condition }), "filter"],
    ["PATCH", "a workflow", () => madeAt("/workflows", { name: "Flow", eventName: "ordered" }), "enable"],
  ];
  const madeAt = async (path: string, body: object) => {
    const { body: made } = await api("POST", path, body);
    return `${path}/${made.data?.id ?? made.id}`;
  };

  test.each(PLACES)(
    "%s of %s takes it: what cannot be changed is ignored, and a near miss is told",
    async (method, _, make, miss) => {
      const path = await make();
      const { body } = await api("GET", path);
      const record = body.data?.id ? body.data : body;
      const back = await api(method, path, record);
      const { filter: _filter, condition: _condition, ...rest } = record;
      const { [meantBy(miss)]: _meant, ...lacking } = rest;
      const near = await api(method, path, { ...lacking, [miss]: "x" });

      expect([back.status, Object.keys(record).length > 5]).toEqual([200, true]);
      expect([near.status, near.body.error.errors.map(({ field }: { field: string }) => field)]).toEqual([
        422,
        expect.arrayContaining([miss]),
      ]);
      expect((await api("GET", path)).body).toEqual(body);
    },
  );

  const meantBy = (miss: string) =>
    ({
      subscribd: "subscribed",
      subjet: "subject",
      preheadr: "preheader",
      fromNam: "fromName",
      enable: "enabled",
    })[miss] ?? "condition";

  test("of a step and of a project is taken, too", async () => {
    const { body: flow } = await api("POST", "/workflows", { name: "Flow", eventName: "ordered" });
    const { body: step } = await api("POST", `/workflows/${flow.id}/steps`, { type: "EXIT", name: "End" });
    const path = `/workflows/${flow.id}/steps/${step.id}`;
    const { body: own } = await asAda("GET", "/users/@me/projects", undefined);
    const whole = own.find(({ id }: { id: string }) => id === project.id);
    const settings = `/users/@me/projects/${project.id}`;

    expect((await api("PATCH", path, step)).body).toEqual(step);
    expect((await api("PATCH", path, { nmae: "x", confg: {} })).status).toBe(422);
    expect((await asAda("PATCH", settings, whole)).status).toBe(200);
    expect((await asAda("PATCH", settings, { timezon: "UTC" })).status).toBe(422);
  });
});
