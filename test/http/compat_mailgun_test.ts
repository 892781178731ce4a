// Mailgun's own SDK, unchanged, against the service.
import { describe, expect, test } from "bun:test";
import Mailgun from "mailgun.js";
import { SERVICE } from "../../src/accounts/audit.ts";
import { createKey } from "../../src/accounts/projects/named_keys.ts";
import { mailOf, useSdkStage } from "../support/compat.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService();
const stage = useSdkStage(service);

const sdk = (key = stage.project.secret) =>
  new Mailgun(FormData).client({ username: "api", key, url: `${stage.url}/compat/mailgun` });
const address = () => `${crypto.randomUUID()}@example.com`;
const send = async (more: object = {}, key?: string) =>
  await sdk(key).messages.create(DOMAIN, {
    from: `Shop <shop@${DOMAIN}>`,
    to: address(),
    subject: "Hello",
    html: "<p>Hello</p>",
    ...more,
  } as never);
/** Status and text of a refusal. */
async function refusal(more: object, key?: string) {
  const error = (await send(more, key).catch((thrown: unknown) => thrown)) as {
    status: number;
    details: string;
  };
  return [error.status, error.details];
}
/** The id of the mail that an answer names by its Message-ID. */
const mailId = (id: string | undefined) => /^<([0-9a-f-]{36})@/.exec(id ?? "")![1]!;

describe("messages.create", () => {
  test("sends what it was given: names, headers, tags, replies, files, and braces as they are", async () => {
    const to = address();
    const { status, id, message } = await send({
      to: [`"Lovelace, Ada" <${to}>`],
      subject: "{{name}}, hello",
      html: '<p>Use {{{code}}}, or <a href="%unsubscribe_url%">leave</a></p><img src="cid:logo.png">',
      text: "ignored",
      "h:Reply-To": "Help <help@shop.example>",
      "h:X-Entity-Ref-ID": "42",
      "v:user-id": "u_1",
      "o:tag": ["order", "first time"],
      "o:tracking": false,
      attachment: [{ filename: "a.txt", data: Buffer.from("Hi") }],
      inline: [{ filename: "logo.png", data: Buffer.from("AAAA", "base64") }],
    });
    const mail = await mailOf(service, to);

    expect([status, message, id]).toEqual([200, "Queued. Thank you.", mail.messageId]);
    expect(await stage.tagsOf(mailId(id))).toEqual({ order: "true", "first-time": "true", "user-id": "u_1" });
    expect([mail.from!.name, mail.to![0]!.name, mail.subject]).toEqual([
      "Shop",
      "Lovelace, Ada",
      "{{name}}, hello",
    ]);
    expect(mail.html).toMatch(/Use \{\{\{code\}\}\}, or <a href="http[^"]*\/unsubscribe\//);
    expect(mail.replyTo!.map((one) => one.address)).toEqual(["help@shop.example"]);
    expect(mail.headers.find(({ key }) => key === "x-entity-ref-id")?.value).toBe("42");
    expect(mail.attachments.map((file) => [file.filename, file.mimeType, file.contentId ?? null])).toEqual([
      ["logo.png", "image/png", "<logo.png>"],
      ["a.txt", "text/plain", null],
    ]);
    expect(Buffer.from(mail.attachments[1]!.content as ArrayBuffer).toString()).toBe("Hi");
  });

  test("with recipient-variables every recipient gets their own words", async () => {
    const [ada, bob] = [address(), address()];
    await send({
      to: [`Ada <${ada}>`, bob],
      subject: "Hello %recipient.name%",
      html: "<p>%recipient_name%, %recipient_email%: %recipient.code% and %recipient.none%</p>",
      "h:X-Code": "%recipient.code%",
      "recipient-variables": JSON.stringify({
        [ada.toUpperCase()]: { name: "Ada", code: 7 },
        [bob]: { name: "Bob", code: "{{x}}" },
      }),
    });
    const [toAda, toBob] = [await mailOf(service, ada), await mailOf(service, bob)];

    expect([toAda.subject, toBob.subject]).toEqual(["Hello Ada", "Hello Bob"]);
    expect(toAda.html).toContain(`Ada, ${ada}: 7 and %recipient.none%`);
    expect(toBob.html).toContain(`, ${bob}: {{x}} and`);
    expect(toBob.headers.find(({ key }) => key === "x-code")?.value).toBe("{{x}}");
    expect(toBob.to!.map((one) => one.address)).toEqual([bob]);
  });

  test("cc and bcc get the same message", async () => {
    const [to, cc, bcc] = [address(), address(), address()];
    await send({ to, cc: `Ben <${cc}>`, bcc: [bcc] });
    const toBcc = await mailOf(service, bcc);

    expect([toBcc.to!.map((one) => one.address), toBcc.cc!.map((one) => one.address), toBcc.bcc]).toEqual([
      [to],
      [cc],
      undefined,
    ]);
  });

  test("a template of ours, with variables that are not stored", async () => {
    await service.request("POST", "/templates", {
      key: stage.project.secret,
      body: {
        name: "T",
        alias: "order",
        subject: "Order {{order}}",
        body: "<p>Hi {{name}}, {{more}}</p>",
        from: `shop@${DOMAIN}`,
      },
    });
    const to = address();
    await send({
      to,
      subject: undefined,
      html: undefined,
      template: "order",
      "t:variables": JSON.stringify({ order: 7, name: "Ada" }),
      "v:more": "more",
    });
    const mail = await mailOf(service, to);
    const [contact] = await service.pool`select data from contacts where email = ${to}`;

    expect([mail.subject, contact!.data]).toEqual(["Order 7", {}]);
    expect(mail.html).toContain("Hi Ada, more");
  });

  test("o:deliverytime is its time, and one that is over means at once", async () => {
    const at = new Date(Math.floor(Date.now() / 1_000) * 1_000 + 86_400_000);
    const later = await send({ "o:deliverytime": at.toUTCString() });
    const over = await send({ "o:deliverytime": "Fri, 14 Oct 2011 23:10:10 -0000" });
    const of = async ({ id }: { id?: string }) =>
      (await service.pool`select scheduled_for as at from emails where id = ${mailId(id)}`)[0]!
        .at as Date | null;

    expect((await of(later))!.getTime()).toBe(at.getTime());
    expect(await of(over)).toBeNull();
  });

  test("a whole message in MIME stays as it is", async () => {
    const to = address();
    const source = [
      `From: Shop <shop@${DOMAIN}>`,
      "To: list@example.com",
      "Bcc: secret@example.com",
      "Subject: Whole",
      "Content-Type: text/plain; charset=utf-8",
      "",
      "As it is: {{name}}",
    ].join("\n");
    const { id } = await send({
      to,
      from: undefined,
      subject: undefined,
      html: undefined,
      message: source,
      "o:tag": "whole",
    });
    const mail = await mailOf(service, to);

    expect(mail.text!.trim()).toBe("As it is: {{name}}");
    expect([mail.subject, mail.to![0]!.address, mail.bcc]).toEqual(["Whole", "list@example.com", undefined]);
    expect(await stage.tagsOf(mailId(id))).toEqual({ whole: "true" });
  });

  test("in test mode everything is checked, and nothing is sent", async () => {
    await service.dropJobs();
    const before = await stage.count();
    const { id } = await send({ "o:testmode": true });

    expect(id).toMatch(/^<[0-9a-f-]{36}@shop\.example>$/);
    expect((await refusal({ "o:testmode": true, from: "me@elsewhere.example" }))[0]).toBe(403);
    expect([await stage.count(), await service.jobs("send_emails")]).toEqual([before, []]);
  });
});

test("what cannot be sent is refused in the shape of Mailgun, and nothing is sent", async () => {
  const before = await stage.count();
  const says = (status: number, words: string) => [status, expect.stringContaining(words)];

  expect(await refusal({ html: undefined })).toEqual(says(400, "html: "));
  expect(await refusal({ to: ["nobody"] })).toEqual(says(400, "to.0: "));
  expect(await refusal({ "o:require-tls": true })).toEqual(says(400, "o:require-tls: Encryption"));
  expect(await refusal({ "o:deliverytime": "tomorrow" })).toEqual(
    says(400, "o:deliverytime: Expected a date"),
  );
  expect(await refusal({ "o:tracking": "perhaps" })).toEqual(says(400, "o:tracking: Expected yes or no"));
  expect(await refusal({ "t:variables": "{" })).toEqual(says(400, "t:variables: Expected a JSON object"));
  expect(await refusal({ "recipient-variables": '{"a": "\\u0000"}' })).toEqual(
    says(400, "recipient-variables.a: NUL"),
  );
  expect(await refusal({ "h:X-A": "a\r\nBcc: b@example.com" })).toEqual(says(400, "h:X-A: "));
  expect(await refusal({ subjekt: "x" })).toEqual(says(400, "subjekt: This field is not supported"));
  expect(await refusal({ template: crypto.randomUUID() })).toEqual(says(400, "Cannot find this template"));
  expect(await refusal({ message: "no header", html: undefined })).toEqual(says(400, "from: "));
  expect(await refusal({ from: "me@elsewhere.example" })).toEqual(says(403, "not verified"));
  expect(await refusal({}, "sk_none")).toEqual(says(401, "API key"));
  const { key } = await createKey(service, stage.project.id, { name: "Reader", scopes: ["read"] }, SERVICE);
  expect(await refusal({}, key)).toEqual(says(403, "with the scope send"));
  expect(await stage.count()).toBe(before);
});

describe("forms", () => {
  const PATH = `/compat/mailgun/v3/${DOMAIN}/messages`;
  const ask = async (options: object, path = PATH) =>
    await service.request("POST", path, { key: stage.project.secret, ...options });
  const fields = (more: Record<string, string> = {}) =>
    new URLSearchParams({
      from: `shop@${DOMAIN}`,
      to: address(),
      subject: "Hello",
      text: "Hi",
      ...more,
    }).toString();
  const encoded = { headers: { "content-type": "application/x-www-form-urlencoded" } };

  test("that are urlencoded send, too", async () => {
    const to = address();
    const { status } = await ask({ raw: fields({ to }), ...encoded });

    expect([status, (await mailOf(service, to)).text!.trim()]).toEqual([200, "Hi"]);
  });

  test("that are no message are refused in the shape of Mailgun, whatever they are", async () => {
    const multipart = { headers: { "content-type": "multipart/form-data; boundary=x" } };
    const answers = [
      await ask({ raw: "--x\r\nno end", ...multipart }),
      await ask({ raw: fields({ subject: "a\0b" }), ...encoded }),
      await ask({ raw: "a&".repeat(3_000), ...encoded }),
      await ask({ raw: "", ...multipart }),
      await ask({ body: {} }),
      await ask({ raw: fields(), ...encoded, key: undefined }),
      await ask({ raw: fields(), ...encoded }, `${PATH}s`),
      await service.request("GET", PATH, { key: stage.project.secret }),
      await ask({ raw: fields(), ...encoded }, `${PATH}.mime`),
    ];

    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 415, 401, 404, 405, 400]);
    for (const { body, headers } of answers) {
      expect(body).toEqual({ message: expect.any(String) });
      expect(headers.get("x-request-id")).not.toBeNull();
    }
  });

  test("that would become many times as large are refused before anything is stored", async () => {
    const before = await stage.count();
    const to = Array.from({ length: 1_000 }, address);
    const variables = Object.fromEntries(to.map((one) => [one, { a: "y".repeat(100) }]));
    const [status, words] = await refusal({
      to,
      html: `${"x".repeat(500_000)}%recipient.a%`,
      "recipient-variables": JSON.stringify(variables),
    });

    const many = await refusal({
      to,
      subject: "%recipient.a%",
      "t:variables": JSON.stringify({ list: Array.from({ length: 20_000 }, () => 1) }),
      "recipient-variables": JSON.stringify(variables),
    });

    expect([status, words]).toEqual([400, expect.stringContaining("too much for one request")]);
    expect(many).toEqual([400, expect.stringContaining("too much for one request")]);
    expect(await stage.count()).toBe(before);
  });
});
