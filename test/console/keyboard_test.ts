// Whole journeys by the keyboard alone: nothing here clicks.
import { afterEach, beforeAll, expect, test } from "bun:test";
import { eventually } from "./eventually.ts";
import { describeInBrowser, type OpenPage, useConsole } from "./support.ts";

const stage = useConsole();
const open: OpenPage[] = [];
const NAMES = ["ada", "bea", "cleo", "dan", "eve", "finn"];
const CITIES = ["Oslo", "Lisboa", "Praha"];
let adaId: string;

const api = async (method: string, path: string, body?: unknown) =>
  (await stage.service.request(method, path, { key: stage.project.secret, body })).body;
const opened = async (...given: Parameters<typeof stage.open>) => {
  const page = await stage.open(...given);
  open.push(page);
  return page;
};
const heading = (page: OpenPage, name: string) =>
  page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
const dialog = (page: OpenPage, name: string | RegExp) => page.getByRole("dialog", { name });
const gone = (page: OpenPage, name: string | RegExp) => dialog(page, name).waitFor({ state: "detached" });

/** What has the focus, as a reader of the screen names it. */
const focused = (page: OpenPage) =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLInputElement | null;
    const name = element?.getAttribute("aria-label") ?? element?.labels?.[0]?.textContent;
    return (name ?? element?.textContent ?? "").replace(/\s+/g, " ").trim();
  });

/** Goes on with Tab until this has the focus. */
async function tabTo(page: OpenPage, name: string | RegExp, key = "Tab"): Promise<void> {
  const seen: string[] = [];
  for (let n = 0; n < 80; n++) {
    await page.keyboard.press(key);
    const now = await focused(page);
    if (typeof name === "string" ? now === name : name.test(now)) return;
    seen.push(now);
  }
  throw new Error(`${name} cannot be reached by ${key}: ${seen.join(" | ")}`);
}

/** A step of a list moves the focus after the next paint. */
const painted = (page: OpenPage) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

async function step(page: OpenPage, ...keys: string[]): Promise<void> {
  for (const key of keys) {
    await page.keyboard.press(key);
    await painted(page);
    await painted(page);
  }
}

/** Presses two keys of a page's shortcut. On a busy machine they may come too far apart, and are pressed again. */
async function go(page: OpenPage, keys: [string, string], name: string): Promise<void> {
  const arrived = heading(page, name).then(() => true);
  for (let isThere = false; !isThere;) {
    for (const key of keys) await page.keyboard.press(key);
    isThere = await Promise.race([arrived, page.waitForTimeout(3_000).then(() => false)]);
  }
}

/** Types into the box for everything. It is loaded when it is first asked for, and has the focus a moment later. */
async function searchFor(page: OpenPage, words: string): Promise<void> {
  await page.keyboard.press("ControlOrMeta+k");
  await page.locator("input[aria-label=Search]:focus").waitFor();
  await page.keyboard.type(words);
}

/** Opens the dialog for files with a button. On a busy machine the browser may not see that a person pressed it. */
async function chooser(page: OpenPage, name: string) {
  const asked = page.waitForEvent("filechooser");
  for (;;) {
    await tabTo(page, name);
    await page.keyboard.press("Enter");
    const found = await Promise.race([asked, page.waitForTimeout(4_000)]);
    if (found) return found;
  }
}

beforeAll(async () => {
  for (const [n, name] of NAMES.entries()) {
    const body = { email: `${name}@people.example`, data: { city: CITIES[n % 3]!, orders: n } };
    const { id } = await api("POST", "/contacts", body);
    if (n === 0) adaId = id;
  }
  await api("POST", "/suppressions", { emails: ["one@people.example", "two@people.example"] });
});

afterEach(async () => {
  for (const page of open.splice(0)) await page.context().close();
});

describeInBrowser("by the keyboard alone", () => {
  test("a contact is found, opened, and a field of it changed; the focus stays at the field", async () => {
    const page = await opened("/");
    await heading(page, "Overview");
    await go(page, ["g", "c"], "Contacts");
    await page.getByText("finn@people.example").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("ada");
    await page.keyboard.press("Enter");
    await page.getByText("finn@people.example").waitFor({ state: "detached" });
    await page.locator("[role=table]:focus").waitFor();
    await step(page, "ArrowDown");
    await page.keyboard.press("Enter");
    await heading(page, "ada@people.example");
    await tabTo(page, /^Edit City/);
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "City" }).waitFor();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("Bergen");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Edit City: Bergen" }).waitFor();
    expect(await focused(page)).toBe("Edit City: Bergen");
    await page.keyboard.press("Enter");
    await page.keyboard.type("nowhere");
    await page.keyboard.press("Escape");
    expect(await focused(page)).toBe("Edit City: Bergen");
    expect((await api("GET", `/contacts/${adaId}`)).data.city).toBe("Bergen");
  });

  test("a file is chosen, its columns named, tried, imported, and taken back", async () => {
    const page = await opened("/contacts");
    await page.getByText("finn@people.example").waitFor();
    await tabTo(page, "Import");
    await page.keyboard.press("Enter");
    await heading(page, "Import contacts");
    const files = await chooser(page, "Choose a file");
    const buffer = Buffer.from("email,nickname\nnew@people.example,Newt\n");
    await files.setFiles({ name: "people.csv", mimeType: "text/csv", buffer });
    await page.locator("h2:focus").waitFor();
    expect(await focused(page)).toStartWith("people.csv");
    await tabTo(page, "Name of the new field for nickname");
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("callName");
    await tabTo(page, "See what will happen");
    await page.keyboard.press("Enter");
    await page.getByText("Reading the file").waitFor();
    await stage.service.runJobs();
    await page.getByText("Nothing has changed yet").waitFor();
    await tabTo(page, "Import now");
    await page.keyboard.press("Enter");
    await heading(page, "people.csv");
    await stage.service.runJobs();
    await page.getByRole("button", { name: "Undo" }).waitFor();
    expect((await api("GET", "/contacts?search=new@")).data[0].data).toEqual({ callName: "Newt" });
    await tabTo(page, "Undo");
    await page.keyboard.press("Enter");
    await dialog(page, "Undo this import?").waitFor();
    await tabTo(page, "Undo the import");
    await page.keyboard.press("Enter");
    await gone(page, "Undo this import?");
    await stage.service.runJobs();
    await page.getByText("This import was undone").waitFor();
    expect((await api("GET", "/contacts?search=new@")).data).toEqual([]);
  });

  test("something is deleted after a question, which has the focus at its harmless answer, and is put back by z", async () => {
    const page = await opened("/suppressions");
    await page.getByText("one@people.example").waitFor();
    await tabTo(page, "Remove");
    await page.keyboard.press("Enter");
    const asked = dialog(page, /^Write to .* again\?/);
    await asked.waitFor();
    await page.waitForFunction(() => document.activeElement?.textContent === "Cancel");
    await page.keyboard.press("Escape");
    await asked.waitFor({ state: "detached" });
    await page.waitForFunction(() => document.activeElement?.textContent === "Remove");
    await page.keyboard.press("Enter");
    await asked.waitFor();
    await tabTo(page, "Remove from the list");
    await page.keyboard.press("Enter");
    await page.getByText(/people.example gets mail again/).waitFor();
    await asked.waitFor({ state: "detached" });
    expect((await api("GET", "/suppressions")).total).toBe(1);
    await page.keyboard.press("z");
    await page.getByText("one@people.example").waitFor();
    await page.getByText("two@people.example").waitFor();
    expect((await api("GET", "/suppressions")).total).toBe(2);
  });

  test("contacts are chosen, and deleted after a question", async () => {
    await api("POST", "/contacts", { email: "zoe.one@people.example" });
    await api("POST", "/contacts", { email: "zoe.two@people.example" });
    const page = await opened("/contacts?search=zoe");
    await page.getByText("zoe.one@people.example").waitFor();
    await step(page, "j", "x", "j", "x");
    await page.getByText("2 selected").waitFor();
    await tabTo(page, "Delete", "Shift+Tab");
    await page.keyboard.press("Enter");
    await dialog(page, "Delete 2 contacts?").waitFor();
    await page.keyboard.press("Escape");
    await gone(page, "Delete 2 contacts?");
    await page.waitForFunction(() => document.activeElement?.textContent === "Delete");
    await page.keyboard.press("Enter");
    await dialog(page, "Delete 2 contacts?").waitFor();
    await tabTo(page, "Delete");
    await page.keyboard.press("Enter");
    await gone(page, "Delete 2 contacts?");
    await page.getByText("Deleting contacts").waitFor();
    await Promise.all([page.getByText("2 contacts deleted").waitFor(), stage.service.runJobs()]);
    expect((await api("GET", "/contacts?search=zoe")).total).toBe(0);
  });

  test("the search leads to a contact and to pages, g and a letter to pages, and ? lists what keys do here", async () => {
    const page = await opened("/segments");
    await heading(page, "Segments");
    await searchFor(page, "cleo");
    await page.getByRole("button", { name: /cleo@people.example/ }).waitFor();
    await page.keyboard.press("Enter");
    await heading(page, "cleo@people.example");
    await searchFor(page, "supp");
    await page.getByRole("button", { name: /Suppressions/ }).waitFor();
    await page.keyboard.press("Enter");
    await heading(page, "Suppressions");
    for (const [key, name] of [
      ["c", "Contacts"],
      ["d", "Domains"],
      [",", "Settings"],
      ["k", "Keys"],
      ["l", "Audit log"],
    ] as const) {
      await go(page, ["g", key], name);
    }
    await go(page, ["g", "c"], "Contacts");
    await page.getByText("finn@people.example").waitFor();
    await tabTo(page, "Export");
    await page.keyboard.press("?");
    const keys = dialog(page, "Keys");
    await keys.waitFor();
    for (const label of ["Next row", "New contact", "Search by address", "Jump to a letter or a day"]) {
      await eventually(() => keys.getByText(label, { exact: true }).count()).toBe(1);
    }
    await page.keyboard.press("Escape");
    await keys.waitFor({ state: "detached" });
    await page.waitForFunction(() => document.activeElement?.textContent === "Export");
  });

  test("a dialog gives the focus back to what opened it, also where that was the entry of a menu", async () => {
    const page = await opened(`/contacts/${adaId}`);
    await heading(page, "ada@people.example");
    await tabTo(page, "More");
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Delete…" }).waitFor();
    await page.waitForFunction(() => document.activeElement?.textContent === "Copy the id");
    await step(page, "ArrowDown");
    await eventually(() => focused(page)).toBe("Export its data");
    await step(page, "ArrowDown");
    await eventually(() => focused(page)).toBe("Delete…");
    await page.keyboard.press("Enter");
    await dialog(page, /^Delete ada@/).waitFor();
    await page.keyboard.press("Escape");
    await gone(page, /^Delete ada@/);
    await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "More");
    await step(page, "g", "m");
    await go(page, ["g", "p"], "Members");
    await tabTo(page, "Invite somebody");
    await page.keyboard.press("Enter");
    await dialog(page, "Invite somebody").waitFor();
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => document.activeElement?.textContent === "Invite somebody");
  });

  test("whatever has the focus shows it", async () => {
    const page = await opened("/contacts");
    await page.getByText("finn@people.example").waitFor();
    const stops: string[] = [];
    const unseen: string[] = [];
    for (let n = 0; n < 60; n++) {
      await page.keyboard.press("Tab");
      // Behind the last one there is the browser itself.
      if (await page.evaluate(() => document.activeElement === document.body)) break;
      stops.push(await focused(page));
      if (!(await looksFocused(page))) unseen.push(stops.at(-1)!);
    }
    expect(unseen).toEqual([]);
    // The way past the navigation, the navigation, the search, the actions, the filters, and the list.
    expect(stops).toContain("Skip to the page");
    expect(stops).toContain("Search by address");
    expect(stops).toContain("New contact");
    expect(stops).toContain("Columns");
  });
});

/** Whether what has the focus, or what stands for it, looks otherwise without it. */
const looksFocused = (page: OpenPage) =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLElement;
    const near = [element, ...(element.parentElement?.children ?? []), element.parentElement!];
    const look = () =>
      near
        .map((one) => {
          const {
            outlineStyle,
            outlineWidth,
            outlineColor,
            boxShadow,
            borderColor,
            backgroundColor,
            clipPath,
          } = getComputedStyle(one);
          const outline = outlineStyle === "none" ? "" : outlineWidth + outlineColor;
          return [outline, boxShadow, borderColor, backgroundColor, clipPath].join();
        })
        .join("\n");
    const before = look();
    element.blur();
    const after = look();
    element.focus({ preventScroll: true });
    return before !== after;
  });
