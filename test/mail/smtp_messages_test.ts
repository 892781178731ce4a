// What goes over the wire, whatever a message is made of.
import { describe, expect, test } from "bun:test";
import { Readable } from "node:stream";
import type { StreamedMail } from "../../src/mail/mailer.ts";
import { readMail } from "../support/received_mail.ts";
import { CUT } from "./scripted_server.ts";
import { envelope, file, large, ready, useSmtp, withAttachments } from "./smtp_stage.ts";

const { serve, mailerOf } = useSmtp();

describe("a message that is larger than what the sockets hold", () => {
  test("arrives whole", async () => {
    const server = await serve();
    const mail = large();

    expect((await mailerOf(server.url).send(mail)).state).toBe("accepted");
    expect(server.messages[0]!.equals(mail.source)).toBe(true);
  });

  test("is deferred when the connection is lost before its end", async () => {
    const server = await serve();
    const sent = mailerOf(server.url).send(large());
    while (!server.steps.includes("DATA")) await Bun.sleep(1);
    for (const socket of server.open) socket.pause();
    await Bun.sleep(50);
    for (const socket of server.open) socket.destroy();

    expect((await sent).state).toBe("deferred");
  });

  test("can be refused before its end, and the next one leaves on a new connection", async () => {
    const server = await serve();
    const mailer = mailerOf(`${server.url}?maxConnections=1`);
    const sent = mailer.send(large());
    while (!server.packets.at(-1)?.includes("xxx")) await Bun.sleep(1);
    for (const socket of server.open) socket.pause().write("552 5.3.4 Too large\r\n");

    expect(await sent).toEqual({ state: "refused", response: "552 5.3.4 Too large" });
    expect((await mailer.send(ready())).state).toBe("accepted");
    expect(server.connections).toBe(2);
  });
});

describe("what a message is made of", () => {
  test.each([
    ["a line with a dot", "a\r\n.\r\nb\r\n"],
    ["a dot at the start", ".a\r\n"],
    ["many dots", "...\r\n..\r\n.\r\n"],
  ])("cannot end it: %s", async (_, source) => {
    const server = await serve();
    const mailer = mailerOf(server.url);
    await mailer.send(ready({ source: Buffer.from(source) }));
    await mailer.send(ready());

    expect(server.messages.map(String)).toEqual([source, String(ready().source)]);
  });

  test.each(["a\n.\nMAIL FROM:<evil@x.io>\n", "a\r.\rb", "a\n.\r\nb\r\n", "a\r\n.\rb\r\n", "a\r.\r\nb"])(
    "is mended where its line breaks are not whole: %j",
    async (source) => {
      const server = await serve();
      await mailerOf(server.url).send(ready({ source: Buffer.from(source) }));

      const whole = source.replaceAll(/\r\n|\r|\n/g, "\r\n");
      expect(server.messages.map(String)).toEqual([whole.endsWith("\r\n") ? whole : `${whole}\r\n`]);
      expect(server.packets.join("")).not.toMatch(/[^\r]\n\.|\r\./);
    },
  );

  test.each(["a\nb\n", "a", ""])("ends with a line break, whatever it is: %j", async (source) => {
    const server = await serve();
    const { state } = await mailerOf(server.url).send(ready({ source: Buffer.from(source) }));

    expect(state).toBe("accepted");
    expect(server.packets.at(-1)).toEndWith("\r\n.\r\n");
  });

  test("may be files", async () => {
    const server = await serve();
    const mail = withAttachments([file(3), file(2_000_000)]);
    const { state } = await mailerOf(server.url).send(mail);
    const email = await readMail(server.messages[0]!);

    expect(state).toBe("accepted");
    expect(email.attachments.map(({ content }) => Buffer.from(content as ArrayBuffer))).toEqual(
      mail.attachments.map(({ content }) => Buffer.from(content)),
    );
    const lines = (text = "") => text.trim().split(/\r?\n/);
    expect([email.subject, lines(email.text), lines(email.html)]).toEqual([
      mail.subject,
      lines(mail.text),
      lines(mail.html),
    ]);
  });

  test.each([
    "message/rfc822",
    "Message/Delivery-Status",
    "multipart/mixed; boundary=x",
    "text/plain",
    "x/y",
  ])(
    "may be files of any kind, and none is more than a server takes, or less than it was: %s",
    async (contentType) => {
      const server = await serve();
      const content = Buffer.from(`Subject: x\r\n\r\n.\r\n${"é".repeat(3_000)}\n--x\r\0.\n\n`);
      await mailerOf(server.url).send(withAttachments([{ ...file(0), contentType, content }]));
      const [source] = server.messages.map((message) => message.toString("latin1"));
      const { attachments } = await readMail(server.messages[0]!);

      expect(source).toMatch(/^([\t -~]{0,998}\r\n)*$/);
      expect(attachments.map((each) => Buffer.from(each.content as ArrayBuffer))).toEqual([content]);
      expect(attachments[0]!.filename).toBe("a.bin");
    },
  );

  test.each([
    ["message", "in_doubt"],
    ["DATA", "deferred"],
  ] as const)("a mail with files, with the connection lost at %s, is %s", async (step, state) => {
    const server = await serve({ [step]: CUT });

    expect((await mailerOf(server.url).send(withAttachments([file(10)]))).state).toBe(state);
  });

  test("a mail with large files is deferred when the connection is lost before its end", async () => {
    const server = await serve();
    const sent = mailerOf(server.url).send(withAttachments([file(10_000_000)]));
    while (!server.steps.includes("DATA")) await Bun.sleep(1);
    for (const socket of server.open) socket.pause();
    await Bun.sleep(50);
    for (const socket of server.open) socket.destroy();

    expect((await sent).state).toBe("deferred");
  });

  test.each(["ada@example.com>\r\nRCPT TO:<evil@x.io", "ada@exämple.com", "a b@example.com", "", "a@b.io\0"])(
    "an address that cannot stand in a command is refused, and nobody is asked: %j",
    async (to) => {
      const server = await serve();
      const { state } = await mailerOf(server.url).send({ ...ready(), envelope: { ...envelope, to } });

      expect(state).toBe("refused");
      expect(server.connections).toBe(0);
    },
  );
});

describe("a mail that cannot be read", () => {
  const streamed = (open: () => Readable): StreamedMail => ({
    messageId: "3@acme.test",
    envelope,
    subject: "Hello",
    open,
  });
  const begun = (then: (source: Readable) => void) => () => {
    const source = new Readable({ read() {} });
    source.push("Subject: Hello\r\n");
    setTimeout(then, 10, source);
    return source;
  };
  const boom = () => {
    throw new Error("boom");
  };

  test.each<[string, () => Readable, string]>([
    ["cannot be opened", boom, "boom"],
    ["breaks off", begun((source) => source.destroy(new Error("boom"))), "boom"],
    [
      "breaks off twice",
      begun((source) => {
        source.destroy(new Error("boom"));
        setTimeout(() => source.emit("error", new Error("again")), 10);
      }),
      "boom",
    ],
    ["ends nowhere", begun((source) => source.destroy()), "Premature close"],
  ])("because it %s is deferred, and the next one leaves on a new connection", async (_, open, response) => {
    const server = await serve();
    const mailer = mailerOf(`${server.url}?maxConnections=1`);
    const handover = await mailer.send(streamed(open));
    await Bun.sleep(50);

    expect(handover).toEqual({ state: "deferred", response });
    expect((await mailer.send(ready())).state).toBe("accepted");
    expect(server.messages.map(String)).toEqual([String(ready().source)]);
    expect(server.connections).toBe(2);
  });

  test("to its end because the server refuses it before is closed", async () => {
    const server = await serve();
    const source = new Readable({
      read: () => server.open.forEach((socket) => socket.write("552 5.3.4 Too large\r\n")),
    });
    const sent = mailerOf(server.url).send(streamed(() => source));

    expect(await sent).toEqual({ state: "refused", response: "552 5.3.4 Too large" });
    while (!source.destroyed) await Bun.sleep(1);
  });
});
