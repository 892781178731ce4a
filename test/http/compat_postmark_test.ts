// Postmark's own SDK, unchanged, against the service.
import { describe, expect, test } from "bun:test";
import { Errors, Models, ServerClient } from "postmark";
import { SERVICE } from "../../src/accounts/audit.ts";
import { createKey } from "../../src/accounts/projects/named_keys.ts";
import { mailOf, useSdkStage } from "../support/compat.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService();
const stage = useSdkStage(service);

const sdk = (key = stage.project.secret) => {
  const requestHost = `${stage.url.replace("http://", "")}/compat/postmark`;
  return new ServerClient(key, { requestHost, useHttps: false });
};
const address = () => `${crypto.randomUUID()}@example.com`;
const message = (more: object = {}) => ({
  From: `Shop <shop@${DOMAIN}>`,
  To: address(),
  Subject: "Hello",
  HtmlBody: "<p>Hello</p>",
  ...more,
});
const template = async (alias: string | null = null) =>
  (
    await service.request("POST", "/templates", {
      key: stage.project.secret,
      body: {
        name: "T",
        alias,
        subject: "Order {{order}}",
        body: "<p>Hi {{name}}</p>",
        from: `shop@${DOMAIN}`,
      },
    })
  ).body.id as string;
const suppress = async (email: string) =>
  await service.request("POST", "/suppressions", { key: stage.project.secret, body: { email } });
/** What the SDK throws. */
const refusal = async (work: Promise<unknown>) =>
  (await work.then(
    () => new Error("It was sent"),
    (error: unknown) => error,
  )) as InstanceType<typeof Errors.PostmarkError>;

describe("sendEmail", () => {
  test("sends what it was given: names, headers, tags, metadata, replies, files, and braces as they are", async () => {
    const to = address();
    const answer = await sdk().sendEmail({
      ...message({ To: `"Lovelace, Ada" <${to}>`, Subject: "{{name}}, hello" }),
      HtmlBody: '<p>Use {{{code}}}</p><img src="cid:logo">',
      TextBody: "ignored",
      ReplyTo: "Help <help@shop.example>, desk@shop.example",
      Headers: [{ Name: "X-Entity-Ref-ID", Value: "42" }],
      Tag: "first order",
      Metadata: { userId: "u_1" },
      MessageStream: "receipts",
      TrackOpens: false,
      TrackLinks: Models.LinkTrackingOptions.None,
      Attachments: [
        {
          Name: "a.txt",
          Content: Buffer.from("Hi").toString("base64"),
          ContentType: "text/plain",
          ContentID: null,
        },
        { Name: "logo.png", Content: "AAAA", ContentType: "image/png", ContentID: "cid:logo" },
      ],
    });
    const mail = await mailOf(service, to);

    expect(answer).toMatchObject({ ErrorCode: 0, Message: "OK", To: `"Lovelace, Ada" <${to}>` });
    expect(Math.abs(Date.parse(answer.SubmittedAt) - Date.now())).toBeLessThan(3_600_000);
    expect(await stage.tagsOf(answer.MessageID)).toEqual({
      tag: "first-order",
      userId: "u_1",
      stream: "receipts",
    });
    expect([mail.from!.name, mail.to![0]!.name, mail.subject]).toEqual([
      "Shop",
      "Lovelace, Ada",
      "{{name}}, hello",
    ]);
    expect(mail.html).toContain("Use {{{code}}}");
    expect(mail.replyTo!.map((one) => one.address)).toEqual(["help@shop.example", "desk@shop.example"]);
    expect(mail.headers.find(({ key }) => key === "x-entity-ref-id")?.value).toBe("42");
    expect(mail.attachments.map((file) => [file.filename, file.mimeType, file.contentId ?? null])).toEqual([
      ["logo.png", "image/png", "<logo>"],
      ["a.txt", "text/plain", null],
    ]);
  });

  test("Cc and Bcc get the same message", async () => {
    const [to, cc, bcc] = [address(), address(), address()];
    const ada = address();
    const given = { To: `Ada <${ada}>, ${to}`, Cc: `Ben <${cc}>`, Bcc: bcc };
    const { MessageID } = await sdk().sendEmail(message(given));
    const toBcc = await mailOf(service, bcc);

    expect([toBcc.to!.map((one) => one.address), toBcc.cc!.map((one) => one.address), toBcc.bcc]).toEqual([
      [ada, to],
      [cc],
      undefined,
    ]);
    expect(await sdk().getOutboundMessageDetails(MessageID)).toMatchObject({
      To: [
        { Email: ada, Name: "Ada" },
        { Email: to, Name: "" },
      ],
      Recipients: [ada, to, cc, bcc],
      Cc: [{ Email: cc, Name: "Ben" }],
      Bcc: [{ Email: bcc, Name: "" }],
    });
  });

  test("a template of ours, with variables that are not stored", async () => {
    const to = address();
    const { MessageID } = await sdk().sendEmailWithTemplate({
      From: `shop@${DOMAIN}`,
      To: to,
      TemplateAlias: await template(),
      TemplateModel: { order: 7, name: "Ada" },
    });
    const [contact] = await service.pool`select data from contacts where email = ${to}`;

    expect([(await mailOf(service, to)).subject, contact!.data]).toEqual(["Order 7", {}]);
    expect(await sdk().getOutboundMessageDetails(MessageID)).toMatchObject({
      MessageID,
      Status: "Sent",
      Subject: "Order 7",
      To: [{ Email: to, Name: "" }],
      HtmlBody: expect.stringContaining("Hi Ada"),
    });
  });
});

describe("batches", () => {
  test("each message is answered by itself", async () => {
    const [ada, bob] = [address(), address()];
    await suppress(bob);
    const answers = await sdk().sendEmailBatch([
      message({ To: ada }),
      message({ To: "nobody" }),
      message({ From: "me@elsewhere.example" }),
      message({ To: bob }),
    ]);

    expect(answers.map(({ ErrorCode }) => ErrorCode)).toEqual([0, 300, 400, 406]);
    expect(answers.map(({ Message }) => Message)).toEqual([
      "OK",
      expect.stringContaining("To.0: "),
      expect.stringContaining("elsewhere.example"),
      expect.stringContaining(`Found inactive addresses: ${bob}.`),
    ]);
    expect((await mailOf(service, ada)).subject).toBe("Hello");
  });

  test("of templates, too", async () => {
    const [ada, bob] = [address(), address()];
    await template("4711");
    await template("order-confirmation");
    const answers = await sdk().sendEmailBatchWithTemplates([
      { From: `shop@${DOMAIN}`, To: ada, TemplateId: 4711, TemplateModel: { order: 8 } },
      { From: `shop@${DOMAIN}`, To: bob, TemplateAlias: "order-confirmation", TemplateModel: { order: 9 } },
      { From: `shop@${DOMAIN}`, To: bob, TemplateId: 4712, TemplateModel: {} },
      { From: `shop@${DOMAIN}`, To: bob, TemplateAlias: crypto.randomUUID(), TemplateModel: {} },
    ]);

    expect(answers.map(({ ErrorCode }) => ErrorCode)).toEqual([0, 0, 1101, 1101]);
    expect((await mailOf(service, ada)).subject).toBe("Order 8");
    expect((await mailOf(service, bob)).subject).toBe("Order 9");
  });

  test("has at most 500 messages", async () => {
    const error = await refusal(sdk().sendEmailBatch(Array.from({ length: 501 }, () => message())));

    expect(error).toMatchObject({ statusCode: 422, code: 410 });
  });
});

test("suppressed recipients are left out, and a message for nobody else is refused", async () => {
  const [ada, bob] = [address(), address()];
  await suppress(bob);
  const both = await sdk().sendEmail(message({ To: `${ada}, ${bob}` }));
  const before = await stage.count();
  const nobody = await refusal(sdk().sendEmail(message({ To: bob })));

  expect([both.ErrorCode, both.Message]).toEqual([
    0,
    `Message OK, but will not deliver to these inactive addresses: ${bob}.`,
  ]);
  expect(nobody).toBeInstanceOf(Errors.InactiveRecipientsError);
  expect((nobody as InstanceType<typeof Errors.InactiveRecipientsError>).recipients).toEqual([bob]);
  expect(await stage.count()).toBe(before);
});

test("what cannot be sent is refused in the shape of Postmark, and nothing is sent", async () => {
  const before = await stage.count();
  const refused = async (more: object) => {
    const { statusCode, code, message: words } = await refusal(sdk().sendEmail(message(more)));
    return [statusCode, code, words];
  };

  expect(await refused({ HtmlBody: undefined })).toEqual([422, 300, expect.stringContaining("HtmlBody: ")]);
  expect(await refused({ TrackLinks: "Some" })).toEqual([422, 300, expect.stringContaining("TrackLinks: ")]);
  const file = { Name: 'a".txt', Content: "Hi=", ContentType: "nothing", ContentID: "a b" };
  const [, , words] = await refused({ Attachments: [file], TrackOpens: "yes" });
  for (const field of ["Name", "ContentType", "ContentID"])
    expect(words).toContain(`Attachments.0.${field}: `);
  expect(words).toContain("TrackOpens: ");
  expect(words).not.toMatch(/attachments|contentType|tracking/);
  expect(await refused({ TemplateId: 7 })).toEqual([422, 300, expect.stringContaining("TemplateId: ")]);
  expect(await refused({ Subjekt: "x" })).toEqual([422, 300, expect.stringContaining("Subjekt: ")]);
  expect(await refused({ Headers: [{ Name: "X-A", Value: "a\r\nBcc: b@example.com" }] })).toEqual([
    422,
    300,
    expect.stringContaining("Headers.X-A: "),
  ]);
  expect(await refused({ To: Array.from({ length: 51 }, address).join(",") })).toEqual([
    422,
    300,
    expect.stringContaining("at most 50"),
  ]);
  expect(await refused({ From: "me@elsewhere.example" })).toEqual([
    422,
    400,
    expect.stringContaining("not verified"),
  ]);
  const { key } = await createKey(service, stage.project.id, { name: "Reader", scopes: ["read"] }, SERVICE);
  expect(await refusal(sdk(key).sendEmail(message()))).toMatchObject({
    statusCode: 403,
    code: 10,
    message: expect.stringContaining("with the scope send"),
  });
  expect(await refusal(sdk("sk_none").sendEmail(message()))).toBeInstanceOf(Errors.InvalidAPIKeyError);
  expect(await refusal(sdk().getOutboundMessageDetails(crypto.randomUUID()))).toMatchObject({
    statusCode: 404,
    code: 701,
  });
  expect(await stage.count()).toBe(before);
});

test("bodies that are no message are refused in the shape of Postmark, whatever they are", async () => {
  const ask = async (path: string, options: object) =>
    await service.request("POST", `/compat/postmark${path}`, { key: stage.project.secret, ...options });
  const answers = [
    await ask("/email", { raw: "{" }),
    await ask("/email", { body: [] }),
    await ask("/email", { body: { From: 7, To: {}, Headers: {}, Attachments: 7, Metadata: [], Tag: {} } }),
    await ask("/email/batch", { body: {} }),
    await ask("/email/batchWithTemplates", { body: { Messages: 7 } }),
    await ask("/email", { raw: "<a/>", headers: { "content-type": "application/xml" } }),
    await ask("/email", { body: message(), key: undefined }),
    await ask("/emails", { body: message() }),
    await service.request("GET", "/compat/postmark/email", { key: stage.project.secret }),
  ];
  const [first] = (await ask("/email/batch", { body: [null] })).body;

  expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422, 422, 401, 404, 405]);
  for (const { body, headers } of answers) {
    expect(body).toEqual({ ErrorCode: expect.any(Number), Message: expect.any(String) });
    expect(headers.get("x-request-id")).not.toBeNull();
  }
  expect(first.ErrorCode).toBe(300);
});
