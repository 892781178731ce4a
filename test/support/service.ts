import { afterAll, beforeAll } from "bun:test";
import { Logger, runOnce } from "graphile-worker";
import type { AnyElysia } from "elysia";
import type pg from "pg";
import { createProject, type NewProject } from "../../src/accounts/projects/mod.ts";
import { type Config, loadConfig } from "../../src/config/mod.ts";
import type { Context } from "../../src/context.ts";
import { openWorkerPool, type WorkerPool } from "../../src/db/worker_pool.ts";
import { createApp } from "../../src/http/mod.ts";
import type { JobName } from "../../src/jobs.ts";
import { createLog } from "../../src/log.ts";
import { createDns } from "../../src/mail/dns.ts";
import { createTlsFailures } from "../../src/mail/tls_failures.ts";
import { createSmtpMailer } from "../../src/mail/smtp.ts";
import { createInboxMailer } from "../../src/sending/captured/mod.ts";
import { fetchApart } from "../../src/sending/delivery/mod.ts";
import { addVerifiedDomain } from "../../src/accounts/projects/domains.ts";
import { openMailer } from "../../src/service/mailers.ts";
import { taskListOf } from "../../src/worker/mod.ts";
import { tasks } from "../../tasks/mod.ts";
import { mjmlApart } from "./mjml.ts";
import { databaseUrl, dropDatabase, newDatabase, openTestPool } from "./postgres.ts";
import {
  changeJobs,
  dropJobs,
  hasHeldJob,
  makeDue,
  type JobChange,
  jobsOf,
  type QueuedJob,
  type Which,
} from "./queue.ts";
import { startSmtpServer, type TestSmtpServer } from "./smtp_server.ts";

/** The domain that the projects of tests may send from. */
export const DOMAIN = "shop.example";

/** An answer of the service. */
export interface Answer {
  status: number;
  // Tests look into answers of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
  headers: Headers;
}

/** How a request is made. */
export interface RequestOptions {
  key?: string;
  body?: unknown;
  /** Sent as it is, instead of `body` as JSON. */
  raw?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
}

/** A service over a database of its own, for one test file. */
export interface TestService extends Context {
  app: AnyElysia;
  smtp: TestSmtpServer;
  workerPool: WorkerPool;
  databaseUrl: string;
  /** The lines of the log. */
  lines: Record<string, unknown>[];
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  /** A new project that may send from {@linkcode DOMAIN}. */
  createProject(): Promise<NewProject>;
  /** Runs every job that is due by the clock of the service, until none is left. */
  runJobs(): Promise<void>;
  /** The jobs that wait, or are being done; of one kind, or of all. */
  jobs(name?: JobName): Promise<QueuedJob[]>;
  /** Takes jobs out of the queue, all of them where nothing else is said, and answers them. */
  dropJobs(which?: Which): Promise<QueuedJob[]>;
  /** Changes jobs in the queue, all of them where nothing else is said. */
  changeJobs(change: JobChange, which?: Which): Promise<void>;
  /** Moves the clock; it goes on from there. */
  setNow(now: Date): void;
}

/**
 * Gives the test file a service; its database is copied from the template and dropped at the end. With an empty
 * `SMTP_URL` its mails are captured. `own`: parts of the context that are the test's own.
 */
export function useService(
  settings: Partial<Record<keyof Config, string>> = {},
  own: Partial<Context> = {},
): TestService {
  const service = {} as TestService;
  const closing: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    const smtp = await startSmtpServer();
    const database = await newDatabase();
    const pool = openTestPool(database);
    const workerPool = openWorkerPool(databaseUrl(database), 12);
    const config = loadConfig({
      RATE_LIMIT_PER_MINUTE: "0",
      // It writes by itself, a moment after the answers: tests of faults count statements.
      REQUEST_LOG_PER_MINUTE: "0",
      SECRET_KEY: "a secret that only the tests know, 32+",
      SMTP_URL: smtp.url,
      ...settings,
    });
    const mailer = config.SMTP_URL ? createSmtpMailer(config.SMTP_URL) : createInboxMailer({ sql: pool });
    const lines: Record<string, unknown>[] = [];
    let shift = 0;
    const ctx: Context = {
      config,
      pool,
      sql: pool,
      mailer,
      tlsFailures: createTlsFailures(),
      openMailer: (options) => openMailer(ctx, options),
      dns: createDns({ servers: ["127.0.0.1:9"] }),
      log: createLog("info", (line) => lines.push(JSON.parse(line))),
      now: () => new Date(Date.now() + shift),
      workerId: Bun.randomUUIDv7(),
      mjml: mjmlApart,
      ...own,
    };
    const app = createApp(ctx);
    closing.push(
      async () => mailer.close(),
      () => smtp.stop(),
      () => pool.end({ timeout: 1 }),
      () => workerPool.end(),
      () => dropDatabase(database),
    );
    Object.assign(service, ctx, {
      app,
      smtp,
      workerPool,
      lines,
      databaseUrl: databaseUrl(database),
      request: requestsTo((request) => app.handle(request)),
      createProject: async () => {
        const project = await createProject(ctx, "Test");
        await addVerifiedDomain(ctx, project.id, DOMAIN);
        return project;
      },
      runJobs: () => runJobs(ctx, workerPool),
      jobs: (name?: JobName) => jobsOf(pool, name),
      dropJobs: (which?: Which) => dropJobs(pool, which),
      changeJobs: (change: JobChange, which?: Which) => changeJobs(pool, change, which),
      setNow: (now: Date) => (shift = now.getTime() - Date.now()),
    });
  });

  afterAll(async () => {
    for (const close of closing) await close();
  });

  return service;
}

/** Makes requests, which `respond` answers: the routes themselves, or a process that has them. */
export function requestsTo(
  respond: (request: Request) => Response | Promise<Response>,
): TestService["request"] {
  return async (method, path, options = {}) => {
    const { key, body, raw, headers } = options;
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await respond(
      new Request(`http://localhost${path}`, {
        method,
        headers: {
          "content-type": "application/json",
          ...(key && { authorization: `Bearer ${key}` }),
          ...headers,
        },
        ...(payload !== undefined && { body: payload }),
      }),
    );
    const text = await textOf(response);
    const isJson = text !== "" && response.headers.get("content-type")?.includes("json");
    return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers };
  };
}

/** The body of an answer. A stream of events does not end: it is left, and counts as empty. */
export async function textOf(response: Response): Promise<string> {
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return await response.text();
  await response.body?.cancel();
  return "";
}

/** Runs every job that is due by the clock of a service, until none is left. */
export async function runJobs(ctx: Context, pgPool: pg.Pool): Promise<void> {
  // The queue goes by the clock of Postgres: what is due by ours is made due by its.
  const due = await makeDue(ctx.pool, ctx.now());
  if (due > 0) await runDue(ctx, pgPool, due);
  await letApartCome(ctx);
  // The last jobs are struck off the queue a moment after they are done.
  for (let i = 0; i < 200; i++) {
    if (!(await hasHeldJob(ctx.pool))) return;
    await Bun.sleep(10);
  }
}

/** A start of the queue asks for jobs over as many connections as it may do at once: for a few jobs a few are enough. */
async function runDue(ctx: Context, pgPool: pg.Pool, due: number): Promise<void> {
  await runOnce({
    pgPool,
    taskList: taskListOf(ctx, tasks),
    noHandleSignals: true,
    logger: new Logger(() => () => {}),
    preset: { worker: { concurrentJobs: Math.min(10, due + 3) } },
  });
}

/**
 * On a busy machine any domain may look slow for a moment; its mails wait apart then, and are fetched when it does not, and no job
 * waits for a bulk mail that takes long. Those of a domain that stays slow are left waiting.
 */
async function letApartCome(ctx: Context): Promise<void> {
  const waiting = async () => {
    const [row] = await ctx.pool<{ mails: number }[]>`
      select count(*)::int as mails from emails
      where (status = 'PENDING' and due_at = 'infinity' and tried_at is null)
        or (status = 'SENDING' and claimed_by = ${ctx.workerId})`;
    return row!.mails;
  };
  let left = await waiting();
  for (let inVain = 0; inVain < 60 && left > 0; inVain++) {
    await fetchApart(ctx);
    await Bun.sleep(50);
    const before = left;
    left = await waiting();
    if (left < before) inVain = 0;
  }
}
