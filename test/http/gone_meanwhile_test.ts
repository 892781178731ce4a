// What a request is about, or what it refers to, may be deleted while it is under way: that is nobody's fault.
import { beforeAll, expect, test } from "bun:test";
import type postgres from "postgres";
import { makeScene, type Operation, operationsOf, type Scene } from "../support/fuzz.ts";
import { meantBody } from "../support/fuzz_bodies.ts";
import { diceOf, valueOf } from "../support/fuzz_values.ts";
import { untilBlocked } from "../support/locks.ts";
import { type Answer, useService } from "../support/service.ts";
import { withoutReferences } from "../support/openapi.ts";

const service = useService({ PLATFORM_FROM: "hello@platform.example" });

/** By the noun before an id in a path. */
const TABLES: Record<string, string> = {
  contacts: "contacts",
  segments: "segments",
  templates: "templates",
  campaigns: "campaigns",
  workflows: "workflows",
  steps: "workflow_steps",
  transitions: "workflow_transitions",
  executions: "executions",
  domains: "domains",
  members: "memberships",
  projects: "projects",
};

let operations: Operation[];
let resolve: Awaited<ReturnType<typeof operationsOf>>["resolve"];

beforeAll(async () => {
  const body = withoutReferences((await service.request("GET", "/openapi.json")).body);
  ({ operations, resolve } = operationsOf(body));
});

/** The places of a path that an id stands in: the name of the place, and the table. */
function placesOf({ path }: Operation): [name: string, table: string][] {
  return [...path.matchAll(/\/([a-z-]+)\/(?:@me\/)?\{(\w+)\}/g)].flatMap(([, noun, name]) =>
    TABLES[noun!] ? [[name!, TABLES[noun!]!] as [string, string]] : [],
  );
}

/** A body that an honest client sends. */
function bodyOf({ name, body }: Operation, scene: Scene): unknown {
  if (!body) return undefined;
  const known = { dice: diceOf(1), ids: scene.ids, emails: scene.emails };
  return (
    meantBody(name, known) ??
    valueOf(body.schema, { ...known, ids: Object.values(scene.ids).flat(), resolve })
  );
}

/** The tables that the body refers to. */
function tablesIn(body: unknown, scene: Scene): string[] {
  const text = JSON.stringify(body) ?? "";
  return ["contacts", "segments", "templates", "workflow_steps"].filter((table) =>
    scene.ids[table]!.some((id) => text.includes(id)),
  );
}

function send(operation: Operation, scene: Scene, path: string, body: unknown): Promise<Answer> {
  const [secret, publicKey, session] = scene.credentials;
  const headers = operation.isPersonal ? session! : operation.path === "/v1/track" ? publicKey! : secret!;
  return service.request(operation.method, path, { headers, body });
}

/** Deletes a row while an operation on it is under way: begun before it, ended after. Answers what was answered. */
async function deletedMeanwhile(operation: Operation, table: string, places: [string, string][]) {
  const scene = await makeScene(service, 5);
  const projectId = scene.ids.projects![0]!;
  const steps = await service.pool`
    select id from workflow_steps where project_id = ${projectId} and type <> 'TRIGGER' order by id`;
  scene.ids.workflow_steps = steps.map((row) => row.id as string);
  const path = places.reduce(
    (made, [name, of]) =>
      made.replace(`{${name}}`, of === "memberships" ? scene.ids.users![0]! : scene.ids[of]![0]!),
    operation.path,
  );
  return await whileDeleting(
    () => send(operation, scene, path, bodyOf(operation, scene)),
    async (tx) => {
      // As whoever edits a graph.
      if (table.startsWith("workflow_"))
        await tx`select from workflows where project_id = ${projectId} for update`;
      // Nothing that is used by a step can be deleted.
      if (/^(templates|projects)$/.test(table)) {
        await tx`delete from workflow_steps where project_id = ${projectId}`;
      }
      const column = table === "projects" ? "id" : "project_id";
      await tx`delete from ${tx(table)} where ${tx(column)} = ${projectId}`;
    },
  );
}

/** Asks while a deletion is under way, and lets that end when the request waits for it or has been answered. */
async function whileDeleting(
  ask: () => Promise<Answer>,
  remove: (tx: postgres.TransactionSql) => Promise<unknown>,
): Promise<Answer> {
  const answering = Promise.withResolvers<Answer>();
  await service.pool.begin(async (tx) => {
    await remove(tx);
    const answer = ask();
    answer.then(answering.resolve, answering.reject);
    await untilBlocked(service.pool, {}, answer);
  });
  return await answering.promise;
}

test("an operation on what is deleted meanwhile is answered, and not with a fault of ours", async () => {
  const sample = await makeScene(service);
  const faults: string[] = [];
  const answered: Record<number, number> = {};
  for (const operation of operations) {
    const places = placesOf(operation);
    const inPath = places.map(([, table]) => table);
    const inBody = tablesIn(bodyOf(operation, sample), sample);
    const tables = new Set([...inPath, ...inBody, ...(operation.body ? ["projects"] : [])]);
    const isHere = !operation.path.replace(/\{(\w+)\}/g, "").includes("{") && tables.size > 0;
    if (!isHere || places.length !== (operation.path.match(/\{/g) ?? []).length) continue;
    for (const table of tables) {
      const { status, body } = await deletedMeanwhile(operation, table, places);
      answered[status] = (answered[status] ?? 0) + 1;
      if (status >= 500 && status !== 501)
        faults.push(`${operation.name}, ${table}: ${JSON.stringify(body)}`);
    }
  }
  console.log(JSON.stringify(answered));

  expect(faults).toEqual([]);
  expect([answered[404]! > 10, answered[409]! > 3]).toEqual([true, true]);
}, 300_000);

test("an execution of a workflow that is deleted meanwhile is not started", async () => {
  const scene = await makeScene(service);
  const [workflowId] = scene.ids.workflows!;
  const [secret] = scene.credentials;
  await service.pool`update executions set status = 'COMPLETED' where workflow_id = ${workflowId!}`;
  const start = (contactId: string) =>
    service.request("POST", `/workflows/${workflowId}/executions`, { headers: secret!, body: { contactId } });
  // From now on its version is known, and nothing but the new row looks at the workflow.
  const first = await start(scene.ids.contacts![0]!);
  const { status, body } = await whileDeleting(
    () => start(scene.ids.contacts![1]!),
    (tx) => tx`delete from workflows where id = ${workflowId!}`,
  );

  expect(first.status).toBe(201);
  expect([status, body.error.message]).toEqual([
    409,
    "Cannot do this: the workflow has been deleted in the meantime",
  ]);
});

// What the limit does, at once.
test("a statement that the database breaks off is 503, with when to come back", async () => {
  const { secret } = await service.createProject();
  await service.pool`create function take_long() returns trigger language plpgsql as
    'begin perform pg_cancel_backend(pg_backend_pid()); perform pg_sleep(60); return new; end'`;
  await service.pool`create trigger slow before insert on segments for each row execute function take_long()`;
  const { status, headers, body } = await service.request("POST", "/segments", {
    key: secret,
    body: { name: "Slow", type: "STATIC" },
  });
  await service.pool`drop trigger slow on segments`;

  expect([status, headers.get("retry-after"), body.error.message]).toEqual([
    503,
    "5",
    "Cannot finish this in time: the database took too long",
  ]);
});
