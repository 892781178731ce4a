// What Stripe is told of the usage: everything, once, whatever goes wrong on the way.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { syncBilling } from "../../src/accounts/billing/events.ts";
import { rollUpUsage } from "../../src/accounts/billing/usage.ts";
import { reportUsage } from "../../src/accounts/billing/usage_reports.ts";
import type { Context } from "../../src/context.ts";
import { startProcess, until } from "../support/process.ts";
import { useService } from "../support/service.ts";
import { startStripe, stripeSettings, useStripe } from "../support/stripe.ts";

const stripe = await startStripe();
const service = useService(stripeSettings(stripe.url));
useStripe(stripe);

const { books } = stripe;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
// Stripe and the service have one clock, which the test moves.
books.now = () => Math.floor(service.now().getTime() / 1000);

let projectId: string;
let customer: string;

beforeEach(async () => {
  service.setNow(new Date("2031-05-10T12:00:00Z"));
  ({ projectId, customer } = await subscribed());
});

afterEach(async () => {
  await service.dropJobs();
  await service.pool`delete from usage_reports`;
  await service.pool`delete from billing_accounts`;
});

/** A project with a subscription, or with a customer that has none yet. */
async function subscribed({ live = true } = {}) {
  const project = await service.createProject();
  const id = `cus_${crypto.randomUUID().replaceAll("-", "")}`;
  books.customers.set(id, { deleted: false, metadata: {} });
  await service.pool`insert into billing_accounts (project_id, customer_id) values (${project.id}, ${id})`;
  if (live) await begin(project.id, id);
  return { projectId: project.id, customer: id };
}

async function begin(project: string, id: string) {
  const subscription = books.subscribe(id);
  await syncBilling(service, { projectId: project });
  return subscription;
}

const use = async (used: number, category = "transactional", project = projectId) =>
  await service.pool`
    insert into usage_deltas (project_id, month, category, used)
    values (${project}, usage_month(${service.now()}), ${category}, ${used})`;

const later = (ms: number) => service.setNow(new Date(service.now().getTime() + ms));
const settled = async () =>
  (await service.pool`select from usage_reports where settled_at is not null and error is null`).length;
const failing = (ctx: Context = service) => reportUsage(ctx).catch((error: Error) => error);

describe("usage is reported", () => {
  test("as it grows, from the deltas and from what was folded, and nothing twice", async () => {
    await use(3);
    await reportUsage(service);
    const first = books.usage(customer);
    await use(4);
    await rollUpUsage(service);
    await use(5);
    await reportUsage(service);
    await reportUsage(service);
    await rollUpUsage(service);
    await reportUsage(service);

    expect([first, books.usage(customer)]).toEqual([3, 12]);
    expect(books.events.filter((event) => event.customer === customer).map(({ value }) => value)).toEqual([
      3, 9,
    ]);
  });

  test("by category to the meters of the settings", async () => {
    for (const category of ["workflows", "campaigns", "transactional"]) await use(10, category);
    await use(7, "inbound");
    await reportUsage(service);

    expect([books.usage(customer, "mails"), books.usage(customer, "received")]).toEqual([30, 7]);
  });

  test("not for projects without a subscription, and not what was used before it began", async () => {
    const other = await subscribed({ live: false });
    await use(50, "transactional", other.projectId);
    await reportUsage(service);
    await begin(other.projectId, other.customer);
    await use(2, "transactional", other.projectId);
    await reportUsage(service);

    expect(books.usage(other.customer)).toBe(2);
  });

  test("not for the time between two subscriptions", async () => {
    await use(1);
    await reportUsage(service);
    const [subscription] = books.subscriptions.filter((one) => one.customer === customer);
    Object.assign(subscription!, { status: "canceled", ended_at: books.now() });
    await syncBilling(service, { projectId });
    await use(100);
    await reportUsage(service);
    await begin(projectId, customer);
    await use(5);
    await reportUsage(service);

    expect(books.usage(customer)).toBe(6);
  });

  test("of a month that is over with a time within it", async () => {
    service.setNow(new Date("2031-05-31T23:59:30Z"));
    await use(4);
    service.setNow(new Date("2031-06-01T00:10:00Z"));
    await use(6);
    await reportUsage(service);
    const events = books.events.filter((event) => event.customer === customer);

    expect(
      events.map(({ value, timestamp }) => [value, new Date(timestamp * 1000).toISOString().slice(0, 7)]),
    ).toEqual([
      [4, "2031-05"],
      [6, "2031-06"],
    ]);
  });

  test("once, when several processes do it at the same time while usage grows", async () => {
    const others = await Promise.all([1, 2, 3].map(() => subscribed()));
    const everybody = [{ projectId, customer }, ...others];
    const grow = async () => {
      for (let i = 0; i < 10; i++) {
        for (const each of everybody) await use(1, "transactional", each.projectId);
        await Bun.sleep(5);
      }
    };
    const report = async () => {
      for (let i = 0; i < 5; i++) await reportUsage(service);
    };
    await Promise.all([grow(), report(), report(), report(), rollUpUsage(service)]);
    await reportUsage(service);

    expect(everybody.map((each) => books.usage(each.customer))).toEqual([10, 10, 10, 10]);
  });
});

describe("nothing is lost or doubled", () => {
  test.each(["lost", "hangs", "500 after", 500, 429, 401] as const)(
    "when Stripe's answer is: %s",
    async (trouble) => {
      await use(5);
      stripe.trouble = () => trouble;
      const error = await failing();
      await use(2);
      stripe.trouble = () => undefined;
      later(60_000);
      await reportUsage(service);

      // A connection that breaks is tried again by the library itself.
      if (trouble !== "lost") expect(error).toBeInstanceOf(Error);
      expect(books.usage(customer)).toBe(7);
      expect(await service.pool`select from usage_reports where settled_at is null`).toHaveLength(0);
    },
  );

  test("when every other answer gets lost or fails, for many projects", async () => {
    const everybody = await Promise.all(Array.from({ length: 12 }, () => subscribed()));
    let n = 0;
    const troubles = ["lost", "500 after", "hangs", 429, 500] as const;
    stripe.trouble = ({ path }) =>
      path.endsWith("meter_events") && ++n % 2 === 0 ? troubles[n % troubles.length] : undefined;
    for (let round = 0; round < 8; round++) {
      for (const each of everybody) await use(1 + round, "campaigns", each.projectId);
      await failing();
      later(60_000);
    }
    stripe.trouble = () => undefined;
    // On a busy machine an answer may still come too late.
    await until("all is told", async () => !(await failing()));

    expect(everybody.map((each) => books.usage(each.customer))).toEqual(Array(12).fill(36));
  });

  test("when the process dies between the answer and its commit", async () => {
    await use(5);
    // All that comes after the call fails, as if nobody were there any more.
    let told = false;
    stripe.onDone = () => void (told = true);
    const dying = new Proxy(service.pool, {
      apply: (target, self, args) =>
        told ? Promise.reject(new Error("dead")) : Reflect.apply(target as never, self, args),
    });
    const error = await failing({ ...service, pool: dying, sql: dying });
    const open = await service.pool`select tried_at from usage_reports where settled_at is null`;
    await use(1);
    await reportUsage(service);
    const whileHeld = books.usage(customer);
    later(6 * 60_000);
    await reportUsage(service);

    expect((error as Error).message).toBe("dead");
    expect(open).toHaveLength(1);
    expect([whileHeld, books.usage(customer), await settled()]).toEqual([6, 6, 2]);
  });

  test("when the process is killed while it waits for the answer", async () => {
    service.setNow(new Date());
    await use(5);
    let asked: () => void;
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    stripe.trouble = ({ path }) => (path.endsWith("meter_events") ? "hangs" : undefined);
    stripe.onDone = ({ path }) => {
      if (path.endsWith("meter_events")) asked();
    };
    const worker = await startProcess({
      MODE: "worker",
      DATABASE_URL: service.databaseUrl,
      SECRET_KEY: service.config.SECRET_KEY,
      ...stripeSettings(stripe.url.replace("timeout=400", "timeout=60000")),
    });
    try {
      await service.pool`select graphile_worker.add_job('report_usage')`;
      await isAsked;
    } finally {
      await worker.end("SIGKILL");
    }
    stripe.trouble = () => undefined;
    await until("the piece is left open", async () => {
      const rows =
        await service.pool`select from usage_reports where settled_at is null and tried_at is not null`;
      return rows.length === 1;
    });
    later(6 * 60_000);
    await reportUsage(service);

    expect([books.usage(customer), await settled()]).toEqual([5, 1]);
  });

  test("what had no answer for longer than Stripe remembers is not told again: the log names it", async () => {
    await use(5);
    stripe.trouble = () => "hangs";
    await failing();
    // Stripe has counted it, and has forgotten its name by now.
    for (const event of books.events.filter((one) => one.customer === customer))
      event.identifier = "forgotten";
    later(21 * HOUR_MS);
    stripe.trouble = () => undefined;
    await use(3);
    await reportUsage(service);

    expect(books.usage(customer)).toBe(8);
    expect(service.lines).toContainEqual(
      expect.objectContaining({ message: "usage not reported", projectId, quantity: 5 }),
    );
  });

  test("what was refused because of the settings is told when they are mended, for 35 days", async () => {
    const wrong: Context = {
      ...service,
      config: { ...service.config, STRIPE_METERS: "transactional=mistyped" },
    };
    await use(5);
    await reportUsage(wrong);
    later(60_000);
    await reportUsage(service);
    const early = books.usage(customer);
    later(2 * DAY_MS);
    await reportUsage(service);

    expect([early, books.usage(customer)]).toEqual([0, 5]);
    expect(service.lines).toContainEqual(
      expect.objectContaining({
        message: "usage not reported: Stripe refuses it",
        projectId,
        eventName: "mistyped",
      }),
    );
  });

  test("one that Stripe refuses does not keep the others from being told", async () => {
    const other = await subscribed();
    await use(5);
    await use(6, "transactional", other.projectId);
    books.customers.get(customer)!.deleted = true;
    await reportUsage(service);
    later(40 * DAY_MS);
    await reportUsage(service);
    const [row] = await service.pool`
      select settled_at, error from usage_reports where project_id = ${projectId} and customer_id is not null`;

    expect(books.usage(other.customer)).toBe(6);
    expect(row).toMatchObject({ settledAt: expect.any(Date), error: expect.stringContaining("35 days") });
  });

  test("while Stripe is away it is not asked for each of many projects", async () => {
    await Promise.all(
      Array.from({ length: 30 }, async () => use(1, "inbound", (await subscribed()).projectId)),
    );
    stripe.asked();
    stripe.trouble = () => 500;
    await failing();

    expect(stripe.asked().length).toBeLessThanOrEqual(8);
    stripe.trouble = () => undefined;
    await reportUsage(service);
    expect(await service.pool`select from usage_reports where settled_at is null`).toHaveLength(0);
  });
});
