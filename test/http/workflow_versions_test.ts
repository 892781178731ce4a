// What the graph of a workflow was: listed, shown and restored, while executions go on by the version that they began with.
import { beforeEach, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { join, signUp } from "../support/accounts.ts";
import { useService } from "../support/service.ts";
import { workflowsOf } from "../support/workflows.ts";

const service = useService();
let project: NewProject;
const { call, template, build, track, executions } = workflowsOf(service, () => project);

beforeEach(async () => {
  project = await service.createProject();
});

const make = async (): Promise<string> =>
  (await call("POST", "/workflows", { name: "Welcome", eventName: "signup" })).body.id;
const read = async (id: string) => (await call("GET", `/workflows/${id}/graph`)).body;
const versions = async (id: string) => (await call("GET", `/workflows/${id}/versions`)).body;
const version = (id: string, n: number) => call("GET", `/workflows/${id}/versions/${n}`);
const restore = (id: string, n: number) => call("POST", `/workflows/${id}/versions/${n}/restore`);
const addAtOnce = (id: string, name: string, more: object = {}) =>
  call("POST", `/workflows/${id}/steps`, {
    type: "DELAY",
    name,
    config: { amount: 1, unit: "days" },
    ...more,
  });
/** Adds a step more than a minute after what was done before. */
const add = async (id: string, name: string, more: object = {}) => {
  await service.pool`
    update workflows set graph_edited_at = graph_edited_at - interval '2 minutes' where id = ${id}`;
  return await addAtOnce(id, name, more);
};
const names = ({ steps }: { steps: { name: string }[] }) => steps.map(({ name }) => name);

test("each edit of a graph is a version, with who made it; nothing else is one", async () => {
  const id = await make();
  const owner = await signUp(service);
  await join(service, owner, project.id, "OWNER");
  await add(id, "One");
  const before = await read(id);
  const steps = before.steps.map((step: object) => ({ ...step, position: { x: 7, y: 8 } }));
  const moved = await owner.request(
    "PUT",
    `/workflows/${id}/graph`,
    { ...before, steps },
    { projectId: project.id },
  );
  await call("PATCH", `/workflows/${id}`, { name: "Hello", enabled: true });
  const now = await read(id);
  await call("PUT", `/workflows/${id}/graph`, now);
  const all = await versions(id);

  expect([moved.status, moved.body.error]).toEqual([200, undefined]);
  expect(all).toEqual([
    {
      version: 3,
      steps: 2,
      activeExecutions: 0,
      createdAt: expect.any(String),
      createdBy: owner.email,
    },
    expect.objectContaining({ version: 2, steps: 2, createdBy: expect.stringContaining("key") }),
    expect.objectContaining({ version: 1, steps: 1 }),
  ]);
  expect((await version(id, 3)).body).toEqual({
    version: 3,
    createdAt: all[0].createdAt,
    createdBy: owner.email,
    steps: now.steps,
    transitions: now.transitions,
  });
  expect((await version(id, 2)).body).toMatchObject({ steps: before.steps, transitions: before.transitions });
});

test("what somebody adds within a minute is one version: a change, somebody else and an execution begin the next", async () => {
  const id = await make();
  const owner = await signUp(service);
  await join(service, owner, project.id, "OWNER");
  const counts = async () => (await versions(id)).map((one: { steps: number }) => one.steps);
  for (const name of ["One", "Two", "Three"]) await addAtOnce(id, name, { autoConnect: true });
  const { steps } = await read(id);
  const built = await counts();
  await call("PATCH", `/workflows/${id}/steps/${steps[1].id}`, { name: "First" });
  await addAtOnce(id, "Four");
  const changed = await counts();
  const five = { type: "EXIT", name: "Five", config: {}, autoConnect: false };
  await owner.request("POST", `/workflows/${id}/steps`, five, { projectId: project.id });
  const elses = await counts();
  await call("DELETE", `/workflows/${id}/steps/${steps[3].id}`);
  await call("PATCH", `/workflows/${id}`, { enabled: true });
  await track("ada@example.com");
  await service.runJobs();
  await addAtOnce(id, "Six");

  expect([built, changed, elses, await counts()]).toEqual([[4], [5, 4], [6, 5, 4], [6, 5, 6, 5, 4]]);
  expect(names((await version(id, 1)).body)).toEqual(["Trigger", "One", "Two", "Three"]);
});

test("a version is restored as a new one, and none of between is lost", async () => {
  const id = await make();
  await add(id, "One");
  const was = await read(id);
  await add(id, "Two");
  const gone = was.steps[1].id;
  await call("DELETE", `/workflows/${id}/steps/${gone}`);
  const answer = await restore(id, 2);
  const listed = (await versions(id)).map((one: { version: number }) => one.version);

  expect([answer.status, answer.body.steps, answer.body.transitions]).toEqual([
    200,
    was.steps,
    was.transitions,
  ]);
  expect(answer.headers.get("etag")).toBe(answer.body.version);
  expect(listed).toEqual([5, 4, 3, 2, 1]);
  expect(names((await version(id, 3)).body)).toEqual(["Trigger", "One", "Two"]);
  // It is that already.
  await restore(id, 5);
  expect((await versions(id))[0].version).toBe(5);
});

test("executions go on by the version that they began with: it shows them, and each shows its graph", async () => {
  const { id, ids } = await build({
    steps: { Wait: { type: "DELAY", amount: 1, unit: "days" }, End: { type: "EXIT" } },
    ways: ["Trigger > Wait", "Wait > End"],
  });
  await track("ada@example.com");
  await service.runJobs();
  const first = await read(id);
  await call("DELETE", `/workflows/${id}/steps/${ids.Wait}?splice=true`);
  await track("bob@example.com");
  await service.runJobs();
  const [{ version: now }, { version: before }] = await versions(id);
  const [ada, bob] = await executions(id);
  const graphOf = async (execution: string) =>
    (await call("GET", `/workflows/${id}/executions/${execution}/graph`)).body;
  await service.pool`update workflow_versions set graph_version = null where project_id = ${project.id}`;
  const unnumbered = await graphOf(bob.id);
  await service.pool`
    update workflow_versions set graph_version = case when id = (
      select version_id from executions where id = ${ada.id}) then ${before}::int else ${now}::int end
    where project_id = ${project.id}`;

  expect(
    (await versions(id)).map((one: { activeExecutions: number }) => one.activeExecutions).slice(0, 2),
  ).toEqual([0, 1]);
  const graph = await graphOf(ada.id);
  expect([graph.version, names(graph)]).toEqual([before, ["Trigger", "Wait", "End"]]);
  expect(graph.steps[1]).toEqual({ ...first.steps[1], config: { amount: 1, unit: "days" } });
  expect(graph.transitions).toEqual([
    { from: ids.Trigger, to: ids.Wait, branch: null },
    { from: ids.Wait, to: ids.End, branch: null },
  ]);
  expect([unnumbered.version, unnumbered.steps[0].position, names(unnumbered)]).toEqual([
    null,
    null,
    ["Trigger", "End"],
  ]);
});

test("a restore that somebody else was faster than is refused, and changes nothing", async () => {
  const id = await make();
  const { version: seen } = await read(id);
  await add(id, "One");
  const now = await read(id);
  const late = await service.request("POST", `/workflows/${id}/versions/1/restore`, {
    key: project.secret,
    headers: { "if-match": seen },
  });
  const known = await service.request("POST", `/workflows/${id}/versions/1/restore`, {
    key: project.secret,
    headers: { "if-match": now.version },
  });

  expect([late.status, late.body.error.details.etag]).toEqual([412, now.version]);
  expect([known.status, names(known.body)]).toEqual([200, ["Trigger"]]);
});

test("what a version needs may be gone: a draft goes on without the template, an enabled workflow and a condition do not", async () => {
  const id = await make();
  const templateId = await template();
  const mail = (await add(id, "Mail", { type: "SEND_EMAIL", config: {}, templateId })).body;
  await call("DELETE", `/workflows/${id}/steps/${mail.id}`);
  await call("DELETE", `/templates/${templateId}`);
  await add(id, "Wait");
  const draft = await restore(id, 2);
  await restore(id, 4);
  await call("PATCH", `/workflows/${id}`, { enabled: true });
  const before = await read(id);
  const enabled = await restore(id, 2);

  expect([draft.status, draft.body.steps[1].templateId, draft.body.findings[0].field]).toEqual([
    200,
    null,
    "templateId",
  ]);
  expect([enabled.status, enabled.body.error.errors]).toEqual([
    422,
    [expect.objectContaining({ field: "steps.1.templateId" })],
  ]);
  expect(await read(id)).toEqual(before);
});

test("the last 100 versions are kept", async () => {
  const id = await make();
  const step = (await add(id, "Wait")).body.id;
  await service.pool`
    insert into workflow_graphs (project_id, workflow_id, version, graph, steps, created_at)
    select ${project.id}, ${id}, n, '{"steps": [], "transitions": []}', 0, now() from generate_series(2, 119) n`;
  await service.pool`update workflows set graph_version = 120 where id = ${id}`;
  await call("PATCH", `/workflows/${id}/steps/${step}`, { name: "Longer" });
  const all = await versions(id);

  expect([all.length, all[0].version, all.at(-1).version]).toEqual([100, 121, 22]);
});

test("a version that there is not, and a workflow that there is not, are not found", async () => {
  const id = await make();
  const answers = await Promise.all([
    version(id, 2),
    restore(id, 9),
    call("GET", `/workflows/${id}/versions/x`),
    call("GET", `/workflows/${crypto.randomUUID()}/versions`),
    version(crypto.randomUUID(), 1),
    call("GET", `/workflows/${id}/executions/${crypto.randomUUID()}/graph`),
  ]);

  expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual([
    [404, "RESOURCE_NOT_FOUND"],
    [404, "RESOURCE_NOT_FOUND"],
    [404, "RESOURCE_NOT_FOUND"],
    [404, "WORKFLOW_NOT_FOUND"],
    [404, "WORKFLOW_NOT_FOUND"],
    [404, "RESOURCE_NOT_FOUND"],
  ]);
});
