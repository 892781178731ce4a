// How connections are opened, kept and closed.
import { describe, expect, test } from "bun:test";
import { type ScriptedServer, SILENCE, startScriptedServer } from "./scripted_server.ts";
import { ready, sendMany, statesOf, useSmtp } from "./smtp_stage.ts";

const { serve, mailerOf } = useSmtp();

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
    while (server.open.size > 0) await Bun.sleep(1);
    const handovers = await sendMany(mailer, 6);

    expect(statesOf(handovers)).toEqual({ accepted: 6 });
    expect(server.messages).toHaveLength(9);
    expect([server.connections, server.mostOpen]).toEqual([6, 3]);
  });

  test("for the time of `socketTimeout` is closed, and not missed by the next mail", async () => {
    const server = await serve();
    const mailer = mailerOf(`${server.url}?socketTimeout=50`);
    await mailer.send(ready());
    while (server.open.size > 0) await Bun.sleep(5);

    expect((await mailer.send(ready())).state).toBe("accepted");
    expect(server.connections).toBe(2);
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
  ] as const)("to a server that says %j at %s says nothing about the mail", async (words, step) => {
    const server = await serve({ [step]: words });

    expect((await mailerOf(server.url).send(ready())).state).toBe("unreached");
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

    expect((await mailerOf(`${server.url}?greetingTimeout=100`).send(ready())).state).toBe("unreached");
  });

  test("to nobody says nothing about any mail", async () => {
    const gone = await startScriptedServer();
    await gone.stop();
    const mailer = mailerOf(`${gone.url}?maxConnections=5`);
    const handovers = await sendMany(mailer, 20);

    expect(statesOf(handovers)).toEqual({ unreached: 20 });
    expect(handovers[0]!.response).toContain("ECONNREFUSED");
  });

  test("to a server that allows two connections at a time, all mails leave on those, and it is not pestered", async () => {
    const server: ScriptedServer = await serve({
      greeting: () => (server.open.size > 2 ? "421 4.7.0 Too many connections" : "220 scripted"),
    });
    const mailer = mailerOf(`${server.url}?maxConnections=10`);
    const handovers = [];
    for (let round = 0; round < 20; round++) handovers.push(...(await sendMany(mailer, 20)));

    expect(statesOf(handovers)).toEqual({ accepted: 400 });
    // Ten at first and then eight in a second, where eight in a round would be 170.
    expect(server.connections).toBeLessThan(90);
  });
});

describe("a refused connection", () => {
  test("is tried again for those that wait, while another carries a mail that takes long", async () => {
    const server = await serve({
      greeting: (n) => (n > 1 && n < 7 ? "421 4.7.0 Try again" : "220 scripted"),
      message: SILENCE,
    });
    const mailer = mailerOf(server.url);
    const first = mailer.send(ready());
    while (server.messages.length < 1) await Bun.sleep(1);
    const others = sendMany(mailer, 5);
    // All of them, each on a connection of its own, before any is answered.
    while (server.messages.length < 6) await Bun.sleep(1);
    for (const socket of server.open) socket.write("250 Taken\r\n");

    expect(statesOf([await first, ...(await others)])).toEqual({ accepted: 6 });
    expect(server.connections).toBe(11);
  });

  test("is not tried again when nobody waits any more", async () => {
    const server = await serve({ greeting: (n) => (n === 2 ? "421 4.7.0 Try again" : "220 scripted") });
    const mailer = mailerOf(server.url);
    await sendMany(mailer, 2);
    await Bun.sleep(1_100);

    expect(server.connections).toBe(2);
  });
});

describe("closing", () => {
  test("lets what is under way come to its end, leaves what waits as it was, and takes nothing more", async () => {
    const server = await serve({ message: SILENCE });
    const mailer = mailerOf(`${server.url}?maxConnections=2`);
    const handovers = sendMany(mailer, 5);
    while (server.messages.length < 2) await Bun.sleep(1);
    mailer.close();
    for (const socket of server.open) socket.write("250 Taken\r\n");

    expect(statesOf(await handovers)).toEqual({ accepted: 2, unreached: 3 });
    expect((await mailer.send(ready())).state).toBe("unreached");
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
