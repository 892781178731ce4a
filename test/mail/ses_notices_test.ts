import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { diagnosticOf } from "../../src/mail/notice.ts";
import { readSesMessage, sesMessageId } from "../../src/mail/ses_notices.ts";
import { newProviderId, sesReceived, sesReport } from "../support/ses.ts";

const NOW = new Date("2026-11-20T12:00:00Z");
const AT = "2026-11-20T11:59:00.123Z";
const SENT_AT = new Date("2026-11-20T11:58:30.000Z");
const projectId = Bun.randomUUIDv7();
const emailId = Bun.randomUUIDv7();
const providerId = newProviderId();
const about = { projectId, emailId, providerId, sentAt: SENT_AT };
const mail = { projectId, emailId, providerId };

const read = (report: unknown) => readSesMessage(JSON.stringify(report), NOW);
const notices = (report: unknown) => read(report)?.notices;
const common = { mail, sentAt: SENT_AT, at: new Date(AT), recipient: "ada@example.com" };
const timestamp = AT;

/** How many times as long one thing takes as the other. Where work grows with the square, that is thousands. */
function timesAsLong(one: () => unknown, other: () => unknown): number {
  const time = (work: () => unknown) => {
    const startedAt = performance.now();
    work();
    return performance.now() - startedAt;
  };
  time(other);
  return time(one) / Math.max(time(other), 0.2);
}

describe("an event of a configuration set", () => {
  test.each([
    ["Send", {}, { kind: "sent", at: SENT_AT }],
    ["Delivery", { timestamp }, { kind: "delivery" }],
    [
      "Bounce",
      { timestamp },
      { kind: "bounce", bounceType: "Permanent", diagnostic: "smtp; 550 5.1.1 user unknown" },
    ],
    [
      "Bounce",
      {
        timestamp,
        bounceType: "Transient",
        bounceSubType: "MailboxFull",
        bouncedRecipients: [{ emailAddress: "ada@example.com" }],
      },
      { kind: "bounce", bounceType: "Transient", diagnostic: "Transient bounce: MailboxFull" },
    ],
    [
      "Bounce",
      { timestamp, bounceType: "Undetermined" },
      { kind: "bounce", bounceType: "Undetermined", diagnostic: "smtp; 550 5.1.1 user unknown" },
    ],
    [
      "Bounce",
      { timestamp, bounceType: "SomethingNew" },
      { kind: "bounce", bounceType: "Undetermined", diagnostic: "smtp; 550 5.1.1 user unknown" },
    ],
    ["Complaint", { timestamp }, { kind: "complaint" }],
    [
      "Reject",
      {},
      {
        kind: "rejection",
        at: SENT_AT,
        recipient: null,
        diagnostic: "Rejected by the provider: Bad content",
      },
    ],
    [
      "Rendering Failure",
      {},
      { kind: "rejection", at: SENT_AT, recipient: null, diagnostic: "Attribute 'name' is not present" },
    ],
    ["DeliveryDelay", { timestamp }, { kind: "delay", diagnostic: "smtp; 452 4.2.2 mailbox full" }],
    ["Open", { timestamp }, { kind: "open", recipient: null, userAgent: expect.stringContaining("Chrome") }],
    [
      "Click",
      { timestamp },
      {
        kind: "click",
        recipient: null,
        link: "https://shop.example/a?b=1",
        userAgent: expect.stringContaining("Chrome"),
      },
    ],
  ])("%s %j", (kind, particulars, expected) => {
    expect(notices(sesReport(kind, about, particulars))).toEqual([{ ...common, ...expected } as never]);
  });

  test.each(["Delivery", "Bounce", "Complaint"])("%s says the same as feedback of an identity", (kind) => {
    const [event, feedback] = (["eventType", "notificationType"] as const).map((shape) =>
      notices(sesReport(kind, about, { timestamp }, shape)),
    );

    expect(feedback).toEqual(event!);
    expect(feedback).toHaveLength(1);
  });

  test("about several recipients is a notice for each", () => {
    const people = ["ada@example.com", "Grace <GRACE@example.com>", "no address"];
    const entries = people.map((emailAddress, i) => ({ emailAddress, diagnosticCode: `code ${i}` }));

    expect(
      notices(sesReport("Bounce", about, { bouncedRecipients: entries }))!.map((notice) => [
        notice.recipient,
        notice.kind === "bounce" && notice.diagnostic,
      ]),
    ).toEqual([
      ["ada@example.com", "code 0"],
      ["grace@example.com", "code 1"],
      [null, "code 2"],
    ]);
    expect(notices(sesReport("Delivery", about, { recipients: people }))).toHaveLength(3);
    expect(notices(sesReport("Complaint", about, { complainedRecipients: [] }))).toMatchObject([
      { recipient: null },
    ]);
  });

  test("that somebody took a mail out of the spam folder is no complaint", () => {
    expect(notices(sesReport("Complaint", about, { complaintFeedbackType: "not-spam" }))).toEqual([]);
  });

  test.each([
    "Subscription",
    "AmazonSnsSubscriptionSucceeded",
    "Something",
    "toString",
    "__proto__",
    7,
    null,
  ])("of the kind %p says nothing to us", (kind) => {
    expect(read({ eventType: kind, mail: {} })).toBeNull();
    expect(read({ notificationType: kind, mail: {} })).toBeNull();
  });

  test.each([
    "",
    "null",
    "[]",
    "7",
    "Successfully validated SNS topic for Amazon SES event publishing.",
    '{"eventType"',
  ])("%p is none", (message) => {
    expect(readSesMessage(message, NOW)).toBeNull();
  });
});

describe("the mail that is meant", () => {
  const named = (mailPart: object) => read({ eventType: "Send", mail: mailPart })!.notices[0]!.mail;
  const header = (name: string, value: unknown) => ({ name, value });
  const messageId = header("Message-ID", `<${emailId}@shop.example>`);
  const feedbackId = header("Feedback-ID", `${crypto.randomUUID()}:${projectId}:marketing:postrider`);

  test("is named by our own headers, whatever their case and order", () => {
    const headers = [
      header("feedback-id", feedbackId.value),
      header("MESSAGE-ID", ` <${emailId.toUpperCase()}@shop.example> `),
    ];

    expect(named({ headers, messageId: providerId })).toEqual({ projectId, emailId, providerId });
  });

  test("is named by the common headers where the others were cut off", () => {
    const commonHeaders = { messageId: `<${emailId}@shop.example>` };

    expect(named({ headers: [feedbackId], headersTruncated: true, commonHeaders })).toMatchObject({
      projectId,
      emailId,
    });
  });

  test("is named by no header that is longer than ours, and what is in one makes no difference to the work", () => {
    const long = header("Feedback-ID", `${"x".repeat(1_000)}:${projectId}:marketing:postrider`);
    const padded = header("Message-ID", `${" ".repeat(1_000)}${messageId.value}`);

    expect(named({ headers: [messageId, long] }).projectId).toBeNull();
    expect(named({ headers: [padded, feedbackId] }).emailId).toBeNull();
    for (const name of ["Feedback-ID", "Message-ID"]) {
      const readOne = (c: string) => named({ headers: [header(name, `${c.repeat(60_000)}!`)] });
      expect(
        timesAsLong(
          () => readOne(" "),
          () => readOne("a"),
        ),
      ).toBeLessThan(200);
    }
  });

  test.each([
    ["no headers", {}],
    ["no Feedback-ID", { headers: [messageId] }],
    ["a Feedback-ID of the author's", { headers: [messageId, header("Feedback-ID", "spring:shop:mail:me")] }],
    [
      "a Feedback-ID of another sender",
      { headers: [messageId, header("Feedback-ID", `a:${projectId}:b:other`)] },
    ],
    [
      "a Message-ID of SES",
      { headers: [header("Message-ID", `<${newProviderId()}@email.amazonses.com>`), feedbackId] },
    ],
    [
      "the Message-ID of all mails of a message",
      { headers: [header("Message-ID", `<all-${emailId}@shop.example>`), feedbackId] },
    ],
    ["headers of another shape", { headers: { "Message-ID": messageId.value }, commonHeaders: [messageId] }],
    [
      "headers without values",
      { headers: [header("Message-ID", 7), null, "x", header("Feedback-ID", null)] },
    ],
  ])("with %s is named by the id of SES alone", (_, part) => {
    expect(named({ ...part, messageId: providerId })).toEqual({ projectId: null, emailId: null, providerId });
  });
});

describe("what came in", () => {
  test("is read with its sender, its recipients and what the filters say", () => {
    expect(read(sesReceived())).toEqual({
      notices: [],
      received: {
        sender: { email: "ada@example.com", name: "Lovelace, Ada" },
        recipients: ["support@shop.example"],
        subject: "A question",
        messageId: "abc.123@example.com",
        at: new Date("2026-01-05T10:00:01.000Z"),
        verdicts: { spam: "PASS", virus: "PASS", spf: "PASS", dkim: "GRAY", dmarc: "PASS" },
      },
    });
  });

  test("is from its return path where no author can be read", () => {
    const { received } = read(sesReceived({ headers: { from: ["=?broken, <x"] } }))!;

    expect(received!.sender).toEqual({ email: "bounces+ada@example.com", name: null });
  });

  test.each(["", "<>", " <> "])("with the return path %p is from nobody", (source) => {
    expect(read(sesReceived({ mail: { source } }))!.received!.sender).toBeNull();
  });

  test("from a return path of blanks is read as quickly as from any other", () => {
    const from = (c: string) => () => read(sesReceived({ mail: { source: `${c.repeat(60_000)}!` } }));

    expect(timesAsLong(from(" "), from("a"))).toBeLessThan(200);
  });

  test.each([
    ["\ud800 Ada", "\ufffd Ada"],
    ["A\udc00", "A\ufffd"],
    ["Ada\u0085\u2028Lovelace", "Ada Lovelace"],
  ])("from %p has a name that the database can hold", (name, held) => {
    const { received } = read(sesReceived({ headers: { from: [`${name} <ada@example.com>`] } }))!;

    expect(received!.sender).toEqual({ email: "ada@example.com", name: held });
  });

  test("without matched recipients is for all of its destinations", () => {
    const report = sesReceived({
      receipt: { recipients: [] },
      mail: { destination: ["A@B.example", "x", "c@d.example"] },
    });

    expect(read(report)!.received!.recipients).toEqual(["a@b.example", "c@d.example"]);
  });
});

describe("what strangers write", () => {
  test("is one line that the database can hold", () => {
    expect(diagnosticOf(" smtp; 550\r\n  no\u0000 such\tuser \u007f\u0085")).toBe("smtp; 550 no such user");
    expect(diagnosticOf("x".repeat(499) + "🥊")).toBe(`${"x".repeat(499)}\ufffd`);
    expect([diagnosticOf(""), diagnosticOf("\r\n\0"), diagnosticOf(7), diagnosticOf(null)]).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  test("is no time ahead of ours, and a time that cannot be read is now", () => {
    const at = (time: unknown) => notices(sesReport("Delivery", about, { timestamp: time }))![0]!.at;

    expect(at("2030-01-01T00:00:00Z")).toEqual(NOW);
    expect([at("yesterday"), at(null), at(7), at("2026-99-99T00:00:00Z")]).toEqual([NOW, NOW, NOW, NOW]);
  });

  test("is no time before there was SES: the database does not know all of the years that we do", () => {
    const ancient = "0000-01-01T00:00:00Z";
    const [notice] = notices(
      sesReport("Delivery", { ...about, sentAt: new Date(ancient) }, { timestamp: ancient }),
    )!;
    const report = sesReceived({
      mail: { timestamp: "1999-12-31T00:00:00Z" },
      receipt: { timestamp: ancient },
    });

    expect(notice).toMatchObject({ at: NOW, sentAt: null });
    expect(read(report)!.received!.at).toEqual(NOW);
  });

  test("whatever it is, never makes us stumble", () => {
    const kinds = [
      "Send",
      "Delivery",
      "Bounce",
      "Complaint",
      "Reject",
      "Open",
      "Click",
      "DeliveryDelay",
      "Rendering Failure",
    ];
    const fields = [
      "mail",
      "bounce",
      "complaint",
      "delivery",
      "open",
      "click",
      "receipt",
      "headers",
      "commonHeaders",
    ];
    const anything = fc.dictionary(fc.oneof(fc.constantFrom(...fields), fc.string()), fc.jsonValue());
    fc.assert(
      fc.property(fc.constantFrom(...kinds, "Received"), anything, (kind, report) => {
        const { notices: all, received } = read({ ...report, notificationType: kind, eventType: undefined })!;
        for (const { at, mail: name } of all) {
          expect(Number.isNaN(at.getTime())).toBe(false);
          expect(name.projectId === null).toBe(name.emailId === null);
        }
        expect(received === null).toBe(kind !== "Received");
      }),
      { numRuns: 300 },
    );
  });
});

describe("the id in the reply of a server", () => {
  test.each([
    [`250 Ok ${providerId}`, providerId],
    [`250 2.0.0 Ok ${providerId}`, providerId],
    ["250 Ok: queued as 1234567890", null],
    ["250 2.0.0 OK  1732100000 a1-20020a170902c4b100b001d9a42f6183si123 - gsmtp", null],
    [`250 Ok ${providerId} and more`, null],
    [`451 Ok ${providerId}`, null],
    ["250 Ok", null],
    ["", null],
  ])("%s", (response, id) => {
    expect(sesMessageId(response)).toBe(id);
  });
});
