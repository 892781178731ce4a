// Handing mail to servers that do whatever a server can do, at every step of a conversation.
import { afterEach, describe, expect, test } from "bun:test";
import PostalMime from "postal-mime";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { prepareMessage } from "../../src/mail/assembly.ts";
import type { Attachment, Handover, Mail, Mailer, ReadyMail } from "../../src/mail/mailer.ts";
import { createSmtpMailer } from "../../src/mail/smtp.ts";
import {
  type Answer,
  CUT,
  type Script,
  type ScriptedServer,
  SILENCE,
  startScriptedServer,
} from "./scripted_server.ts";

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

async function serve(script: Script = {}): Promise<ScriptedServer> {
  const server = await startScriptedServer(script);
  endings.push(() => server.stop());
  return server;
}

function mailerOf(url: string): Mailer {
  const mailer = createSmtpMailer(url);
  endings.push(() => mailer.close());
  return mailer;
}

const envelope = { from: "news@acme.test", to: "ada@example.com" };
const box = (address: string) => ({ name: "", address });
const template = prepareMessage({ from: box(envelope.from), replyTo: null, headers: {} });

const ready = (change: { text?: string; source?: Buffer } = {}): ReadyMail => {
  const own = {
    to: box(envelope.to),
    messageId: "1@acme.test",
    date: new Date(0),
    subject: "Hello",
    html: "",
  };
  return {
    messageId: own.messageId,
    envelope,
    subject: own.subject,
    source: template.assemble({ ...own, text: change.text ?? "Hello" }),
    ...change,
  };
};
const withAttachments = (attachments: Attachment[]): Mail => ({
  messageId: "2@acme.test",
  envelope,
  from: box(envelope.from),
  to: box(envelope.to),
  replyTo: null,
  subject: "Files",
  html: "<p>.\r\n.</p>",
  text: ".\n..\nsee there\n",
  headers: {},
  attachments,
  date: new Date(0),
});
const file = (bytes: number): Attachment => ({
  filename: "a.bin",
  contentType: "application/octet-stream",
  cid: null,
  disposition: "attachment",
  content: Buffer.alloc(bytes, "0123456789"),
});
// More than the sockets of both sides hold.
const large = () => ready({ source: Buffer.from(`${"x".repeat(70)}\r\n`.repeat(200_000)) });

const statesOf = (handovers: Handover[]) =>
  Object.fromEntries(
    [...Map.groupBy(handovers, ({ state }) => state)].map(([state, list]) => [state, list.length]),
  );
const sendMany = (mailer: Mailer, count: number) =>
  Promise.all(Array.from({ length: count }, (_, n) => mailer.send(ready({ text: `mail ${n}` }))));

const servers = [
  ["takes one command at a time", "250-scripted\r\n250 8BITMIME"],
  ["takes several commands at once", "250-scripted\r\n250-PIPELINING\r\n250 SIZE 10000000"],
] as const;

describe.each(servers)("a server that %s", (_, EHLO) => {
  const pipelines = EHLO.includes("PIPELINING");

  test("gets each mail whole, over connections that are used again", async () => {
    const server = await serve({ EHLO });
    const handovers = await sendMany(mailerOf(`${server.url}?maxConnections=2`), 20);

    expect(handovers[0]).toEqual({ state: "accepted", response: "250 2.0.0 Taken" });
    expect(statesOf(handovers)).toEqual({ accepted: 20 });
    expect(server.messages.map(String).toSorted()).toEqual(
      Array.from({ length: 20 }, (__, n) => String(ready({ text: `mail ${n}` }).source)).toSorted(),
    );
    expect([server.connections, server.mostOpen]).toEqual([2, 2]);
  });

  test("hears commands in as few packets as it allows", async () => {
    const server = await serve({ EHLO });
    await mailerOf(server.url).send(ready());
    const commands = ["MAIL FROM:<news@acme.test>\r\n", "RCPT TO:<ada@example.com>\r\n", "DATA\r\n"];

    expect(server.packets.slice(1, -1)).toEqual(pipelines ? [commands.join("")] : commands);
  });

  test.each([
    ["MAIL", "451 4.3.0 Later", "deferred"],
    ["MAIL", "550 5.7.1 Not you", "refused"],
    ["MAIL", "550 5.1.8 Bad sender", "refused"],
    ["RCPT", "450 4.2.0 Greylisted", "deferred"],
    ["RCPT", "550 No such user", "bounced"],
    ["RCPT", "550 5.7.1 Relaying denied", "refused"],
    ["RCPT", "554 5.1.1 No such user", "bounced"],
    ["DATA", "451 4.3.0 Later", "deferred"],
    ["DATA", "554 5.5.1 No", "refused"],
    ["message", "452 4.2.2 Mailbox full", "deferred"],
    ["message", "554 5.7.1 Spam", "refused"],
    ["message", "550-5.1.1 No\r\n550 5.1.1 such user", "bounced"],
  ] as const)(
    "and refuses at %s with %j: the mail is %s, and the connection stays",
    async (step, words, state) => {
      const server = await serve({
        EHLO,
        ...(pipelines && step !== "message" && { DATA: "554 5.5.1 No" }),
        [step]: words,
      });
      const mailer = mailerOf(`${server.url}?maxConnections=1`);
      const refused = await mailer.send(ready());
      server.script = { EHLO };
      const next = await mailer.send(ready({ text: "next" }));

      expect(refused).toEqual({ state, response: words.replace("\r\n", " ") });
      expect(next.state).toBe("accepted");
      expect(server.messages.at(-1)).toEqual(ready({ text: "next" }).source);
      expect(server.connections).toBe(1);
      expect(server.steps).toContain("RSET");
    },
  );

  test.each([
    ["message", "what?", "in_doubt"],
    ["message", "354 Go on", "in_doubt"],
    ["message", "9999 Fine", "in_doubt"],
    ["MAIL", "what?", "deferred"],
    ["RCPT", "354 Go on", "deferred"],
    ["DATA", "what?", "deferred"],
  ] as const)(
    "and says at %s what makes no sense (%j): the mail is %s, and the next one leaves",
    async (step, words, state) => {
      const server = await serve({ EHLO, [step]: words });
      const mailer = mailerOf(`${server.url}?maxConnections=1`);
      const odd = await mailer.send(ready());
      server.script = { EHLO };

      expect(odd).toEqual({ state, response: words });
      expect((await mailer.send(ready())).state).toBe("accepted");
    },
  );

  test.each([
    ["greeting", "deferred"],
    ["EHLO", "deferred"],
    ["MAIL", "deferred"],
    ["RCPT", "deferred"],
    ["DATA", "deferred"],
    ["message", "in_doubt"],
  ] as const)("and hangs up at %s: the mail is %s", async (step, state) => {
    const server = await serve({ EHLO, [step]: CUT });
    const { state: became } = await mailerOf(server.url).send(ready());

    expect(became).toBe(state);
    expect(server.connections).toBe(1);
  });

  test.each([
    ["MAIL", "deferred"],
    ["RCPT", "deferred"],
    ["DATA", "deferred"],
    ["message", "in_doubt"],
  ] as const)("and falls silent at %s is given up: the mail is %s", async (step, state) => {
    const server = await serve({ EHLO, [step]: SILENCE });
    const { state: became } = await mailerOf(`${server.url}?socketTimeout=100`).send(ready());

    expect(became).toBe(state);
  });

  test.each([
    ["hangs up", CUT],
    ["says 421", "421 4.4.2 Idle for too long"],
  ] as [string, Answer][])(
    "and %s when a mail comes to an old connection: the mail leaves on a new one",
    async (__, answer) => {
      const server = await serve({ EHLO });
      const mailer = mailerOf(`${server.url}?maxConnections=1`);
      await mailer.send(ready());
      server.script = { EHLO, MAIL: (n: number): Answer => (n === 1 ? answer : "250 Ok") };
      const { state } = await mailer.send(ready({ text: "next" }));

      expect(state).toBe("accepted");
      expect(server.messages.map(String)).toEqual(
        [ready(), ready({ text: "next" })].map(({ source }) => String(source)),
      );
      expect(server.connections).toBe(2);
    },
  );

  test.each(["MAIL", "RCPT", "DATA", "message"] as const)(
    "and says 421 at %s on a new connection: the mail is deferred, and the next one leaves on another",
    async (step) => {
      const server = await serve({ EHLO, [step]: "421 4.3.2 Closing" });
      const mailer = mailerOf(`${server.url}?maxConnections=1`);
      const first = await mailer.send(ready());
      server.script = { EHLO };

      expect(first).toEqual({ state: "deferred", response: "421 4.3.2 Closing" });
      expect((await mailer.send(ready())).state).toBe("accepted");
      expect(server.connections).toBe(2);
    },
  );

  test("and hangs up after a message on an old connection: the mail is in doubt, and not sent again", async () => {
    const server = await serve({ EHLO });
    const mailer = mailerOf(`${server.url}?maxConnections=1`);
    await mailer.send(ready());
    server.script = { EHLO, message: CUT };

    expect((await mailer.send(ready())).state).toBe("in_doubt");
    expect(server.messages).toHaveLength(2);
  });
});

test("a server that takes DATA without a recipient is left without a message", async () => {
  const server = await serve({ EHLO: "250-scripted\r\n250 PIPELINING", RCPT: "550 5.1.1 No such user" });
  const mailer = mailerOf(`${server.url}?maxConnections=1`);
  const bounced = await mailer.send(ready());
  server.script = {};

  expect(bounced).toEqual({ state: "bounced", response: "550 5.1.1 No such user" });
  expect((await mailer.send(ready())).state).toBe("accepted");
  expect(server.messages).toHaveLength(1);
  expect(server.connections).toBe(2);
});

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
    const email = await PostalMime.parse(server.messages[0]!);

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

describe("replies", () => {
  test("may come in any pieces", async () => {
    const server = await serve({ MAIL: SILENCE });
    const sent = mailerOf(server.url).send(ready());
    while (!server.steps.includes("MAIL")) await Bun.sleep(1);
    const [socket] = server.open;
    for (const byte of Buffer.from("\r\n250-Grüße\r\n250-and more\r\n250 Ok\r\n")) {
      socket!.write(Buffer.from([byte]));
      await Bun.sleep(0);
    }

    expect((await sent).state).toBe("accepted");
  });

  test("without an end are given up", async () => {
    const server = await serve({ MAIL: `250-${"x".repeat(200_000)}` });

    expect(await mailerOf(server.url).send(ready())).toMatchObject({
      state: "deferred",
      response: expect.stringContaining("no end"),
    });
  });

  test("are read as UTF-8", async () => {
    const server = await serve({ RCPT: "550 5.1.1 Kein Empfänger ☹" });

    expect((await mailerOf(server.url).send(ready())).response).toBe("550 5.1.1 Kein Empfänger ☹");
  });

  test("of which only the line end is missing count when the server hangs up", async () => {
    const server = await serve({ RCPT: SILENCE });
    const sent = mailerOf(server.url).send(ready());
    while (!server.steps.includes("RCPT")) await Bun.sleep(1);
    for (const socket of server.open) socket.end("550 5.1.1 No such user");

    expect(await sent).toEqual({ state: "bounced", response: "550 5.1.1 No such user" });
  });
});

describe("a connection that is not in use", () => {
  test.each([
    ["is closed by the server", (server: ScriptedServer) => server.open.forEach((socket) => socket.end())],
    ["is cut", (server: ScriptedServer) => server.open.forEach((socket) => socket.destroy())],
    [
      "gets a 421",
      (server: ScriptedServer) => server.open.forEach((socket) => socket.write("421 4.4.2 Bye\r\n")),
    ],
    [
      "gets a word that nobody asked for",
      (server: ScriptedServer) => server.open.forEach((socket) => socket.write("250 Ok\r\n")),
    ],
  ])("and %s is not missed by the next mail", async (_, upset) => {
    const server = await serve();
    const mailer = mailerOf(`${server.url}?maxConnections=3`);
    await sendMany(mailer, 3);
    upset(server);
    await Bun.sleep(20);
    const handovers = await sendMany(mailer, 6);

    expect(statesOf(handovers)).toEqual({ accepted: 6 });
    expect(server.messages).toHaveLength(9);
    expect(server.mostOpen).toBe(3);
  });

  test("is closed when it has carried as many messages as it may", async () => {
    const server = await serve();
    const mailer = mailerOf(`${server.url}?maxConnections=1&maxMessages=4`);

    expect(statesOf(await sendMany(mailer, 10))).toEqual({ accepted: 10 });
    expect(server.connections).toBe(3);
    expect(server.steps.filter((step) => step === "QUIT")).toHaveLength(2);
  });
});

describe("connecting", () => {
  test.each([
    ["421 4.7.0 Too many", "greeting"],
    ["554 5.7.1 Not welcome", "greeting"],
    ["nonsense", "greeting"],
    ["421 4.3.2 Closing", "EHLO"],
  ] as const)("to a server that says %j at %s defers the mail", async (words, step) => {
    const server = await serve({ [step]: words });

    expect((await mailerOf(server.url).send(ready())).state).toBe("deferred");
    expect(server.messages).toEqual([]);
  });

  test.each([
    ["", 40],
    ["?maxConnections=7", 7],
    ["?maxConnections=0", 40],
    ["?maxConnections=many", 40],
  ])("has as many connections as the address says, or the usual number: %j", async (query, connections) => {
    expect(mailerOf(`smtp://127.0.0.1:1${query}`).connections).toBe(connections);
  });

  test("to a server that knows HELO only works", async () => {
    const server = await serve({ EHLO: "502 What?" });

    expect((await mailerOf(server.url).send(ready())).state).toBe("accepted");
  });

  test("to a server that says nothing is given up", async () => {
    const server = await serve({ greeting: SILENCE });

    expect((await mailerOf(`${server.url}?greetingTimeout=100`).send(ready())).state).toBe("deferred");
  });

  test("to nobody defers every mail, and works when somebody is there", async () => {
    const gone = await startScriptedServer();
    await gone.stop();
    const mailer = mailerOf(`${gone.url}?maxConnections=5`);
    const handovers = await sendMany(mailer, 20);

    expect(statesOf(handovers)).toEqual({ deferred: 20 });
    expect(handovers[0]!.response).toContain("ECONNREFUSED");
  });

  test("to a server that allows two connections at a time, all mails leave on those", async () => {
    const server: ScriptedServer = await serve({
      greeting: () => (server.open.size > 2 ? "421 4.7.0 Too many connections" : "220 scripted"),
    });
    const mailer = mailerOf(`${server.url}?maxConnections=10`);
    const first = await sendMany(mailer, 100);
    const connections = server.connections;
    const second = await sendMany(mailer, 100);

    expect([statesOf(first), statesOf(second)]).toEqual([{ accepted: 100 }, { accepted: 100 }]);
    expect(connections).toBeLessThanOrEqual(10);
    expect(server.connections - connections).toBeLessThanOrEqual(10);
  });
});

describe("closing", () => {
  test("lets what is under way come to its end, defers what waits, and takes nothing more", async () => {
    const server = await serve({ message: SILENCE });
    const mailer = mailerOf(`${server.url}?maxConnections=2`);
    const handovers = sendMany(mailer, 5);
    while (server.messages.length < 2) await Bun.sleep(1);
    mailer.close();
    for (const socket of server.open) socket.write("250 Taken\r\n");

    expect(statesOf(await handovers)).toEqual({ accepted: 2, deferred: 3 });
    expect((await mailer.send(ready())).state).toBe("deferred");
    while (server.open.size > 0) await Bun.sleep(1);
    expect(server.steps.filter((step) => step === "QUIT")).toHaveLength(2);
  });

  test("says goodbye on connections without anything under way", async () => {
    const server = await serve();
    const mailer = mailerOf(`${server.url}?maxConnections=3`);
    await sendMany(mailer, 3);
    mailer.close();
    while (server.open.size > 0) await Bun.sleep(1);

    expect(server.steps.filter((step) => step === "QUIT")).toHaveLength(3);
  });
});

describe("TLS and passwords", () => {
  interface Taken {
    secure: boolean;
    user: unknown;
    source: string;
  }

  /** A server that asks for `ada` and her password; `cut` after a message. */
  async function serveSecurely(options: SMTPServerOptions & { cut?: boolean }) {
    const taken: Taken[] = [];
    const server = new SMTPServer({
      disableReverseLookup: true,
      logger: false,
      closeTimeout: 50,
      onAuth: ({ username, password }, _, done) =>
        username === "ada@acme.test" && password === "p:w/d"
          ? done(null, { user: username })
          : done(new Error("No")),
      async onData(stream, session, done) {
        const source = await new Response(stream as unknown as ReadableStream).text();
        taken.push({ secure: session.secure, user: session.user, source });
        if (!options.cut) return done();
        for (const { _socket } of server.connections as Iterable<{ _socket: { destroy(): void } }>)
          _socket.destroy();
      },
      ...options,
    });
    server.on("error", () => {});
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    endings.push(() => new Promise<void>((resolve) => server.close(() => resolve())));
    const { port } = server.server.address() as { port: number };
    return { taken, address: `127.0.0.1:${port}` };
  }

  const login = "ada%40acme.test:p%3Aw%2Fd@";
  const trusting = "tls.rejectUnauthorized=false";
  const kinds = [
    ["STARTTLS", "smtp", {}],
    ["smtps", "smtps", { secure: true }],
  ] as const;

  test.each(kinds)("%s: mails leave encrypted, after a login", async (_, scheme, options) => {
    const { taken, address } = await serveSecurely(options);
    const mailer = mailerOf(`${scheme}://${login}${address}?${trusting}&maxConnections=2`);
    const handovers = await sendMany(mailer, 10);

    expect(statesOf(handovers)).toEqual({ accepted: 10 });
    expect(taken.map(({ secure, user }) => [secure, user])).toEqual(Array(10).fill([true, "ada@acme.test"]));
    expect(taken.map(({ source }) => source)).toContain(String(ready({ text: "mail 3" }).source));
  });

  test.each(kinds)("%s: a large mail arrives whole", async (_, scheme, options) => {
    const { taken, address } = await serveSecurely(options);
    const mail = large();
    const { state } = await mailerOf(`${scheme}://${login}${address}?${trusting}`).send(mail);

    expect(state).toBe("accepted");
    expect(taken[0]!.source === String(mail.source)).toBe(true);
  });

  test.each(kinds)(
    "%s: a connection that is lost after a message leaves it in doubt",
    async (_, scheme, options) => {
      const { taken, address } = await serveSecurely({ ...options, cut: true });
      const { state } = await mailerOf(`${scheme}://${login}${address}?${trusting}`).send(ready());

      expect(state).toBe("in_doubt");
      expect(taken).toHaveLength(1);
    },
  );

  test.each(kinds)(
    "%s: a certificate that nobody vouches for defers the mail",
    async (_, scheme, options) => {
      const { taken, address } = await serveSecurely(options);

      expect((await mailerOf(`${scheme}://${login}${address}`).send(ready())).state).toBe("deferred");
      expect(taken).toEqual([]);
    },
  );

  test("without STARTTLS a mail is deferred where TLS is required", async () => {
    const { taken, address } = await serveSecurely({ disabledCommands: ["STARTTLS"], authOptional: true });
    const mailer = mailerOf(`smtp://${address}?requireTLS=true`);

    expect((await mailer.send(ready())).state).toBe("deferred");
    expect(taken).toEqual([]);
  });

  test.each(["PLAIN", "LOGIN", "CRAM-MD5"])("a wrong password (%s) defers the mail", async (authMethod) => {
    const { taken, address } = await serveSecurely({ authMethods: [authMethod] });
    const mailer = mailerOf(`smtp://ada%40acme.test:wrong@${address}?${trusting}&authMethod=${authMethod}`);

    expect((await mailer.send(ready())).state).toBe("deferred");
    expect(taken).toEqual([]);
  });
});
