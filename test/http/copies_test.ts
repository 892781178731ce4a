// cc and bcc: one message for several recipients who see each other, and a mail of the ledger for each.
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { usageOf } from "../../src/accounts/billing/usage.ts";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { enqueueDue } from "../../src/sending/delivery/scheduled.ts";
import { applyNotices } from "../../src/sending/feedback/mod.ts";
import { inTransaction } from "../../src/context.ts";
import { until } from "../support/process.ts";
import { readMail } from "../support/received_mail.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService();
let project: NewProject;

beforeAll(async () => {
  project = await service.createProject();
});

beforeEach(() => {
  service.smtp.received.length = 0;
});

const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  await service.request(method, path, { key: project.secret, headers, ...(body !== undefined && { body }) });
const mailOf = async (id: string) => (await call("GET", `/emails/${id}`)).body;
const fresh = (name: string) => `${name}.${crypto.randomUUID().slice(0, 8)}@example.com`;
/** Addresses of nobody else. */
const people = () => ({ ada: fresh("ada"), ben: fresh("ben"), cleo: fresh("cleo"), dan: fresh("dan") });
const basic = { from: `shop@${DOMAIN}`, subject: "Hi {{name}}", body: "<p>Hello {{name}}</p>" };
const post = (message: object, headers: Record<string, string> = {}) =>
  call("POST", "/v1/send", { ...basic, ...message }, headers);
const counts = async () => [
  ...(await service.pool`
    select (select count(*)::int from emails) as mails, (select count(*)::int from contacts) as contacts`),
];

interface Sent {
  contact: { id: string; email: string };
  email: string;
  role: string;
}

/** Accepts a message, and answers its mails. */
async function send(message: object): Promise<Sent[]> {
  const { status, body } = await post(message);
  expect([status, body.error]).toEqual([200, undefined]);
  return body.data.emails;
}

/** What each address has received, once all jobs are done. */
async function arrived() {
  await until("all mails that are due are done", async () => {
    await service.runJobs();
    // On a busy machine one may wait for a moment of its domain, or be tried again.
    const open = await service.pool`
      select from emails
      where project_id = ${project.id}
        and status in ('PENDING', 'SENDING')
        and coalesce(scheduled_for, queued_at) <= ${service.now()}
      limit 1`;
    return open.length === 0;
  });
  const mails = service.smtp.received.splice(0);
  return new Map(
    await Promise.all(
      mails.map(async ({ to, source }) => [to.join(), { source, ...(await readMail(source)) }] as const),
    ),
  );
}

const addresses = (list: { address?: string }[] = []) => list.map(({ address }) => address);

describe("a message with cc and bcc", () => {
  test("is the same for all of its recipients, who see those of to and cc; each has a mail in the ledger", async () => {
    const { ada, ben, cleo, dan } = people();
    const before = (await usageOf(service, project.id)).transactional.usage;
    const sent = await send({
      to: [`Ada Lovelace <${ada}>`, ben],
      cc: { email: cleo, name: "Cléo, Inc." },
      bcc: [dan.toUpperCase()],
      data: { name: "Ada" },
    });
    const mails = await arrived();
    const parentId = sent[0]!.email;

    expect(sent.map(({ contact, role }) => [contact.email, role])).toEqual([
      [ada, "to"],
      [ben, "to"],
      [cleo, "cc"],
      [dan, "bcc"],
    ]);
    expect([...mails.keys()].sort()).toEqual([ada, ben, cleo, dan].sort());
    for (const mail of mails.values()) {
      expect([mail.subject, mail.text]).toEqual(["Hi Ada", "Hello Ada"]);
      expect([addresses(mail.to as []), addresses(mail.cc as [])]).toEqual([[ada, ben], [cleo]]);
      expect([mail.to![0]!.name, mail.cc![0]!.name, mail.bcc]).toEqual([
        "Ada Lovelace",
        "Cléo, Inc.",
        undefined,
      ]);
      expect(mail.source).not.toContain(dan);
    }
    expect(new Set([...mails.values()].map(({ messageId }) => messageId))).toEqual(
      new Set([`<all-${parentId}@${DOMAIN}>`]),
    );
    const listed = (await call("GET", `/emails?parentId=${parentId}&dir=asc`)).body;
    expect(listed.total).toBe(4);
    expect(listed.data.map((mail: Sent) => mail.role)).toEqual(["to", "to", "cc", "bcc"]);
    expect(listed.data[2]).toMatchObject({
      to: cleo,
      toName: "Cléo, Inc.",
      status: "SENT",
      subject: "Hi Ada",
      parentId,
      cc: [{ email: cleo, name: "Cléo, Inc." }],
      bcc: [{ email: dan, name: null }],
      messageId: `all-${parentId}@${DOMAIN}`,
    });
    expect((await call("GET", `/emails/${sent[3]!.email}/content`)).body.text.trim()).toBe("Hello Ada");
    expect((await usageOf(service, project.id)).transactional.usage - before).toBe(4);
    expect((await call("GET", `/emails?parentId=${parentId}&status=SENT`)).status).toBe(400);
  });

  test("carries its files, and counts opens and clicks for each recipient", async () => {
    const { ada, cleo } = people();
    const [, copy] = await send({
      to: ada,
      cc: cleo,
      body: '<a href="https://shop.example/x">look</a>',
      attachments: [{ filename: "a.txt", content: btoa("hello"), contentType: "text/plain" }],
    });
    const mails = await arrived();
    const html = mails.get(cleo)!.html as string;

    expect(
      [...mails.values()].map(({ cc, attachments }) => [addresses(cc as []), attachments.length]),
    ).toEqual([
      [[cleo], 1],
      [[cleo], 1],
    ]);
    expect(html).not.toBe(mails.get(ada)!.html as string);
    const link = new URL(/href="([^"]+)"/.exec(html)![1]!);
    await service.request("GET", link.pathname, {
      headers: { "user-agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Firefox/140.0" },
    });
    await until("the click is counted", async () => (await mailOf(copy!.email)).clicks === 1);
    const events = (await call("GET", `/emails/${copy!.email}/events`)).body as {
      name: string;
      data: Record<string, unknown>;
    }[];
    for (const name of ["email.sent", "email.click"]) {
      expect(events.find((event) => event.name === name)?.data).toMatchObject({
        role: "cc",
        parentId: (await mailOf(copy!.email)).parentId,
      });
    }
  });

  test("goes to an address once, in the role in which it is named first", async () => {
    const { ada, ben, cleo } = people();
    const sent = await send({ to: [ada, ada], cc: [ben, ada], bcc: [cleo, ben, cleo.toUpperCase()] });

    expect(sent.map(({ contact, role }) => [contact.email, role])).toEqual([
      [ada, "to"],
      [ben, "cc"],
      [cleo, "bcc"],
    ]);
    const mails = await arrived();
    expect(mails.size).toBe(3);
    expect(addresses(mails.get(cleo)!.cc as [])).toEqual([ben]);
  });

  test("leaves out who is on the suppression list, and says so", async () => {
    const { ada, ben, cleo } = people();
    await call("POST", "/suppressions", { emails: [ada, cleo] });
    const sent = await send({ to: ada, cc: ben, bcc: cleo });
    const mails = await arrived();
    const rows = await Promise.all(sent.map(({ email }) => mailOf(email)));

    expect([...mails.keys()]).toEqual([ben]);
    expect(rows.map(({ status, error }) => [status, error])).toEqual([
      ["SUPPRESSED", "The address is on the suppression list (MANUAL)"],
      ["SENT", null],
      ["SUPPRESSED", "The address is on the suppression list (MANUAL)"],
    ]);
  });

  test("says nothing about the contacts of its copies, and asks nobody to unsubscribe somebody else", async () => {
    const { ada, ben, cleo } = people();
    await call("POST", "/contacts", { email: ben, subscribed: true, data: { name: "Ben" } });
    const body = "<p>Hello {{name}}, {{email}}: {{unsubscribeUrl}}</p>";
    const sent = await send({ to: ada, cc: ben, bcc: cleo, body, data: { name: "Ada" }, subscribed: false });
    const mails = await arrived();
    const stored = await Promise.all(
      sent.map(async ({ contact }) => (await call("GET", `/contacts/${contact.id}`)).body),
    );

    expect(stored.map(({ subscribed, data }) => [subscribed, data])).toEqual([
      [false, { name: "Ada" }],
      [true, { name: "Ben" }],
      [false, {}],
    ]);
    const texts = sent.map(({ contact }) => mails.get(contact.email)!.text!.replaceAll("\n", " "));
    for (const text of texts) expect(text).toStartWith(`Hello Ada, ${ada}: http`);
    expect(new Set(texts).size).toBe(3);
  });

  test("of a marketing template is refused where one of them has opted out", async () => {
    const { ada, ben } = people();
    const { body: template } = await call("POST", "/templates", {
      ...basic,
      name: crypto.randomUUID(),
      type: "MARKETING",
    });
    const contact = (await call("POST", "/contacts", { email: ben, subscribed: true })).body;
    await call("PATCH", `/contacts/${contact.id}`, { subscribed: false });
    const before = await counts();
    const { status, body } = await call("POST", "/v1/send", { to: ada, cc: ben, template: template.id });

    expect([status, body.error.details.recipients]).toEqual([400, [ben]]);
    expect(await counts()).toEqual(before);
  });
});

test("without cc and bcc each recipient of several gets a mail that names nobody else", async () => {
  const { ada, ben } = people();
  const sent = await send({ to: [ada, ben], cc: [], bcc: [] });
  const mails = await arrived();

  expect(sent.map(({ role }) => role)).toEqual([undefined, undefined] as never[]);
  expect([ada, ben].map((email) => mails.get(email)!).map(({ to, cc }) => [addresses(to as []), cc])).toEqual(
    [
      [[ada], undefined],
      [[ben], undefined],
    ],
  );
  expect(await mailOf(sent[1]!.email)).toMatchObject({ role: "to", parentId: null, cc: [], bcc: [] });
});

describe("is refused, and nothing is written", () => {
  const refused = async (message: object) => {
    const before = await counts();
    const { status, body } = await post(message);
    expect([status, await counts()]).toEqual([422, before]);
    return body.error.errors.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`);
  };
  const many = (count: number) => Array.from({ length: count }, (_, n) => `m${n}@example.com`);

  test("with an address that is none, or would become another header", async () => {
    expect(await refused({ to: "a@example.com", cc: "nobody" })).toEqual(["cc invalid_string"]);
    expect(await refused({ to: "a@example.com", bcc: ["b@example.com", "b@example.com\r\nX: y"] })).toEqual([
      "bcc.1 invalid_string",
    ]);
    expect(
      await refused({ to: "a@example.com", cc: { email: "b@example.com", name: "B\r\nBcc: c@example.com" } }),
    ).toEqual(["cc.name invalid_string"]);
  });

  test("with more than 50 recipients in all; to alone may have 1,000", async () => {
    expect(await refused({ to: many(49), cc: "c@example.com", bcc: "d@example.com" })).toEqual([
      "to too_big",
    ]);
    expect(await refused({ to: "a@example.com", cc: many(51) })).toEqual(["cc too_big"]);
    expect((await post({ to: many(48), cc: "c@example.com", bcc: "d@example.com" })).status).toBe(200);
    expect((await post({ to: many(51) })).status).toBe(200);
    await service.dropJobs();
    await service.pool`delete from emails where address ~ '^m[0-9]+@'`;
    await service.pool`delete from emails where address in ('c@example.com', 'd@example.com')`;
  });
});

describe("afterwards", () => {
  const later = () => new Date(Date.now() + 3_600_000).toISOString();
  const statuses = async (mails: Sent[]) =>
    (await Promise.all(mails.map(({ email }) => mailOf(email)))).map(({ status }) => status);

  test("the time and the cancellation of the first mail are those of all, any other is changed by itself", async () => {
    const { ada, ben, cleo } = people();
    const sent = await send({ to: ada, cc: ben, bcc: cleo, sendAt: later() });
    const used = async () => (await usageOf(service, project.id)).transactional.usage;
    const before = await used();
    const time = new Date(Date.now() + 7_200_000).toISOString();
    await call("PATCH", `/emails/${sent[0]!.email}`, { sendAt: time });
    const times = await Promise.all(sent.map(async ({ email }) => (await mailOf(email)).scheduledFor));
    const waiting = await service.pool`
      select send_at from scheduled_emails where email_id = any(${sent.map(({ email }) => email)}::uuid[])`;

    expect(times).toEqual([time, time, time]);
    expect(waiting.map((row) => row.sendAt.toISOString())).toEqual([time, time, time]);
    expect((await call("POST", `/emails/${sent[2]!.email}/cancel`)).status).toBe(200);
    expect(await statuses(sent)).toEqual(["PENDING", "PENDING", "SUPPRESSED"]);
    expect((await call("POST", `/emails/${sent[0]!.email}/cancel`)).body.status).toBe("SUPPRESSED");
    expect(await statuses(sent)).toEqual(["SUPPRESSED", "SUPPRESSED", "SUPPRESSED"]);
    expect(before - (await used())).toBe(3);
    expect((await call("POST", `/emails/${sent[0]!.email}/cancel`)).status).toBe(409);
  });

  test("one of them gets it again by itself, with the same header and an id of its own", async () => {
    const { ada, ben } = people();
    const [first, copy] = await send({ to: ada, cc: ben, data: { name: "Ada" } });
    await arrived();
    const { body } = await call("POST", `/emails/${copy!.email}/resend`);
    const mails = await arrived();

    expect([...mails.keys()]).toEqual([ben]);
    const mail = mails.get(ben)!;
    expect([addresses(mail.to as []), addresses(mail.cc as [])]).toEqual([[ada], [ben]]);
    expect([mail.text, mail.messageId]).toEqual(["Hello Ada", `<${body.id}@${DOMAIN}>`]);
    expect(body).toMatchObject({ role: "cc", parentId: first!.email, resendOf: copy!.email });
    expect((await call("POST", `/emails/${first!.email}/resend`)).body).toMatchObject({
      role: "to",
      to: ada,
      parentId: first!.email,
    });
    await arrived();
  });

  test("a bounce is that of one recipient", async () => {
    const { ada, ben } = people();
    const sent = await send({ to: ada, bcc: ben });
    await arrived();
    const mail = { projectId: project.id, emailId: sent[1]!.email, providerId: null };
    const at = service.now();
    await inTransaction(service, (tx) =>
      applyNotices(tx, [
        { mail, at, sentAt: null, recipient: ben, kind: "bounce", bounceType: "Permanent", diagnostic: "no" },
      ]),
    );
    const events = (await call("GET", `/emails/${sent[1]!.email}/events`)).body as {
      name: string;
      data: object;
    }[];

    expect(await statuses(sent)).toEqual(["SENT", "BOUNCED"]);
    expect(events.find(({ name }) => name === "email.bounce")!.data).toMatchObject({
      role: "bcc",
      parentId: sent[0]!.email,
    });
  });

  test("a deleted contact is named no more, and what shows their data is not sent", async () => {
    const { ada, ben, cleo, dan } = people();
    const sendAt = later();
    const sent = await send({ to: [ada, dan], cc: ben, bcc: cleo, data: { name: "Ada" }, sendAt });
    const plain = await send({ to: ada, cc: dan, subject: "Hi", body: "<p>For all</p>", sendAt });
    await call("DELETE", `/contacts/${sent[2]!.contact.id}`);
    const shown = await mailOf(sent[3]!.email);
    await call("DELETE", `/contacts/${sent[0]!.contact.id}`);
    const [row] = await service.pool`
      select string_agg(recipients::text, '') as kept
      from contents where recipients is not null and project_id = ${project.id}`;
    service.setNow(new Date(new Date(sendAt).getTime() + 1_000));
    await enqueueDue(service);
    const mails = await arrived();
    service.setNow(new Date());

    expect([shown.cc, shown.bcc]).toEqual([[], [{ email: cleo, name: null }]] as never[]);
    expect([ada, ben, dan].map((email) => row!.kept.includes(email))).toEqual([false, false, true]);
    expect([...mails.keys()]).toEqual([dan]);
    expect([mails.get(dan)!.to, mails.get(dan)!.text]).toEqual([undefined, "For all"] as never[]);
    expect(await statuses(plain)).toEqual(["SUPPRESSED", "SENT"]);
    expect(await statuses(sent)).toEqual(["SUPPRESSED", "SUPPRESSED", "SUPPRESSED", "SUPPRESSED"]);
    expect((await mailOf(sent[3]!.email)).error).toBe("The contact whose data it shows was deleted");
  });
});

test("a key stands for the copies, too: the same again gets the first answer, another cc is refused", async () => {
  const { ada, ben, cleo } = people();
  const headers = { "idempotency-key": ada, "idempotency-replay": "true" };
  const first = await post({ to: ada, cc: ben }, headers);
  const again = await post({ to: ada, cc: ben }, headers);

  expect([again.status, again.body.data]).toEqual([200, first.body.data]);
  expect((await post({ to: ada, cc: cleo }, headers)).status).toBe(409);
  expect((await arrived()).size).toBe(2);
});

test("a batch takes them, each message its own", async () => {
  const { ada, ben, cleo, dan } = people();
  const { body } = await call("POST", "/v1/send/batch", {
    messages: [
      { ...basic, to: ada, cc: ben },
      { ...basic, to: cleo, cc: "nobody" },
      { ...basic, to: dan },
    ],
  });

  expect(body.data[0].data.emails.map(({ role }: Sent) => role)).toEqual(["to", "cc"]);
  expect(body.data[1].error.errors[0].field).toBe("cc");
  expect(body.data[2].data.emails[0].role).toBeUndefined();
  expect([...(await arrived()).keys()].sort()).toEqual([ada, ben, dan].sort());
});
