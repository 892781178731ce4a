// POST /webhooks/sns: whose word counts, how often, and what it does; with messages signed by the test's own authority.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Elysia } from "elysia";
import { openPool } from "../../src/db/pool.ts";
import { problemResponses } from "../../src/http/entry/problems.ts";
import { PUBLIC_REQUESTS_PER_MINUTE } from "../../src/http/entry/public_limits.ts";
import { webhooksRoutes } from "../../src/http/routes/webhooks.ts";
import type { FollowedMail } from "../../src/sending/compose/followed_mail.ts";
import { campaignsOf } from "../support/campaign.ts";
import { makeCertificate } from "../support/certificates.ts";
import { useFollowedMails } from "../support/followed_mails.ts";
import { useService } from "../support/service.ts";
import { newProviderId, sesReceived, sesReport } from "../support/ses.ts";
import { until } from "../support/process.ts";
import { confirmation, HOST, signMessage, TOPIC, useSns } from "../support/sns.ts";

const sns = useSns();
const OTHER_TOPIC = "arn:aws:sns:eu-west-1:123456789012:inbound";
const service = useService({ SNS_TOPIC_ARNS: `${TOPIC}, ${OTHER_TOPIC}` });
const mails = useFollowedMails(service);
const { project } = mails;
const campaigns = campaignsOf(service, () => project);

/** The service, as it is but for where Amazon's certificates come from. */
let app: { handle(request: Request): Promise<Response>; server: unknown };
const newApp = (more: Partial<typeof service> = {}) =>
  new Elysia()
    .use(problemResponses(() => []))
    .use(webhooksRoutes({ ...service, ...more }, { fetchText: sns.fetchText })) as never as typeof app;

/** Another process of the same service. */
let other: typeof app;

beforeAll(() => {
  const pool = openPool(service.databaseUrl, { max: 5 });
  app = newApp();
  other = newApp({ pool, sql: pool });
  closing = () => pool.end();
});

let closing = async () => {};
afterAll(async () => await closing());

async function post(
  message: unknown,
  { on = app, headers = {} }: { on?: typeof app; headers?: object } = {},
) {
  const body =
    typeof message === "string" || message instanceof ReadableStream ? message : JSON.stringify(message);
  const response = await on.handle(
    new Request("http://localhost/webhooks/sns", {
      method: "POST",
      headers: {
        "content-type": "text/plain; charset=UTF-8",
        "x-amz-sns-message-type": "Notification",
        ...headers,
      },
      body,
    }),
  );
  // oxlint-disable-next-line typescript/no-explicit-any
  return { status: response.status, body: (await response.json()) as any };
}

const OK = { status: 200, body: { success: true } };
const state = async (mail: FollowedMail) => (await mails.row(mail)).status;
const names = async (mail: FollowedMail) => (await mails.events(mail)).map((event) => event.name);
const logged = (message: string) => service.lines.filter((line) => line.message === message);

describe("a notification", () => {
  test.each(["1", "2"] as const)("signed in version %s is taken", async (version) => {
    const mail = await mails.mail();

    expect(await post(sns.notify(sesReport("Delivery", mail), { version }))).toEqual(OK);
    expect(await state(mail)).toBe("DELIVERED");
    expect(await names(mail)).toEqual(["email.delivery"]);
  });

  test("is taken by the real service under its path, which checks it against Amazon alone", async () => {
    const { status } = await service.request("POST", "/webhooks/sns", { body: { Type: "Notification" } });
    const get = await service.request("GET", "/webhooks/sns");

    expect([status, get.status]).toEqual([400, 405]);
  });

  test.each([
    ["Send", "SENT", []],
    ["Delivery", "DELIVERED", ["email.delivery"]],
    ["Bounce", "BOUNCED", ["email.bounce"]],
    ["Complaint", "COMPLAINED", ["email.complaint"]],
    ["Open", "OPENED", ["email.open"]],
    ["Click", "CLICKED", ["email.click"]],
    ["Reject", "FAILED", []],
    ["DeliveryDelay", "SENT", []],
    ["Rendering Failure", "FAILED", []],
  ])("of %s makes a mail %s", async (kind, status, events) => {
    const mail = await mails.mail();

    expect(await post(sns.notify(sesReport(kind, mail)))).toEqual(OK);
    expect([await state(mail), await names(mail)]).toEqual([status, events]);
  });

  test("about several recipients of a mail counts once", async () => {
    const mail = await mails.mail();
    const people = ["a@example.com", "b@example.com"].map((emailAddress) => ({ emailAddress }));
    await post(sns.notify(sesReport("Bounce", mail, { bouncedRecipients: people })));

    expect(await names(mail)).toEqual(["email.bounce"]);
  });

  test("that knows only the provider's id finds the mail by it", async () => {
    const providerId = newProviderId();
    const mail = await mails.mail({ provider_id: providerId });
    await post(sns.notify(sesReport("Delivery", { providerId }, {}, "notificationType")));

    expect(await state(mail)).toBe("DELIVERED");
  });

  test("whose headers name no mail of ours finds it by the provider's id", async () => {
    const providerId = newProviderId();
    const mail = await mails.mail({ provider_id: providerId });
    const forged = { ...mail, projectId: crypto.randomUUID(), providerId };
    await post(sns.notify(sesReport("Complaint", forged)));

    expect(await state(mail)).toBe("COMPLAINED");
  });

  test("dated in the year 0 is taken, and happened now", async () => {
    const mail = await mails.mail();

    expect(
      await post(sns.notify(sesReport("Delivery", mail, { timestamp: "0000-01-01T00:00:00Z" }))),
    ).toEqual(OK);
    expect((await mails.row(mail)).deliveredAt.getFullYear()).toBeGreaterThan(2025);
  });

  test("of every kind we do not know is taken, and does nothing", async () => {
    const reports = [
      { eventType: "Subscription", mail: {} },
      { notificationType: "AmazonSnsSubscriptionSucceeded" },
      { hello: "world" },
    ];

    for (const report of reports) expect(await post(sns.notify(report))).toEqual(OK);
    expect(await post(sns.sign({ Message: "Successfully validated SNS topic." }))).toEqual(OK);
  });

  test("about a mail that nobody knows is taken, and logged without an address", async () => {
    const stranger = { projectId: project.id, emailId: Bun.randomUUIDv7(), providerId: newProviderId() };
    expect(await post(sns.notify(sesReport("Complaint", stranger)))).toEqual(OK);

    const [line] = logged("notice about an unknown mail").filter((one) => one.emailId === stranger.emailId);
    expect(line).toMatchObject({ kind: "complaint", ...stranger });
    expect(JSON.stringify(line)).not.toContain("@");
  });
});

describe("a repeat", () => {
  test("is taken and does nothing", async () => {
    const mail = await mails.mail();
    const message = sns.notify(sesReport("Open", mail));
    const answers = [await post(message), await post(message), await post(message)];

    expect(answers).toEqual([OK, OK, OK]);
    expect(await mails.row(mail)).toMatchObject({ opens: 1 });
  });

  test("at the same moment too, also to another process", async () => {
    const mail = await mails.mail();
    const message = sns.notify(sesReport("Click", mail));
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => post(message, { on: i % 2 ? app : other })),
    );

    expect(answers).toEqual(Array(40).fill(OK));
    expect(await mails.row(mail)).toMatchObject({ clicks: 1 });
  });

  test("with the same content under another id is another open, but the same bounce", async () => {
    const mail = await mails.mail();
    for (const kind of ["Open", "Bounce"]) {
      const report = sesReport(kind, mail);
      await post(sns.notify(report));
      await post(sns.notify(report));
    }

    expect(await names(mail)).toEqual(["email.open", "email.open", "email.bounce"]);
  });

  test("is remembered for 7 days, and then forgotten by the sweep", async () => {
    const mail = await mails.mail();
    const message = sns.notify(sesReport("Open", mail));
    const remembered = async () =>
      (await service.pool`select from webhook_receipts where id = ${message.MessageId!}`).length;
    const sweep = async () => {
      await service.pool`select graphile_worker.add_job('purge_expired', '{}'::json)`;
      await service.runJobs();
    };
    await post(message);
    service.setNow(new Date(Date.now() + 7 * 86_400_000 - 60_000));
    await sweep();
    expect(await remembered()).toBe(1);
    service.setNow(new Date(Date.now() + 7 * 86_400_000 + 60_000));
    await sweep();
    service.setNow(new Date());

    expect(await remembered()).toBe(0);
  });
});

describe("a notification that is older than what is remembered", () => {
  const signer = makeCertificate({
    name: "long",
    validFrom: new Date("2020-01-01"),
    validTo: new Date("2090-01-01"),
  });
  const signed = (report: object, ageMs: number) => {
    const Timestamp = new Date(Date.now() - ageMs).toISOString();
    return sns.notify(report, { signer, fields: { SigningCertURL: sns.publish(signer), Timestamp } });
  };
  const DAY_MS = 86_400_000;

  test("is 200 and does nothing: it may be a repeat that was forgotten", async () => {
    const mail = await mails.mail();
    const messages = [sesReport("Open", mail), sesReport("Bounce", mail, { bounceType: "Transient" })].map(
      (report) => signed(report, 0),
    );
    for (const message of messages) await post(message);
    const before = [await mails.row(mail), await names(mail)];
    service.setNow(new Date(Date.now() + 8 * DAY_MS));
    await service.pool`select graphile_worker.add_job('purge_expired', '{}'::json)`;
    await service.runJobs();
    const answers = [];
    for (const message of messages) answers.push(await post(message));
    service.setNow(new Date());

    expect(answers).toEqual([OK, OK]);
    expect([await mails.row(mail), await names(mail)]).toEqual(before);
  });

  test("by an hour less than 7 days; one that is younger counts", async () => {
    const [old, young] = [await mails.mail(), await mails.mail()];
    await post(signed(sesReport("Delivery", old), 7 * DAY_MS - 3_500_000));
    await post(signed(sesReport("Delivery", young), 7 * DAY_MS - 3_700_000));

    expect([await state(old), await state(young)]).toEqual(["SENT", "DELIVERED"]);
  });
});

describe("what is refused", () => {
  const refused = (status: number, message: string) => ({
    status,
    body: { success: false, error: { statusCode: status, message: expect.stringContaining(message) } },
  });

  test.each(["Message", "MessageId", "Timestamp", "TopicArn", "Signature", "Subject"])(
    "with 403: a message whose %s was changed; it changes nothing",
    async (field) => {
      const mail = await mails.mail();
      const message = sns.notify(sesReport("Bounce", mail), { fields: { Subject: "Hello" } });
      const digit = message[field]!.startsWith("7") ? "8" : "7";
      const changed = {
        ...message,
        [field]: field === "TopicArn" ? OTHER_TOPIC : digit + message[field]!.slice(1),
      };
      if (field === "Message") changed.Message = message.Message!.replace("General", "general");

      expect(changed[field]).not.toBe(message[field]);
      expect(await post(changed)).toMatchObject(refused(403, "its signature is wrong"));
      expect([await state(mail), await names(mail)]).toEqual(["SENT", []]);
    },
  );

  test("with 403: a topic that is not ours, however well it is signed", async () => {
    const mail = await mails.mail();
    const fields = { TopicArn: "arn:aws:sns:eu-west-1:999999999999:evil" };

    expect(await post(sns.notify(sesReport("Bounce", mail), { fields }))).toMatchObject(
      refused(403, "SNS_TOPIC_ARNS"),
    );
    expect(await post(sns.sign(confirmation(fields)))).toMatchObject(refused(403, "SNS_TOPIC_ARNS"));
    expect(await state(mail)).toBe("SENT");
  });

  test.each([
    "https://sns.evil.com/x.pem",
    "https://sns.eu-west-1.amazonaws.com.evil.com/x.pem",
    "http://sns.eu-west-1.amazonaws.com/x.pem",
    "https://sns.eu-west-1.amazonaws.com@evil.com/x.pem",
    "https://sns.eu-west-1.amazonaws.com:8443/x.pem",
    "https://127.0.0.1/x.pem",
  ])("with 403: a certificate at %s, without asking there", async (SigningCertURL) => {
    const before = sns.requests.length;
    const message = signMessage({ ...sns.notify({}), SigningCertURL }, sns.signer);

    expect(await post(message)).toMatchObject(refused(403, "SigningCertURL"));
    expect(sns.requests.length).toBe(before);
  });

  test("with 403: a certificate that has run out", async () => {
    const signer = makeCertificate({
      name: "old",
      validFrom: new Date("2020-01-01"),
      validTo: new Date("2021-01-01"),
    });
    const message = sns.notify({}, { signer, fields: { SigningCertURL: sns.publish(signer) } });

    expect(await post(message)).toMatchObject(refused(403, "certificate is not valid"));
  });

  test.each([
    ["nothing", ""],
    ["no JSON", "{"],
    ["another JSON", "[1]"],
    ["a message cut off", '{"Type":"Notification","MessageId":"x"'],
    ["raw delivery without the envelope", JSON.stringify(sesReport("Bounce", {}))],
    ["a type that there is not", JSON.stringify({ Type: "Other" })],
  ])("with 400: %s", async (_, body) => {
    expect(await post(body)).toMatchObject(refused(400, "SNS"));
  });

  test("with 413: more than 512 KB, also where no length is told; 512 KB are read", async () => {
    const huge = JSON.stringify(sns.sign({ Message: "x".repeat(520 * 1024) }));
    const stream = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(65_536));
      },
    });
    const large = sns.sign({ Message: "x".repeat(256 * 1024) });

    expect(await post(huge)).toMatchObject(refused(413, "512 KB"));
    expect(await post(stream)).toMatchObject(refused(413, "512 KB"));
    expect(await post(large)).toEqual(OK);
  });

  test("with 503: a certificate that cannot be fetched now, which is no error in the log", async () => {
    const nowhere = "https://sns.zz-nowhere-9.amazonaws.com/x.pem";
    const { status, body, headers } = await service.request("POST", "/webhooks/sns", {
      raw: JSON.stringify(sns.sign({ SigningCertURL: nowhere })),
    });
    const lines = () => service.lines.filter((line) => line.requestId === body.error.requestId);
    await until("the line of the request", () => lines().length > 0);

    expect([status, headers.get("retry-after"), body.error.message]).toEqual([
      503,
      "5",
      "Cannot reach Amazon SNS at the moment",
    ]);
    expect(lines().map(({ level }) => level)).toEqual(["warn"]);
    expect(logged("Amazon SNS cannot be reached").at(-1)).toMatchObject({ level: "warn" });
  });

  test("with 429: to make us ask for certificates without end; those that are known still count", async () => {
    const mail = await mails.mail();
    // The clock stands, so that the minute does not end in between.
    const now = new Date();
    const flooded = newApp({ now: () => now });
    flooded.server = { requestIP: () => ({ address: "198.51.100.77" }) };
    const server = { on: flooded };
    expect(await post(sns.notify(sesReport("Send", mail)), server)).toEqual(OK);
    const statuses = new Map<number, number>();
    for (let i = 0; i < PUBLIC_REQUESTS_PER_MINUTE + 5; i++) {
      const { status } = await post(sns.sign({ SigningCertURL: `${HOST}/bogus-${i}.pem` }), server);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }

    expect([...statuses.keys()]).toEqual([403, 429]);
    expect(statuses.get(429)).toBeWithin(5, 7);
    expect(await post(sns.notify(sesReport("Delivery", mail)), server)).toEqual(OK);
    expect(await state(mail)).toBe("DELIVERED");
  });

  test("with 403: a Timestamp that is no time, however well it is signed", async () => {
    expect(await post(sns.notify({}, { fields: { Timestamp: "yesterday" } }))).toMatchObject(
      refused(403, "Timestamp"),
    );
  });

  const strange: [string, () => unknown, number][] = [
    ["forged", () => ({ ...sns.notify({}), Message: "x" }), 403],
    [
      "of another topic",
      () => sns.notify({}, { fields: { TopicArn: "arn:aws:sns:eu-west-1:999999999999:x" } }),
      403,
    ],
    ["no message", () => "{", 400],
    ["too large", () => "x".repeat(600_000), 413],
  ];
  test.each(strange)(
    "with 429 in the end: what is %s, from one address; what is genuine still counts",
    async (what, bad, status) => {
      const mail = await mails.mail();
      const now = new Date();
      const flooded = newApp({ now: () => now });
      flooded.server = {
        requestIP: () => ({ address: `198.51.100.${strange.findIndex(([name]) => name === what)}` }),
      };
      const server = { on: flooded };
      const message = bad();
      expect(await post(sns.notify(sesReport("Send", mail)), server)).toEqual(OK);
      const statuses: number[] = [];
      for (let i = 0; i < PUBLIC_REQUESTS_PER_MINUTE + 5; i++)
        statuses.push((await post(message, server)).status);

      expect([statuses[0], statuses.at(-1)]).toEqual([status, 429]);
      expect(statuses.filter((one) => one === 429).length).toBeWithin(5, 7);
      for (let i = 0; i < 3; i++)
        expect(await post(sns.notify(sesReport("Delivery", mail)), server)).toEqual(OK);
      expect(await state(mail)).toBe("DELIVERED");
    },
  );

  test("not: any topic, where none is named", async () => {
    const any = newApp({ config: { ...service.config, SNS_TOPIC_ARNS: "" } });
    const fields = { TopicArn: "arn:aws:sns:us-east-1:999999999999:whoever" };

    expect(await post(sns.notify({}, { fields }), { on: any })).toEqual(OK);
  });
});

describe("a confirmation", () => {
  const visits = () => sns.requests.filter((path) => path === "/").length;

  test("of a subscription is confirmed, once its signature is checked", async () => {
    sns.answers.set("/", () => new Response("<ConfirmSubscriptionResponse/>"));
    const before = visits();

    expect(await post(sns.sign(confirmation()))).toEqual(OK);
    expect(visits() - before).toBe(1);
    expect(logged("subscribed to SNS")).toMatchObject([{ topic: TOPIC }]);
  });

  test("that is forged is not", async () => {
    const before = visits();
    const message = sns.sign(confirmation());

    expect((await post({ ...message, Token: "other" })).status).toBe(403);
    expect(visits()).toBe(before);
  });

  test.each([
    "https://evil.com/?Action=ConfirmSubscription",
    "http://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription",
    "https://sns.eu-west-1.amazonaws.com.evil.com/",
    "https://user@sns.eu-west-1.amazonaws.com/",
    "http://169.254.169.254/latest/meta-data/",
  ])("at %s is never visited, however well it is signed", async (SubscribeURL) => {
    const before = sns.requests.length;

    expect((await post(sns.sign(confirmation({ SubscribeURL })))).status).toBe(403);
    expect(sns.requests.length).toBe(before);
  });

  test("that SNS refuses is 503, so that it is sent again, and then it works", async () => {
    const message = sns.sign(confirmation());
    sns.answers.set("/", () => new Response("no", { status: 400 }));
    expect((await post(message)).status).toBe(503);
    sns.answers.set("/", () => Response.redirect(`${HOST}/elsewhere`));
    expect((await post(message)).status).toBe(503);
    sns.answers.set("/", () => new Response("yes"));

    expect(await post(message)).toEqual(OK);
  });

  test("of the end of a subscription is noted, and not taken back", async () => {
    const before = visits();

    expect(await post(sns.sign(confirmation({ Type: "UnsubscribeConfirmation" })))).toEqual(OK);
    expect(visits()).toBe(before);
    expect(logged("unsubscribed from SNS")).toHaveLength(1);
  });
});

describe("a failure of ours", () => {
  test("is 500, and the repeat is not taken for one", async () => {
    const mail = await mails.mail();
    const message = sns.notify(sesReport("Delivery", mail));
    await service.pool`alter table webhook_receipts rename to receipts_away`;
    const failed = await post(message);
    await service.pool`alter table receipts_away rename to webhook_receipts`;

    expect([failed.status, failed.body.error.code]).toEqual([500, "INTERNAL_SERVER_ERROR"]);
    expect(await state(mail)).toBe("SENT");
    expect(await post(message)).toEqual(OK);
    expect([await state(mail), await names(mail)]).toEqual(["DELIVERED", ["email.delivery"]]);
  });

  test("after half of it was written leaves nothing behind", async () => {
    const mail = await mails.mail();
    const message = sns.notify(sesReport("Complaint", mail));
    await service.pool`alter table suppressions rename to suppressions_away`;
    const failed = await post(message);
    await service.pool`alter table suppressions_away rename to suppressions`;

    expect(failed.status).toBe(500);
    expect([await state(mail), await names(mail)]).toEqual(["SENT", []]);
    expect(await service.pool`select from webhook_receipts where id = ${message.MessageId!}`).toHaveLength(0);
    expect(await post(message)).toEqual(OK);
    expect(await state(mail)).toBe("COMPLAINED");
  });

  test("to take one of many fails for that one alone", async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => mails.mail()));
    const bad = await mails.row(all[7]!);
    await service.pool`alter table suppressions add constraint not_this check (email <> ${service.pool.unsafe(`'${bad.address}'`)})`;
    const answers = await Promise.all(all.map((mail) => post(sns.notify(sesReport("Bounce", mail)))));
    await service.pool`alter table suppressions drop constraint not_this`;

    expect(answers.map(({ status }) => status)).toEqual(all.map((_, i) => (i === 7 ? 500 : 200)));
    expect(await Promise.all(all.map(state))).toEqual(all.map((_, i) => (i === 7 ? "SENT" : "BOUNCED")));
  });
});

describe("1,000 at once for one campaign", () => {
  test("all count once, and the counters equal the ledger", async () => {
    const campaignId = await mails.campaign();
    const columns = { campaign_id: campaignId, source_type: "CAMPAIGN", status: "IN_DOUBT" };
    const all = await Promise.all(Array.from({ length: 250 }, () => mails.mail(columns)));
    const kinds = ["Delivery", "Open", "Click", "Send"];
    const messages = all.flatMap((mail, i) =>
      (i % 10 === 0 ? ["Delivery", "Bounce", "Complaint", "Send"] : kinds).map((kind) =>
        sns.notify(sesReport(kind, mail)),
      ),
    );
    const shuffled = messages.toSorted((a, b) => (a.MessageId! < b.MessageId! ? -1 : 1));
    const answers = await Promise.all(
      shuffled.map((message, i) => post(message, { on: i % 2 ? app : other })),
    );

    const counted = await campaigns.counted(campaignId);
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(counted).toMatchObject({
      sentCount: 250,
      deliveredCount: 250,
      openedCount: 225,
      clickedCount: 225,
      bouncedCount: 25,
      complainedCount: 25,
    });
    expect(await campaigns.get(campaignId)).toMatchObject(counted);
    const events = await service.pool`
      select name, count(*)::int as n from events where data ->> 'campaignId' = ${campaignId} group by name`;
    expect(Object.fromEntries(events.map((row) => [row.name, row.n]))).toEqual({
      "email.sent": 250,
      "email.delivery": 250,
      "email.open": 225,
      "email.click": 225,
      "email.bounce": 25,
      "email.complaint": 25,
    });
  });
});

describe("mail that came in", () => {
  const received = async (email: string) => [
    ...(await service.pool`
      select e.project_id, e.data, c.subscribed
      from events e join contacts c on c.id = e.contact_id
      where e.name = 'email.received' and c.email = ${email}
      order by e.id`),
  ];
  const from = (email: string) => ({ headers: { from: [`Ada <${email}>`] } });
  const fresh = () => `${Bun.randomUUIDv7()}@example.com`;

  test("is an event of its sender, who becomes a contact without a subscription", async () => {
    const receiver = await service.createProject();
    await service.pool`update domains set domain = 'mine.example' where project_id = ${receiver.id}`;
    const sender = fresh();
    const report = sesReceived({
      ...from(sender),
      receipt: { recipients: ["Help@mine.example", "sales@mine.example"] },
    });

    expect(await post(sns.notify(report, { fields: { TopicArn: OTHER_TOPIC } }))).toEqual(OK);
    expect(await received(sender)).toEqual([
      {
        projectId: receiver.id,
        subscribed: false,
        data: {
          subject: "A question",
          from: sender,
          fromName: "Ada",
          messageId: "abc.123@example.com",
          emailId: null,
          templateId: null,
          campaignId: null,
          sourceType: null,
          to: ["help@mine.example", "sales@mine.example"],
          receivedAt: "2026-01-05T10:00:01.000Z",
          verdicts: { spam: "PASS", virus: "PASS", spf: "PASS", dkim: "GRAY", dmarc: "PASS" },
        },
      },
    ]);
  });

  test("leaves the subscription of a sender whom we know", async () => {
    const sender = fresh();
    const write = (body: object) => service.request("POST", "/contacts", { key: project.secret, body });
    await write({ email: sender, subscribed: true, data: { plan: "pro" } });
    await post(sns.notify(sesReceived(from(sender))));

    const [contact] = await service.pool`
      select subscribed, data from contacts where email = ${sender} and project_id = ${project.id}`;
    expect(contact).toEqual({ subscribed: true, data: { plan: "pro" } });
    expect((await received(sender)).filter((event) => event.projectId === project.id)).toHaveLength(1);
  });

  test("is for every project that the domain is verified for, and for no other", async () => {
    const [one, two, three] = [
      await service.createProject(),
      await service.createProject(),
      await service.createProject(),
    ];
    await service.pool`update domains set domain = 'shared.example' where project_id in ${service.pool([one.id, two.id, three.id])}`;
    await service.pool`update domains set status = 'PENDING' where project_id = ${three.id}`;
    const sender = fresh();
    const message = sns.notify(
      sesReceived({ ...from(sender), receipt: { recipients: ["x@shared.example"] } }),
    );
    await Promise.all([post(message), post(message)]);

    expect((await received(sender)).map((event) => event.projectId).toSorted()).toEqual(
      [one.id, two.id].toSorted(),
    );
  });

  test.each(["spam", "virus", "dmarc"])(
    "that fails the filter for %s is an event of nobody",
    async (filter) => {
      const [stranger, known] = [fresh(), fresh()];
      await service.request("POST", "/contacts", { key: project.secret, body: { email: known } });
      for (const sender of [stranger, known]) {
        const receipt = { [`${filter}Verdict`]: { status: "FAIL" } };
        await post(sns.notify(sesReceived({ ...from(sender), receipt })));
      }
      const contacts = await service.pool`
      select distinct email from contacts where email in ${service.pool([stranger, known])}`;
      const events = await service.pool`
      select contact_id, data -> 'verdicts' ->> ${filter} as verdict from events
      where name = 'email.received' and project_id = ${project.id}
        and data ->> 'from' in ${service.pool([stranger, known])}`;

      expect(contacts.map((contact) => contact.email)).toEqual([known]);
      expect([...events].map((event) => ({ ...event }))).toEqual(
        Array(2).fill({ contactId: null, verdict: "FAIL" }),
      );
    },
  );

  test("that could be read in no filter, or fails SPF or DKIM alone, is its sender's", async () => {
    const sender = fresh();
    const status = { status: "FAIL" };
    const receipt = {
      spfVerdict: status,
      dkimVerdict: status,
      virusVerdict: { status: "PROCESSING_FAILED" },
    };
    await post(sns.notify(sesReceived({ ...from(sender), receipt })));

    expect((await received(sender)).some((event) => event.projectId === project.id)).toBe(true);
  });

  test.each([
    ["half a character in its sender's name", { headers: { from: ["\ud800 x <lone@b.example>"] } }],
    [
      "a date before there were mails",
      { mail: { timestamp: "0000-01-01T00:00:00Z" }, receipt: { timestamp: "0000-01-01T00:00:00Z" } },
    ],
  ])("with %s is taken", async (_, more) => {
    expect(await post(sns.notify(sesReceived(more)))).toEqual(OK);
  });

  test("for nobody is taken, and makes no contact", async () => {
    const sender = fresh();
    expect(
      await post(sns.notify(sesReceived({ ...from(sender), receipt: { recipients: ["x@nobody.example"] } }))),
    ).toEqual(OK);

    expect(await service.pool`select from contacts where email = ${sender}`).toHaveLength(0);
    expect(logged("mail received for no verified domain").length).toBeGreaterThan(0);
  });

  test("from nobody, as a report of a mail server, is an event without a contact", async () => {
    const subject = `Report ${crypto.randomUUID()}`;
    await post(sns.notify(sesReceived({ mail: { source: "<>" }, headers: { subject } })));

    const events = await service.pool`
      select contact_id from events where name = 'email.received' and data ->> 'subject' = ${subject} and project_id = ${project.id}`;
    expect(events.map((event) => event.contactId)).toEqual([null]);
  });
});
