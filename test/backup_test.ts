// A backup that is made while requests come in, and the installation that is restored from it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { HAS_POSTGRES_15, POSTGRES_15_BIN, startPostgres15 } from "./support/postgres15.ts";
import { type ServiceProcess, startProcess, until } from "./support/process.ts";
import { startSmtpServer, type TestSmtpServer } from "./support/smtp_server.ts";

const ROOT = join(import.meta.dir, "..");
const SECRET_KEY = "a secret that only the tests know, 32+";
const DOMAIN = "shop.example";
/** Enough that a backup takes longer than many requests. */
const CONTACTS = 20_000;
const CALLERS = 2;
/** Of each kind, before it begins. */
const EARLY = 20;

/** What was answered 2xx: an event, or a mail by its id. */
interface Accepted {
  events: string[];
  emails: string[];
}

describe.skipIf(!HAS_POSTGRES_15)(`a backup${HAS_POSTGRES_15 ? "" : " (skipped: no Postgres 15)"}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "postrider-backup-"));
  const file = join(folder, "postrider.dump");
  const started: ServiceProcess[] = [];
  let server: Awaited<ReturnType<typeof startPostgres15>>;
  let [first, second]: TestSmtpServer[] = [];

  beforeAll(async () => {
    chmodSync(folder, 0o777);
    [server, first, second] = await Promise.all([startPostgres15(), startSmtpServer(), startSmtpServer()]);
  });

  afterAll(async () => {
    for (const running of started) await running.end("SIGKILL");
    await Promise.all([server.stop(), first!.stop(), second!.stop()]);
    rmSync(folder, { recursive: true, force: true });
  });

  const start = async (url: string, smtp: TestSmtpServer) => {
    const settings = { DATABASE_URL: url, SECRET_KEY, SMTP_URL: smtp.url, RATE_LIMIT_PER_MINUTE: "0" };
    const running = await startProcess(settings);
    started.push(running);
    return running;
  };
  const admin = async (url: string, ...words: string[]) => {
    const PATH = `${POSTGRES_15_BIN}:${process.env.PATH}`;
    const env = { PATH, HOME: folder, DATABASE_URL: url, SECRET_KEY };
    const child = Bun.spawn([process.execPath, "src/admin.ts", ...words], {
      cwd: ROOT,
      env,
      stderr: "pipe",
    });
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    if ((await child.exited) !== 0) throw new Error(`Cannot do ${words.join(" ")}: ${err}`);
    return out;
  };
  const withDatabase = async <T>(url: string, work: (sql: postgres.Sql) => Promise<T>) => {
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    return await work(sql).finally(() => sql.end());
  };

  test("that is made under load has all that was accepted before it began; restored, it sends what waited, and nothing twice", async () => {
    const restored = server.url.replace(/postgres$/, "restored");
    // Their server asks to come again: they wait.
    first!.behave({ rcpt: (address) => (address.startsWith("later") ? "451 4.7.1 Later" : undefined) });
    const before = await start(server.url, first!);
    const made = await admin(
      server.url,
      ...`project create --name Shop --domain ${DOMAIN} --verified`.split(" "),
    );
    const [secret, key] = [/sk_[0-9a-f]+/.exec(made)![0], /pk_[0-9a-f]+/.exec(made)![0]];
    await withDatabase(
      server.url,
      (sql) => sql`
        insert into contacts (project_id, email, subscribed)
        select id, 'c' || n || '@example.com', true from projects, generate_series(1, ${CONTACTS}) as n`,
    );
    const load = startLoad(before.url, { secret, key });
    await until(
      "it is under load",
      () => Math.min(load.accepted.emails.length, load.accepted.events.length) >= EARLY,
    );
    const early = structuredClone(load.accepted);
    await admin(server.url, "backup", file);
    const answered = await load.stop();
    await before.end("SIGKILL");

    expect(load.refused).toEqual([]);
    // Some came while it was being made.
    expect(answered.emails.length).toBeGreaterThan(early.emails.length);

    await withDatabase(server.url, (sql) => sql`create database restored`);
    await admin(restored, "restore", file);
    const { missing, waiting } = await withDatabase(restored, async (sql) => ({
      missing: await sql`
        select id from unnest(${early.emails}::uuid[]) as id where not exists (select from emails e where e.id = id.id)
        union all
        select id from unnest(${early.events}::uuid[]) as id where not exists (select from events e where e.id = id.id)`,
      waiting: await sql<{ id: string; address: string; status: string }[]>`
        select id, address, status from emails where status in ('PENDING', 'SENDING')`,
    }));
    expect([...missing]).toEqual([]);
    expect(waiting.some(({ status }) => status === "PENDING")).toBe(true);

    const after = await start(restored, second!);
    const hello = { to: "after@example.com", from: `a@${DOMAIN}`, subject: "After", body: "<p>After</p>" };
    expect((await post(after.url, "/v1/send", secret, hello)).status).toBe(200);
    const statuses = await withDatabase(restored, async (sql) => {
      await until("nothing waits", async () => {
        const rows = await sql`select from emails where status in ('PENDING', 'SENDING') limit 1`;
        return rows.length === 0;
      });
      return await sql<{ address: string; status: string }[]>`
        select address, status from emails where id = any(${waiting.map(({ id }) => id)})`;
    });
    // What was on its way at that moment may have arrived: that is for the project to decide.
    const sent = statuses.filter(({ status }) => status === "SENT").map(({ address }) => address);
    const doubtful = statuses.filter(({ status }) => status === "IN_DOUBT").map(({ address }) => address);
    const underway = waiting.filter(({ status }) => status === "SENDING").map(({ address }) => address);
    expect(sent.length + doubtful.length).toBe(waiting.length);
    expect(doubtful.filter((address) => !underway.includes(address))).toEqual([]);
    const received = second!.received.flatMap(({ to }) => to).toSorted();
    expect(received).toEqual([...sent, "after@example.com"].toSorted());
  }, 300_000);
});

async function post(url: string, path: string, key: string, body: object) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const answer = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: answer.status, text: await answer.text() };
}

/** Tracks and sends without a pause, until it is stopped. One mail in eight waits for its server. */
function startLoad(url: string, { secret, key }: { secret: string; key: string }) {
  const accepted: Accepted = { events: [], emails: [] };
  const refused: string[] = [];
  let isOver = false;
  let n = 0;
  const ask = async (path: string, by: string, body: object, keep: (data: Record<string, never>) => void) => {
    while (!isOver) {
      const { status, text } = await post(url, path, by, { ...body, ...addressOf(path, ++n) });
      if (status === 200) keep((JSON.parse(text) as { data: Record<string, never> }).data);
      else refused.push(`${path} ${status} ${text}`);
    }
  };
  const mail = { from: `a@${DOMAIN}`, subject: "Hello", body: "<p>Hello</p>" };
  const callers = Array.from({ length: CALLERS }, () => [
    ask("/v1/track", key, { event: "page viewed" }, ({ event }) => accepted.events.push(event!)),
    ask("/v1/send", secret, mail, ({ emails }) =>
      accepted.emails.push(...(emails as unknown as { email: string }[]).map(({ email }) => email)),
    ),
  ]);
  const done = Promise.all(callers.flat());
  return {
    accepted,
    refused,
    async stop(): Promise<Accepted> {
      isOver = true;
      await done;
      return accepted;
    },
  };
}

function addressOf(path: string, n: number): object {
  if (path === "/v1/track") return { email: `c${n % 1_000}@example.com` };
  return { to: `${n % 8 === 0 ? "later" : "mail"}${n}@example.com` };
}
