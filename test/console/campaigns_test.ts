// The list of campaigns, and new ones.
import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { campaignsOf } from "../support/campaign.ts";
import { DOMAIN } from "../support/service.ts";
import { eventually } from "./eventually.ts";
import { describeInBrowser, expectSound, keepPicture, tour, useConsole } from "./support.ts";

const stage = useConsole();
const { call, addContacts, create, get } = campaignsOf(stage.service, () => stage.project);
const ids: Record<string, string> = {};
let segmentId: string;

const BODY = '<p>Hello {{firstName ?? there}}, <a href="https://shop.example">look</a></p>';

const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });
const act = async (page: Page, name: string, item: string) => {
  await page.getByRole("button", { name: `More for ${name}`, exact: true }).click();
  await page.getByRole("menuitem", { name: item }).click();
};
const set = (id: string, values: Record<string, unknown>) =>
  stage.service.pool`update campaigns set ${stage.service.pool(values)} where id = ${id}`;

beforeAll(async () => {
  await addContacts(3, "people");
  segmentId = (await call("POST", "/segments", { name: "Pro customers", type: "STATIC" })).body.id;
  const made = async (name: string, more: object = {}) =>
    (ids[name] = await create({ name, subject: `${name}: what is new`, body: BODY, ...more }));
  for (let n = 1; n <= 60; n++) await made(`Letter ${n}`);
  await stage.service.pool`
    update campaigns
    set status = 'SENT', sent_at = now() - interval '40 days', finished_at = now(), total_recipients = 20000,
      sent_count = 19870, opened_count = 8000, clicked_count = 1200
    where name like 'Letter %'`;
  await made("Spring sale", { audienceType: "SEGMENT", segmentId });
  await set(ids["Spring sale"]!, { status: "SENT", sent_at: new Date(Date.now() - 3 * 86_400_000) });
  await set(ids["Spring sale"]!, {
    total_recipients: 1_204_318,
    sent_count: 1_203_001,
    opened_count: 481_200,
    clicked_count: 36_090,
  });
  await made("Stopped");
  await set(ids.Stopped!, { status: "CANCELLED", total_recipients: 20_000, sent_count: 800 });
  await made("On its way");
  await set(ids["On its way"]!, {
    status: "SENDING",
    sent_at: new Date(),
    total_recipients: 20_000,
    processed_count: 7_400,
  });
  await made("Goes out on Friday");
  await set(ids["Goes out on Friday"]!, {
    status: "SCHEDULED",
    scheduled_for: new Date(Date.now() + 86_400_000),
  });
  await made("Sommerschlussverkaufsvorankündigung für Wiederverkäufer mit Sondervereinbarung");
}, 60_000);

tour(stage, "campaigns", {
  path: "/campaigns",
  ready: (page) => page.getByRole("link", { name: "On its way" }),
  states: {
    menu: async (page) => {
      await page.getByRole("button", { name: "More for Goes out on Friday" }).click();
      await page.getByRole("menuitem", { name: "Unschedule" }).waitFor();
    },
    none: async (page) => {
      await page.keyboard.press("Escape");
      // The keys go on where the menu was.
      await page
        .locator('button:focus[aria-label="More for Goes out on Friday"][aria-expanded="false"]')
        .waitFor();
      await page.keyboard.press("Enter");
      await page.locator('[role="menuitem"]:focus', { hasText: "Edit" }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("menu").waitFor({ state: "detached" });
      await page.getByRole("searchbox", { name: "Search campaigns" }).fill("nothing like it");
      await page.getByRole("heading", { name: "No campaign matches" }).waitFor();
    },
  },
});
tour(stage, "new-campaign", {
  path: "/campaigns/new",
  ready: (page) => page.getByRole("button", { name: /^Newsletter/ }),
  states: {
    campaign: async (page) => {
      await page.getByText("Earlier campaign", { exact: true }).click();
      await page.getByRole("button", { name: /^Spring sale/ }).waitFor();
    },
    form: async (page) => {
      await page.getByText("New mail", { exact: true }).click();
      await page.getByRole("button", { name: /^Newsletter/ }).click();
      await page.getByRole("dialog").getByLabel("Name").waitFor();
    },
  },
});

describeInBrowser("the list of campaigns", () => {
  test("is searched and told apart by state; the address says how; it goes on at its end, without bodies", async () => {
    const page = await stage.open("/campaigns");
    const answers: Promise<string>[] = [];
    // The browser drops the body of an answer that is no longer wanted, such as that to a search typed over.
    page.on("response", (response) => {
      if (response.url().includes("/campaigns?")) answers.push(response.text().catch(() => ""));
    });
    // The names of segments come by a request of their own.
    await row(page, "Spring sale").filter({ hasText: "Pro customers" }).waitFor();
    await eventually(() => row(page, "Spring sale").textContent()).toMatch(/1,204,318.*40\.0%.*3\.0%/);
    await page.getByRole("combobox", { name: "State" }).click();
    await page.getByRole("option", { name: "Sent", exact: true }).click();
    await page.waitForURL(/status=SENT/);
    await row(page, "On its way").waitFor({ state: "detached" });
    await page.getByRole("table").evaluate((table) => table.scrollTo(0, table.scrollHeight));
    await row(page, "Letter 2:").waitFor();
    await page.getByRole("searchbox", { name: "Search campaigns" }).click();
    await page.keyboard.type("letter 60");
    await page.waitForURL(/search=letter\+60/);
    // What was seen before goes, and what was out of sight comes.
    await row(page, "Letter 2:").waitFor({ state: "detached" });
    await row(page, "Letter 60").waitFor();
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement?.role === "table");
    await page.keyboard.press("j");
    await page.waitForFunction(() => document.activeElement?.role === "row");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Letter 60" }).waitFor();
    await page.goBack();
    await page.waitForURL(/status=SENT/);
    const bodies = (await Promise.all(answers)).filter((body) => body !== "");
    expect(bodies.length).toBeGreaterThan(1);
    expect(bodies.join("")).not.toContain("shop.example");
    await page.context().close();
  });

  test("copies, unschedules with a way back, stops what is being sent, and deletes", async () => {
    const page = await stage.open("/campaigns");
    await row(page, "Goes out on Friday").waitFor();
    await act(page, "Goes out on Friday", "Unschedule");
    await page.getByText("Goes out on Friday is a draft again").waitFor();
    await row(page, "Goes out on Friday").getByRole("cell", { name: "Draft", exact: true }).waitFor();
    expect((await get(ids["Goes out on Friday"]!)).status).toBe("DRAFT");
    await page.getByRole("button", { name: "Undo" }).click();
    await row(page, "Goes out on Friday").getByRole("cell", { name: "Scheduled", exact: true }).waitFor();
    expect(new Date((await get(ids["Goes out on Friday"]!)).scheduledFor).getTime()).toBeGreaterThan(
      Date.now(),
    );

    await act(page, "On its way", "Cancel sending");
    const stop = page.getByRole("dialog", { name: "Stop sending On its way?" });
    await stop.getByText("7,400 of 20,000 mails have been processed so far", { exact: false }).waitFor();
    await keepPicture(page, "campaigns--stop");
    await expectSound(page);
    await stop.getByRole("button", { name: "Stop sending" }).click();
    await row(page, "On its way").getByRole("cell", { name: "Cancelled", exact: true }).waitFor();

    await act(page, "Stopped", "Delete");
    await page
      .getByRole("dialog", { name: "Delete Stopped?" })
      .getByRole("button", { name: "Delete" })
      .click();
    await page.getByText("Stopped was deleted").waitFor();
    await row(page, "Stopped").waitFor({ state: "detached" });
    expect((await call("GET", `/campaigns/${ids.Stopped}`)).status).toBe(404);

    await act(page, "Spring sale", "Duplicate");
    await page.getByRole("heading", { level: 1, name: "Spring sale (Copy)" }).waitFor();
    await page.context().close();
  });
});

describeInBrowser("a new campaign", () => {
  test("begins as a newsletter for a segment, as a template, or as a copy under another name; a wrong sender is refused and nothing typed is lost", async () => {
    const template = await call("POST", "/templates", {
      name: "Monthly",
      subject: "This month",
      body: BODY,
      from: `monthly@${DOMAIN}`,
    });
    const page = await stage.open(`/segments/${segmentId}`);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "New campaign" }).click();
    await page.getByText("It will go to the segment Pro customers.", { exact: false }).waitFor();
    await page.getByRole("button", { name: /^Newsletter/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("News in May");
    await dialog.getByLabel("Sender").fill("hello@elsewhere.example");
    await dialog.getByRole("button", { name: "Create campaign" }).click();
    await eventually(() => dialog.getByRole("alert").textContent()).toMatch(/verified/i);
    await eventually(() => dialog.getByLabel("Name").inputValue()).toBe("News in May");
    await dialog.getByLabel("Sender").fill(`hello@${DOMAIN}`);
    await dialog.getByRole("button", { name: "Create campaign" }).click();
    await page.getByRole("heading", { level: 1, name: "News in May" }).waitFor();
    const found = await call("GET", "/campaigns?search=news%20in%20may");
    expect(found.body.data[0]).toMatchObject({
      status: "DRAFT",
      from: `hello@${DOMAIN}`,
      subject: "What is new this month",
      type: "MARKETING",
      audienceType: "SEGMENT",
      segmentId,
    });

    await stage.visit(page, `/templates/${template.body.id}`);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "New campaign" }).click();
    await eventually(() => dialog.getByLabel("Sender").inputValue()).toBe(`monthly@${DOMAIN}`);
    await dialog.getByLabel("Name").fill("Of a template");
    await dialog.getByRole("button", { name: "Create campaign" }).click();
    await page.getByRole("heading", { level: 1, name: "Of a template" }).waitFor();
    const [ofTemplate] = (await call("GET", "/campaigns?search=of%20a%20template")).body.data;
    expect(ofTemplate).toMatchObject({ templateId: template.body.id, subject: "This month", body: BODY });

    await stage.visit(page, "/campaigns/new?from=campaign");
    await page.getByRole("searchbox", { name: "Search campaigns" }).fill("spring");
    await page
      .getByRole("button", { name: /^Spring sale:?/ })
      .last()
      .click();
    await eventually(() => dialog.getByLabel("Name").inputValue()).toBe("Spring sale (Copy)");
    await dialog.getByLabel("Name").fill("Summer sale");
    await dialog.getByRole("button", { name: "Create campaign" }).click();
    await page.getByRole("heading", { level: 1, name: "Summer sale" }).waitFor();
    const [copy] = (await call("GET", "/campaigns?search=summer%20sale")).body.data;
    expect(copy).toMatchObject({
      status: "DRAFT",
      audienceType: "SEGMENT",
      subject: "Spring sale: what is new",
    });
    await page.context().close();
  });
});
