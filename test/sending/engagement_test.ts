// Opens and clicks in the ledger, the events and the counters.
import { describe, expect, test } from "bun:test";
import { openPool } from "../../src/db/pool.ts";
import { recordClick, recordOpen } from "../../src/sending/feedback/engagement.ts";
import type { FollowedMail } from "../../src/sending/compose/followed_mail.ts";
import { BROWSER, useFollowedMails } from "../support/followed_mails.ts";
import { useService } from "../support/service.ts";

const service = useService();
const mails = useFollowedMails(service);
const { project } = mails;

const PERSON = new Headers({ "user-agent": BROWSER });
const ROBOT = new Headers({
  "user-agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
});
const LINK = "https://x.example/a?b=1";

const open = (mail: FollowedMail, who = PERSON) => recordOpen(service, mail, who);
const click = (mail: FollowedMail, link = LINK, who = PERSON) => recordClick(service, mail, who, link);

/** What stands in every event of a mail (guides/events.md). */
const common = ({ emailId }: FollowedMail) => ({
  subject: "Hi {{name}}",
  from: "hello@shop.example",
  fromName: "Shop",
  messageId: expect.stringContaining(".shop"),
  emailId,
  templateId: null,
  campaignId: null,
  sourceType: "TRANSACTIONAL",
});

describe("an open", () => {
  test("is counted, moves the mail to OPENED and says so to everybody, with the subject as it was sent", async () => {
    const mail = await mails.mail({ subject: "Hi Ada" });
    await open(mail);

    const row = await mails.row(mail);
    const events = await mails.events(mail);
    expect(row).toMatchObject({ status: "OPENED", opens: 1, clicks: 0, clickedAt: null });
    expect(row.openedAt).toBeInstanceOf(Date);
    expect(events).toEqual([
      {
        name: "email.open",
        contactId: row.contactId,
        projectId: project.id,
        createdAt: row.openedAt,
        data: {
          ...common(mail),
          subject: "Hi Ada",
          openedAt: row.openedAt.toISOString(),
          opens: 1,
          isFirstOpen: true,
        },
      },
    ]);
  });

  test("and the next ones keep the time of the first, and are numbered", async () => {
    const mail = await mails.mail();
    await open(mail);
    const first = await mails.row(mail);
    await Promise.all([open(mail), open(mail), open(mail)]);
    await open(mail);

    const row = await mails.row(mail);
    const events = await mails.events(mail);
    expect([row.opens, row.openedAt]).toEqual([5, first.openedAt]);
    expect(events.map(({ data }) => data.opens).toSorted()).toEqual([1, 2, 3, 4, 5]);
    expect(events.filter(({ data }) => data.isFirstOpen).map(({ data }) => data.opens)).toEqual([1]);
  });

  test("two hundred times at once is two hundred opens, and one first", async () => {
    const mail = await mails.mail();
    await Promise.all(Array.from({ length: 200 }, () => open(mail)));

    const events = await mails.events(mail);
    expect((await mails.row(mail)).opens).toBe(200);
    expect(new Set(events.map(({ data }) => data.opens)).size).toBe(200);
    expect(events.filter(({ data }) => data.isFirstOpen)).toHaveLength(1);
  });
});

describe("a click", () => {
  test("is counted, names the link, and is an opening too, though none of the opens", async () => {
    const mail = await mails.mail();
    await click(mail);

    const row = await mails.row(mail);
    const events = await mails.events(mail);
    expect(row).toMatchObject({ status: "CLICKED", opens: 0, clicks: 1 });
    expect(row.openedAt).toEqual(row.clickedAt);
    expect(events).toMatchObject([{ name: "email.click" }]);
    expect(events[0]!.data).toEqual({
      ...common(mail),
      link: LINK,
      clickedAt: row.clickedAt.toISOString(),
      clicks: 1,
      isFirstClick: true,
    });
  });

  test("before the pixel leaves that one the first open", async () => {
    const mail = await mails.mail();
    await Promise.all([click(mail), open(mail), click(mail, "https://y.example/")]);

    const events = await mails.events(mail);
    expect(await mails.row(mail)).toMatchObject({ status: "CLICKED", opens: 1, clicks: 2 });
    // Which of two clicks at once is the first is open.
    const numbers = events.map(({ name, data }) => [
      name,
      data.clicks ?? data.opens,
      data.isFirstClick ?? data.isFirstOpen,
    ]);
    expect(numbers.sort()).toEqual([
      ["email.click", 1, true],
      ["email.click", 2, false],
      ["email.open", 1, true],
    ]);
    expect(events.map(({ data }) => data.link ?? "").sort()).toEqual(["", "https://y.example/", LINK].sort());
  });

  test("after an open keeps the time of the open", async () => {
    const mail = await mails.mail();
    await open(mail);
    const { openedAt } = await mails.row(mail);
    await click(mail);

    expect(await mails.row(mail)).toMatchObject({ status: "CLICKED", openedAt, opens: 1, clicks: 1 });
  });

  test("of a campaign says which, and with which template", async () => {
    const campaignId = await mails.campaign();
    const templateId = Bun.randomUUIDv7();
    const mail = await mails.mail({ campaign_id: campaignId, source_type: "CAMPAIGN" });
    await service.pool`
      update contents set template_id = ${templateId} where id = (select content_id from emails where id = ${mail.emailId})`;
    await click(mail);

    const [event] = await mails.events(mail);
    expect(event!.data).toMatchObject({ campaignId, templateId, sourceType: "CAMPAIGN" });
  });
});

describe("the state of a mail", () => {
  test.each([
    ["IN_DOUBT", "OPENED", "CLICKED"],
    ["SENT", "OPENED", "CLICKED"],
    ["DELIVERED", "OPENED", "CLICKED"],
    ["OPENED", "OPENED", "CLICKED"],
    ["CLICKED", "CLICKED", "CLICKED"],
    ["BOUNCED", "BOUNCED", "BOUNCED"],
    ["COMPLAINED", "COMPLAINED", "COMPLAINED"],
    ["SENDING", "SENDING", "SENDING"],
  ])("%s becomes %s when it is opened, and %s when a link is followed", async (status, opened, clicked) => {
    const [one, two] = [await mails.mail({ status }), await mails.mail({ status })];
    await Promise.all([open(one), click(two)]);

    expect(await mails.row(one)).toMatchObject({ status: opened, opens: 1 });
    expect(await mails.row(two)).toMatchObject({ status: clicked, clicks: 1 });
  });

  test.each(["PENDING", "FAILED", "SUPPRESSED"])("%s was never sent: nothing is recorded", async (status) => {
    const mail = await mails.mail({ status });
    const before = await mails.row(mail);
    await Promise.all([open(mail), click(mail), open(mail, ROBOT)]);

    expect(await mails.row(mail)).toEqual(before);
    expect(await mails.events(mail)).toEqual([]);
  });

  test("IN_DOUBT is settled by an open: it was sent, for the campaign too", async () => {
    const campaignId = await mails.campaign();
    const mail = await mails.mail({
      status: "IN_DOUBT",
      claimed_by: Bun.randomUUIDv7(),
      error: "Nobody knows",
      campaign_id: campaignId,
    });
    await open(mail);

    expect(await mails.row(mail)).toMatchObject({ sentAt: expect.any(Date), claimedBy: null, error: null });
    expect(await mails.counted(campaignId)).toEqual({ sent: 1, opened: 1, clicked: 0 });
  });
});

describe("a machine", () => {
  test("is noted and flagged, but neither counted nor first", async () => {
    const mail = await mails.mail();
    const before = await mails.row(mail);
    await Promise.all([open(mail, ROBOT), click(mail, LINK, ROBOT)]);

    const events = await mails.events(mail);
    expect(await mails.row(mail)).toEqual({ ...before, botOpenedAt: expect.any(Date) });
    expect(
      events.map(({ name, data }) => ({ name, ...data })).toSorted((a, b) => a.name.localeCompare(b.name)),
    ).toMatchObject([
      { name: "email.click", machine: true, clicks: 0, isFirstClick: false, link: LINK },
      { name: "email.open", machine: true, opens: 0, isFirstOpen: false },
    ]);
  });

  test("among people takes none of their numbers", async () => {
    const mail = await mails.mail();
    await Promise.all([open(mail, ROBOT), open(mail), open(mail, ROBOT), open(mail), open(mail, ROBOT)]);

    const events = await mails.events(mail);
    const people = events.filter(({ data }) => !data.machine);
    expect((await mails.row(mail)).opens).toBe(2);
    expect(events).toHaveLength(5);
    expect(people.map(({ data }) => [data.opens, data.isFirstOpen]).toSorted()).toEqual([
      [1, true],
      [2, false],
    ]);
  });
});

describe("many at once", () => {
  test("of many mails, by two processes that meet crosswise, are all there, and the campaign's counters equal the ledger", async () => {
    const campaignId = await mails.campaign();
    const of = { campaign_id: campaignId, source_type: "CAMPAIGN" };
    const all = await Promise.all(Array.from({ length: 40 }, () => mails.mail(of)));
    const pool = openPool(service.databaseUrl, { max: 5 });
    const other = { ...service, pool, sql: pool };
    const work = Array.from({ length: 2_000 }, (_, i) => {
      const mail = (i % 2 ? all : all.toReversed())[(i * i + (i >> 4)) % 30]!;
      const ctx = i % 2 ? service : other;
      if (i % 10 === 3) return recordOpen(ctx, mail, ROBOT);
      return i % 5 === 0 ? recordClick(ctx, mail, PERSON, LINK) : recordOpen(ctx, mail, PERSON);
    });
    await Promise.all(work);
    await pool.end();

    const [ledger] = await service.pool`
      select
        0 as sent, count(opened_at)::int as opened, count(clicked_at)::int as clicked,
        sum(opens)::int as opens, sum(clicks)::int as clicks,
        (count(*) filter (where opens > 0))::int as seen
      from emails where campaign_id = ${campaignId}`;
    const { opens, clicks, seen, ...counts } = ledger!;
    const [events] = await service.pool`
      select
        count(*) filter (where data -> 'machine' is not null)::int as machines,
        count(*) filter (where (data ->> 'isFirstOpen')::boolean)::int as first_opens,
        count(distinct (email_id, name, data ->> 'opens', data ->> 'clicks')) filter (where data -> 'machine' is null)::int as people
      from events where data ->> 'campaignId' = ${campaignId}`;
    expect([opens, clicks]).toEqual([1_400, 400]);
    expect(counts.opened).toBeGreaterThan(30);
    expect(await mails.counted(campaignId)).toEqual(counts as never);
    expect(events).toEqual({ machines: 200, firstOpens: seen, people: 1_800 } as never);
  });

  test("of two projects touch only their own mails", async () => {
    const other = await service.createProject();
    const mine = await mails.mail();
    const forged = { projectId: other.id, emailId: mine.emailId };
    await Promise.all([open(forged), click(forged)]);

    expect(await mails.row(mine)).toMatchObject({ status: "SENT", opens: 0, clicks: 0 });
    expect(await mails.events(mine)).toEqual([]);
  });

  test("one that cannot be recorded leaves the others alone, and fails alone", async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => mails.mail()));
    // The database has no NUL in text; nothing that was signed holds one.
    const ends = await Promise.allSettled(
      all.map((mail, i) => click(mail, i === 2 ? "https://x.example/\0" : LINK)),
    );

    expect(ends.map((end) => end.status)).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
      "fulfilled",
      "fulfilled",
    ]);
    expect(await Promise.all(all.map(async (mail) => (await mails.row(mail)).clicks))).toEqual([
      1, 1, 0, 1, 1,
    ]);
  });
});

describe("what has gone meanwhile", () => {
  test("the content: the event says what is left", async () => {
    const mail = await mails.mail();
    await service.pool`update emails set content_id = ${Bun.randomUUIDv7()} where id = ${mail.emailId}`;
    await open(mail);

    const [event] = await mails.events(mail);
    expect(event!.data).toMatchObject({ subject: null, from: null, emailId: mail.emailId, opens: 1 });
  });

  test("the contact: the mail is counted, and the event is nobody's", async () => {
    const mail = await mails.mail({ contact_id: null });
    await open(mail);

    expect((await mails.row(mail)).opens).toBe(1);
    expect(await mails.events(mail)).toMatchObject([{ name: "email.open", contactId: null }]);
  });

  test("the mail: nothing is recorded", async () => {
    const nobody = { projectId: project.id, emailId: Bun.randomUUIDv7() };
    await open(nobody);

    expect(await mails.events(nobody)).toEqual([]);
  });

  test("contacts that are deleted while their mails are opened cost no open of the others", async () => {
    const all = await Promise.all(Array.from({ length: 30 }, () => mails.mail()));
    const rows = await Promise.all(all.map((mail) => mails.row(mail)));
    const deletions = rows
      .slice(0, 10)
      .map((row) => service.request("DELETE", `/contacts/${row.contactId}`, { key: project.secret }));
    const opens = Array.from({ length: 5 }, () => all.map((mail) => open(mail))).flat();
    const statuses = (await Promise.all(deletions)).map((answer) => answer.status);
    await Promise.all(opens);

    expect(new Set(statuses)).toEqual(new Set([204]));
    expect(await Promise.all(all.map(async (mail) => (await mails.row(mail)).opens))).toEqual(
      Array(30).fill(5),
    );
  });
});
