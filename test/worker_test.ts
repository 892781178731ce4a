// What a worker does when its queue does not get on, and when something goes wrong that nobody caught.
import { afterAll, describe, expect, test } from "bun:test";
import { EventEmitter } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Logger, run, type WorkerEvents } from "graphile-worker";
import type pg from "pg";
import type { Context } from "../src/context.ts";
import { openPool } from "../src/db/pool.ts";
import { openRunnerPool } from "../src/db/runner_pool.ts";
import { openWorkerPool } from "../src/db/worker_pool.ts";
import { addJob } from "../src/jobs.ts";
import { createLog } from "../src/log.ts";
import { readiness } from "../src/sending/readiness.ts";
import { reapDeadWorkers } from "../src/sending/delivery/recovery.ts";
import { keepAnnouncements } from "../src/worker/_announcements.ts";
import { LostGrip } from "../src/worker/_lost_grip.ts";
import { startWorker } from "../src/worker/mod.ts";
import { startProcess, until } from "./support/process.ts";
import { startProxy } from "./support/proxy.ts";
import { useService } from "./support/service.ts";

const service = useService();
const dir = mkdtempSync(join(tmpdir(), "postrider-worker-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

// A lane without jobs asks for one every second.
const QUICK = { beatMs: 200, staleMs: 2_000, doubtMs: 600, gripMs: 600, gapMs: 3_000 };

/** A worker of our own whose queue can be made to hang: what it asks for then is never answered. */
async function startHanging(
  done: string[],
  during = async (_userId: string) => {},
  given: Partial<Context> = {},
) {
  const workerPool = openWorkerPool(service.databaseUrl, 8);
  const heartPool = openPool(service.databaseUrl, { max: 1, name: "postrider heartbeat" });
  // Less than a slow fetch takes: that may take longer than what else is asked.
  workerPool.options.query_timeout = 3_000;
  const lines: string[] = [];
  const log = createLog("info", (line) => lines.push(line));
  const ctx: Context = { ...service, log, workerId: Bun.randomUUIDv7(), ...given };
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
      patience: QUICK,
      reap: async () => {},
      onBeat: async () => {},
      onStop: async () => {},
    },
  );
  return {
    ctx,
    hang: (hangs: boolean) => (isHanging = hangs),
    /** How often a lane was built again. */
    renewals: () => lines.filter((line) => line.includes("worker is stuck")).length,
    async stop() {
      end();
      await worker.stop();
      await heartPool.end();
      await workerPool.end();
    },
  };
}

const ask = (userId: string) => addJob(service, "send_owner_mail", { userId, projectIds: [] });

test("a worker says whether it captures mail, and its own end is no news: nothing is warned of that it cuts off", async () => {
  const { SMTP_URL: _, ...config } = service.config;
  const ends = Promise.withResolvers<void>();
  const lines: string[] = [];
  const begun = Promise.withResolvers<void>();
  const heartPool = openPool(service.databaseUrl, { max: 1, name: "postrider heartbeat" });
  const workerPool = openWorkerPool(service.databaseUrl, 2);
  const ctx: Context = {
    ...service,
    config,
    log: createLog("info", (line) => lines.push(line)),
    workerId: Bun.randomUUIDv7(),
  };
  const worker = await startWorker(
    ctx,
    { workerPool, heartPool },
    {
      tasks: { wake_segments: async () => {} } as never,
      crontab: "",
      patience: { ...QUICK, gapMs: 0 },
      reap: async () => {},
      onBeat: async () => {
        begun.resolve();
        await ends.promise;
        throw Object.assign(new Error("write CONNECTION_ENDED"), { code: "CONNECTION_ENDED" });
      },
      onStop: async () => {},
    },
  );
  const [row] = await service.pool`select captures from workers where id = ${ctx.workerId}`;
  await begun.promise;
  await worker.stop();
  ends.resolve();
  await Bun.sleep(0);
  await heartPool.end();
  await workerPool.end();

  expect(row!.captures).toBe(true);
  expect(lines.filter((line) => /no heartbeat|recovery|not looked at/.test(line))).toEqual([]);
});

describe("a queue that does not get on", () => {
  test("makes /ready say which, is built again, and what it held comes back; so does what it lost its grip on", async () => {
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
    await service.pool`
      select graphile_worker.add_job('send_owner_mail', queue_name => 'a line',
        payload => json_build_object('userId', 'lost', 'projectIds', '[]'::json))`;
    await service.pool`
      with lost as (
        update graphile_worker._private_jobs set locked_at = now(), locked_by = (
          select pools[1] from workers where id = ${worker.ctx.workerId}
        ) where payload ->> 'userId' = 'lost' returning *
      )
      update graphile_worker._private_job_queues line set locked_at = now(), locked_by = lost.locked_by
      from lost where line.id = lost.job_queue_id`;
    await until("/ready says it", async () => (await ready()).standing.includes("fast"));
    expect(await ready()).toMatchObject({ ready: false, database: true, workers: true });
    worker.hang(false);
    await until("all jobs are done", () => done.includes("meanwhile") && done.includes("lost"));
    await until("/ready is glad", async () => (await ready()).ready);

    expect(done.toSorted()).toEqual(["before", "lost", "meanwhile"]);
    expect(worker.renewals()).toBeGreaterThan(0);
    await worker.stop();
    expect(await service.jobs()).toEqual([]);
  }, 240_000);

  test("because jobs are fetched slowly is said to stand, is not built again, and does its jobs, each once", async () => {
    const names = Array.from({ length: 24 }, (_, i) => `slow${i}`);
    for (const name of names) await ask(name);
    // Longer for a batch than a lane is given that hangs.
    await service.pool.unsafe(`
      create function dawdle() returns trigger language plpgsql as $$
      begin
        perform pg_sleep(0.45);
        return new;
      end $$;
      create trigger dawdle before update on graphile_worker._private_jobs
      for each row when (old.locked_by is null and new.locked_by is not null) execute function dawdle();`);
    const done: string[] = [];
    const worker = await startHanging(done);
    await until("/ready says it", async () => (await readiness(worker.ctx)).standing.includes("fast"));
    await until("all jobs are done", () => done.length >= names.length);
    await service.pool.unsafe("drop function dawdle cascade");
    await until("/ready is glad", async () => (await readiness(worker.ctx)).ready);

    expect(worker.renewals()).toBe(0);
    expect(done.toSorted()).toEqual(names.toSorted());
    await worker.stop();
  }, 240_000);

  test("because all its places are taken by long jobs is not built again, and does not stand", async () => {
    const names = Array.from({ length: 6 }, (_, i) => `long${i}`);
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const begun: string[] = [];
    const done: string[] = [];
    const during = async (userId: string) => {
      begun.push(userId);
      await over;
    };
    const worker = await startHanging(done, during, { mailer: { ...service.mailer, connections: 1 } });
    for (const name of names) await ask(name);
    const standing = new Set<string>();
    // As long again as a lane is given that hangs.
    const longMs = 2 * (QUICK.staleMs + QUICK.doubtMs);
    await until("some have waited long", async () => {
      for (const lane of (await readiness(worker.ctx)).standing) standing.add(lane);
      const waiting = await service.pool`
        select from graphile_worker._private_jobs
        where is_available and run_at < now() - ${longMs} * interval '1 millisecond'`;
      return waiting.length > 0;
    });

    expect([...standing]).toEqual([]);
    expect(worker.renewals()).toBe(0);
    expect(begun).toHaveLength(2);
    end();
    await until("all jobs are done", () => done.length >= names.length);
    expect(done.toSorted()).toEqual(names.toSorted());
    await worker.stop();
  }, 240_000);
});

test("a job that is announced while its lane waits before it looks again is done after that, and not at the next poll", async () => {
  const { promise: isWaiting, resolve: waits } = Promise.withResolvers<void>();
  const done: string[] = [];
  const events: WorkerEvents = new EventEmitter();
  keepAnnouncements(events);
  events.once("localQueue:refetchDelay:start", () => waits());
  const pgPool = openWorkerPool(service.databaseUrl, 3);
  const runner = await run({
    pgPool,
    events,
    taskList: { send_owner_mail: (payload) => void done.push((payload as { userId: string }).userId) },
    noHandleSignals: true,
    parsedCronItems: [],
    logger: new Logger(() => () => {}),
    preset: {
      worker: {
        localQueue: { size: 1, refetchDelay: { durationMs: 1_000, maxAbortThreshold: Infinity } },
        pollInterval: 3_600_000,
      },
    },
  });
  await isWaiting;
  await ask("announced");
  await until("it is done", () => done.length > 0, 200_000);
  await runner.stop();
  await pgPool.end();

  expect(done).toEqual(["announced"]);
}, 240_000);

describe("jobs that nobody works on", () => {
  test("come back where no process has told the name that they are locked in, and only there", async () => {
    const done: string[] = [];
    const worker = await startHanging(done);
    await service.pool`
      insert into workers (id, host, pid, pools, seen_at) values (${Bun.randomUUIDv7()}, 'h', 1, '{pool-told}', now())`;
    await service.pool.begin(async (sql) => {
      for (const userId of ["told", "untold"]) {
        await sql`
          with job as (
            insert into graphile_worker._private_jobs (task_id, payload)
            select id, ${sql.json({ userId, projectIds: [] })} from graphile_worker._private_tasks where identifier = 'send_owner_mail'
            returning id
          )
          select from job`;
      }
      await sql`
        update graphile_worker._private_jobs set locked_at = now(), locked_by = 'pool-' || (payload ->> 'userId')`;
    });
    await until("it is done", () => done.length > 0);
    await worker.stop();
    const [left] = await service.dropJobs();
    await service.pool`delete from workers where pools = '{pool-told}'`;

    expect(done).toEqual(["untold"]);
    expect(left).toMatchObject({ lockedBy: "pool-told", attempts: 0 });
  }, 240_000);

  test("are ours at the second look, and strange at the fourth, if they are so without a break", () => {
    const lost = new LostGrip();
    const look = (...pools: string[]) => {
      const held = pools.map((pool) => ({ id: "1", pool }));
      const { ours, strange } = lost.look(held, (pool) => pool === "ours");
      return [ours.length, strange.length];
    };

    expect([look("ours", "strange"), look("ours", "strange"), look("strange")]).toEqual([
      [0, 0],
      [1, 0],
      [0, 0],
    ]);
    // One was worked on in the meantime, the other told.
    expect([look("ours", "strange"), look(), look("strange"), look("ours")]).toEqual([
      [0, 1],
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
  });
});

describe("a runner that is given up", () => {
  const atServer = async (pid: number) =>
    (await service.pool`select from pg_stat_activity where pid = ${pid} and state = 'active'`).length > 0;

  test("ends at the server too, and nobody is told to ask again", async () => {
    const given = openRunnerPool(service.workerPool);
    const client = await given.pgPool.connect();
    const asked = client.query("select pg_sleep(600)").catch((error: Error & { code?: string }) => error);
    await until("the server is at it", async () => given.pids().length === 1 && atServer(given.pids()[0]!));
    const [pid] = given.pids();
    const givenUp = given.giveUp();
    const error = await asked;
    client.release(true);
    await givenUp;

    expect(error).toBeInstanceOf(Error);
    expect(error).not.toMatchObject({ code: "40001" });
    await until("it has ended there", async () => !(await atServer(pid!)));
  });

  test("fetches no more jobs", async () => {
    const given = openRunnerPool(service.workerPool);
    await given.giveUp();
    await ask("not taken");
    const said: string[] = [];
    const runner = await run({
      pgPool: given.pgPool,
      noHandleSignals: true,
      taskList: { send_owner_mail: async () => {} },
      parsedCronItems: [],
      logger: new Logger(() => (_level, message) => void said.push(message)),
      preset: { worker: { concurrentJobs: 2, localQueue: { size: 2 } } },
    });
    await until("it was refused", () => said.some((line) => line.includes("the runner was given up")));
    await runner.stop();
    const [job] = await service.dropJobs();

    expect(job).toMatchObject({ attempts: 0, lockedBy: null });
  });
});

describe("a worker that ends", () => {
  test("stays in the table when it cannot give its jobs back: a survivor does it", async () => {
    const gone = openPool(service.databaseUrl, { max: 1, name: "gone" });
    await gone.end();
    const inOrder = await startHanging([]);
    const cutOff = await startHanging([], undefined, { sql: gone });
    await inOrder.stop();
    await cutOff.stop();
    const ids = [inOrder.ctx.workerId, cutOff.ctx.workerId];
    const left = await service.pool`delete from workers where id = any(${ids}) returning id`;

    expect(left.map(({ id }) => id)).toEqual([cutOff.ctx.workerId]);
  });
});

describe("the word that a job is over", () => {
  const isStruckOff = async () => (await service.jobs()).length === 0;

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
  }, 240_000);

  /** No job is struck off until the returned function is called. `times` tells how often that was refused. */
  async function refuseWords() {
    await service.pool.unsafe(`
      create sequence refusals;
      create function refuse() returns trigger language plpgsql as $$
      begin
        perform nextval('refusals');
        raise read_only_sql_transaction;
      end $$;
      create trigger refuse before delete on graphile_worker._private_jobs
      for each row execute function refuse();`);
    return {
      times: async () => Number((await service.pool`select last_value from refusals`)[0]!.lastValue),
      stop: () => service.pool.unsafe("drop function refuse cascade; drop sequence refusals"),
    };
  }

  test("is repeated when it is refused, as by a database that can only be read", async () => {
    let refusals: Awaited<ReturnType<typeof refuseWords>> | undefined;
    const done = await runThree(
      async () => {
        refusals ??= await refuseWords();
      },
      async () => {
        // For longer than it takes until a job that nobody works on is given back.
        await until("it was refused ten times", async () => (await refusals!.times()) >= 10);
        await refusals!.stop();
      },
    );

    expect(done).toEqual(["first", "second", "third"]);
  }, 240_000);

  test("is said of every failure, whatever its message holds: the job is tried again, and those beside it end", async () => {
    const messages: Record<string, string> = {
      nul: "550 no \0 here",
      half: "Cannot read \u{1F600}".slice(0, -1),
      long: "\u{1F600}".repeat(5_000_000),
    };
    const kept = async () =>
      Object.fromEntries(
        (
          await service.pool`select payload ->> 'userId' as id, last_error from graphile_worker._private_jobs`
        ).map(({ id, lastError }) => [id, lastError]),
      );
    const worker = await startHanging([], async (userId) => {
      throw new Error(messages[userId]);
    });
    for (const userId of Object.keys(messages)) await ask(userId);
    await until("all have failed", async () => Object.values(await kept()).every((error) => error !== null));
    await worker.stop();
    const { nul, half, long } = await kept();
    await service.dropJobs();

    expect([nul, half]).toEqual(["550 no \u{FFFD} here", "Cannot read \u{FFFD}"]);
    expect(long).toBe("\u{1F600}".repeat(1_000));
  }, 240_000);

  test("waits for a connection where more are refused than there are, and no job comes to another worker", async () => {
    const refusals = await refuseWords();
    const users = Array.from({ length: 14 }, (_, n) => `u${String(n).padStart(2, "0")}`);
    for (const userId of users) await ask(userId);
    const done: string[] = [];
    const inTurn = async (userId: string) => await Bun.sleep(20 * Number(userId.slice(1)));
    const workers = [await startHanging(done, inTurn)];
    await until("all are done", () => done.length >= users.length);
    workers.push(await startHanging(done, inTurn));
    const before = await refusals.times();
    await until(
      "that was refused a hundred times more",
      async () => (await refusals.times()) >= before + 100,
    );
    await refusals.stop();
    await until("all are struck off", isStruckOff);
    for (const worker of workers) await worker.stop();

    expect(done.toSorted()).toEqual(users);
  }, 240_000);
});

describe("a worker does not reap others that look dead", () => {
  /** Two that have not beaten for long: the first one will in a moment, the other never will. */
  async function addSilent() {
    const [sibling, dead] = [Bun.randomUUIDv7(), Bun.randomUUIDv7()];
    await service.pool`
      insert into workers (id, host, pid, seen_at)
      select id, 'elsewhere', 1, now() - interval '31 seconds' from unnest(${[sibling, dead]}::uuid[]) as id`;
    return { sibling, dead };
  }
  async function startReaping(url: string) {
    const workerPool = openWorkerPool(service.databaseUrl, 8);
    const heartPool = openPool(url, { max: 1, name: "postrider heartbeat" });
    const ctx = { ...service, workerId: Bun.randomUUIDv7() };
    const worker = await startWorker(
      ctx,
      { workerPool, heartPool },
      {
        tasks: { wake_segments: async () => {} } as never,
        crontab: "",
        patience: QUICK,
        reap: async (on) => void (await reapDeadWorkers(on)),
        onBeat: async () => {},
        onStop: async () => {},
      },
    );
    const beatsSince = async (since: Date) => {
      const [row] = await service.pool`
        select seen_at > ${since} as beats from workers where id = ${ctx.workerId}`;
      return row?.beats === true;
    };
    return {
      async beatsTwice(since: Date) {
        await until("it beats", () => beatsSince(since));
        await until("it beats once more", () => beatsSince(new Date(since.getTime() + 2 * QUICK.beatMs)));
      },
      async stop() {
        await worker.stop();
        await Promise.all([heartPool.end(), workerPool.end()]);
      },
    };
  }
  async function expectOneReaped({ sibling, dead }: Awaited<ReturnType<typeof addSilent>>) {
    await service.pool`update workers set seen_at = now() where id = ${sibling}`;
    await until("the dead one is reaped", async () => {
      return (await service.pool`select from workers where id = ${dead}`).length === 0;
    });
    expect(await service.pool`delete from workers where id = ${sibling} returning id`).toHaveLength(1);
  }

  test("after a time in which nobody could beat", async () => {
    const proxy = await startProxy(service.databaseUrl);
    const worker = await startReaping(proxy.url);
    proxy.freeze();
    await Bun.sleep(QUICK.gapMs + 1_000);
    const silent = await addSilent();
    const thawedAt = new Date();
    proxy.thaw();
    await worker.beatsTwice(thawedAt);

    await expectOneReaped(silent);
    await worker.stop();
    await proxy.stop();
  }, 240_000);

  test("at its start, when the database may just be back", async () => {
    const silent = await addSilent();
    const startedAt = new Date();
    const worker = await startReaping(service.databaseUrl);
    await worker.beatsTwice(startedAt);

    await expectOneReaped(silent);
    await worker.stop();
  }, 240_000);
});

describe("an uncaught error", () => {
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
