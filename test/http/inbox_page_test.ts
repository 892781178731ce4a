// The page of the inbox in a browser: it searches, filters, marks and deletes, for the operator and for members.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { BrowserContext, Page } from "playwright-core";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { createProject } from "../../src/accounts/projects/mod.ts";
import { join, type Person, signUp } from "../support/accounts.ts";
import { axeFaults } from "../support/axe.ts";
import { ARTEFACTS, CHROMIUM, closeContexts, noChromium, openBrowser } from "../support/chromium.ts";
import { type TestService, useService } from "../support/service.ts";

const development = useService({ SMTP_URL: "" });
const production = useService({ SMTP_URL: "", NODE_ENV: "production" });

/** A mail as the dispatcher hands it over. */
async function capture(
  service: TestService,
  project: NewProject | null,
  subject: string,
  to = "ada@example.com",
) {
  const source = `From: Acme <hello@acme.test>\r\nTo: ${to}\r\nDate: Tue, 24 Nov 2026 10:00:00 +0000\r\nSubject: ${subject}\r\nContent-Type: text/html\r\n\r\n<h1>${subject}</h1>\r\n`;
  const handover = await service.mailer.send({
    ...(project && { origin: { projectId: project.id, emailId: Bun.randomUUIDv7() } }),
    messageId: "1@acme.test",
    envelope: { from: "hello@acme.test", to },
    subject,
    source: Buffer.from(source),
  });
  expect(handover.state).toBe("captured");
  // Before Postgres 18 ids are in order by the millisecond only.
  await Bun.sleep(2);
}

describe.skipIf(!CHROMIUM)(`the page of the inbox${noChromium}`, () => {
  let servers: { development: Bun.Server<undefined>; production: Bun.Server<undefined> };
  let shop: NewProject;
  let blog: NewProject;
  let member: Person;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[] = [];

  beforeAll(async () => {
    const serve = ({ app }: TestService) =>
      Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => app.fetch(request) });
    servers = { development: serve(development), production: serve(production) };
    context = await (await openBrowser()).newContext();
    page = await context.newPage();
    page.on("console", (line) => {
      if (line.type() === "error") complaints.push(line.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    [shop, blog] = [await createProject(development, "Shop"), await createProject(development, "Blog")];
  });

  beforeEach(async () => {
    for (const { pool } of [development, production]) await pool`delete from captured_mails`;
  });

  afterEach(async () => {
    await page.goto("about:blank");
    expect(complaints).toEqual([]);
  });

  afterAll(async () => {
    await closeContexts();
    for (const server of Object.values(servers ?? {})) await server.stop(true);
  });

  interface Look {
    at?: "development" | "production";
    as?: Person;
    query?: string;
    width?: number;
  }

  /** Opens the inbox as if for the first time; whatever the browser complains about fails the test. */
  async function look({ at = "development", as, query = "", width = 1280 }: Look = {}) {
    // The inbox keeps nothing in the browser. From nowhere, so that an address with another hash is loaded, too.
    await page.goto("about:blank");
    await context.clearCookies();
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme: "light" });
    complaints = [];
    const url = servers[at].url.href;
    if (as) {
      const [name, value] = as.cookie.split("=") as [string, string];
      await context.addCookies([{ name, value, url }]);
    }
    await page.goto(`${url}inbox${query}`);
  }

  const subjects = async () =>
    (await page.locator("#list .subject").allTextContents()).map((text) => text.replace("Unread: ", ""));
  const unread = async () => await page.locator("#list .unopened .to").allTextContents();
  /** Waits until the list has exactly these mails. */
  const listed = async (...wanted: string[]) => {
    await page.waitForFunction(
      (text) =>
        [...document.querySelectorAll("#list .subject")].map((s) => s.lastChild!.textContent).join("|") ===
        text,
      wanted.join("|"),
    );
    expect(await subjects()).toEqual(wanted);
  };
  const heading = async (name: string) => await page.getByRole("heading", { name, level: 2 }).waitFor();
  const stored = async (service: TestService) =>
    (await service.pool`select subject from captured_mails order by id desc`).map((row) => row.subject);

  test("searches as you type, and the address keeps it: reload and Escape do what they should", async () => {
    for (const subject of ["Receipt 1", "Welcome", "Receipt 2"]) await capture(development, shop, subject);
    await look();
    await listed("Receipt 2", "Welcome", "Receipt 1");

    await page.keyboard.press("/");
    await page.keyboard.type("receipt");
    await listed("Receipt 2", "Receipt 1");
    await page.waitForURL(/search=receipt\b/);
    await page.reload();
    await listed("Receipt 2", "Receipt 1");
    await page.locator("#search").fill("nobody has this");
    await page.getByText("No mail matches.").waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    await listed("Receipt 2", "Welcome", "Receipt 1");
    await page.locator("#search").fill("welcome");
    await listed("Welcome");
    await page.locator("#search").press("Escape");

    await listed("Receipt 2", "Welcome", "Receipt 1");
    await page.waitForURL((url) => !url.href.includes("search"));
  });

  test("what is opened is read, `u` marks it unread, and all are marked with one button", async () => {
    for (const to of ["c@x.test", "b@x.test", "a@x.test"]) await capture(development, shop, `To ${to}`, to);
    await look();
    await heading("To a@x.test");
    await page.waitForFunction(() => document.title.startsWith("(2)"));
    expect(await unread()).toEqual(["b@x.test", "c@x.test"]);

    await page.keyboard.press("u");
    await page.waitForFunction(() => document.title.startsWith("(3)"));
    await page.getByRole("button", { name: "Unread" }).first().click();
    await page.keyboard.press("j");
    await heading("To b@x.test");
    await page.waitForFunction(() => document.title.startsWith("(2)"));
    // It stays while it is open.
    await listed("To a@x.test", "To b@x.test", "To c@x.test");
    await page.keyboard.press("j");
    await heading("To c@x.test");
    await listed("To a@x.test", "To c@x.test");
    await page.getByRole("button", { name: "Unread", exact: false }).first().click();
    await page.getByRole("button", { name: "Mark all read" }).click();
    await page.waitForFunction(() => document.title === "Inbox · Postrider");

    const left = await development.pool`select count(*)::int as n from captured_mails where read_at is null`;
    expect(left[0]!.n).toBe(0);
  });

  test("one mail is deleted by its button or `#`, and the next one opens", async () => {
    for (const subject of ["Third", "Second", "First"]) await capture(development, shop, subject);
    await look();
    await heading("First");

    await page.keyboard.press("j");
    await heading("Second");
    await page.keyboard.press("#");
    await heading("Third");
    await listed("First", "Third");
    await page.getByRole("button", { name: "Delete" }).click();
    await heading("First");

    expect(await stored(development)).toEqual(["First"]);
    await page.keyboard.press("Delete");
    await page.getByText("No mail yet").waitFor();
  });

  test("shows only one recipient's mails, and everybody's again", async () => {
    await capture(development, shop, "For Grace", "grace@example.com");
    await capture(development, shop, "For Ada");
    await look();
    await heading("For Ada");

    await page.getByRole("button", { name: "Only to this recipient" }).click();
    await listed("For Ada");
    expect(await page.getByRole("button", { name: "Clear" }).isVisible()).toBe(false);
    await page.getByRole("button", { name: /ada@example\.com/ }).click();

    await listed("For Ada", "For Grace");
  });

  test("the operator chooses among projects, also where another session's cookie is sent along", async () => {
    await capture(development, shop, "Of the shop");
    await capture(development, blog, "Of the blog");
    await capture(development, null, "Reset your password");
    await look({ as: await signUp(development) });
    await listed("Reset your password", "Of the blog", "Of the shop");

    await page.getByRole("combobox", { name: "Project" }).selectOption({ label: "Shop" });
    await listed("Of the shop");
    await page.locator("#list a").first().click();
    await heading("Of the shop");
    await page.frameLocator("#mail iframe").getByRole("heading", { name: "Of the shop" }).waitFor();
    await page.getByRole("combobox", { name: "Project" }).selectOption({ label: "All projects" });

    await listed("Reset your password", "Of the blog", "Of the shop");
  });

  test("in production a member sees the mails of the own projects, and clears those of one", async () => {
    const [own, second, theirs] = [
      await createProject(production, "Own"),
      await createProject(production, "Second"),
      await createProject(production, "Theirs"),
    ];
    member = await signUp(production);
    for (const { id } of [own, second]) await join(production, member, id, "MEMBER");
    await production.runJobs();
    await production.pool`delete from captured_mails`;
    await capture(production, own, "Own mail");
    await capture(production, second, "Second mail");
    await capture(production, theirs, "Their mail");

    await look({ at: "production", as: member, query: `?projectId=${own.id}` });
    await listed("Own mail");
    await page.frameLocator("#mail iframe").getByRole("heading", { name: "Own mail" }).waitFor();
    await page.getByRole("combobox", { name: "Project" }).selectOption({ label: "Second" });
    await listed("Second mail");
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByText("The mails themselves stay").waitFor();
    await page.getByRole("button", { name: "Clear the list?" }).click();
    await page.getByText("Nothing here yet.").waitFor();

    expect(await stored(production)).toEqual(["Their mail", "Own mail"]);
  });

  test("it passes axe in light and dark, wide and on a phone of 390 pixels, and nothing runs over", async () => {
    const subject =
      "An uncommonly long subject that goes on and on, as those of newsletters do when nobody stops them";
    await capture(development, blog, subject, "somebody.with.a.very.long.address@a-subdomain.example.com");
    for (const name of ["Welcome to Acme, Ada", "Your receipt"]) await capture(development, shop, name);
    const to = "somebody.with.a.very.long.address@a-subdomain.example.com";
    for (const width of [1280, 390]) {
      const states = width === 1280 ? [`?to=${to}`] : ["?search=nothing+has+this", "#open"];
      for (const query of states) {
        await look({ width, query: query === "#open" ? "" : query });
        await page
          .locator(query.includes("nothing") ? "#none" : "#list a")
          .first()
          .waitFor();
        if (query === "#open") await page.locator("#list a").first().click();
        if (query === "#open" || (width === 1280 && !query.includes("nothing")))
          await page.frameLocator("#mail iframe").getByRole("heading").first().waitFor();
        for (const [colorScheme, rules] of [
          ["light", {}],
          ["dark", { onlyColours: true }],
        ] as const) {
          await page.emulateMedia({ colorScheme });
          const name = `${width}_${colorScheme}${query.replace(/\W.*/, "").trim() || (query ? `_${query.slice(1, 5)}` : "")}`;
          await page.screenshot({ path: `${ARTEFACTS}inbox_page_${name}.png` });
          expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
          // The frame holds whatever was sent.
          expect([name, await axeFaults(page, { exclude: ["iframe"], ...rules })]).toEqual([name, []]);
        }
      }
    }
  });
});
