// What a page shows is right whatever happens around it: another project, a role that may less, a window that is loaded again
// in the middle of work, and a connection that is lost.
import { afterEach, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { addDomain } from "../../src/sending/domains/mod.ts";
import { SERVICE } from "../../src/accounts/audit.ts";
import { createKey } from "../../src/accounts/projects/named_keys.ts";
import { join, type Person, signUp } from "../support/accounts.ts";
import { eventually } from "./eventually.ts";
import { describeInBrowser, type OpenPage, settled, tour, useConsole } from "./support.ts";

const stage = useConsole();
const open: OpenPage[] = [];
let other: Awaited<ReturnType<typeof stage.service.createProject>>;
let both: Person;
const segmentIds: Record<string, string> = {};

const api = async (method: string, path: string, body?: unknown, key = stage.project.secret) =>
  (await stage.service.request(method, path, { key, body })).body;
const opened = async (...given: Parameters<typeof stage.open>) => {
  const page = await stage.open(...given);
  open.push(page);
  return page;
};
const heading = (page: Page, name: string | RegExp) =>
  page.getByRole("heading", { level: 1, name }).waitFor();
const go = (page: Page, label: string) =>
  page.getByRole("link", { name: label, exact: true }).first().click();

/** Everything in a project is called after it. */
async function fill({ id, secret }: typeof other, word: string): Promise<void> {
  const { service } = stage;
  await service.pool`update projects set name = ${`The ${word} shop`} where id = ${id}`;
  for (const n of [1, 2, 3]) await api("POST", "/contacts", { email: `${word}.${n}@people.example` }, secret);
  segmentIds[word] = (await api("POST", "/segments", { name: `All of ${word}`, type: "STATIC" }, secret)).id;
  await api("POST", "/suppressions", { emails: [`no-${word}@people.example`] }, secret);
  await addDomain(service, id, `${word}.example`, SERVICE);
  await createKey(service, id, { name: `Key of ${word}`, scopes: ["send"] }, SERVICE);
}

beforeAll(async () => {
  const { service, project } = stage;
  other = await service.createProject();
  both = await signUp(service, "both@people.example");
  await join(service, both, project.id, "OWNER");
  await join(service, both, other.id, "OWNER");
  await fill(project as typeof other, "alpha");
  await fill(other, "omega");
});

afterEach(async () => {
  for (const page of open.splice(0)) await page.context().close();
});

tour(stage, "imports", {
  path: "/imports",
  ready: (page) => page.getByText("None yet. Each stays here for 30 days"),
  states: {
    columns: async (page) => {
      const buffer = Buffer.from(
        [
          "E-Mail;First name;Customer since;Subscribed;Remarks",
          "alpha.1@people.example;Ada;2024-02-01;yes;called twice, wants the new catalogue",
          "nora@people.example;Nora;2025-06-30;yes;",
          "nobody;Nobody;;no;",
        ].join("\n"),
      );
      await page.locator("input[type=file]").setInputFiles({
        name: "customers of spring.csv",
        mimeType: "text/csv",
        buffer,
      });
      await page.getByRole("button", { name: "See what will happen" }).waitFor();
    },
    trial: async (page) => {
      await page.getByRole("button", { name: "See what will happen" }).click();
      await page.getByText("Reading the file").waitFor();
      await stage.service.runJobs();
      await page.getByText("Nothing has changed yet").waitFor();
    },
    running: async (page) => {
      await page.getByRole("button", { name: "Import now" }).click();
      await heading(page, "customers of spring.csv");
      await page.getByText("Importing…").waitFor();
    },
    report: async (page) => {
      await stage.service.runJobs();
      await page.getByRole("button", { name: "Undo" }).waitFor();
    },
    undone: async (page) => {
      await page.getByRole("button", { name: "Undo" }).click();
      await page.getByRole("button", { name: "Undo the import" }).click();
      await page.getByText("Undoing the import").first().waitFor();
      await stage.service.runJobs();
      await page.getByText("This import was undone").waitFor();
      await stage.service.pool`delete from contact_imports`;
    },
  },
});

describeInBrowser("projects", () => {
  const PAGES = [
    ["Contacts", "alpha.1@people.example", "omega.1@people.example"],
    ["Segments", "All of alpha", "All of omega"],
    ["Suppressions", "no-alpha@people.example", "no-omega@people.example"],
    ["Domains", "alpha.example", "omega.example"],
    ["Keys", "Key of alpha", "Key of omega"],
    ["Settings", "Of the project The alpha shop.", "Of the project The omega shop."],
  ] as const;

  test("a page never shows anything of another one, in whatever order they are looked at, and however late its answers come", async () => {
    const page = await opened("/", { as: both });
    await heading(page, "Overview");
    await watch(page, { [stage.project.id]: "omega", [other.id]: "alpha" });
    // Each answer for the first comes when the second is looked at.
    await page.route("**/*", async (route) => {
      const isLate = route.request().headers()["x-project-id"] === stage.project.id;
      if (isLate) await page.waitForTimeout(150);
      await route.continue().catch(() => {});
    });
    const switchTo = async (name: string) => {
      await page.getByRole("button", { name: /^Project:/ }).click();
      await page.getByRole("menuitem", { name }).click();
      await heading(page, "Overview");
    };
    for (const [label, mine, theirs] of PAGES) {
      await go(page, label);
      // Not waited for: it is still on its way.
      await switchTo("The omega shop");
      await go(page, label);
      await page.getByText(theirs, { exact: true }).first().waitFor();
      await page.goBack();
      await page.goBack();
      await page.getByText(mine, { exact: true }).first().waitFor();
      await page.goForward();
      await page.goForward();
      await page.getByText(theirs, { exact: true }).first().waitFor();
      await switchTo("The alpha shop");
    }
    expect(await page.evaluate(() => (globalThis as unknown as { leaks: string[] }).leaks)).toEqual([]);
  });

  test("a link to something of another one says that it is not there", async () => {
    const page = await opened(`/segments/${segmentIds.omega}`, { as: both });
    await page.getByRole("alert").waitFor();
    await eventually(() => page.locator("main").textContent()).not.toContain("omega");
  });

  test("somebody who may less sees what they may not, and why", async () => {
    const page = await opened("/keys", { as: await stage.member("MEMBER") });
    await heading(page, "Keys");
    await page.getByText("Key of alpha").waitFor();
    const blocked = async (...names: string[]) => {
      await settled(page);
      for (const name of names) {
        const button = page.getByRole("button", { name, exact: true }).first();
        await button.waitFor();
        await eventually(() => button.isDisabled()).toBe(true);
        const reason = await button.locator("xpath=ancestor::*[@role='note']").getAttribute("aria-label");
        expect(reason).toMatch(/^Only owners( and admins)? of the project can do this$/);
      }
    };
    await blocked(
      "Create a key",
      "Change Key of alpha",
      "Revoke Key of alpha",
      "Regenerate both",
      "Create a secret",
    );
    await page.getByLabel("Only owners and admins of the project can do this").first().focus();
    await page.getByRole("tooltip").getByText("Only owners and admins of the project can do this").waitFor();
    await go(page, "Domains");
    await blocked("Add a domain");
    await page.getByRole("link", { name: /alpha\.example/ }).click();
    await blocked("Remove");
    await go(page, "Members");
    await blocked("Invite somebody");
    await go(page, "Settings");
    await page.getByText("you can see the settings, and not change them").waitFor();
    await eventually(() => page.getByLabel("Name", { exact: true }).isDisabled()).toBe(true);
    await blocked("Reset", "Delete");
    await eventually(() => page.getByRole("link", { name: "Audit log" }).count()).toBe(0);
    // What is theirs to do.
    await go(page, "Contacts");
    await eventually(() => page.getByRole("button", { name: "New contact" }).isEnabled()).toBe(true);
    await go(page, "Segments");
    await page.getByRole("link", { name: "New segment" }).waitFor();
  });
});

describeInBrowser("what happens meanwhile", () => {
  test("a role is lowered while a form is open: what was refused is in sight, what may be done is up to date, and nothing typed is lost", async () => {
    const admin = await stage.member("ADMIN");
    const page = await opened("/settings", { as: admin });
    const name = page.getByLabel("Name", { exact: true });
    await name.fill("A name that was typed");
    await stage.service.pool`update memberships set role = 'MEMBER' where user_id = ${admin.userId}`;
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const refusal = page.getByRole("alert").filter({ hasText: "Cannot do this with the role MEMBER" });
    await refusal.waitFor();
    await eventually(() => refusal.evaluate((one) => one.getBoundingClientRect().bottom <= innerHeight)).toBe(
      true,
    );
    await page.getByText("you can see the settings, and not change them").waitFor();
    await eventually(() => name.isDisabled()).toBe(true);
    await eventually(() => name.inputValue()).toBe("A name that was typed");
  });

  test("an import goes on while the window is loaded again or looks elsewhere, and is found again", async () => {
    const page = await opened("/imports");
    await page.locator("input[type=file]").setInputFiles({
      name: "late.csv",
      mimeType: "text/csv",
      buffer: Buffer.from("email\nlate.one@people.example\nlate.two@people.example\n"),
    });
    await page.getByRole("button", { name: "See what will happen" }).click();
    await page.getByText("Reading the file").waitFor();
    await stage.service.runJobs();
    await page.getByRole("button", { name: "Import now" }).click();
    await heading(page, "late.csv");
    await page.getByText("Importing…").waitFor();
    await page.reload();
    await page.getByText("Importing…").waitFor();
    await page.getByRole("link", { name: "Imports" }).click();
    await page.getByRole("listitem").filter({ hasText: "Waiting" }).getByRole("link").click();
    await heading(page, "late.csv");
    await stage.service.runJobs();
    await page.getByRole("button", { name: "Undo" }).waitFor();
    expect((await api("GET", "/contacts?search=late.")).total).toBe(2);
    await page.getByRole("link", { name: "See the contacts" }).click();
    await page.getByText("late.two@people.example").waitFor();
  });

  test("a connection that is lost while something is saved loses nothing: it is saved when it is there again", async () => {
    const page = await opened(`/segments/${segmentIds.alpha}?tab=edit`);
    const description = page.getByLabel("Description");
    await description.fill("Those of the first hour");
    const lost = () => page.getByText("No connection to the service");
    await page.context().setOffline(true);
    await page.getByRole("button", { name: "Save changes" }).click();
    await lost().waitFor();
    await page.getByRole("alert").getByText("The service cannot be reached").waitFor();
    await eventually(() => description.inputValue()).toBe("Those of the first hour");
    await page.getByRole("tab", { name: "Members" }).click();
    await page.context().setOffline(false);
    await lost().waitFor({ state: "detached" });
    await page.getByRole("tab", { name: "Edit" }).click();
    await eventually(() => description.inputValue()).toBe("Those of the first hour");
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    expect((await api("GET", `/segments/${segmentIds.alpha}`)).description).toBe("Those of the first hour");
  });
});

/** Notes whatever stands on a page of a project and has the word of the other in it, however briefly. */
const watch = (page: Page, foreign: Record<string, string>) =>
  page.evaluate((words) => {
    const leaks: string[] = [];
    Object.assign(globalThis, { leaks });
    new MutationObserver((changes) => {
      if (!changes.some(({ target }) => target.parentElement?.closest("main"))) return;
      const word = Object.entries(words).find(([id]) => location.pathname.includes(id))?.[1];
      const text = document.querySelector("main")?.textContent ?? "";
      if (word && text.includes(word)) leaks.push(`${location.pathname}: ${text.slice(0, 200)}`);
    }).observe(document.body, { childList: true, characterData: true, subtree: true });
  }, foreign);
