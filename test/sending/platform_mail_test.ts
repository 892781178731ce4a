import { afterEach, beforeAll, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { type Context, inTransaction } from "../../src/context.ts";
import { compiler } from "../../src/content/mjml/_process.ts";
import {
  deliverPlatformMail,
  notifyMembers,
  purgePlatformMails,
  sendPlatformMail,
} from "../../src/sending/platform/mod.ts";
import { readMail } from "../support/received_mail.ts";
import { useService } from "../support/service.ts";

const service = useService({ PLATFORM_FROM: "Postrider <postrider@mail.example>" });
let projectId: string;
const people = { OWNER: "", ADMIN: "", MEMBER: "" };

beforeAll(async () => {
  projectId = (await service.createProject()).id;
  const other = (await service.createProject()).id;
  for (const role of ["OWNER", "ADMIN", "MEMBER"] as const) {
    const email = `${role.toLowerCase()}@people.example`;
    const [user] = await service.pool`insert into users (email) values (${email}) returning id`;
    await service.pool`
      insert into memberships (project_id, user_id, role) values (${projectId}, ${user!.id}, ${role})`;
    people[role] = email;
  }
  const [stranger] = await service.pool`
    insert into users (email) values ('stranger@people.example') returning id`;
  await service.pool`
    insert into memberships (project_id, user_id, role) values (${other}, ${stranger!.id}, 'OWNER')`;
});

beforeEach(async () => {
  service.smtp.received.length = 0;
  await service.pool`delete from platform_mails`;
});

afterEach(async () => {
  service.smtp.behave({});
  service.setNow(new Date());
  await service.dropJobs();
});

const NOTICE = {
  subject: "shop.example is verified",
  paragraphs: ["Its DNS records are as they should be.", 'Ampersands & <b>"tags"</b> are text.'],
  link: { label: "Look at it", url: "https://mail.example/domains?a=1&b=2" },
};

const rows = async () => [...(await service.pool`select * from platform_mails order by to_address`)];
const row = async () => (await rows())[0]!;
const write = (over: object = {}) =>
  sendPlatformMail(service, { to: "ada@people.example", subject: "Hi", paragraphs: ["p"], ...over });
const received = () => Promise.all(service.smtp.received.map(({ source }) => readMail(source)));
const jobs = () => service.jobs();

describe("a notice to members", () => {
  test("reaches the owners and admins of that project and nobody else", async () => {
    await notifyMembers(service, projectId, NOTICE);
    await service.runJobs();

    expect(service.smtp.received.flatMap(({ to }) => to).toSorted()).toEqual([people.ADMIN, people.OWNER]);
  });

  test("is there with its jobs if and only if the transaction commits", async () => {
    const trial = inTransaction(service, async (tx) => {
      await notifyMembers(tx, projectId, NOTICE);
      throw new Error("rolled back");
    });
    await expect(trial).rejects.toThrow("rolled back");
    await service.runJobs();

    expect([await rows(), service.smtp.received]).toEqual([[], []]);
  });

  test("says the same in both parts, with everything escaped, and comes from PLATFORM_FROM", async () => {
    await notifyMembers(service, projectId, NOTICE);
    await service.runJobs();
    const [mail] = await received();
    const headers = new Map(mail!.headers.map(({ key, value }) => [key, value]));

    expect(mail!.from).toMatchObject({ name: "Postrider", address: "postrider@mail.example" });
    expect([mail!.subject, headers.get("auto-submitted")]).toEqual([NOTICE.subject, "auto-generated"]);
    expect(mail!.html).toContain("Ampersands &amp; &lt;b&gt;&quot;tags&quot;&lt;/b&gt; are text.");
    expect(mail!.html!.replaceAll("&#x3D;", "=")).toContain(
      'href="https://mail.example/domains?a=1&amp;b=2"',
    );
    expect(mail!.html).toContain("because you are a member of the project Test");
    expect(mail!.text).toContain(NOTICE.paragraphs[1]);
    expect(mail!.text).toContain("Look at it:\nhttps://mail.example/domains?a=1&b=2");
    expect(mail!.text).toContain("because you are a member of the project Test");
  });
});

describe("a mail to one person", () => {
  test("that cannot be made into HTML now goes out later, as if nothing had been tried", async () => {
    await write({ paragraphs: ["Still <here>"] });
    const start = spyOn(Bun, "spawn").mockImplementation(() => {
      throw new Error("posix_spawn: resource temporarily unavailable");
    });
    // Another service: it has not made its layout yet.
    const early = deliverPlatformMail(
      { ...service, pool: (() => {}) as never, mjml: compiler },
      (await row()).id,
    );
    await expect(early).rejects.toThrow("temporarily unavailable");
    const between = await row();
    start.mockRestore();
    await service.runJobs();
    const [mail] = await received();

    expect(between).toMatchObject({ attempts: 0, doubts: 0, heldUntil: null, sentAt: null, failedAt: null });
    expect(mail!.html).toContain("Still &lt;here&gt;");
    expect(await row()).toMatchObject({ attempts: 1, doubts: 0, sentAt: expect.any(Date) });
  });

  test("cannot be found by reading the table: sealed while it waits, and gone when it was sent", async () => {
    await write({
      paragraphs: ["Nobody else's business"],
      link: { label: "Reset", url: "https://mail.example/reset?token=secret" },
    });
    const before = Buffer.from((await row()).words).toString("latin1");
    await service.runJobs();
    const [mail] = await received();

    expect([before.includes("token=secret"), before.includes("business")]).toEqual([false, false]);
    expect(mail!.text).toContain("https://mail.example/reset?token=secret");
    expect(await row()).toMatchObject({ subject: "Hi", words: null, sentAt: expect.any(Date) });
  });

  test("that cannot be read any more, or was moved to another row, is given up and says why", async () => {
    await write();
    const [first] = await rows();
    await write({ to: "bea@people.example" });
    await service.pool`update platform_mails set words = ${first!.words}`;
    await service.runJobs();
    const states = (await rows()).map(({ toAddress, error }) => [toAddress, error]);

    expect(states).toEqual([
      ["ada@people.example", null],
      ["bea@people.example", expect.stringContaining("another SECRET_KEY")],
    ]);
    expect(service.smtp.received.map(({ to }) => to)).toEqual([["ada@people.example"]]);
  });

  test("is sent once, however often and by however many its job is run", async () => {
    await write();
    const { id } = await row();
    const ends = await Promise.allSettled(Array.from({ length: 10 }, () => deliverPlatformMail(service, id)));
    await service.runJobs();
    await deliverPlatformMail(service, id);

    expect(ends.filter(({ status }) => status === "fulfilled").length).toBeGreaterThan(0);
    expect(service.smtp.received.map(({ to }) => to)).toEqual([["ada@people.example"]]);
    expect(await row()).toMatchObject({ attempts: 1, sentAt: expect.any(Date), error: null });
  });

  test.each([
    ["refused for now", { data: () => "451 4.7.1 Later" }, "451 4.7.1 Later"],
    ["taken without an answer", { cut: "after data" as const }, "closed"],
  ])("that was %s is tried again with the same Message-ID", async (_, behaviour, words) => {
    await write();
    service.smtp.behave(behaviour);
    await service.runJobs();
    const after = await row();
    const [waiting] = await jobs();
    service.smtp.behave({});
    service.setNow(new Date(Date.now() + 60_000));
    await service.runJobs();
    const mails = await received();

    expect(after).toMatchObject({ attempts: 1, sentAt: null, error: expect.stringContaining(words) });
    expect(waiting).toMatchObject({ attempts: 1, lastError: expect.stringContaining("yet") });
    expect(await row()).toMatchObject({ attempts: 2, sentAt: expect.any(Date) });
    expect(new Set(mails.map(({ messageId }) => messageId))).toEqual(new Set([`<${after.id}@mail.example>`]));
  });

  /** Runs its job as often as there are attempts, each at its time. */
  const runOut = async () => {
    for (let attempt = 0; attempt < 26; attempt++) {
      await service.runJobs();
      service.setNow(new Date(service.now().getTime() + 7 * 3_600_000));
    }
  };

  test("that is taken without an answer, twice, is given up: nobody gets it a third time", async () => {
    await write();
    service.smtp.behave({ cut: "after data" });
    await runOut();

    expect(service.smtp.received.length).toBe(2);
    expect(await jobs()).toEqual([]);
    expect(await row()).toMatchObject({
      attempts: 2,
      sentAt: null,
      failedAt: expect.any(Date),
      error: expect.stringContaining("it is unknown whether the mail server accepted it"),
    });
  });

  test("whose process died twice in the middle is given up too", async () => {
    await write();
    const { id } = await row();
    const die = () =>
      service.pool`update platform_mails set held_until = ${service.now()}, attempts = attempts + 1`;
    service.smtp.behave({ data: () => "451 4.7.1 Later" });
    await die();
    service.setNow(new Date(Date.now() + 1_000));
    await expect(deliverPlatformMail(service, id)).rejects.toThrow("deferred");
    await die();
    service.setNow(new Date(Date.now() + 2_000));
    service.smtp.behave({});
    await deliverPlatformMail(service, id);

    expect(service.smtp.received.length).toBe(0);
    expect(await row()).toMatchObject({
      failedAt: expect.any(Date),
      error: expect.stringContaining("it is unknown"),
    });
  });

  test("that is refused for now until the attempts run out is given up, with the words of the server", async () => {
    await write();
    service.smtp.behave({ data: () => "451 4.7.1 Later" });
    await runOut();

    expect(await jobs()).toEqual([]);
    expect(await row()).toMatchObject({
      sentAt: null,
      failedAt: expect.any(Date),
      error: expect.stringMatching(/^Given up after 15 attempts: .*451 4\.7\.1 Later/),
    });
  });

  test("that is refused for good is given up, with the words of the server", async () => {
    await write();
    service.smtp.behave({ rcpt: () => "550 5.1.1 Nobody here" });
    await service.runJobs();

    expect(await jobs()).toEqual([]);
    expect(await row()).toMatchObject({
      sentAt: null,
      failedAt: expect.any(Date),
      error: expect.stringContaining("Nobody here"),
    });
  });

  test("whose process died in the middle is sent by another one, but not before five minutes", async () => {
    await write();
    const { id } = await row();
    await service.pool`update platform_mails set held_until = ${new Date(Date.now() + 300_000)}`;
    const early = deliverPlatformMail(service, id);
    await expect(early).rejects.toThrow("another process");
    service.setNow(new Date(Date.now() + 301_000));
    await deliverPlatformMail(service, id);

    expect(service.smtp.received.length).toBe(1);
  });

  test("keeps its subject on one line, whatever a name holds", async () => {
    await write({ subject: "Shop\r\nBcc: victim@x.example\u0000 is\u2028 bad" });
    await service.runJobs();
    const [mail] = await received();

    expect(mail!.subject).toBe("Shop Bcc: victim@x.example is bad");
    expect(mail!.bcc ?? []).toEqual([]);
  });

  test("is not sent without PLATFORM_FROM: the log says so with its subject, and the row is marked", async () => {
    await write({ subject: "Verify your address" });
    const { PLATFORM_FROM: _, ...config } = service.config;
    const bare: Context = { ...service, config };
    await deliverPlatformMail(bare, (await row()).id);
    await service.runJobs();
    const line = service.lines.findLast(({ level }) => level === "warn");

    expect(line).toMatchObject({ subject: "Verify your address" });
    expect(JSON.stringify(line)).not.toContain("ada@");
    expect(service.smtp.received).toEqual([]);
    expect(await row()).toMatchObject({ failedAt: expect.any(Date), error: "PLATFORM_FROM is not set" });
  });

  test("is deleted after 30 days", async () => {
    await write();
    await purgePlatformMails(service);
    const before = (await rows()).length;
    service.setNow(new Date(Date.now() + 31 * 24 * 3_600_000));
    await purgePlatformMails(service);

    expect([before, (await rows()).length]).toEqual([1, 0]);
  });
});
