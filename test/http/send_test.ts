import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { q } from "../../src/db/queries.ts";
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

const FROM = `hello@${DOMAIN}`;
const basic = { to: "ada@example.com", from: FROM, subject: "Hi", body: "<p>Hello</p>" };

const send = (body: unknown, headers: Record<string, string> = {}) =>
  service.request("POST", "/v1/send", { key: project.secret, body, headers });

const counts = async () => {
  const [row] = await service.pool`
    select
      (select count(*)::int from contacts where project_id = ${project.id}) as contacts,
      (select count(*)::int from emails where project_id = ${project.id}) as emails,
      (select count(*)::int from contents where project_id = ${project.id}) as contents`;
  return row!;
};

const delivered = async () => {
  await service.runJobs();
  return await Promise.all(
    service.smtp.received.map(async ({ from, to, source }) => ({
      envelope: { from, to },
      mail: await readMail(source),
      source,
    })),
  );
};

const makeTemplate = (type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS", over: Record<string, unknown> = {}) =>
  q.templates.insert(service, {
    projectId: project.id,
    name: "Welcome",
    alias: null,
    description: null,
    subject: "Welcome {{name}}",
    preheader: null,
    body: "<p>Hello {{name}}, plan {{plan ?? free}}</p>",
    html: "<p>Hello {{name}}, plan {{plan ?? free}}</p>",
    fromEmail: `template@${DOMAIN}`,
    fromName: "Template",
    replyTo: `reply@${DOMAIN}`,
    type,
    ...over,
  });

describe("POST /v1/send", () => {
  test("accepts a mail, which arrives with its headers, and the ledger says so", async () => {
    const { status, body } = await send({
      ...basic,
      to: "Ada@Example.com",
      from: { email: `Hello@${DOMAIN}`, name: "Shöp, Inc." },
      subject: "Grüße {{first}}",
      body: "<p>Hello <b>{{first}}</b> &amp; {{evil}}</p>",
      data: { first: "Ada", evil: "<script>" },
      reply: "help@example.com",
      headers: { "X-Order": "42", "X-Long": "ä".repeat(300) },
    });
    const [message] = await delivered();

    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      data: {
        emails: [
          { contact: { id: expect.any(String), email: "ada@example.com" }, email: expect.any(String) },
        ],
        timestamp: expect.any(String),
      },
    });
    expect(message!.envelope).toEqual({ from: FROM, to: ["ada@example.com"] });
    expect(message!.mail).toMatchObject({
      from: { name: "Shöp, Inc.", address: FROM },
      to: [{ name: "", address: "ada@example.com" }],
      replyTo: [{ address: "help@example.com" }],
      subject: "Grüße Ada",
      messageId: `<${body.data.emails[0].email}@${DOMAIN}>`,
    });
    expect(message!.mail.html).toContain("<p>Hello <b>Ada</b> &amp; &lt;script&gt;</p>");
    expect(message!.mail.text).toContain("Hello Ada & <script>");
    const headers = Object.fromEntries(message!.mail.headers.map((header) => [header.key, header.value]));
    expect(headers["x-order"]).toBe("42");
    expect(message!.source.split("\r\n").every((line) => line.length <= 998)).toBe(true);

    const email = await service.request("GET", `/emails/${body.data.emails[0].email}`, {
      key: project.secret,
    });
    expect(email.body).toMatchObject({
      id: body.data.emails[0].email,
      contactId: body.data.emails[0].contact.id,
      sourceType: "TRANSACTIONAL",
      status: "SENT",
      attempts: 1,
      error: null,
      campaignId: null,
      opens: 0,
    });
    const [event] = await service.pool`
      select name, data from events where email_id = ${body.data.emails[0].email}`;
    expect(event).toMatchObject({
      name: "email.sent",
      data: {
        subject: "Grüße Ada",
        from: FROM,
        emailId: email.body.id,
        sourceType: "TRANSACTIONAL",
        templateId: null,
      },
    });
  });

  test("a new contact is not subscribed; an existing one keeps its state, unless the request says otherwise", async () => {
    const subscribed = async (email: string) =>
      (
        await service.pool`select subscribed from contacts where project_id = ${project.id} and email = ${email}`
      )[0]!.subscribed;
    await send({ ...basic, to: "new@example.com" });
    expect(await subscribed("new@example.com")).toBe(false);
    await send({ ...basic, to: "new@example.com", subscribed: true });
    expect(await subscribed("new@example.com")).toBe(true);
    await send({ ...basic, to: "new@example.com" });
    expect(await subscribed("new@example.com")).toBe(true);
    await service.runJobs();
  });

  test("recipients get one mail each, in order; the same address twice is two mails to one contact", async () => {
    const { body } = await send({
      ...basic,
      to: ["One <one@example.com>", { email: "two@example.com", name: "Twö" }, "one@example.com"],
      name: "Ignored",
      from: `Shop <${FROM}>`,
    });
    const messages = await delivered();

    expect(body.data.emails.map((e: { contact: { email: string } }) => e.contact.email)).toEqual([
      "one@example.com",
      "two@example.com",
      "one@example.com",
    ]);
    expect(new Set(body.data.emails.map((e: { email: string }) => e.email)).size).toBe(3);
    expect(body.data.emails[0].contact.id).toBe(body.data.emails[2].contact.id);
    expect(
      messages.map(({ mail }) => `${mail.to![0]!.name}|${mail.to![0]!.address}|${mail.from!.name}`).sort(),
    ).toEqual(["One|one@example.com|Shop", "Twö|two@example.com|Shop", "|one@example.com|Shop"]);
    const [contact] =
      await service.pool`select data from contacts where id = ${body.data.emails[1].contact.id}`;
    expect(contact!.data).toEqual({});
  });

  test("the deprecated name is used for a sender without one", async () => {
    await send({ ...basic, name: "Shop" });
    const [message] = await delivered();

    expect(message!.mail.from).toMatchObject({ name: "Shop", address: FROM });
  });

  test("a one-off value is rendered and not stored; a value of this request goes over the stored one", async () => {
    const to = "once@example.com";
    await send({
      ...basic,
      to,
      data: { plan: "free", code: { value: "123", persistent: false } },
      body: "{{plan}} {{code}}",
    });
    await send({
      ...basic,
      to,
      data: { plan: { value: "trial", persistent: false } },
      body: "{{plan}} [{{code}}]",
    });
    const messages = await delivered();

    expect(messages.map(({ mail }) => mail.text!.trim()).sort()).toEqual(["free 123", "trial []"]);
    const [contact] =
      await service.pool`select data from contacts where project_id = ${project.id} and email = ${to}`;
    expect(contact!.data).toEqual({ plan: "free" });
  });

  test("attachments and inline images arrive byte for byte", async () => {
    const bytes = Buffer.from(Array.from({ length: 1000 }, (_, i) => i % 256));
    await send({
      ...basic,
      body: '<img src="cid:logo">',
      attachments: [
        { filename: "Übersicht.pdf", content: bytes.toString("base64"), contentType: "application/pdf" },
        {
          filename: "logo.png",
          content: "iVBORw0KGgo=",
          contentType: "image/png",
          contentId: "logo",
          disposition: "inline",
        },
      ],
    });
    const [message] = await delivered();
    const [logo, pdf] = message!.mail.attachments;

    expect(pdf).toMatchObject({
      filename: "Übersicht.pdf",
      mimeType: "application/pdf",
      disposition: "attachment",
    });
    expect(Buffer.from(pdf!.content as ArrayBuffer).equals(bytes)).toBe(true);
    expect(logo).toMatchObject({ filename: "logo.png", contentId: "<logo>", disposition: "inline" });
  });

  test("a template gives what the request leaves out", async () => {
    const template = await makeTemplate("TRANSACTIONAL");
    await send({ to: "tpl@example.com", template: template.id, data: { name: "Ada" } });
    await send({
      to: "tpl2@example.com",
      template: template.id,
      subject: "Mine",
      from: FROM,
      data: { name: "Ada", plan: "pro" },
    });
    const [one, two] = (await delivered()).sort((a, b) => (a.mail.subject! > b.mail.subject! ? -1 : 1));

    expect(one!.mail).toMatchObject({
      subject: "Welcome Ada",
      from: { name: "Template", address: `template@${DOMAIN}` },
      replyTo: [{ address: `reply@${DOMAIN}` }],
    });
    expect(one!.mail.html).toContain("Hello Ada, plan free");
    expect(two!.mail).toMatchObject({ subject: "Mine", from: { name: "", address: FROM } });
    expect(two!.mail.html).toContain("Hello Ada, plan pro");
  });

  test("a MARKETING template is refused for who has opted out, with nothing queued for anyone", async () => {
    const template = await makeTemplate("MARKETING");
    await service.request("POST", "/v1/track", {
      key: project.public,
      body: { email: "out@example.com", event: "e" },
    });
    await service.request("POST", "/v1/track", {
      key: project.public,
      body: { email: "out@example.com", event: "e", subscribed: false },
    });
    const before = await counts();
    const { status, body } = await send({
      to: ["brand-new@example.com", "out@example.com"],
      template: template.id,
    });

    expect([status, body.error.code]).toEqual([400, "BAD_REQUEST"]);
    expect(body.error.details).toEqual({ recipients: ["out@example.com"] });
    expect(await counts()).toEqual(before);
    expect((await send({ to: "brand-new@example.com", template: template.id })).status).toBe(200);
    await service.runJobs();
  });

  test("opting out between acceptance and sending is honoured", async () => {
    const template = await makeTemplate("MARKETING");
    await send({ to: "late@example.com", template: template.id, subscribed: true });
    const { body } = await send({ to: "late@example.com", template: template.id });
    await service.request("POST", "/v1/track", {
      key: project.public,
      body: { email: "late@example.com", event: "e", subscribed: false },
    });
    await service.runJobs();

    const email = await service.request("GET", `/emails/${body.data.emails[0].email}`, {
      key: project.secret,
    });
    expect(email.body).toMatchObject({ status: "SUPPRESSED", error: "The contact has opted out" });
    expect(service.smtp.received).toHaveLength(0);
  });

  test.each([
    [
      "an unknown template",
      { to: "a@b.io", template: "0190aaaa-0000-7000-8000-000000000000" },
      404,
      "TEMPLATE_NOT_FOUND",
    ],
    [
      "a sender domain that is not the project's",
      { ...basic, from: "a@elsewhere.example" },
      403,
      "INTERNAL_SERVER_ERROR",
    ],
    ["a sub-domain of a verified one", { ...basic, from: `a@sub.${DOMAIN}` }, 403, "INTERNAL_SERVER_ERROR"],
  ])("%s is refused", async (_, input, expected, code) => {
    const before = await counts();
    const { status, body } = await send(input);

    expect([status, body.error.code]).toEqual([expected, code]);
    if (expected === 403) {
      expect(body.error.details.reason).toBe("SENDER_DOMAIN_NOT_VERIFIED");
      expect(body.error.suggestion).toBeString();
    }
    expect(await counts()).toEqual(before);
  });

  test("a domain is verified for one project, and not by being there", async () => {
    const other = await service.createProject();
    await service.pool`insert into domains (project_id, domain) values (${other.id}, 'pending.example')`;
    await service.pool`insert into domains (project_id, domain, status) values (${other.id}, 'theirs.example', 'VERIFIED')`;
    const as = (key: string, from: string) =>
      service.request("POST", "/v1/send", { key, body: { ...basic, from } });

    expect((await as(other.secret, "a@theirs.example")).status).toBe(200);
    expect((await as(project.secret, "a@theirs.example")).status).toBe(403);
    expect((await as(other.secret, "a@pending.example")).status).toBe(403);
    await service.runJobs();
  });

  test("a template of another project is not found", async () => {
    const other = await service.createProject();
    const template = await makeTemplate("TRANSACTIONAL");
    const { status } = await service.request("POST", "/v1/send", {
      key: other.secret,
      body: { to: "a@b.io", template: template.id },
    });

    expect(status).toBe(404);
  });

  test("the envelope is what was accepted, whatever the headers say", async () => {
    await send({
      ...basic,
      to: { email: "real@example.com", name: "x <evil@example.com>, other@example.com" },
    });
    const [message] = await delivered();

    expect(message!.envelope).toEqual({ from: FROM, to: ["real@example.com"] });
    expect(message!.mail.to).toHaveLength(1);
  });

  const file = { filename: "a.txt", content: "YQ==", contentType: "text/plain" };
  test.each<[string, Record<string, unknown>, Record<string, string>]>([
    ["nothing", {}, { to: "required", from: "required", subject: "required", body: "required" }],
    ["no sender", { to: "a@b.io", subject: "s", body: "b" }, { from: "required" }],
    ["no recipients", { ...basic, to: [] }, { to: "too_small" }],
    ["1,001 recipients", { ...basic, to: Array(1001).fill("a@b.io") }, { to: "too_big" }],
    [
      "wrong recipients",
      { ...basic, to: ["a@b.io", "bad", { email: "worse" }, 5] },
      { "to.1": "invalid_string", "to.2.email": "invalid_string", "to.3": "invalid_union" },
    ],
    ["two addresses in one", { ...basic, to: "a@b.io,c@d.io" }, { to: "invalid_string" }],
    [
      "a recipient with a command",
      { ...basic, to: "b@y.io\r\nRCPT TO:<evil@x.io>" },
      { to: "invalid_string" },
    ],
    [
      "a name with a line break",
      { ...basic, to: { email: "a@b.io", name: "A\r\nBcc: evil@x.io" } },
      { "to.name": "invalid_string" },
    ],
    ["a quoted name with a line break", { ...basic, to: '"A\nB" <a@b.io>' }, { to: "invalid_string" }],
    [
      "a subject with a line break",
      { ...basic, subject: "a\nBcc: evil@x.io" },
      { subject: "invalid_string" },
    ],
    ["a subject with NUL", { ...basic, subject: "a\0" }, { subject: "invalid_string" }],
    ["a long subject", { ...basic, subject: "s".repeat(999) }, { subject: "too_big" }],
    [
      "an empty subject and body",
      { ...basic, subject: "", body: "" },
      { subject: "too_small", body: "too_small" },
    ],
    ["a wrong reply", { ...basic, reply: "x\r\ny@z.io" }, { reply: "invalid_string" }],
    [
      "a from with a line break",
      { ...basic, from: { email: FROM, name: "a\rb" } },
      { "from.name": "invalid_string" },
    ],
    ["a deprecated name with a line break", { ...basic, name: "a\nb" }, { name: "invalid_string" }],
    [
      "a header value with a line break",
      { ...basic, headers: { "X-A": "a\r\nBcc: b@c.io" } },
      { "headers.X-A": "invalid_string" },
    ],
    [
      "headers of somebody who passes a mail on",
      { ...basic, headers: { "Resent-To": "b@c.io", "RESENT-Message-ID": "<a@b.io>", "X-Resent": "fine" } },
      { "headers.Resent-To": "custom", "headers.RESENT-Message-ID": "custom" },
    ],
    [
      "a header name with a line break",
      { ...basic, headers: { "X-A\r\nBcc": "a" } },
      { "headers.X-A??Bcc": "invalid_string" },
    ],
    [
      "a header name with a colon",
      { ...basic, headers: { "X-A:": "a" } },
      { "headers.X-A:": "invalid_string" },
    ],
    ["a long header value", { ...basic, headers: { "X-A": "a".repeat(999) } }, { "headers.X-A": "too_big" }],
    [
      "a header value that is a number",
      { ...basic, headers: { "X-A": 5 } },
      { "headers.X-A": "invalid_type" },
    ],
    [
      "headers of ours",
      { ...basic, headers: { Bcc: "a", "content-TYPE": "b", "DKIM-Signature": "c", "feedback-ID": "d" } },
      {
        "headers.Bcc": "custom",
        "headers.content-TYPE": "custom",
        "headers.DKIM-Signature": "custom",
        "headers.feedback-ID": "custom",
      },
    ],
    ["a body that does not parse", { ...basic, body: "line\n{{#if a}} open" }, { body: "custom" }],
    ["a subject that does not parse", { ...basic, subject: "{{#each}}" }, { subject: "custom" }],
    ["a template that is no UUID", { to: "a@b.io", template: "5" }, { template: "invalid_string" }],
    ["data that is no object", { ...basic, data: [] }, { data: "invalid_type" }],
    [
      "bad base64",
      { ...basic, attachments: [file, { ...file, content: "a*b=" }] },
      { "attachments.1.content": "invalid_string" },
    ],
    ["eleven attachments", { ...basic, attachments: Array(11).fill(file) }, { attachments: "too_big" }],
    [
      "an inline attachment without contentId",
      { ...basic, attachments: [{ ...file, disposition: "inline" }] },
      { "attachments.0.contentId": "required" },
    ],
    [
      "a file name with a quote",
      { ...basic, attachments: [{ ...file, filename: 'a".txt' }] },
      { "attachments.0.filename": "invalid_string" },
    ],
    [
      "a file name with a line break",
      { ...basic, attachments: [{ ...file, filename: "a\r\nb" }] },
      { "attachments.0.filename": "invalid_string" },
    ],
    [
      "a content type with a line break",
      { ...basic, attachments: [{ ...file, contentType: "a/b\r\nX: y" }] },
      { "attachments.0.contentType": "invalid_string" },
    ],
    [
      "a contentId with brackets",
      { ...basic, attachments: [{ ...file, contentId: "<a>" }] },
      { "attachments.0.contentId": "invalid_string" },
    ],
    [
      "an attachment without anything",
      { ...basic, attachments: [{}] },
      {
        "attachments.0.filename": "required",
        "attachments.0.content": "required",
        "attachments.0.contentType": "required",
      },
    ],
    [
      "an unknown disposition",
      { ...basic, attachments: [{ ...file, disposition: "x" }] },
      { "attachments.0.disposition": "invalid_enum_value" },
    ],
    [
      "more than 10 MB of attachments",
      { ...basic, attachments: [{ ...file, content: "A".repeat(14_100_000) }] },
      { attachments: "too_big" },
    ],
    [
      "wrong things of both kinds",
      { to: "bad", body: "{{#if}}", attachments: [{ ...file, content: "*" }] },
      {
        to: "invalid_string",
        from: "required",
        subject: "required",
        body: "custom",
        "attachments.0.content": "invalid_string",
      },
    ],
  ])("%s is refused with every field, and changes nothing", async (_, input, expected) => {
    const before = await counts();
    const { status, body } = await send(input);

    expect(status).toBe(422);
    const codes = Object.fromEntries(
      body.error.errors.map((e: { field: string; code: string }) => [e.field, e.code]),
    );
    expect(codes).toEqual(expected);
    expect(await counts()).toEqual(before);
  });

  test("a body of 60 MB is refused with 413", async () => {
    const raw = `{"to":"a@b.io","body":"${"x".repeat(60 * 1_048_576)}"}`;
    const { status, body } = await service.request("POST", "/v1/send", { key: project.secret, raw });

    expect([status, body.error.code]).toEqual([413, "PAYLOAD_TOO_LARGE"]);
  });

  test("200 requests at once with one Idempotency-Key make exactly one mail", async () => {
    const before = await counts();
    const answers = await Promise.all(
      Array.from({ length: 200 }, () =>
        send({ ...basic, to: "key@example.com" }, { "idempotency-key": "crowd" }),
      ),
    );
    await service.runJobs();

    const accepted = answers.filter((answer) => answer.status === 200);
    expect(accepted).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 409)).toHaveLength(199);
    for (const { body } of answers.filter((answer) => answer.status === 409)) {
      expect(body.error.details.originalResponse).toEqual(accepted[0]!.body);
    }
    expect((await counts()).emails).toBe(before.emails + 1);
    expect(service.smtp.received).toHaveLength(1);
  });
});

describe("GET /emails", () => {
  test("pages through all mails, the newest first, each once, also while new ones arrive", async () => {
    const own = await service.createProject();
    const post = (to: string[]) =>
      service.request("POST", "/v1/send", { key: own.secret, body: { ...basic, to } });
    const first = (await post(Array.from({ length: 45 }, (_, i) => `r${i}@example.com`))).body.data.emails;
    const seen: string[] = [];
    let cursor: string | null = null;
    let total: number | undefined;
    do {
      const path: string = `/emails?limit=20${cursor ? `&cursor=${cursor}` : ""}`;
      const { body } = await service.request("GET", path, { key: own.secret });
      total ??= body.total;
      seen.push(...body.data.map((email: { id: string }) => email.id));
      cursor = body.cursor;
      expect(body.hasMore).toBe(cursor !== null);
      await post(["meanwhile@example.com"]);
    } while (cursor);

    expect(total).toBe(45);
    expect(seen).toEqual(first.map((e: { email: string }) => e.email).reverse());
  });

  test("filters by contact, campaign and status; refuses what cannot be filtered by", async () => {
    const own = await service.createProject();
    const { body } = await service.request("POST", "/v1/send", {
      key: own.secret,
      body: { ...basic, to: ["a@b.io", "c@d.io"] },
    });
    const contactId = body.data.emails[0].contact.id;
    const list = async (query: string) =>
      await service.request("GET", `/emails?${query}`, { key: own.secret });

    expect((await list(`contactId=${contactId}`)).body.data).toMatchObject([
      { contactId, status: "PENDING" },
    ]);
    expect((await list("status=PENDING")).body.total).toBe(2);
    expect((await list("status=SENT")).body.data).toEqual([]);
    expect((await list(`campaignId=${contactId}`)).body.data).toEqual([]);
    expect((await list("limit=1000")).body.data).toHaveLength(2);
    expect((await list("limit=0")).body.data).toHaveLength(1);
    for (const query of ["status=LOST", "contactId=5", "cursor=xyz", "limit=many"]) {
      expect([query, (await list(query)).status]).toEqual([query, 400]);
    }
  });

  test("says the subject as it was sent, whatever the contact is called now, until the contact is deleted", async () => {
    const own = await service.createProject();
    const ask = async (method: string, path: string, body?: unknown) =>
      (await service.request(method, path, { key: own.secret, body })).body;
    // Of a domain of its own: what else waits here is not refused, which would have this one wait apart.
    const to = "ada@deferred.example";
    const message = { ...basic, to, subject: "Hi {{name}}", data: { name: "Ada" } };
    const [{ email: id, contact }] = (await ask("POST", "/v1/send", message)).data.emails;
    const subjects = async () => [
      (await ask("GET", "/emails")).data[0].subject,
      (await ask("GET", `/emails/${id}`)).subject,
      (await ask("GET", "/emails?search=ada@")).data[0]?.subject,
      (await ask("GET", `/emails/${id}/content`)).subject,
    ];

    const [written] = await subjects();
    service.smtp.behave({ rcpt: (address) => (address === to ? "451 4.7.1 Later" : undefined) });
    await service.runJobs();
    service.smtp.behave({});
    await until("the outcome is written", async () => !(await subjects()).includes("Hi {{name}}"));
    const tried = await subjects();
    await ask("PATCH", `/contacts/${contact.id}`, { data: { name: "Augusta" } });
    const [kept] = await subjects();
    await ask("DELETE", `/contacts/${contact.id}`);

    expect(written).toBe("Hi {{name}}");
    expect(tried).toEqual(Array(4).fill("Hi Ada"));
    expect(kept).toBe("Hi Ada");
    expect((await ask("GET", `/emails/${id}`)).subject).toBe("Hi {{name}}");
  });

  test("says nothing personal of a mail whose contact was deleted while it was sent", async () => {
    const own = await service.createProject();
    const ask = async (method: string, path: string, body?: unknown) =>
      (await service.request(method, path, { key: own.secret, body })).body;
    const message = { ...basic, to: "ada@held.example", subject: "Hi {{name}}", data: { name: "Ada" } };
    const [{ email: id, contact }] = (await ask("POST", "/v1/send", message)).data.emails;
    service.smtp.behave({
      holdData: async (address) => {
        if (address === "ada@held.example") await ask("DELETE", `/contacts/${contact.id}`);
      },
    });
    await service.runJobs();
    service.smtp.behave({});
    await until("it is sent", async () => (await ask("GET", `/emails/${id}`)).status === "SENT");

    expect(await ask("GET", `/emails/${id}`)).toMatchObject({ to: null, subject: "Hi {{name}}" });
  });

  test("a mail of another project, and an id that is none, is not found", async () => {
    const other = await service.createProject();
    const { body } = await send(basic);
    const theirs = await service.request("GET", `/emails/${body.data.emails[0].email}`, {
      key: other.secret,
    });
    const none = await service.request("GET", "/emails/5", { key: other.secret });

    expect([theirs.status, theirs.body.error.details]).toEqual([
      404,
      { resource: "email", id: body.data.emails[0].email },
    ]);
    expect(none.status).toBe(404);
    await service.runJobs();
  });
});
