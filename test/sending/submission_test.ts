// Messages that applications submit over SMTP, from their connection to the server of the recipient.
import { beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { OPERATOR } from "../../src/accounts/audit.ts";
import { createDns } from "../../src/mail/dns.ts";
import { addDomain, getDomain, verifyDomain } from "../../src/sending/domains/mod.ts";
import { verdictOn } from "../support/dkim_verifier.ts";
import { useLedger } from "../support/ledger.ts";
import { untilBlocked } from "../support/locks.ts";
import { startNameServer } from "../support/name_server.ts";
import { readMail } from "../support/received_mail.ts";
import { DOMAIN, useService } from "../support/service.ts";
import { useSubmission } from "../support/submission.ts";

const SWAKS = "/usr/bin/swaks";
const service = useService({ BASE_URL: "https://mail.shop.example" });
const ledger = useLedger(service);
const { project, fresh } = ledger;
const { listen, send, loggedIn } = useSubmission(service);
const FROM = `Shop <hello@${DOMAIN}>`;

let port: number;
const submit = async (message: object, key = project.secret) => {
  ({ port } = await listen());
  return await send(port, key, { from: FROM, to: fresh(), subject: "Hello", text: "Hello", ...message });
};
const raw = (lines: string[], to: string[] = [fresh()]) => ({
  envelope: { from: "bounces@elsewhere.example", to },
  raw: Buffer.from(`${lines.join("\r\n")}\r\n`, "latin1"),
});
const idsIn = (reply: string) => reply.match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? [];
const received = async () => {
  await service.runJobs();
  return service.smtp.received.splice(0);
};
const get = (path: string) => service.request("GET", path, { key: project.secret });
const bodyOf = (source: string) => source.slice(source.indexOf("\r\n\r\n") + 4);
const headOf = (source: string) => source.slice(0, source.indexOf("\r\n\r\n"));
const mails = async () =>
  (await service.pool`select count(*)::int as n from emails where project_id = ${project.id}`)[0]!
    .n as number;
const follow = (tracking: string) =>
  service.pool`update projects set tracking = ${tracking} where id = ${project.id}`;

beforeAll(async () => void (await follow("DISABLED")));

describe("a message", () => {
  test("goes to each of its recipients as it is, and only Bcc, which they are not to see, is gone", async () => {
    const [ada, bob, eve] = [fresh("ada"), fresh("bob"), fresh("eve")];
    const reply = await submit({
      to: `Ada <${ada}>`,
      cc: bob,
      bcc: eve,
      html: "<p>Grüße</p>",
      attachments: [{ filename: "bill.txt", content: "12 EUR" }],
    });
    const sent = await received();

    expect(reply).toMatch(/^250 2\.0\.0 Accepted as /);
    expect(idsIn(reply)).toHaveLength(3);
    expect(sent.flatMap(({ to }) => to).sort()).toEqual([ada, bob, eve].sort());
    expect(new Set(sent.map(({ source }) => bodyOf(source))).size).toBe(1);
    const mail = await readMail(sent[0]!.source);
    expect(mail.to).toEqual([{ name: "Ada", address: ada }]);
    expect(mail.cc).toEqual([{ name: "", address: bob }]);
    expect(sent.map(({ source }) => source).join("")).not.toContain(eve);
    expect([mail.text, mail.html, mail.attachments.map(({ filename }) => filename)]).toEqual([
      "Hello",
      "<p>Grüße</p>",
      ["bill.txt"],
    ]);
    const rows = await Promise.all(idsIn(reply).map((id) => get(`/emails/${id}`)));
    expect(rows.map(({ body }) => [body.to, body.status, body.role])).toEqual([
      [ada, "SENT", "to"],
      [bob, "SENT", "cc"],
      [eve, "SENT", "bcc"],
    ]);
    expect(new Set(rows.map(({ body }) => body.parentId))).toEqual(new Set([idsIn(reply)[0]]));
    expect([rows[0]!.body.cc, rows[0]!.body.bcc]).toEqual([
      [{ email: bob, name: null }],
      [{ email: eve, name: null }],
    ]);
  });

  test("keeps its body byte for byte and its id; what only the service may say is replaced", async () => {
    const body = [
      "--x",
      "Content-Type: text/plain",
      "",
      "  two  blanks, {{name}}, and",
      ".a dot",
      "--x--",
      "rest",
    ];
    const to = fresh();
    const reply = await submit(
      raw(
        [
          `From: "Shop, Ltd" <HELLO@${DOMAIN}>`,
          `To: ${to}`,
          "Subject: =?utf-8?B?R3LDvMOfZQ==?= {{name}}",
          "Message-ID: <order-1@app.example>",
          "DKIM-Signature: v=1; d=evil.example",
          "Feedback-ID: someone:else",
          "Return-Path: <evil@evil.example>",
          "Sender: ceo@evil.example",
          "X-Mailer: our app",
          "Content-Type: multipart/mixed; boundary=x",
          "",
          ...body,
        ],
        [to],
      ),
    );
    const [mail] = await received();
    const head = headOf(mail!.source);

    expect(bodyOf(mail!.source)).toBe(`${body.join("\r\n")}\r\n`);
    expect(mail!.from).toBe(`hello@${DOMAIN}`);
    expect(head).toContain("Message-ID: <order-1@app.example>");
    expect(head).toContain("X-Mailer: our app");
    expect(head).toContain(`From: "Shop, Ltd" <hello@${DOMAIN}>`);
    expect(head).toMatch(/^Received: from \S+ by mail\.shop\.example\r\n with ESMTPA; /m);
    expect(head).toMatch(new RegExp(`^Feedback-ID: api:${project.id}:transactional:postrider$`, "m"));
    expect(head).toMatch(/^Date: /m);
    expect(head).not.toMatch(/evil|someone/);
    const { body: row } = await get(`/emails/${idsIn(reply)[0]}`);
    expect(row).toMatchObject({ subject: "Grüße {{name}}", messageId: "order-1@app.example" });
  });

  test("with bytes and lines that not every server carries is encoded, and says the same", async () => {
    const long = "wort ".repeat(400);
    const to = fresh();
    const source = [
      `From: hello@${DOMAIN}`,
      `To: Zoë <${to}>`,
      "Subject: Grüße",
      "Content-Type: multipart/mixed; boundary=x",
      "",
      "--x",
      "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: 8bit",
      "",
      `Öl ${long}`,
      "--x",
      "Content-Type: application/pdf; name=plan.pdf",
      "Content-Transfer-Encoding: binary",
      "",
      "\u00ff\u00fe",
      "--x--",
    ];
    ({ port } = await listen());
    const client = await loggedIn(port, project.secret);
    await client.say(`MAIL FROM:<a@${DOMAIN}> BODY=8BITMIME SMTPUTF8`, `RCPT TO:<${to}>`, "DATA");
    await client.reply();
    await client.reply();
    client.write(Buffer.from(`${source.join("\r\n")}\r\n.\r\n`).toString("utf8"));
    const reply = await client.reply();
    const [mail] = await received();

    expect(reply).toMatch(/^250 2\.0\.0 /);
    expect(mail!.source).toMatch(/^[\t\r\n -~]*$/);
    expect(Math.max(...mail!.source.split("\r\n").map((line) => line.length))).toBeLessThanOrEqual(998);
    const read = await readMail(mail!.source);
    expect([read.subject, read.to?.[0]?.name, read.text]).toEqual(["Grüße", "Zoë", `Öl ${long}`]);
    expect(Buffer.from(read.attachments[0]!.content as ArrayBuffer).toString("utf8")).toBe("\u00ff\u00fe");
  });

  test("has its links followed in the HTML part alone, unless it says that it does not want that", async () => {
    await follow("ENABLED");
    const html = '<p><a href="https://shop.example/a?b=1&amp;c=2">Café</a></p>';
    const attachments = [{ filename: "page.html", content: html, contentType: "text/html" }];
    const plain = "See https://shop.example/a";
    await submit({ html, text: plain, attachments });
    await submit({ subject: "Left", html, text: plain, headers: { "X-Postrider-Tracking": "off" } });
    const sources = (await received()).map(({ source }) => source);
    const isLeft = (source: string) => source.includes("Subject: Left");
    const [followed, left] = [sources.find((source) => !isLeft(source)), sources.find(isLeft)];
    await follow("DISABLED");

    const mail = await readMail(followed!);
    expect(mail.html).toMatch(/<a href="https:\/\/mail\.shop\.example\/t\/c\/[^"]+">Café<\/a>/);
    expect(mail.html).toContain("/t/o/");
    expect(mail.text).toBe(plain);
    expect(Buffer.from(mail.attachments[0]!.content as ArrayBuffer).toString()).toBe(html);
    expect((await readMail(left!)).html).toBe(html);
    expect(headOf(left!)).not.toContain("X-Postrider");
  });

  test("is shown with its files, and can be sent again", async () => {
    const file = Buffer.from(Array.from({ length: 300 }, (_, i) => i % 256));
    const reply = await submit({
      html: "<p>Hi</p>",
      headers: { "X-Order": "17", "X-Postrider-Tags": "kind=receipt, shop=de" },
      attachments: [{ filename: "blob.bin", content: file }],
    });
    const [id] = idsIn(reply);
    await received();
    const { body: content } = await get(`/emails/${id}/content`);
    const bytes = await service.app.handle(
      new Request(`http://localhost/emails/${id}/attachments/0`, {
        headers: { authorization: `Bearer ${project.secret}` },
      }),
    );
    const again = await service.request("POST", `/emails/${id}/resend`, { key: project.secret });
    const [copy] = await received();

    expect(content).toMatchObject({
      subject: "Hello",
      html: "<p>Hi</p>",
      text: expect.stringMatching(/^Hello\s*$/),
    });
    expect(content.headers["X-Order"]).toBe("17");
    expect((await get(`/emails/${id}`)).body.tags).toEqual([
      { name: "kind", value: "receipt" },
      { name: "shop", value: "de" },
    ]);
    expect(content.attachments.map(({ filename }: { filename: string }) => filename)).toEqual(["blob.bin"]);
    expect(Buffer.from(await bytes.arrayBuffer())).toEqual(file);
    expect(again.status).toBe(202);
    expect((await readMail(copy!.source)).attachments).toHaveLength(1);
  });

  test("of a megabyte is signed like any other", async () => {
    const names = await startNameServer();
    try {
      const ctx = { ...service, dns: createDns({ servers: [names.address] }) };
      const { id } = await addDomain(ctx, project.id, "signs.example", OPERATOR);
      for (const record of (await getDomain(ctx, project.id, id)).records) {
        if (record.type === "TXT") names.set(record.name, "TXT", [record.value.match(/.{1,255}/g)!]);
      }
      await verifyDomain(ctx, project.id, id);
      const content = Buffer.alloc(1_000_000, "postrider ");
      const reply = await submit({
        from: "news@signs.example",
        attachments: [{ filename: "a.txt", content }],
      });
      const [mail] = await received();

      expect(reply).toMatch(/^250 /);
      expect(await verdictOn(mail!.source, names.address)).toMatchObject({ result: "pass", aligned: true });
    } finally {
      await names.stop();
    }
  });

  test.skipIf(!existsSync(SWAKS))(`of swaks arrives (skipped where there is no ${SWAKS})`, async () => {
    ({ port } = await listen());
    const to = fresh();
    const swaks = Bun.spawn(
      [SWAKS, "--server", "127.0.0.1", "--port", String(port), "--auth", "LOGIN", "--auth-user", "x"]
        .concat(["--auth-password", project.secret, "--from", `hello@${DOMAIN}`, "--to", to])
        .concat(["--pipeline", "--header", "Subject: swaks", "--body", "Hello"]),
      { stdout: "pipe" },
    );
    const said = await new Response(swaks.stdout).text();

    expect(said).toContain("250 2.0.0 Accepted as");
    expect((await received())[0]!.source).toMatch(/^Subject: swaks/m);
  });
});

describe("what a message asks for", () => {
  test("a template with data is sent in place of its text, with its files", async () => {
    const { body: template } = await service.request("POST", "/templates", {
      key: project.secret,
      body: {
        name: "Hi",
        subject: "Hi {{name}}",
        body: "<p>Hi {{name}}</p>",
        from: `hello@${DOMAIN}`,
        type: "TRANSACTIONAL",
      },
    });
    const headers = { "X-Postrider-Template": template.id, "X-Postrider-Data": '{"name": "Adé"}' };
    const reply = await submit({
      subject: "",
      text: "",
      headers,
      attachments: [{ filename: "a.txt", content: "a" }],
    });
    const [mail] = await received();
    const read = await readMail(mail!.source);

    expect(reply).toMatch(/^250 /);
    expect([read.subject, read.html]).toEqual(["Hi Adé", "<p>Hi Adé</p>"]);
    expect(read.attachments.map(({ filename }) => filename)).toEqual(["a.txt"]);
  });

  test("a repeated key is confirmed again, and sends nothing", async () => {
    const message = { to: fresh(), headers: { "X-Postrider-Idempotency-Key": "order 17" } };
    const first = await submit(message);
    const again = await submit(message);

    expect(again).toStartWith("250 2.0.0 Already accepted as ");
    expect(idsIn(again)).toEqual(idsIn(first));
    expect(await received()).toHaveLength(1);
  });

  test.each([
    ["no From", ["Subject: a", "", "x"], /^550 5\.6\.0 A message has one From field/],
    ["two senders", [`From: a@${DOMAIN}, b@${DOMAIN}`, "", "x"], /^550 5\.6\.0 From is one address/],
    [
      "two From fields",
      [`From: a@${DOMAIN}`, `From: b@${DOMAIN}`, "", "x"],
      /^550 5\.6\.0 A message has one From/,
    ],
    ["an unverified domain", ["From: a@elsewhere.example", "", "x"], /^550 5\.7\.1 .*elsewhere\.example/],
    [
      "an unknown wish",
      [`From: a@${DOMAIN}`, "X-Postrider-Color: red", "", "x"],
      /^550 5\.6\.0 X-Postrider-color/,
    ],
    [
      "data that is no JSON",
      [`From: a@${DOMAIN}`, "X-Postrider-Data: {", "", "x"],
      /^550 5\.6\.0 X-Postrider-Data/,
    ],
    [
      "an unknown template",
      [`From: a@${DOMAIN}`, "X-Postrider-Template: 019364c5-0000-7000-8000-000000000000", "", "x"],
      /^550 5\.6\.0 Cannot find this template/,
    ],
    ["a broken header", [`From: a@${DOMAIN}`, "no field", "", "x"], /^550 5\.6\.0 This line of the header/],
    ["a NUL", [`From: a@${DOMAIN}`, "", "x\0"], /^550 5\.6\.0 A message has no NUL/],
    [
      "a signed part that would have to be changed",
      [`From: a@${DOMAIN}`, "Content-Type: multipart/signed; boundary=x", "", "--x", "", "ü", "--x--"],
      /^550 5\.6\.0 A part of type text\/plain/,
    ],
    [
      "a circle",
      [...Array.from({ length: 40 }, () => "Received: by a"), `From: a@${DOMAIN}`, "", "x"],
      /^550 5\.6\.0 Too many Received/,
    ],
  ])("%s is refused for good, and leaves nothing behind", async (_, lines, expected) => {
    const before = await mails();

    expect(await submit(raw(lines))).toMatch(expected);
    expect(await mails()).toBe(before);
  });
});

test("it is confirmed when it is committed, and not before", async () => {
  const to = fresh();
  await service.request("POST", "/contacts", { key: project.secret, body: { email: to } });
  ({ port } = await listen());
  const client = await loggedIn(port, project.secret);
  await client.say(`MAIL FROM:<a@${DOMAIN}>`, `RCPT TO:<${to}>`, "DATA");
  await client.reply();
  await client.reply();
  let isTold = false;
  let reply: Promise<string>;
  await service.pool.begin(async (tx) => {
    await tx`select from contacts where project_id = ${project.id} and email = ${to} for update`;
    reply = client.say(`From: a@${DOMAIN}`, "", "x", ".");
    void reply.then(() => (isTold = true));
    await untilBlocked(service.pool);

    expect(isTold).toBeFalse();
  });

  expect(await reply!).toMatch(/^250 /);
  expect(await received()).toHaveLength(1);
});

describe("a mail to nobody who may get it", () => {
  beforeAll(async () => {
    await service.request("POST", "/suppressions", {
      key: project.secret,
      body: { email: "gone@example.com" },
    });
  });

  test("is in the ledger with its reason, as with the API", async () => {
    const [id] = idsIn(await submit({ to: "gone@example.com" }));

    expect((await get(`/emails/${id}`)).body.status).toBe("SUPPRESSED");
    expect(await received()).toEqual([]);
  });
});
