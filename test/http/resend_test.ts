// POST /emails/:id/resend: one mail once more, with every check that a send makes.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createProject, type NewProject } from "../../src/accounts/projects/mod.ts";
import type { Context } from "../../src/context.ts";
import { openPool } from "../../src/db/pool.ts";
import { createApp } from "../../src/http/mod.ts";
import { campaignsOf } from "../support/campaign.ts";
import { untilBlocked } from "../support/locks.ts";
import { startProxy, type TestProxy } from "../support/proxy.ts";
import { readMail } from "../support/received_mail.ts";
import { DOMAIN, useService } from "../support/service.ts";
import { workflowsOf } from "../support/workflows.ts";

const service = useService();
let project: NewProject;
const { call, ...campaigns } = campaignsOf(service, () => project);
const flows = workflowsOf(service, () => project);

const FROM = `shop@${DOMAIN}`;

beforeAll(async () => {
  project = await service.createProject();
});

/** Sends a mail to an address of its own, and answers both. */
async function sent(more: object = {}): Promise<{ id: string; to: string; contact: string }> {
  const to = `${crypto.randomUUID()}@example.com`;
  const body = { to, from: FROM, subject: "Receipt {{number}}", body: "<p>Hi {{name}}</p>", ...more };
  const answer = await call("POST", "/v1/send", body);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  await service.runJobs();
  const [{ email, contact }] = answer.body.data.emails;
  return { id: email, to, contact: contact.id };
}

const again = (id: string, key?: string) =>
  service.request("POST", `/emails/${id}/resend`, {
    key: project.secret,
    ...(key !== undefined && { headers: { "idempotency-key": key } }),
  });

const mailOf = async (id: string) => (await call("GET", `/emails/${id}`)).body;
/** The messages that the mail server has for an address. */
const received = (to: string) => service.smtp.received.filter((mail) => mail.to.includes(to));
/** How often this mail was sent again. */
const repeats = async (id: string) =>
  (await service.pool`select id from emails where resend_of = ${id}`).length;

describe("sends again", () => {
  test("what was said, with its attachments and the data of now, as a mail of its own", async () => {
    const { id, to, contact } = await sent({
      data: { number: { value: "7", persistent: false } },
      headers: { "X-Order": "7" },
      attachments: [{ filename: "a.txt", content: btoa("hello"), contentType: "text/plain" }],
    });
    await call("PATCH", `/contacts/${contact}`, { data: { name: "Augusta" } });
    const { status, body } = await again(id);
    await service.runJobs();
    const content = (await call("GET", `/emails/${body.id}/content`)).body;

    expect(status).toBe(202);
    expect(body).toMatchObject({ to, contactId: contact, status: "PENDING", resendOf: id, campaignId: null });
    expect(await mailOf(body.id)).toMatchObject({
      status: "SENT",
      resendOf: id,
      sourceType: "TRANSACTIONAL",
    });
    expect(await mailOf(id)).toMatchObject({ status: "SENT", resendOf: null, attempts: 1 });
    expect(content).toMatchObject({
      subject: "Receipt 7",
      html: "<p>Hi Augusta</p>",
      headers: { "X-Order": "7" },
      attachments: [{ filename: "a.txt", size: 5 }],
    });
    expect(received(to)).toHaveLength(2);
    expect(received(to)[1]!.source).toContain(btoa("hello"));
    const events = (await call("GET", `/emails/${id}/events`)).body;
    expect(events.map(({ name }: { name: string }) => name)).toEqual([
      "email.queued",
      "email.sent",
      "email.resent",
    ]);
    expect(events[2].data).toEqual({ emailId: body.id });
  });

  test("to the address that the contact has by now, even to one that the first mail bounced at", async () => {
    const { id, contact } = await sent();
    const to = `${crypto.randomUUID()}@example.com`;
    await service.pool`update emails set status = 'BOUNCED', bounced_at = now() where id = ${id}`;
    await call("PATCH", `/contacts/${contact}`, { email: to });
    const { status, body } = await again(id);
    await service.runJobs();

    expect([status, body.to]).toEqual([202, to]);
    expect(received(to)).toHaveLength(1);
  });

  test("a mail of a campaign, whose counters stay as they are", async () => {
    const address = (await campaigns.addContacts(1))[0]!;
    const campaign = await campaigns.create({ name: "Once", subject: "Once {{firstName}}" });
    await campaigns.send(campaign);
    await service.runJobs();
    const { body: list } = await call("GET", `/emails?to=${address}`);
    const before = await campaigns.stats(campaign);
    const { status, body } = await again(list.data[0].id);
    await service.runJobs();

    expect([status, body.campaignId, body.sourceType]).toEqual([202, null, "TRANSACTIONAL"]);
    expect((await mailOf(body.id)).status).toBe("SENT");
    expect(received(address).map(({ source }) => /Feedback-ID: .*/.exec(source)?.[0])).toHaveLength(2);
    expect(received(address)[1]!.source).toContain("List-Unsubscribe");
    expect(await campaigns.stats(campaign)).toEqual(before);
    await call("PATCH", `/contacts/${body.contactId}`, { subscribed: false });
    const refused = await again(list.data[0].id);
    expect([refused.status, refused.body.error.details.recipients]).toEqual([400, [address]]);
  });

  test("a mail of a workflow with the data of its execution, also to somebody else, and not without it", async () => {
    const say = "<p>{{event.number}} {{contact.email}}|{{email}}</p>";
    const template = await flows.template({ subject: "Order", body: say });
    const recipient = { type: "CUSTOM", customEmail: "team@shop.example" };
    const flow = await flows.build({
      steps: {
        Mail: { type: "SEND_EMAIL", template } as never,
        Team: { type: "SEND_EMAIL", template, recipient } as never,
        End: { type: "EXIT" },
      },
      ways: ["Trigger > Mail", "Mail > Team", "Team > End"],
    });
    const to = `${crypto.randomUUID()}@example.com`;
    await flows.track(to, "signup", { number: "A-17" });
    await service.runJobs();
    const { body: list } = await call("GET", `/emails?workflowId=${flow.id}`);
    const [team, own] = list.data;
    const html = async (id: string) => (await call("GET", `/emails/${id}/content`)).body.html;
    const repeated = [await again(own.id), await again(team.id)];
    await service.runJobs();

    expect(await html(own.id)).toBe(`<p>A-17 |${to}</p>`);
    expect(await html(team.id)).toBe(`<p>A-17 ${to}|team@shop.example</p>`);
    expect(repeated.map(({ status }) => status)).toEqual([202, 202]);
    for (const { body } of repeated) expect(body).toMatchObject({ workflowId: null, templateId: template });
    const sources = [...received(to), ...received("team@shop.example")].map(({ source }) => source);
    expect(sources).toHaveLength(4);
    const [, second, , fourth] = sources;
    expect((await readMail(second!)).html).toContain(`A-17 |${to}`);
    expect((await readMail(fourth!)).html).toContain(`A-17 ${to}|team@shop.example`);

    await call("PATCH", `/workflows/${flow.id}`, { enabled: false });
    expect((await call("DELETE", `/workflows/${flow.id}`)).status).toBe(204);
    const { status, body } = await again(own.id);
    expect([status, body.error.message]).toEqual([409, expect.stringContaining("workflow")]);
  });

  test("nothing to a suppressed address: the new row says why", async () => {
    const { id, to } = await sent();
    await call("POST", "/suppressions", { emails: [to] });
    const { status, body } = await again(id);
    await service.runJobs();

    expect([status, body.status]).toEqual([202, "SUPPRESSED"]);
    expect(body.error).toContain("suppression list (MANUAL)");
    expect(received(to)).toHaveLength(1);
  });
});

describe("refuses", () => {
  test("a body that wants it otherwise: to another recipient nothing is sent", async () => {
    const { id } = await sent();
    const { status, body } = await call("POST", `/emails/${id}/resend`, {
      to: "eve@example.com",
      subject: "x",
    });
    const empty = await call("POST", `/emails/${id}/resend`, {});

    expect([status, body.error.code]).toEqual([422, "VALIDATION_ERROR"]);
    expect(body.error.errors.map(({ field }: { field: string }) => field)).toEqual(["to", "subject"]);
    expect(empty.status).toBe(202);
    expect(await repeats(id)).toBe(1);
  });

  test.each(["PENDING", "SENDING"])("a mail that is %s", async (status) => {
    const { id } = await sent();
    await service.pool`update emails set status = ${status}::email_status where id = ${id}`;
    const { status: answered, body } = await again(id);

    expect([answered, body.error.code, body.error.details]).toEqual([409, "CONFLICT", { status }]);
    expect(await repeats(id)).toBe(0);
  });

  test("a mail whose content has been removed", async () => {
    const { id } = await sent();
    await service.pool`
      update contents set html = null, emptied_at = now()
      where id = (select content_id from emails where id = ${id})`;
    const { status, body } = await again(id);

    expect([status, body.error.message]).toEqual([409, expect.stringContaining("no longer kept")]);
  });

  test("a mail whose contact has been deleted", async () => {
    const { id, contact } = await sent();
    await call("DELETE", `/contacts/${contact}`);
    const { status, body } = await again(id);

    expect([status, body.error.message]).toEqual([409, expect.stringContaining("contact has been deleted")]);
  });

  test("what no send would take: opted out, no verified domain, nothing left of the month", async () => {
    const marketing = { name: "News", subject: "News", body: "<p>Hi</p>", from: FROM, type: "MARKETING" };
    const template = (await call("POST", "/templates", marketing)).body.id as string;
    const { id, to, contact } = await sent({ subject: undefined, body: undefined, template });
    await call("PATCH", `/contacts/${contact}`, { subscribed: true });
    await call("PATCH", `/contacts/${contact}`, { subscribed: false });
    const optedOut = await again(id);
    const { id: other } = await sent();
    await service.pool`update domains set status = 'FAILED' where project_id = ${project.id}`;
    const unverified = await again(other);
    await service.pool`update domains set status = 'VERIFIED' where project_id = ${project.id}`;
    await service.pool`
      insert into usage_limits (project_id, category, monthly_limit) values (${project.id}, 'transactional', 1)`;
    const overLimit = await again(other);
    await service.pool`delete from usage_limits where project_id = ${project.id}`;

    expect([optedOut.status, optedOut.body.error.details.recipients]).toEqual([400, [to]]);
    expect([unverified.status, unverified.body.error.details.reason]).toEqual([
      403,
      "SENDER_DOMAIN_NOT_VERIFIED",
    ]);
    expect([overLimit.status, overLimit.body.error.code]).toEqual([402, "BILLING_LIMIT_EXCEEDED"]);
    expect([await repeats(id), await repeats(other)]).toEqual([0, 0]);
  });

  test("a mail that does not exist, or is another project's", async () => {
    const { id } = await sent();
    const stranger = await createProject(service, "Stranger");
    const theirs = await service.request("POST", `/emails/${id}/resend`, { key: stranger.secret });

    expect((await again(crypto.randomUUID())).status).toBe(404);
    expect((await again("nothing")).status).toBe(404);
    expect([theirs.status, await repeats(id)]).toEqual([404, 0]);
  });

  test("a key that was used: however many come at once, one mail is sent", async () => {
    const { id, to } = await sent();
    const answers = await Promise.all(Array.from({ length: 8 }, () => again(id, "one-and-only")));
    await service.runJobs();
    const first = answers.find(({ status }) => status === 202)!;

    expect(answers.map(({ status }) => status).sort()).toEqual([202, ...Array(7).fill(409)]);
    const { error } = answers.find(({ status }) => status === 409)!.body;
    expect(error.code).toBe("IDEMPOTENCY_KEY_REUSED");
    expect(error.details).toMatchObject({ originalStatusCode: 202, originalResponse: { id: first.body.id } });
    expect([await repeats(id), received(to).length]).toEqual([1, 2]);
  });
});

describe("at the same time", () => {
  test("as its contact is deleted, it is sent or refused, and nobody gets mail afterwards", async () => {
    const { id, to, contact } = await sent();
    let answer: Promise<unknown> | undefined;
    await service.pool.begin(async (tx) => {
      await tx`select from contacts where id = ${contact} for update`;
      answer = again(id);
      await untilBlocked(service.pool, {}, answer);
      await tx`update emails set contact_id = null, address = 'gone' where id = ${id}`;
      await tx`delete from contacts where id = ${contact}`;
    });
    const { status, body } = (await answer) as Awaited<ReturnType<typeof again>>;
    await service.runJobs();

    expect([status, body.error.message]).toEqual([409, expect.stringContaining("contact has been deleted")]);
    expect([received(to).length, await repeats(id)]).toEqual([1, 0]);
  });
});

describe("while the database goes away", () => {
  let proxy: TestProxy;
  let pool: ReturnType<typeof openPool>;
  beforeAll(async () => {
    proxy = await startProxy(service.databaseUrl);
    pool = openPool(proxy.url, { max: 4, silenceS: 3 });
  });
  afterAll(async () => {
    await pool.end({ timeout: 1 });
    await proxy.stop();
  });

  test("all of it has happened or nothing, and the same key repeats it safely", async () => {
    const { id, to, contact } = await sent();
    const app = createApp({ ...service, pool, sql: pool, patienceMs: 500 } as Context);
    const ask = () =>
      app.handle(
        new Request(`http://localhost/emails/${id}/resend`, {
          method: "POST",
          headers: { authorization: `Bearer ${project.secret}`, "idempotency-key": "through the storm" },
        }),
      );
    let lost: Promise<Response> | undefined;
    await service.pool.begin(async (tx) => {
      await tx`select from contacts where id = ${contact} for update`;
      lost = ask();
      await untilBlocked(service.pool, {}, lost);
      proxy.cut({ refuse: true });
    });
    expect((await lost!).status).toBe(503);
    proxy.admit();
    const answer = await ask();
    await service.runJobs();

    expect([202, 409]).toContain(answer.status);
    expect([await repeats(id), received(to).length]).toEqual([1, 2]);
  }, 120_000);
});
