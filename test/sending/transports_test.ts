// Mails over several transports: which one they take, and what happens when it takes none.
import { describe, expect, test } from "bun:test";
import { INSTALLATION } from "../../src/sending/transports/routes.ts";
import { sealUrl } from "../../src/sending/transports/sealed.ts";
import { fetchApart } from "../../src/sending/delivery/mod.ts";
import { sweepEmails } from "../../src/sending/delivery/recovery.ts";
import { transportsOf } from "../../src/sending/transports/known.ts";
import { asksToSlowDown, pacesOf } from "../../src/sending/transports/paces.ts";
import { campaignsOf } from "../support/campaign.ts";
import { useLedger } from "../support/ledger.ts";
import { another } from "../support/meddling.ts";
import { until } from "../support/process.ts";
import { DOMAIN, useService } from "../support/service.ts";
import { useTransports } from "../support/transports.ts";

// The servers of these tests are on loopback, also those of a project.
const service = useService({ ALLOW_PRIVATE_TRANSPORTS: "true" });
const { project, accept, row, fresh, later, jobsOf } = useLedger(service);
const { add, route } = useTransports(service);
const { addContacts, create, send } = campaignsOf(service, () => project);

const many = (count: number) => Array.from({ length: count }, () => fresh());
/**
 * The statuses of these mails once their jobs have run. On a busy machine some wait apart for a moment: they come back without a
 * job, and may be on their way.
 */
const sent = async (ids: string[]) => {
  await service.runJobs();
  await until("mails that wait apart", async () => {
    const [left] = await service.pool`
      select 1 from emails where status = 'SENDING' or status = 'PENDING' and due_at = 'infinity' limit 1`;
    if (left) await service.runJobs();
    return !left;
  });
  const rows = await Promise.all(ids.map(row));
  return rows.map(({ status }) => status as string);
};

test("a mail without routes goes by the mail server of the settings, and says so", async () => {
  const [id] = await accept(fresh());
  expect(await sent([id!])).toEqual(["SENT"]);
  expect((await row(id!)).transportId).toBeNull();
});

describe("without routes", () => {
  test("the transport of the lowest priority takes all, and each mail says which", async () => {
    const { id: transportId, server } = await add({ priority: 10 });
    const ids = await accept(many(5));
    expect(await sent(ids)).toEqual(Array(5).fill("SENT"));
    expect([server.received.length, service.smtp.received.length]).toEqual([5, 0]);
    for (const id of ids) expect((await row(id)).transportId).toBe(transportId);
  });

  test("transports of the same priority share the mails by weight", async () => {
    const [heavy, light] = [await add({ priority: 10, weight: 3 }), await add({ priority: 10, weight: 1 })];
    expect(await sent(await accept(many(100)))).toEqual(Array(100).fill("SENT"));
    expect(heavy.server.received.length + light.server.received.length).toBe(100);
    // Three quarters are 75; less than 55 or more than 92 in one of 100,000 runs.
    expect(heavy.server.received.length).toBeGreaterThan(54);
    expect(heavy.server.received.length).toBeLessThan(93);
  });

  test("a project with transports of its own uses them alone, and nobody else does", async () => {
    const own = await add({ projectId: project.id });
    const neighbour = await service.createProject();
    const ids = [...(await accept(fresh())), ...(await accept(fresh(), neighbour))];
    expect(await sent(ids)).toEqual(["SENT", "SENT"]);
    expect([own.server.received.length, service.smtp.received.length]).toEqual([1, 1]);
  });
});

describe("routes", () => {
  test("single mails and campaigns take different transports", async () => {
    const [singles, bulk] = [await add(), await add()];
    await route([
      { type: "MARKETING", transports: [{ id: bulk.id }] },
      { type: "TRANSACTIONAL", transports: [{ id: singles.id }] },
    ]);
    await addContacts(7);
    const ids = await accept(many(3));
    await send(await create());
    expect(await sent(ids)).toEqual(Array(3).fill("SENT"));
    await until("the campaign", async () => {
      await service.runJobs();
      return bulk.server.received.length >= 7;
    });
    expect([singles.server.received.length, service.smtp.received.length]).toEqual([3, 0]);
  });

  test("the recipient's provider and the sender's domain decide", async () => {
    const [google, shop] = [await add(), await add()];
    await route([
      { providers: ["google"], transports: [{ id: google.id }] },
      { senderDomains: [DOMAIN], transports: [{ id: shop.id }] },
    ]);
    expect(await sent(await accept(["ada@gmail.com", "bo@googlemail.com", fresh()]))).toEqual(
      Array(3).fill("SENT"),
    );
    expect([google.server.received.length, shop.server.received.length]).toEqual([2, 1]);
  });

  test("a project's own routes come before those of the installation, and name no transport of another project", async () => {
    const neighbour = await service.createProject();
    const [foreign, common] = [await add({ projectId: neighbour.id }), await add()];
    await route([{ transports: [{ id: common.id }] }]);
    await route([{ transports: [{ id: foreign.id }, { id: "default" }] }], project.id);
    expect(await sent(await accept(fresh()))).toEqual(["SENT"]);
    expect([
      foreign.server.received.length,
      common.server.received.length,
      service.smtp.received.length,
    ]).toEqual([0, 0, 1]);
  });
});

test("mails that come back from apart take the transport of their kind", async () => {
  const [singles, bulk] = [await add(), await add()];
  await route([
    { type: "TRANSACTIONAL", transports: [{ id: singles.id }] },
    { transports: [{ id: bulk.id }] },
  ]);
  const ids = await accept(many(3));
  await service.dropJobs();
  await service.pool`update emails set due_at = 'infinity' where id = any(${ids})`;
  // No job waits for what was fetched.
  await until("3 mails that are sent", async () => (await sent(ids)).every((status) => status === "SENT"));
  expect([singles.server.received.length, bulk.server.received.length]).toEqual([3, 0]);
});

test("mails that wait apart take their transport also from a process that has just started", async () => {
  const named = await add();
  await route([{ transports: [{ id: named.id }] }]);
  const ids = await accept(many(3));
  await service.dropJobs();
  await service.pool`update emails set due_at = 'infinity' where id = any(${ids})`;
  const started = another(service);
  await until("3 mails that have left", async () => {
    await fetchApart(started);
    return named.server.received.length + service.smtp.received.length === 3;
  });
  expect(named.server.received.length).toBe(3);
});

describe("fail-over", () => {
  test("a server that refuses connections loses its mails to the next, also those that were claimed", async () => {
    const { server } = await add({ priority: 10 });
    await server.stop();
    const ids = await accept(many(30));
    expect(await sent(ids)).toEqual(Array(30).fill("SENT"));
    expect(service.smtp.received.length).toBe(30);
    for (const id of ids) expect(await row(id)).toMatchObject({ attempts: 1, transportId: null });
  });

  test.each([
    ["454 Throttling failure: Daily message quota exceeded.", "quota"],
    ["535 Authentication Credentials Invalid", "account"],
  ])("what says %j of the account goes to the next, which nothing counts as an attempt", async (reply) => {
    const first = await add({ priority: 10 });
    first.server.behave({ data: () => reply });
    const ids = await accept(many(3));
    expect(await sent(ids)).toEqual(Array(3).fill("SENT"));
    expect([first.server.received.length, service.smtp.received.length]).toEqual([0, 3]);
    for (const id of ids) expect((await row(id)).attempts).toBe(1);
    const [held] = await service.pool`select hold_reason from transports where id = ${first.id}`;
    expect(held!.holdReason).toBe(reply);
    first.server.behave({});
    later(16 * 60_000);
    expect(await sent(await accept(fresh()))).toEqual(["SENT"]);
    expect(first.server.received.length).toBe(1);
  });

  test("a mailbox that is full is no business of the account", async () => {
    const first = await add({ priority: 10 });
    first.server.behave({ rcpt: () => "452 4.2.2 The email account that you tried to reach is over quota" });
    const [id] = await accept(fresh());
    expect(await sent([id!])).toEqual(["PENDING"]);
    expect([(await row(id!)).attempts, service.smtp.received.length]).toEqual([1, 0]);
    await service.dropJobs();
  });

  test("a recipient whose account is disabled holds no transport", async () => {
    const first = await add({ priority: 10 });
    first.server.behave({ rcpt: () => "550 The account is disabled" });
    const [id] = await accept(fresh());
    expect(await sent([id!])).toEqual(["BOUNCED"]);
    const [held] = await service.pool`select hold_reason from transports where id = ${first.id}`;
    expect(held!.holdReason).toBeNull();
  });

  test("a mail that may have been taken is in doubt, and goes to no other", async () => {
    const first = await add({ priority: 10 });
    first.server.behave({ cut: "after data" });
    const [id] = await accept(fresh());
    expect(await sent([id!])).toEqual(["IN_DOUBT"]);
    expect(service.smtp.received.length).toBe(0);
  });

  test("mails wait with their jobs while no transport takes them, and go when one does", async () => {
    const only = await add({ projectId: project.id });
    only.server.behave({ data: () => "550 5.4.5 Daily sending quota exceeded" });
    const ids = await accept(many(3));
    expect(await sent(ids)).toEqual(Array(3).fill("PENDING"));
    only.server.behave({});
    later(16 * 60_000);
    expect(await sent(ids)).toEqual(Array(3).fill("SENT"));
    expect(only.server.received.length).toBe(3);
  });
});

test("mails of a project whose own transports are paused wait, and take no other", async () => {
  const { id, server } = await add({ projectId: project.id });
  const pause = async (reason: string | null) => {
    await service.pool`
      update transports set pause_reason = ${reason}, paused_at = ${reason && service.now()} where id = ${id}`;
    await transportsOf(service).refresh();
  };
  await pause("Moving");
  const ids = await accept(many(2));
  expect(await sent(ids)).toEqual(["PENDING", "PENDING"]);
  // Nor do they ask all the time.
  const [job] = await service.jobs("send_emails");
  expect(job!.runAt.getTime()).toBeGreaterThan(service.now().getTime() + 20_000);
  await pause(null);
  later(61_000);
  expect(await sent(ids)).toEqual(["SENT", "SENT"]);
  expect([server.received.length, service.smtp.received.length]).toEqual([2, 0]);
});

describe("a day", () => {
  test("what does not fit into it goes to the next transport, and no transport gets more", async () => {
    const first = await add({ priority: 10, perDay: 7 });
    expect(await sent(await accept(many(20)))).toEqual(Array(20).fill("SENT"));
    expect([first.server.received.length, service.smtp.received.length]).toEqual([7, 13]);
  });

  test("it waits for the next day where the route says so", async () => {
    const first = await add({ perDay: 2 });
    await route([
      {
        transports: [
          { id: first.id, priority: 1 },
          { id: "default", priority: 2 },
        ],
        whenFull: "WAIT",
      },
    ]);
    const ids = await accept(many(3));
    expect((await sent(ids)).toSorted()).toEqual(["PENDING", "SENT", "SENT"]);
    expect(service.smtp.received.length).toBe(0);
    later(24 * 3_600_000);
    expect(await sent(ids)).toEqual(Array(3).fill("SENT"));
    expect(first.server.received.length).toBe(3);
  });
});

describe("mails that no transport takes for the rest of the day", () => {
  const waiting = async (limits = {}) => {
    const first = await add({ perDay: 1, ...limits });
    await route([{ transports: [{ id: first.id }], whenFull: "WAIT" }]);
    await sent(await accept(fresh()));
    return first;
  };

  test("have one job, however often the sweep of overdue mails comes by", async () => {
    const first = await waiting();
    const [id] = await accept(fresh());
    await sent([id!]);
    expect((await jobsOf(id!)).length).toBe(1);
    for (let sweeps = 0; sweeps < 3; sweeps++) {
      later(3 * 60_000);
      await sweepEmails(service);
    }
    expect((await jobsOf(id!)).length).toBe(1);
    later(24 * 3_600_000);
    expect(await sent([id!])).toEqual(["SENT"]);
    expect(first.server.received.length).toBe(2);
  });

  test("ask once a minute where they are of a campaign", async () => {
    await waiting();
    await addContacts(2);
    await send(await create());
    await service.runJobs();
    const batches = (await service.jobs()).filter(({ payload }) => "campaignId" in (payload as object));
    expect(batches.length).toBe(1);
    expect(batches[0]!.runAt.getTime() - service.now().getTime()).toBeGreaterThan(30_000);
    await service.dropJobs();
  });

  test("go today where its limit is raised", async () => {
    const first = await waiting();
    const [id] = await accept(fresh());
    expect(await sent([id!])).toEqual(["PENDING"]);
    await service.pool`update transports set per_day = 5 where id = ${first.id}`;
    await transportsOf(service).refresh();
    expect(await sent(await accept(fresh()))).toEqual(["SENT"]);
    await service.dropJobs();
  });
});

test("a transport that is opened again with another address loses no attempts of the mails that wait", async () => {
  const first = await add({ priority: 10, connections: 1 });
  const other = await add({ priority: 1_000 });
  const isFirst = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  first.server.behave({
    holdData: () => {
      isFirst.resolve();
      return goOn.promise;
    },
  });
  const ids = await accept(many(8));
  const all = sent(ids);
  await isFirst.promise;
  const url = sealUrl(service, { projectId: INSTALLATION, id: first.id }, other.server.url);
  await service.pool`update transports set url = ${url} where id = ${first.id}`;
  await transportsOf(service).refresh();
  goOn.resolve();
  await all;
  await until("all mails that are sent", async () => (await sent(ids)).every((status) => status === "SENT"));
  expect(first.server.received.length + other.server.received.length).toBe(8);
  for (const id of ids) expect((await row(id)).attempts).toBe(1);
});

test("a handover that hangs at the earlier address holds up none at the new one", async () => {
  const [first, other] = [await add({ priority: 10, connections: 1 }), await add({ priority: 1_000 })];
  const isHung = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  first.server.behave({
    holdData: () => {
      isHung.resolve();
      return goOn.promise;
    },
  });
  const [hung, ...waiting] = await accept(many(5));
  await route([{ transports: [{ id: first.id }] }]);
  const all = sent([hung!, ...waiting]);
  await isHung.promise;
  const url = sealUrl(service, { projectId: INSTALLATION, id: first.id }, other.server.url);
  await service.pool`update transports set url = ${url} where id = ${first.id}`;
  await transportsOf(service).refresh();

  const more = await accept(many(3));
  void service.runJobs();
  await until("7 mails at the new address, while one hangs", () => other.server.received.length === 7);
  expect(first.server.received.length).toBe(0);
  goOn.resolve();
  await all;
  expect(await sent([hung!, ...waiting, ...more])).toEqual(Array(8).fill("SENT"));
  expect([first.server.received.length, other.server.received.length]).toEqual([1, 7]);
});

describe("a relay that asks for fewer mails a second", () => {
  const SLOWER = "454 Throttling failure: Maximum sending rate exceeded.";
  const pace = async () => {
    const [found] = await service.pool`select rate::float8 as rate, reason from paces`;
    return found as { rate: number; reason: string } | undefined;
  };

  test("gets half of them, then more again, and nobody else gets fewer", async () => {
    const first = await add({ priority: 10 });
    let refusals = 2;
    first.server.behave({ data: () => (refusals-- > 0 ? SLOWER : undefined) });
    const ids = await accept(many(12));
    await until("12 mails that are sent", async () => (await sent(ids)).every((status) => status === "SENT"));
    // What it refused has gone another way meanwhile.
    expect(first.server.received.length + service.smtp.received.length).toBe(12);
    const slowed = (await pace())!;
    expect(slowed.reason).toBe(SLOWER);
    later(6_000);
    await transportsOf(service).refresh();
    expect((await pace())!.rate).toBeGreaterThan(slowed.rate);
    // Of several processes one raises it.
    const raised = (await pace())!.rate;
    await transportsOf(service).refresh();
    expect((await pace())!.rate).toBe(raised);
    later(2 * 3_600_000);
    await transportsOf(service).refresh();
    expect(await pace()).toBeUndefined();
  });

  test("has refused many of the same moment once", async () => {
    const first = await add({ priority: 10 });
    const slow = () =>
      pacesOf(service).slowDown(transportsOf(service).byId(first.id)!, "example.com", SLOWER);
    await Promise.all([slow(), slow(), slow()]);
    const { rate } = (await pace())!;
    await slow();
    expect((await pace())!.rate).toBe(rate);
    later(3_000);
    await slow();
    expect((await pace())!.rate).toBe(rate / 2);
    await service.pool`delete from paces`;
  });
});

/** A relay refuses what comes at a pace that holds mails back. */
async function refuse(id: string, pace: { rate: number; refused_rate: number | null }) {
  const transport = transportsOf(service).byId(id)!;
  await pacesOf(service).slowDown(transport, "example.com", "454 Too fast");
  await service.pool`update paces set ${service.pool(pace)}`;
  pacesOf(service).noteEmpty(transport, "example.com", 0);
  later(3_000);
  await pacesOf(service).slowDown(transport, "example.com", "454 Too fast");
}

test("a pace whose limit is not known rises by a quarter", async () => {
  const first = await add({ priority: 10 });
  await pacesOf(service).slowDown(transportsOf(service).byId(first.id)!, "example.com", "454 Too fast");
  later(6_000);
  await transportsOf(service).refresh();
  const [pace] = await service.pool`select rate::float8, refused_rate from paces`;

  expect({ ...pace! }).toEqual({ rate: 6.25, refusedRate: null });
});

test("a pace comes back to just below what was refused, passes that slowly, and rises on from there", async () => {
  const first = await add({ priority: 10 });
  await refuse(first.id, { rate: 10, refused_rate: null });
  const rates: number[] = [];
  for (let i = 0; i < 24; i++) {
    const [pace] = await service.pool`select rate::float8, refused_rate::float8 from paces`;
    rates.push(pace!.rate / pace!.refusedRate);
    later(6_000);
    await transportsOf(service).refresh();
  }

  expect(rates[0]).toBe(0.5);
  expect(rates[3]).toBeWithin(0.85, 0.95);
  expect(rates[12]).toBeWithin(0.95, 1.05);
  expect(rates[23]).toBeGreaterThan(1.15);
});

test("who is refused near a limit that is known by then keeps seven tenths", async () => {
  const first = await add({ priority: 10 });
  await refuse(first.id, { rate: 9.5, refused_rate: 10 });
  const [pace] = await service.pool`select rate::float8, refused_rate::float8 from paces`;

  expect({ ...pace! }).toEqual({ rate: 6.65, refusedRate: 9.5 });
});

test.each([
  ["421 4.7.0 Too many mails, slow down", true],
  ["mx.example.com [203.0.113.7]: 421 4.7.28 Our system has detected an unusual rate of mail", true],
  ["421 4.7.0 Connection rate limit exceeded", true],
  ["450 4.2.0 Greylisted", false],
  ["421 4.7.0 Too many concurrent SMTP connections from this IP address", false],
  ["451 4.3.0 Local error", false],
])("whether %j asks for fewer mails: %p", (response, asks) => {
  expect(asksToSlowDown(response)).toBe(asks);
});

test("a reply to one recipient that speaks of a limit, without a code that says whose, holds no transport", async () => {
  const first = await add({ priority: 10 });
  const held = async () =>
    (await service.pool`select held_until from transports where id = ${first.id}`)[0]!
      .heldUntil as Date | null;
  first.server.behave({ rcpt: () => "450 hourly limit of this user exceeded" });
  const [id] = await accept(fresh());
  expect(await sent([id!])).toEqual(["PENDING"]);
  expect(await held()).toBeNull();

  // The same words about what we send are about the account.
  first.server.behave({ rcpt: () => "450 hourly sending limit exceeded" });
  const [other] = await accept(fresh());
  expect(await sent([other!])).toEqual(["SENT"]);
  expect(await held()).not.toBeNull();
});
