// A recipient domain that takes no mail, or does not answer at all, is asked more and more seldom, while its mails wait.
import { afterEach, expect, test } from "bun:test";
import type { Context } from "../../src/context.ts";
import { openPool } from "../../src/db/pool.ts";
import { createSmtpMailer } from "../../src/mail/smtp.ts";
import { deliverEmails, fetchApart } from "../../src/sending/delivery/mod.ts";
import { useLedger } from "../support/ledger.ts";
import { until } from "../support/process.ts";
import { useService } from "../support/service.ts";

const service = useService();
const { project, accept, later } = useLedger(service);

/** Another process of the same installation: what it learns of the domains is its own. */
const otherProcess = (url = service.smtp.url): Context => {
  const pool = openPool(service.databaseUrl, { max: 4 });
  const mailer = createSmtpMailer(url);
  closing.push(
    async () => mailer.close(),
    () => pool.end({ timeout: 1 }),
  );
  return { ...service, pool, sql: pool, mailer, workerId: Bun.randomUUIDv7() };
};
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await service.dropJobs();
});

const statuses = async (ids: string[]) => {
  const rows = await service.pool`
    select status, due_at = 'infinity' as apart, count(*)::int as mails, max(attempts) as attempts
    from emails where id = any(${ids}) group by 1, 2 order by 1, 2`;
  return rows.map((row) => ({ ...row })) as unknown as {
    status: string;
    apart: boolean;
    mails: number;
    attempts: number;
  }[];
};
const mailsWith = async (ids: string[], wanted: { status: string; apart?: boolean }) =>
  (await statuses(ids))
    .filter((row) => row.status === wanted.status && (wanted.apart ?? row.apart) === row.apart)
    .reduce((sum, row) => sum + row.mails, 0);
/** What a beat of the worker does, until all that it begins has ended. */
const beat = async (ctx: Context, ids: string[]) => {
  await fetchApart(ctx);
  await Bun.sleep(30);
  await until("the end of what was begun", async () => (await mailsWith(ids, { status: "SENDING" })) === 0);
};
const to = (count: number, domain: string) => Array.from({ length: count }, (_, n) => `r${n}@${domain}`);

test("a domain that refuses everything is asked seldom; its mails are not used up, and leave when it takes them", async () => {
  let asked = 0;
  let isDead = true;
  service.smtp.behave({
    rcpt: (address) => {
      if (!address.endsWith("@dead.test")) return undefined;
      asked += 1;
      return isDead ? "451 4.3.2 Try again later" : undefined;
    },
  });
  const ctx = otherProcess();
  const dead = await accept(to(300, "dead.test"));
  const fine = await accept(to(50, "fine.test"));
  await Promise.all([deliverEmails(ctx, project.id, dead), deliverEmails(ctx, project.id, fine)]);
  await until(
    "the others waiting apart",
    async () => (await mailsWith(dead, { status: "PENDING", apart: true })) > 250,
  );
  const atFirst = asked;
  for (let minutes = 0; minutes < 6 * 60; minutes += 5) {
    later(5 * 60_000);
    await beat(ctx, dead);
  }
  const later6h = asked;
  const waiting = await statuses(dead);
  isDead = false;
  later(3_600_000);
  await beat(ctx, dead);
  // Those that have been tried have jobs of their own, which nobody runs here.
  const open = async () =>
    (await service.pool`select id from emails where id = any(${dead}) and status = 'PENDING'`).map(
      (row) => row.id,
    );
  await until(
    "all that waited apart",
    async () => (await mailsWith(dead, { status: "PENDING", apart: true })) === 0,
  );
  await deliverEmails(ctx, project.id, await open());
  await until("all of them", async () => (await mailsWith(dead, { status: "SENT" })) === 300);

  expect(await mailsWith(fine, { status: "SENT" })).toBe(50);
  // Three times in a row, by as many as are tried at once.
  expect(atFirst).toBeLessThanOrEqual(50);
  expect(later6h - atFirst).toBeWithin(6, 60);
  expect(waiting.every((row) => row.status === "PENDING")).toBe(true);
  expect(Math.max(...waiting.map((row) => row.attempts))).toBeLessThan(60);
  const [tried] = await service.pool`
    select count(*) filter (where attempts = 1)::int as once from emails where id = any(${dead})`;
  expect(tried!.once).toBeGreaterThan(240);
}, 240_000);

test("a domain that greylists sees all its mails at once, because it takes each when it comes again", async () => {
  service.smtp.behave({ rcpt: () => "450 4.2.0 Greylisted, please try again later" });
  const ctx = otherProcess();
  const ids = await accept(to(60, "grey.test"));
  await deliverEmails(ctx, project.id, ids);
  // Before it had answered at all, some had to wait for that.
  await until("all tried", async () => {
    await fetchApart(ctx);
    return (await mailsWith(ids, { status: "PENDING", apart: false })) === 60;
  });
  await until("the end of what was begun", async () => (await mailsWith(ids, { status: "SENDING" })) === 0);

  expect(await statuses(ids)).toEqual([{ status: "PENDING", apart: false, mails: 60, attempts: 1 }]);
}, 240_000);

test("what has waited for a day for such a domain is given up, with the reason", async () => {
  service.smtp.behave({ rcpt: () => "451 4.3.2 Try again later" });
  const ctx = otherProcess();
  const ids = await accept(to(100, "gone.test"));
  await deliverEmails(ctx, project.id, ids);
  await until(
    "the others waiting apart",
    async () => (await mailsWith(ids, { status: "PENDING", apart: true })) > 50,
  );
  // Some were sent there before it was known that the domain takes none: their day begins with a beat after that.
  await until("the day of each has begun", async () => {
    later(61_000);
    await beat(ctx, ids);
    const [row] = await service.pool`
      select count(*)::int as mails from emails where id = any(${ids}) and due_at = 'infinity' and tried_at is null`;
    return row!.mails === 0;
  });
  const apart = (await mailsWith(ids, { status: "PENDING", apart: true })) ?? 0;
  later(25 * 3_600_000);
  await beat(ctx, ids);
  const rows = await service.pool`select error from emails where id = any(${ids}) and status = 'FAILED'`;

  expect(rows.length).toBeGreaterThanOrEqual(apart - 10);
  expect(rows[0]!.error).toStartWith("Given up after 24 hours");
}, 240_000);

test("a domain that never answers is asked seldom too, and the others have their mail meanwhile", async () => {
  let asked = 0;
  const never = Promise.withResolvers<void>();
  service.smtp.behave({
    holdRcpt: async (address) => {
      if (!address.endsWith("@silent.test")) return;
      asked += 1;
      await never.promise;
    },
  });
  const ctx = otherProcess(`${service.smtp.url}?socketTimeout=2000`);
  const silent = await accept(to(200, "silent.test"));
  const fine = await accept(to(100, "fine.test"));
  const delivering = deliverEmails(ctx, project.id, silent);
  await deliverEmails(ctx, project.id, fine);
  // On a busy machine some come to wait apart, and a beat of the worker brings them back.
  await until("the mails to the others", async () => {
    await fetchApart(ctx);
    return (await mailsWith(fine, { status: "SENT" })) === 100;
  });
  const askedMeanwhile = asked;
  await delivering;
  for (let i = 0; i < 5; i++) await beat(ctx, silent);

  expect(askedMeanwhile).toBeLessThanOrEqual(12);
  expect(asked).toBeLessThanOrEqual(40);
  expect(await mailsWith(silent, { status: "PENDING", apart: true })).toBeGreaterThan(150);
  never.resolve();
}, 240_000);

test("a mail of a disabled project, or that was sent meanwhile, is not fetched again and again", async () => {
  const ctx = otherProcess();
  const ids = await accept(to(20, "parked.test"));
  await service.pool`update emails set due_at = 'infinity' where id = any(${ids})`;
  await service.pool`update projects set disabled_at = now() where id = ${project.id}`;
  await beat(ctx, ids);
  // One that waits for its turn for a second goes apart again, and comes back.
  await until("nobody apart", async () => (await mailsWith(ids, { status: "PENDING", apart: false })) === 20);
  await service.pool`update projects set disabled_at = null where id = ${project.id}`;

  expect(service.smtp.received).toHaveLength(0);
});
