// What it costs to know who is asking, and what log-ins cost everybody else.
import { Elysia } from "elysia";
import { hashPassword } from "../../src/accounts/people/passwords.ts";
import { startSession } from "../../src/accounts/people/sessions.ts";
import { createUser } from "../../src/accounts/people/mod.ts";
import type { Context } from "../../src/context.ts";
import { q } from "../../src/db/queries.ts";
import { authenticateKey } from "../../src/http/entry/authenticate.ts";
import { type Answering, setSessionCookie } from "../../src/http/entry/session.ts";
import { runLoad } from "./support/http_load.ts";
import { below, type BenchOptions, exactly, median, percentile, type Report } from "./support/report.ts";
import { startSink } from "./support/smtp_sink.ts";
import { DOMAIN, onStage, type ServiceProcess, type Stage } from "./support/stage.ts";

const EMAIL = "ada@example.com";
const PASSWORD = "correct horse battery";
const WARM_UP = 300;
const BATCH = 64;
const LOGINS_AT_ONCE = 200;
const SENDS_A_SECOND = 40;

/** Runs the bench. */
export async function run(report: Report, { seconds }: BenchOptions): Promise<void> {
  const sink = startSink({});
  try {
    await onStage(async (stage) => {
      const userId = await makeMember(stage);
      await measureAuthentication(report, stage, userId, seconds);
      await measureStorm(report, stage, sink.port, seconds);
    });
  } finally {
    sink.stop();
  }
}

async function makeMember({ ctx, project }: Stage): Promise<string> {
  const passwordHash = await hashPassword(ctx, PASSWORD, null);
  const { id } = await createUser(ctx, { email: EMAIL, passwordHash, emailVerified: true });
  await ctx.pool`insert into memberships (project_id, user_id, role) values (${project.id}, ${id}, 'ADMIN')`;
  return id;
}

/** One way to be asked. */
interface Way {
  name: string;
  ask(): Promise<unknown>;
}

/**
 * The same route without authentication, by key and by session, in this process, without sockets;
 * and the look-up of each alone, alternating.
 */
async function measureAuthentication(
  report: Report,
  stage: Stage,
  userId: string,
  seconds: number,
): Promise<void> {
  const { ctx, project } = stage;
  const session = await startSession(ctx, userId);
  const set: Answering = { headers: {} };
  await setSessionCookie(ctx, set, session);
  const cookie = [set.headers["set-cookie"]].flat()[0]!.split(";")[0]!;
  const app = routes({ ...ctx, config: { ...ctx.config, RATE_LIMIT_PER_MINUTE: 1_000_000_000 } });
  const asking = (path: string, headers: Record<string, string>) => async () => {
    const response = await app.handle(new Request(`http://localhost${path}`, { headers }));
    if (response.status !== 200) throw new Error(`Cannot go on: ${await response.text()}`);
    await response.text();
  };
  const hash = new Bun.CryptoHasher("sha256").update(project.secret).digest("hex");
  const { sessionId } = session;
  const ways: Way[] = [
    { name: "open", ask: asking("/open", {}) },
    { name: "key", ask: asking("/behind", { authorization: `Bearer ${project.secret}` }) },
    { name: "session", ask: asking("/behind", { cookie, "x-project-id": project.id }) },
    { name: "look-up of a key", ask: () => q.projects.bySecretHashes(ctx, { hashes: [hash] }) },
    {
      name: "look-up of a session",
      ask: () => q.sessions.found(ctx, { sessionIds: [sessionId], projectIds: [project.id], now: ctx.now() }),
    },
  ];
  const alone = await inTurns(ways, 1, seconds);
  const many = await inTurns(ways, BATCH, seconds);
  for (const [kind, lookUp] of [
    ["key", "look-up of a key"],
    ["session", "look-up of a session"],
  ] as const) {
    const cost = (times: Map<string, number>) => times.get(kind)! - times.get("open")!;
    report.line(`${kind}, one request at a time`, cost(alone), "ms", {
      goal: below(0.3),
      note: { statementAlone: Number(alone.get(lookUp)!.toFixed(3)) },
    });
    report.line(`${kind}, a request of ${BATCH} at once`, cost(many), "ms", { goal: below(0.3) });
  }
}

function routes(ctx: Context) {
  return new Elysia()
    .get("/open", () => ({ done: true }))
    .use(
      new Elysia()
        .use(authenticateKey(ctx, "secret"))
        .get("/behind", ({ project }) => ({ done: project.id !== "" })),
    );
}

/** The median time of each way, per request, when so many are asked at once. */
async function inTurns(ways: Way[], atOnce: number, seconds: number): Promise<Map<string, number>> {
  const times = new Map(ways.map(({ name }) => [name, [] as number[]]));
  const rounds = Math.ceil(WARM_UP / atOnce);
  const end = performance.now() + seconds * 1000;
  for (let round = -rounds; performance.now() < end; round++) {
    for (const { name, ask } of ways) {
      const startedAt = performance.now();
      await Promise.all(Array.from({ length: atOnce }, ask));
      if (round >= 0) times.get(name)!.push((performance.now() - startedAt) / atOnce);
    }
  }
  return new Map([...times].map(([name, each]) => [name, median(each)]));
}

/** Mails are sent at a modest rate, first alone and then while people log in as fast as they are let. */
async function measureStorm(report: Report, stage: Stage, smtpPort: number, seconds: number): Promise<void> {
  const service = await stage.startService({
    MODE: "all",
    SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
    LOGIN_LIMIT_PER_EMAIL: "0",
    LOGIN_LIMIT_PER_NETWORK: "0",
  });
  await sendFor(service, stage, 1);
  const calm = await sendFor(service, stage, seconds);
  const storm = runLoad({
    port: service.port,
    path: "/auth/login",
    key: "none",
    body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
    population: 1,
    connections: LOGINS_AT_ONCE,
    // One network alone would be told to wait.
    networks: 10_000,
    seconds,
  });
  // The storm has warmed up by then.
  await Bun.sleep(1_200);
  const rough = await sendFor(service, stage, seconds - 0.5);
  const logins = await storm;
  report.line("/v1/send p99, alone", percentile(calm.times, 99), "ms");
  report.line(`/v1/send p99, while ${LOGINS_AT_ONCE} log in at once`, percentile(rough.times, 99), "ms", {
    goal: below(100),
    note: { p50: Number(percentile(rough.times, 50).toFixed(2)), mails: rough.times.length },
  });
  report.line("log-ins meanwhile", logins.rate, "log-ins/s", {
    note: { p50: Math.round(logins.p50), p99: Math.round(logins.p99) },
  });
  const firstError = logins.firstError ?? rough.firstError ?? calm.firstError;
  report.line("errors", logins.errors + rough.errors + calm.errors, "requests", {
    goal: exactly(0),
    ...(firstError && { note: { firstError } }),
  });
  report.line("resident memory of the service", service.resident(), "MB", { goal: below(300) });
  await service.stop();
}

interface Sent {
  times: number[];
  errors: number;
  firstError: string | null;
}

/** Sends a mail every so often, whether or not the one before has been answered. */
async function sendFor({ port }: ServiceProcess, { project }: Stage, seconds: number): Promise<Sent> {
  const sent: Sent = { times: [], errors: 0, firstError: null };
  const sendOne = async (n: number) => {
    const startedAt = performance.now();
    const response = await fetch(`http://127.0.0.1:${port}/v1/send`, {
      method: "POST",
      headers: { authorization: `Bearer ${project.secret}`, "content-type": "application/json" },
      body: JSON.stringify({
        to: `user${n}@example.com`,
        from: `orders@${DOMAIN}`,
        subject: `Your order ${n}`,
        body: "<p>Hello,</p><p>your order is on its way.</p>",
      }),
    });
    const text = await response.text();
    if (response.status === 200) return void sent.times.push(performance.now() - startedAt);
    sent.errors++;
    sent.firstError ??= text.slice(0, 500);
  };
  const begin = performance.now();
  const sends: Promise<void>[] = [];
  for (let n = 0; n < seconds * SENDS_A_SECOND; n++) {
    await Bun.sleep(Math.max(0, begin + (n * 1000) / SENDS_A_SECOND - performance.now()));
    sends.push(sendOne(n));
  }
  await Promise.all(sends);
  return sent;
}
