// The end of a message leaves when it is allowed to, and not before.
import { describe, expect, test } from "bun:test";
import { CUT, type ScriptedServer } from "./scripted_server.ts";
import { file, large, ready, useSmtp, withAttachments } from "./smtp_stage.ts";

const { serve, mailerOf } = useSmtp();

const mails = [
  ["in one piece", ready],
  ["in many pieces", large],
  ["that is mended", () => ready({ source: Buffer.from("a\n.\nb") })],
  ["with files", () => withAttachments([file(300_000)])],
] as const;

/** Everything that came over the wire. */
const heard = (server: ScriptedServer) => server.packets.join("");

/** Waits until nothing more comes: what has left arrives by the next turns of the loop, which is the server's too. */
async function atRest(server: ScriptedServer): Promise<void> {
  let before = -1;
  for (let same = 0; same < 3;) {
    await Bun.sleep(20);
    const now = heard(server).length;
    same = now === before ? same + 1 : 0;
    before = now;
  }
}

/** A question that a test answers when it likes. */
function question() {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<boolean>();
  const mayEnd = () => {
    asked.resolve();
    return answer.promise;
  };
  return { mayEnd, asked: asked.promise, answer: answer.resolve };
}

describe.each(mails)("a mail %s", (_, mail) => {
  test("has left but for its end when it is asked whether it may end, and is accepted when it may", async () => {
    const server = await serve();
    const { mayEnd, asked, answer } = question();
    const sent = mailerOf(server.url).send(mail(), mayEnd);
    await asked;
    await atRest(server);
    const before = { messages: server.messages.length, heard: heard(server) };
    answer(true);

    expect((await sent).state).toBe("accepted");
    expect(before.messages).toBe(0);
    const end = heard(server).slice(before.heard.length).slice(0, 100);
    expect([".\r\n", "\n.\r\n", "\r\n.\r\n"]).toContain(end);
    expect(server.messages).toHaveLength(1);
  });

  test("is withheld when it may not end, and the next one leaves on another connection", async () => {
    const server = await serve();
    const mailer = mailerOf(`${server.url}?maxConnections=1`);
    const withheld = await mailer.send(mail(), async () => false);
    const next = await mailer.send(ready(), async () => true);

    expect([withheld.state, next.state]).toEqual(["withheld", "accepted"]);
    expect(server.messages.map(String)).toEqual([String(ready().source)]);
    expect(server.connections).toBe(2);
  });

  test("is deferred, and not in doubt, when the server hangs up before it was asked for its end", async () => {
    const server = await serve();
    const { mayEnd, asked, answer } = question();
    const sent = mailerOf(server.url).send(mail(), mayEnd);
    await asked;
    for (const socket of server.open) socket.destroy();
    const { state } = await sent;
    answer(true);
    await Bun.sleep(20);

    expect(state).toBe("deferred");
    expect(server.messages).toEqual([]);
  });

  test("is in doubt when the server hangs up at its end", async () => {
    const server = await serve({ message: CUT });

    expect((await mailerOf(server.url).send(mail(), async () => true)).state).toBe("in_doubt");
  });

  test("that is refused before its end does not send it any more", async () => {
    const server = await serve();
    const { mayEnd, asked, answer } = question();
    const sent = mailerOf(server.url).send(mail(), mayEnd);
    await asked;
    for (const socket of server.open) socket.write("552 5.3.4 Too large\r\n");
    const handover = await sent;
    answer(true);
    while (server.open.size > 0) await Bun.sleep(1);

    expect(handover).toEqual({ state: "refused", response: "552 5.3.4 Too large" });
    expect(server.messages).toEqual([]);
  });
});

describe("reaching a server", () => {
  test("opens one connection, sends nothing, and leaves it to the next mail", async () => {
    const server = await serve();
    const mailer = mailerOf(server.url);
    const reached = await mailer.reach();
    await mailer.send(ready());

    expect(reached).toBe(null);
    expect(server.connections).toBe(1);
    expect(server.steps.filter((step) => step === "MAIL")).toHaveLength(1);
  });

  test.each([
    ["greeting", "554 5.7.1 Not welcome"],
    ["EHLO", "421 4.3.2 Closing"],
  ] as const)("that refuses at %s says with which words", async (step, words) => {
    const server = await serve({ [step]: words });

    expect(await mailerOf(server.url).reach()).toContain(words);
  });
});
