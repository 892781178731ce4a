// Whoever connects to the submission server: with a key or without, in a hurry or not at all.
import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { watch } from "../../src/sending/submission/_certificate.ts";
import { makeCertificate } from "../support/certificates.ts";
import { useLedger } from "../support/ledger.ts";
import { startProcess, until } from "../support/process.ts";
import { useKeys } from "../support/project_keys.ts";
import { DOMAIN, useService } from "../support/service.ts";
import { connectSmtp } from "../support/smtp_client.ts";
import { useSubmission } from "../support/submission.ts";

const service = useService({ LOGIN_LIMIT_PER_NETWORK: "5" });
const { project, fresh } = useLedger(service);
const keys = useKeys(service);
const { listen, send, talk, loggedIn } = useSubmission(service);

const mail = (to = fresh()) => ({ from: `hello@${DOMAIN}`, to, subject: "Hello", text: "Hello" });
const plain = (key: string) => `AUTH PLAIN ${Buffer.from(`\0any\0${key}`).toString("base64")}`;
/** An address of this machine that others can use, too. */
const outside = Object.values(networkInterfaces())
  .flat()
  .find((each) => each && !each.internal && each.family === "IPv4")?.address;
const orSkipped = outside ? "" : " (skipped: this machine has no address but its own)";

describe("a key", () => {
  test("logs in by either mechanism when it may send, and not otherwise", async () => {
    const { port } = await listen();
    const login = async (pass: string, authMethod: string) =>
      await send(port, pass, mail(), { authMethod, auth: { user: "x", pass } });
    const sender = await keys.make(["send"]);
    const reader = await keys.make(["read"]);

    expect(await login(project.secret, "PLAIN")).toStartWith("250 2.0.0 ");
    expect(await login(sender.key, "LOGIN")).toStartWith("250 2.0.0 ");
    expect(await login(reader.key, "PLAIN")).toMatch(
      /^535 5\.7\.8 .*The password is an API key with the scope send/,
    );
    expect(await login(project.public, "PLAIN")).toStartWith("535 5.7.8 ");
  });

  test("that is deleted, or whose project is disabled, sends nothing more over an open connection", async () => {
    const { port } = await listen();
    const { key, id } = await keys.make(["send"]);
    const client = await loggedIn(port, key);
    const before = await client.say(`MAIL FROM:<a@${DOMAIN}>`);
    await client.say("RSET");
    await keys.stage.admin.request("DELETE", keys.keysPath(id));
    const after = await client.say(`MAIL FROM:<a@${DOMAIN}>`);
    const other = await loggedIn(port, keys.stage.project.secret);
    await service.pool`update projects set disabled_at = now() where id = ${keys.stage.project.id}`;

    expect(before).toStartWith("250 ");
    expect(after).toStartWith("535 5.7.8 ");
    expect(await other.say(`MAIL FROM:<a@${DOMAIN}>`)).toStartWith("550 5.7.1 ");
  });

  test("that is wrong three times, or too often from a network, ends the connection; a right one still works", async () => {
    const { port } = await listen();
    const wrong = plain(`sk_${"0".repeat(48)}`);
    const tries = async () => {
      const client = await talk(port);
      const replies = [await client.say(wrong)];
      while (!replies.at(-1)!.startsWith("421")) replies.push(await client.say(wrong));
      await client.closed;
      return replies;
    };
    const [first, second, third] = [await tries(), await tries(), await tries()];

    expect(first.map((reply) => reply.slice(0, 9))).toEqual(["535 5.7.8", "535 5.7.8", "421 4.7.0"]);
    expect(second.length).toBeLessThanOrEqual(3);
    expect(third).toEqual([expect.stringMatching(/^421 4\.7\.0 Too many wrong keys from your network/)]);
    expect(await send(port, project.secret, mail())).toStartWith("250 ");
  });

  test("that has used up the minute of its project is asked to wait", async () => {
    const { port } = await listen({}, { RATE_LIMIT_PER_MINUTE: 2 });
    service.setNow(new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 1_000));
    const client = await loggedIn(port, keys.stage.project.secret);
    const begin = async () => {
      const reply = await client.say(`MAIL FROM:<a@${DOMAIN}>`);
      await client.say("RSET");
      return reply.slice(0, 9);
    };

    expect([await begin(), await begin(), await begin()]).toEqual(["250 2.1.0", "250 2.1.0", "451 4.7.1"]);
  });
});

describe("without TLS", () => {
  test("nothing is taken from somebody who has not logged in", async () => {
    const { port } = await listen();
    const client = await talk(port);

    expect(await client.say(`MAIL FROM:<a@${DOMAIN}>`)).toMatch(/^530 /);
  });

  test.skipIf(!outside)(
    `a password is not even asked for, unless a setting allows it or the client is here${orSkipped}`,
    async () => {
      const offers = async (allow: boolean) => {
        const { port } = await listen({}, { HOST: "0.0.0.0", SUBMISSION_ALLOW_PLAIN: allow });
        const [here, there] = [await talk(port), await talk(port, outside!)];
        return await Promise.all([here, there].map((client) => client.say("EHLO app.shop.example")));
      };
      const login = expect.stringContaining("AUTH PLAIN LOGIN");

      expect(await offers(false)).toEqual([login, expect.not.stringContaining("AUTH")]);
      expect(await offers(true)).toEqual([login, login]);
    },
  );
});

describe("with TLS", () => {
  const folder = mkdtempSync(join(tmpdir(), "postrider-submission-"));
  const files = {
    SUBMISSION_CERT_FILE: join(folder, "cert.pem"),
    SUBMISSION_KEY_FILE: join(folder, "key.pem"),
  };
  const authority = { name: "authority", ...makeCertificate({ name: "authority" }) };
  const write = (name: string) => {
    const { certificate, key } = makeCertificate({ name, hosts: ["localhost"], issuer: authority });
    writeFileSync(files.SUBMISSION_CERT_FILE, certificate);
    writeFileSync(files.SUBMISSION_KEY_FILE, key);
    return certificate;
  };

  test("both ports accept mail, and a renewed certificate is used without a restart", async () => {
    write("first");
    const { port, tlsPort } = await listen({}, { ...files, SUBMISSION_TLS_PORT: 0 });
    const over = (secure: boolean) =>
      send(secure ? tlsPort : port, project.secret, mail(), {
        ignoreTLS: false,
        requireTLS: !secure,
        secure,
        host: "localhost",
        tls: { ca: authority.certificate, rejectUnauthorized: true },
      });

    expect(await over(false)).toStartWith("250 2.0.0 ");
    expect(await over(true)).toStartWith("250 2.0.0 ");
    const client = await talk(port);
    expect(await client.say("EHLO a")).toContain("STARTTLS");

    const watched = watch({ ...service, config: { ...service.config, ...files } }, 5);
    const renewed: string[] = [];
    watched.onChange(({ cert }) => renewed.push(cert));
    writeFileSync(files.SUBMISSION_KEY_FILE, "half of a");
    await until("the broken file to be seen", async () =>
      service.lines.some(({ message }) => String(message).includes("cannot be read again")),
    );
    const second = write("second, with a longer name");
    await until("the new certificate", async () => renewed.length > 0);
    watched.stop();
    rmSync(folder, { recursive: true, force: true });

    expect(renewed.at(-1)).toBe(second);
  });
});

test("the service listens only where it is told to, and says why it cannot", async () => {
  const taken = await listen();
  await expect(listen({}, { SUBMISSION_PORT: taken.port })).rejects.toMatchObject({
    code: "EADDRINUSE",
    setting: "SUBMISSION_PORT",
  });
  const started = await startProcess({
    DATABASE_URL: service.databaseUrl,
    SECRET_KEY: service.config.SECRET_KEY,
    SUBMISSION_PORT: "0",
  });
  const { submissionPort } = JSON.parse(
    started
      .output()
      .split("\n")
      .find((line) => line.includes('"message":"started"'))!,
  );
  const reply = await send(submissionPort, project.secret, mail());
  const code = await started.end("SIGTERM");

  expect(reply).toStartWith("250 2.0.0 ");
  expect(code).toBe(0);
});

describe("a hostile client", () => {
  test("that never logs in, or falls silent, is disconnected", async () => {
    const { port } = await listen({ logInMs: 50 });
    const { port: quiet } = await listen({ silenceMs: 50 });
    const [stranger, silent] = [connectSmtp(port), connectSmtp(quiet)];

    await Promise.all([stranger.closed, silent.closed]);
  });

  test("that never ends its message is disconnected, and leaves nothing behind", async () => {
    const { port } = await listen({ messageMs: 200 });
    const client = await loggedIn(port, project.secret);
    await client.say(`MAIL FROM:<a@${DOMAIN}>`, `RCPT TO:<${fresh()}>`, "DATA");
    client.write(`From: a@${DOMAIN}\r\n\r\nand so on`);
    await client.closed;
    const [open] =
      await service.pool`select count(*)::int as n from emails where status = 'PENDING' and subject = ''`;

    expect(open!.n).toBe(0);
  });

  test("with an endless command or message is told so", async () => {
    const { port } = await listen({ messageBytes: 300_000 });
    const [client, endless] = [await loggedIn(port, project.secret), await talk(port)];
    endless.write("N".repeat(100_000));
    await client.say(`MAIL FROM:<a@${DOMAIN}>`, `RCPT TO:<${fresh()}>`, "DATA");
    await client.reply();
    await client.reply();
    client.write(`From: a@${DOMAIN}\r\n\r\n${`${"x".repeat(900)}\r\n`.repeat(500)}.\r\n`);

    expect(await endless.reply()).toStartWith("421 ");
    expect(await client.reply()).toStartWith("552 5.3.4 ");
    expect(await client.say(`MAIL FROM:<a@${DOMAIN}> SIZE=400000`)).toStartWith("552 5.3.4 ");
  });

  test("gets no more connections and recipients than others, and large messages only in turn", async () => {
    const { port } = await listen({ connectionsOfNetwork: 2, recipients: 1 });
    const [one] = [await loggedIn(port, project.secret), await talk(port)];
    await one.say(`MAIL FROM:<a@${DOMAIN}>`);
    await one.say(`RCPT TO:<${fresh()}>`);

    expect(await one.say(`RCPT TO:<${fresh()}>`)).toStartWith("452 4.5.3 ");
    expect(await one.say("RCPT TO:<no address>")).toMatch(/^5/);
    await expect(talk(port)).rejects.toThrow();
  });

  test("that holds large messages open is waited for by its own project alone", async () => {
    const { port } = await listen();
    const begin = async (key: string) => {
      const client = await loggedIn(port, key);
      await client.say(`MAIL FROM:<a@${DOMAIN}>`, `RCPT TO:<${fresh()}>`, "DATA");
      await client.reply();
      await client.reply();
      client.write(`From: a@${DOMAIN}\r\nSubject: large\r\n\r\n${`${"x".repeat(900)}\r\n`.repeat(400)}`);
      return client;
    };
    const held = [await begin(project.secret), await begin(project.secret), await begin(project.secret)];
    const other = await begin(keys.stage.project.secret);

    expect(await other.say(".")).toStartWith("250 ");
    held[0]!.write(".\r\n");
    held[1]!.write(".\r\n");
    expect(await Promise.all([held[0]!.reply(), held[1]!.reply()])).toEqual([
      expect.stringMatching(/^250 /),
      expect.stringMatching(/^250 /),
    ]);
    expect(await held[2]!.say(".")).toStartWith("250 ");
  });
});
