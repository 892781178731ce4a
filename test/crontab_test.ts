// What becomes of a job of the crontab that fails.
import { beforeEach, expect, test } from "bun:test";
import { Logger, runOnce } from "graphile-worker";
import { q } from "../src/db/queries.ts";
import { followed, taskListOf } from "../src/worker/task_list.ts";
import { CRONTAB, tasks } from "../tasks/mod.ts";
import { until } from "./support/process.ts";
import { hasHeldJob } from "./support/queue.ts";
import { useService } from "./support/service.ts";

const service = useService();

const OF_CRONTAB = { _cron: { ts: "2026-01-01T00:00:00.000Z", backfilled: false } };

/** Enqueues a sweep, and answers its id. */
async function enqueue(payload: object): Promise<string> {
  await q.jobs.addMany(service, { task: "sweep_webhooks", payloads: [payload] as never, priority: 0 });
  return (await waiting()).at(-1)!;
}

const waiting = async () => (await service.jobs("sweep_webhooks")).map(({ id }) => String(id));

/** Runs what waits while sweeps fail, or do not. Answers the ids of those whose work was begun. */
async function run(outcome: "fails" | "works"): Promise<string[]> {
  const begun: string[] = [];
  let current = "";
  const list = taskListOf(service, {
    ...tasks,
    sweep_webhooks: async () => {
      begun.push(current);
      if (outcome === "fails") throw new Error("the database is away");
    },
  });
  await service.changeJobs({ runAt: new Date(0) });
  await runOnce({
    pgPool: service.workerPool,
    taskList: followed(list, { begin: (id) => (current = id), end: () => {} }),
    noHandleSignals: true,
    logger: new Logger(() => () => {}),
    preset: { worker: { concurrentJobs: 1 } },
  });
  // What became of the last ones is written a moment later.
  await until("that nothing is being done", async () => !(await hasHeldJob(service.pool)));
  return begun.toSorted((a, b) => Number(a) - Number(b));
}

beforeEach(() => service.dropJobs());

test("is tried again and again, and left to the next of its kind once that waits", async () => {
  const first = await enqueue(OF_CRONTAB);
  const tried = [await run("fails"), await run("fails"), await run("fails"), await run("fails")];
  const left = await waiting();
  const second = await enqueue(OF_CRONTAB);

  expect(tried).toEqual([[first], [first], [first], [first]]);
  expect(left).toEqual([first]);
  expect(await run("fails")).toEqual([second]);
  expect(await waiting()).toEqual([second]);
  expect(service.lines.filter(({ message }) => message === "job left to a later one")).toHaveLength(1);
  expect(await run("works")).toEqual([second]);
  expect(await waiting()).toEqual([]);
});

test("is not left to one with work of its own, nor is that left to the crontab", async () => {
  const sweep = await enqueue(OF_CRONTAB);
  const own = await enqueue({ projectId: crypto.randomUUID() });
  const all = [sweep, own];

  expect(await run("fails")).toEqual(all);
  expect(await run("fails")).toEqual(all);
  const last = await enqueue(OF_CRONTAB);
  expect(await run("works")).toEqual([own, last]);
});

test("is not left to one that is given up", async () => {
  const first = await enqueue(OF_CRONTAB);
  await run("fails");
  const second = await enqueue(OF_CRONTAB);
  await service.changeJobs({ attempts: "all" }, ({ id }) => String(id) === second);

  expect(await run("works")).toEqual([first]);
  expect(await waiting()).toEqual([second]);
});

test("may fail as often as any job: the database may be away several times in a minute", async () => {
  expect(await Bun.file(CRONTAB).text()).not.toMatch(/\?.*max=/);
});
