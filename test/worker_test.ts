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
import { buryDeadWorkers } from "../src/sending/recovery.ts";
import { startWorker } from "../src/worker.ts";
import { startProcess, until } from "./support/process.ts";
import { startProxy } from "./support/proxy.ts";
import { useService } from "./support/service.ts";

const service = useService();
const dir = mkdtempSync(join(tmpdir(), "postrider-worker-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** A worker of our own whose queue can be made to hang: what it asks for then is never answered. */
async function startHanging(done: string[], during = async (_userId: string) => {}) {
  const workerPool = openWorkerPool(service.databaseUrl, 8);
  const heartPool = openPool(service.databaseUrl, { max: 1, name: "postrider heartbeat" });
  const ctx = { ...service, workerId: Bun.randomUUIDv7() };
  const connect = workerPool.connect.bind(workerPool) as pg.Pool["connect"];
  let isHanging = false;
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  workerPool.connect = ((...args: Parameters<typeof connect>) =>
    isHanging ? over.then(() => connect(...args)) : connect(...args)) as typeof connect;
  const record = async (_ctx: unknown, { userId }: { userId: string }) => {
    await during(userId);
    done.push(userId);
  };
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

describe("the word that a job is over", () => {
  const isStruckOff = async () =>
    (await service.pool`select from graphile_worker._private_jobs`).length === 0;

  /** Runs three jobs, of which something happens to the second one before it ends, and after it. */
  async function runThree(before: () => Promise<void>, after: () => Promise<void>): Promise<string[]> {
    const done: string[] = [];
    const worker = await startHanging(done, async (userId) =>
      userId === "second" ? await before() : undefined,
    );
    for (const userId of ["first", "second", "third"]) {
      await ask(userId);
      await until(`the ${userId} is done`, () => done.includes(userId));
      if (userId === "second") await after();
    }
    await until("all are struck off", isStruckOff);
    await worker.stop();
    return done;
  }

  test("is repeated when it is lost with its connection: the job is done once, and the queue goes on", async () => {
    let release = () => {};
    let holding: Promise<unknown> = Promise.resolve();
    const done = await runThree(
      async () => {
        const { promise: over, resolve } = Promise.withResolvers<void>();
        const { promise: held, resolve: hold } = Promise.withResolvers<void>();
        release = resolve;
        holding = service.pool.begin(async (sql) => {
          await sql`select from graphile_worker._private_jobs where payload ->> 'userId' = 'second' for update`;
          hold();
          await over;
        });
        await held;
      },
      async () => {
        const waiting = () => service.pool<{ pid: number }[]>`
          select pid from pg_stat_activity
          where datname = current_database() and application_name = 'postrider worker'
            and wait_event_type = 'Lock'`;
        await until("it is to be struck off", async () => (await waiting()).length > 0);
        for (const { pid } of await waiting()) await service.pool`select pg_terminate_backend(${pid})`;
        release();
        await holding;
      },
    );

    expect(done).toEqual(["first", "second", "third"]);
  }, 60_000);

  test("is repeated when it is refused, as by a database that can only be read", async () => {
    const done = await runThree(
      async () => {
        await service.pool.unsafe(`
          create sequence refusals;
          create function refuse() returns trigger language plpgsql as $$
          begin
            perform nextval('refusals');
            raise read_only_sql_transaction;
          end $$;
          create trigger refuse before delete on graphile_worker._private_jobs
          for each row execute function refuse();`);
      },
      async () => {
        await until("it was refused twice", async () => {
          const [row] = await service.pool`select last_value from refusals`;
          return Number(row!.lastValue) >= 2;
        });
        await service.pool.unsafe("drop function refuse cascade; drop sequence refusals");
      },
    );

    expect(done).toEqual(["first", "second", "third"]);
  }, 60_000);
});

describe("after a time in which nobody could beat", () => {
  test("a worker does not bury others that look dead for that alone", async () => {
    const proxy = await startProxy(service.databaseUrl);
    const workerPool = openWorkerPool(service.databaseUrl, 8);
    const heartPool = openPool(proxy.url, { max: 1, name: "postrider heartbeat" });
    const ctx = { ...service, workerId: Bun.randomUUIDv7() };
    const [sibling, dead] = [Bun.randomUUIDv7(), Bun.randomUUIDv7()];
    const worker = await startWorker(
      ctx,
      { workerPool, heartPool },
      {
        tasks: { wake_segments: async () => {} } as never,
        crontab: "",
        onBeat: async (on) => void (await buryDeadWorkers(on)),
        onStop: async () => {},
      },
    );
    const beatsSince = async (since: Date) => {
      const [row] = await service.pool`
        select seen_at > ${since} as beats from workers where id = ${ctx.workerId}`;
      return row?.beats === true;
    };
    proxy.freeze();
    await Bun.sleep(14_000);
    // It could not beat either, and will in a moment; the other one never will.
    await service.pool`
      insert into workers (id, host, pid, seen_at)
      select id, 'elsewhere', 1, now() - interval '31 seconds' from unnest(${[sibling, dead]}::uuid[]) as id`;
    const thawedAt = new Date();
    proxy.thaw();
    await until("it beats again", () => beatsSince(thawedAt));
    await until("it beats once more", () => beatsSince(new Date(thawedAt.getTime() + 3_000)));
    await service.pool`update workers set seen_at = now() where id = ${sibling}`;
    await until("the dead one is buried", async () => {
      return (await service.pool`select from workers where id = ${dead}`).length === 0;
    });
    const left = await service.pool`select from workers where id = ${sibling}`;

    expect(left).toHaveLength(1);
    await worker.stop();
    await service.pool`delete from workers where id = ${sibling}`;
    await Promise.all([heartPool.end(), workerPool.end(), proxy.stop()]);
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
