// The list of templates, new ones, copies, and the end of one.
import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { DOMAIN } from "../support/service.ts";
import { workflowsOf } from "../support/workflows.ts";
import { eventually } from "./eventually.ts";
import { describeInBrowser, expectSound, keepPicture, tour, useConsole } from "./support.ts";

const stage = useConsole();
const ids: Record<string, string> = {};
const flows = workflowsOf(stage.service, () => stage.project);

const api = async (method: string, path: string, body?: unknown) =>
  (await stage.service.request(method, path, { key: stage.project.secret, body })).body;
const stored = async (name: string) =>
  (await api("GET", `/templates?search=${encodeURIComponent(name)}`)).data.find(
    (template: { name: string }) => template.name === name,
  );

const card = (page: Page, name: string) => page.getByRole("listitem").filter({ hasText: name });
const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true });

beforeAll(async () => {
  const colours = ["#a8402a", "#2f6f7d", "#2f7d4f", "#6a4a86"];
  const names = ["Order shipped", "Cart reminder", "Password reset", "Invoice", "Spring sale", "Win back"];
  for (let n = 0; n < 26; n++) {
    const name = n < names.length ? names[n]! : `${names[n % names.length]} ${n}`;
    const { id } = await api("POST", "/templates", {
      name,
      subject: `${name} for {{firstName ?? you}}`,
      body: `<div style="background:${colours[n % 4]};padding:48px;color:#fff;font:30px Georgia">${name}</div><p style="padding:24px;font:16px/26px Arial">Hello {{firstName ?? there}}, this is what we wanted to tell you today, and a little more.</p>`,
      from: `hello@${DOMAIN}`,
      fromName: "Morrow & Pine",
      type: n % 4 === 0 ? "TRANSACTIONAL" : "MARKETING",
    });
    ids[name] = id;
  }
}, 60_000);

tour(stage, "templates", {
  path: "/templates",
  ready: (page) => page.getByTitle(/^Picture of/),
  states: {
    none: async (page) => {
      await page.getByRole("searchbox", { name: "Search templates" }).fill("nothing like it");
      await page.getByRole("heading", { name: "No template matches" }).waitFor();
    },
  },
});
tour(stage, "new-template", {
  path: "/templates/new",
  ready: (page) => page.getByRole("button", { name: /^Newsletter/ }),
  states: {
    form: async (page) => {
      await page.getByRole("button", { name: /^Newsletter/ }).click();
      await page.getByRole("dialog").getByLabel("Name").waitFor();
    },
  },
});

describeInBrowser("the list of templates", () => {
  test("is searched, told apart by kind, and ordered; the address says how", async () => {
    const page = await stage.open("/templates");
    await link(page, "Invoice").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("spring sale");
    await link(page, "Invoice").waitFor({ state: "detached" });
    await eventually(() => page.getByRole("link", { name: /^Spring sale/ }).count()).toBe(4);
    await page.getByRole("combobox", { name: "Kind" }).click();
    await page.getByRole("option", { name: "Transactional" }).click();
    await page.waitForURL(/search=spring\+sale&type=TRANSACTIONAL/);
    await page.getByText("Transactional · ").first().waitFor();
    await page.getByText("Marketing · ").first().waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await page.getByRole("searchbox", { name: "Search templates" }).fill("");
    // The address follows when the typing pauses.
    await page.waitForURL(/\?type=TRANSACTIONAL$/);
    await page.getByRole("combobox", { name: "Order" }).click();
    await page.getByRole("option", { name: "Name" }).click();
    await page.waitForURL(/order=name/);
    await page.goBack();
    await page.waitForURL(/\?type=TRANSACTIONAL$/);
    await page.context().close();
  });

  test("is walked and opened by keyboard alone", async () => {
    const page = await stage.open("/templates?order=name");
    const first = page.locator("[data-list] a").first();
    await first.waitFor();
    await page.keyboard.press("j");
    expect(await first.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    const name = await page.evaluate(() => document.activeElement!.textContent!);
    expect(name).toBe((await page.locator("[data-list] a").nth(1).textContent())!);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
    await page.context().close();
  });

  test("draws no more mails than can be seen, however many there are", async () => {
    await stage.service.pool`
      insert into templates (project_id, name, subject, body, html, from_email, type)
      select ${stage.project.id}, 'Many ' || n, 'Subject', '<p>Many</p>', '<p>Many</p>', ${`hello@${DOMAIN}`}, 'MARKETING'
      from generate_series(1, 100) as n`;
    const page = await stage.open("/templates?search=many");
    await page
      .getByTitle(/^Picture of Many/)
      .first()
      .waitFor();
    for (let more = 0; more < 2; more++) {
      await page.getByRole("button", { name: "Show more" }).click();
      await page
        .locator("[data-list] > li")
        .nth(48 * (more + 1))
        .waitFor();
    }
    await eventually(() => page.locator("[data-list] > li").count()).toBe(100);
    await page.locator("[data-list] > li").last().scrollIntoViewIfNeeded();
    await page
      .getByTitle(/^Picture of Many/)
      .first()
      .waitFor();
    await eventually(() => page.locator("iframe").count()).toBeLessThan(40);
    await stage.service.pool`delete from templates where name like 'Many %'`;
    await page.context().close();
  });
});

describeInBrowser("a template", () => {
  test("begins as a newsletter, in two clicks, with the sender that is used already", async () => {
    const page = await stage.open("/templates");
    await page.getByRole("link", { name: "New template" }).click();
    await page.getByRole("button", { name: /^Newsletter/ }).click();
    const dialog = page.getByRole("dialog");
    await eventually(() => dialog.getByLabel("Sender").inputValue()).toBe(`hello@${DOMAIN}`);
    await dialog.getByLabel("Name").fill("News in May");
    await dialog.getByRole("button", { name: "Create template" }).click();
    await page.getByRole("heading", { level: 1, name: "News in May" }).waitFor();
    const made = await stored("News in May");
    expect([made.type, made.fromName, made.subject]).toEqual([
      "MARKETING",
      "Morrow & Pine",
      "What is new this month",
    ]);
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "New template" }).waitFor();
    await page.context().close();
  });

  test("whose sender has no verified domain is refused at that field, and nothing typed is lost", async () => {
    const page = await stage.open("/templates/new?start=letter");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("From elsewhere");
    await dialog.getByLabel("Sender").fill("hello@elsewhere.example");
    await dialog.getByRole("button", { name: "Create template" }).click();
    await dialog.getByRole("alert").waitFor();
    await eventually(() => dialog.getByRole("alert").textContent()).toMatch(/verified/i);
    await eventually(() => dialog.getByLabel("Name").inputValue()).toBe("From elsewhere");
    await keepPicture(page, "new-template--refused");
    expect(await stored("From elsewhere")).toBe(undefined);
    await page.context().close();
  });

  test("is sent to oneself as a test, as it is saved", async () => {
    const page = await stage.open(`/templates/${ids.Invoice}`);
    await page.getByLabel("Subject").fill("Not saved");
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Send a test…" }).click();
    const dialog = page.getByRole("dialog", { name: "Send a test" });
    await dialog
      .getByText(/^The test is made from the saved version, without your unsaved changes\./)
      .waitFor();
    await eventually(() => dialog.getByLabel("Address").inputValue()).toBe(stage.owner.email);
    await keepPicture(page, "template--test");
    await expectSound(page);
    await dialog.getByRole("button", { name: "Send" }).click();
    await page.getByText(`A test is on its way to ${stage.owner.email}`).waitFor();
    await dialog.waitFor({ state: "detached" });
    const [mail] = (await api("GET", "/emails")).data;

    expect(mail).toMatchObject({ to: stage.owner.email, subject: "[TEST] Invoice for {{firstName ?? you}}" });
    await eventually(() => page.getByLabel("Subject").inputValue()).toBe("Not saved");
    await page.getByRole("button", { name: "Discard" }).click();
    await page.context().close();
  });

  test("is copied, and the copy is opened", async () => {
    const page = await stage.open("/templates");
    await card(page, "Cart reminder for").getByText("Not used yet").waitFor();
    await card(page, "Cart reminder for")
      .getByRole("button", { name: "More for Cart reminder", exact: true })
      .click();
    await page.getByRole("menuitem", { name: "Duplicate" }).click();
    await page.getByRole("heading", { level: 1, name: "Cart reminder (Copy)" }).waitFor();
    expect((await stored("Cart reminder (Copy)")).subject).toBe("Cart reminder for {{firstName ?? you}}");
    await page.context().close();
  });

  test("that is in use says where, and is deleted when nothing uses it", async () => {
    const used = await flows.template({ name: "Greeting" });
    const workflow = await flows.build({
      steps: { "Say hello": { type: "SEND_EMAIL", template: used } },
      ways: ["Trigger > Say hello"],
    });
    const page = await stage.open("/templates?search=greeting");
    await card(page, "Greeting").getByText("1 workflow", { exact: true }).waitFor();
    const remove = async () => {
      await page.getByRole("button", { name: "More for Greeting" }).click();
      await page.getByRole("menuitem", { name: "Delete" }).click();
    };
    await remove();
    const held = page.getByRole("dialog", { name: "Greeting is in use" });
    await held.getByText("The step Say hello of the workflow Welcome").waitFor();
    await keepPicture(page, "templates--in-use");
    await expectSound(page);
    await held.locator("footer, form").getByRole("button", { name: "Close" }).click();
    await held.waitFor({ state: "detached" });
    await flows.call("DELETE", `/workflows/${workflow.id}`);
    await remove();
    const dialog = page.getByRole("dialog", { name: "Delete Greeting?" });
    await dialog.getByText("Nothing uses it.").waitFor();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByText("Greeting was deleted").waitFor();
    await page.getByRole("heading", { name: "No template matches" }).waitFor();
    expect(await stored("Greeting")).toBe(undefined);
    await page.context().close();
  });
});
