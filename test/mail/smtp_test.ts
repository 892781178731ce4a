// Handing mail to servers that say whatever a server can say, at every step of a conversation.
import { describe, expect, test } from "bun:test";
import { type Answer, CUT, SILENCE } from "./scripted_server.ts";
import { ready, sendMany, statesOf, useSmtp } from "./smtp_stage.ts";

const { serve, mailerOf } = useSmtp();

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
    ["greeting", "unreached"],
    ["EHLO", "unreached"],
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
