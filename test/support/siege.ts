// A campaign under attack: real worker processes, an SMTP server that counts, and, where it is to be crashed, a Postgres of
// its own. What became of everybody is told at the end.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OPERATOR } from "../../src/accounts/audit.ts";
import { createProject } from "../../src/accounts/projects/mod.ts";
import { addVerifiedDomain } from "../../src/accounts/projects/domains.ts";
import { loadConfig } from "../../src/config/mod.ts";
import type { Context } from "../../src/context.ts";
import { startEmbedded } from "../../src/embedded/mod.ts";
import { addJob } from "../../src/jobs.ts";
import { sendCampaign } from "../../src/sending/campaigns/status.ts";
import { createCampaign } from "../../src/sending/campaigns/mod.ts";
import { openService } from "../../src/service/mod.ts";
import { blocked } from "./locks.ts";
import { databaseUrl, dropDatabase, newDatabase } from "./postgres.ts";
import { IMPATIENT, killUnseen, type ServiceProcess, startProcess } from "./process.ts";
import { changeJobs, jobsOf } from "./queue.ts";
import { startSmtpServer, type TestSmtpServer } from "./smtp_server.ts";
import { insertTransport } from "./transports.ts";

const DOMAIN = "shop.example";
const SECRET_KEY = "a secret that only the tests know, 32+";
const WATCH_MS = 250;
/** Nobody listens there: the port is reserved. */
const DEAD_URL = "smtp://127.0.0.1:1";

/** How large the campaign is, and what its project wants of mails in doubt. */
export interface SiegeOptions {
  recipients: number;
  /** Connections of each worker: what may be in doubt when it is killed. */
  connections?: number;
  /** So many transports lead to the mail server, and one more to none. Else it is that of the settings. */
  transports?: number;
  /** Mails in doubt are sent again, as soon as the attack is over. Else they are kept as they are. */
  resends?: boolean;
  /** Retries wait as long as in production. Else their time comes at once. */
  keepsPauses?: boolean;
  /** Until it has to be over. */
  patienceMs?: number;
  /** Postgres may be crashed: it is one of its own, which keeps what was committed. */
  crashesPostgres?: boolean;
}

/** What an attacker can do. */
export interface Attackers {
  smtp: TestSmtpServer;
  startWorker(): Promise<ServiceProcess>;
  /** Kills a worker; who is there, or comes next, notices it at once. */
  kill(worker: ServiceProcess): Promise<void>;
  /** Stops Postgres as a power cut would; it is started again. For a siege that has one of its own. */
  crashPostgres(): void;
  /** Resolves when so many mails are claimed, committed. */
  claimed(mails: number): Promise<void>;
  /**
   * Nothing can be written to the events meanwhile, so no outcome either: `isWaiting` says whether one tries. What still
   * waits then is given up.
   */
  withLockedEvents(work: (isWaiting: () => Promise<boolean>) => Promise<void>): Promise<void>;
  /** Resolves when so many more mails have come, or the campaign has ended. */
  progress(mails: number): Promise<void>;
  hasEnded(): boolean;
}

/** What became of one recipient. */
export interface Fate {
  status: string;
  wasInDoubt: boolean;
  arrivals: number;
}

/** What became of everybody. */
export interface SiegeReport {
  campaignStatus: string;
  /** By address; an address without a row in the ledger is not among them. */
  fates: Map<string, Fate>;
  rows: number;
  /** The counters of the campaign, and the same counted in the ledger. */
  counters: Record<string, number>;
  ledger: Record<string, number>;
}

/** Sends a campaign while `attack` goes on, and waits until it has ended by itself. */
export async function besiege(
  options: SiegeOptions,
  attack: (attackers: Attackers) => Promise<void>,
): Promise<SiegeReport> {
  const dir = mkdtempSync(join(tmpdir(), "postrider-siege-"));
  const database = await (options.crashesPostgres ? ownPostgres(dir) : ownDatabase());
  const smtp = await startSmtpServer();
  const workers = new Set<ServiceProcess>();
  const config = { DATABASE_URL: database.url, SECRET_KEY, DATA_DIR: dir, LOG_LEVEL: "error" };
  const { ctx, close } = await openService(loadConfig(config));
  try {
    for (let i = 0; i < (options.transports ?? 0); i++)
      await insertTransport(ctx, { url: smtp.url, priority: 10 });
    if (options.transports) await insertTransport(ctx, { url: DEAD_URL, priority: 10 });
    const { projectId, campaignId } = await begin(ctx, options);
    let ended = false;
    const watching = untilEnded(ctx, campaignId, options).finally(() => (ended = true));
    const attacking = attack({
      smtp,
      async startWorker() {
        const worker = await startWorker(database.url, smtp, dir, options);
        workers.add(worker);
        return worker;
      },
      kill: (worker) => killUnseen(ctx.pool, worker),
      crashPostgres: () => crash(dir),
      async claimed(mails) {
        const count = async () =>
          Number((await ctx.pool`select count(*) as mails from emails where status = 'SENDING'`)[0]!.mails);
        while ((await count()) < mails) await Bun.sleep(10);
      },
      async withLockedEvents(work) {
        await ctx.pool.begin(async (sql) => {
          await sql`lock table events in share mode`;
          await work(async () => (await blocked(ctx.pool)).length > 0);
          // Postgres has not noticed that who asked is gone: it would go on as soon as it may.
          await sql`
            select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`;
        });
      },
      hasEnded: () => ended,
      async progress(mails) {
        const wanted = smtp.received.length + mails;
        while (!ended && smtp.received.length < wanted) await Bun.sleep(20);
      },
    });
    await Promise.all([watching, attacking]);
    return await report(ctx, projectId, campaignId, smtp);
  } finally {
    for (const worker of workers) await worker.end("SIGKILL");
    await close();
    await smtp.stop();
    await database.end();
    rmSync(dir, { recursive: true, force: true });
  }
}

interface Database {
  url: string;
  end(): Promise<void>;
}

async function ownPostgres(dir: string): Promise<Database> {
  const { url, stop } = await startEmbedded({ dir: join(dir, "postgres") });
  return { url, end: stop };
}

async function ownDatabase(): Promise<Database> {
  const name = await newDatabase();
  return { url: databaseUrl(name), end: () => dropDatabase(name) };
}

async function begin(ctx: Context, { recipients, resends = false }: SiegeOptions) {
  const { id: projectId } = await createProject(ctx, "Siege");
  await addVerifiedDomain(ctx, projectId, DOMAIN);
  if (resends) {
    await ctx.pool`update projects set resend_in_doubt = '{TRANSACTIONAL,CAMPAIGN}' where id = ${projectId}`;
  }
  await ctx.pool`
    insert into contacts (project_id, email, subscribed)
    select ${projectId}, 'r' || n || '@example.com', true from generate_series(1, ${recipients}::int) as n`;
  const { id: campaignId } = await createCampaign(ctx, projectId, {
    name: "Siege",
    subject: "Hello {{email}}",
    body: '<p>Hello {{email}}, <a href="https://shop.example/">look</a></p>',
    from: `news@${DOMAIN}`,
    audienceType: "ALL",
  });
  await sendCampaign(ctx, projectId, campaignId, null, OPERATOR);
  return { projectId, campaignId };
}

async function startWorker(
  url: string,
  smtp: TestSmtpServer,
  dir: string,
  { connections = 10 }: SiegeOptions,
): Promise<ServiceProcess> {
  const settings = {
    SECRET_KEY,
    DATABASE_URL: url,
    DATA_DIR: dir,
    MODE: "worker",
    SMTP_URL: `${smtp.url}?maxConnections=${connections}`,
  };
  return await startProcess(settings, { preload: process.env.KILL_TEST === "long" ? "" : IMPATIENT });
}

function crash(dir: string): void {
  const [file] = [...new Bun.Glob("postgres/**/postmaster.pid").scanSync({ cwd: dir })];
  if (!file) return;
  const pid = Number(readFileSync(join(dir, file), "utf8").split("\n")[0]);
  process.kill(pid, "SIGQUIT"); // immediate shutdown: nothing is written any more
}

/**
 * Waits for the end of a campaign. Pauses of hours and minutes (retries, doubts) are not waited for: their time is moved to
 * now, those of retries only where they are not kept, and `also` moves what else there is.
 */
export async function untilEnded(
  ctx: Context,
  campaignId: string,
  {
    patienceMs = 240_000,
    keepsPauses = false,
    also,
  }: Pick<SiegeOptions, "patienceMs" | "keepsPauses"> & { also?: () => Promise<void> },
): Promise<void> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    await Bun.sleep(WATCH_MS);
    if (Date.now() > deadline)
      throw new Error(`Cannot see the end of the campaign: ${await state(ctx, campaignId)}`);
    try {
      if (await isOver(ctx, campaignId)) return;
      if (!keepsPauses) await hasten(ctx, campaignId);
      await hastenDoubts(ctx, campaignId);
      await also?.();
    } catch {
      // Postgres is away for a moment.
    }
  }
}

async function isOver(ctx: Context, campaignId: string): Promise<boolean> {
  const [row] = await ctx.pool`select finished_at from campaigns where id = ${campaignId}`;
  return row!.finishedAt !== null;
}

async function hasten(ctx: Context, campaignId: string): Promise<void> {
  await ctx.pool`
    update emails set due_at = now() - interval '1 second'
    where campaign_id = ${campaignId} and status = 'PENDING' and due_at > now() and due_at < 'infinity'`;
  await changeJobs(
    ctx.pool,
    { runAt: new Date() },
    ({ runAt, lockedAt, payload }) => runAt > new Date() && !lockedAt && payload.campaignId === campaignId,
  );
}

async function hastenDoubts(ctx: Context, campaignId: string): Promise<void> {
  const doubts = await ctx.pool`
    update emails set due_at = due_at - interval '16 minutes'
    where campaign_id = ${campaignId} and status = 'IN_DOUBT' and due_at between now() - interval '5 minutes' and now()
      and doubted_at < now() - interval '3 seconds'
    returning id`;
  if (doubts.length > 0) await addJob(ctx, "settle_doubts", {});
}

async function state(ctx: Context, campaignId: string): Promise<string> {
  const campaign =
    await ctx.pool`select status, snapshot_at, snapshot_count from campaigns where id = ${campaignId}`;
  const rows =
    await ctx.pool`select status, count(*)::int from emails where campaign_id = ${campaignId} group by 1`;
  const jobs = await jobsOf(ctx.pool);
  return JSON.stringify({ campaign, rows, jobs });
}

async function report(
  ctx: Context,
  projectId: string,
  campaignId: string,
  smtp: TestSmtpServer,
): Promise<SiegeReport> {
  const rows = await ctx.pool`
    select address, status, doubted_at from emails where project_id = ${projectId} and campaign_id = ${campaignId}`;
  const arrivals = Map.groupBy(
    smtp.received.flatMap((mail) => mail.to),
    (address) => address,
  );
  const [campaign] = await ctx.pool`
    select status, total_recipients, c.sent_count + d.sent as sent, c.bounced_count + d.bounced as bounced,
      c.failed_count + d.failed as failed
    from campaigns c, campaign_deltas(c.project_id, c.id) d where c.id = ${campaignId}`;
  const [ledger] = await ctx.pool`
    select count(*)::int as total_recipients, count(sent_at)::int as sent, count(bounced_at)::int as bounced,
      (count(*) filter (where status = 'FAILED'))::int as failed
    from emails where campaign_id = ${campaignId}`;
  const { status, ...counters } = campaign!;
  return {
    campaignStatus: status as string,
    rows: rows.length,
    fates: new Map(
      rows.map((row) => [
        row.address as string,
        {
          status: row.status as string,
          wasInDoubt: row.doubtedAt !== null,
          arrivals: arrivals.get(row.address as string)?.length ?? 0,
        },
      ]),
    ),
    counters,
    ledger: { ...ledger! },
  };
}
