// What is being written is not lost: not by a link, not by a key, not by the back button, not by closing the window, and not
// by the end of the session.
import { afterEach, beforeAll, expect, test } from "bun:test";
import { PASSWORD } from "../support/accounts.ts";
import { eventually } from "./eventually.ts";
import { expectSound, describeInBrowser, keepPicture, type OpenPage, useConsole } from "./support.ts";

const stage = useConsole();
const open: OpenPage[] = [];
let segmentId: string;
let contactId: string;

const api = async (method: string, path: string, body?: unknown) =>
  (await stage.service.request(method, path, { key: stage.project.secret, body })).body;
const opened = async (...given: Parameters<typeof stage.open>) => {
  const page = await stage.open(...given);
  open.push(page);
  return page;
};
const pathOf = (page: OpenPage) =>
  new URL(page.url()).pathname.slice(`/app/p/${stage.project.id}`.length) || "/";
const heading = (page: OpenPage, name: string) =>
  page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
const question = (page: OpenPage) => page.getByRole("dialog", { name: "Discard your changes?" });
const answer = async (page: OpenPage, word: "Keep writing" | "Discard") => {
  await question(page).getByRole("button", { name: word }).click();
  await question(page).waitFor({ state: "detached" });
};

beforeAll(async () => {
  ({ id: segmentId } = await api("POST", "/segments", { name: "VIPs", type: "STATIC" }));
  ({ id: contactId } = await api("POST", "/contacts", {
    email: "ada@people.example",
    data: { city: "Oslo", orders: 3 },
  }));
});

afterEach(async () => {
  for (const page of open.splice(0)) await page.context().close();
});

describeInBrowser("a page with a form", () => {
  test("a link, a key, and another project ask first; what was written stays, and the focus is back in it", async () => {
    const page = await opened("/segments");
    await page.getByRole("link", { name: "New segment" }).click();
    const name = page.getByLabel("Name");
    await name.fill("Half a na");
    await page.getByRole("link", { name: "Domains" }).click();
    await question(page).waitFor();
    await keepPicture(page, "discard-light-1280");
    await expectSound(page);
    await answer(page, "Keep writing");
    expect(pathOf(page)).toBe("/segments/new");
    await name.focus();
    await page.keyboard.press("Control+k");
    await page.getByRole("textbox", { name: "Search" }).fill("images");
    await page.getByRole("button", { name: /Images/ }).waitFor();
    await page.keyboard.press("Enter");
    await answer(page, "Keep writing");
    await eventually(() => name.inputValue()).toBe("Half a na");
    expect(await name.evaluate((field) => field === document.activeElement)).toBe(true);
    await page.getByRole("button", { name: "Account" }).click();
    await page.getByRole("menuitem", { name: "Log out" }).click();
    await page.keyboard.press("Escape");
    await question(page).waitFor({ state: "detached" });
    await eventually(() => name.inputValue()).toBe("Half a na");
    await page.getByRole("link", { name: "Cancel" }).click();
    await answer(page, "Discard");
    await heading(page, "Segments");
  });

  test("the back button asks, also twice in a row, and leads where it would have led", async () => {
    const page = await opened("/members");
    await heading(page, "Members");
    await page.getByRole("link", { name: "Segments" }).click();
    await page.getByRole("link", { name: "New segment" }).click();
    const name = page.getByLabel("Name");
    await name.fill("Half a name");
    await page.evaluate(() => history.back());
    await answer(page, "Keep writing");
    expect(pathOf(page)).toBe("/segments/new");
    await eventually(() => name.inputValue()).toBe("Half a name");
    await page.evaluate(() => (history.back(), history.back()));
    await answer(page, "Keep writing");
    await page.waitForFunction(() => location.pathname.endsWith("/segments/new"));
    await eventually(() => name.inputValue()).toBe("Half a name");
    await page.evaluate(() => history.go(-2));
    await answer(page, "Discard");
    await heading(page, "Members");
    await page.evaluate(() => history.go(1));
    await heading(page, "Segments");
    await page.evaluate(() => history.go(1));
    await heading(page, "New segment");
    await eventually(() => name.inputValue()).toBe("");
  });

  test("the browser asks before the window is closed or loaded again, and not when nothing was written", async () => {
    const page = await opened("/settings");
    const asked: string[] = [];
    page.on("dialog", (dialog) => {
      asked.push(dialog.type());
      void dialog.accept();
    });
    const address = page.getByLabel("Postal address");
    await address.click();
    await page.reload();
    expect(asked).toEqual([]);
    await address.fill("1 High Street");
    await page.reload();
    expect(asked).toEqual(["beforeunload"]);
    await address.fill("2 High Street");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Settings saved").waitFor();
    await page.reload();
    expect(asked).toEqual(["beforeunload"]);
    await page.getByRole("link", { name: "Members" }).click();
    await heading(page, "Members");
  });

  test("what is chosen for the columns of a file asks as well, and another file is another choice", async () => {
    const page = await opened("/imports");
    await page.locator("input[type=file]").setInputFiles({
      name: "list.csv",
      mimeType: "text/csv",
      buffer: Buffer.from("email,note\nnew@people.example,called\n"),
    });
    await page.getByRole("link", { name: "Contacts" }).first().click();
    await heading(page, "Contacts");
    await page.goBack();
    await page.locator("input[type=file]").setInputFiles({
      name: "list.csv",
      mimeType: "text/csv",
      buffer: Buffer.from("email,note\nnew@people.example,called\n"),
    });
    await page.getByLabel("Name of the new field for note").fill("remark");
    await page.getByRole("button", { name: "Another file" }).click();
    await answer(page, "Keep writing");
    await page.getByRole("link", { name: "Contacts" }).first().click();
    await answer(page, "Keep writing");
    await eventually(() => page.getByLabel("Name of the new field for note").inputValue()).toBe("remark");
    await page.getByRole("button", { name: "Another file" }).click();
    await answer(page, "Discard");
    await page.getByRole("button", { name: "Choose a file" }).waitFor();
  });

  test("a value of a contact is saved by leaving it; one that cannot be saved asks", async () => {
    const page = await opened(`/contacts/${contactId}`);
    await page.getByRole("button", { name: "Edit City" }).click();
    await page.getByRole("textbox", { name: "City" }).fill("Bergen");
    await page.getByRole("link", { name: "Segments" }).first().click();
    await heading(page, "Segments");
    await page.goBack();
    await page.getByRole("button", { name: "Edit City" }).filter({ hasText: "Bergen" }).waitFor();
    await page.getByRole("button", { name: "Edit Orders" }).click();
    await page.getByRole("textbox", { name: "Orders" }).fill("a few");
    await page.getByRole("link", { name: "Segments" }).first().click();
    await answer(page, "Keep writing");
    await eventually(() => page.getByRole("textbox", { name: "Orders" }).inputValue()).toBe("a few");
    await page.getByRole("link", { name: "Segments" }).first().click();
    await answer(page, "Discard");
    await heading(page, "Segments");
  });
});

describeInBrowser("a dialog with a form", () => {
  test("Escape, its cross, and the back button ask first where something was written, and close it where nothing was", async () => {
    const page = await opened("/contacts");
    const dialog = page.getByRole("dialog", { name: "New contact" });
    const begin = async () => {
      await page.getByRole("button", { name: "New contact" }).click();
      await dialog.waitFor();
    };
    await begin();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await begin();
    const email = dialog.getByLabel("Address");
    await email.fill("half@");
    await page.keyboard.press("Escape");
    await question(page).waitFor();
    await page.keyboard.press("Escape");
    await question(page).waitFor({ state: "detached" });
    await eventually(() => email.inputValue()).toBe("half@");
    await dialog.getByRole("button", { name: "Close" }).click();
    await answer(page, "Keep writing");
    await page.evaluate(() => history.back());
    await answer(page, "Keep writing");
    await eventually(() => email.inputValue()).toBe("half@");
    await eventually(async () => new URL(page.url()).searchParams.get("new")).toBe("1");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await answer(page, "Discard");
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Members" }).click();
    await heading(page, "Members");
  });

  test("what was pasted stays when it is closed, and asks when the page is left", async () => {
    const page = await opened(`/segments/${segmentId}`);
    await page.getByRole("button", { name: "Add contacts" }).click();
    const field = page.getByRole("textbox", { name: "Addresses" });
    await field.fill("ada@people.example");
    await page.keyboard.press("Escape");
    await field.waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Members" }).click();
    await answer(page, "Keep writing");
    await page.getByRole("button", { name: "Add contacts" }).click();
    await eventually(() => field.inputValue()).toBe("ada@people.example");
    await page.getByRole("button", { name: "Add 1 address" }).click();
    await page.getByText("1 contact added to VIPs").waitFor();
    await page.getByRole("link", { name: "Members" }).click();
    await heading(page, "Members");
  });
});

describeInBrowser("a session that ends", () => {
  test("leaves what is being written where it is, and it is saved after the log-in in another window", async () => {
    const person = await stage.member("ADMIN");
    const page = await opened("/segments/new", { as: person });
    await page.getByLabel("Name").fill("Kept");
    await page.getByText("A list that you manage").click();
    await person.request("GET", "/auth/logout");
    await page.getByRole("button", { name: "Create segment" }).click();
    await page.getByText("what you have written is still here").waitFor();
    await keepPicture(page, "logged-out-light-1280");
    await eventually(() => page.getByLabel("Name").inputValue()).toBe("Kept");
    const [other] = await Promise.all([
      page.context().waitForEvent("page"),
      page.getByRole("link", { name: "Log in in another window" }).click(),
    ]);
    await other.getByLabel("Address").fill(person.email);
    await other.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await other.keyboard.press("Enter");
    await other.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await page.evaluate(() => window.dispatchEvent(new Event("focus")));
    await page.getByText("what you have written is still here").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Create segment" }).click();
    await heading(page, "Kept");
  });

  test("leads to the log-in where nothing was written", async () => {
    const person = await stage.member("MEMBER");
    const page = await opened("/segments/new", { as: person });
    await page.getByLabel("Name").waitFor();
    await person.request("GET", "/auth/logout");
    await page.getByRole("link", { name: "Images" }).click();
    await page.getByRole("heading", { level: 1, name: "Log in" }).waitFor();
  });
});
