// What belongs to a project itself: its keys, members, settings and standing.
import { beforeAll, describe, expect } from "bun:test";
import { SERVICE } from "../../src/accounts/audit.ts";
import { createKey } from "../../src/accounts/projects/named_keys.ts";
import { logIn, signUp } from "../support/accounts.ts";
import { eventually } from "./eventually.ts";
import { browserTest, tour, useConsole } from "./support.ts";

const stage = useConsole();

const LONG_NAME = "Warenwirtschaftsschnittstelle der Niederlassung Garmisch-Partenkirchen";
const LONG_ADDRESS =
  "geschaeftsfuehrung.und.buchhaltung@fahrradgrosshandelsgesellschaft-nord-und-sued.example";

beforeAll(async () => {
  const { service, project, owner } = stage;
  await service.pool`update users set email_verified_at = now() where id = ${owner.userId}`;
  await createKey(service, project.id, { name: "Shop", scopes: ["send", "track"] }, SERVICE);
  await createKey(service, project.id, { name: LONG_NAME, scopes: ["send", "track", "read"] }, SERVICE);
  const expiresAt = new Date(Date.now() + 5 * 86_400_000);
  await createKey(service, project.id, { name: "Report of the week", scopes: ["read"], expiresAt }, SERVICE);
  await stage.member("ADMIN");
  await stage.member("MEMBER");
  await service.pool`
    insert into invitations (project_id, email, role, token_hash, created_at, expires_at)
    values
      (${project.id}, 'grace@invited.example', 'MEMBER', ${Buffer.alloc(32, 7)}, now(), now() + interval '7 days'),
      (${project.id}, ${LONG_ADDRESS}, 'ADMIN', ${Buffer.alloc(32, 8)}, now(), now() + interval '7 days')`;
  await owner.request("PATCH", `/users/@me/projects/${project.id}`, {
    postalAddress: "Acme Ltd\n1 High Street\nLondon",
  });
  await logIn(service, owner.email);
});

describe("keys", () => {
  tour(stage, "keys", {
    path: "/keys",
    ready: (page) => page.getByText("Report of the week"),
    states: {
      new: async (page) => {
        await page.getByRole("button", { name: "Create a key" }).click();
        await page.getByRole("button", { name: "Create, and show it" }).click();
        await page.getByText("Say what the key is for").waitFor();
      },
      "shown-once": async (page) => {
        await page.getByLabel("Name", { exact: true }).fill("Till in the shop");
        await page.keyboard.press("Enter");
        await page.getByRole("dialog", { name: "The key “Till in the shop”" }).waitFor();
      },
      revoke: async (page) => {
        await page.getByRole("button", { name: "I have stored it" }).click();
        await page.getByRole("button", { name: "Revoke Till in the shop" }).click();
        await page.getByRole("dialog", { name: "Revoke “Till in the shop”?" }).waitFor();
        await page.getByRole("button", { name: "Revoke", exact: true }).waitFor();
      },
      revoked: async (page) => {
        await page.getByRole("button", { name: "Revoke", exact: true }).click();
        await page.getByText("“Till in the shop” was revoked").waitFor();
        await page.getByRole("dialog").waitFor({ state: "detached" });
      },
    },
  });

  browserTest("a key is made, shown once, used in a request, and revoked", async () => {
    const { service } = stage;
    const page = await stage.open("/keys");
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByRole("button", { name: "Create, and show it" }).click();
    await page.getByText("Say what the key is for").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Reader");
    await page.getByLabel("Send mail").uncheck();
    await page.getByLabel("Read", { exact: true }).check();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "The key “Reader”" });
    await page.keyboard.press("Escape");
    const key = (await dialog.locator("code").textContent())!;
    const headers = { authorization: `Bearer ${key}` };
    expect((await service.request("GET", "/contacts", { headers })).status).toBe(200);
    await dialog.getByRole("button", { name: "I have stored it" }).click();
    await dialog.waitFor({ state: "hidden" });
    expect(await page.content()).not.toContain(key);

    await page.getByRole("button", { name: "Revoke Reader" }).click();
    await page.getByRole("button", { name: "Revoke", exact: true }).click();
    await page.getByText("“Reader” was revoked").waitFor();

    expect((await service.request("GET", "/contacts", { headers })).status).toBe(401);
    await page.context().close();
  });
});

describe("members", () => {
  tour(stage, "members", {
    path: "/members",
    ready: (page) => page.getByText("grace@invited.example"),
    states: {
      invite: async (page) => {
        await page.getByRole("button", { name: "Invite somebody" }).click();
        await page.getByRole("textbox", { name: "Address" }).waitFor();
      },
    },
  });

  browserTest("somebody is invited with a role, and sees what they may", async () => {
    const { service } = stage;
    const person = await signUp(service, "ada@people.example");
    await service.pool`
      update users set email_verified_at = now() where id = ${person.userId}`;
    const page = await stage.open("/members");
    await page.getByRole("button", { name: "Invite somebody" }).click();
    await page.getByRole("textbox", { name: "Address" }).fill("ada@people.example");
    await page.keyboard.press("Enter");
    await page.getByText("ada@people.example is in the project now").waitFor();
    await page.context().close();

    const theirs = await stage.open("/members", { as: person });
    await theirs.getByRole("list", { name: "Members" }).getByText("ada@people.example").waitFor();
    await eventually(() => theirs.getByRole("button", { name: "Invite somebody" }).isDisabled()).toBe(true);
    await eventually(() => theirs.getByRole("link", { name: "Audit log" }).count()).toBe(0);
    await eventually(() => theirs.getByRole("button", { name: /^Remove / }).count()).toBe(0);

    await theirs.getByRole("button", { name: "Leave the project" }).click();
    await theirs.getByRole("button", { name: "Leave", exact: true }).click();
    await theirs.getByRole("heading", { name: "Your first project" }).waitFor();
    await theirs.context().close();
  });
});

describe("settings", () => {
  tour(stage, "settings", {
    path: "/settings",
    ready: (page) => page.getByLabel("Postal address"),
    states: {
      changed: async (page) => {
        await page.getByLabel("Postal address").fill("Acme Ltd\n2 High Street\nLondon");
        await page.getByText("Not saved yet").waitFor();
      },
      delete: async (page) => {
        await page.getByRole("button", { name: "Discard" }).click();
        await page.getByRole("button", { name: "Delete", exact: true }).click();
        await page.getByText(/This deletes 0 contacts/).waitFor();
      },
    },
  });

  browserTest("one is saved, and one that is refused says so at its field", async () => {
    const { service, project } = stage;
    const page = await stage.open("/settings");
    const name = page.getByLabel("Name", { exact: true });
    await name.fill("see https://spam.example now");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator("[aria-invalid=true]").waitFor();
    await eventually(() => name.getAttribute("aria-invalid")).toBe("true");
    await eventually(() => name.inputValue()).toBe("see https://spam.example now");
    await name.fill("Acme & Co");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Settings saved").waitFor();

    const [row] = await service.pool`select name from projects where id = ${project.id}`;
    expect(row!.name).toBe("Acme & Co");
    await eventually(() => page.getByText("Not saved yet").count()).toBe(0);
    await page.context().close();
  });

  browserTest(
    "a reset takes the name of the project, and says what it deletes, also when it is asked for at once",
    async () => {
      const page = await stage.open("/audit");
      const held = Promise.withResolvers<void>();
      await page.route(/\/workflows\?/, async (route) => {
        await held.promise;
        await route.continue();
      });
      await stage.visit(page, "/settings");
      await page.getByRole("button", { name: "Reset", exact: true }).click();
      const field = page.getByLabel(/^Type “/);
      await field.waitFor();
      await page.getByText("This deletes everything, with all segments").waitFor();
      held.resolve();
      await eventually(() =>
        page.getByText(/This deletes 0 contacts, 0 templates, 0 campaigns,? and 0 workflows/).count(),
      ).toBe(1);
      await field.fill("something else");
      const button = page.getByRole("button", { name: "Reset", exact: true }).last();
      await eventually(() => button.isDisabled()).toBe(true);
      await page.context().close();
    },
  );
});

describe("standing", () => {
  tour(stage, "security", { path: "/security", ready: (page) => page.getByRole("table", { name: "Rates" }) });
  tour(stage, "audit", {
    path: "/audit",
    ready: (page) => page.getByRole("row", { name: /Created the key/ }),
  });

  tour(stage, "limits", { path: "/limits", ready: (page) => page.getByText("used, no limit") });

  browserTest("billing is not shown where the installation has none; limits are", async () => {
    const page = await stage.open("/billing");
    await page.getByRole("heading", { name: "Nothing is billed here" }).waitFor();
    await eventually(() => page.getByRole("link", { name: "Billing" }).count()).toBe(0);
    await page.getByRole("link", { name: "See the limits" }).click();
    await page.getByRole("heading", { level: 1, name: "Limits" }).waitFor();
    await page.context().close();
  });
});
