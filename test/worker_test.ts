// What a worker does when its queue does not get on, and when something goes wrong that nobody caught.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import { openPool } from "../src/db/pool.ts";
import { openWorkerPool } from "../src/db/worker_pool.ts";
import { addJob } from "../src/jobs.ts";
import { readiness } from "../src/sending/readiness.ts";
import { startWorker } from "../src/worker.ts";
import { startProcess, until } from "./support/process.ts";
import { useService } from "./support/service.ts";

const service = useService();
const dir = mkdtempSync(join(tmpdir(), "postrider-worker-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** A worker of our own whose queue can be made to hang: what it asks for then is never answered. */
async function startHanging(done: string[]) {
  const workerPool = openWorkerPool(service.databaseUrl, 8);
  const heartPool = openPool(service.databaseUrl, { max: 1, name: "postrider heartbeat" });
  const ctx = { ...service, workerId: Bun.randomUUIDv7() };
  const connect = workerPool.connect.bind(workerPool) as pg.Pool["connect"];
  let isHanging = false;
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  workerPool.connect = ((...args: Parameters<typeof connect>) =>
    isHanging ? over.then(() => connect(...args)) : connect(...args)) as typeof connect;
  const record = async (_ctx: unknown, { userId }: { userId: string }) => void done.push(userId);
  const worker = await startWorker(
    ctx,
    { workerPool, heartPool },
    {
      tasks: { send_owner_mail: record, wake_segments: async () => {} } as never,
      crontab: "",
      onBeat: async () => {},
      onStop: async () => {},
    },
  );
  return {
    ctx,
    hang: (hangs: boolean) => (isHanging = hangs),
    async stop() {
      end();
      await worker.stop();
      await heartPool.end();
      await workerPool.end();
    },
  };
}

const ask = (userId: string) => addJob(service, "send_owner_mail", { userId, projectIds: [] });

describe("a queue that does not get on", () => {
  test("makes /ready say which, is built anew, and what it held comes back; so does what it lost its grip on", async () => {
    const done: string[] = [];
    const worker = await startHanging(done);
    const ready = () => readiness(worker.ctx);
    await ask("before");
    await until("a job is done", () => done.includes("before"));
    expect(await ready()).toMatchObject({ ready: true, standing: [] });

    // The question that is under way when the hanging begins is never answered, also when it is over.
    worker.hang(true);
    await ask("meanwhile");
    // Locked in our name, and we have never heard of it: its answer was lost.
    await ask("lost");
    await service.pool`
      update graphile_worker._private_jobs set locked_at = now(), locked_by = (
        select pools[1] from workers where id = ${worker.ctx.workerId}
      ) where payload ->> 'userId' = 'lost'`;
    await until("/ready says it", async () => (await ready()).standing.includes("fast"));
    expect(await ready()).toMatchObject({ ready: false, database: true, workers: true });
    worker.hang(false);
    await until("all jobs are done", () => done.includes("meanwhile") && done.includes("lost"));
    await until("/ready is glad", async () => (await ready()).ready);

    expect(done.toSorted()).toEqual(["before", "lost", "meanwhile"]);
    await worker.stop();
    expect(await service.pool`select from graphile_worker._private_jobs`).toHaveLength(0);
  }, 90_000);
});

describe("an error that nobody caught", () => {
  const start = (source: string) => {
    const preload = join(dir, `${Bun.randomUUIDv7()}.ts`);
    writeFileSync(preload, `process.on("SIGUSR2", () => { ${source} });`);
    const settings = {
      DATABASE_URL: service.databaseUrl,
      SECRET_KEY: service.config.SECRET_KEY,
      SMTP_URL: service.smtp.url,
    };
    return startProcess(settings, { preload });
  };

  test.each([
    ["rejection", `void Promise.reject(new TypeError("of a test"))`],
    ["exception", `setTimeout(() => { throw new TypeError("of a test") })`],
  ])("(a %s) is logged, and ends the process in order with 1", async (_kind, source) => {
    const only = await start(source);
    process.kill(only.pid, "SIGUSR2");
    const code = await only.ended();
    const logged = only
      .output()
      .split("\n")
      .filter((line) => line.includes('"level":"error"'));

    expect(code).toBe(1);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain("TypeError: of a test");
    // In order: it has left the table of workers.
    expect(await service.pool`select from workers where pid = ${only.pid}`).toHaveLength(0);
  });

  test("but is a lost connection of the database ends nothing", async () => {
    const only = await start(
      `void Promise.reject(Object.assign(new Error("of a test"), { code: "CONNECTION_CLOSED" }))`,
    );
    process.kill(only.pid, "SIGUSR2");
    await until("it is logged", () => only.output().includes("Error: of a test"));
    const { status } = await fetch(`${only.url}/ready`);

    expect(status).toBe(200);
    expect(await only.end("SIGTERM")).toBe(0);
  });
});
