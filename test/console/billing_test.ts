// What a project may use and pays, where billing is on: Stripe is a server of the test.
import { beforeAll, expect } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { syncBilling } from "../../src/accounts/billing/events.ts";
import { join } from "../support/accounts.ts";
import { startStripe, stripeSettings, useStripe } from "../support/stripe.ts";
import { eventually } from "./eventually.ts";
import { browserTest, expectSound, type OpenPage, tour, useConsole } from "./support.ts";

const stripe = await startStripe();
// With time to answer on a busy machine.
const stage = useConsole(stripeSettings(stripe.url.replace("timeout=400", "timeout=20000")));
useStripe(stripe);

const DAY_S = 86_400;
const PAGE_OF_STRIPE = "https://checkout.example/";
/** The projects that are shown, each in another state. */
const projects: Record<string, NewProject> = {};

const call = (state: string, method: string, path: string, body?: unknown) =>
  stage.owner.request(method, `/users/@me/projects/${projects[state]!.id}${path}`, body);
const pathOf = (state: string, query = "") => `~/p/${projects[state]!.id}/billing${query}`;
const go = (page: OpenPage, state: string, query = "") => stage.visit(page, pathOf(state, query));

/** A project whose owner has subscribed, as Stripe has it and the service knows it. */
async function subscribed(state: string, changes: object = {}): Promise<void> {
  const { body } = await call(state, "POST", "/checkout");
  const subscription = stripe.books.complete(body.url);
  Object.assign(subscription, changes);
  for (let n = 0; n < 15; n++) {
    const created = stripe.books.now() - n * 30 * DAY_S;
    stripe.books.invoices.push({
      customer: subscription.customer,
      id: `in_${state}${n}`,
      number: `3F2A9C1B-00${40 - n}`,
      status: n === 0 && state === "pastDue" ? "open" : "paid",
      amount_due: 123_456_789 - n * 1_000_003,
      amount_paid: n === 0 && state === "pastDue" ? 0 : 123_456_789 - n * 1_000_003,
      currency: "eur",
      created,
      period_start: created - 30 * DAY_S,
      period_end: created,
      hosted_invoice_url: `https://invoice.example/${n}`,
      invoice_pdf: `https://invoice.example/${n}.pdf`,
    });
  }
  await syncBilling(stage.service, { projectId: projects[state]!.id });
}

/** What was used in this month, and of which limits. */
async function used(state: string, counts: Record<string, number>, limits: object): Promise<void> {
  for (const [category, count] of Object.entries(counts)) {
    await stage.service.pool`
      insert into usage_months (project_id, month, category, used)
      values (${projects[state]!.id}, usage_month(now()), ${category}, ${count})`;
  }
  await call(state, "PUT", "/billing-limits", limits);
}

beforeAll(async () => {
  for (const state of ["none", "paid", "pastDue"]) {
    projects[state] = await stage.service.createProject();
    await join(stage.service, stage.owner, projects[state].id, "OWNER");
  }
  await subscribed("paid", { cancel_at: stripe.books.now() + 12 * DAY_S });
  await used(
    "paid",
    { transactional: 1_283_404, campaigns: 12_345_678, workflows: 84_001 },
    { transactional: 2_000_000, campaigns: 100_000_000, workflows: 100_000 },
  );
  await subscribed("pastDue", { status: "past_due" });
  await used(
    "pastDue",
    { transactional: 20_117, campaigns: 96_000 },
    { transactional: 20_000, campaigns: 100_000 },
  );
});

tour(stage, "billing", {
  path: () => pathOf("none"),
  ready: (page) => page.getByText("There is none yet."),
  states: {
    paid: async (page) => {
      await go(page, "paid");
      await page.getByRole("link", { name: "Open 3F2A9C1B-0040" }).waitFor();
    },
    "past-due-and-over-a-limit": async (page) => {
      await go(page, "pastDue");
      await page.getByText("The last payment has failed").waitFor();
      await page.getByText("used up").waitFor();
    },
    limits: async (page) => {
      await page.getByRole("button", { name: "Change the limits" }).click();
      await page.getByRole("dialog", { name: "Limits of a month" }).waitFor();
    },
  },
});

browserTest("somebody subscribes on the page of Stripe, and is told when it is confirmed", async () => {
  const project = (projects.new = await stage.service.createProject());
  await join(stage.service, stage.owner, project.id, "OWNER");
  const page = await stage.open(pathOf("new"));
  await page.route(`${PAGE_OF_STRIPE}**`, (route) =>
    route.fulfill({ contentType: "text/html", body: "Pay here" }),
  );
  await page.getByRole("button", { name: "Subscribe" }).click();
  await page.getByText("Pay here").waitFor();
  const [session] = stripe.books.sessions;
  expect(session!.success_url).toBe(`${stage.origin}/app/p/${project.id}/billing?checkout=success`);
  stripe.books.complete(session!.url);
  await page.goto(session!.success_url);
  await page.getByText("as soon as the payment provider has confirmed it").waitFor();
  await syncBilling(stage.service, { projectId: project.id });
  await page.getByText("Thank you: you are subscribed.").waitFor();
  await page.getByRole("button", { name: "Change or cancel" }).waitFor();
  // Stripe was asked for, and nothing else from elsewhere.
  page.complaints = page.complaints.filter((complaint) => !complaint.includes(PAGE_OF_STRIPE));
  await expectSound(page);
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByText("Thank you: you are subscribed.").waitFor({ state: "detached" });
  await eventually(async () => new URL(page.url()).search).toBe("");
  await page.context().close();
});

browserTest("older invoices are shown when they are asked for, and a limit is changed", async () => {
  const page = await stage.open(pathOf("paid"));
  await page.getByRole("button", { name: "Show older ones" }).click();
  await page.getByRole("link", { name: "Open 3F2A9C1B-0026" }).waitFor();
  await eventually(() => page.getByRole("list", { name: "Invoices" }).getByRole("listitem").count()).toBe(15);
  await page.getByRole("button", { name: "Change the limits" }).click();
  await page.getByRole("dialog").getByLabel("Mail of workflows").fill("84000");
  await page.keyboard.press("Enter");
  await page.getByText("Limits saved").waitFor();
  await page.getByText("of 84,000 · used up").waitFor();
  expect((await call("paid", "GET", "/billing-limits")).body.workflows).toMatchObject({
    limit: 84_000,
    isBlocked: true,
  });
  await page.context().close();
});
