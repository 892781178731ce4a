import { describe, expect, test } from "bun:test";
import { unsupportedIn } from "../../src/http/compat/_fields.ts";
import { readMailgunForm } from "../../src/http/compat/_mailgun_form.ts";
import { readMailgun } from "../../src/http/compat/_mailgun_message.ts";
import { readPostmark } from "../../src/http/compat/_postmark_message.ts";
import { readResend } from "../../src/http/compat/_resend_message.ts";
import { readSendgrid } from "../../src/http/compat/_sendgrid_message.ts";
import type { FormPart } from "../../src/http/entry/form.ts";
import { Problem } from "../../src/problem/mod.ts";
import { FIELD_TABLES, fieldRows, HEAD } from "../support/compat_tables.ts";
import { readGuide, tableBelow } from "../support/guides.ts";

const guide = readGuide("compat");

describe("the guide on SDKs", () => {
  for (const [heading, table] of Object.entries(FIELD_TABLES)) {
    test(`says what the code does: ${heading}`, () => {
      const { head, rows } = tableBelow(guide, heading);

      expect(head).toEqual(HEAD);
      expect(rows).toEqual(fieldRows(table));
      expect(unsupportedIn({ neverHeardOf: 1 }, table)).toMatchObject([{ field: "neverHeardOf" }]);
    });
  }
});

type Fields = Record<string, unknown>;

/** A good message with every field that is sent or ignored, by its path in the table. */
interface Sample {
  table: string;
  given: Fields;
  read(given: Fields): Promise<unknown>;
}

const person = { email: "ada@example.com", name: "Ada" };
const SAMPLES: Sample[] = [
  {
    table: "Fields of a message to SendGrid",
    read: async (given) => await readSendgrid(structuredClone(given), new Date(0)),
    given: {
      personalizations: [
        {
          to: [person],
          cc: [{ email: "ben@example.com" }],
          bcc: [{ email: "eve@example.com" }],
          from: { email: "own@example.com" },
          subject: "Own",
          headers: { "X-Own": "1" },
          substitutions: { "-a-": "b" },
          dynamic_template_data: { a: 1 },
          custom_args: { own: "1" },
          send_at: 100,
        },
        { to: [person], custom_args: { second: "1" } },
      ],
      from: person,
      reply_to: person,
      reply_to_list: [{ email: "help@example.com" }],
      subject: "Hello",
      content: [{ type: "text/html", value: "<p>-a-</p>" }],
      attachments: [
        { content: "AAAA", type: "image/png", filename: "a.pdf", disposition: "inline", content_id: "a" },
      ],
      template_id: "d-1",
      headers: { "X-A": "1" },
      categories: ["a"],
      custom_args: { b: "1" },
      send_at: 50,
      ip_pool_name: "pool",
      mail_settings: { sandbox_mode: { enable: true } },
      tracking_settings: {
        click_tracking: { enable: true },
        open_tracking: { enable: true },
        subscription_tracking: { enable: true },
      },
    },
  },
  {
    table: "Fields of a message to Postmark",
    read: async (given) => ({ message: readPostmark(given, false), template: readPostmark(given, true) }),
    given: {
      From: "shop@example.com",
      To: "ada@example.com",
      Cc: "ben@example.com",
      Bcc: "eve@example.com",
      Subject: "Hello",
      HtmlBody: "<p>Hello</p>",
      TextBody: "Hello",
      ReplyTo: "help@example.com",
      Headers: [{ Name: "X-A", Value: "1" }],
      Tag: "a",
      Metadata: { b: "1" },
      MessageStream: "receipts",
      TrackOpens: true,
      TrackLinks: "None",
      Attachments: [
        {
          Name: "a.pdf",
          Content: "AAAA",
          ContentType: "image/png",
          ContentID: "a",
          ContentLength: 3,
          Disposition: "inline",
        },
      ],
      TemplateId: 7,
      TemplateAlias: "a",
      TemplateModel: { a: 1 },
      InlineCss: true,
    },
  },
  {
    table: "Fields of a message to Resend",
    read: async (given) => readResend(given),
    given: {
      from: "shop@example.com",
      to: "ada@example.com",
      cc: "ben@example.com",
      bcc: "eve@example.com",
      subject: "Hello",
      html: "<p>Hello</p>",
      text: "Hello",
      reply_to: "help@example.com",
      headers: { "X-A": "1" },
      tags: [{ name: "a", value: "b" }],
      attachments: [{ content: "AAAA", filename: "a.pdf", content_type: "image/png", content_id: "a" }],
      scheduled_at: "2033-01-01T00:00:00Z",
      template: { id: "a", variables: { a: 1 } },
    },
  },
  {
    table: "Fields of a message to Mailgun",
    read: async (given) => {
      const parts = Object.entries(given).map(([name, value]) => ({ name: name.replace("…", "X-A"), value }));
      try {
        return await readMailgun(readMailgunForm(parts as FormPart[]), new Date(0));
      } catch (error) {
        return error instanceof Problem ? error.extras : error;
      }
    },
    given: {
      from: "shop@example.com",
      to: "ada@example.com",
      cc: "ben@example.com",
      bcc: "eve@example.com",
      subject: "Hello %recipient.name%",
      text: "Hello",
      html: "<p>Hello</p>",
      attachment: { name: "a.txt", type: "text/plain", bytes: new Uint8Array(3) },
      inline: { name: "a.png", type: "image/png", bytes: new Uint8Array(3) },
      template: "a",
      "t:text": "yes",
      "t:variables": '{"a": 1}',
      "recipient-variables": '{"ada@example.com": {"name": "Ada"}}',
      "o:tag": "a",
      "o:deliverytime": "Thu, 01 Jan 1970 01:00:00 +0000",
      "o:tracking": "no",
      "o:tracking-clicks": "htmlonly",
      "o:skip-verification": "yes",
      "o:dkim": "no",
      "o:secondary-dkim": "example.com/s1",
      "o:sending-ip": "192.0.2.1",
      "o:sending-ip-pool": "a",
      "h:…": "1",
      "v:…": "1",
    },
  },
];
/** What another field of the sample stands in for, and what the route reads. */
const HIDDEN = ["TextBody", "TemplateId", "reply_to", "text", "o:tracking-opens", "o:testmode"];

describe("a field of a message", () => {
  for (const { table: heading, given, read } of SAMPLES) {
    const table = FIELD_TABLES[heading]!;

    test(`changes what is sent, or does not, as it is listed: ${heading}`, async () => {
      const whole = JSON.stringify(await read(given));
      const wrong: string[] = [];
      for (const [path, { becomes }] of Object.entries(table)) {
        if (becomes === "refused" || HIDDEN.includes(path)) continue;
        const isChanged = JSON.stringify(await read(without(given, path.split(".")))) !== whole;
        if (isChanged !== (becomes === "sent")) wrong.push(path);
      }

      expect(wrong).toEqual([]);
      expect(whole).not.toContain("not supported here");
    });

    test(`that is refused is refused, and says why: ${heading}`, async () => {
      const taken: string[] = [];
      for (const [path, { becomes, how }] of Object.entries(table)) {
        if (becomes !== "refused") continue;
        const answer = JSON.stringify(await read(withField(given, path.split("."))));
        if (!answer.includes(JSON.stringify(how))) taken.push(path);
      }

      expect(taken).toEqual([]);
    });
  }

  test("that another one stands in for is sent without that one", async () => {
    const [sendgrid, postmark, resend, mailgun] = SAMPLES as [Sample, Sample, Sample, Sample];
    const { reply_to_list, ...mail } = sendgrid.given;
    const { HtmlBody, TemplateAlias, ...letter } = postmark.given;

    expect([reply_to_list, HtmlBody, TemplateAlias].every(Boolean)).toBe(true);
    expect(await sendgrid.read(mail)).not.toEqual(await sendgrid.read(without(mail, ["reply_to"])));
    for (const field of ["TextBody", "TemplateId"]) {
      expect(await postmark.read(letter)).not.toEqual(await postmark.read(without(letter, [field])));
    }
    const { html: page, ...plain } = resend.given;
    expect(page).toBeDefined();
    expect(await resend.read(plain)).not.toEqual(await resend.read(without(plain, ["text"])));
    const { html, "o:tracking": both, ...form } = mailgun.given;
    expect([html, both].every(Boolean)).toBe(true);
    expect(await mailgun.read(form)).not.toEqual(await mailgun.read(without(form, ["text"])));
    expect(await mailgun.read({ ...form, "o:tracking-opens": "yes" })).not.toEqual(await mailgun.read(form));
  });
});

/** A copy without a field, in every object of a list. */
function without(given: unknown, [name, ...rest]: string[]): Fields {
  if (Array.isArray(given)) return given.map((one) => without(one, [name!, ...rest])) as unknown as Fields;
  const { [name!]: value, ...others } = given as Fields;
  if (value === undefined) return given as Fields;
  return rest.length === 0 ? others : { ...(given as Fields), [name!]: without(value, rest) };
}

/** A copy with one field more, turned on where it is a setting; a form knows `yes`. */
function withField(given: unknown, [name, ...rest]: string[]): Fields {
  if (Array.isArray(given)) return given.map((one) => withField(one, [name!, ...rest])) as unknown as Fields;
  const isOfForm = "recipient-variables" in (given as Fields);
  const on = isOfForm ? "yes" : { enable: true };
  const value = rest.length === 0 ? on : withField((given as Fields)[name!] ?? {}, rest);
  return { ...(given as Fields), [name!]: value };
}
