// The mails that leave, as a receiver judges them: by the records that the owner of the domain is asked to publish.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { OPERATOR } from "../../src/accounts/audit.ts";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import type { Context } from "../../src/context.ts";
import { type CapturedMail, createCaptureMailer } from "../../src/mail/capture.ts";
import { createDns } from "../../src/mail/dns.ts";
import { sendSigned } from "../../src/sending/delivery/_dkim.ts";
import { addDomain, getDomain, removeDomain, verifyDomain } from "../../src/sending/domains/mod.ts";
import { settleDoubts } from "../../src/sending/delivery/recovery.ts";
import { campaignsOf } from "../support/campaign.ts";
import { type Verdict, verdictOn } from "../support/dkim_verifier.ts";
import { type NameServer, startNameServer } from "../support/name_server.ts";
import { until } from "../support/process.ts";
import { DOMAIN as UNSIGNED, useService } from "../support/service.ts";

const service = useService({ BASE_URL: "https://mail.shop.example" });
const DOMAIN = "signs.example";
const FROM = `news@${DOMAIN}`;
const basic = { to: "ada@example.com", from: FROM, subject: "Hello", body: "<p>Hello</p>" };
let names: NameServer;
let ctx: Context;
let project: NewProject;
let domainId: string;
const { call, addContacts, create, send: sendCampaign, ledger } = campaignsOf(service, () => project);

beforeAll(async () => {
  names = await startNameServer();
  ctx = { ...service, dns: createDns({ servers: [names.address] }) };
});
afterAll(() => names.stop());

beforeEach(async () => {
  service.setNow(new Date());
  service.smtp.behave({});
  service.smtp.received.length = 0;
  await service.dropJobs();
  project = await service.createProject();
  domainId = await addSigningDomain();
});

/** Adds a domain, publishes what its owner is asked to, and has it verified. */
async function addSigningDomain(name: string = DOMAIN, projectId: string = project.id): Promise<string> {
  const { id } = await addDomain(ctx, projectId, name, OPERATOR);
  const { records } = await getDomain(ctx, projectId, id);
  for (const record of records.filter(({ type }) => type === "TXT")) {
    names.set(record.name, "TXT", [record.value.match(/.{1,255}/g)!]);
  }
  expect((await verifyDomain(ctx, projectId, id)).status).toBe("VERIFIED");
  return id;
}

const send = async (more: object = {}, key = project.secret): Promise<string> => {
  const { status, body } = await service.request("POST", "/v1/send", { key, body: { ...basic, ...more } });
  expect([status, body.error]).toEqual([200, undefined]);
  return body.data.emails[0].email;
};
const verdict = (source: string): Promise<Verdict> => verdictOn(source, names.address);
const isSigned = (source: string) => /^DKIM-Signature:/im.test(source.split("\r\n\r\n")[0]!);
/** Everything that has come since the last look, which is as many at least. */
const received = async (atLeast = 0): Promise<string[]> => {
  await until(`${atLeast} mails have come`, async () => {
    await service.runJobs();
    return service.smtp.received.length >= atLeast;
  });
  return service.smtp.received.splice(0).map(({ source }) => source);
};
const receivedOne = async (): Promise<string> => {
  const sources = await received();
  expect(sources).toHaveLength(1);
  return sources[0]!;
};
const later = (seconds: number) => service.setNow(new Date(service.now().getTime() + seconds * 1000));
const fieldOf = (source: string, name: string) =>
  new RegExp(`^${name}: (.*)$`, "im").exec(source)?.[1]?.trim();

describe("every mail of a campaign", () => {
  test("passes, is aligned with From, and its ways to unsubscribe are signed", async () => {
    await addContacts(25);
    await sendCampaign(await create({ from: FROM }));
    const sources = await received(25);
    const verdicts = await Promise.all(sources.map(verdict));

    expect(verdicts).toHaveLength(25);
    for (const { result, domain, aligned, signed } of verdicts) {
      expect({ result, domain, aligned }).toEqual({ result: "pass", domain: DOMAIN, aligned: true });
      expect(signed).toContain("list-unsubscribe");
      expect(signed).toContain("list-unsubscribe-post");
      expect(signed).toContain("feedback-id");
    }
    expect(new Set(sources.map((source) => fieldOf(source, "List-Unsubscribe"))).size).toBe(25);
  });

  test("passes no more when a letter of the body, or the way to unsubscribe, is another one", async () => {
    await addContacts(1);
    await sendCampaign(await create({ from: FROM }));
    const source = await receivedOne();
    const changes = [
      source.replace(/(\r\n\r\n[^-].*)[a-z]/, "$1_"),
      source.replace(/^List-Unsubscribe: </m, "List-Unsubscribe: <https://evil.example/>, <"),
      source.replace(/^List-Unsubscribe-Post:.*\r\n/m, ""),
    ];

    expect((await verdict(source)).result).toBe("pass");
    for (const changed of changes) {
      expect(changed).not.toBe(source);
      expect((await verdict(changed)).result).not.toBe("pass");
    }
  });

  test("also of its test", async () => {
    const id = await create({ from: FROM });
    const { status } = await call("POST", `/campaigns/${id}/test`, { email: "tess@example.com" });

    expect(status).toBe(200);
    expect(await verdict(await receivedOne())).toMatchObject({ result: "pass", aligned: true });
  });
});

describe("a mail of a call passes", () => {
  const file = (bytes: number, contentType = "application/pdf") => ({
    filename: "Überblick – 東京.pdf",
    content: Buffer.alloc(bytes, "0123456789").toString("base64"),
    contentType,
  });

  test.each([
    ["that is plain", {}],
    ["of 200 KB", { body: `<p>${"grüße ".repeat(30_000)}</p>` }],
    ["with an empty text part", { body: '<img src="https://a.test/b.png">' }],
    ["with a body of blanks", { body: "   \n\t\n  " }],
    ["with an attachment", { attachments: [file(200_000)] }],
    [
      "with a mail attached",
      { attachments: [{ ...file(0, "message/rfc822"), content: btoa("A: b\n\n.\n \nend") }] },
    ],
    ["with an inline image", { attachments: [{ ...file(3), contentId: "logo", disposition: "inline" }] }],
    ["with headers of its own", { headers: { "X-Order": "42", "List-Unsubscribe": "<mailto:a@b.test>" } }],
    [
      "with long headers",
      {
        headers: {
          "X-Long": "ä".repeat(300),
          "X-Words": "word ".repeat(180),
          References: `<${"r".repeat(200)}@a.test>`,
        },
      },
    ],
    [
      "with an attachment and long headers",
      { attachments: [file(10)], headers: { "X-Long": "ä".repeat(300) } },
    ],
    ["with an address for answers", { reply: "help@example.com" }],
    [
      "with names and a subject in any script",
      {
        to: { email: "ada@example.com", name: "مرحبا 東京 Ελλάδα 👩‍👩‍👧".repeat(4) },
        from: { email: FROM, name: 'Café "Zoë" & Søn, Inc.' },
        subject: "Grüße, 東京 и Ελλάδα 🎉 ".repeat(12).trim(),
      },
    ],
  ])("%s", async (_, more) => {
    await send(more);

    expect(await verdict(await receivedOne())).toMatchObject({
      result: "pass",
      domain: DOMAIN,
      aligned: true,
    });
  });

  test("and is aligned when the sender is written in capitals", async () => {
    await send({ from: "News@Signs.Example" });

    expect(await verdict(await receivedOne())).toMatchObject({ result: "pass", aligned: true });
  });

  test("from an international domain", async () => {
    await addSigningDomain("bücher.example");
    await send({ from: "hallo@bücher.example" });

    expect(await verdict(await receivedOne())).toMatchObject({
      result: "pass",
      domain: "xn--bcher-kva.example",
      aligned: true,
    });
  });
});

describe("whose key it is", () => {
  test("a domain without a key signs nothing, and neither does one that is not verified any more", async () => {
    await send({ from: `news@${UNSIGNED}` });
    const sources = await received();
    await send();
    await service.pool`update domains set status = 'FAILED' where id = ${domainId}`;
    sources.push(...(await received()));

    expect(sources.map(isSigned)).toEqual([false, false]);
  });

  test("two projects with one domain sign with a key each", async () => {
    const other = await service.createProject();
    await addSigningDomain(DOMAIN, other.id);
    await send();
    await send({}, other.secret);
    const verdicts = await Promise.all((await received()).map(verdict));

    expect(verdicts.map(({ result }) => result)).toEqual(["pass", "pass"]);
    expect(verdicts[0]!.selector).not.toBe(verdicts[1]!.selector);
  });

  test("a domain that is removed signs nothing within a minute; added again it signs with its new key", async () => {
    await send();
    const first = await verdict(await receivedOne());
    await send();
    await removeDomain(ctx, project.id, domainId, OPERATOR);
    later(61);
    const removed = await receivedOne();
    await addSigningDomain();
    await send();
    later(61);
    const again = await verdict(await receivedOne());

    expect(isSigned(removed)).toBe(false);
    expect([first.result, again.result]).toEqual(["pass", "pass"]);
    expect(again.selector).not.toBe(first.selector);
  });

  test("a domain that is verified while mails go out signs within a minute", async () => {
    await service.pool`update domains set verified_at = null where id = ${domainId}`;
    await send();
    const before = await receivedOne();
    await service.pool`update domains set verified_at = now() where id = ${domainId}`;
    later(61);
    await send();

    expect(isSigned(before)).toBe(false);
    expect((await verdict(await receivedOne())).result).toBe("pass");
  });
});

describe("a key that cannot be read", () => {
  const hide = () => service.pool`alter table domains rename column dkim_private_key to hidden_key`;
  const show = () => service.pool`alter table domains rename column hidden_key to dkim_private_key`;

  test("makes the mail wait; it never goes out unsigned", async () => {
    const id = await send();
    await hide();
    const sources = await received();
    const waiting = (await call("GET", `/emails/${id}`)).body;
    await show();
    later(60);
    const source = await receivedOne();

    expect(sources).toEqual([]);
    expect(waiting).toMatchObject({
      status: "PENDING",
      attempts: 1,
      error: "The mail could not be signed yet",
    });
    expect((await verdict(source)).result).toBe("pass");
    expect((await call("GET", `/emails/${id}`)).body).toMatchObject({
      status: "SENT",
      attempts: 2,
      error: null,
    });
    expect(service.lines.filter(({ message }) => message === "mail not signed yet")).not.toHaveLength(0);
    expect(JSON.stringify(service.lines)).not.toContain("PRIVATE KEY");
  });

  test("because SECRET_KEY is another one makes the mail wait too; it is said once for all of them", async () => {
    const ids = [await send(), await send()];
    const [row] = await service.pool`select dkim_private_key as key from domains where id = ${domainId}`;
    await service.pool`update domains set dkim_private_key = '\\x01' where id = ${domainId}`;
    const before = service.lines.length;
    const sources = await received();
    const waiting = await Promise.all(ids.map(async (id) => (await call("GET", `/emails/${id}`)).body));
    await service.pool`update domains set dkim_private_key = ${row!.key} where id = ${domainId}`;
    later(120);
    sources.push(...(await received()));
    const said = service.lines.slice(before).filter(({ level }) => level === "error" || level === "warn");

    expect(waiting.map(({ status, error }) => [status, error])).toEqual(
      ids.map(() => ["PENDING", "The mail could not be signed yet"]),
    );
    expect((await Promise.all(sources.map(verdict))).map(({ result }) => result)).toEqual(["pass", "pass"]);
    expect(said).toEqual([
      expect.objectContaining({
        level: "error",
        message: expect.stringContaining("Mails of its domain wait"),
      }),
    ]);
  });

  test("is of no concern to the mails of a minute, which share what was read once", async () => {
    await send();
    const sources = await received();
    await hide();
    await send();
    later(50);
    sources.push(...(await received()));
    await show();

    expect((await Promise.all(sources.map(verdict))).map(({ result }) => result)).toEqual(["pass", "pass"]);
  });

  test("does not fail a campaign", async () => {
    await addContacts(3);
    const id = await create({ from: FROM });
    await sendCampaign(id);
    await hide();
    const sources = await received();
    const before = await ledger(id);
    await show();
    later(60);
    sources.push(...(await received()));

    expect([before, await ledger(id)]).toEqual([{ PENDING: 3 }, { SENT: 3 }]);
    expect(await Promise.all(sources.map(async (source) => (await verdict(source)).result))).toEqual([
      "pass",
      "pass",
      "pass",
    ]);
  });
});

test("each attempt signs again, under the same Message-ID", async () => {
  service.smtp.behave({ cut: "after data" });
  const id = await send();
  const first = await receivedOne();
  service.smtp.behave({});
  later(16 * 60);
  await settleDoubts(service);
  const second = await receivedOne();

  expect([first, second].map((source) => fieldOf(source, "Message-ID"))).toEqual([
    `<${id}@${DOMAIN}>`,
    `<${id}@${DOMAIN}>`,
  ]);
  const times = [first, second].map((source) => Number(/ t=(\d+);/.exec(source)![1]));
  expect(times[1]! - times[0]!).toBeWithin(16 * 60 - 5, 16 * 60 + 60);
  expect([(await verdict(first)).result, (await verdict(second)).result]).toEqual(["pass", "pass"]);
});

test.each([
  ["a mail", []],
  [
    "a mail with attachments",
    [
      {
        filename: "a",
        contentType: "text/plain",
        cid: null,
        disposition: "inline" as const,
        content: Buffer.from("x\ny"),
      },
    ],
  ],
])("%s that is captured is signed as well", async (_, attachments) => {
  const kept: CapturedMail[] = [];
  const mailer = createCaptureMailer(async (captured) => void kept.push(captured));
  const box = (address: string) => ({ name: "", address });
  const { state } = await sendSigned(
    service,
    { mailer, writesFields: new Set() },
    { projectId: project.id, fromEmail: FROM },
    {
      messageId: `1@${DOMAIN}`,
      envelope: { from: FROM, to: "ada@example.com" },
      from: box(FROM),
      to: box("ada@example.com"),
      replyTo: null,
      subject: "Hello",
      html: "<p>Hello</p>",
      text: "Hello",
      headers: {},
      attachments,
      date: service.now(),
    },
    { mayEnd: async () => true, leaves: () => {} },
  );

  expect([state, kept.length, kept[0]!.subject]).toEqual(["captured", 1, "Hello"]);
  expect((await verdict(kept[0]!.source.toString())).result).toBe("pass");
});
