// What a project may use and pays, as its owners see it; Stripe is a server of the test.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { endBilling, hasSubscription } from "../../src/accounts/billing/mod.ts";
import { syncBilling } from "../../src/accounts/billing/events.ts";
import { type Person, join, signUp } from "../support/accounts.ts";
import { DOMAIN, useService } from "../support/service.ts";
import { signEvent, startStripe, stripeSettings, useStripe } from "../support/stripe.ts";

const stripe = await startStripe();
const service = useService({ ...stripeSettings(stripe.url), DASHBOARD_ORIGINS: "https://app.example" });
useStripe(stripe);

let owner: Person;
let project: Awaited<ReturnType<typeof service.createProject>>;

const { books } = stripe;

beforeEach(async () => {
  service.setNow(new Date());
  project = await service.createProject();
  owner = await signUp(service);
  await join(service, owner, project.id, "OWNER");
});

afterEach(async () => {
  await service.dropJobs();
});

const call = (method: string, path: string, body?: unknown, person = owner) =>
  person.request(method, `/users/@me/projects/${project.id}${path}`, body);

const account = async () => {
  const [row] = await service.pool`select * from billing_accounts where project_id = ${project.id}`;
  return row!;
};

/** An event as Stripe sends it. */
const event = (type: string, object: object, id = `evt_${crypto.randomUUID()}`) =>
  JSON.stringify({ id, object: "event", type, data: { object } });

const deliver = (payload: string, signature = signEvent(payload, service.now())) =>
  service.request("POST", "/webhooks/incoming/stripe", {
    raw: payload,
    headers: { "stripe-signature": signature },
  });

/** Subscribes, as a person does on the page of Stripe. */
const subscribe = async () => {
  const { body } = await call("POST", "/checkout");
  const subscription = books.complete(body.url);
  await deliver(
    event("checkout.session.completed", { object: "checkout.session", customer: subscription.customer }),
  );
  await service.runJobs();
  return subscription;
};

const changed = (subscription: { customer: string }) => event("customer.subscription.updated", subscription);

describe("PUT /users/@me/projects/:id/billing-limits", () => {
  const NONE = { limit: null, usage: 0, percentage: 0, isWarning: false, isBlocked: false };

  test("changes what is named and leaves the rest; null takes a limit away", async () => {
    const before = await call("GET", "/billing-limits");
    await call("PUT", "/billing-limits", { transactional: 10, campaigns: 1000 });
    const { status, body } = await call("PUT", "/billing-limits", { campaigns: null, inbound: 5, other: 1 });

    expect(before.body).toEqual({ workflows: NONE, campaigns: NONE, transactional: NONE, inbound: NONE });
    expect([status, body]).toEqual([
      200,
      {
        workflows: NONE,
        campaigns: NONE,
        transactional: { ...NONE, limit: 10 },
        inbound: { ...NONE, limit: 5 },
      },
    ]);
    expect((await call("GET", "/billing-limits")).body).toEqual(body);
  });

  test("shows how much is used, from 80 % as a warning and from 100 % as blocked", async () => {
    const use = (count: number) =>
      service.request("POST", "/v1/send", {
        key: project.secret,
        body: {
          to: Array.from({ length: count }, (_, i) => `p${i}@example.com`),
          from: `hello@${DOMAIN}`,
          subject: "Hi",
          body: "<p>Hi</p>",
        },
      });
    await use(2);
    const seen = [];
    for (const limit of [3, 2, 1]) {
      seen.push((await call("PUT", "/billing-limits", { transactional: limit })).body.transactional);
    }
    const many = (await call("PUT", "/billing-limits", { transactional: 10 })).body;
    await use(6);

    expect(seen).toEqual([
      { limit: 3, usage: 2, percentage: 66.67, isWarning: false, isBlocked: false },
      { limit: 2, usage: 2, percentage: 100, isWarning: true, isBlocked: true },
      { limit: 1, usage: 2, percentage: 200, isWarning: true, isBlocked: true },
    ]);
    expect(many.transactional).toMatchObject({ percentage: 20, isWarning: false });
    expect((await call("GET", "/billing-limits")).body.transactional).toMatchObject({
      percentage: 80,
      isWarning: true,
      isBlocked: false,
    });
  });

  test.each([
    ["0", { transactional: 0 }, [["transactional", "too_small"]]],
    ["less than 0", { campaigns: -5 }, [["campaigns", "too_small"]]],
    ["a fraction", { campaigns: 1.5 }, [["campaigns", "invalid_type"]]],
    ["too much", { inbound: 1e15 }, [["inbound", "too_big"]]],
    [
      "several",
      { workflows: 0, inbound: 0 },
      [
        ["workflows", "too_small"],
        ["inbound", "too_small"],
      ],
    ],
  ])("refuses %s and changes nothing", async (_, limits, expected) => {
    const { status, body } = await call("PUT", "/billing-limits", { ...limits });

    expect(status).toBe(422);
    expect(body.error.errors.map((e: { field: string; code: string }) => [e.field, e.code])).toEqual(
      expected,
    );
    const rows = await service.pool`select from usage_limits where project_id = ${project.id}`;
    expect(rows).toHaveLength(0);
  });

  test("is written into the audit, with what was and what is; what changes nothing is not", async () => {
    await call("PUT", "/billing-limits", { transactional: 10 });
    await call("PUT", "/billing-limits", { transactional: 10, campaigns: null });
    await call("PUT", "/billing-limits", { transactional: 20, campaigns: 7 });
    const { body } = await owner.request("GET", `/projects/${project.id}/audit`);
    const lines = body.data.filter((line: { action: string }) => line.action === "billing.limits_changed");

    expect(lines.map((line: { details: object }) => line.details)).toMatchObject([
      { transactional: { from: 10, to: 20 }, campaigns: { from: null, to: 7 } },
      { transactional: { from: null, to: 10 } },
    ]);
    expect(lines[0].actor).toMatchObject({ kind: "USER", userId: owner.userId });
  });

  test("is for admins and owners, and not for members, strangers and keys", async () => {
    const [admin, member, stranger] = [await signUp(service), await signUp(service), await signUp(service)];
    await join(service, admin, project.id, "ADMIN");
    await join(service, member, project.id, "MEMBER");
    const put = (person: Person) => call("PUT", "/billing-limits", { transactional: 9 }, person);
    const path = `/users/@me/projects/${project.id}/billing-limits`;
    const byKey = await service.request("GET", path, { key: project.secret });

    expect([(await put(admin)).status, (await put(member)).status, (await put(stranger)).status]).toEqual([
      200, 403, 403,
    ]);
    expect((await call("GET", "/billing-limits", undefined, member)).body.error.code).toBe("FORBIDDEN");
    expect(byKey.status).toBe(401);
  });
});

describe("GET /users/@me/projects/:id/billing-consumption", () => {
  test("says what was used this month, and how the subscription stands", async () => {
    service.setNow(new Date("2031-12-31T23:00:00Z"));
    owner = await signUp(service);
    await join(service, owner, project.id, "OWNER");
    await service.request("POST", "/v1/send", {
      key: project.secret,
      body: { to: ["a@b.io", "c@d.io"], from: `hello@${DOMAIN}`, subject: "Hi", body: "<p>Hi</p>" },
    });
    const { body } = await call("GET", "/billing-consumption");

    expect(body).toEqual({
      periodStart: "2031-12-01T00:00:00.000Z",
      periodEnd: "2032-01-01T00:00:00.000Z",
      workflows: 0,
      campaigns: 0,
      transactional: 2,
      inbound: 0,
      total: 2,
      subscription: null,
    });
    service.setNow(new Date());
    owner = await signUp(service);
    await join(service, owner, project.id, "OWNER");
    await subscribe();

    expect((await call("GET", "/billing-consumption")).body.subscription).toMatchObject({
      status: "active",
      periodEndsAt: expect.any(String),
      cancelsAt: null,
      endedAt: null,
    });
  });
});

describe("POST /users/@me/projects/:id/checkout", () => {
  const open = () =>
    books.sessions.filter(({ status, client_reference_id: id }) => status === "open" && id === project.id);

  test("leads to a page for the configured prices, and back to a dashboard", async () => {
    const { status, body } = await call("POST", "/checkout");
    const [session] = open();

    expect([status, body]).toEqual([200, { url: session!.url }]);
    expect(session).toMatchObject({
      success_url: "https://app.example/?checkout=success",
      line_items: [
        { price: "price_base", quantity: 1 },
        { price: "price_mails", quantity: null },
      ],
    });
    expect(books.customers.get(session!.customer)!.metadata).toEqual({ projectId: project.id });
  });

  test("is one page for one customer, however often and at once it is asked for", async () => {
    const before = books.customers.size;
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => call("POST", "/checkout")));
    answers.push(await call("POST", "/checkout"));

    expect(answers.map(({ status, body }) => ({ status, body }))).toEqual(
      Array(6).fill({ status: 200, body: { url: open()[0]!.url } }),
    );
    expect([open().length, books.customers.size - before]).toEqual([1, 1]);
  });

  test("is the page that somebody else opens while the open ones are looked for", async () => {
    const others: ReturnType<typeof call>[] = [];
    stripe.onDone = async ({ method, path }) => {
      if (method !== "GET" || !path.startsWith("/v1/checkout/sessions") || others.length > 0) return;
      others.push(call("POST", "/checkout"));
      await others[0];
    };
    const own = await call("POST", "/checkout");

    expect([own.body.url, (await others[0]!).body.url]).toEqual([open()[0]!.url, open()[0]!.url]);
    expect(open()).toHaveLength(1);
  });

  test("closes the page that leads back to somewhere else", async () => {
    const first = await call("POST", "/checkout", { returnUrl: "https://app.example/a?x=1" });
    const second = await call("POST", "/checkout", { returnUrl: "https://app.example/b" });
    const again = await call("POST", "/checkout", { returnUrl: "https://app.example/a?x=1" });

    expect([first.status, second.status, again.status]).toEqual([200, 200, 200]);
    expect(open().map(({ url, success_url: back }) => [url, back])).toEqual([
      [again.body.url, "https://app.example/a?x=1&checkout=success"],
    ]);
  });

  test("lets no two pages be open for two people who want to get back to different places", async () => {
    const wanted = ["a", "b", "c", "d"].map((page) => ({ returnUrl: `https://app.example/${page}` }));
    await Promise.all(wanted.map((body) => call("POST", "/checkout", body)));
    await call("POST", "/checkout", wanted[0]);

    expect(open()).toHaveLength(1);
  });

  test.each([
    "https://evil.example/",
    "https://app.example.evil.example/",
    "javascript:alert(1)",
    "/",
    "https://me@app.example/",
    "blob:https://app.example/6a1c7c2e-0000-4000-8000-000000000000",
  ])("does not lead back to %s", async (returnUrl) => {
    const { status, body } = await call("POST", "/checkout", { returnUrl });

    expect([status, body.error.errors[0].field]).toEqual([422, "returnUrl"]);
    expect(stripe.asked()).toEqual([]);
  });

  test("is refused while there is a subscription, also one that nobody has told us of yet", async () => {
    const { body } = await call("POST", "/checkout");
    books.complete(body.url);
    const refused = await call("POST", "/checkout");

    expect([refused.status, refused.body.error.details]).toEqual([409, { status: "active" }]);
    expect(await hasSubscription(service, project.id)).toBe(true);
  });

  test("is open again when the subscription has ended", async () => {
    const subscription = await subscribe();
    Object.assign(subscription, { status: "canceled", ended_at: books.now() });

    expect((await call("POST", "/checkout")).status).toBe(200);
  });

  test("makes a new customer when somebody has deleted the one that was", async () => {
    const first = await subscribe();
    books.customers.get(first.customer)!.deleted = true;
    const { status } = await call("POST", "/checkout");

    expect(status).toBe(200);
    expect(open()[0]!.customer).not.toBe(first.customer);
    expect(await hasSubscription(service, project.id)).toBe(false);
  });

  test.each([
    ["500", 500],
    ["429", 429],
    ["a connection that hangs", "hangs"],
  ] as const)("answers 503 after %s, and works the next time", async (_, trouble) => {
    stripe.trouble = ({ path, method }) =>
      method === "POST" && path.endsWith("sessions") ? trouble : undefined;
    const away = await call("POST", "/checkout");
    stripe.trouble = () => undefined;
    const { status } = await call("POST", "/checkout");

    expect([away.status, away.headers.get("retry-after"), status]).toEqual([503, "10", 200]);
    expect(open()).toHaveLength(1);
  });

  test.each(["customers", "sessions"])(
    "makes one of each when the answer about %s is lost on the way",
    async (what) => {
      const before = books.customers.size;
      let lost = 0;
      stripe.trouble = ({ path, method }) =>
        method === "POST" && path.endsWith(what) && ++lost <= 2 ? "lost" : undefined;
      await call("POST", "/checkout");
      const { status } = await call("POST", "/checkout");

      expect(status).toBe(200);
      expect([open().length, books.customers.size - before]).toEqual([1, 1]);
    },
  );

  test("goes on with another key where Stripe has failed under one: it would fail again for a day", async () => {
    let failed = 0;
    stripe.trouble = ({ path, method }) =>
      method === "POST" && path.endsWith("customers") && ++failed === 1 ? "500 after" : undefined;
    const { status } = await call("POST", "/checkout");

    expect(status).toBe(200);
    const keys = stripe.requests
      .filter(({ path, method }) => method === "POST" && path.endsWith("customers"))
      .slice(-2)
      .map(({ idempotencyKey }) => idempotencyKey);
    expect(new Set(keys).size).toBe(2);
  });
});

describe("POST /users/@me/projects/:id/billing-portal", () => {
  test("leads to the pages of the customer and back", async () => {
    const { customer } = await subscribe();
    const { status, body } = await call("POST", "/billing-portal", {
      returnUrl: "https://app.example/billing",
    });

    expect([status, body.url]).toEqual([
      200,
      `https://portal.example/${customer}?return=${encodeURIComponent("https://app.example/billing")}`,
    ]);
  });

  test("is refused for a project that was never a customer", async () => {
    expect((await call("POST", "/billing-portal")).status).toBe(409);
  });
});

describe("the audit", () => {
  test("says who went to a page of Stripe's, and nothing of those who got none", async () => {
    await call("POST", "/billing-portal");
    await call("POST", "/checkout", { returnUrl: "https://evil.example/" });
    await subscribe();
    await call("POST", "/billing-portal");
    await call("POST", "/checkout");
    const { body } = await owner.request("GET", `/projects/${project.id}/audit`);
    const lines = (body.data as { action: string; actor: { name: string } }[]).filter(({ action }) =>
      action.startsWith("billing."),
    );

    expect(lines.map(({ action, actor }) => [action, actor.name])).toEqual([
      ["billing.portal_opened", owner.email],
      ["billing.checkout_started", owner.email],
    ]);
  });
});

describe("GET /users/@me/projects/:id/billing-invoices", () => {
  const invoice = (customer: string, n: number) => ({
    id: `in_${n}${crypto.randomUUID().slice(0, 8)}`,
    customer,
    number: `A-${n}`,
    status: "paid",
    amount_due: 1000 + n,
    amount_paid: 1000 + n,
    currency: "eur",
    created: 1_800_000_000 + n,
    period_start: 1_800_000_000,
    period_end: 1_802_592_000,
    hosted_invoice_url: "https://invoice.example/1",
    invoice_pdf: null,
  });

  test("lists them page by page, the newest first, and nobody else's", async () => {
    const { customer } = await subscribe();
    books.invoices.push(...[5, 4, 3, 2, 1].map((n) => invoice(customer, n)), invoice("cus_other", 9));
    const numbers: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? "" : `&cursor=${cursor}`;
      const { status, body } = await call("GET", `/billing-invoices?limit=2${query}`);
      expect(status).toBe(200);
      numbers.push(...body.data.map((item: { number: string }) => item.number));
      expect(body.hasMore).toBe(body.cursor !== null);
      cursor = body.cursor;
    } while (cursor !== null);

    expect(numbers).toEqual(["A-5", "A-4", "A-3", "A-2", "A-1"]);
    const [first] = (await call("GET", "/billing-invoices")).body.data;
    expect(first).toMatchObject({
      amountDue: 1005,
      currency: "eur",
      createdAt: new Date(1_800_000_005_000).toISOString(),
      hostedUrl: "https://invoice.example/1",
      pdfUrl: null,
    });
  });

  test("is empty for a project that was never a customer, and refuses a cursor of nobody's", async () => {
    const { body } = await call("GET", "/billing-invoices");
    const cursor = Buffer.from(JSON.stringify(["in_nobody"])).toString("base64url");
    const odd = Buffer.from(JSON.stringify(["../x"])).toString("base64url");
    await subscribe();

    expect(body).toEqual({ data: [], cursor: null, hasMore: false });
    for (const wrong of [cursor, odd, "x"]) {
      expect((await call("GET", `/billing-invoices?cursor=${wrong}`)).status).toBe(400);
    }
  });
});

describe("POST /webhooks/incoming/stripe", () => {
  test("an event of a subscription makes it known: status, end of the period, cancellation", async () => {
    const subscription = await subscribe();
    const began = await account();
    const endsAt = books.now() + 86_400;
    subscription.cancel_at = endsAt;
    await deliver(changed(subscription));
    await service.runJobs();
    const cancelled = await account();
    Object.assign(subscription, { status: "canceled", ended_at: endsAt });
    await deliver(event("customer.subscription.deleted", subscription));
    await service.runJobs();

    expect(began).toMatchObject({
      customerId: subscription.customer,
      subscriptionId: subscription.id,
      status: "active",
      isLive: true,
      cancelsAt: null,
    });
    expect(cancelled).toMatchObject({ isLive: true, cancelsAt: new Date(endsAt * 1000), endedAt: null });
    expect(await account()).toMatchObject({
      status: "canceled",
      isLive: false,
      cancelsAt: null,
      endedAt: new Date(endsAt * 1000),
    });
    expect(await hasSubscription(service, project.id)).toBe(false);
  });

  test.each([
    ["active", true],
    ["trialing", true],
    ["past_due", true],
    ["unpaid", true],
    ["incomplete", false],
    ["paused", false],
    ["something_new", false],
  ])("a subscription that is %s: hasSubscription is %p", async (status, expected) => {
    const subscription = await subscribe();
    subscription.status = status;
    await deliver(changed(subscription));
    await service.runJobs();
    const { body } = await owner.request("GET", `/projects/${project.id}/setup-state`);

    expect([(await account()).status, body.data.hasSubscription]).toEqual([status, expected]);
  });

  test("events in any order come to what Stripe says now", async () => {
    const subscription = await subscribe();
    const early = event("customer.subscription.updated", { ...subscription, status: "past_due" });
    const late = event("customer.subscription.deleted", { ...subscription, status: "canceled" });
    Object.assign(subscription, { status: "canceled", ended_at: books.now() });
    await deliver(late);
    await service.runJobs();
    await deliver(early);
    await service.runJobs();

    expect((await account()).status).toBe("canceled");
  });

  test("of two that are worked off at once, what was read first does not stand over what was read later", async () => {
    const subscription = await subscribe();
    subscription.status = "past_due";
    let holding = true;
    let reached: () => void;
    const isHeld = new Promise<void>((resolve) => (reached = resolve));
    // The first look has seen past_due, and is held up before it can write that down.
    stripe.onDone = async ({ path }) => {
      if (path !== "/v1/subscriptions" || !holding) return;
      reached();
      await Bun.sleep(150);
    };
    const slow = syncBilling(service, { projectId: project.id });
    await isHeld;
    holding = false;
    subscription.status = "active";
    await syncBilling(service, { projectId: project.id });
    await slow;

    expect((await account()).status).toBe("active");
  });

  test("a repeat does nothing", async () => {
    const subscription = await subscribe();
    const payload = changed(subscription);
    const answers = await Promise.all([deliver(payload), deliver(payload), deliver(payload)]);
    const jobs = await service.jobs();
    await service.runJobs();
    stripe.asked();
    answers.push(await deliver(payload));
    await service.runJobs();

    expect(answers.map(({ status, body }) => [status, body])).toEqual(
      Array(4).fill([200, { success: true }]),
    );
    expect(jobs).toHaveLength(1);
    expect(stripe.asked()).toEqual([]);
  });

  test("is taken while Stripe's API is away, and worked off when it is back", async () => {
    const subscription = await subscribe();
    subscription.status = "past_due";
    stripe.trouble = () => 500;
    const { status } = await deliver(changed(subscription));
    await service.runJobs();
    const during = (await account()).status;
    stripe.trouble = () => undefined;
    await service.changeJobs({ runAt: service.now() });
    await service.runJobs();

    expect([status, during, (await account()).status]).toEqual([200, "active", "past_due"]);
  });

  test("a customer that is deleted has no subscription", async () => {
    const { customer } = await subscribe();
    books.customers.get(customer)!.deleted = true;
    await deliver(event("customer.deleted", { object: "customer", id: customer }));
    await service.runJobs();

    expect(await account()).toMatchObject({ customerId: null, isLive: false });
  });

  test("about somebody else's customer, or about nobody, it is taken and does nothing", async () => {
    const answers = [
      await deliver(event("customer.created", { object: "customer", id: "cus_unknown" })),
      await deliver(event("price.created", { object: "price", id: "price_1" })),
      await deliver(event("invoice.paid", { object: "invoice", customer: { id: "cus_unknown" } })),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    await service.runJobs();
    expect(stripe.asked()).toEqual([]);
  });

  const payload = event("customer.updated", { object: "customer", id: "cus_1" });
  const now = () => service.now().getTime();
  test.each([
    ["without a signature", () => ""],
    ["with another secret", () => signEvent(payload, service.now(), "whsec_of_somebody")],
    ["for another body", () => signEvent(`${payload} `, service.now())],
    ["of six minutes ago", () => signEvent(payload, new Date(now() - 360_000))],
    ["in another scheme", () => signEvent(payload, service.now()).replace("v1=", "v0=")],
    ["without a time", () => signEvent(payload, service.now()).replace(/t=\d+,/, "")],
    ["cut short", () => signEvent(payload, service.now()).slice(0, -2)],
  ])("is refused with 403 %s", async (_, signature) => {
    const { status, body } = await deliver(payload, signature());

    expect([status, body.error.code]).toEqual([403, "FORBIDDEN"]);
  });

  test("a signature of four minutes ago, beside one of an older secret, is good", async () => {
    const at = new Date(now() - 240_000);
    const other = signEvent(payload, at, "whsec_of_somebody").replace(/^t=\d+,/, "");

    expect((await deliver(payload, `${signEvent(payload, at)},${other}`)).status).toBe(200);
  });

  test("is refused with 400 where it is signed, but no event, and with 413 where it is too large", async () => {
    const large = "x".repeat(1_048_577);

    expect((await deliver("no JSON")).status).toBe(400);
    expect((await deliver("[]")).status).toBe(400);
    expect((await deliver(large)).status).toBe(413);
  });
});

describe("the end of a project's billing", () => {
  test("reports what was used, ends the subscription with a last invoice, and closes an open checkout", async () => {
    const other = await call("POST", "/checkout");
    const customer = books.sessions.find(({ url }) => url === other.body.url)!.customer;
    const subscription = books.subscribe(customer);
    await deliver(changed(subscription));
    await service.runJobs();
    await service.pool`
      insert into usage_deltas (project_id, month, category, used)
      values (${project.id}, usage_month(${service.now()}), 'transactional', 12)`;
    await endBilling(service, project.id);
    await endBilling(service, project.id);

    expect(books.usage(customer)).toBe(12);
    expect(subscription).toMatchObject({ status: "canceled", invoiced: true });
    expect(books.sessions.find(({ url }) => url === other.body.url)!.status).toBe("expired");
    expect(await hasSubscription(service, project.id)).toBe(false);
  });

  test("fails while Stripe is away, so that it is tried again", async () => {
    const subscription = await subscribe();
    stripe.trouble = ({ method }) => (method === "DELETE" ? 500 : undefined);
    const first = await endBilling(service, project.id).catch((error: Error) => error);
    stripe.trouble = () => undefined;
    await endBilling(service, project.id);

    expect(first).toBeInstanceOf(Error);
    expect(subscription.status).toBe("canceled");
  });

  test("asks nobody for a project that never was a customer", async () => {
    await endBilling(service, project.id);

    expect(stripe.asked()).toEqual([]);
  });
});
