// SendGrid's own SDK, unchanged, against the service.
import sendgrid from "@sendgrid/mail";
import { describe, expect, test } from "bun:test";
import { SERVICE } from "../../src/accounts/audit.ts";
import { createKey } from "../../src/accounts/projects/named_keys.ts";
import { mailOf, useSdkStage } from "../support/compat.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService();
const stage = useSdkStage(service);

type Message = Parameters<typeof sendgrid.send>[0];

/** The client within the SDK, which its types leave out. */
const { client } = sendgrid as unknown as {
  client: {
    setDefaultRequest(name: string, value: string): void;
    defaultHeaders: Record<string, string>;
  };
};

function sdk(key = stage.project.secret) {
  // Keys of SendGrid begin with SG., and the SDK says so on the console.
  const { warn } = console;
  console.warn = () => {};
  sendgrid.setApiKey(key);
  console.warn = warn;
  client.setDefaultRequest("baseUrl", `${stage.url}/compat/sendgrid`);
  return sendgrid;
}

const address = () => `${crypto.randomUUID()}@example.com`;
const message = (more: object = {}) =>
  ({
    from: { email: `shop@${DOMAIN}`, name: "Shop" },
    to: address(),
    subject: "Hello",
    html: "<p>Hello</p>",
    ...more,
  }) as unknown as Message;
const send = async (more: object = {}, isMultiple = false) => {
  const [{ statusCode, headers }] = await sdk().send(message(more), isMultiple);
  return { statusCode, id: (headers as Record<string, string>)["x-message-id"]! };
};
/** Status and errors of a refusal. */
async function refusal(more: object, key?: string) {
  const error = (await sdk(key)
    .send(message(more))
    .catch((thrown: unknown) => thrown)) as {
    code: number;
    response: { body: { errors: { message: string; field: string | null; help: string | null }[] } };
  };
  return { code: error.code, errors: error.response?.body.errors ?? [] };
}

describe("send", () => {
  test("sends what it was given: names, headers, categories, arguments, replies, files, and braces as they are", async () => {
    const to = address();
    const { statusCode, id } = await send({
      to: { email: to, name: "Ada" },
      subject: "{{name}}, hello",
      text: "ignored",
      html: '<p>Use {{{code}}}</p><img src="cid:logo">',
      replyTo: { email: "help@shop.example", name: "Help" },
      headers: { "X-Entity-Ref-ID": "42" },
      categories: ["order", "first time"],
      customArgs: { userId: "u_1" },
      attachments: [
        { filename: "a.txt", content: Buffer.from("Hi").toString("base64") },
        {
          filename: "logo.png",
          content: "AAAA",
          type: "image/png",
          disposition: "inline",
          content_id: "logo",
        },
      ],
      trackingSettings: { clickTracking: { enable: false }, openTracking: { enable: false } },
      mailSettings: { sandboxMode: { enable: false }, footer: { enable: false } },
    });
    const mail = await mailOf(service, to);

    expect(statusCode).toBe(202);
    expect(await stage.tagsOf(id)).toEqual({ order: "true", "first-time": "true", userId: "u_1" });
    expect([mail.from!.name, mail.to![0]!.name, mail.subject]).toEqual(["Shop", "Ada", "{{name}}, hello"]);
    expect(mail.html).toContain("Use {{{code}}}");
    expect(mail.replyTo!.map((one) => one.address)).toEqual(["help@shop.example"]);
    expect(mail.headers.find(({ key }) => key === "x-entity-ref-id")?.value).toBe("42");
    expect(mail.attachments.map((file) => [file.filename, file.mimeType, file.contentId ?? null])).toEqual([
      ["logo.png", "image/png", "<logo>"],
      ["a.txt", "text/plain", null],
    ]);
  });

  test("each personalization is a message of its own, with its subject and its substitutions", async () => {
    const [ada, bob, eve] = [address(), address(), address()];
    const thousands = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`word ${i}`, "x"]));
    const { id } = await send({
      to: undefined,
      subject: "Hello {{name}}",
      html: "<p>Dear {{name}}, {{place}}</p>",
      personalizations: [
        { to: ada, substitutions: { name: "Ada", place: "{{x}} & {{{y}}}" } },
        {
          to: bob,
          subject: "For {{name}}",
          // Thousands of them, one of them empty.
          substitutions: { ...thousands, name: "Bob", place: "" },
          customArgs: { n: 2 },
        },
        { to: eve },
      ],
    });
    const [toAda, toBob, toEve] = [
      await mailOf(service, ada),
      await mailOf(service, bob),
      await mailOf(service, eve),
    ];

    expect([toAda.subject, toBob.subject, toEve.subject]).toEqual(["Hello Ada", "For Bob", "Hello {{name}}"]);
    expect(toAda.html).toContain("Dear Ada, {{x}} & {{{y}}}");
    expect(toBob.html).toContain("<p>Dear Bob, </p>");
    expect(toEve.html).toContain("Dear {{name}}, {{place}}");
    const [first] =
      await service.pool`select e.id from emails e join contacts c on c.id = e.contact_id where c.email = ${ada}`;
    expect(id).toBe(first!.id);
  });

  test("sendMultiple stores one content for all who get the same", async () => {
    const to = [address(), address(), address()];
    await send({ to, subject: "The same for all" }, true);
    const rows =
      await service.pool`select count(distinct content_id)::int as contents, count(*)::int as mails from emails e join contacts c on c.id = e.contact_id where c.email = any(${to})`;

    expect(rows[0]).toEqual({ contents: 1, mails: 3 });
    expect((await mailOf(service, to[1]!)).to!.map((one) => one.address)).toEqual([to[1]!]);
  });

  test("cc and bcc get the same message", async () => {
    const [to, cc, bcc] = [address(), address(), address()];
    await send({ to, cc: { email: cc, name: "Ben" }, bcc });
    const toBcc = await mailOf(service, bcc);

    expect(toBcc.to!.map((one) => one.address)).toEqual([to]);
    expect(toBcc.cc!.map((one) => [one.address, one.name])).toEqual([[cc, "Ben"]]);
    expect(toBcc.bcc).toBeUndefined();
  });

  test("a template of ours, with variables that are not stored", async () => {
    const { body: template } = await service.request("POST", "/templates", {
      key: stage.project.secret,
      body: {
        name: "T",
        alias: "d-order",
        subject: "Order {{order}}",
        body: "<p>Hi {{name}}</p>",
        from: `shop@${DOMAIN}`,
      },
    });
    const ofTemplate = async (templateId: string) => {
      const to = address();
      const dynamicTemplateData = { order: 7, name: "Ada" };
      await send({ to, subject: undefined, html: undefined, templateId, dynamicTemplateData });
      const [contact] = await service.pool`select data from contacts where email = ${to}`;
      return [(await mailOf(service, to)).subject, contact!.data];
    };

    expect(await ofTemplate("d-order")).toEqual(["Order 7", {}]);
    expect(await ofTemplate(`d-${template.id}`)).toEqual(["Order 7", {}]);
  });

  test("sendAt is its time, and one that is over means at once", async () => {
    const seconds = Math.floor(Date.now() / 1_000);
    const later = await send({ sendAt: seconds + 86_400 });
    const over = await send({ sendAt: seconds - 60 });
    const at = async (id: string) =>
      (await service.pool`select scheduled_for as at from emails where id = ${id}`)[0]!.at as Date | null;

    expect((await at(later.id))!.getTime()).toBe((seconds + 86_400) * 1_000);
    expect(await at(over.id)).toBeNull();
  });

  test("with an Idempotency-Key is done once, and answers the same again", async () => {
    client.defaultHeaders["Idempotency-Key"] = `order-${crypto.randomUUID()}`;
    const given = message();
    const [first] = await sdk().send(given);
    const before = await stage.count();
    const [second] = await sdk().send(given);
    delete client.defaultHeaders["Idempotency-Key"];

    expect((second.headers as Record<string, string>)["x-message-id"]).toBe(
      (first.headers as Record<string, string>)["x-message-id"],
    );
    expect(await stage.count()).toBe(before);
  });
});

test("the sandbox checks everything, and sends nothing", async () => {
  await service.dropJobs();
  const before = await stage.count();
  const mailSettings = { sandboxMode: { enable: true } };
  const { statusCode } = await send({ mailSettings });
  const elsewhere = await refusal({ mailSettings, from: "me@elsewhere.example" });

  expect([statusCode, elsewhere.code]).toEqual([200, 403]);
  expect([await stage.count(), await service.jobs("send_emails")]).toEqual([before, []]);
});

test("what cannot be sent is refused in the shape of SendGrid, and nothing is sent", async () => {
  const before = await stage.count();
  const fieldsOf = async (more: object) => {
    const { code, errors } = await refusal(more);
    return [code, ...errors.map(({ field }) => field)];
  };

  expect(await refusal({ asm: { groupId: 7 } })).toEqual({
    code: 400,
    errors: [{ field: "asm", message: expect.stringContaining("Unsubscribe groups"), help: null }],
  });
  expect(await fieldsOf({ sections: { a: "b" }, batchId: "x" })).toEqual([400, "sections", "batch_id"]);
  expect(await fieldsOf({ mailSettings: { footer: { enable: true } } })).toEqual([
    400,
    "mail_settings.footer",
  ]);
  expect(await fieldsOf({ to: "nobody" })).toEqual([400, "personalizations.0.to.0.email"]);
  expect(await fieldsOf({ html: undefined })).toEqual([400, "content"]);
  expect(await fieldsOf({ html: undefined, content: [{ type: "text/calendar", value: "BEGIN" }] })).toEqual([
    400,
    "content.0.type",
  ]);
  expect(await fieldsOf({ headers: { "X-A": "a\r\nBcc: b@example.com" } })).toEqual([400, "headers.X-A"]);
  const { body } = await service.request("POST", "/compat/sendgrid/v3/mail/send", {
    key: stage.project.secret,
    body: {
      personalizations: [{ to: [{ email: address() }] }],
      from: { email: `shop@${DOMAIN}` },
      subject: "Hello",
      content: [{ type: "text/html", value: "Hello" }],
      attachments: [{ filename: "a.txt", content: "Hi=", type: "nothing", content_id: "a b" }],
      tracking_settings: { open_tracking: { enable: "yes" } },
    },
  });
  expect(body.errors.map(({ field }: { field: string }) => field).sort()).toEqual([
    "attachments.0.content",
    "attachments.0.content_id",
    "attachments.0.type",
    "tracking_settings.open_tracking.enable",
  ]);
  expect(await fieldsOf({ categories: Array.from({ length: 11 }, (_, n) => `c${n}`) })).toEqual([
    400,
    "categories",
  ]);
  expect(await fieldsOf({ templateId: crypto.randomUUID() })).toEqual([400, "template_id"]);
  expect(await fieldsOf({ templateId: "d-unknown" })).toEqual([400, "template_id"]);
  expect(await refusal({ from: "me@elsewhere.example" })).toMatchObject({
    code: 403,
    errors: [{ field: "from", help: expect.stringContaining("verified domain") }],
  });
  expect(await refusal({}, "sk_none")).toMatchObject({ code: 401, errors: [{ field: null }] });
  const { key } = await createKey(service, stage.project.id, { name: "Reader", scopes: ["read"] }, SERVICE);
  expect(await refusal({}, key)).toMatchObject({
    code: 403,
    errors: [{ help: expect.stringContaining("with the scope send") }],
  });
  expect(await stage.count()).toBe(before);
});

test("one of many that is wrong is named, and none is sent", async () => {
  const before = await stage.count();
  const personalizations = [{ to: address() }, { to: "nobody", subject: "Other" }];
  const { code, errors } = await refusal({ to: undefined, personalizations });

  expect([code, errors.map(({ field }) => field)]).toEqual([400, ["personalizations.1.to.0.email"]]);
  expect(await stage.count()).toBe(before);
});

describe("bodies that are no message", () => {
  const PATH = "/compat/sendgrid/v3/mail/send";
  const ask = async (options: object, path = PATH) =>
    await service.request("POST", path, { key: stage.project.secret, ...options });

  test("are refused in the shape of SendGrid, whatever they are", async () => {
    const answers = [
      await ask({ raw: "{" }),
      await ask({ body: [] }),
      await ask({ body: null }),
      await ask({ body: { personalizations: 7, content: "x", attachments: 7, headers: [], categories: {} } }),
      await ask({ body: { personalizations: [null], tracking_settings: 7, mail_settings: [7] } }),
      await ask({ raw: "<a/>", headers: { "content-type": "application/xml" } }),
      await ask({ body: {}, key: undefined }),
      await ask({ body: {} }, "/compat/sendgrid/v3/mail/sent"),
      await service.request("GET", PATH, { key: stage.project.secret }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 415, 401, 404, 405]);
    for (const { body, headers } of answers) {
      expect(Object.keys(body)).toEqual(["errors"]);
      expect(body.errors[0].message).toEqual(expect.any(String));
      expect(headers.get("x-request-id")).not.toBeNull();
    }
  });

  test("that would become many times as large are refused before anything is stored", async () => {
    const before = await stage.count();
    const html = "x".repeat(900_000);
    const personalizations = Array.from({ length: 100 }, (_, n) => ({ to: address(), subject: `${n}` }));
    const large = await refusal({ to: undefined, html, personalizations });
    const grown = await refusal({
      to: undefined,
      html: "{{a}}".repeat(100_000),
      personalizations: [{ to: address(), substitutions: { a: "y".repeat(1_000) } }],
    });

    expect([large.code, large.errors[0]!.message]).toEqual([400, expect.stringContaining("together")]);
    expect([grown.code, grown.errors[0]!.field]).toEqual([400, "personalizations.substitutions"]);
    expect(await stage.count()).toBe(before);
  });
});
