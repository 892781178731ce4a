// The report of a campaign: while it is being sent, and from then on.
import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { durationOf, rateOf } from "../../src/console/pages/campaign/report/pace.ts";
import { periodsOf } from "../../src/console/pages/campaign/report/periods.ts";
import { campaignsOf } from "../support/campaign.ts";
import { BROWSER } from "../support/followed_mails.ts";
import { readMail } from "../support/received_mail.ts";
import { eventually } from "./eventually.ts";
import { describeInBrowser, expectSound, keepPicture, tour, useConsole } from "./support.ts";

const stage = useConsole();
const { addContacts, create, send, get } = campaignsOf(stage.service, () => stage.project);
const ids: Record<string, string> = {};

const BODY =
  '<p>Hello {{firstName ?? there}}, <a href="https://shop.example/spring?of={{firstName}}">look here</a> or <a href="https://shop.example/sale">there</a>.</p>' +
  '<p><a href="https://shop.example/lamps"><img src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==" width="240" height="120" alt="Lamps"></a></p>' +
  '<p><a href="{{unsubscribeUrl}}">Unsubscribe</a></p>';

const set = (id: string, values: Record<string, unknown>) =>
  stage.service.pool`update campaigns set ${stage.service.pool(values)} where id = ${id}`;

/** Mails of a campaign as if they had been sent over three days: to 400 contacts, some of whom opened, clicked, bounced. */
async function fill(id: string, sent: number) {
  const { pool } = stage.service;
  const projectId = stage.project.id;
  await pool`
    insert into emails (project_id, contact_id, address, source_type, campaign_id, status, due_at, queued_at, error)
    select
      ${projectId}, c.id, c.email, 'CAMPAIGN', ${id}, 'SENDING', now(), now(),
      case when row_number() over () % 20 = 0 then '550 5.1.1 <' || c.email || '>: Recipient address rejected: User unknown' end
    from (select id, email from contacts where project_id = ${projectId} order by id limit ${sent}) as c`;
  await pool`
    update emails e
    set
      status = case
        when m.n % 20 = 0 then 'BOUNCED' when m.n % 9 = 0 then 'CLICKED' when m.n % 3 = 0 then 'OPENED' else 'SENT'
      end::email_status,
      sent_at = now() - interval '50 hours',
      bounced_at = case when m.n % 20 = 0 then now() - interval '50 hours' end,
      opened_at = case when m.n % 3 = 0 and m.n % 20 > 0 then now() - interval '50 hours' + m.n * interval '5 minutes' end,
      clicked_at = case when m.n % 9 = 0 and m.n % 20 > 0 then now() - interval '50 hours' + m.n * interval '6 minutes' end,
      unsubscribed_at = case when m.n % 90 = 0 then now() end
    from (select id, row_number() over (order by id) as n from emails where campaign_id = ${id}) as m
    where e.project_id = ${projectId} and e.id = m.id`;
  await set(id, {
    status: "SENT",
    sent_at: new Date(Date.now() - 50 * 3_600_000),
    finished_at: new Date(),
    total_recipients: sent,
  });
}

beforeAll(async () => {
  await addContacts(400, "people");
  const made = async (name: string) =>
    (ids[name] = await create({ name, subject: `${name}: what is new`, body: BODY }));
  await made("Spring sale");
  await fill(ids["Spring sale"]!, 400);
  await stage.service.pool`
    insert into campaign_links (project_id, campaign_id, link_key, link, clicks, first_clicks)
    select ${stage.project.id}, ${ids["Spring sale"]!}, md5(link)::uuid, link, clicks, clicks - 2
    from (values
      ('https://shop.example/spring?of=N1', 20), ('https://shop.example/spring?of=N2', 11),
      ('https://shop.example/lamps', 12)
    ) as l (link, clicks)`;
  for (const [n, opened] of [820, 640, 1_410].entries()) {
    await made(
      ["Winter sale", "Autumn letter", "Sommerschlussverkaufsvorankündigung für Wiederverkäufer"][n]!,
    );
    await set(Object.values(ids).at(-1)!, {
      status: "SENT",
      sent_at: new Date(Date.now() - (n + 5) * 86_400_000),
      finished_at: new Date(),
      total_recipients: 2_000,
      sent_count: 1_990,
      opened_count: opened,
      clicked_count: 210,
      bounced_count: 4,
    });
  }
  await made("On its way");
  await set(ids["On its way"]!, {
    status: "SENDING",
    sent_at: new Date(),
    total_recipients: 1_204_318,
    sent_count: 401_000,
    processed_count: 407_400,
  });
  await made("Refused by everybody");
  await set(ids["Refused by everybody"]!, {
    status: "SENT",
    sent_at: new Date(),
    finished_at: new Date(),
    total_recipients: 30,
  });
  await stage.service.pool`
    insert into emails (project_id, contact_id, address, source_type, campaign_id, status, due_at, queued_at, error)
    select
      ${stage.project.id}, id, email, 'CAMPAIGN', ${ids["Refused by everybody"]!}, 'SENDING', now(), now(),
      '554 5.7.1 Service unavailable; Client host [192.0.2.17] blocked using a list of senders of spam'
    from contacts where project_id = ${stage.project.id} order by id limit 30`;
  await stage.service.pool`
    update emails set status = 'FAILED' where campaign_id = ${ids["Refused by everybody"]!}`;
}, 60_000);

const path = (name: string, tab = "") => `/campaigns/${ids[name]!}${tab && `?tab=${tab}`}`;
const go = (page: Page, name: string, tab = "") => stage.visit(page, path(name, tab));
const frame = (page: Page) => page.frameLocator('iframe[title^="Clicks in"]');
const figure = (page: Page, name: string) =>
  page.locator("dl > div").filter({ has: page.locator("dt", { hasText: new RegExp(`^${name}$`) }) });
const row = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });

tour(stage, "campaign-report", {
  path: () => path("Spring sale"),
  ready: (page) => page.getByRole("img", { name: /^Opens and clicks hour by hour/ }),
  states: {
    recipients: async (page) => {
      await page.getByRole("tab", { name: "Recipients" }).click();
      await row(page, "people").first().waitFor();
    },
    links: async (page) => {
      await page.getByRole("tab", { name: "Links" }).click();
      await frame(page).getByTitle("31 clicks").waitFor();
    },
    content: async (page) => {
      await page.getByRole("tab", { name: "Content" }).click();
      await page.frameLocator('iframe[title^="Mail:"]').getByText("look here").waitFor();
    },
  },
});
tour(stage, "campaign-running", {
  path: () => path("On its way"),
  ready: (page) => page.getByRole("progressbar", { name: "407,400 of 1,204,318 processed" }),
  states: {
    failed: async (page) => {
      await go(page, "Refused by everybody");
      await page.getByText("Client host", { exact: false }).waitFor();
      await page.getByText("Nobody has opened it yet", { exact: false }).waitFor();
    },
  },
});

describeInBrowser("the report of a campaign", () => {
  test("counts from the audience to the clicks; each number leads to who they are, and those to their mail", async () => {
    const page = await stage.open(path("Spring sale"));
    await figure(page, "Opened").getByText("127", { exact: true }).waitFor();
    await eventually(() => figure(page, "Audience").textContent()).toContain("400");
    await eventually(() => figure(page, "Opened").textContent()).toContain("31.8% of sent");
    await eventually(() => figure(page, "Bounced").textContent()).toContain("20");
    // Of three others with 41%, 32% and 71%.
    await page.getByRole("row", { name: "Opened 31.8% 41.2%" }).waitFor();
    await page.getByText("550 5.1.1 …: Recipient address rejected: User unknown").waitFor();

    await page.getByRole("link", { name: "20 mails" }).click();
    await page.waitForURL(/tab=recipients&outcome=bounced/);
    await page.getByText("20 recipients", { exact: true }).waitFor();
    await eventually(() => row(page, "User unknown").count()).toBeGreaterThan(5);
    await page.getByRole("combobox", { name: "Outcome" }).click();
    await page.getByRole("option", { name: "Did not open" }).click();
    await page.waitForURL(/outcome=unopened/);
    await page.getByText("273 recipients", { exact: true }).waitFor();
    await page.getByRole("combobox", { name: "Outcome" }).click();
    await page.getByRole("option", { name: "Reported as spam" }).click();
    await page.getByRole("heading", { name: "Nobody has reported it as spam" }).waitFor();
    await page.goBack();
    await page.getByText("273 recipients", { exact: true }).waitFor();
    await page.goBack();
    await page.goBack();
    await figure(page, "Clicked").getByRole("link").click();
    await row(page, "@example.com").first().getByRole("cell").nth(1).click();
    await page.getByRole("dialog").getByText("Clicked").first().waitFor();
    await page.keyboard.press("Escape");
    await page.waitForURL((url) => !url.searchParams.get("mail"));
    await row(page, "@example.com").first().getByRole("link").click();
    await page.waitForURL(/\/contacts\//);
    await page.context().close();
  });

  test("shows the clicks at each link: those of one that differs from mail to mail together", async () => {
    const page = await stage.open(path("Spring sale", "links"));
    await frame(page).getByTitle("31 clicks").waitFor();
    const marks = await frame(page)
      .locator('a span[title$="click"], a span[title$="clicks"]')
      .allTextContents();

    expect(marks).toEqual(["31", "0", "12"]);
    await eventually(() => page.getByRole("row").nth(1).textContent()).toBe(
      "shop.example/spring?of=N12042.9%",
    );
    await page.context().close();
  });

  test("is open to members, who may copy it; and not to other projects", async () => {
    const other = await stage.service.createProject();
    const foreign = await stage.service.request("POST", "/campaigns", {
      key: other.secret,
      body: { name: "Theirs", subject: "x", body: BODY, from: "a@shop.example", audienceType: "ALL" },
    });
    const page = await stage.open(path("Spring sale"), { as: await stage.member("MEMBER") });
    await page.getByRole("button", { name: "Duplicate" }).click();
    await page.getByRole("heading", { level: 1, name: "Spring sale (Copy)" }).waitFor();
    await stage.visit(page, `/campaigns/${foreign.body.data.id}`);
    await page.getByRole("heading", { name: "Cannot find this campaign" }).waitFor();
    await eventually(() => page.getByText("Theirs").count()).toBe(0);
    await page.context().close();
  });

  test("is followed from the first mail to the last click", async () => {
    const { service } = stage;
    await service.pool`delete from contacts where project_id = ${stage.project.id}`;
    await addContacts(30, "reader");
    const gate = Promise.withResolvers<void>();
    let seen = 0;
    service.smtp.behave({
      rcpt: (address) => (address === "reader7@example.com" ? "550 5.1.1 No such user" : undefined),
      holdData: async () => void ((seen += 1) > 5 && (await gate.promise)),
    });
    const id = (ids.Live = await create({ name: "Live", body: BODY }));
    await send(id);
    const sending = service.runJobs();
    const page = await stage.open(path("Live"));
    await page.getByRole("heading", { name: "Being sent" }).waitFor();
    await page.getByText(/^6 of 30/).waitFor();
    await keepPicture(page, "campaign-report--live");
    gate.resolve();
    await sending;
    await page.getByRole("heading", { name: "Being sent" }).waitFor({ state: "detached" });
    await figure(page, "Sent").getByText("29", { exact: true }).waitFor();

    const { html } = await readMail(service.smtp.received.at(-1)!.source);
    const followed = /href="http:\/\/[^/]+(\/t\/c\/[^"]+)"/.exec(html!)![1]!;
    await service.request("GET", followed, { headers: { "user-agent": BROWSER } });
    await service.runJobs();
    await page.reload();
    await page.getByText("550 5.1.1 No such user").waitFor();
    await figure(page, "Clicked").getByText("1", { exact: true }).waitFor();
    await page.getByRole("tab", { name: "Links" }).click();
    await frame(page).getByTitle("1 click", { exact: true }).waitFor();
    await page.context().close();
  });

  test("stops what is being sent: what has not gone out never will, and the page says how much that is", async () => {
    const { service } = stage;
    await service.pool`delete from contacts where project_id = ${stage.project.id}`;
    await addContacts(200, "late");
    const gate = Promise.withResolvers<void>();
    let seen = 0;
    service.smtp.behave({ holdData: async () => void ((seen += 1) > 5 && (await gate.promise)) });
    const before = service.smtp.received.length;
    const id = (ids.Halted = await create({ name: "Halted", body: BODY }));
    await send(id);
    const sending = service.runJobs();
    const page = await stage.open(path("Halted"));
    await page.getByText(/^5 of 200/).waitFor();
    await page.getByRole("button", { name: "Stop sending" }).click();
    const question = page.getByRole("dialog", { name: "Stop sending Halted?" });
    await question.getByText("5 of 200 mails have been processed", { exact: false }).waitFor();
    const stopping = question.getByRole("button", { name: "Stop sending" }).click();
    await stopping;
    gate.resolve();
    await sending;
    await page.getByRole("heading", { name: "Being sent" }).waitFor({ state: "detached" });
    await service.runJobs();
    await page.reload();
    const gone = service.smtp.received.length - before;
    await page
      .getByText(`It was cancelled after ${gone} mails. The other ${200 - gone} are never sent`, {
        exact: false,
      })
      .waitFor();

    await keepPicture(page, "campaign-report--cancelled");
    await expectSound(page);
    expect(gone).toBeLessThan(200);
    expect((await get(id)).status).toBe("CANCELLED");
    await figure(page, "Audience").getByRole("link").click();
    await page.getByRole("combobox", { name: "Outcome" }).click();
    await page.getByRole("option", { name: "Suppressed" }).click();
    await page.getByText(`${200 - gone} recipients`, { exact: true }).waitFor();
    service.smtp.behave({});
    await page.context().close();
  });
});

test("how fast it goes is known after some seconds, and how long it takes is said in round numbers", () => {
  const rate = (...samples: [at: number, done: number][]) =>
    rateOf(samples.map(([at, done]) => ({ at, done })));

  expect([rate(), rate([0, 5]), rate([0, 5], [3_000, 50])]).toEqual([null, null, null]);
  expect([rate([0, 0], [10_000, 500]), rate([0, 7], [10_000, 7]), rate([0, 9], [10_000, 7])]).toEqual([
    50, 0, 0,
  ]);
  expect([10, 70, 130, 5_400, 9_000, 200_000].map(durationOf)).toEqual([
    "less than a minute",
    "about a minute",
    "about 2 minutes",
    "about 90 minutes",
    "about 3 hours",
    "about 2 days",
  ]);
});

test("hours in which nothing happened are drawn, too; a campaign of weeks by days", () => {
  const hour = (at: string, opened: number) => ({
    hour: at,
    opened,
    clicked: 1,
    sent: 0,
    delivered: 0,
    bounced: 0,
    complained: 0,
    unsubscribed: 0,
  });
  const short = periodsOf([hour("2026-11-01T08:00:00.000Z", 5), hour("2026-11-01T11:00:00.000Z", 2)]);
  const long = periodsOf([hour("2026-11-01T08:00:00.000Z", 5), hour("2026-11-05T11:00:00.000Z", 2)]);

  expect(periodsOf([])).toEqual({ rows: [], isByDay: false });
  expect(short.isByDay).toBe(false);
  expect(short.rows.map(({ opened }) => opened)).toEqual([5, 0, 0, 2]);
  expect(long.isByDay).toBe(true);
  expect(long.rows.map(({ at, opened }) => `${at.slice(0, 10)} ${opened}`)).toEqual([
    "2026-11-01 5",
    "2026-11-02 0",
    "2026-11-03 0",
    "2026-11-04 0",
    "2026-11-05 2",
  ]);
});
