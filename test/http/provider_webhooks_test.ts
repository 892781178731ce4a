// POST /webhooks/incoming/:provider/default: each provider as its documentation describes it, and what becomes of the mails.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import type { Mail, Origin } from "../../src/mail/mailer.ts";
import {
  type MailProvider,
  MAIL_PROVIDERS,
  providerBehind,
  providerIdIn,
  readMark,
} from "../../src/mail/provider_marks.ts";
import { createSmtpMailer } from "../../src/mail/smtp.ts";
import type { FollowedMail } from "../../src/sending/compose/followed_mail.ts";
import { BROWSER, useFollowedMails } from "../support/followed_mails.ts";
import { useService } from "../support/service.ts";
import { type TestSmtpServer, startSmtpServer } from "../support/smtp_server.ts";

const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
const SECRETS: Record<MailProvider, string> = {
  postmark: "hook:a-password",
  mailgun: "mailgun-signing-key",
  sendgrid: keys.publicKey.export({ type: "spki", format: "der" }).toString("base64"),
  resend: `whsec_${Buffer.from("a secret of Resend").toString("base64")}`,
  brevo: "brevo-token",
  mailjet: "mailjet:other-password",
};
const service = useService({
  PROVIDER_WEBHOOKS: MAIL_PROVIDERS.map((provider) => `${provider}=${SECRETS[provider]}`).join(", "),
});
const mails = useFollowedMails(service);

type Kind = "delivery" | "permanent" | "soft" | "complaint" | "delay" | "rejection" | "open" | "click";

const RECIPIENT = "ada@example.com";
const LINK = "https://shop.example/offer";
const now = () => Math.floor(Date.now() / 1000);
const iso = () => new Date(now() * 1000).toISOString();
const markOf = ({ projectId, emailId }: FollowedMail) => `${projectId}.${emailId}`;

/** Events as the documentation of each provider shows them, with the fields that are read and some that are not. */
const EVENTS: Record<MailProvider, (mail: FollowedMail, kind: Kind) => object | null> = {
  postmark(mail, kind) {
    const common = {
      ServerID: 23,
      MessageStream: "outbound",
      MessageID: crypto.randomUUID(),
      Tag: "x",
      Metadata: { postrider: markOf(mail) },
    };
    const bounced = (Type: string, Details: string) => ({
      ...common,
      RecordType: "Bounce",
      ID: 42,
      Type,
      TypeCode: 1,
      Details,
      Email: RECIPIENT,
      BouncedAt: iso(),
    });
    return {
      delivery: {
        ...common,
        RecordType: "Delivery",
        Recipient: RECIPIENT,
        DeliveredAt: iso(),
        Details: "250 OK",
      },
      permanent: bounced("HardBounce", "smtp;550 5.1.1 unknown"),
      soft: bounced("SoftBounce", "mailbox full"),
      complaint: {
        ...common,
        RecordType: "SpamComplaint",
        ID: 43,
        Type: "SpamComplaint",
        Email: RECIPIENT,
        BouncedAt: iso(),
      },
      delay: bounced("Transient", "busy"),
      rejection: bounced("SMTPApiError", "bad"),
      open: {
        ...common,
        RecordType: "Open",
        FirstOpen: true,
        Recipient: RECIPIENT,
        ReceivedAt: iso(),
        UserAgent: BROWSER,
      },
      click: {
        ...common,
        RecordType: "Click",
        OriginalLink: LINK,
        Recipient: RECIPIENT,
        ReceivedAt: iso(),
        UserAgent: BROWSER,
      },
    }[kind];
  },
  mailgun(mail, kind) {
    const [timestamp, token] = [String(now()), crypto.randomUUID().replaceAll("-", "")];
    const signature = createHmac("sha256", SECRETS.mailgun)
      .update(timestamp + token)
      .digest("hex");
    const failed = (severity: string, reason: string, code: number, message: string) => ({
      event: "failed",
      severity,
      reason,
      "delivery-status": { code, message, "attempt-no": 1 },
    });
    const event = {
      delivery: { event: "delivered", "delivery-status": { code: 250, message: "OK" } },
      permanent: failed("permanent", "bounce", 550, "5.1.1 No such user"),
      soft: null,
      complaint: { event: "complained" },
      delay: failed("temporary", "generic", 452, "4.2.2 Full"),
      rejection: { event: "rejected", reject: { reason: "Sandbox subdomains are for test purposes only" } },
      open: { event: "opened", "client-info": { "user-agent": BROWSER } },
      click: { event: "clicked", url: LINK, "client-info": { "user-agent": BROWSER } },
    }[kind];
    return (
      event && {
        signature: { timestamp, token, signature },
        "event-data": {
          id: crypto.randomUUID(),
          timestamp: now() + 0.5,
          recipient: RECIPIENT,
          "user-variables": { postrider: markOf(mail) },
          message: { headers: { "message-id": "x" } },
          ...event,
        },
      }
    );
  },
  sendgrid(mail, kind) {
    const event = {
      delivery: { event: "delivered", response: "250 OK" },
      permanent: { event: "bounce", type: "bounce", reason: "550 5.1.1 No such user", status: "5.1.1" },
      soft: { event: "bounce", type: "blocked", reason: "550 5.7.1 Try later" },
      complaint: { event: "spamreport" },
      delay: { event: "deferred", response: "450 4.2.1 busy", attempt: "2" },
      rejection: { event: "dropped", reason: "Bounced Address" },
      open: { event: "open", useragent: BROWSER },
      click: { event: "click", url: LINK, useragent: BROWSER },
    }[kind];
    return [
      {
        email: RECIPIENT,
        timestamp: now(),
        sg_event_id: crypto.randomUUID(),
        sg_message_id: "a.b",
        "smtp-id": "<x@y>",
        postrider: markOf(mail),
        ...event,
      },
    ];
  },
  resend(mail, kind) {
    const [type, more] = (
      {
        delivery: ["email.delivered", {}],
        permanent: [
          "email.bounced",
          { bounce: { type: "Permanent", subType: "General", message: "No such user" } },
        ],
        soft: ["email.bounced", { bounce: { type: "Transient", subType: "MailboxFull", message: "Full" } }],
        complaint: ["email.complained", {}],
        delay: ["email.delivery_delayed", {}],
        rejection: ["email.failed", { failed: { reason: "reached_daily_quota" } }],
        open: ["email.opened", { open: { userAgent: BROWSER } }],
        click: ["email.clicked", { click: { link: LINK, userAgent: BROWSER, ipAddress: "203.0.113.1" } }],
      } as const
    )[kind];
    const headers = [{ name: "X-Entity-Ref-ID", value: markOf(mail) }];
    return {
      type,
      created_at: iso(),
      data: { email_id: crypto.randomUUID(), to: [RECIPIENT], subject: "Hi", headers, ...more },
    };
  },
  brevo(mail, kind) {
    const event = {
      delivery: { event: "delivered" },
      permanent: { event: "hard_bounce", reason: "550 No such user" },
      soft: { event: "soft_bounce", reason: "Full" },
      complaint: { event: "spam" },
      delay: { event: "deferred", reason: "busy" },
      rejection: { event: "blocked", reason: "blacklisted" },
      open: { event: "opened", user_agent: BROWSER },
      click: { event: "click", link: LINK, user_agent: BROWSER },
    }[kind];
    return {
      id: 1,
      email: RECIPIENT,
      date: "2026-01-01 00:00:00",
      ts: now(),
      ts_event: now(),
      "message-id": `<${mail.emailId}@shop.example>`,
      "X-Mailin-custom": markOf(mail),
      tag: "",
      ...event,
    };
  },
  mailjet(mail, kind) {
    const event = {
      delivery: { event: "sent", smtp_reply: "250 OK" },
      permanent: {
        event: "bounce",
        hard_bounce: true,
        blocked: true,
        error: "user unknown",
        comment: "550 No such user",
      },
      soft: { event: "bounce", hard_bounce: false, error: "mailbox full" },
      complaint: { event: "spam", source: "JMRPP" },
      delay: null,
      rejection: { event: "blocked", error: "preblocked" },
      open: { event: "open", agent: BROWSER },
      click: { event: "click", url: LINK, agent: BROWSER },
    }[kind];
    return (
      event && [
        {
          time: now(),
          MessageID: 19421777836302490,
          Message_GUID: crypto.randomUUID(),
          email: RECIPIENT,
          CustomID: markOf(mail),
          Payload: "",
          ...event,
        },
      ]
    );
  },
};

/** What proves a request. */
function proofOf(provider: MailProvider, body: string): Record<string, string> {
  if (provider === "sendgrid") {
    const at = String(now());
    const signature = sign("sha256", Buffer.from(at + body), keys.privateKey).toString("base64");
    return {
      "x-twilio-email-event-webhook-timestamp": at,
      "x-twilio-email-event-webhook-signature": signature,
    };
  }
  if (provider === "resend") {
    const [id, at] = [`msg_${crypto.randomUUID()}`, String(now())];
    const key = Buffer.from(SECRETS.resend.slice("whsec_".length), "base64");
    const signature = createHmac("sha256", key).update(`${id}.${at}.${body}`).digest("base64");
    return { "svix-id": id, "svix-timestamp": at, "svix-signature": `v1,AAAA v1,${signature}` };
  }
  if (provider === "brevo") return { authorization: `Bearer ${SECRETS.brevo}` };
  return { authorization: `Basic ${Buffer.from(SECRETS[provider]).toString("base64")}` };
}

async function post(
  provider: string,
  body: unknown,
  headers?: Record<string, string>,
  transport = "default",
) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const response = await service.app.handle(
    new Request(`http://localhost/webhooks/incoming/${provider}/${transport}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(headers ?? proofOf(provider as MailProvider, text)),
      },
      body: text,
    }),
  );
  // oxlint-disable-next-line typescript/no-explicit-any
  return { status: response.status, body: (await response.json()) as any };
}

const OK = { status: 200, body: { success: true } };

describe.each([...MAIL_PROVIDERS])("%s", (provider) => {
  const of = EVENTS[provider];

  test("tells what became of mails, and a mail is found by the field that it gives back", async () => {
    const expected: [Kind, object][] = [
      ["delivery", { status: "DELIVERED", deliveredAt: expect.any(Date) }],
      ["permanent", { status: "BOUNCED", bouncedAt: expect.any(Date), error: expect.any(String) }],
      ["soft", { status: "SENT", error: expect.any(String) }],
      ["complaint", { status: "COMPLAINED" }],
      ["delay", { status: "SENT", error: expect.any(String) }],
      ["rejection", { status: "FAILED", error: expect.any(String) }],
      ["open", { status: "OPENED", openedAt: expect.any(Date) }],
      ["click", { status: "CLICKED", clickedAt: expect.any(Date) }],
    ];
    for (const [kind, row] of expected) {
      const mail = await mails.mail();
      const event = of(mail, kind);
      if (event === null) continue;
      expect([kind, await post(provider, event)]).toEqual([kind, OK]);
      expect({ kind, ...(await mails.row(mail)) }).toMatchObject({ kind, ...row });
    }
  });

  test("counts once what it tells twice, and a permanent bounce ends mail to the address", async () => {
    const mail = await mails.mail();
    const text = JSON.stringify(of(mail, "permanent"));
    const proof = proofOf(provider, text);
    expect([await post(provider, text, proof), await post(provider, text, proof)]).toEqual([OK, OK]);
    const { address } = await mails.row(mail);
    const suppressed = await service.pool`select reason from suppressions where email = ${address}`;

    expect((await mails.events(mail)).map(({ name }) => name)).toEqual(["email.bounce"]);
    expect(suppressed.map(({ reason }) => reason)).toEqual(["BOUNCE"]);
  });

  test("is refused without the proof, and nothing happens", async () => {
    const mail = await mails.mail();
    const text = JSON.stringify(of(mail, "complaint")).replace(
      /"signature":"[0-9a-f]{4}/,
      '"signature":"0000',
    );
    const { authorization, ...proof } = proofOf(provider, text);
    const changed = Object.fromEntries(
      Object.entries(proof).map(([name, value]) => [name, value.replace(/^.{3}/, "AAA")]),
    );
    const wrong = [
      {},
      changed,
      { ...changed, authorization: `Basic ${Buffer.from("hook:other").toString("base64")}` },
      { authorization: authorization ?? "Bearer x", "svix-signature": "v1," },
    ];
    for (const headers of wrong.slice(0, provider === "mailgun" || authorization === undefined ? 4 : 3)) {
      expect((await post(provider, text, headers)).status).toBe(403);
    }
    expect((await mails.row(mail)).status).toBe("SENT");
  });

  test("may say nonsense, which harms nobody", async () => {
    for (const body of [{}, [], [[]], { event: {} }, [{ event: "delivered" }], "null", "1"]) {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      expect([200, 403]).toContain((await post(provider, text)).status);
    }
    expect((await post(provider, "{")).status).toBe(400);
  });
});

describe("a webhook of a provider", () => {
  test("of a thousand events is one request: all of them are written", async () => {
    const first = await mails.mail();
    const rows = await service.pool`
      insert into emails (project_id, contact_id, content_id, address, source_type, status, due_at, queued_at, sent_at)
      select e.project_id, e.contact_id, e.content_id, e.address, e.source_type, 'SENT', e.due_at, e.queued_at, e.sent_at
      from emails e cross join generate_series(1, 1000)
      where e.project_id = ${first.projectId} and e.id = ${first.emailId}
      returning project_id, id`;
    const events = rows.flatMap(
      (row) => EVENTS.sendgrid({ projectId: row.projectId, emailId: row.id }, "delivery") as object[],
    );
    expect(await post("sendgrid", events)).toEqual(OK);
    const [{ delivered }] = (await service.pool`
      select count(*)::int as delivered from emails
      where id = any(${rows.map((row) => row.id as string)}) and status = 'DELIVERED'`) as never as [
      { delivered: number },
    ];

    expect(delivered).toBe(1000);
  });

  test("that was signed long ago is a recording", async () => {
    const mail = await mails.mail();
    const text = JSON.stringify(EVENTS.resend(mail, "delivery"));
    const at = String(now() - 3_600);
    const key = Buffer.from(SECRETS.resend.slice("whsec_".length), "base64");
    const signature = createHmac("sha256", key).update(`msg_1.${at}.${text}`).digest("base64");
    const { status, body } = await post("resend", text, {
      "svix-id": "msg_1",
      "svix-timestamp": at,
      "svix-signature": `v1,${signature}`,
    });

    expect([status, body.error.message]).toEqual([403, expect.stringContaining("too long ago")]);
  });

  test("of an unknown provider, or transport, is refused; and the secret of one is none of another", async () => {
    expect((await post("nobody", {}, {})).status).toBe(404);
    expect((await post("postmark", {}, proofOf("postmark", ""), crypto.randomUUID())).status).toBe(404);
    const asPostmark = { authorization: `Bearer ${SECRETS.sendgrid}` };
    expect((await post("postmark", EVENTS.postmark(await mails.mail(), "delivery"), asPostmark)).status).toBe(
      403,
    );
  });
});

describe("the field that a provider gives back", () => {
  let server: TestSmtpServer;
  beforeAll(async () => {
    server = await startSmtpServer();
  });
  afterAll(() => server.stop());

  const origin: Origin = { projectId: crypto.randomUUID(), emailId: crypto.randomUUID() };
  const common = {
    origin,
    messageId: "a@shop.example",
    envelope: { from: "a@shop.example", to: RECIPIENT },
    subject: "Hi",
  };
  const box = (address: string) => ({ name: "", address });
  const attachment = {
    filename: "a.txt",
    contentType: "text/plain",
    cid: null,
    disposition: "attachment",
    content: Buffer.from("a"),
  } as const;
  const ways: Record<string, (head: string) => Parameters<ReturnType<typeof createSmtpMailer>["send"]>[0]> = {
    "a ready source": (head) => ({ ...common, source: Buffer.from(`${head}Subject: Hi\r\n\r\nHi\r\n`) }),
    "a mail with a file": () =>
      ({
        ...common,
        from: box("a@shop.example"),
        to: box(RECIPIENT),
        replyTo: null,
        html: "<p>Hi</p>",
        text: "Hi",
        headers: {},
        attachments: [attachment],
        date: new Date(),
      }) as Mail,
  };

  test.each([...MAIL_PROVIDERS])("is in mails to %s, and names the mail", async (provider) => {
    const mailer = createSmtpMailer(`${server.url}?provider=${provider}`);
    for (const make of Object.values(ways)) expect((await mailer.send(make(""))).state).toBe("accepted");
    mailer.close();
    const sources = server.received.splice(0).map(({ source }) => source);

    expect(sources).toHaveLength(2);
    for (const source of sources) {
      const [, mark] =
        /^X-(?:PM-Metadata|Mailgun|SMTPAPI|Entity|Mailin|MJ)[^\r\n]*?([0-9a-f-]{36}\.[0-9a-f-]{36})/i.exec(
          source,
        )!;
      expect(readMark(mark)).toEqual(origin);
    }
  });

  test("is in no mail to other servers, or of nobody, and replaces none of the author's", async () => {
    const plain = createSmtpMailer(server.url);
    const sendgrid = createSmtpMailer(`${server.url}?provider=sendgrid`);
    await plain.send(ways["a ready source"]!(""));
    const { origin: _, ...unknown } = ways["a ready source"]!("");
    await sendgrid.send(unknown as never);
    await sendgrid.send(ways["a ready source"]!('X-SMTPAPI: {"category": "x"}\r\n'));
    for (const mailer of [plain, sendgrid]) mailer.close();
    const sources = server.received.splice(0).map(({ source }) => source);

    expect(sources.map((source) => source.match(/X-SMTPAPI/g)?.length ?? 0)).toEqual([0, 0, 1]);
  });

  test("is chosen by the name of the server", () => {
    const hosts = [
      "smtp.postmarkapp.com",
      "smtp.eu.mailgun.org",
      "smtp.sendgrid.net",
      "smtp.resend.com",
      "smtp-relay.brevo.com",
      "in-v3.mailjet.com",
      "mail.example.com",
      "notresend.com",
    ];

    expect(hosts.map(providerBehind)).toEqual([
      "postmark",
      "mailgun",
      "sendgrid",
      "resend",
      "brevo",
      "mailjet",
      null,
      null,
    ]);
    expect(providerIdIn("resend", "250 Ok: queued as 0193A9CE-7C00-7000-8000-000000000001")).toBe(
      "0193a9ce-7c00-7000-8000-000000000001",
    );
    expect(providerIdIn("postmark", "250 Ok: queued as 0193a9ce-7c00-7000-8000-000000000001")).toBeNull();
  });
});
