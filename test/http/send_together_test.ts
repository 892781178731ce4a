// What requests that share a commit do to each other: nothing.
import { beforeEach, describe, expect, test } from "bun:test";
import type postgres from "postgres";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { blocked, killBlocked, untilBlocked } from "../support/locks.ts";
import { openTestPool } from "../support/postgres.ts";
import { startProcess } from "../support/process.ts";
import { type Answer, DOMAIN, useService } from "../support/service.ts";
import { send as accept } from "../../src/sending/send/mod.ts";

const service = useService();
let project: NewProject;

beforeEach(async () => {
  project = await service.createProject();
  await service.dropJobs();
});

const MAIL = { from: `hello@${DOMAIN}`, subject: "Hi", body: "<p>Hello</p>" };
const SECRET_KEY = "a secret that only the tests know, 32+";

const send = (to: unknown, more: Record<string, unknown> = {}, key?: string, as = project) =>
  service.request("POST", "/v1/send", {
    key: as.secret,
    body: { to, ...MAIL, ...more },
    ...(key !== undefined && { headers: { "idempotency-key": key } }),
  });

const track = (email: string, more: Record<string, unknown> = {}, as = project) =>
  service.request("POST", "/v1/track", { key: as.public, body: { email, event: "seen", ...more } });

const people = (count: number, name = "p") =>
  Array.from({ length: count }, (_, i) => `${name}${i}@example.com`);

const statuses = (answers: Answer[]) => answers.map((answer) => answer.status);

const ledger = async (as = project) =>
  await service.pool<{ id: string; address: string; status: string; commit: string }[]>`
    select id, address, status, xmin::text as commit from emails where project_id = ${as.id} order by address, id`;

/** Every mail that waits has a job, and no job names another one. */
async function expectJobs(as = project): Promise<void> {
  const named = (await service.jobs("send_emails")).flatMap(({ payload }) =>
    payload.projectId === as.id ? (payload.emailIds as string[]) : [],
  );
  const open = (await ledger(as)).filter((mail) => mail.status === "PENDING");
  expect(named.toSorted()).toEqual(open.map((mail) => mail.id).toSorted());
}

/** Holds rows while `work` runs, as a slow transaction of somebody else does. */
const whileHeld = <T>(
  hold: (sql: postgres.TransactionSql) => Promise<unknown>,
  work: (release: () => void) => Promise<T>,
): Promise<T> => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: held, resolve: isHeld } = Promise.withResolvers<void>();
  const holding = service.pool.begin(async (sql) => {
    await hold(sql);
    isHeld();
    await released;
  });
  return held.then(() => work(release)).finally(() => (release(), holding));
};

const contacts = (emails: string[]) => (sql: postgres.TransactionSql) =>
  sql`select from contacts where project_id = ${project.id} and email = any(${emails}) for update`;

describe("requests that share a commit", () => {
  test("share jobs as well, and each is answered with mails of its own", async () => {
    await service.pool`
      insert into suppressions (project_id, email, reason) values (${project.id}, 'p7@example.com', 'MANUAL')`;
    const answers = await Promise.all(
      people(60).map((to, i) => send(to, { subject: `Mail ${i}` }, `key ${i}`)),
    );
    const mails = await ledger();
    const subjects = await service.pool`
      select e.id, c.subject from emails e join contents c on c.project_id = e.project_id and c.id = e.content_id
      where e.project_id = ${project.id}`;
    const subjectOf = new Map(subjects.map((row) => [row.id, row.subject]));

    expect(statuses(answers)).toEqual(Array(60).fill(200));
    expect(answers.map(({ body }) => body.data.emails[0].contact.email)).toEqual(people(60));
    expect(answers.map(({ body }) => subjectOf.get(body.data.emails[0].email))).toEqual(
      people(60).map((_, i) => `Mail ${i}`),
    );
    expect(mails).toHaveLength(60);
    expect(mails.find(({ address }) => address === "p7@example.com")!.status).toBe("SUPPRESSED");
    expect(new Set(mails.map(({ commit }) => commit)).size).toBeLessThan(20);
    expect((await service.jobs("send_emails")).length).toBeLessThan(30);
    await expectJobs();
    const again = await send("p9@example.com", {}, "key 9");
    expect([again.status, again.body.error.details.originalResponse]).toEqual([409, answers[9]!.body]);
  });

  test("are refused alone: nothing of those is written, and their keys are free again", async () => {
    await track("full@example.com", { data: { a: "x".repeat(40_000) } });
    await track("left@example.com");
    await track("left@example.com", { subscribed: false });
    const [marketing] = await service.pool`
      insert into templates (project_id, name, subject, body, html, from_email, type)
      values (${project.id}, 'News', 'News', '<p>n</p>', '<p>n</p>', ${MAIL.from}, 'MARKETING') returning id`;
    await send("used@example.com", {}, "used");
    const refused: [string, Record<string, unknown>, number][] = [
      ["unknown@example.com", { template: Bun.randomUUIDv7() }, 404],
      ["elsewhere@example.com", { from: "a@elsewhere.example" }, 403],
      ["left@example.com", { template: marketing!.id }, 400],
      ["full@example.com", { data: { b: "y".repeat(40_000) } }, 422],
      ["other@example.com", {}, 409],
    ];
    const [good, bad] = await Promise.all([
      Promise.all(people(30).map((to) => send(to))),
      Promise.all(refused.map(([to, more], i) => send(to, more, i === 4 ? "used" : `bad ${i}`))),
      Promise.all(people(30, "q").map((to) => send(to))),
    ]);
    const written = await service.pool`
      select email from contacts where project_id = ${project.id} and email !~ '^[pq][0-9]' order by email`;
    const keys = await service.pool`select key from idempotency_keys where project_id = ${project.id}`;

    expect(statuses(good)).toEqual(Array(30).fill(200));
    expect(statuses(bad)).toEqual(refused.map(([, , status]) => status));
    expect(await ledger()).toHaveLength(61);
    expect(written.map((row) => row.email)).toEqual([
      "full@example.com",
      "left@example.com",
      "used@example.com",
    ]);
    expect(keys.map((row) => row.key)).toEqual(["used"]);
    await expectJobs();
    expect((await send("elsewhere@example.com", {}, "bad 1")).status).toBe(200);
  });

  test("for one address are accepted one after another, and lose nothing of each other", async () => {
    const answers = await Promise.all(
      people(50).map((_, i) =>
        send(["one@example.com", `p${i % 5}@example.com`], { data: { [`k${i}`]: i } }),
      ),
    );
    const [row] = await service.pool`
      select data from contacts where project_id = ${project.id} and email = 'one@example.com'`;

    expect(statuses(answers)).toEqual(Array(50).fill(200));
    expect(Object.keys(row!.data)).toHaveLength(50);
    expect(await ledger()).toHaveLength(100);
  });
});

describe("a lock that somebody holds", () => {
  test.each(["send", "track"])(
    "of a contact delays the %s requests for it, and nobody else's, also those that come later",
    async (what) => {
      const other = await service.createProject();
      const request = (email: string, as = project) =>
        what === "send" ? send(email, {}, undefined, as) : track(email, {}, as);
      const locked = people(2, "held");
      await Promise.all(locked.map((email) => request(email)));
      let isOver = false;
      const late = await whileHeld(contacts(locked), async (release) => {
        // Those who wait are among those who do not, and so in the same commits.
        const asked = people(40).map((email, i) => ({
          free: request(email),
          held: i % 8 === 4 ? locked.map((own) => request(own)) : [],
        }));
        const waiting = Promise.all(asked.flatMap(({ held }) => held));
        void waiting.then(() => (isOver = true));
        const free = await Promise.all([
          ...asked.map((both) => both.free),
          ...people(20).map((email) => request(email, other)),
        ]);
        await untilBlocked(service.pool);
        const later = await Promise.all(people(20, "later").map((email) => request(email)));
        expect([isOver, new Set(statuses([...free, ...later]))]).toEqual([false, new Set([200])]);
        // Few connections wait, however many requests do.
        expect((await blocked(service.pool)).length).toBeLessThanOrEqual(2);
        release();
        return await waiting;
      });

      expect(statuses(late)).toEqual(Array(10).fill(200));
    },
  );

  test("that is no contact's (here the month's limit) delays its project, and no other", async () => {
    const other = await service.createProject();
    await service.pool`
      insert into usage_limits (project_id, category, monthly_limit) values (${project.id}, 'transactional', 30)`;
    let isOver = false;
    const late = await whileHeld(
      (sql) => sql`select from usage_limits where project_id = ${project.id} for update`,
      async (release) => {
        const waiting = Promise.all(people(40).map((to) => send(to)));
        void waiting.then(() => (isOver = true));
        await untilBlocked(service.pool);
        const free = await Promise.all(people(20).map((to) => send(to, {}, undefined, other)));
        expect([isOver, statuses(free)]).toEqual([false, Array(20).fill(200)]);
        release();
        return await waiting;
      },
    );

    expect(statuses(late).toSorted()).toEqual([...Array(30).fill(200), ...Array(10).fill(402)]);
    expect(await ledger()).toHaveLength(30);
    await expectJobs();
  });

  test("is taken in the order of the addresses, so that two processes cannot deadlock", async () => {
    const crowd = people(150).toSorted();
    await Promise.all([send(crowd), track("zz@example.com")]);
    await whileHeld(contacts([crowd[75]!]), async () => {
      const sending = send(crowd.toReversed());
      await untilBlocked(service.pool);
      const free = await service.pool`
        select email from contacts where project_id = ${project.id} for update skip locked`;
      const locked = crowd.filter((email) => !free.some((row) => row.email === email));
      expect(locked).toEqual(crowd.slice(0, 76));
      void sending.catch(() => {});
    });
    const pool = openTestPool(new URL(service.databaseUrl).pathname.slice(1));
    const call = (key: string) => ({ projectId: project.id, key, request: "POST /v1/send" });
    const [a, b] = [people(30), people(30).toReversed()];
    const both = await Promise.all([
      ...a.map((to, i) => accept(service, call(`a ${i}`), { ...MAIL, to: [to, a[(i + 7) % 30]!] })),
      ...b.map((to, i) =>
        accept({ ...service, pool, sql: pool }, call(`b ${i}`), { ...MAIL, to: [to, b[(i + 3) % 30]!] }),
      ),
    ]).finally(() => pool.end({ timeout: 1 }));

    expect(new Set(both.flatMap(({ result: { emails } }) => emails.map(({ email }) => email))).size).toBe(
      120,
    );
  });
});

test("a process that dies in the middle of a commit has accepted all of a request, or nothing", async () => {
  await send("held@example.com");
  await service.dropJobs();
  const settings = {
    SECRET_KEY,
    RATE_LIMIT_PER_MINUTE: "0",
    DATABASE_URL: service.databaseUrl,
    MODE: "http",
  };
  const child = await startProcess(settings);
  const to = ["held@example.com", ...people(20)];
  const ask = async (url: string, email: string) => {
    const headers = {
      authorization: `Bearer ${project.secret}`,
      "content-type": "application/json",
      "idempotency-key": `of ${email}`,
    };
    const body = JSON.stringify({ to: email, ...MAIL });
    const answer = await fetch(`${url}/v1/send`, { method: "POST", headers, body }).catch(() => null);
    return answer?.status ?? null;
  };
  const first = await whileHeld(contacts(["held@example.com"]), async () => {
    const asking = Promise.all(to.map((email) => ask(child.url, email)));
    await killBlocked(service.pool, child);
    return await asking;
  });
  const kept = new Set((await ledger()).slice(1).map(({ address }) => address));
  const unanswered = to.filter((_, i) => first[i] === null);
  expect(to.filter((_, i) => first[i] === 200 && !kept.has(to[i]!))).toEqual([]);
  expect(unanswered).toContain("held@example.com");
  await expectJobsOfKept();

  const second = await Promise.all(to.map((email) => send(email, {}, `of ${email}`)));
  expect(second.every(({ status }) => status === 200 || status === 409)).toBe(true);
  expect((await ledger()).map(({ address }) => address)).toEqual([...to, "held@example.com"].toSorted());
});

/** The mails without a job are those whose jobs the test has dropped. */
async function expectJobsOfKept(): Promise<void> {
  const named = (await service.jobs("send_emails")).flatMap(({ payload }) => payload.emailIds as string[]);
  expect(named.length).toBe((await ledger()).length - 1);
}
