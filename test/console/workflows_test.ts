// The list of workflows, new ones, copies, switching one on and off, and the end of one.
import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { workflowsOf } from "../support/workflows.ts";
import { eventually } from "./eventually.ts";
import { describeInBrowser, expectSound, keepPicture, tour, useConsole } from "./support.ts";

const stage = useConsole();
const flows = workflowsOf(stage.service, () => stage.project);
let welcomeId: string;

const stored = async (name: string) =>
  (await flows.call("GET", `/workflows?search=${encodeURIComponent(name)}`)).body.data.find(
    (workflow: { name: string }) => workflow.name === name,
  );
const row = (page: Page, name: string) =>
  page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });

beforeAll(async () => {
  const template = await flows.template();
  const { id } = await flows.build({
    event: "signed up",
    steps: {
      "Say hello": { type: "SEND_EMAIL", template },
      "First order?": { type: "WAIT_FOR_EVENT", eventName: "ordered", timeout: 259_200 },
      "On a paid plan?": { type: "CONDITION", field: "data.plan", operator: "equals", value: "pro" },
      "Tell the shop": { type: "WEBHOOK", url: "https://shop.example/hooks/new" },
      "Has ordered": { type: "EXIT", reason: "has ordered" },
      "Mark them": { type: "UPDATE_CONTACT", updates: { welcomed: true } },
    },
    ways: [
      "Trigger > Say hello",
      "Say hello > First order?",
      "First order? event> Has ordered",
      "First order? timeout> On a paid plan?",
      "On a paid plan? yes> Tell the shop",
      "On a paid plan? no> Mark them",
    ],
  });
  welcomeId = id;
  await flows.track("ada@example.com", "signed up");
  await stage.service.runJobs();
  await flows.call("POST", "/workflows", { name: "Not ready", eventName: "signed up" });
  await stage.service.pool`
    insert into workflows (project_id, name, trigger_type, trigger_config, allow_reentry, updated_at)
    select ${stage.project.id}, 'Every so often ' || n, 'SCHEDULE', '{"schedule": "0 9 * * 1", "timezone": "Europe/Oslo"}', false,
      now() - n * interval '5 hours'
    from generate_series(1, 70) as n`;
});

tour(stage, "workflows", {
  path: "/workflows",
  ready: (page) => page.getByRole("link", { name: "Welcome", exact: true }),
  states: {
    enable: async (page) => {
      await row(page, "Not ready").getByRole("switch").click({ force: true });
      await page.getByRole("dialog", { name: "Enable Not ready?" }).waitFor();
    },
    refused: async (page) => {
      await page.getByRole("button", { name: "Enable", exact: true }).click();
      await page.getByRole("dialog", { name: "Not ready cannot be enabled yet" }).waitFor();
    },
  },
  refused: [422],
});
tour(stage, "new-workflow", {
  path: "/workflows/new",
  ready: (page) => page.getByRole("button", { name: /^Welcome series/ }),
  states: {
    form: async (page) => {
      await page.getByRole("button", { name: /^Welcome series/ }).click();
      await page.getByRole("dialog").getByLabel("Name").waitFor();
    },
  },
});
describeInBrowser("the list of workflows", () => {
  test("is searched, limited to a state, and goes on at its end", async () => {
    const page = await stage.open("/workflows?order=name");
    await row(page, "Every so often 1").waitFor();
    await eventually(() => page.getByRole("table").getAttribute("aria-rowcount")).toBe("73");
    await page.getByRole("table").hover();
    const last = row(page, "Welcome");
    while (!(await last.isVisible())) await page.mouse.wheel(0, 2_000);
    await page.getByRole("combobox", { name: "State" }).click();
    await page.getByRole("option", { name: "Enabled" }).click();
    await page.waitForURL(/status=active/);
    await row(page, "Every so often 1").waitFor({ state: "detached" });
    await page.getByRole("searchbox", { name: "Search workflows" }).fill("nothing like it");
    await page.getByRole("heading", { name: "No workflow matches" }).waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    await row(page, "Every so often 1").waitFor();
    await page.context().close();
  });

  test("switches one off at once, and on again with undo; what is in it goes on", async () => {
    const page = await stage.open("/workflows?search=welcome");
    const toggle = row(page, "Welcome").getByRole("switch");
    await toggle.click({ force: true });
    await page.getByText("Welcome is disabled. Contacts in it continue").waitFor();
    await eventually(() => toggle.isChecked()).toBe(false);
    expect((await stored("Welcome")).enabled).toBe(false);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Welcome is enabled").waitFor();

    await eventually(() => toggle.isChecked()).toBe(true);
    expect((await stored("Welcome")).enabled).toBe(true);
    expect(await flows.states(welcomeId)).toEqual(["WAITING"]);
    await page.context().close();
  });

  test("says what would start before one is switched on", async () => {
    await flows.call("PATCH", `/workflows/${welcomeId}`, { enabled: false });
    const page = await stage.open("/workflows?search=welcome");
    await row(page, "Welcome").getByRole("switch").click({ force: true });
    const dialog = page.getByRole("dialog", { name: "Enable Welcome?" });
    await dialog.getByText("Contacts enter it from now on: when “signed up” happens.").waitFor();
    await dialog.getByText("Each contact goes through it once.").waitFor();
    expect((await stored("Welcome")).enabled).toBe(false);
    await dialog.getByRole("button", { name: "Enable" }).click();
    await page.getByText("Welcome is enabled").waitFor();

    expect((await stored("Welcome")).enabled).toBe(true);
    // The next word about it comes in place of this one, which would stay for as long as the pointer is on it.
    await page.getByText("Welcome is enabled").hover();
    await row(page, "Welcome").getByRole("switch").focus();
    await page.keyboard.press("Space");
    await page.getByText("Welcome is disabled").waitFor();
    await page.getByText("Welcome is enabled").waitFor({ state: "detached" });
    await page.context().close();
  });
});

describeInBrowser("a workflow", () => {
  test("begins as a welcome series by keyboard alone, and is copied", async () => {
    const page = await stage.open("/workflows");
    await row(page, "Welcome").waitFor();
    await page.keyboard.press("n");
    await page.getByRole("button", { name: /^Welcome series/ }).focus();
    await page.keyboard.press("Enter");
    // Drawn, and given the focus a moment later.
    await page.getByRole("dialog").locator("input:focus").waitFor();
    await page.keyboard.type("Series of May");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("paid");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Series of May" }).waitFor();
    await page.getByRole("button", { name: /^Welcome \(Send email\) No template yet/ }).waitFor();
    const { id, enabled } = await stored("Series of May");
    const graph = (await flows.call("GET", `/workflows/${id}/graph`)).body;
    expect([enabled, graph.steps.length, graph.transitions.length]).toEqual([false, 7, 6]);
    expect(graph.steps.find(({ type }: { type: string }) => type === "WAIT_FOR_EVENT").config.eventName).toBe(
      "paid",
    );
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Duplicate" }).click();
    await page.getByRole("heading", { level: 1, name: "Series of May (Copy)" }).waitFor();
    await page.context().close();
  });

  test("is walked along its ways by the arrows", async () => {
    const page = await stage.open(`/workflows/${welcomeId}`);
    const step = (name: string) =>
      page.getByRole("button", { name: new RegExp(`^${name.replace("?", "\\?")} \\(`) });
    const hasFocus = async (name: string) => {
      await page.locator(":focus", { hasText: name }).waitFor();
    };
    await step("Trigger").focus();
    await page.keyboard.press("ArrowDown");
    await hasFocus("Say hello");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await hasFocus("First order?");
    await page.keyboard.press("Home");
    await hasFocus("Trigger");
    await eventually(() => page.getByRole("application").getAttribute("aria-label")).toBe(
      "Canvas of Welcome",
    );
    await page.context().close();
  });

  test("that somebody is in is deleted after its name was typed, and says who goes no further", async () => {
    const page = await stage.open(`/workflows/${welcomeId}`);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete Welcome?" });
    await dialog.getByText("1 contact is in it now and goes no further.").waitFor();
    await keepPicture(page, "workflows--delete");
    await expectSound(page);
    const go = dialog.getByRole("button", { name: "Cancel 1 and delete" });
    await eventually(() => go.isDisabled()).toBe(true);
    await dialog.getByRole("textbox").fill("Welcome");
    await go.click();
    await page.getByText("Welcome was deleted").waitFor();
    await page.getByRole("heading", { level: 1, name: "Workflows" }).waitFor();

    expect(await stored("Welcome")).toBe(undefined);
    await page.context().close();
  });
});
