// Who goes through a workflow: statistics on its canvas, executions and the story of one, a trial run, versions.
import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { workflowsOf } from "../support/workflows.ts";
import { eventually } from "./eventually.ts";
import { describeInBrowser, expectSound, tour, useConsole } from "./support.ts";

const stage = useConsole();
const flows = workflowsOf(stage.service, () => stage.project);
let id: string;
let ids: Record<string, string>;
let told: string;

const DAY_MS = 86_400_000;
const open = (tab: string, more = "") => stage.open(`/workflows/${id}?tab=${tab}${more}`);
const tab = (page: Page, name: string) => page.getByRole("tab", { name, exact: true }).click();
const step = (page: Page, name: string) => page.locator("[data-step]").filter({ hasText: name });
const later = async (days: number) => {
  stage.service.setNow(new Date(Date.now() + days * DAY_MS));
  await stage.service.runJobs();
  stage.service.setNow(new Date());
};

beforeAll(async () => {
  const template = await flows.template({ name: "Welcome mail" });
  ({ id, ids } = await flows.build({
    event: "signed up",
    steps: {
      "Say hello": { type: "SEND_EMAIL", template },
      "First order?": { type: "WAIT_FOR_EVENT", eventName: "ordered", timeout: 3 * 86_400 },
      "On a paid plan?": {
        type: "CONDITION",
        mode: "multi",
        field: "data.plan",
        branches: ["pro", "free"].map((plan, n) => ({
          id: `7fd0fa6${n}`,
          name: `On ${plan}`,
          operator: "equals",
          value: plan,
        })),
      },
      "Until the trial ends": { type: "DELAY", until: "data.trialEnds" },
      "Has ordered": { type: "EXIT", reason: "has ordered" },
      "Mark them": { type: "UPDATE_CONTACT", updates: { asked: true } },
    },
    ways: [
      "Trigger > Say hello",
      "Say hello > First order?",
      "First order? event> Has ordered",
      "First order? timeout> On a paid plan?",
      "On a paid plan? 7fd0fa60> Until the trial ends",
      "On a paid plan? 7fd0fa61> Mark them",
    ],
  }));
  // What was built is one version; each change of it is another one.
  for (const name of ["Mark", "Mark them"]) {
    await flows.call("PATCH", `/workflows/${id}/steps/${ids["Mark them"]}`, { name });
  }
  // More than the canvas asks for at once: the one that is used is not among them.
  await stage.service.pool`
    insert into templates (project_id, name, subject, body, html, from_email)
    select ${stage.project.id}, 'Newer ' || n, 's', 'b', 'b', 'a@shop.example' from generate_series(1, 100) as n`;
  for (const [name, plan] of [
    ["ada", "pro"],
    ["bob", "free"],
    ["eve", "free"],
  ] as const) {
    await flows.call("POST", "/contacts", { email: `${name}@example.com`, data: { plan } });
    await flows.track(`${name}@example.com`, "signed up");
  }
  await stage.service.runJobs();
  await flows.track("eve@example.com", "ordered");
  await stage.service.runJobs();
  // Ada's trial has no end: there it fails. Bob is marked.
  await later(4);
  for (const email of ["kim@example.com", "lou@example.com"]) {
    await flows.call("POST", "/contacts", { email, data: { plan: "free" } });
    await flows.track(email, "signed up");
  }
  await stage.service.runJobs();
  told = await flows.of(id, "ada");
}, 60_000);

tour(stage, "workflow-people", {
  path: () => `/workflows/${id}?tab=statistics`,
  ready: (page) => step(page, "First order?"),
  states: {
    step: async (page) => {
      await step(page, "First order?").click();
      await page.getByRole("heading", { name: "First order?" }).waitFor();
    },
    executions: async (page) => {
      await page.getByRole("button", { name: "Who is here" }).click();
      await page.getByRole("row").filter({ hasText: "kim@example.com" }).waitFor();
    },
    cancel: async (page) => {
      await page.getByRole("button", { name: "Cancel all" }).click();
      await page.getByRole("dialog", { name: "Cancel 2 executions?" }).waitFor();
    },
    none: async (page) => {
      await page.getByRole("button", { name: "Keep them running" }).click();
      await page.getByRole("combobox", { name: "State" }).click();
      await page.getByRole("option", { name: "Running" }).click();
      await page.getByRole("heading", { name: "No execution matches" }).waitFor();
    },
    start: async (page) => {
      await page.getByRole("button", { name: "Start for a contact" }).click();
      await page.getByRole("dialog").getByLabel("Contact").waitFor();
    },
    "trial-empty": async (page) => {
      await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
      await tab(page, "Trial run");
      await page.getByText("Choose a contact to see the path").waitFor();
      await step(page, "Say hello").getByText("Welcome mail").waitFor();
    },
    trial: async (page) => {
      await page.getByRole("combobox", { name: "Contact" }).click();
      await page.getByRole("option", { name: "bob@example.com" }).click();
      await page.getByRole("radiogroup", { name: "Waits for events" }).getByText("Time is up").click();
      await page.getByRole("list", { name: "What would happen" }).getByText("Mark them").waitFor();
    },
    versions: async (page) => {
      await tab(page, "Versions");
      await page
        .getByText(/^“Mark( them)?”: name changed$/)
        .first()
        .waitFor();
    },
  },
});
tour(stage, "execution", {
  path: () => `/workflows/${id}/executions/${told}`,
  // On a phone the one where it is lies further down on the canvas.
  ready: (page) => page.locator("[data-step]"),
  states: {
    step: async (page) => {
      await page
        .getByRole("list", { name: "What happened" })
        .getByRole("button", { name: "On a paid plan?" })
        .click();
      await page.locator("[data-step][data-chosen]").waitFor();
    },
    mail: async (page) => {
      await page.getByRole("button", { name: "See the mail" }).click();
      await page.getByRole("dialog").getByText("news@", { exact: false }).first().waitFor();
    },
  },
});

describeInBrowser("an execution", () => {
  test("is followed to its end on the canvas: it waits, time passes, and it goes on", async () => {
    const page = await open("executions", "&status=WAITING");
    await page.getByRole("row").filter({ hasText: "kim@example.com" }).click();
    await page.getByRole("heading", { level: 1, name: "kim@example.com" }).waitFor();
    const story = page.getByRole("list", { name: "What happened" });
    await story.getByText("Waits for “ordered”, until").waitFor();
    await step(page, "First order?").getByText("Is here", { exact: true }).waitFor();
    await page.locator("[data-step][data-path]").nth(2).waitFor();
    await eventually(() => page.locator("[data-step][data-path]").count()).toBe(3);
    await later(4);
    // It looks again by itself.
    await story.getByText("Time was up").waitFor();
    await story.getByText("Takes the branch “On free”").waitFor();
    await page.getByText("Completed").first().waitFor();
    await eventually(() => page.locator("[data-step][data-path]").count()).toBe(5);
    await page.getByRole("button", { name: "Cancel" }).waitFor({ state: "detached" });
    await expectSound(page);
    await page.context().close();
  });

  test("is started by hand, and cancelled after a question", async () => {
    await flows.call("POST", "/contacts", { email: "new@example.com" });
    const page = await open("executions");
    await page.getByRole("button", { name: "Start for a contact" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Contact").fill("new@");
    await page.getByRole("option", { name: "new@example.com" }).click();
    await dialog.getByRole("button", { name: "Start", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "new@example.com" }).waitFor();
    await stage.service.runJobs();
    await page.getByText("Waits for “ordered”").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel the execution" }).click();
    await page.getByText("Cancelled").first().waitFor();
    expect(await flows.states(id)).toContain("CANCELLED");
    await page.goBack();
    await page
      .getByRole("row")
      .filter({ hasText: "new@example.com" })
      .filter({ hasText: "Cancelled" })
      .waitFor();
    await page.context().close();
  });

  test("that failed says why, in words, where it failed; a member sees it too", async () => {
    const page = await stage.open(`/workflows/${id}/executions/${told}`, {
      as: await stage.member("MEMBER"),
    });
    await page
      .getByText('Cannot wait in "Until the trial ends": the contact has no date in data.trialEnds')
      .first()
      .waitFor();
    await step(page, "Until the trial ends").getByText("Failed", { exact: true }).waitFor();
    await page.context().close();
  });

  test("of another project is not found", async () => {
    const other = await stage.service.createProject();
    const page = await stage.open(`/workflows/${id}/executions/${crypto.randomUUID()}`);
    await page.getByRole("alert").getByText("Cannot find").waitFor();
    const theirs = await stage.service.request("GET", `/workflows/${id}/executions/${told}/graph`, {
      key: other.secret,
    });
    expect(theirs.status).toBe(404);
    await page.context().close();
  });
});

describeInBrowser("the tabs of a workflow", () => {
  test("all that are under way are cancelled, with their number first", async () => {
    for (const name of ["max", "pia"]) await flows.track(`${name}@example.com`, "signed up");
    await stage.service.runJobs();
    const page = await open("executions");
    await page.getByRole("button", { name: "Cancel all" }).click();
    const dialog = page.getByRole("dialog", { name: /^Cancel \d+ executions\?/ });
    const count = /\d+/.exec((await dialog.getByRole("heading").textContent())!)![0];
    await dialog.getByRole("button", { name: `Cancel ${count} executions` }).click();
    await page.getByText(`${count} executions cancelled`).waitFor();
    await page.getByRole("button", { name: "Cancel all" }).waitFor({ state: "detached" });
    expect(await flows.states(id)).not.toContain("WAITING");
    await page.context().close();
  });

  test("a version is restored with one click, and undone with another; executions stay with theirs", async () => {
    await flows.call("DELETE", `/workflows/${id}/steps/${ids["Mark them"]}`);
    const steps = async () => (await flows.call("GET", `/workflows/${id}/graph`)).body.steps.length;
    const page = await open("versions");
    await page.getByText("“Mark them” was removed").waitFor();
    await page.locator("[data-step][data-tone=bad]").filter({ hasText: "Mark them" }).waitFor();
    await page.getByRole("list", { name: "Versions" }).getByRole("button").nth(1).click();
    await page.getByText("Compared with now").click();
    await page.getByText("“Mark them” was removed").waitFor();
    await page.getByRole("button", { name: "Restore this version" }).click();
    await page.getByText(/^Version \d+ was restored/).waitFor();
    expect(await steps()).toBe(7);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("It is as it was before").waitFor();
    expect(await steps()).toBe(6);
    await page.context().close();
  });
});
