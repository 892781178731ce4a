// The WEBHOOK step: a call, many of them, and the worker that makes them.
import { afterEach, describe, expect, test } from "bun:test";
import { enqueueWebhook } from "../../src/automation/webhooks/mod.ts";
import { addJobs } from "../../src/jobs.ts";
import { DOMAIN, useService } from "../support/service.ts";
import { type ServiceProcess, startProcess, until } from "../support/process.ts";
import { reply, useHookServers } from "./hook_server.ts";
import { webhookStage } from "./webhook_stage.ts";

const service = useService({ ALLOW_PRIVATE_WEBHOOKS: "true" });
const stage = webhookStage(service);
const { stand, call, ends, queued, callNext, stateOf } = stage;
const serve = useHookServers();

const urlOf = ({ port }: { port: number }) => `http://127.0.0.1:${port}/hook`;

describe("a call", () => {
  test("is not made for an execution that was cancelled, nor for a step that has ended", async () => {
    const server = await serve(reply(200));
    const cancelled = await stand({ url: urlOf(server) });
    await service.pool`update executions set status = 'CANCELLED' where id = ${cancelled.executionId}`;
    const ended = await stand({ url: urlOf(server) });
    await service.pool`update step_executions set status = 'COMPLETED' where id = ${ended.stepExecutionId}`;
    await call(cancelled);
    await call(ended);
    await call({ ...ended, stepExecutionId: Bun.randomUUIDv7() });

    expect(server.connections).toBe(0);
    expect(await queued()).toEqual([]);
  });

  test("of an execution that is cancelled meanwhile is not followed by another one", async () => {
    const server = await serve(async (socket, heard) => {
      await service.pool`update executions set status = 'CANCELLED' where id = ${job.executionId}`;
      void reply(500)(socket, heard);
    });
    const job = await stand({ url: urlOf(server) });
    await call(job);

    expect(server.heard).toHaveLength(1);
    expect(await queued()).toEqual([]);
    expect(await stateOf(job)).toMatchObject({ status: "CANCELLED", output: null });
  });

  test("that was answered before the process died is made again, with the same id", async () => {
    const server = await serve(reply(200));
    const job = await stand({ url: urlOf(server) });
    const dies = () => Promise.reject(new Error("killed"));
    await expect(call(job, service, dies)).rejects.toThrow("killed");
    const between = await stateOf(job);
    await call(job);

    expect(between).toMatchObject({ status: "WAITING", step: "RUNNING" });
    expect(server.heard.map(({ headers }) => headers["webhook-id"])).toEqual(
      Array(2).fill(job.stepExecutionId),
    );
    expect((await stateOf(job)).status).toBe("COMPLETED");
    expect(ends).toHaveLength(1);
  });

  test("that two processes make at once is noted once, and tried again once", async () => {
    const server = await serve(async (socket, heard) => {
      await until("both are there", () => server.heard.length === 2);
      void reply(500)(socket, heard);
    });
    const job = await stand({ url: urlOf(server) });
    await Promise.all([call(job), call(job)]);

    expect((await stateOf(job)).output.attempts).toHaveLength(1);
    expect(await queued()).toHaveLength(1);
  });

  test("that a frozen process ends long after others went on does not turn them back", async () => {
    let thaw = () => {};
    const frozen = new Promise<void>((resolve) => (thaw = resolve));
    const server = await serve(async (socket, heard) => {
      if (server.heard.length === 1) await frozen;
      void reply(500)(socket, heard);
    });
    const job = await stand({ url: urlOf(server) });
    const first = call(job);
    await until("the first is there", () => server.heard.length === 1);
    await call(job);
    await callNext();
    const [due] = await queued();
    thaw();
    await first;

    expect((await stateOf(job)).output.attempts).toHaveLength(2);
    expect(await queued()).toEqual([due!]);
  });

  test("that comes too early is sent back to its time", async () => {
    const server = await serve(reply(500));
    const job = await stand({ url: urlOf(server) });
    await call(job);
    const [due] = await queued();
    await call(job);

    expect(server.heard).toHaveLength(1);
    expect((await queued()).map(({ runAt }) => runAt)).toEqual([due!.runAt]);
  });

  test("that waits already is not enqueued again, and keeps its time", async () => {
    const server = await serve(reply(500));
    const job = await stand({ url: urlOf(server) });
    await enqueueWebhook(service, job);
    const first = await queued();
    await call(job);
    const [due] = await queued();
    await enqueueWebhook(service, job);

    expect(first).toMatchObject([{ payload: job }]);
    expect(await queued()).toEqual([due!]);
  });

  test("waits while the project is disabled", async () => {
    const server = await serve(reply(200));
    const job = await stand({ url: urlOf(server) });
    await service.pool`update projects set disabled_at = now() where id = ${job.projectId}`;
    await call(job);
    const held = server.connections;
    await service.pool`update projects set disabled_at = null where id = ${job.projectId}`;
    await callNext();

    expect([held, server.heard.length]).toEqual([0, 1]);
    expect((await stateOf(job)).status).toBe("COMPLETED");
  });

  test("holds no transaction open while it waits for its answer", async () => {
    let open: readonly unknown[] | undefined;
    const server = await serve(async (socket, heard) => {
      open = await service.pool`
        select query from pg_stat_activity
        where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()`;
      void reply(200)(socket, heard);
    });
    await call(await stand({ url: urlOf(server) }));

    expect(open).toHaveLength(0);
  });
});

describe("many calls", () => {
  /** A server that answers when it is told to. */
  const serveLate = async () => {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    const server = await serve(async (socket, heard) => {
      await promise;
      void reply(200)(socket, heard);
    });
    return { server, release };
  };
  const standMany = (count: number, url: string) =>
    Promise.all(Array.from({ length: count }, (_, i) => stand({ url }, { email: `c${i}@example.com` })));

  test("to one slow server leave places to others, and are made one after the other", async () => {
    const { server: slow, release } = await serveLate();
    const quick = await serve(reply(200));
    const each = service.mailer.connections / 2;
    const jobs = await standMany(each * 6, urlOf(slow));
    let done = 0;
    const calls = jobs.map((job) => call(job).then(() => (done += 1)));
    await until("those beyond the places are in the queue", async () => (await queued()).length === each * 5);
    await until("their jobs are done", () => done === each * 5);
    await until("its places are taken", () => slow.heard.length === each);
    const other = await service.createProject();
    const elsewhere = await stand({ url: urlOf(quick) }, { projectId: other.id });
    await call(elsewhere);
    const { status } = await stateOf(elsewhere);
    const waiting = await queued();
    release();
    await Promise.all(calls);

    expect(status).toBe("COMPLETED");
    // Should this process die, somebody comes back for them.
    for (const { runAt } of waiting)
      expect(runAt.getTime() - service.now().getTime()).toBeWithin(50_000, 73_000);
    expect(slow.most).toBe(each);
    expect(slow.heard).toHaveLength(jobs.length);
    expect(ends).toHaveLength(jobs.length + 1);
    expect(await queued()).toEqual([]);
  });

  test("that are aside for long stay aside when their job comes back", async () => {
    const { server: slow, release } = await serveLate();
    const each = service.mailer.connections / 2;
    const jobs = await standMany(each + 2, urlOf(slow));
    const calls = jobs.map((job) => call(job));
    await until("two are aside", async () => (await queued()).length === 2);
    const before = await queued();
    await callNext();
    const after = await queued();
    release();
    await Promise.all(calls);

    expect(after.map(({ payload }) => payload.stepExecutionId).sort()).toEqual(
      before.map(({ payload }) => payload.stepExecutionId).sort(),
    );
    expect(after.at(-1)!.runAt.getTime()).toBeGreaterThan(before.at(-1)!.runAt.getTime());
    expect(slow.heard).toHaveLength(jobs.length);
    expect(ends).toHaveLength(jobs.length);
  });

  test("that were put aside by a process that died are made by another one", async () => {
    const { server: slow, release } = await serveLate();
    const each = service.mailer.connections / 2;
    const jobs = await standMany(each + 1, urlOf(slow));
    const dying = { ...service, pool: new Proxy(service.pool, {}) };
    const died = jobs.map((job) =>
      call(job, { ...dying, sql: dying.pool }, () => Promise.reject(new Error("killed"))),
    );
    await until("one is aside", async () => (await queued()).length === 1);
    release();
    await Promise.allSettled(died);
    const { payload } = await callNext();

    expect(await stateOf(payload)).toMatchObject({ status: "COMPLETED" });
    expect(ends).toHaveLength(1);
  });

  test("that fail one by one do not lose those that wait", async () => {
    const { server: slow, release } = await serveLate();
    const each = service.mailer.connections / 2;
    const jobs = await standMany(each * 3, urlOf(slow));
    let count = 0;
    const calls = jobs.map((job) =>
      call(job, service, async (tx, end) => {
        if ((count += 1) % 3 === 0) throw new Error("away");
        await stage.finishStep(tx, end);
      }),
    );
    await until("those beyond the places are in the queue", async () => (await queued()).length === each * 2);
    release();
    const outcomes = await Promise.allSettled(calls);
    // Those that failed themselves are tried again by the queue; those that were aside have their job.
    for (const [i, { status }] of outcomes.entries()) if (status === "rejected") await call(jobs[i]!);
    for (let i = 0; (await queued()).length > 0 && i < 1_000; i++) await callNext();
    const states = await Promise.all(jobs.map(async (job) => (await stateOf(job)).status));

    expect(new Set(states)).toEqual(new Set(["COMPLETED"]));
    expect(ends).toHaveLength(jobs.length);
  });
});

describe("a worker", () => {
  let worker: ServiceProcess | undefined;
  afterEach(async () => {
    await worker?.end("SIGKILL");
  });

  test("whose webhooks all hang still sends mail, and calls those of others", async () => {
    const hanging = await serve(() => {});
    const quick = await serve(reply(200));
    for (let i = 0; i < 40; i++) {
      const job = await stand({ url: urlOf(hanging) }, { email: `c${i}@example.com` });
      await addJobs(service, "call_webhook", [job]);
    }
    // A lane of ten jobs, of which five may be calls, and three those of one project.
    worker = await startProcess({
      DATABASE_URL: service.databaseUrl,
      SECRET_KEY: service.config.SECRET_KEY,
      MODE: "worker",
      ALLOW_PRIVATE_WEBHOOKS: "true",
      SMTP_URL: `${service.smtp.url}?maxConnections=5`,
    });
    await until("calls that hang", () => hanging.heard.length >= 3);
    const other = await service.createProject();
    await addJobs(service, "call_webhook", [await stand({ url: urlOf(quick) }, { projectId: other.id })]);
    await service.request("POST", "/v1/send", {
      key: stage.project.secret,
      body: { to: "grace@example.com", from: `a@${DOMAIN}`, subject: "s", body: "b" },
    });
    await service.smtp.waitFor(1);
    await until("the other call", () => quick.heard.length === 1);

    // It would have been ten, had the others not been put aside.
    expect(hanging.most).toBe(3);
  });
});
