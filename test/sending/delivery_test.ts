// From the ledger to a real SMTP server that misbehaves in every way.
import { describe, expect, test } from "bun:test";
import { openPool } from "../../src/db/pool.ts";
import { createSmtpMailer } from "../../src/mail/smtp.ts";
import { deliverEmails } from "../../src/sending/delivery/mod.ts";
import { retryAt } from "../../src/sending/delivery/outcomes.ts";
import { settleDoubts, sweepEmails } from "../../src/sending/delivery/recovery.ts";
import { useLedger } from "../support/ledger.ts";
import { until } from "../support/process.ts";
import { startSmtpServer } from "../support/smtp_server.ts";
import { useService } from "../support/service.ts";

const service = useService();
const mails = useLedger(service);
const { project, accept, row: ledger, eventsOf, arrivals, jobsOf, later } = mails;

/** Hands one mail to the server of this address, and says how it ended. */
const handOver = async (url: string) => {
  const mailer = createSmtpMailer(url);
  const box = (address: string) => ({ name: "", address });
  const { state } = await mailer.send({
    messageId: "a@b.io",
    envelope: { from: "a@b.io", to: "c@d.io" },
    from: box("a@b.io"),
    to: box("c@d.io"),
    replyTo: null,
    subject: "s",
    html: "h",
    text: "t",
    headers: {},
    attachments: [],
    date: new Date(),
  });
  mailer.close();
  return state;
};

describe("a server that says no", () => {
  test("for now (4xx to RCPT) defers the mail, which leaves at the next attempt", async () => {
    service.smtp.behave({ rcpt: () => "451 4.7.1 Greylisted" });
    const [id] = await accept(mails.fresh());
    const begun = Date.now();
    await service.runJobs();
    const deferred = await ledger(id!);
    const ended = Date.now();
    service.smtp.behave({});
    later(60_000);
    await service.runJobs();

    expect(deferred).toMatchObject({ status: "PENDING", attempts: 1, claimedBy: null });
    expect(deferred.error).toContain("Greylisted");
    expect(deferred.dueAt.getTime()).toBeWithin(begun + 5_000, ended + 16_000);
    expect(await ledger(id!)).toMatchObject({ status: "SENT", attempts: 2, error: null });
    expect(service.smtp.received).toHaveLength(1);
    expect(await eventsOf(id!)).toEqual(["email.sent"]);
  });

  test("for now after the message (4xx to DATA) defers it too", async () => {
    service.smtp.behave({ data: () => "452 4.2.2 Mailbox full" });
    const [id] = await accept(mails.fresh());
    await service.runJobs();

    expect(await ledger(id!)).toMatchObject({ status: "PENDING", attempts: 1 });
  });

  test("for a day makes the mail FAILED, with the server's words", async () => {
    service.smtp.behave({ rcpt: () => "450 4.2.0 Try later" });
    const [id] = await accept(mails.fresh());
    for (let hours = 0; hours < 25; hours++) {
      // A busy machine makes the domain look slow, and then it waits its turn a little longer.
      await until("its attempt of this hour", async () => {
        await service.runJobs();
        const { attempts, status } = await ledger(id!);
        if (attempts > hours || status !== "PENDING") return true;
        later(60_000);
        return false;
      });
      later(3_700_000);
    }

    const row = await ledger(id!);
    expect(row).toMatchObject({ status: "FAILED" });
    expect(row.error).toBe("Given up after 24 hours: 450 4.2.0 Try later");
    expect(row.attempts).toBeGreaterThan(20);
  });

  test.each([
    ["550 5.1.1 No such user", "rcpt", "BOUNCED"],
    ["550 No such user", "rcpt", "BOUNCED"],
    ["552 5.2.2 Over quota", "rcpt", "BOUNCED"],
    ["550 5.7.1 Relaying denied", "rcpt", "FAILED"],
    ["554 Rejected", "rcpt", "FAILED"],
    ["554 5.7.1 Spam", "data", "FAILED"],
    ["550 5.1.1 No such user", "data", "BOUNCED"],
  ] as const)("for good (%s to %s) makes it %s at once", async (reply, when, status) => {
    service.smtp.behave(when === "rcpt" ? { rcpt: () => reply } : { data: () => reply });
    const [id] = await accept(mails.fresh());
    await service.runJobs();

    const row = await ledger(id!);
    expect(row).toMatchObject({ status, attempts: 1 });
    expect(row.error).toContain(reply);
    expect(row.bouncedAt === null).toBe(status !== "BOUNCED");
    expect(await eventsOf(id!)).toEqual(status === "BOUNCED" ? ["email.bounce"] : []);
    expect(await jobsOf(id!)).toHaveLength(0);
  });

  test("a bounce unsubscribes the contact, and says so once", async () => {
    const to = "gone@example.com";
    await service.request("POST", "/v1/track", { key: project.public, body: { email: to, event: "e" } });
    service.smtp.behave({ rcpt: () => "550 5.1.1 No such user" });
    await accept([to, to]);
    await service.runJobs();

    const [contact] =
      await service.pool`select id, subscribed, opted_out_at from contacts where email = ${to}`;
    expect(contact).toMatchObject({ subscribed: false, optedOutAt: expect.any(Date) });
    const names =
      await service.pool`select name from events where contact_id = ${contact!.id} and name like 'contact.%'`;
    expect(names).toEqual([{ name: "contact.unsubscribed" }] as never);
  });

  test("a bounce of an address that the contact has no more does not unsubscribe", async () => {
    const [old, now] = [mails.fresh("old"), mails.fresh("new")];
    const [id] = await accept(old);
    service.smtp.behave({ rcpt: () => "550 5.1.1 No such user" });
    const { contactId } = await ledger(id!);
    await service.pool`update contacts set email = ${now}, subscribed = true where id = ${contactId}`;
    await service.runJobs();

    const [contact] =
      await service.pool`select subscribed, opted_out_at from contacts where id = ${contactId}`;
    const listed = await service.pool`select email from suppressions where email in (${old}, ${now})`;
    expect(await ledger(id!)).toMatchObject({ status: "BOUNCED" });
    expect(contact).toEqual({ subscribed: true, optedOutAt: null });
    expect(listed.map((row) => row.email)).toEqual([old]);
  });

  test("a bounce opts out also who was never subscribed, without an event", async () => {
    const to = "never@example.com";
    service.smtp.behave({ rcpt: () => "550 5.1.1 No such user" });
    await accept(to);
    await service.runJobs();

    const [contact] = await service.pool`select id, opted_out_at from contacts where email = ${to}`;
    expect(contact!.optedOutAt).toBeInstanceOf(Date);
    expect(
      await service.pool`select from events where contact_id = ${contact!.id} and name like 'contact.%'`,
    ).toHaveLength(0);
  });

  test("bounces, tracks and sends of the same contacts at once do not get in each other's way", async () => {
    const to = Array.from({ length: 30 }, (_, i) => `crossing${i}@example.com`);
    service.smtp.behave({ rcpt: () => "550 5.1.1 No such user" });
    const track = (i: number) =>
      service.request("POST", "/v1/track", {
        key: project.public,
        body: { email: to[i % to.length], event: "e", subscribed: true },
      });
    const answers: number[] = [];
    for (let round = 0; round < 4; round++) {
      const ids = await accept(round % 2 ? to : to.toReversed());
      const [, ...tracked] = await Promise.all([
        deliverEmails(service, project.id, ids),
        ...Array.from({ length: 60 }, (_, i) => track(i * 7)),
      ]);
      answers.push(...tracked.map((answer) => answer.status));
    }

    expect(new Set(answers)).toEqual(new Set([200]));
    expect(
      service.lines.filter(
        (line) => line.message === "outcomes not written yet" && /deadlock/.test(String(line.error)),
      ),
    ).toEqual([]);
    await service.runJobs();
  });

  test("one recipient's bounce does not touch the others of the same call", async () => {
    service.smtp.behave({ rcpt: (address) => (address.startsWith("bad") ? "550 5.1.1 No" : undefined) });
    const ids = await accept(["good1@example.com", "bad@example.com", "good2@example.com"]);
    await service.runJobs();

    expect(await Promise.all(ids.map(async (id) => (await ledger(id)).status))).toEqual([
      "SENT",
      "BOUNCED",
      "SENT",
    ]);
  });
});

describe("a reply that cannot be stored as it is", () => {
  test.each([
    ["with NUL and control characters", "550 5.1.1 bad\0user\x07 \x1b[31m"],
    ["that is cut in the middle of an emoji", `550 5.1.1 ${"a".repeat(489)}😀😀😀`],
  ])("%s reaches the ledger in a form that can", async (_, reply) => {
    const server = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        open: (socket) => void socket.write("220 odd\r\n"),
        data: (socket, bytes) => {
          const command = bytes.toString().slice(0, 4).toUpperCase();
          socket.write(
            command === "RCPT" ? `${reply}\r\n` : command === "QUIT" ? "221 bye\r\n" : "250 ok\r\n",
          );
        },
      },
    });
    const pool = openPool(service.databaseUrl, { max: 2 });
    const mailer = createSmtpMailer(`smtp://127.0.0.1:${server.port}`);
    const ids = await accept([mails.fresh("odd")]);
    await deliverEmails({ ...service, pool, sql: pool, mailer }, project.id, ids);
    mailer.close();
    await pool.end({ timeout: 1 });
    server.stop(true);

    const row = await ledger(ids[0]!);
    expect(row.status).toBe("BOUNCED");
    expect(row.error).toStartWith("550 5.1.1");
    expect(row.error.isWellFormed()).toBe(true);
    await service.runJobs();
  });

  test("whatever it is, holds up no other mail", async () => {
    const pool = openPool(service.databaseUrl, { max: 2 });
    const replies = ["fine", "broken \0", "fine", "broken \ud83d"];
    const send = async () => ({ state: "accepted" as const, response: replies.shift() ?? "fine" });
    const hostile = {
      ...service.mailer,
      send: async () => ({ ...(await send()), state: "bounced" as const }),
    };
    const ids = await accept(Array.from({ length: 8 }, () => mails.fresh("poison")));
    await deliverEmails({ ...service, pool, sql: pool, mailer: hostile }, project.id, ids);
    await pool.end({ timeout: 1 });

    const rows = await Promise.all(ids.map(ledger));
    expect(rows.map((row) => row.status)).toEqual(Array(8).fill("BOUNCED"));
    expect(rows.filter((row) => row.error === "The server's reply could not be stored")).toHaveLength(2);
    await service.runJobs();
  });
});

describe("a connection that is lost", () => {
  test("before the end of the message defers the mail", async () => {
    service.smtp.behave({ cut: "before data" });
    const [id] = await accept(mails.fresh());
    // Larger than what the socket takes at once, so that the cut comes before the end.
    await service.pool`update contents set html = ${"x".repeat(8_000_000)} where id = (select content_id from emails where id = ${id!})`;
    await service.runJobs();

    expect(await ledger(id!)).toMatchObject({ status: "PENDING", attempts: 1 });
  });

  test("after the end of the message leaves it in doubt, and is not sent again at once", async () => {
    service.smtp.behave({ cut: "after data" });
    const [id] = await accept(mails.fresh());
    await service.runJobs();
    service.smtp.behave({});
    later(5 * 60_000);
    await settleDoubts(service);
    await sweepEmails(service);
    await service.runJobs();

    expect(await ledger(id!)).toMatchObject({ status: "IN_DOUBT", attempts: 1 });
    expect(arrivals(id!)).toBe(1);
    expect(await eventsOf(id!)).toEqual([]);
  });

  test("in doubt for 15 minutes, a transactional mail is sent again under the same Message-ID", async () => {
    service.smtp.behave({ cut: "after data" });
    const [id] = await accept(mails.fresh());
    await service.runJobs();
    service.smtp.behave({});
    later(16 * 60_000);
    await Promise.all([settleDoubts(service), settleDoubts(service)]);
    await service.runJobs();

    expect(await ledger(id!)).toMatchObject({ status: "SENT", attempts: 2, error: null });
    expect(arrivals(id!)).toBe(2);
  });

  test("in doubt, it is kept as it is where the project wants that", async () => {
    const careful = await service.createProject();
    await service.pool`update projects set resend_in_doubt = '{}' where id = ${careful.id}`;
    service.smtp.behave({ cut: "after data" });
    const [id] = await accept("kept@example.com", careful);
    await service.runJobs();
    service.smtp.behave({});
    later(16 * 60_000);
    await settleDoubts(service);
    await settleDoubts(service);
    await service.runJobs();

    expect(await ledger(id!)).toMatchObject({ status: "IN_DOUBT" });
    expect(arrivals(id!)).toBe(1);
  });

  test("before anybody was let in says nothing about the mail", async () => {
    const gone = await startSmtpServer();
    await gone.stop();

    expect(await handOver(`${gone.url}?connectionTimeout=500`)).toBe("unreached");
  });
});

describe("a server that is silent", () => {
  test("from the start is given up, and the mail as it was", async () => {
    const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {}, open() {} } });
    const state = await handOver(`smtp://127.0.0.1:${silent.port}?greetingTimeout=300`);
    silent.stop(true);

    expect(state).toBe("unreached");
  });

  test("after the message is given up, and the mail is in doubt", async () => {
    const silent = await startSmtpServer();
    silent.behave({ holdData: () => Bun.sleep(3_000) });
    const state = await handOver(`${silent.url}?socketTimeout=300`);
    void silent.stop();

    expect(state).toBe("in_doubt");
  });
});

describe("the pauses between attempts", () => {
  test("grow from seconds to an hour, with a random part", () => {
    const now = new Date(0);
    const longest = [1, 2, 3, 9, 20].map((attempt) => retryAt(now, attempt, 0).getTime() / 1000);
    const shortest = [1, 2, 3, 9, 20].map((attempt) => retryAt(now, attempt, 1).getTime() / 1000);

    expect(longest).toEqual([15, 30, 60, 3600, 3600]);
    expect(shortest).toEqual([7.5, 15, 30, 1800, 1800]);
  });
});
