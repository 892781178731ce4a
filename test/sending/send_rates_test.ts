// How fast mail may leave. What is compared is counted by the clock of Postgres, and never a limit on the machine.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import type { Context } from "../../src/context.ts";
import { openPool } from "../../src/db/pool.ts";
import { q } from "../../src/db/queries.ts";
import { snapshotAudience, sendBatch } from "../../src/sending/campaigns/send.ts";
import { deliverEmails, fetchApart } from "../../src/sending/delivery/mod.ts";
import type { DeliveryRequest } from "../../src/sending/delivery/_requests.ts";
import { admitByRate } from "../../src/sending/delivery/rates.ts";
import { transportsOf } from "../../src/sending/transports/known.ts";
import { INSTALLATION } from "../../src/sending/transports/routes.ts";
import { campaignsOf } from "../support/campaign.ts";
import { untilBlocked } from "../support/locks.ts";
import { until } from "../support/process.ts";
import { DOMAIN, useService } from "../support/service.ts";
import { insertTransport, useTransports } from "../support/transports.ts";

const service = useService();
const transports = useTransports(service);
let project: NewProject;
const { call, addContacts, create, send, get, ledger } = campaignsOf(service, () => project);

beforeEach(async () => {
  project = await service.createProject();
  service.smtp.received.length = 0;
  await service.pool`delete from send_rates`;
});

afterEach(async () => {
  await service.pool`update projects set send_rate = null`;
  await service.dropJobs();
});

const limit = (rate: number) =>
  service.pool`update projects set send_rate = ${rate} where id = ${project.id}`;

/** Another process of the same installation: a pool, a worker id and a memory of its own. */
const otherProcess = (config: object = {}): Context => {
  const pool = openPool(service.databaseUrl, { max: 4 });
  closing.push(() => pool.end({ timeout: 1 }));
  return {
    ...service,
    pool,
    sql: pool,
    workerId: Bun.randomUUIDv7(),
    config: { ...service.config, ...config },
  };
};
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const accept = async (count: number): Promise<string[]> => {
  const to = Array.from({ length: count }, () => `r${crypto.randomUUID()}@example.com`);
  const body = { to, from: `a@${DOMAIN}`, subject: "s", body: "b" };
  const answer = await call("POST", "/v1/send", body);
  return answer.body.data.emails.map((email: { email: string }) => email.email);
};

/** Until all of them are sent: on a busy machine some come to wait apart, and a beat of the worker brings them back. */
const deliverAll = async (ctx: Context, ids: string[]) => {
  const result = await deliverEmails(ctx, project.id, ids);
  await until("the end of all mails", async () => {
    await fetchApart(ctx);
    const [row] = await service.pool`
      select count(*)::int as open from emails where id = any(${ids}) and status in ('PENDING', 'SENDING')`;
    return row!.open === 0;
  });
  return result;
};

describe("the bucket", () => {
  const take = (wanted: number, rate: number, scope = project.id) =>
    q.sendRates.take(service, { scopes: [scope], wanted: [wanted], rates: [String(rate)], seconds: "1" });

  test("grants a second's worth at once, and says how long the next one takes", async () => {
    const [first] = await take(100, 10);
    const [second] = await take(1, 0.5, crypto.randomUUID());
    const scope = crypto.randomUUID();
    await take(1, 0.5, scope);
    const [third] = await take(1, 0.5, scope);

    expect(first!.granted).toBe(10);
    expect(first!.waitMs).toBeWithin(1, 101);
    expect(second).toMatchObject({ granted: 1, waitMs: 2_000 });
    expect(third!.granted).toBe(0);
    expect(third!.waitMs).toBeWithin(1_500, 2_001);
  });

  test("never grants more than the rate to any number of processes", async () => {
    const scope = crypto.randomUUID();
    const startedAt = await databaseTime();
    let granted = 0;
    const loops = Array.from({ length: 6 }, async () => {
      for (let i = 0; i < 25; i++) {
        const [taken] = await take(7, 100, scope);
        granted += taken!.granted;
      }
    });
    await Promise.all(loops);
    const seconds = ((await databaseTime()) - startedAt) / 1000;

    expect(granted).toBeGreaterThan(0);
    expect(granted).toBeLessThanOrEqual(100 + 100 * seconds);
  });

  const databaseTime = async () =>
    Number((await service.pool`select extract(epoch from clock_timestamp()) * 1000 as ms`)[0]!.ms);
});

describe("a project with a rate of its own", () => {
  test("has its mails wait, and none of them fail", async () => {
    await limit(30);
    const ids = await accept(45);
    const startedAt = performance.now();
    const { postponed } = await deliverAll(otherProcess(), ids);
    const seconds = (performance.now() - startedAt) / 1000;
    const rows = await service.pool`select status, attempts from emails where id = any(${ids})`;

    expect(postponed).toEqual([]);
    expect(rows.map((row) => [row.status, row.attempts])).toEqual(Array(45).fill(["SENT", 1]));
    expect(45).toBeLessThanOrEqual(30 + 1 + 30 * seconds);
  });

  test("shares it between all processes", async () => {
    await limit(10);
    const startedAt = performance.now();
    const processes = [otherProcess(), otherProcess(), otherProcess()];
    const shares = await Promise.all(processes.map(() => accept(6)));
    await Promise.all(processes.map((ctx, i) => deliverAll(ctx, shares[i]!)));
    const seconds = (performance.now() - startedAt) / 1000;

    expect(service.smtp.received.length).toBe(18);
    expect(18).toBeLessThanOrEqual(10 + 1 + 10 * seconds);
  });

  test("postpones what would have to wait for long, and the job comes back for it", async () => {
    await limit(2);
    const ids = await accept(12);
    const { postponed, waitMs } = await deliverEmails(otherProcess(), project.id, ids);

    expect(postponed.length).toBeGreaterThan(0);
    expect(waitMs).toBeGreaterThan(2_000);
    expect(service.smtp.received.length + postponed.length).toBe(12);
    const open = await service.pool`
      select id from emails where id = any(${postponed}) and status = 'PENDING' and attempts = 0`;
    expect(open).toHaveLength(postponed.length);
  });

  test("does not hold another project back", async () => {
    await limit(0.5);
    const slow = await accept(5);
    const slowProject = project;
    project = await service.createProject();
    const quick = await accept(5);
    const ctx = otherProcess();
    const delivering = deliverEmails(ctx, slowProject.id, slow);
    await deliverEmails(ctx, project.id, quick);
    const rows = await service.pool`select status from emails where id = any(${quick})`;
    await delivering;

    expect(rows.map((row) => row.status)).toEqual(Array(5).fill("SENT"));
  });

  test("gives a batch of a campaign back to the queue, and the campaign ends all the same", async () => {
    await limit(2);
    await addContacts(9);
    const id = await create();
    await send(id);
    const ctx = otherProcess();
    await snapshotAudience(ctx, project.id, id);
    const job = (await service.dropJobs()).find(({ payload }) => payload.fromId);
    await sendBatch(ctx, job!.payload);
    const left = await ledger(id);
    const again = (await service.jobs()).filter(({ payload }) => payload.campaignId === id);
    await service.pool`update projects set send_rate = null`;
    await sendBatch(otherProcess(), again[0]!.payload);

    expect(left.PENDING).toBeGreaterThan(0);
    expect(again).toHaveLength(1);
    expect(await ledger(id)).toEqual({ SENT: 9 });
    expect((await get(id)).status).toBe("SENT");
  });
});

describe("SEND_RATE_PER_SECOND", () => {
  test("holds for all projects together", async () => {
    const ctx = otherProcess({ SEND_RATE_PER_SECOND: 10 });
    const startedAt = performance.now();
    const mine = await accept(10);
    const first = project;
    project = await service.createProject();
    const theirs = await accept(10);
    await Promise.all([deliverEmails(ctx, first.id, mine), deliverEmails(ctx, project.id, theirs)]);
    const seconds = (performance.now() - startedAt) / 1000;

    expect(service.smtp.received).toHaveLength(20);
    expect(20).toBeLessThanOrEqual(10 + 1 + 10 * seconds);
  });

  test("gives back to a project what the installation did not allow", async () => {
    // No more than a process takes mail by mail.
    await limit(90);
    const ids = await accept(8);
    await deliverEmails(otherProcess({ SEND_RATE_PER_SECOND: 4 }), project.id, ids);
    const [row] =
      await service.pool`select tokens::float8 as tokens from send_rates where scope = ${project.id}`;

    expect(row!.tokens).toBeGreaterThanOrEqual(90 - 4);
  });
});

describe("places that are refused further on", () => {
  const requests = (count: number, transportId: string): DeliveryRequest[] =>
    Array.from({ length: count }, () => ({
      projectId: project.id,
      emailId: Bun.randomUUIDv7(),
      campaignId: null,
      domain: "example.com",
      transportId,
    }));
  const left = async () => {
    const rows = await service.pool`select scope, tokens::float8 as tokens from send_rates`;
    return new Map(rows.map(({ scope, tokens }) => [scope as string, tokens as number]));
  };
  afterEach(async () => {
    for (const table of ["paces", "transports", "transport_days"])
      await service.pool`delete from ${service.pool(table)}`;
  });

  test("are given back to the pace, and to the project, that had room", async () => {
    await service.pool`
      insert into paces (transport_id, provider, rate, slowed_at, changed_at, reason)
      values (${INSTALLATION}, '*', 40, now(), now(), '454 Slower')`;
    await limit(6);
    const ctx = otherProcess({ SEND_RATE_PER_SECOND: 4 });
    await transportsOf(ctx).refresh();
    const admission = (await admitByRate(ctx, requests(8, "default")))!;
    const buckets = await left();

    expect([admission.admitted.length, admission.refused.length]).toEqual([4, 4]);
    expect([buckets.get(project.id), buckets.get(INSTALLATION)]).toEqual([2, 0]);
    buckets.delete(project.id);
    buckets.delete(INSTALLATION);
    // It holds what comes in a fifth of a second: 8, of which 4 are used.
    expect([...buckets.values()]).toEqual([4]);
  });

  test("wait for their pace, also where the transport is removed before the database answers", async () => {
    const id = await insertTransport(service, { url: service.smtp.url });
    await service.pool`
      insert into paces (transport_id, provider, rate, slowed_at, changed_at, reason)
      values (${id}, '*', 10, now(), now(), '454 Slower')`;
    const ctx = otherProcess();
    await transportsOf(ctx).refresh();
    const asked = await service.pool.begin(async (sql) => {
      await sql`lock table send_rates in exclusive mode`;
      const admission = admitByRate(ctx, requests(5, id)).catch((error: Error) => error);
      await untilBlocked(service.pool, { statement: "take_sends" });
      await service.pool`delete from transports where id = ${id}`;
      await transportsOf(ctx).refresh();
      return { admission };
    });

    const admission = await asked.admission;
    if (admission instanceof Error) throw admission;

    expect([admission!.admitted.length, admission!.refused.length]).toEqual([2, 3]);
  });

  test("are given back to the second of a transport whose day is full", async () => {
    const id = await insertTransport(service, { url: service.smtp.url, ratePerSecond: 10, perDay: 3 });
    const ctx = otherProcess();
    await transportsOf(ctx).refresh();
    const admission = (await admitByRate(ctx, requests(8, id)))!;

    expect([admission.admitted.length, admission.refused.length]).toEqual([3, 5]);
    expect((await left()).get(id)).toBe(7);
  });
});

test("a high rate is taken in lots, and all of a lot is used before another is taken", async () => {
  await limit(2_000);
  const ids = await accept(15);
  await deliverEmails(service, project.id, ids);
  const [row] =
    await service.pool`select tokens::float8 as tokens from send_rates where scope = ${project.id}`;
  // In lots of 20, whose rest does not come back.
  expect(service.smtp.received).toHaveLength(15);
  expect(row!.tokens).toBeLessThanOrEqual(2_000 - 15);
});

test("batches that wait for the rate of a transport come one after another, and no other campaign stands behind them", async () => {
  await transports.add({ priority: 1, ratePerSecond: 2 });
  await addContacts(40);
  const ranges = async () => {
    const id = await create();
    await send(id);
    await snapshotAudience(service, project.id, id);
    await service.dropJobs();
    const ids = (await service.pool`select id from emails where campaign_id = ${id} order by id`).map(
      (row) => row.id as string,
    );
    return Array.from({ length: 4 }, (_, i) => ({
      projectId: project.id,
      campaignId: id,
      fromId: ids[i * 10]!,
      toId: ids[i * 10 + 9]!,
    }));
  };
  const [large, small] = [await ranges(), await ranges()];
  for (const range of [...large, small[0]!]) await sendBatch(service, range);
  const endedAt = service.now().getTime() / 1_000;
  const jobs = await service.dropJobs();
  const dueOf = ({ toId }: { toId: string }) => jobs.find(({ payload }) => payload.toId === toId)!.due;
  const [first, second, third, last] = large.map(dueOf);

  // Each of them stands behind at least eight others in whose places two a second leave.
  for (const [before, after] of [
    [first!, second!],
    [second!, third!],
    [third!, last!],
  ] as const)
    expect(after - before).toBeGreaterThan(2.5);
  expect(dueOf(small[0]!)).toBeLessThanOrEqual(endedAt + 1);
});
