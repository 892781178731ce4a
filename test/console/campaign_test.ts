// One campaign from its first words to its mails: written, aimed, checked, tried, and sent.
import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { campaignsOf } from "../support/campaign.ts";
import { until } from "../support/process.ts";
import { DOMAIN } from "../support/service.ts";
import { eventually } from "./eventually.ts";
import { describeInBrowser, expectSound, keepPicture, type OpenPage, tour, useConsole } from "./support.ts";

const stage = useConsole();
const { call, addContacts, create, send, get } = campaignsOf(stage.service, () => stage.project);
const ids: Record<string, string> = {};
let segmentId: string;

const MJML = `<mjml>
  <mj-body>
    <mj-section>
      <mj-column>
        <mj-text>Hello {{firstName ?? there}}, you are on {{plan}}.</mj-text>
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>
`;
const isPro = {
  logic: "AND",
  groups: [{ filters: [{ field: "data.plan", operator: "equals", value: "pro" }] }],
};

const make = async (name: string, more: object = {}) => (ids[name] = await create({ name, ...more }));
const step = (page: Page, name: string) => page.getByRole("tab", { name, exact: true });
const saved = (page: Page) => page.getByText(/^Saved /).waitFor();
const reach = (page: Page) => page.getByRole("complementary", { name: "Who this reaches" });
const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name, exact: true });

beforeAll(async () => {
  await addContacts(40, "people");
  await stage.service.pool`
    update contacts set
      data = data || jsonb_build_object('plan', case when id::text < '8' then 'free' else 'pro' end),
      subscribed = email not in ('people1@example.com', 'people2@example.com')
    where project_id = ${stage.project.id}`;
  await stage.service.pool`
    update contacts set data = data || '{"plan": "pro"}' where email like 'people1%' or email like 'people2%'`;
  await stage.service.pool`
    update contacts set data = data || '{"plan": "free"}' where email not like 'people1%' and email not like 'people2%'`;
  await call("POST", "/suppressions", { emails: ["people3@example.com"] });
  segmentId = (await call("POST", "/segments", { name: "Pro customers", condition: isPro })).body.id;
  await call("POST", `/segments/${segmentId}/refresh`);
  await call("POST", "/templates", {
    name: "Monthly",
    subject: "This month",
    body: MJML,
    from: `news@${DOMAIN}`,
  });
  await make("Spring sale", { body: MJML, subject: "SPRING SALE!!!", preheader: "Up to half off" });
  await make("Friday", { audienceType: "FILTERED", audienceCondition: isPro });
  await send(ids.Friday!, new Date(Date.now() + 3 * 86_400_000).toISOString());
}, 60_000);

tour(stage, "campaign", {
  path: () => `/campaigns/${ids["Spring sale"]}`,
  ready: (page) => page.getByLabel("Blocks of the mail"),
  states: {
    sender: async (page) => {
      await page.getByRole("button", { name: "Name and sender" }).click();
      await page.getByLabel("Reply to").waitFor();
    },
    template: async (page) => {
      await page.getByRole("button", { name: "Use a template" }).click();
      await page
        .getByRole("dialog")
        .getByRole("button", { name: /^Monthly/ })
        .waitFor();
    },
    audience: async (page) => {
      await page.keyboard.press("Escape");
      await step(page, "Audience").click();
      await reach(page).getByText("37 contacts").waitFor();
    },
    check: async (page) => {
      await step(page, "Check").click();
      await page
        .getByRole("heading", { name: /^(Problems|Warnings)$/ })
        .first()
        .waitFor();
    },
    send: async (page) => {
      await step(page, "Send").click();
      await page.getByText("At a time", { exact: true }).click();
      await page.getByLabel("Day and time").waitFor();
    },
  },
});
tour(stage, "campaign-scheduled", {
  path: () => `/campaigns/${ids.Friday}?step=audience`,
  ready: (page) => page.getByRole("combobox", { name: "Field" }),
  states: {
    send: async (page) => {
      await step(page, "Send").click();
      await page.getByText(/^It goes out on /).waitFor();
    },
  },
});

describeInBrowser("a campaign", () => {
  test("goes by mouse from nothing to its mails: written, aimed, checked, tried and sent", async () => {
    await stage.service.runJobs();
    stage.service.smtp.received.length = 0;
    const page = await stage.open("/campaigns");
    await page.getByRole("link", { name: "New campaign" }).click();
    await page.getByRole("button", { name: /^Plain mail/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("News in May");
    await dialog.getByRole("button", { name: "Create campaign" }).click();
    await heading(page, "News in May").waitFor();
    const id = new URL(page.url()).pathname.split("/").at(-1)!;
    await page.getByLabel("Subject").fill("What is new, {{firstName ?? friend}}");
    await page.getByLabel("Preview text").fill("A word from us");
    await saved(page);
    expect((await get(id)).subject).toBe("What is new, {{firstName ?? friend}}");

    await page.getByRole("button", { name: "Next: audience" }).click();
    await reach(page).getByText("37 contacts").waitFor();
    await page.getByRole("radio", { name: "A segment" }).click();
    await page.getByText("Not saved yet: choose the segment").waitFor();
    await page.getByRole("combobox", { name: "Segment" }).click();
    await page.getByRole("option", { name: "Pro customers (22 members)" }).click();
    await reach(page).getByText("20 contacts").waitFor();
    await eventually(() => reach(page).textContent()).toMatch(/In the audience22Not subscribed−2/);
    await page.getByRole("button", { name: "Next: check" }).click();
    await page
      .getByRole("status")
      .filter({ hasText: /problem|warning|as it should be/ })
      .waitFor();
    expect(await get(id)).toMatchObject({ audienceType: "SEGMENT", segmentId });
    await page.getByRole("button", { name: "Next: send" }).click();

    await page.getByRole("combobox", { name: "To", exact: true }).fill("me@people.example");
    await page.getByRole("button", { name: "Send test" }).click();
    const tests = page.getByRole("list", { name: "Test mails" });
    await tests.getByText("me@people.example").waitFor();
    await stage.service.runJobs();
    await tests.getByText("Sent", { exact: true }).waitFor();
    expect(stage.service.smtp.received.map(({ to }) => to).flat()).toEqual(["me@people.example"]);
    await keepPicture(page, "campaign--tested");

    await page.getByRole("button", { name: "Send to 20 contacts" }).click();
    const question = page.getByRole("dialog", { name: "Send News in May now?" });
    await question.getByText("“What is new, {{firstName ?? friend}}” goes to 20 contacts").waitFor();
    await keepPicture(page, "campaign--confirm");
    await expectSound(page);
    await question.getByRole("button", { name: "Cancel" }).click();
    expect((await get(id)).status).toBe("DRAFT");
    await page.getByRole("button", { name: "Send to 20 contacts" }).click();
    await question.getByRole("button", { name: "Send to 20 contacts" }).click();
    await page.getByText("News in May is being sent").waitFor();
    await step(page, "Send").waitFor({ state: "detached" });
    await stage.service.runJobs();
    expect(await get(id)).toMatchObject({ status: "SENT", sentCount: 20 });
    await page.locator("main").getByText("Sent", { exact: true }).first().waitFor();
    await page.context().close();
  });

  test("is written, aimed and scheduled by keyboard alone; then it is moved, and unscheduled", async () => {
    const id = await make("By keyboard");
    const page = await stage.open(`/campaigns/${id}`);
    await step(page, "Content").waitFor();
    const reachBy = async (key: string, name: string) => {
      for (let n = 0; n < 80; n++) {
        await page.keyboard.press(key);
        const focused = await page.evaluate(() => {
          const { activeElement: it } = document;
          return it?.getAttribute("aria-label") ?? it?.textContent ?? "";
        });
        if (focused === name) return;
      }
      throw new Error(`No ${name} is reached by ${key}`);
    };
    await page.getByLabel("Subject").focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("Typed");
    await page.keyboard.press("Control+s");
    await saved(page);
    await step(page, "Content").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.waitForURL(/step=audience/);
    await page.getByRole("radio", { name: "All contacts" }).focus();
    await page.keyboard.press("ArrowDown");
    await page.getByRole("combobox", { name: "Segment" }).focus();
    await page.keyboard.press("ArrowDown");
    await page.getByRole("option").first().waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await reach(page).getByText("20 contacts").waitFor();
    await step(page, "Audience").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.waitForURL(/step=send/);
    await page.getByRole("radio", { name: "Now" }).focus();
    await page.keyboard.press("ArrowDown");
    await page.getByLabel("Day and time").fill("2035-01-01T10:00");
    await reachBy("Tab", "Schedule for 20 contacts");
    await page.keyboard.press("Enter");
    const question = page.getByRole("dialog", { name: "Schedule By keyboard?" });
    await question.getByText("Monday", { exact: false }).waitFor();
    await reachBy("Tab", "Schedule");
    await page.keyboard.press("Enter");
    await page.getByText(/^It goes out on Monday,? 1 January 2035/).waitFor();
    expect(await get(id)).toMatchObject({
      status: "SCHEDULED",
      subject: "Typed",
      scheduledFor: "2035-01-01T10:00:00.000Z",
    });

    await page.getByLabel("Day and time").fill("2020-01-01T10:00");
    await page.getByText("This time is over").waitFor();
    await eventually(() => page.getByRole("button", { name: /^Schedule for/ }).isDisabled()).toBe(true);
    await page.getByLabel("Day and time").fill("2035-01-02T10:00");
    await page.getByRole("button", { name: /^Schedule for/ }).click();
    await question.getByRole("button", { name: "Schedule" }).click();
    await page.getByText(/^It goes out on Tuesday/).waitFor();
    await page.getByRole("button", { name: "Unschedule" }).click();
    await page.getByText("By keyboard is a draft again").waitFor();
    expect((await get(id)).status).toBe("DRAFT");
    await page.context().close();
  });

  test("half of an audience is neither saved nor sent, and a finished one is", async () => {
    const id = await make("Aimed");
    const page = await stage.open(`/campaigns/${id}?step=audience`);
    await page.getByRole("radio", { name: "A condition" }).click();
    await page.getByText("Not saved yet: finish the condition").waitFor();
    await step(page, "Send").click();
    await page.getByText("Your changes cannot be saved yet: finish the condition.").waitFor();
    await eventually(() => page.getByRole("button", { name: /^Send/ }).count()).toBe(0);
    await page.getByRole("button", { name: "Back to audience" }).click();
    await page.getByRole("combobox", { name: "Field" }).fill("plan");
    await page.getByRole("option", { name: "plan", exact: true }).click();
    await page.getByRole("combobox", { name: "Value", exact: true }).fill("pro");
    await reach(page).getByText("20 contacts").waitFor();
    await saved(page);
    expect((await get(id)).audienceCondition).toEqual(isPro);
    await page.getByRole("button", { name: "Add a filter" }).click();
    await page.getByText("Not saved yet: finish the condition").waitFor();
    expect((await get(id)).audienceCondition).toEqual(isPro);
    // What is only half there is not left without a question.
    await page.getByRole("link", { name: "Images" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
    await heading(page, "Images").waitFor();
    await page.context().close();
  });

  test("takes the words of a template, and gives them back", async () => {
    const id = await make("Borrowed");
    const page = await stage.open(`/campaigns/${id}`);
    const borrow = async () => {
      await page.getByRole("button", { name: "Use a template" }).click();
      await page
        .getByRole("dialog")
        .getByRole("button", { name: /^Monthly/ })
        .click();
      await page.getByText("The content of Monthly was copied").last().waitFor();
    };
    await borrow();
    await page.locator("button[aria-keyshortcuts=z]").click();
    await page.getByText("The content of Monthly was copied").waitFor({ state: "detached" });
    await eventually(() => page.getByLabel("Subject").inputValue()).toBe("Hello {{firstName ?? there}}");
    await borrow();
    await page.getByLabel("Blocks of the mail").waitFor();
    await saved(page);
    expect(await get(id)).toMatchObject({ subject: "This month", body: MJML });
    await page.context().close();
  });
});

describeInBrowser("what is written of a campaign", () => {
  test("two write at once: the second sees both, and saves theirs with it or over it", async () => {
    const id = await make("Two people");
    const page = await stage.open(`/campaigns/${id}`);
    await page.getByLabel("Subject").waitFor();
    await call("PATCH", `/campaigns/${id}`, { subject: "Theirs", preheader: "Only theirs" });
    await page.getByLabel("Subject").fill("Mine");
    const alert = page.getByRole("alert");
    await alert.getByRole("cell", { name: "Theirs" }).waitFor();
    await alert.getByRole("cell", { name: "Mine" }).waitFor();
    await keepPicture(page, "campaign--two-people");
    await expectSound(page, { refused: [412] });
    expect((await get(id)).subject).toBe("Theirs");
    await alert.getByRole("button", { name: "Save mine over theirs" }).click();
    await saved(page);
    const { subject, preheader } = await get(id);
    expect([subject, preheader]).toEqual(["Mine", "Only theirs"]);
    await eventually(() => page.getByLabel("Preview text").inputValue()).toBe("Only theirs");

    // What was asked about is what goes out.
    await step(page, "Send").click();
    await page.getByRole("button", { name: /^Send to \d/ }).click();
    const question = page.getByRole("dialog", { name: "Send Two people now?" });
    await question.waitFor();
    await call("PATCH", `/campaigns/${id}`, { subject: "Theirs again" });
    await question.getByRole("button", { name: /^Send to/ }).click();
    await question.getByText(/^Cannot send this campaign: .* has changed it/).waitFor();
    expect((await get(id)).status).toBe("DRAFT");
    await question.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: /^Send to \d/ }).click();
    await question.getByText("“Theirs again” goes to").waitFor();
    await page.context().close();
  });

  test("is not taken for somebody else's: not where an answer is lost, and not where one leaves while it is saved", async () => {
    const id = await make("Alone");
    const page = await stage.open(`/campaigns/${id}`);
    const subject = page.getByLabel("Subject");
    await subject.waitFor();
    const address = `**/campaigns/${id}`;
    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    // The answer to the first save is lost; a later one takes long.
    let [saves, isHeld] = [0, false];
    await page.route(address, async (route) => {
      if (route.request().method() === "PATCH") saves++;
      else return await route.fallback();
      if (saves === 1) {
        await route.fetch();
        return await route.abort();
      }
      if (isHeld) {
        isHeld = false;
        reached.resolve();
        await released.promise;
      }
      await route.continue();
    });
    await subject.fill("Stored, and nobody heard of it");
    await page.getByText("Kept in this browser until the service responds again").waitFor();
    await subject.fill("Written after that");
    await saved(page);
    expect((await get(id)).subject).toBe("Written after that");

    isHeld = true;
    await subject.fill("One half");
    await reached.promise;
    await subject.fill("One half and the other");
    await page.getByRole("link", { name: "Images" }).click();
    await heading(page, "Images").waitFor();
    released.resolve();
    await until("both halves", async () => (await get(id)).subject === "One half and the other");
    await page.goBack();
    await saved(page);
    await eventually(() => subject.inputValue()).toBe("One half and the other");
    await page.context().close();
  });

  test("is kept while the connection is broken, saved by itself when it is back, and on the way out", async () => {
    const id = await make("Offline");
    const page = await stage.open(`/campaigns/${id}`);
    await page.getByLabel("Subject").waitFor();
    await page.context().setOffline(true);
    await page.getByLabel("Subject").fill("Written in a tunnel");
    await page.getByText("Kept in this browser until the service responds again").waitFor();
    await page.context().setOffline(false);
    await saved(page);
    expect((await get(id)).subject).toBe("Written in a tunnel");

    await page.getByLabel("Subject").fill("Written on the way out");
    await page.getByRole("link", { name: "Images" }).click();
    await heading(page, "Images").waitFor();
    await until("the words on the server", async () => (await get(id)).subject === "Written on the way out");
    await page.goBack();
    await page.getByLabel("Subject").waitFor();
    await eventually(() => page.getByLabel("Subject").inputValue()).toBe("Written on the way out");
    await saved(page);

    // What is refused stays as it was typed, and is sent again when it has been changed.
    await page.getByLabel("Subject").fill("Hello {{#if");
    await page.getByText("Not saved yet: see what is marked").waitFor();
    await eventually(() => page.getByLabel("Subject").inputValue()).toBe("Hello {{#if");
    await page.getByLabel("Subject").fill("Hello");
    await saved(page);
    await page.context().close();
  });

  test("goes on in a copy where the campaign was sent meanwhile", async () => {
    const id = await make("Sent elsewhere");
    const page = await stage.open(`/campaigns/${id}`);
    await page.getByLabel("Subject").waitFor();
    await page.context().setOffline(true);
    await page.getByLabel("Subject").fill("Too late for this one");
    await page.getByText("Kept in this browser until the service responds again").waitFor();
    await send(id);
    await page.context().setOffline(false);
    await page.getByText(/was not saved when this campaign was sent/).waitFor();
    // Of the broken connection.
    page.complaints.splice(0);
    await keepPicture(page, "campaign--sent-meanwhile");
    await expectSound(page);
    await page.getByRole("button", { name: "Continue in a copy" }).click();
    await heading(page, "Sent elsewhere (Copy)").waitFor();
    await saved(page);
    await eventually(() => page.getByLabel("Subject").inputValue()).toBe("Too late for this one");
    const copy = new URL(page.url()).pathname.split("/").at(-1)!;
    expect((await get(copy)).subject).toBe("Too late for this one");
    expect((await get(id)).subject).not.toBe("Too late for this one");
    await page.context().close();
  });

  test("of a scheduled one is saved only when somebody says so", async () => {
    const page = await stage.open(`/campaigns/${ids.Friday}`);
    await page.getByLabel("Subject").fill("Changed late");
    await page.getByText("Not saved yet", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Discard" }).click();
    await eventually(() => page.getByLabel("Subject").inputValue()).toBe("Hello {{firstName ?? there}}");
    await page.getByLabel("Subject").fill("Changed in time");
    await step(page, "Check").click();
    await page.getByRole("heading", { name: "There are changes that are not saved" }).waitFor();
    expect((await get(ids.Friday!)).subject).toBe("Hello {{firstName ?? there}}");
    await page.locator("main").getByRole("button", { name: "Save", exact: true }).last().click();
    await saved(page);
    expect(await get(ids.Friday!)).toMatchObject({ status: "SCHEDULED", subject: "Changed in time" });
    await page.context().close();
  });

  test("is a member's to send, and nobody's of another project", async () => {
    const id = await make("Of a member");
    const member = await stage.member("MEMBER");
    const page: OpenPage = await stage.open(`/campaigns/${id}?step=send`, { as: member });
    await page.getByRole("button", { name: "Send to 37 contacts" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Send to 37 contacts" }).click();
    await page.getByText("Of a member is being sent").waitFor();
    const other = await stage.service.createProject();
    const theirs = await stage.service.request("POST", "/campaigns", {
      key: other.secret,
      body: { name: "Theirs", subject: "s", body: "<p>b</p>", from: `a@${DOMAIN}`, audienceType: "ALL" },
    });
    await stage.visit(page, `/campaigns/${theirs.body.data.id}`);
    await page.getByRole("heading", { name: "Cannot find this campaign" }).waitFor();
    await page.context().close();
  });
});
