// One workflow in the console: drawn by mouse and by keyboard, saved over what was seen, kept while it is not, on a phone.
import { afterEach, beforeAll, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { until } from "../support/process.ts";
import { workflowsOf } from "../support/workflows.ts";
import { eventually } from "./eventually.ts";
import { dragByFinger } from "./finger.ts";
import {
  describeInBrowser,
  expectSound,
  keepPicture,
  type OpenPage,
  settled,
  tour,
  useConsole,
} from "./support.ts";

const stage = useConsole();
const flows = workflowsOf(stage.service, () => stage.project);
const open: OpenPage[] = [];
let shownId: string;
let shownIds: Record<string, string>;

const opened = async (...given: Parameters<typeof stage.open>) => {
  const page = await stage.open(...given);
  open.push(page);
  return page;
};
/** A workflow that starts at “signed up”, with nothing but its trigger. */
const begun = async (name: string): Promise<string> =>
  (await flows.call("POST", "/workflows", { name, eventName: "signed up" })).body.id;
const graphOf = async (id: string) => (await flows.call("GET", `/workflows/${id}/graph`)).body;
/** The ways of a graph by the names of its steps: `Welcome > Delay`. */
const waysOf = async (id: string): Promise<string[]> => {
  const { steps, transitions } = await graphOf(id);
  const names = new Map(steps.map((step: { id: string; name: string }) => [step.id, step.name]));
  return transitions.map(
    ({ from, to, branch }: { from: string; to: string; branch: string | null }) =>
      `${names.get(from)} ${branch ?? ""}> ${names.get(to)}`,
  );
};
/** A step on the canvas. */
const step = (page: Page, name: string) =>
  page.locator("[data-step]").filter({ hasText: new RegExp(`^${name.replace(/[?()]/g, "\\$&")} ?\\(`) });
/** Where it is once the canvas has come to rest: what is clicked by its place goes to where it was seen. */
const placeAtRest = async (locator: Locator) => {
  let place = await locator.boundingBox();
  await eventually(async () => {
    const before = JSON.stringify(place);
    place = await locator.boundingBox();
    return place !== null && JSON.stringify(place) === before;
  }).toBe(true);
  return place!;
};
const panel = (page: Page) => page.getByRole("complementary", { name: "Step" });
/** Asks to enable it. The drawn switch lies over the real one, so the click is forced; nothing else may lie there then. */
const turnOn = async (page: Page) => {
  for (const role of ["dialog", "listbox"] as const)
    await eventually(() => page.getByRole(role).count()).toBe(0);
  await page.getByRole("switch", { name: "Enabled" }).click({ force: true });
};
const saved = async (page: Page) => {
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved", { exact: true }).first().waitFor();
};

beforeAll(async () => {
  const template = await flows.template();
  const built = await flows.build({
    event: "signed up",
    steps: {
      "Say hello": { type: "SEND_EMAIL", template },
      "First order?": { type: "WAIT_FOR_EVENT", eventName: "ordered", timeout: 259_200 },
      "On a paid plan?": { type: "CONDITION", field: "data.plan", operator: "equals", value: "pro" },
      "Tell the shop": {
        type: "WEBHOOK",
        url: "https://shop.example/hooks/new",
        headers: { "X-Plan": "{{plan}}" },
        body: { plan: "{{plan}}" },
      },
      "Has ordered": { type: "EXIT", reason: "has ordered" },
      "Mark them": {
        type: "UPDATE_CONTACT",
        updates: { welcomed: true, old: null, source: "{{event.source}}" },
      },
      "Which plan?": {
        type: "CONDITION",
        mode: "multi",
        field: "data.plan",
        branches: [
          { id: "free", name: "Free", operator: "equals", value: "free" },
          { id: "paid", name: "Paid", operator: "contains", value: "pro" },
        ],
      },
      "A large order?": { type: "CONDITION", field: "event.total", operator: "greaterThan", value: 100 },
      "Until the trial ends": { type: "DELAY", until: "data.trialEnds" },
    },
    ways: [
      "Trigger > Say hello",
      "Say hello > First order?",
      "First order? event> Has ordered",
      "First order? timeout> On a paid plan?",
      "On a paid plan? yes> Tell the shop",
      "On a paid plan? no> Mark them",
      "Mark them > Which plan?",
      "Which plan? paid> Until the trial ends",
      "Which plan? free> A large order?",
      "A large order? yes> Until the trial ends",
    ],
  });
  shownId = built.id;
  shownIds = built.ids;
});

afterEach(async () => {
  for (const page of open.splice(0)) if (!page.isClosed()) await page.context().close();
});

tour(stage, "workflow", {
  path: () => `/workflows/${shownId}`,
  ready: (page) => step(page, "Say hello"),
  states: {
    condition: async (page) => {
      await step(page, "On a paid plan?").click();
      await page.getByRole("combobox", { name: "Field" }).waitFor();
    },
    list: async (page) => {
      await page.keyboard.press("Escape");
      await page.getByText("List", { exact: true }).click();
      await page.getByRole("list", { name: "Steps" }).waitFor();
    },
    settings: async (page) => {
      await page.getByRole("tab", { name: "Settings" }).click();
      await page.getByLabel("Description").waitFor();
    },
  },
});

describeInBrowser("the forms of all steps", () => {
  test("are sound, and change nothing by being looked at", async () => {
    const page = await opened(`/workflows/${shownId}`);
    for (const [name, id] of Object.entries(shownIds)) {
      await page.evaluate(
        ([path]) => {
          history.pushState(null, "", path);
          dispatchEvent(new PopStateEvent("popstate"));
        },
        [`${new URL(page.url()).pathname}?step=${id}`],
      );
      await panel(page)
        .getByRole("textbox", { name: name === "Trigger" ? "Event" : "Name", exact: true })
        .or(panel(page).getByRole("combobox", { name: "Event" }))
        .first()
        .waitFor();
      await settled(page);
      await keepPicture(page, `workflow--form-${name.toLowerCase().replace(/\W+/g, "-")}`);
      await expectSound(page);
    }
    await eventually(() => page.getByText("Not saved yet").count()).toBe(0);
  });
});

describeInBrowser("a workflow of ten steps", () => {
  test("is drawn by mouse, checked, taken back and done again, saved, tried on a contact and enabled; who enters is followed", async () => {
    const id = await begun("By mouse");
    const page = await opened(`/workflows/${id}`);
    const palette = page.getByRole("group", { name: "Add a step" });
    const add = async (type: string, name: string) => {
      await palette.getByRole("button", { name: type, exact: true }).click();
      await panel(page).getByRole("textbox", { name: "Name", exact: true }).fill(name);
    };
    await step(page, "Trigger").waitFor();
    // Behind each other, by the palette.
    await add("Send email", "Welcome");
    await panel(page).getByRole("combobox", { name: "Template" }).click();
    await page.getByRole("option", { name: "Hello", exact: true }).click();
    await panel(page).getByText("Hello there").waitFor();
    await add("Wait for event", "First order?");
    await panel(page)
      .getByRole("textbox", { name: "Event" })
      .or(panel(page).getByRole("combobox", { name: "Event" }))
      .first()
      .fill("ordered");
    // Behind one of its branches, by the button below it.
    await page.getByRole("button", { name: "Add a step after First order?, Time is up" }).click();
    await page.getByRole("menuitem", { name: "Condition" }).click();
    await panel(page).getByRole("textbox", { name: "Name", exact: true }).fill("On a paid plan?");
    await panel(page).getByRole("combobox", { name: "Field" }).fill("data.plan");
    await page.getByRole("option").first().click();
    await panel(page).getByLabel("Value", { exact: true }).fill("pro");
    await page.getByRole("button", { name: "Add a step after First order?, It happened" }).click();
    await page.getByRole("menuitem", { name: "Exit" }).click();
    await panel(page).getByRole("textbox", { name: "Name", exact: true }).fill("Has ordered");
    await page.getByRole("button", { name: "Add a step after On a paid plan?, Yes" }).click();
    await page.getByRole("menuitem", { name: "Update contact" }).click();
    await page.getByRole("button", { name: "Add a step after On a paid plan?, No" }).click();
    await page.getByRole("menuitem", { name: "Webhook" }).click();
    await panel(page).getByLabel("Address").fill("nowhere");
    await panel(page).getByText("Expected an address such as https://example.com/hook").waitFor();
    // It cannot be saved so: one is led there.
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Webhook: Expected an address").first().waitFor();
    await panel(page).getByLabel("Address").fill("https://shop.example/hooks");
    await add("Delay", "A day later");
    await add("Exit", "Was told");
    await panel(page).getByRole("button", { name: "Close the step" }).click();
    // Onto a way.
    await page.getByRole("button", { name: "Show all" }).click();
    const way = page
      .locator("[data-way]")
      .filter({ has: page.getByRole("button", { name: /^Insert a step: From Trigger to Welcome/ }) });
    await placeAtRest(way);
    await palette.getByRole("button", { name: "Delay", exact: true }).dragTo(way);
    await step(page, "Delay").waitFor();
    // Onto the ground, and connected by choosing where a step goes on to.
    await panel(page).getByRole("button", { name: "Close the step" }).click();
    const ground = (await page.getByRole("application").boundingBox())!;
    await palette
      .getByRole("button", { name: "Send email", exact: true })
      .dragTo(page.getByRole("application"), {
        targetPosition: { x: ground.width - 180, y: ground.height - 90 },
      });
    await panel(page).getByRole("textbox", { name: "Name", exact: true }).fill("Last mail");
    await panel(page).getByText("Nothing leads here").waitFor();
    await panel(page).getByRole("button", { name: "Close the step" }).click();
    await page.getByRole("button", { name: "Show all" }).click();
    await step(page, "Update contact").click();
    await panel(page).getByRole("combobox", { name: "Next step" }).click();
    await page.getByRole("option", { name: "Last mail", exact: true }).click();
    await panel(page).getByRole("button", { name: "Close the step" }).click();
    const insert = page.getByRole("button", { name: "Insert a step: From Update contact to Last mail" });
    await insert.waitFor();
    // What appears beside it under the pointer must not take its place.
    const plus = await placeAtRest(insert);
    await page.mouse.click(plus.x + plus.width / 2, plus.y + plus.height / 2);
    await page.getByRole("menuitem", { name: "Delay" }).waitFor();
    await page.keyboard.press("Escape");
    // Moved, and put back by a step back.
    const box = await placeAtRest(step(page, "Has ordered"));
    await page.mouse.move(box.x + 30, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + 130, box.y + 60, { steps: 8 });
    await page.mouse.up();
    const moved = (await step(page, "Has ordered").boundingBox())!;
    expect(moved.x).toBeGreaterThan(box.x + 50);
    await page.getByRole("button", { name: "Undo" }).click();
    expect(Math.abs((await step(page, "Has ordered").boundingBox())!.x - box.x)).toBeLessThan(3);
    // A step on or back where nothing is in sight brings the steps into it.
    await page.mouse.move(ground.x + ground.width / 2, ground.y + ground.height / 2);
    await page.mouse.wheel(0, 20_000);
    await page.locator("[data-step]").first().waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Redo" }).click();
    await step(page, "Trigger").waitFor();
    await keepPicture(page, "workflow--drawn");
    // What is still wrong keeps it from being enabled, not from being saved.
    await page.getByRole("button", { name: /^\d+ problems?$/ }).click();
    // The service may have more to say of it by now.
    await page
      .getByRole("menuitem", { name: /Last mail/ })
      .first()
      .click();
    await panel(page).getByText("Choose a template").waitFor();
    await saved(page);
    await turnOn(page);
    await page
      .getByRole("dialog", { name: "Enable By mouse?" })
      .getByRole("button", { name: "Enable" })
      .click();
    const refused = page.getByRole("dialog", { name: "By mouse cannot be enabled yet" });
    await refused.getByText(/has no template/).waitFor();
    await refused.locator("form").getByRole("button", { name: "Close" }).click();
    await panel(page).getByRole("combobox", { name: "Template" }).click();
    await page.getByRole("option", { name: "Hello", exact: true }).click();
    await turnOn(page);
    const dialog = page.getByRole("dialog", { name: "Enable By mouse?" });
    await dialog.getByText("when “signed up” happens").waitFor();
    await dialog.getByRole("button", { name: "Enable" }).click();
    await page.getByText("By mouse is enabled").waitFor();

    expect((await flows.call("GET", `/workflows/${id}`)).body.enabled).toBe(true);
    expect((await waysOf(id)).toSorted()).toEqual(
      [
        "Trigger > Delay",
        "Delay > Welcome",
        "Welcome > First order?",
        "First order? timeout> On a paid plan?",
        "First order? event> Has ordered",
        "On a paid plan? yes> Update contact",
        "On a paid plan? no> Webhook",
        "Webhook > A day later",
        "A day later > Was told",
        "Update contact > Last mail",
      ].toSorted(),
    );
    // What would become of a contact, and what becomes of them.
    await flows.call("POST", "/contacts", { email: "mouse@example.com" });
    await page.getByRole("tab", { name: "Trial run" }).click();
    await page.getByRole("combobox", { name: "Contact" }).fill("mouse@");
    await page.getByRole("option", { name: "mouse@example.com" }).click();
    await page.getByRole("list", { name: "What would happen" }).getByText("Welcome").first().waitFor();
    await flows.track("mouse@example.com", "signed up");
    await stage.service.runJobs();
    await page.getByRole("tab", { name: "Executions" }).click();
    await page.getByRole("row").filter({ hasText: "mouse@example.com" }).getByText("Waiting").waitFor();
    expect(await flows.states(id)).toEqual(["WAITING"]);
  });

  test("has a way where one is drawn from an open end to another step", async () => {
    const page = await opened(`/workflows/${await begun("By drag")}`);
    const palette = page.getByRole("group", { name: "Add a step" });
    await palette.getByRole("button", { name: "Delay", exact: true }).click();
    await panel(page).getByRole("button", { name: "Close the step" }).click();
    const ground = (await page.getByRole("application").boundingBox())!;
    const exit = palette.getByRole("button", { name: "Exit", exact: true });
    await dragByFinger(page, exit, page.getByRole("application"), {
      position: { x: ground.width - 180, y: ground.height - 190 },
      taken: page.locator("body > [inert]").filter({ hasText: "Exit" }),
    });
    await panel(page).getByRole("button", { name: "Close the step" }).click();
    const end = (await page.locator("[data-end] .react-flow__handle").first().boundingBox())!;
    const target = (await step(page, "Exit").boundingBox())!;
    await page.mouse.move(end.x + end.width / 2, end.y + end.height / 2);
    await page.mouse.down();
    await page.mouse.move(target.x + target.width / 2, target.y + 20, { steps: 12 });
    await page.mouse.move(target.x + target.width / 2, target.y + 4, { steps: 4 });
    await page.mouse.up();
    await page.getByRole("button", { name: "Insert a step: From Delay to Exit" }).waitFor();
  });

  test("is made by keyboard alone, in the list", async () => {
    const id = await begun("By keyboard");
    const page = await opened(`/workflows/${id}?view=list`);
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const add = async (label: string, type: string) => {
      await page
        .getByRole("list", { name: "Steps" })
        .getByRole("button", { name: label, exact: true })
        .focus();
      await press("Enter");
      await page.getByRole("menuitem", { name: type }).focus();
      await press("Enter");
      await panel(page).getByRole("heading", { name: type }).waitFor();
    };
    await add("Add a step after Trigger", "Delay");
    await press("Tab", "Tab");
    await page.keyboard.type("A day");
    await add("Add a step after A day", "Wait for event");
    await panel(page)
      .getByRole("textbox", { name: "Event" })
      .or(panel(page).getByRole("combobox", { name: "Event" }))
      .first()
      .focus();
    await page.keyboard.type("ordered");
    await press("Escape");
    await add("Add a step after Wait for event, Time is up", "Exit");
    // A way that leads to a step that is there.
    await page
      .getByRole("list", { name: "Steps" })
      .getByRole("button", { name: /^Wait for event/ })
      .focus();
    await press("Enter");
    // Who only passes a way by Tab, and presses Enter, changes nothing.
    await panel(page).getByRole("combobox", { name: "Time is up" }).focus();
    await press("Enter");
    const way = panel(page).getByRole("combobox", { name: "It happened" });
    await way.focus();
    await page.keyboard.type("A day");
    await page.locator("[role=option][data-combobox-selected]", { hasText: /^A day$/ }).waitFor();
    await press("Enter");
    // Not what the field says, which is what was typed.
    await page.getByRole("list", { name: "Steps" }).getByText("It happened: goes on to A day").waitFor();
    await panel(page).getByRole("heading", { name: "Wait for event" }).waitFor();
    await press("Control+s");
    await page.getByText("Saved", { exact: true }).first().waitFor();
    await page.getByRole("switch", { name: "Enabled" }).focus();
    await press("Space");
    await page.getByRole("dialog", { name: "Enable By keyboard?" }).waitFor();
    await press("Tab", "Enter");
    await page.getByText("By keyboard is enabled").waitFor();

    expect(await waysOf(id)).toEqual([
      "Trigger > A day",
      "A day > Wait for event",
      "Wait for event timeout> Exit",
      "Wait for event event> A day",
    ]);
  });
});

describeInBrowser("what is changed", () => {
  test("is kept when the window is loaded again, and can be thrown away", async () => {
    const id = await begun("Kept");
    const page = await opened(`/workflows/${id}`);
    await step(page, "Trigger").waitFor();
    await page
      .getByRole("group", { name: "Add a step" })
      .getByRole("button", { name: "Exit", exact: true })
      .click();
    await panel(page).getByLabel("Reason").fill("is a customer already");
    page.once("dialog", (dialog) => void dialog.accept());
    await page.reload();
    await page.getByText("and did not save is here again").waitFor();
    await step(page, "Exit").waitFor();
    await keepPicture(page, "workflow--kept");
    await expectSound(page);
    await page.getByRole("button", { name: "Discard it" }).click();
    await step(page, "Exit").waitFor({ state: "detached" });
    expect((await graphOf(id)).steps).toHaveLength(1);
  });

  test("by two people: the second sees both versions, and loses nothing", async () => {
    const id = await begun("By two");
    const page = await opened(`/workflows/${id}`);
    await step(page, "Trigger").waitFor();
    const palette = page.getByRole("group", { name: "Add a step" });
    await palette.getByRole("button", { name: "Delay", exact: true }).click();
    await panel(page).getByRole("textbox", { name: "Name", exact: true }).fill("Mine");
    await flows.call("POST", `/workflows/${id}/steps`, { type: "EXIT", name: "Theirs", config: {} });
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const alert = page.getByRole("alert").filter({ hasText: "Somebody else has changed this workflow" });
    await alert.getByRole("region", { name: "Yours" }).getByText("Added “Mine”").waitFor();
    await alert.getByRole("region", { name: "Theirs" }).getByText("Added “Theirs”").waitFor();
    await settled(page);
    await keepPicture(page, "workflow--conflict");
    await expectSound(page, { refused: [412] });
    await alert.getByRole("button", { name: "Take this one" }).click();
    await step(page, "Theirs").waitFor();
    await page.locator("[aria-keyshortcuts=z]").click();
    await step(page, "Mine").waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await alert.getByRole("button", { name: "Save mine" }).click();
    await page.getByText("Saved", { exact: true }).first().waitFor();

    expect(await waysOf(id)).toEqual(["Trigger > Mine"]);

    // Its settings, too: what is not shown there is no conflict.
    const settings = page.getByRole("tabpanel", { name: "Settings" });
    const stored = async () => (await flows.call("GET", `/workflows/${id}`)).body;
    await page.getByRole("tab", { name: "Settings" }).click();
    await settings.getByLabel("Description").fill("First");
    await flows.call("PATCH", `/workflows/${id}`, { allowReentry: true });
    await settings.getByRole("button", { name: "Save", exact: true }).click();
    await until("the description", async () => (await stored()).description === "First");
    await settings.getByLabel("Description").fill("Mine");
    await flows.call("PATCH", `/workflows/${id}`, { name: "Of theirs" });
    await settings.getByRole("button", { name: "Save", exact: true }).click();
    await settings.getByText("Somebody else has changed this workflow's settings").waitFor();
    expect((await stored()).description).toBe("First");
    await settings.getByRole("button", { name: "Save both" }).click();
    await page.getByRole("heading", { level: 1, name: "Of theirs" }).waitFor();
    expect(await stored()).toMatchObject({ name: "Of theirs", description: "Mine", allowReentry: true });
  });

  test("and refused by the service is shown at its step and its field; a trigger that was stored before is no conflict", async () => {
    const id = await begun("Refused");
    const page = await opened(`/workflows/${id}`);
    await step(page, "Trigger").waitFor();
    await page
      .getByRole("group", { name: "Add a step" })
      .getByRole("button", { name: "Webhook", exact: true })
      .click();
    await panel(page).getByLabel("Address").fill("https://shop.example/{{unclosed");
    await step(page, "Trigger").click();
    await panel(page).getByRole("switch", { name: "Let contacts enter again" }).click({ force: true });
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await panel(page).getByRole("heading", { name: "Webhook" }).waitFor();
    await panel(page).locator('[aria-invalid="true"]').waitFor();
    await eventually(() => panel(page).getByLabel("Address").inputValue()).toBe(
      "https://shop.example/{{unclosed",
    );
    expect((await graphOf(id)).steps).toHaveLength(1);
    await panel(page).getByLabel("Address").fill("https://shop.example/hook");
    await saved(page);
    expect((await graphOf(id)).steps).toHaveLength(2);
    expect((await flows.call("GET", `/workflows/${id}`)).body.allowReentry).toBe(true);
  });

  test("of the trigger is saved with the rest, and a schedule reads as people say it", async () => {
    const id = await begun("Scheduled");
    const page = await opened(`/workflows/${id}`);
    await step(page, "Trigger").click();
    await panel(page).getByText("Schedule", { exact: true }).click();
    await panel(page).getByLabel("How often").selectOption("weekday");
    await panel(page).getByLabel("At", { exact: true }).fill("08:30");
    await page.getByText("Every weekday at 08:30, for all contacts").first().waitFor();
    await panel(page).getByRole("switch", { name: "Let contacts enter again" }).click({ force: true });
    await saved(page);

    const { triggerType, triggerConfig, allowReentry } = (await flows.call("GET", `/workflows/${id}`)).body;
    expect({ triggerType, triggerConfig, allowReentry }).toEqual({
      triggerType: "SCHEDULE",
      triggerConfig: { schedule: "30 8 * * 1-5" },
      allowReentry: true,
    });
  });
});

describeInBrowser("on a phone", () => {
  test("a step opens in a drawer, is renamed, deleted, and brought back", async () => {
    const page = await opened(`/workflows/${shownId}`, { width: 390 });
    await step(page, "Say hello").click();
    const drawer = page.getByRole("dialog", { name: "Send email" });
    await drawer.getByRole("textbox", { name: "Name", exact: true }).fill("Say welcome");
    await settled(page);
    await keepPicture(page, "workflow--drawer-390");
    await expectSound(page);
    await drawer.getByRole("button", { name: "Delete the step" }).click();
    await drawer.waitFor({ state: "detached" });
    await step(page, "Say welcome").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await step(page, "Say welcome").waitFor();
    await page.getByRole("button", { name: "Discard" }).click();
    await step(page, "Say hello").waitFor();
  });
});
