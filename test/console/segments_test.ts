import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { recordEvents } from "../../src/audience/events.ts";
import { DOMAIN } from "../support/service.ts";
import { eventually } from "./eventually.ts";
import { expectSound, describeInBrowser, keepPicture, tour, useConsole } from "./support.ts";

const stage = useConsole();
const ids: Record<string, string> = {};

const api = async (method: string, path: string, body?: unknown) =>
  (await stage.service.request(method, path, { key: stage.project.secret, body })).body;
const where = (...filters: object[]) => ({ logic: "AND", groups: [{ filters }] });
const isPro = { field: "data.plan", operator: "equals", value: "pro" };
const hasOrdered = {
  field: "event.ordered",
  operator: "triggeredAtLeast",
  count: 2,
  value: 30,
  unit: "days",
};

const NAMES = ["ada", "bob", "cleo", "dan", "eve", "finn", "gita", "hugo", "ines", "jo", "kim", "leo", "mia"];

beforeAll(async () => {
  for (const [n, name] of [...NAMES, ...NAMES].entries()) {
    const email = `${name}${n < NAMES.length ? "" : n}@${n % 3 ? "example.com" : "shop.example"}`;
    const data = { plan: n % 2 ? "pro" : "free", seats: n, vip: n % 5 === 0, joined: "2026-03-01" };
    ids[email] = (await api("POST", "/contacts", { email, subscribed: n % 4 > 0, data })).id;
    if (n % 3 === 0) {
      await stage.service.request("POST", "/v1/track", {
        key: stage.project.public,
        body: { email, event: "ordered" },
      });
    }
  }
  const made = async (key: string, body: object) => (ids[key] = (await api("POST", "/segments", body)).id);
  await made("vips", { name: "VIPs", type: "STATIC", description: "Those whom we call by name" });
  await api("POST", `/segments/${ids.vips}/members`, { emails: ["ada@shop.example", "bob@example.com"] });
  await made("pro", { name: "Pro customers", condition: where(isPro, hasOrdered), trackMembership: true });
  await made("tree", { name: "At the shop, or large, or a VIP", condition: tree() });
  await made("long", {
    name: "Wiederverkäufer mit Sondervereinbarung, Ersatzteilgroßhandelsniederlassung Garmisch-Partenkirchen",
    description:
      "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenhersteller und ihre Niederlassungen",
    condition: where({
      field: "data.unternehmensbezeichnungInternational",
      operator: "contains",
      value: "Großhandel",
    }),
  });
  await stage.service.pool`
    update segments set member_count = 1234567 where project_id = ${stage.project.id} and id = ${ids.long!}`;
  await stage.service.pool`
    insert into segment_sizes (project_id, segment_id, day, members)
    select ${stage.project.id}, id, current_date - n, greatest(0, 240 - n * 3 + (n * 7) % 11)
    from segments, generate_series(1, 60) as n
    where project_id = ${stage.project.id}`;
  const mail = { subject: "Sale", body: "<p>Sale</p>", from: `news@${DOMAIN}`, audienceType: "ALL" };
  for (const name of ["Spring sale", "Autumn sale"])
    ids[name] = (await api("POST", "/campaigns", { name, ...mail })).data.id;
  const opened = { projectId: stage.project.id, contactId: ids["ada@shop.example"]!, name: "email.open" };
  await recordEvents(stage.service, [{ ...opened, data: { campaignId: ids["Autumn sale"]! } }]);
  for (const plan of ["free", "pro", "team"]) {
    await made(`plan-${plan}`, { name: `On the plan ${plan}`, condition: where({ ...isPro, value: plan }) });
  }
}, 60_000);

const tree = () => ({
  logic: "OR",
  groups: [
    { filters: [{ field: "email", operator: "contains", value: "shop.example" }] },
    {
      filters: [{ field: "subscribed", operator: "equals", value: true }],
      conditions: {
        logic: "OR",
        groups: [
          { filters: [{ field: "data.seats", operator: "greaterThan", value: 20 }] },
          { filters: [{ field: `segment.${ids.vips}`, operator: "memberOfSegment" }] },
        ],
      },
    },
  ],
});

const field = (page: Page, n = 0) => page.getByRole("combobox", { name: "Field" }).nth(n);
const choose = async (page: Page, n: number, name: string) => {
  await field(page, n).fill(name);
  await page.getByRole("option", { name, exact: true }).click();
};
/** Where the machine is busy the service estimates: of so few contacts it looks at all. */
const count = (page: Page, text: string) =>
  page
    .getByLabel("Preview")
    .getByText(new RegExp(`^(About )?${text}$`))
    .waitFor();
const stored = async (name: string) =>
  (await api("GET", "/segments")).find((segment: { name: string }) => segment.name === name);

tour(stage, "segments", {
  path: "/segments",
  ready: (page) => page.getByText("Pro customers"),
  // oxlint-disable-next-line unicorn/no-thenable
  then: (page) => page.locator('[aria-label^="Members: "]').first().waitFor({ state: "attached" }),
});
tour(stage, "segment", {
  path: () => `/segments/${ids.vips}`,
  ready: (page) => page.getByText("ada@shop.example"),
  states: {
    edit: async (page) => {
      await page.getByRole("tab", { name: "Edit" }).click();
      await page.getByLabel("Description").fill("Those whom we call by their first name");
    },
    size: async (page) => {
      await page.getByRole("tab", { name: "Size" }).click();
      await page.getByRole("img", { name: /^Members from/ }).waitFor();
    },
    uses: async (page) => {
      await page.getByRole("tab", { name: "Usage" }).click();
      await page.getByRole("link", { name: "At the shop, or large, or a VIP" }).waitFor();
    },
    delete: async (page) => {
      await page.getByRole("button", { name: "More" }).click();
      await page.getByRole("menuitem", { name: "Delete" }).click();
      await page.getByRole("dialog", { name: "Delete VIPs?" }).waitFor();
    },
  },
});
tour(stage, "new-segment", {
  path: () => `/segments/new?from=${ids.tree}`,
  ready: (page) => page.getByRole("combobox", { name: "Field" }),
  // oxlint-disable-next-line unicorn/no-thenable
  then: (page) => count(page, "13 contacts"),
});

describeInBrowser("segments", () => {
  test("a segment is built by mouse, counted while it is built, and saved", async () => {
    const page = await stage.open("/segments");
    await page.getByRole("link", { name: "New segment" }).click();
    await page.getByLabel("Name").fill("Large and pro");
    await choose(page, 0, "plan");
    await page.getByRole("combobox", { name: "Value", exact: true }).click();
    await page.getByRole("option", { name: "pro" }).click();
    await count(page, "13 contacts");
    await page.getByRole("button", { name: "Add a group" }).click();
    await choose(page, 1, "seats");
    await page.getByLabel("Operator").nth(1).selectOption({ label: "is more than" });
    await page.getByRole("combobox", { name: "Value", exact: true }).nth(1).fill("23");
    await count(page, "1 contact");
    await page.getByText("or", { exact: true }).click();
    await count(page, "14 contacts");
    await page.getByText("Contacts where plan is “pro”, or seats is more than 23.").waitFor();
    await keepPicture(page, "new-segment--built");
    await expectSound(page);
    await page.getByRole("button", { name: "Create segment" }).click();
    await page.getByRole("heading", { name: "Large and pro" }).waitFor();
    expect((await stored("Large and pro")).condition).toEqual({
      logic: "OR",
      groups: [
        { filters: [isPro] },
        { filters: [{ field: "data.seats", operator: "greaterThan", value: 23 }] },
      ],
    });
    await page.context().close();
  });

  test("those who did not open a campaign are found by its name", async () => {
    const page = await stage.open("/segments/new");
    await page.getByLabel("Name").fill("Missed the sale");
    await choose(page, 0, "Mail was opened");
    await page.getByLabel("Operator").selectOption("notTriggered");
    await page.getByLabel("Which mails").selectOption("campaignId");
    await page.getByRole("button", { name: "Create segment" }).click();
    await page.getByText("Choose a campaign", { exact: true }).waitFor();
    const campaign = page.getByRole("combobox", { name: "Campaign" });
    const pick = async (name: string) => {
      await campaign.fill(name);
      await page.getByRole("option", { name, exact: true }).click();
    };
    await pick("Spring sale");
    await count(page, "26 contacts");
    await pick("Autumn sale");
    await count(page, "25 contacts");
    await page.getByText("Contacts where a mail of the campaign “Autumn sale” was never opened.").waitFor();
    await expectSound(page);
    await page.getByRole("button", { name: "Create segment" }).click();
    await page.getByRole("heading", { name: "Missed the sale" }).waitFor();
    const condition = where({
      field: "email.opened",
      operator: "notTriggered",
      campaignId: ids["Autumn sale"],
    });
    expect((await stored("Missed the sale")).condition).toEqual(condition);
    await page.context().close();
  });

  test("the list shows which way each segment went, in words for readers of the screen", async () => {
    const page = await stage.open("/segments");
    const line = (name: string) =>
      page.getByRole("row", { name }).getByRole("img").getAttribute("aria-label");
    await page
      .getByRole("img", { name: /^Members: / })
      .first()
      .waitFor();
    expect(await line("Pro customers")).toMatch(/^Members: 1\d\d to \d+ in 30 days$/);
    // It was made today: one number is no line.
    await eventually(() => page.getByRole("row", { name: "On the plan free" }).getByRole("img").count()).toBe(
      0,
    );
    await page.context().close();
  });

  test("a segment is built by keyboard alone", async () => {
    const page = await stage.open("/segments");
    await page.getByText("Pro customers").waitFor();
    await page.keyboard.press("n");
    const name = page.getByLabel("Name");
    await name.waitFor();
    await page.getByRole("combobox", { name: "Field" }).waitFor();
    const tabTo = async (label: string) => {
      const at = () =>
        page.evaluate(() => {
          const element = document.activeElement as HTMLInputElement | null;
          return (
            element?.getAttribute("aria-label") ?? element?.labels?.[0]?.textContent ?? element?.textContent
          );
        });
      for (let n = 0; n < 40 && (await at()) !== label; n++) await page.keyboard.press("Tab");
      expect(await at()).toBe(label);
    };
    const back = async (label: string) => {
      const at = () => page.evaluate(() => document.activeElement?.textContent);
      for (let n = 0; n < 60 && (await at()) !== label; n++) await page.keyboard.press("Shift+Tab");
      expect(await at()).toBe(label);
    };
    await tabTo("Name");
    await page.keyboard.type("By keys");
    await tabTo("Field");
    await page.keyboard.type("event ordered");
    await page.locator("[role=option][data-combobox-selected]", { hasText: /^Event ordered$/ }).waitFor();
    await page.keyboard.press("Enter");
    await tabTo("Operator");
    await page.keyboard.type("happened at least");
    await tabTo("How often");
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("1");
    // The next line, from within the value.
    await page.keyboard.press("Enter");
    await page.getByRole("combobox", { name: "Field" }).nth(1).waitFor();
    await page.keyboard.type("subscribed");
    await page.locator("[role=option][data-combobox-selected]", { hasText: /^Subscribed$/ }).waitFor();
    await page.keyboard.press("Enter");
    await back("Create segment");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "By keys" }).waitFor();
    expect((await stored("By keys")).condition).toEqual(
      where(
        { field: "event.ordered", operator: "triggeredAtLeast", count: 1 },
        { field: "subscribed", operator: "equals", value: true },
      ),
    );
    await page.context().close();
  });

  test("what is unfinished stays, is marked when it is saved, and what the service refuses is marked at its place", async () => {
    const page = await stage.open("/segments/new");
    await page.getByLabel("Name").fill("Unfinished");
    await choose(page, 0, "seats");
    await page.getByRole("combobox", { name: "Value", exact: true }).fill("many");
    await page.getByRole("button", { name: "Add a filter" }).click();
    await choose(page, 1, "Created");
    await page.getByLabel("How long").fill("0");
    await page.getByText("It cannot be counted: see what is marked.").waitFor();
    await page.getByRole("group", { name: "Created" }).getByText("Expected 1 or more").waitFor();
    await page.getByLabel("How long").fill("3");
    await page.getByText("Expected 1 or more").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Create segment" }).click();
    await page.getByRole("group", { name: "seats" }).getByText("Write a number").waitFor();
    await eventually(() => page.getByRole("combobox", { name: "Value", exact: true }).inputValue()).toBe(
      "many",
    );
    // The browser notes the refusal, which was asked for.
    expect(page.complaints.splice(0).every((complaint) => complaint.includes("422"))).toBe(true);
    await expectSound(page);
    expect(await stored("Unfinished")).toBeUndefined();
    await page.context().close();
  });

  test("says why a contact is in, or is not, with what was found", async () => {
    const page = await stage.open(`/segments/${ids.pro}`);
    await page.getByRole("tab", { name: "Why in or out" }).click();
    await page.getByRole("combobox", { name: "Contact" }).fill("dan@");
    await page.getByRole("option", { name: "dan@shop.example" }).click();
    await page.getByText("Is not in Pro customers").waitFor();
    const answer = (text: string) => page.locator("[data-holds]", { hasText: text });
    await eventually(() => answer("plan is “pro”").getAttribute("data-holds")).toBe("true");
    await eventually(() => answer("plan is “pro”").textContent()).toContain("Found: “pro”.");
    const ordered = answer("Event ordered happened at least 2 times in the last 30 days");
    await eventually(() => ordered.getAttribute("data-holds")).toBe("false");
    await eventually(() => ordered.textContent()).toContain("Found: 1 time, last on");
    await eventually(async () => new URL(page.url()).searchParams.get("contact")).toBe(
      ids["dan@shop.example"]!,
    );
    await keepPicture(page, "segment--why-in-or-out");
    await expectSound(page);
    await page.context().close();
  });

  test("a change that somebody else has made meanwhile is shown beside one's own, and one of them is chosen", async () => {
    const page = await stage.open(`/segments/${ids["plan-team"]}?tab=edit`);
    const name = page.getByLabel("Name");
    const edit = async (mine: string, theirs: string) => {
      await name.fill(mine);
      await api("PATCH", `/segments/${ids["plan-team"]}`, { name: theirs });
      await page.getByRole("button", { name: "Save changes" }).click();
      await page.getByText("Somebody else has changed this segment since you opened it").waitFor();
      await page.getByRole("alert").getByText(theirs).waitFor();
    };
    await page.getByRole("combobox", { name: "Field" }).waitFor();
    await eventually(() => page.getByRole("button", { name: "Save changes" }).isDisabled()).toBe(true);
    await edit("Mine", "Theirs");
    await keepPicture(page, "segment--lost-update");
    await page.getByRole("button", { name: "Save mine" }).click();
    await page.getByRole("heading", { name: "Mine", level: 1 }).waitFor();
    expect((await api("GET", `/segments/${ids["plan-team"]}`)).name).toBe("Mine");
    await edit("Mine again", "Theirs again");
    await page.getByRole("button", { name: "Take this one" }).click();
    await page.getByRole("heading", { name: "Theirs again", level: 1 }).waitFor();
    await eventually(() => name.inputValue()).toBe("Theirs again");
    await page.context().close();
  });

  test("members of a list are pasted, taken away, and put back", async () => {
    const page = await stage.open(`/segments/${ids.vips}`);
    await page.getByRole("button", { name: "Add contacts" }).click();
    await page
      .getByRole("textbox", { name: "Addresses" })
      .fill("Cleo <cleo@example.com>, nobody@example.com");
    await page.getByRole("button", { name: "Add 2 addresses" }).click();
    await page.getByText("1 address above is not a contact").waitFor();
    await eventually(() => page.getByRole("textbox", { name: "Addresses" }).inputValue()).toBe(
      "nobody@example.com",
    );
    await keepPicture(page, "segment--add-contacts");
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
    await page
      .getByRole("row", { name: /cleo@example.com/ })
      .getByRole("checkbox")
      .click();
    await page.getByRole("button", { name: "Remove 1 contact from the list" }).click();
    await page.getByText("cleo@example.com").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("cleo@example.com").waitFor();
    expect((await api("GET", `/segments/${ids.vips}`)).memberCount).toBe(3);
    await page.context().close();
  });

  test("what uses a segment is listed, and keeps it from being deleted", async () => {
    const page = await stage.open(`/segments/${ids.vips}?tab=uses`);
    await page.getByRole("link", { name: "At the shop, or large, or a VIP" }).waitFor();
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByText("It is used by the segment “At the shop, or large, or a VIP”.").waitFor();
    expect((await api("GET", `/segments/${ids.vips}`)).name).toBe("VIPs");
    await page.context().close();
  });

  test("a tree with groups within is shown as it is, and a copy of it begins with it", async () => {
    const page = await stage.open(`/segments/${ids.tree}?tab=edit`, { width: 390 });
    await page.getByText("(seats is more than 20, or Segment VIPs has the contact)").waitFor();
    await eventually(() => page.getByRole("button", { name: "Save changes" }).isDisabled()).toBe(true);
    await keepPicture(page, "segment--tree-390");
    await expectSound(page);
    await page.context().close();
  });
});
