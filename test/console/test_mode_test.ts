// Test mode: keys for tests are made, what they send is seen apart, and the way there and back.
import { beforeAll, expect } from "bun:test";
import { SERVICE } from "../../src/accounts/audit.ts";
import { createSandbox, type Sandbox } from "../../src/accounts/projects/sandbox.ts";
import { join } from "../support/accounts.ts";
import { eventually } from "./eventually.ts";
import { browserTest, tour, useConsole } from "./support.ts";

const stage = useConsole();
let sandbox: Sandbox & { secret: string };
let other: { id: string };

beforeAll(async () => {
  const { service, project, owner } = stage;
  sandbox = await createSandbox(service, project.id, SERVICE);
  other = await service.createProject();
  await service.pool`update projects set name = 'Other shop' where id = ${other.id}`;
  await join(service, owner, other.id, "OWNER");
  for (const to of ["ada@example.com", "bounced+order-17@simulator.example"]) {
    const body = { to, from: "shop@any.example", subject: `Order for ${to}`, body: "<p>Thank you.</p>" };
    await service.request("POST", "/v1/send", { key: sandbox.secret, body });
  }
  await service.runJobs();
});

tour(stage, "test-mode", {
  path: () => `~/p/${sandbox.id}/inbox`,
  // Hidden once, for the other width.
  ready: (page) => page.getByText("Order for ada@example.com").filter({ visible: true }),
  states: {
    keys: async (page) => {
      await stage.visit(page, `~/p/${sandbox.id}/keys`);
      await page.getByText("sk_test_…").waitFor();
    },
    settings: async (page) => {
      await stage.visit(page, `~/p/${sandbox.id}/settings`);
      await page.getByText("Delete all test data").waitFor();
      await page.getByRole("button", { name: "Move in from another service" }).waitFor();
    },
    "keys-live": async (page) => {
      await stage.visit(page, "/keys");
      await page.getByRole("button", { name: "Copy public test key" }).scrollIntoViewIfNeeded();
    },
    "none-yet": async (page) => {
      await stage.visit(page, `~/p/${other.id}/keys`);
      await page.getByRole("button", { name: "Create test keys" }).scrollIntoViewIfNeeded();
    },
  },
});

browserTest("test keys are made in one click, shown once, and lead to test mode and back", async () => {
  const { service } = stage;
  const page = await stage.open(`~/p/${other.id}`);
  await page.getByRole("button", { name: /^Project:/ }).click();
  await page.getByRole("menuitem", { name: "Test mode" }).click();
  await page.getByRole("button", { name: "Create test keys" }).click();
  const dialog = page.getByRole("dialog", { name: "The secret test key" });
  const key = (await dialog.locator("code").textContent())!;
  await dialog.getByRole("button", { name: "I have stored it" }).click();
  expect(key).toStartWith("sk_test_");
  const body = { to: "ada@example.com", from: "a@any.example", subject: "Only a test", body: "<p>Hello</p>" };
  expect((await service.request("POST", "/v1/send", { key, body })).status).toBe(200);
  await service.runJobs();

  await page.getByRole("link", { name: "Open test mode" }).click();
  const bar = page.getByRole("complementary", { name: "Test mode" });
  await bar.waitFor();
  await eventually(() => page.getByRole("link", { name: "Domains" }).count()).toBe(0);
  await page.getByRole("link", { name: "Sent mails" }).click();
  await page.getByText("Only a test", { exact: true }).first().waitFor();
  await bar.getByRole("link", { name: "Leave test mode" }).click();
  await bar.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Sent mails" }).click();
  await page.getByRole("heading", { level: 1, name: "Sent mails" }).waitFor();
  await eventually(() => page.getByText("Only a test").count()).toBe(0);
  // The start leads to the project, not to test mode, which one may have forgotten.
  await page.goto(`${stage.origin}/app`);
  await eventually(async () => page.url()).toContain(`/app/p/${other.id}`);
  await page.context().close();
});

browserTest("a member sees test mode, and cannot make keys for it", async () => {
  const member = await stage.member("MEMBER");
  const page = await stage.open(`~/p/${sandbox.id}/keys`, { as: member });
  await page.getByText("sk_test_…").waitFor();
  await eventually(() => page.getByRole("button", { name: "Regenerate both" }).isDisabled()).toBe(true);
  await page.context().close();
});
