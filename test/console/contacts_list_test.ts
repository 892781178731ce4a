// What is done with the list of contacts as a whole: columns, jumps, a new contact, the export, and work on all that match.
import { afterEach, beforeAll, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { eventually } from "./eventually.ts";
import { expectSound, describeInBrowser, keepPicture, type OpenPage, tour, useConsole } from "./support.ts";

const stage = useConsole();
const open: OpenPage[] = [];
const COUNT = 180;

const api = async (method: string, path: string, body?: unknown) =>
  (await stage.service.request(method, path, { key: stage.project.secret, body })).body;
const opened = async (...given: Parameters<typeof stage.open>) => {
  const page = await stage.open(...given);
  open.push(page);
  return page;
};
const emails = async (query: string): Promise<string[]> =>
  (await api("GET", `/contacts?sort=email&dir=asc&${query}`)).data.map(
    ({ email }: { email: string }) => email,
  );
const row = (page: OpenPage, text: string) => page.getByRole("row", { name: new RegExp(text) });

// Letters a to t, nine of each; one every twelve hours, the last one now.
beforeAll(async () => {
  await stage.service.pool`
    insert into contacts (id, project_id, email, subscribed, data, created_at, updated_at)
    select uuidv7(), ${stage.project.id}, chr(97 + n % 20) || '.' || lpad(n::text, 3, '0') || '@people.example', n % 6 <> 0,
      jsonb_build_object('city', (array['Oslo', 'Lisboa', 'Praha'])[1 + n % 3], 'orders', n % 9, 'plan',
        (array['free', 'pro'])[1 + n % 2]),
      now() - (${COUNT} - n) * interval '12 hours', now() - (${COUNT} - n) * interval '12 hours'
    from generate_series(1, ${COUNT}) as n`;
  await api("POST", "/segments", { name: "Founding customers", type: "STATIC" });
});

afterEach(async () => {
  for (const page of open.splice(0)) await page.context().close();
});

tour(stage, "contacts-list", {
  path: "/contacts",
  ready: (page) => page.getByText("a.180@people.example"),
  states: {
    "new-contact": async (page) => {
      await page.getByRole("button", { name: "New contact" }).click();
      await page.getByRole("dialog", { name: "New contact" }).getByLabel("Address").fill("no address");
      await page.getByRole("button", { name: "Add the contact" }).click();
      await page.locator("[aria-invalid=true]").waitFor();
      page.complaints.length = 0;
    },
    selected: async (page) => {
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Discard" }).click();
      await page.getByRole("dialog").first().waitFor({ state: "detached" });
      await row(page, "a.180").getByRole("checkbox").click();
      await page.getByText("1 selected").waitFor();
    },
    "delete-all": async (page) => {
      await page.getByRole("button", { name: `Select all ${COUNT}` }).click();
      await page.getByRole("button", { name: "Delete" }).click();
      await page.getByRole("dialog", { name: `Delete ${COUNT} contacts?` }).waitFor();
    },
  },
});

describeInBrowser("the list of contacts", () => {
  test("is exported as it is filtered, as CSV and as NDJSON", async () => {
    const page = await opened("/contacts?search=c.&subscribed=true");
    await row(page, "c.142").waitFor();
    const expected = await emails("search=c.&subscribed=true&limit=100");
    const download = async (name: RegExp) => {
      await page.getByRole("button", { name: "Export" }).click();
      await page.getByText("All that match the filter").waitFor();
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("menuitem", { name }).click(),
      ]);
      return { name: file.suggestedFilename(), text: await readFile((await file.path())!, "utf8") };
    };
    const csv = await download(/^CSV/);
    expect(csv.name).toEndWith(".csv");
    for (const email of expected) expect(csv.text).toContain(email);
    expect(csv.text).not.toContain("a.180@");
    const { text } = await download(/^NDJSON/);
    const lines = text.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).email).toSorted()).toEqual(expected);
  });

  test("takes a new contact, at once or after a fault is mended; one that is there already is said to be", async () => {
    const page = await opened("/contacts");
    await row(page, "a.180").waitFor();
    await page.keyboard.press("n");
    const dialog = page.getByRole("dialog", { name: "New contact" });
    await dialog.getByLabel("Address").fill("not an address");
    await dialog.getByLabel("City").fill("Wien");
    await page.keyboard.press("Enter");
    await dialog.locator("[aria-invalid=true]").waitFor();
    expect(await dialog.getByLabel("Address").evaluate((field) => field === document.activeElement)).toBe(
      true,
    );
    await eventually(() => dialog.getByLabel("City").inputValue()).toBe("Wien");
    page.complaints.length = 0;
    await dialog.getByLabel("Address").fill("zora@people.example");
    await dialog.getByRole("switch", { name: "Subscribed to marketing mails" }).uncheck();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "zora@people.example" }).waitFor();
    const [made] = (await api("GET", "/contacts?search=zora")).data;
    expect(made).toMatchObject({ subscribed: false, data: { city: "Wien" } });
    await page.goBack();
    await row(page, "zora@").waitFor();
    await eventually(() => dialog.count()).toBe(0);
    await page.keyboard.press("n");
    await dialog.getByLabel("Address").fill("zora@people.example");
    await page.keyboard.press("Enter");
    await page.getByText("was a contact already").waitFor();
    await api("DELETE", `/contacts/${made.id}`);
  });

  test("and its menus are ones to readers of the screen", async () => {
    const page = await opened("/contacts");
    await row(page, "a.180").waitFor();
    for (const name of ["Columns", /^Order/, "Export", /^Project:/, "Account"]) {
      await page.getByRole("button", { name }).click();
      await page.getByRole("menu").waitFor();
      await expectSound(page);
      if (name === "Account") await keepPicture(page, "contacts-list--account-menu");
      await page.keyboard.press("Escape");
      await page.getByRole("menu").waitFor({ state: "detached" });
    }
  });

  test("has the columns that somebody chooses, also after it is loaded again, and only in this project", async () => {
    const page = await opened("/contacts");
    await row(page, "a.180").waitFor();
    const headers = () => page.getByRole("columnheader").allTextContents();
    const before = await headers();
    expect(before).not.toContain("Changed");
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Changed" }).click();
    await page.getByRole("menuitemcheckbox", { name: "State" }).click();
    await page.getByRole("columnheader", { name: "Changed" }).waitFor();
    await keepPicture(page, "contacts-list--columns");
    await expectSound(page);
    await page.reload();
    await row(page, "a.180").waitFor();
    await page.getByRole("columnheader", { name: "Changed" }).waitFor();
    expect(await headers()).not.toContain("State");
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("menuitem", { name: "Reset the columns" }).click();
    await page.getByRole("columnheader", { name: "Changed" }).waitFor({ state: "detached" });
    expect(await headers()).toEqual(before);
  });

  test("jumps to a letter, to the begin of an address, and to a day; the address keeps the place", async () => {
    const page = await opened("/contacts?sort=email&dir=asc");
    await row(page, "a.020").waitFor();
    await page.keyboard.press("t");
    await page.getByRole("group", { name: "Letters" }).getByRole("button", { name: "M" }).click();
    await page.getByText("From “m” on").waitFor();
    await row(page, "m.012").waitFor();
    await eventually(() => row(page, "a.020").count()).toBe(0);
    await eventually(async () => new URL(page.url()).searchParams.get("from")).toBe("m");
    await page.reload();
    await row(page, "m.012").waitFor();
    await page.keyboard.press("t");
    await page.getByLabel("Address begins with").fill("q.1");
    await page.keyboard.press("Enter");
    await row(page, "q.116").waitFor();
    await eventually(() => row(page, "q.096").count()).toBe(0);
    await page.getByRole("button", { name: "Back to the start" }).click();
    await row(page, "a.020").waitFor();
    await page.getByRole("button", { name: /^Order/ }).click();
    await page.getByRole("menuitemradio", { name: "Oldest first" }).click();
    await row(page, "b.001").waitFor();
    await page.keyboard.press("t");
    await page.getByRole("button", { name: "A month ago" }).click();
    await row(page, "b.001").waitFor({ state: "detached" });
    // The days begin at midnight: a month ago there are 60 steps of half a day, and up to two more.
    const first = await page.locator("[role=row][data-index='0']").textContent();
    const number = Number(/\.(\d+)@/.exec(first!)![1]);
    expect(number).toBeGreaterThanOrEqual(COUNT - 62);
    expect(number).toBeLessThanOrEqual(COUNT - 59);
  });

  test("all that match but one are added to a segment, and all that match are deleted after their word is typed", async () => {
    const page = await opened("/contacts?search=d.");
    await row(page, "d.163|d.164|d.183|d.143").first().waitFor();
    const matching = await emails("search=d.&limit=100");
    await page.getByRole("checkbox", { name: "Select all that are loaded" }).click();
    await page.getByText(`${matching.length} selected`).waitFor();
    await page.getByRole("button", { name: "Select none" }).click();
    await row(page, matching[0]!).getByRole("checkbox").click();
    await page.getByRole("button", { name: `Select all ${matching.length} that match` }).click();
    await row(page, matching[0]!).getByRole("checkbox").click();
    await page.getByText(`All ${matching.length - 1} contacts selected`).waitFor();
    await page.getByRole("button", { name: "Segment" }).click();
    await page.getByRole("menuitem", { name: "Founding customers", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(`Add ${matching.length - 1} contacts to “Founding customers”?`).waitFor();
    await dialog.getByRole("button", { name: "Add" }).click();
    await page.getByText("Adding contacts to the segment").waitFor();
    // What goes on is found again.
    await page.reload();
    await page.getByRole("region", { name: "Work on contacts" }).waitFor();
    // Waited for meanwhile: it is told for some seconds only.
    await Promise.all([
      page.getByText(`${matching.length - 1} contacts added to the segment`).waitFor(),
      stage.service.runJobs(),
    ]);
    const [segment] = await api("GET", "/segments");
    const { data: members } = await api("GET", `/segments/${segment.id}/contacts`);
    expect(members.map(({ email }: { email: string }) => email).toSorted()).toEqual(matching.slice(1));

    await row(page, matching[1]!).getByRole("checkbox").click();
    await page.getByRole("button", { name: `Select all ${matching.length} that match` }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    const asked = page.getByRole("dialog", { name: `Delete ${matching.length} contacts?` });
    const word = asked.getByRole("textbox");
    await word.fill("delet");
    await eventually(() => asked.getByRole("button", { name: "Delete" }).isDisabled()).toBe(true);
    await word.fill("delete");
    await asked.getByRole("button", { name: "Delete" }).click();
    await page.getByText("Deleting contacts").waitFor();
    await Promise.all([
      page.getByText(`${matching.length} contacts deleted`).waitFor(),
      stage.service.runJobs(),
    ]);
    await page.getByText("No contact has “d.” in its address").waitFor();
    expect((await api("GET", "/contacts")).total).toBe(COUNT - matching.length);
  });
});
