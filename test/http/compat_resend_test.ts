// Resend's own SDK, unchanged, against the service.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Resend } from "resend";
import { SERVICE } from "../../src/accounts/audit.ts";
import { createKey } from "../../src/accounts/projects/named_keys.ts";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { mailOf } from "../support/compat.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService();
let server: ReturnType<typeof Bun.serve>;
let project: NewProject;
let resend: Resend;

beforeAll(async () => {
  server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => service.app.handle(request) });
  project = await service.createProject();
  resend = sdk(project.secret);
});

afterAll(async () => await server.stop(true));

const sdk = (key: string) => new Resend(key, { baseUrl: `${server.url}compat/resend` });
const address = () => `${crypto.randomUUID()}@example.com`;
const message = (more: object = {}) => ({
  from: `Shop <shop@${DOMAIN}>`,
  to: address(),
  subject: "Hello",
  html: "<p>Hello</p>",
  ...more,
});
const mails = async () =>
  (await service.pool`select count(*)::int as n from emails where project_id = ${project.id}`)[0]!
    .n as number;
const received = async (to: string) => await mailOf(service, to);

describe("emails.send", () => {
  test("sends what it was given: names, headers, tags, replies, files, and braces as they are", async () => {
    const to = address();
    const { data, error } = await resend.emails.send({
      ...message({ to: [`Ada <${to}>`] }),
      subject: "{{name}}, hello",
      html: '<p>Use {{{code}}} or \\{{x}}</p><img src="cid:logo">',
      text: "ignored",
      replyTo: ["Help <help@shop.example>", "desk@shop.example"],
      headers: { "X-Entity-Ref-ID": "42" },
      tags: [{ name: "category", value: "welcome" }],
      attachments: [
        { filename: "a.txt", content: Buffer.from("Hi") },
        { filename: "logo.png", content: "AAAA", contentType: "image/png", contentId: "logo" },
      ],
    });
    const mail = await received(to);
    const [row] =
      await service.pool`select e.id from emails e join contacts c on c.id = e.contact_id where c.email = ${to}`;
    const { body: shown } = await service.request("GET", `/emails/${row!.id}`, { key: project.secret });

    expect([error, data?.id]).toEqual([null, row!.id]);
    expect(shown.tags).toEqual([{ name: "category", value: "welcome" }]);
    expect(mail.subject).toBe("{{name}}, hello");
    expect(mail.html).toContain("Use {{{code}}} or");
    expect(mail.text).toContain("Use {{{code}}} or \\{{x}}");
    expect(mail.replyTo!.map((one) => one.address)).toEqual(["help@shop.example", "desk@shop.example"]);
    expect(mail.headers.find(({ key }) => key === "x-entity-ref-id")?.value).toBe("42");
    expect(mail.attachments.map((file) => [file.filename, file.mimeType, file.contentId ?? null])).toEqual([
      ["logo.png", "image/png", "<logo>"],
      ["a.txt", "text/plain", null],
    ]);
  });

  test("text alone is shown as it is", async () => {
    const to = address();
    await resend.emails.send({
      ...message({ to }),
      html: undefined,
      text: "1 < 2\nsecond {{line}}",
    } as never);
    const mail = await received(to);

    expect(mail.text!.trim()).toBe("1 < 2\nsecond {{line}}");
    expect(mail.html).toContain("1 &lt; 2<br>second {{line}}");
  });

  test("a template of ours, with variables that are not stored", async () => {
    const { body: template } = await service.request("POST", "/templates", {
      key: project.secret,
      body: { name: "T", subject: "Order {{order}}", body: "<p>Hi {{name}}</p>", from: `shop@${DOMAIN}` },
    });
    const to = address();
    const { error } = await resend.emails.send({
      to,
      template: { id: template.id, variables: { order: 7, name: "Ada" } },
    } as never);
    const [contact] = await service.pool`select data from contacts where email = ${to}`;

    expect([error, (await received(to)).subject, contact!.data]).toEqual([null, "Order 7", {}]);
  });

  test("with cc and bcc, the same message to all", async () => {
    const [to, cc, bcc] = [address(), address(), address()];
    const { data } = await resend.emails.send({ ...message({ to }), cc: [`Ben <${cc}>`], bcc });
    const all = [await received(to), await received(cc), await received(bcc)];
    const { data: shown } = await resend.emails.get(data!.id);

    expect(all.map((mail) => mail.cc!.map((one) => one.address))).toEqual([[cc], [cc], [cc]]);
    expect(all.map((mail) => mail.to!.map((one) => one.address))).toEqual([[to], [to], [to]]);
    expect(shown).toMatchObject({ to: [to], cc: [`Ben <${cc}>`], bcc: [bcc] });
  });

  test("to several is shown with all of them, as they were named, whether or not there is a copy", async () => {
    const [ada, bob, cc] = [address(), address(), address()];
    const to = [`Ada <${ada}>`, bob];
    const shown = async (more: object) => {
      const { data } = await resend.emails.send({ ...message({ to }), ...more });
      return (await resend.emails.get(data!.id)).data;
    };

    expect(await shown({})).toMatchObject({ to, cc: [] });
    expect(await shown({ cc })).toMatchObject({ to, cc: [cc] });
  });

  test("with a key is done once, and answers the same again", async () => {
    const given = message();
    const send = (more: object = {}) =>
      resend.emails.send({ ...given, ...more }, { idempotencyKey: `order-${given.to}` });
    const first = await send();
    const before = await mails();
    const [second, other] = [await send(), await send({ subject: "Other" })];

    expect(first.error).toBeNull();
    expect(second.data).toEqual(first.data);
    expect(other.error).toMatchObject({ statusCode: 409, name: "invalid_idempotent_request" });
    expect(await mails()).toBe(before);
  });
});

test("what cannot be sent is refused in the shape of Resend, and nothing is sent", async () => {
  const before = await mails();
  const refused = async (more: object) => (await resend.emails.send(message(more) as never)).error;

  expect(await refused({ cc: "nobody", bcc: ["b@example.com"] })).toMatchObject({
    statusCode: 422,
    name: "validation_error",
    message: expect.stringMatching(/^cc: /),
  });
  expect((await refused({ attachments: [{ path: "https://a.example/a.pdf" }] }))!.message).toContain(
    "attachments.0.path: Files are not fetched",
  );
  expect((await refused({ topicId: "news" }))!.message).toContain("topic_id: Topics");
  expect((await refused({ scheduledAt: "in 1 min" }))!.message).toContain("scheduled_at: Expected a date");
  expect((await refused({ html: undefined }))!.message).toContain("html: ");
  const file = { filename: "a.txt", content: "Hi=", contentType: "nothing", contentId: "a b" };
  expect((await refused({ attachments: [file] }))!.message).toMatch(
    /^attachments\.0\.content_type: .*; attachments\.0\.content_id: .*; attachments\.0\.content: /,
  );
  const large = { data: Object.fromEntries([["key".repeat(100), 1]]) };
  expect(
    (await refused({ html: undefined, template: { id: "welcome", variables: large.data } }))!.message,
  ).toContain("template.variables.key");
  expect(await refused({ from: "me@elsewhere.example" })).toMatchObject({
    statusCode: 403,
    name: "validation_error",
  });
  expect((await sdk("sk_none").emails.send(message())).error).toMatchObject({
    statusCode: 401,
    name: "invalid_api_key",
  });
  const { key } = await createKey(service, project.id, { name: "Reader", scopes: ["read"] }, SERVICE);
  expect((await sdk(key).emails.send(message())).error).toMatchObject({
    statusCode: 403,
    name: "restricted_api_key",
  });
  expect((await resend.domains.list()).error).toMatchObject({ statusCode: 404, name: "not_found" });
  expect(await mails()).toBe(before);
});

describe("batch.send", () => {
  test("strict: all are sent, or none", async () => {
    const { data, error } = await resend.batch.send([message(), message()]);
    const before = await mails();
    const bad = await resend.batch.send([message(), message({ to: "nobody" })]);

    expect([error, data!.data.length]).toEqual([null, 2]);
    expect(bad.error).toMatchObject({ statusCode: 422, message: expect.stringContaining("1.to: ") });
    expect(await mails()).toBe(before);
  });

  test("permissive: each by itself", async () => {
    const { data } = await resend.batch.send([message({ to: "nobody" }), message()], {
      batchValidation: "permissive",
    });

    expect(data).toMatchObject({
      data: [{ id: expect.any(String) }],
      errors: [{ index: 0, message: expect.stringContaining("to: ") }],
    });
  });
});

test("a scheduled mail is shown, gets another time, and is cancelled", async () => {
  const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const given = message({ scheduledAt: at(2) });
  const { id } = (await resend.emails.send(given)).data!;
  const waiting = (await resend.emails.get(id)).data!;
  const moved = await resend.emails.update({ id, scheduledAt: at(3) });
  const cancelled = await resend.emails.cancel(id);
  const again = await resend.emails.cancel(id);

  expect(waiting).toMatchObject({
    object: "email",
    id,
    to: [given.to],
    from: given.from,
    subject: "Hello",
    html: expect.stringContaining("<p>Hello</p>"),
    last_event: "scheduled",
  });
  expect([moved.data, cancelled.data]).toEqual([
    { object: "email", id },
    { object: "email", id },
  ]);
  expect((await resend.emails.get(id)).data!.last_event as string).toBe("canceled");
  expect(again.error).toMatchObject({ statusCode: 409 });
  expect((await resend.emails.get(crypto.randomUUID())).error).toMatchObject({ statusCode: 404 });
});
