// Servers that hang, dawdle, flood or speak out of turn.
import { describe, expect, test } from "bun:test";
import type { Socket } from "node:net";
import type { Mail, ReadyMail } from "../../src/mail/mailer.ts";
import { CUT, type ScriptedServer, SILENCE } from "./scripted_server.ts";
import { file, large, ready, useSmtp, withAttachments } from "./smtp_stage.ts";

const { serve, mailerOf, after } = useSmtp();

const largeMails: [string, () => Mail | ReadyMail][] = [
  ["in one piece", large],
  ["that is written while it is sent", () => withAttachments([file(10_000_000)])],
];

/** A server that reads nothing more, on its first connection, when a message begins. */
async function serveStuck(script: ScriptedServer["script"] = {}) {
  const server: ScriptedServer = await serve({
    DATA: (n) => {
      if (n === 1) for (const socket of server.open) socket.pause();
      return "354 Go on";
    },
    ...script,
  });
  return server;
}

/** Waits until the server is at this step, and answers its connection. */
async function socketAt(server: ScriptedServer, step: ScriptedServer["steps"][number]): Promise<Socket> {
  while (!server.steps.includes(step)) await Bun.sleep(1);
  return [...server.open][0]!;
}

/** Says this again and again. */
function drip(socket: Socket, words: string): void {
  const timer = setInterval(() => socket.write(words), 10);
  after(() => clearInterval(timer));
}

/** Long enough for what was said to arrive. */
const settle = () => Bun.sleep(50);

describe.each(largeMails)("a large mail %s", (_, mail) => {
  test("is given up when the server takes nothing more of it, and its place is free again", async () => {
    const server = await serveStuck();
    const mailer = mailerOf(`${server.url}?maxConnections=1&socketTimeout=300`);
    const { state } = await mailer.send(mail());

    expect(state).toBe("deferred");
    expect((await mailer.send(ready())).state).toBe("accepted");
    expect(server.connections).toBe(2);
  });

  test("is given up when it takes longer than a message may", async () => {
    const server = await serveStuck();

    expect((await mailerOf(`${server.url}?messageTimeout=300`).send(mail())).state).toBe("deferred");
  });

  test("is not given up while the server takes more of it, however slowly", async () => {
    const server = await serveStuck();
    const sent = mailerOf(`${server.url}?socketTimeout=5500`).send(mail());
    const socket = await socketAt(server, "DATA");
    await Bun.sleep(2_000);
    let bytes = 0;
    socket.on("data", ({ length }: Buffer) => {
      const before = bytes;
      bytes += length;
      // No pause is too long, but all of them together would be.
      if (![2_000_000, 4_000_000].some((at) => before < at && bytes >= at)) return;
      socket.pause();
      setTimeout(() => socket.resume(), 2_000);
    });
    socket.resume();

    expect((await sent).state).toBe("accepted");
  });

  test.each(["250 2.0.0 Taken", "354 Go on", "451 4.3.0 Later", "what?", "421 4.3.2 Closing"])(
    "is deferred after %j before its end, which does not leave any more",
    async (words) => {
      const server = await serveStuck();
      const mailer = mailerOf(`${server.url}?maxConnections=1`);
      const sent = mailer.send(mail());
      const socket = await socketAt(server, "DATA");
      socket.write(`${words}\r\n`);
      const handover = await sent;
      socket.resume();
      while (server.open.size > 0) await Bun.sleep(1);

      expect(handover).toEqual({ state: "deferred", response: words });
      expect(server.messages).toEqual([]);
      expect((await mailer.send(ready())).state).toBe("accepted");
      expect(server.messages.map(String)).toEqual([String(ready().source)]);
    },
  );

  test.each([
    ["421 4.3.2 Clo", CUT],
    ["451 4.3.0 La", "ter"],
    ["250 2.0.0 Ta", "ken"],
    ["554 5.7.1 Spa", "m"],
  ] as const)(
    "is in doubt when it was taken whole, and the only answer began before its end: %j",
    async (beginning, message) => {
      const server = await serveStuck({ message });
      const sent = mailerOf(server.url).send(mail());
      const socket = await socketAt(server, "DATA");
      await settle(); // by now the message has begun
      socket.write(beginning);
      await settle();
      socket.resume();

      expect((await sent).state).toBe("in_doubt");
      expect(server.messages).toHaveLength(1);
    },
  );
});

describe("a server that says something without an end", () => {
  test.each([
    ["blank lines", "\r\n"],
    ["one long line", "250"],
    ["one long reply", "250-still here\r\n"],
  ])("after a message, is given up: %s", async (_, words) => {
    const server = await serve({ message: SILENCE });
    const mailer = mailerOf(`${server.url}?maxConnections=1&socketTimeout=300`);
    const sent = mailer.send(ready());
    drip(await socketAt(server, "message"), words);

    expect((await sent).state).toBe("in_doubt");
    server.script = {};
    expect((await mailer.send(ready())).state).toBe("accepted");
  });

  test("before it is ready for mails, is given up", async () => {
    const server = await serve({ EHLO: SILENCE });
    const sent = mailerOf(`${server.url}?messageTimeout=300`).send(ready());
    drip(await socketAt(server, "EHLO"), "250-still here\r\n");

    expect((await sent).state).toBe("unreached");
  });

  test("after a refusal, is left, and the next mail leaves on a new connection", async () => {
    const server = await serve({ RCPT: "550 5.1.1 No such user", RSET: SILENCE });
    const mailer = mailerOf(`${server.url}?maxConnections=1&socketTimeout=300`);
    expect((await mailer.send(ready())).state).toBe("bounced");
    drip(await socketAt(server, "RSET"), "\r\n");
    server.script = {};

    expect((await mailer.send(ready())).state).toBe("accepted");
    expect(server.connections).toBe(2);
  });

  test("as fast as it can, is not listened to any longer", async () => {
    const server = await serve({ MAIL: SILENCE });
    const sent = mailerOf(server.url).send(ready());
    const socket = await socketAt(server, "MAIL");
    socket.allowHalfOpen = true; // it goes on when we have said our last word
    const words = Buffer.alloc(1_000_000, "2");
    let said = 0;
    const flood = () => {
      while (said < 300 && !socket.destroyed && socket.write(words)) said++;
    };
    socket.on("drain", () => {
      said++;
      flood();
    });
    flood();
    while (server.open.size > 0 && said < 300) await Bun.sleep(1);

    expect((await sent).state).toBe("deferred");
    expect(said).toBeLessThan(100); // what the sockets hold
  });
});

describe("words that nobody asked for", () => {
  test.each(["421 x", "451 4.3.0 Later"])(
    "behind the greeting do not count as the answer to a message: %j",
    async (words) => {
      const server = await serve({ EHLO: SILENCE, message: CUT });
      const sent = mailerOf(server.url).send(ready());
      const socket = await socketAt(server, "EHLO");
      socket.write(`250-scripted\r\n250 PIPELINING\r\n${words}`);

      expect((await sent).state).toBe("unreached");
      expect(server.messages).toEqual([]);
    },
  );

  test("on a connection without anything under way end it, be they whole or not", async () => {
    const server = await serve();
    const mailer = mailerOf(`${server.url}?maxConnections=1`);
    await mailer.send(ready());
    for (const socket of server.open) socket.write("421 x");
    while (server.open.size > 0) await Bun.sleep(1);
    server.script = { message: CUT };

    expect((await mailer.send(ready())).state).toBe("in_doubt");
    expect(server.messages).toHaveLength(2);
  });

  test("behind the answer to a message do not defer the next one", async () => {
    const server = await serve({ message: "250 2.0.0 Taken\r\n250 2.0.0 Taken" });
    const mailer = mailerOf(`${server.url}?maxConnections=1`);
    const handovers = [await mailer.send(ready()), await mailer.send(ready())];

    expect(handovers.map(({ state }) => state)).toEqual(["accepted", "accepted"]);
    expect(server.connections).toBe(2);
  });
});
