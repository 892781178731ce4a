// graphile-worker promises nothing of the texts of its statements: an update that changes those which we tell apart is found
// by these tests.
import { afterEach, expect, test } from "bun:test";
import { Logger, run, type TaskList } from "graphile-worker";
import pg from "pg";
import { isFetching, isSettling, jobsSettledBy, REPEATED } from "../../src/db/_runner_queries.ts";
import { until } from "../support/process.ts";
import { useService } from "../support/service.ts";

const service = useService();
const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

/** A statement that the library has had answered. */
interface Asked {
  query: pg.QueryConfig;
  rows: { id: string }[];
}

/** A runner of the library on a plain pool, and what it asks. `refuse` may fail a statement before it is sent. */
const startRunner = async (taskList: TaskList, refuse: (query: unknown) => Error | null = () => null) => {
  const asked: Asked[] = [];
  const pool = new pg.Pool({ connectionString: service.databaseUrl, max: 4 });
  endings.push(() => pool.end());
  pool.on("error", () => {});
  pool.on("connect", (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const recorded = (...args: unknown[]) => {
      if (args.some((value) => typeof value === "function")) return query(...args);
      return answer(args);
    };
    const answer = async (args: unknown[]) => {
      const refusal = refuse(args[0]);
      if (refusal) throw refusal;
      const result = (await query(...args)) as pg.QueryResult<{ id: string }>;
      asked.push({ query: args[0] as pg.QueryConfig, rows: result.rows });
      return result;
    };
    client.query = recorded as typeof client.query;
  });
  const runner = await run({
    pgPool: pool,
    taskList,
    noHandleSignals: true,
    parsedCronItems: [],
    logger: new Logger(() => () => {}),
    preset: {
      worker: {
        concurrentJobs: 6,
        localQueue: { size: 6 },
        pollInterval: 50,
        completeJobBatchDelay: 20,
        failJobBatchDelay: 20,
      },
    },
  });
  endings.push(() => runner.stop());
  return { runner, asked };
};

test("what takes jobs, and what says that they are over, is known: of one and of many, in a queue and in none", async () => {
  const begun: string[] = [];
  const gate = Promise.withResolvers<void>();
  const hold = async (_payload: unknown, { job }: { job: { id: string } }) => {
    begun.push(job.id);
    await gate.promise;
  };
  const { runner, asked } = await startRunner({
    fine: hold,
    alone: async () => {},
    broken: async (...given) => {
      await hold(...given);
      throw new Error("broken");
    },
  });
  const held = await Promise.all([
    runner.addJob("fine", {}),
    runner.addJob("fine", {}),
    runner.addJob("fine", {}, { queueName: "one" }),
    runner.addJob("broken", {}),
    runner.addJob("broken", {}, { queueName: "two" }),
  ]);
  await until("all have begun", () => held.every(({ id }) => begun.includes(id)));
  gate.resolve();
  const ids = held.map(({ id }) => id);
  const settled = () =>
    asked.filter(({ query }) => isSettling(query)).flatMap(({ query }) => jobsSettledBy(query));
  await until("all are settled", () => ids.every((id) => settled().includes(id)));
  const single = await runner.addJob("alone", {});
  await until("the last one is settled", () => settled().includes(single.id));
  const taken = asked
    .filter(({ query }) => isFetching(query))
    .flatMap(({ rows }) => rows.map((row) => row.id));

  // A broken job may have come back by now.
  const all = new Set([...ids, single.id]);

  expect(new Set(taken)).toEqual(all);
  expect(new Set(settled())).toEqual(all);
  expect(asked.filter(({ query }) => isSettling(query) && isFetching(query))).toEqual([]);
});

test("a statement that fails with the code for that is asked again, and the runner goes on", async () => {
  let refusals = 0;
  const done: string[] = [];
  const { runner } = await startRunner(
    {
      fine: async (_payload, { job }) => void done.push(job.id),
    },
    (query) => {
      if (!isFetching(query) || refusals === 3) return null;
      refusals++;
      return Object.assign(new Error("lost"), { code: REPEATED });
    },
  );
  const { id } = await runner.addJob("fine", {});
  await until("the job is done", () => done.includes(id));

  expect(refusals).toBe(3);
});
