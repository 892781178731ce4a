// POST /webhooks/incoming/arf/:transportId: complaint reports of mailbox providers, as a mail server passes them on.
import { beforeAll, describe, expect, test } from "bun:test";
import { OPERATOR } from "../../src/accounts/audit.ts";
import { addVerifiedDomain } from "../../src/accounts/projects/domains.ts";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import type { FollowedMail } from "../../src/sending/compose/followed_mail.ts";
import { envelopeSender } from "../../src/sending/compose/return_paths.ts";
import { addTransport } from "../../src/sending/transports/mod.ts";
import { INSTALLATION } from "../../src/sending/transports/routes.ts";
import { report, wire } from "../mail/bounce_samples.ts";
import { useFollowedMails } from "../support/followed_mails.ts";
import { DOMAIN, useService } from "../support/service.ts";

const SECRET = "the secret of the mail server";
const TOKEN = SECRET.replaceAll(" ", "-");
const service = useService({ INBOUND_SMTP_PORT: "0", PROVIDER_WEBHOOKS: `arf=${TOKEN}` });
const mails = useFollowedMails(service);

let project: NewProject;
let stranger: NewProject;
let own: string;
let shared: string;

beforeAll(async () => {
  project = await service.createProject();
  stranger = await service.createProject();
  await addVerifiedDomain(service, stranger.id, "stranger.example");
  const states = service.pool.json({ "RETURN_PATH MX": "VERIFIED" });
  await service.pool`update domains set record_states = ${states}`;
  const input = {
    name: "Relay",
    kind: "SMTP",
    url: "smtp://relay.example.com",
    feedbackSecret: TOKEN,
  } as const;
  own = (await addTransport(service, project.id, input, OPERATOR)).id;
  shared = (await addTransport(service, INSTALLATION, input, OPERATOR)).id;
});

async function pass(transport: string, source: Uint8Array | string, token = TOKEN): Promise<number> {
  const { status } = await service.app.handle(
    new Request(`http://localhost/webhooks/incoming/arf/${transport}`, {
      method: "POST",
      headers: { "content-type": "message/rfc822", authorization: `Bearer ${token}` },
      body: source as BodyInit,
    }),
  );
  return status;
}

const original = (fields: string) =>
  `${fields}\nFrom: Shop <hello@${DOMAIN}>\nSubject: Your order\n\nThank you.`;
const byMessageId = ({ emailId }: FollowedMail) => `Message-ID: <${emailId}@${DOMAIN}>`;

/** As Yahoo's Complaint Feedback Loop sends them. */
const yahoo = (fields: string) =>
  report({
    type: "feedback-report",
    text: "This is an email abuse report for an email message from shop.example",
    statusType: "message/feedback-report",
    status: `
Feedback-Type: abuse
User-Agent: Yahoo!-Mail-Feedback/2.0
Version: 0.1
Original-Mail-From: <bounce@shop.example>
Original-Rcpt-To: ada@yahoo.example
Received-Date: Fri, 20 Nov 2026 07:00:00 +0000
Reported-Domain: shop.example`,
    original: original(fields),
  });

/** As Comcast's, which Validity sends: the header alone is sent back. */
const comcast = (fields: string) =>
  report({
    type: "feedback-report",
    text: "This is a Comcast email abuse report for an email message received from IP 192.0.2.55",
    statusType: "message/feedback-report",
    status: `
Feedback-Type: abuse
User-Agent: ReturnPathFBL/2.0
Version: 1
Original-Mail-From: hello@${DOMAIN}
Original-Rcpt-To: <redacted>
Arrival-Date: Fri, 20 Nov 2026 07:00:00 +0000
Source-IP: 192.0.2.55`,
    original: original(fields),
    originalType: "text/rfc822-headers",
  });

/** As Microsoft's Junk Mail Reporting Program: no report, but the mail itself. */
const microsoft = (fields: string) =>
  wire(`
From: staff@hotmail.com
To: fbl@mail.shop.example
Subject: complaint about message from 192.0.2.55
Date: Fri, 20 Nov 2026 08:00:00 +0000
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="part"

--part
Content-Type: message/rfc822
Content-Disposition: inline

X-HmXmrOriginalRecipient: ada@hotmail.com
${original(fields)}
--part--`);

const FORMATS = { yahoo, comcast, microsoft };
const statusOf = async (mail: FollowedMail) => (await mails.row(mail)).status as string;

describe.each(Object.entries(FORMATS))("a report as %s sends it", (_name, make) => {
  test("finds the mail by its Message-ID: it is complained about, once", async () => {
    const mail = await mails.mail({}, project);
    const source = make(byMessageId(mail));

    expect([await pass(own, source), await pass(own, source)]).toEqual([200, 200]);
    expect(await statusOf(mail)).toBe("COMPLAINED");
    expect((await mails.events(mail)).map(({ name }) => name)).toEqual(["email.complaint"]);
    const { address } = await mails.row(mail);
    const suppressed = await service.pool`select reason from suppressions where email = ${address}`;
    expect(suppressed.map(({ reason }) => reason)).toEqual(["COMPLAINT"]);
  });

  test("finds it by its return path, too", async () => {
    const mail = await mails.mail({}, project);
    const sender = { projectId: project.id, fromEmail: `hello@${DOMAIN}` };
    const returnPath = await envelopeSender(service, sender, mail.emailId);

    expect(returnPath).toStartWith("b-");
    expect(await pass("default", make(`Return-Path: <${returnPath}>`))).toBe(200);
    expect(await statusOf(mail)).toBe("COMPLAINED");
  });
});

describe("whose mails a report may be about", () => {
  test("of a project's transport: its own", async () => {
    const theirs = await mails.mail({}, stranger);
    const sender = { projectId: stranger.id, fromEmail: "hello@stranger.example" };
    const states = service.pool.json({ "RETURN_PATH MX": "VERIFIED" });
    await service.pool`update domains set record_states = ${states}`;
    const returnPath = await envelopeSender(service, sender, theirs.emailId);

    expect(await pass(own, yahoo(byMessageId(theirs)))).toBe(200);
    expect(await pass(own, yahoo(`Return-Path: <${returnPath}>`))).toBe(200);
    expect(await statusOf(theirs)).toBe("SENT");
  });

  test("of the installation's: those of all projects that own the domain", async () => {
    const mail = await mails.mail({}, project);
    expect(await pass(shared, yahoo(byMessageId(mail)))).toBe(200);
    expect(await statusOf(mail)).toBe("COMPLAINED");
  });
});

test("what proves nothing, or reports nothing, changes nothing", async () => {
  const mail = await mails.mail({}, project);
  const source = yahoo(byMessageId(mail));
  const notSpam = Buffer.from(source).toString().replace("Feedback-Type: abuse", "Feedback-Type: not-spam");

  expect(await pass(own, source, "another-secret")).toBe(403);
  expect(await pass(crypto.randomUUID(), source)).toBe(404);
  expect(await pass(own, notSpam)).toBe(200);
  expect(await pass(own, "Subject: Hello\r\n\r\nHello")).toBe(400);
  expect(await pass(own, new Uint8Array(3 * 1_048_576))).toBe(413);
  expect(await pass(own, yahoo("Message-ID: <somebody@else.example>"))).toBe(200);
  expect(await statusOf(mail)).toBe("SENT");
});
