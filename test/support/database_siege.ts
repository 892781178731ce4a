// A service at work, in two processes, while its database comes and goes: what was accepted, what became of it, and how
// soon it goes on.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { addVerifiedDomain } from "../../src/accounts/projects/domains.ts";
import { createProject, type NewProject } from "../../src/accounts/projects/mod.ts";
import { loadConfig } from "../../src/config/mod.ts";
import type { Context } from "../../src/context.ts";
import { startEmbedded } from "../../src/embedded/mod.ts";
import { openService } from "../../src/service/mod.ts";
import { type Fault, inflict } from "./postgres_faults.ts";
import { type ServiceProcess, startProcess, until } from "./process.ts";
import { changeJobs, jobsOf } from "./queue.ts";
import { startSmtpServer, type TestSmtpServer } from "./smtp_server.ts";

const DOMAIN = "shop.example";
const STANDSTILL_MS = 60_000;
const SECRET_KEY = "a secret that only the tests know, 32+";

/** How much is going on. */
export interface SiegeOptions {
  /** Which faults, one after the other. */
  faults: Fault[];
  freezeMs: number;
  /** Contacts of each campaign; there is one in each round. */
  recipients: number;
  /** Requests of each kind that are under way at once. */
  clients: number;
  /** Called when a round is over. */
  onRound?: (round: Round) => void;
}

/** One fault, and what followed. */
export interface Round {
  fault: Fault;
  /** From the database's return to the first mail that was accepted afterwards, and to its delivery. */
  acceptedMs: number;
  deliveredMs: number;
}

/** What became of everything. */
export interface DatabaseSiegeReport {
  rounds: Round[];
  /** Processes that have ended by themselves. */
  crashes: number;
  /** Lanes that stand at the end, and jobs that nobody gets on with, with what is known of them. */
  standing: string[];
  stuckJobs: string[];
  /** What is not done after the last fault, and becomes no less. */
  left: unknown;
  /** What was answered 200, and of it what is neither there nor in doubt. */
  accepted: { mails: number; events: number; campaignMails: number };
  lost: { mails: string[]; events: number; executions: string[]; campaignMails: string[] };
  /** Mails that came twice without having been in doubt. */
  doubled: string[];
  inDoubt: number;
  /** Answers by status, and those that did not say what they should. */
  answers: Record<string, number>;
  odd: string[];
}

/** Puts the service under load, lets the faults happen, and tells what became of it. */
export async function besiegeDatabase(options: SiegeOptions): Promise<DatabaseSiegeReport> {
  const dir = mkdtempSync(join(tmpdir(), "postrider-database-"));
  const embedded = await startEmbedded({ dir: join(dir, "postgres") });
  const smtp = await startSmtpServer();
  const config = { DATABASE_URL: embedded.url, SECRET_KEY, DATA_DIR: dir, LOG_LEVEL: "error" };
  const { ctx, close } = await openService(loadConfig(config));
  const processes: ServiceProcess[] = [];
  const start = async (MODE: string) => {
    const settings = { ...config, MODE, LOG_LEVEL: "info", RATE_LIMIT_PER_MINUTE: "0" };
    const started = await startProcess({ ...settings, SMTP_URL: `${smtp.url}?maxConnections=10` });
    processes.push(started);
    return started;
  };
  try {
    const [http] = await Promise.all([start("http"), start("worker")]);
    let crashes = 0;
    let isOver = false;
    for (const one of processes) void one.ended().then(() => (crashes += isOver ? 0 : 1));
    const stage = await setStage(ctx, http!.url, options);
    const load = startLoad(stage, options.clients);
    const rounds: Round[] = [];
    for (const fault of options.faults) {
      await stage.startCampaign();
      await Bun.sleep(1_000);
      const round = await runRound(fault, options, join(dir, "postgres"), embedded.url, stage, smtp);
      rounds.push(round);
      options.onRound?.(round);
    }
    await load.stop();
    const report = await settle(ctx, stage, smtp, http!.url);
    isOver = true;
    return { ...report, rounds, crashes };
  } finally {
    for (const one of processes) await one.end("SIGKILL");
    await close();
    await smtp.stop();
    await embedded.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function runRound(
  fault: Fault,
  { freezeMs }: SiegeOptions,
  dir: string,
  url: string,
  stage: Stage,
  smtp: TestSmtpServer,
): Promise<Round> {
  await inflict(fault, dir, { freezeMs, terminateAll: () => terminateAll(url) });
  await untilItAnswers(url);
  const backAt = performance.now();
  let to = "";
  // What is accepted now is the first mail after the return.
  while (!to) {
    to = (await stage.send()) ?? "";
    if (!to) await Bun.sleep(20);
  }
  const acceptedMs = Math.round(performance.now() - backAt);
  await until(
    "the first mail after the return",
    () => smtp.received.some((mail) => mail.to[0] === to),
    120_000,
  );
  return { fault, acceptedMs, deliveredMs: Math.round(performance.now() - backAt) };
}

async function terminateAll(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`;
  await sql.end();
}

async function untilItAnswers(url: string): Promise<void> {
  for (;;) {
    const sql = postgres(url, { max: 1, connect_timeout: 1, onnotice: () => {} });
    const answers = await sql`select 1`.then(
      () => true,
      () => false,
    );
    await sql.end({ timeout: 0 });
    if (answers) return;
    await Bun.sleep(20);
  }
}

interface Stage {
  project: NewProject;
  bulk: NewProject;
  mails: Set<string>;
  /** Addresses of contacts by the id of the event that was accepted. */
  events: Map<string, string>;
  /** Subjects by the ids of campaigns. */
  campaigns: Map<string, string>;
  answers: Record<string, number>;
  odd: string[];
  /** Sends a mail, and answers its address where it was accepted. */
  send(): Promise<string | undefined>;
  track(): Promise<void>;
  startCampaign(): Promise<void>;
}

async function setStage(ctx: Context, url: string, { recipients }: SiegeOptions): Promise<Stage> {
  const [project, bulk] = [await createProject(ctx, "Siege"), await createProject(ctx, "Bulk")];
  for (const { id } of [project, bulk]) await addVerifiedDomain(ctx, id, DOMAIN);
  await ctx.pool`
    insert into contacts (project_id, email, subscribed)
    select ${bulk.id}, 'c' || n || '@example.com', true from generate_series(1, ${recipients}::int) as n`;
  const answers: Record<string, number> = {};
  const odd: string[] = [];
  const ask = async (path: string, key: string, body: unknown, method = "POST") => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    }).catch(() => undefined);
    const status = response?.status ?? 0;
    answers[status] = (answers[status] ?? 0) + 1;
    const answer = (await response?.json().catch(() => undefined)) as Record<string, any> | undefined;
    const says = answer?.error?.suggestion as string | undefined;
    const isPlain =
      status < 300 ? status > 0 : status === 503 && /^(Nothing was changed|It may have)/.test(says ?? "");
    if (!isPlain) odd.push(`${path} ${status} ${JSON.stringify(answer)?.slice(0, 300)}`);
    return status >= 200 && status < 300 ? answer : undefined;
  };
  const insist = async (path: string, key: string, body: unknown, method?: string) => {
    for (;;) {
      const answer = await ask(path, key, body, method);
      if (answer) return answer;
      await Bun.sleep(100);
    }
  };
  const template = await insist("/templates", project.secret, {
    name: "Welcome",
    subject: "Welcome",
    body: "<p>Hello</p>",
    from: `hello@${DOMAIN}`,
    type: "TRANSACTIONAL",
  });
  const workflow = await insist("/workflows", project.secret, { name: "Welcome", eventName: "came" });
  await insist(`/workflows/${workflow.id}/steps`, project.secret, {
    type: "SEND_EMAIL",
    name: "Welcome",
    config: {},
    templateId: template.id,
    autoConnect: true,
  });
  await insist(`/workflows/${workflow.id}`, project.secret, { enabled: true }, "PATCH");
  let numbers = 0;
  const stage: Stage = {
    project,
    bulk,
    mails: new Set(),
    events: new Map(),
    campaigns: new Map(),
    answers,
    odd,
    async send() {
      const to = `s${numbers++}@example.com`;
      const mail = { to, from: `a@${DOMAIN}`, subject: "Hello", body: "<p>Hello</p>" };
      if (!(await ask("/v1/send", project.secret, mail))) return undefined;
      stage.mails.add(to);
      return to;
    },
    async track() {
      const email = `w${numbers++}@example.com`;
      const answer = await ask("/v1/track", project.public, { email, event: "came" });
      if (answer) stage.events.set(answer.data.event, email);
    },
    async startCampaign() {
      const subject = `News-${stage.campaigns.size + 1}`;
      const { data } = await insist("/campaigns", bulk.secret, {
        name: "Siege",
        subject,
        body: "<p>News</p>",
        from: `news@${DOMAIN}`,
        audienceType: "ALL",
      });
      // Whoever had no answer may have been heard: a second time is refused then.
      if (await ask(`/campaigns/${data.id}/send`, bulk.secret, {})) stage.campaigns.set(data.id, subject);
    },
  };
  return stage;
}

function startLoad(stage: Stage, clients: number) {
  let isOver = false;
  const loop = async (work: () => Promise<unknown>) => {
    while (!isOver) {
      await work();
      await Bun.sleep(20);
    }
  };
  const loops = Array.from({ length: clients }, () => [loop(stage.send), loop(stage.track)]).flat();
  return {
    async stop() {
      isOver = true;
      await Promise.all(loops);
    },
  };
}

/** Waits until nothing is left to do, pauses of minutes moved to now, and looks what became of everything. */
async function settle(ctx: Context, stage: Stage, smtp: TestSmtpServer, url: string) {
  const sql = ctx.pool;
  let left: { what: string; count: number }[] = [];
  const open = async () => {
    // What waits apart comes by itself: due, and without a job, it would wait for a sweep.
    await sql`update emails set due_at = now() where status = 'PENDING' and due_at > now() and due_at < 'infinity'`;
    await changeJobs(
      sql,
      { runAt: new Date() },
      ({ runAt, lockedAt, attempts }) => runAt > new Date() && !lockedAt && attempts > 0,
    );
    const rows = await sql`
      select 'mails' as what, status::text, count(*)::int from emails where status in ('PENDING', 'SENDING') group by 2
      union all
      select 'executions', status::text, count(*)::int from executions
      where status in ('RUNNING', 'WAITING') group by 2
      union all
      select 'campaigns', status::text, count(*)::int from campaigns where status = 'SENDING' group by 2`;
    // An event that was accepted has neither an execution nor a mail until its job has run.
    const starts = await jobsOf(sql, "start_workflows");
    left = [
      ...(rows as unknown as { what: string; count: number }[]),
      ...(starts.length > 0 ? [{ what: "events", count: starts.length }] : []),
    ];
    return left.reduce((sum, { count }) => sum + count, 0);
  };
  // However much there is: as long as it becomes less, it gets on.
  for (let least = Infinity, since = Date.now(); Date.now() - since < STANDSTILL_MS; await Bun.sleep(250)) {
    const count = await open();
    if (count === 0) break;
    if (count >= least) continue;
    least = count;
    since = Date.now();
  }
  const ready = (await (await fetch(`${url}/ready`)).json()) as { standing: string[] };
  const isSince = (time: Date | null, ms: number) => time === null || Date.now() - time.getTime() > ms;
  const stuck = (await jobsOf(sql)).filter(
    ({ runAt, lockedAt }) => isSince(runAt, 30_000) && isSince(lockedAt, 60_000),
  );
  const rows = await sql`select project_id, address, status, doubted_at, campaign_id from emails`;
  const arrivals = Map.groupBy(
    smtp.received.flatMap((mail) => mail.to.map((to) => `${to} ${/Subject: (\S+)/i.exec(mail.source)?.[1]}`)),
    (key) => key,
  );
  const single = new Map(rows.filter((row) => !row.campaignId).map((row) => [row.address as string, row]));
  const isFound = (address: string, subject: string) =>
    arrivals.has(`${address} ${subject}`) || single.get(address)?.doubtedAt !== null;
  const events = await sql`select id from events where id = any(${[...stage.events.keys()]})`;
  const missing = [...stage.events.values()].filter(
    (address) => !single.has(address) || !isFound(address, "Welcome"),
  );
  const campaignRows = rows.filter((row) => stage.campaigns.has(row.campaignId as string));
  const keyOf = ({ address, campaignId }: (typeof rows)[number]) =>
    `${address} ${stage.campaigns.get(campaignId as string)}`;
  const [contacts] =
    await sql`select count(*)::int as count from contacts where project_id = ${stage.bulk.id}`;
  const expected = Number(contacts!.count) * stage.campaigns.size;
  const certain = campaignRows.filter((row) => row.doubtedAt === null);
  const certainKeys = new Set(certain.map(keyOf));
  const unsent = certain.filter((row) => row.status !== "SENT" || !arrivals.has(keyOf(row)));
  return {
    standing: ready.standing,
    stuckJobs: stuck.map((job) => JSON.stringify(job)),
    left,
    accepted: { mails: stage.mails.size, events: stage.events.size, campaignMails: expected },
    lost: {
      mails: [...stage.mails].filter((to) => !single.has(to) || !isFound(to, "Hello")),
      events: stage.events.size - events.length,
      executions: missing.map((address) => `${address} ${single.get(address)?.status ?? "has no mail"}`),
      campaignMails: [
        ...unsent.map((row) => `${row.address} ${row.status}`),
        ...(campaignRows.length === expected ? [] : [`${campaignRows.length} of ${expected}`]),
      ],
    },
    doubled: [...arrivals]
      .filter(([, all]) => all.length > 1)
      .map(([key]) => key)
      .filter((key) => certainKeys.has(key) || single.get(key.split(" ")[0]!)?.doubtedAt === null),
    inDoubt: rows.filter((row) => row.doubtedAt !== null).length,
    answers: stage.answers,
    odd: stage.odd,
  };
}
