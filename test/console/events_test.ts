// Events: the live feed, the names with their events, and what comes next.
import { beforeAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { until } from "../support/process.ts";
import { eventually } from "./eventually.ts";
import { browserTest, keepPicture, settled, tour, useConsole } from "./support.ts";

const stage = useConsole();
const LONG = "Rechnungsstellungsbenachrichtigungsbestätigung.abgeschlossen";

const track = async (event: string, email: string, data: object = {}) => {
  const body = { event, email, data };
  expect((await stage.service.request("POST", "/v1/track", { key: stage.project.public, body })).status).toBe(
    200,
  );
};
const api = async (method: string, path: string, body?: unknown) =>
  (await stage.service.request(method, path, { key: stage.project.secret, body })).body;

const row = (page: Page, name: string | RegExp) => page.getByRole("row", { name });
const rows = (page: Page) => page.locator("[data-index]");

/** Three months of events, the newest of this minute, without the triggers that start workflows. */
beforeAll(async () => {
  const { pool } = stage.service;
  for (const name of ["ada", "bob", "cleo", "donaudampfschifffahrtsgesellschaftskapitaensmuetze"]) {
    await api("POST", "/contacts", { email: `${name}@example.com` });
  }
  await pool`
    insert into events (project_id, id, contact_id, name, data, created_at)
    select ${stage.project.id}, (left(first_id_at(g.at)::text, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid,
      c.id, g.name, jsonb_build_object('total', 10 + g.n % 90, 'items', jsonb_build_array('shoes', 'hat'),
        'note', repeat('A long note. ', case g.n % 9 when 0 then 60 else 1 end)), g.at
    from (
      select n, now() - n * n * interval '3 minutes' as at,
        (array['ordered', 'page viewed', 'page viewed', ${LONG}])[1 + n % 4] as name
      from generate_series(1, 200) as n
    ) as g
    join (
      select id, row_number() over (order by email) as place from contacts where project_id = ${stage.project.id}
    ) as c on c.place = 1 + g.n % 4`;
  await api("POST", "/segments", {
    name: "Has ordered",
    condition: { logic: "AND", groups: [{ filters: [{ field: "event.ordered", operator: "triggered" }] }] },
  });
  await pool`
    insert into campaigns (project_id, name, subject, body, html, from_email, status, audience_type, scheduled_for)
    select ${stage.project.id}, 'Spring sale ' || n, 's', 'b', 'b', 'news@shop.example', 'SCHEDULED', 'ALL',
      now() + n * interval '1 day'
    from generate_series(1, 3) as n`;
}, 60_000);

tour(stage, "events", {
  path: "/events",
  ready: (page) => rows(page),
  states: {
    item: async (page) => {
      await row(page, /ordered/)
        .first()
        .click({ position: { x: 2, y: 2 } });
      await page.getByRole("group", { name: "Data of the event" }).waitFor();
    },
    nothing: async (page) => {
      await page.keyboard.press("Escape");
      await page.getByRole("combobox", { name: "Kind" }).click();
      await page.getByRole("option", { name: "Complaints" }).click();
      await page.getByText("Nothing so far").waitFor();
    },
    names: async (page) => {
      await page.getByRole("tab", { name: "By name" }).click();
      await row(page, /page viewed/).waitFor();
    },
    one: async (page) => {
      await row(page, /^ordered/).click();
      await page.getByRole("heading", { level: 1, name: "ordered" }).waitFor();
      await rows(page).first().waitFor();
      await page.getByRole("link", { name: "Has ordered" }).waitFor();
    },
    "in use": async (page) => {
      await page.getByRole("button", { name: "Delete…" }).click();
      await page.getByText(/^“Has ordered” refers to it/).waitFor();
    },
    upcoming: async (page) => {
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await page.getByRole("link", { name: "Events" }).last().click();
      await page.getByRole("tab", { name: "Upcoming" }).click();
      await row(page, /Spring sale 3/).waitFor();
    },
  },
});

browserTest(
  "the feed tells what happens, stands still while it is paused or scrolled, and is narrowed",
  async () => {
    const page = await stage.open("/events");
    await page.getByText("Live", { exact: true }).waitFor();
    await track("signed up", "new@example.com", { plan: "pro" });
    await row(page, /signed up new@example\.com plan pro/).waitFor();

    await page.getByRole("button", { name: "Pause" }).click();
    const before = await rows(page).first().textContent();
    await track("paid", "new@example.com");
    await page.getByRole("button", { name: "Show 1 new" }).waitFor();
    await eventually(() => rows(page).first().textContent()).toBe(before);
    await page.getByRole("button", { name: "Show 1 new" }).click();
    await row(page, /paid/).waitFor();
    await page.getByText("Live", { exact: true }).waitFor();

    await page.getByRole("table", { name: "Activity" }).evaluate((table) => table.scrollTo({ top: 400 }));
    await page.getByText("Paused").waitFor();
    await track("while scrolled", "new@example.com");
    await page.getByRole("button", { name: "Show 1 new" }).click();
    await row(page, /while scrolled/).waitFor();

    await page.getByRole("combobox", { name: "Event" }).click();
    await page.getByRole("option", { name: "paid", exact: true }).click();
    await page.waitForURL(/event=paid/);
    await row(page, /while scrolled/).waitFor({ state: "detached" });
    await page.getByText("Live", { exact: true }).waitFor();
    await track("ignored", "new@example.com");
    await track("paid", "ada@example.com");
    await row(page, /paid ada@example\.com/).waitFor();
    await eventually(() => rows(page).count()).toBe(2);
    expect(page.complaints).toEqual([]);
    await page.context().close();
  },
);

browserTest("the feed goes on by itself after the connection broke, and has what it missed", async () => {
  const page = await stage.open("/events?types=event.triggered");
  await page.getByText("Live", { exact: true }).waitFor();
  await page.context().setOffline(true);
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await page.getByText("Not connected").waitFor();
  await track("while away", "ada@example.com");
  await page.context().setOffline(false);
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));

  await row(page, /while away/).waitFor();
  await page.getByText("Live", { exact: true }).waitFor();
  await page.close();
});

browserTest("an event is found by its name, looked at, and deleted with all of its kind", async () => {
  for (const n of [1, 2, 3])
    await track("trial/started?", `trial${n}@example.com`, { n, text: "x".repeat(900) });
  const page = await stage.open("/events?tab=names");
  await page.getByLabel("Search events").fill("trial");
  await page.waitForURL(/search=trial/);
  await page.keyboard.press("Enter");
  await page.locator("[role=table]:focus").waitFor();
  await page.keyboard.press("ArrowDown");
  await page.locator("[data-index]:focus").waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "trial/started?" }).waitFor();
  await page.getByText("3 contacts. No segment, campaign or workflow refers to it.").waitFor();
  await row(page, /trial3@example\.com/).click({ position: { x: 2, y: 2 } });
  const data = page.getByRole("group", { name: "Data of the event" });
  await data.getByRole("button", { name: "Show all 900 characters" }).click();
  await until("all of the text", async () => (await data.textContent())!.includes("x".repeat(900)));
  await eventually(() => data.textContent()).toContain('"n": 3');
  await keepPicture(page, "events--long-data");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Delete…" }).click();
  await page.getByText(/^3 events of 3 contacts are deleted\./).waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("3 events “trial/started?” deleted").waitFor();

  await page.waitForURL(/tab=names/);
  await row(page, /page viewed/).waitFor();
  await row(page, /trial/).waitFor({ state: "detached" });
  expect((await api("GET", "/events/names")).eventNames).not.toContain("trial/started?");
  await stage.visit(page, `/events?name=${encodeURIComponent("trial/started?")}`);
  await page.getByRole("heading", { name: "No events" }).waitFor();
  await settled(page);
  await eventually(() => page.getByRole("button", { name: "Delete…" }).count()).toBe(0);
  const long = "imported from the old shop ".repeat(9).trim();
  await page.setViewportSize({ width: 390, height: 844 });
  await stage.visit(page, `/events?name=${encodeURIComponent(long)}`);
  const title = page.getByRole("heading", { level: 1, name: long });
  const lines = () =>
    title.evaluate((one) => Math.round(one.clientHeight / parseFloat(getComputedStyle(one).lineHeight)));
  await eventually(lines).toBe(3);
  await eventually(() => title.getAttribute("title")).toBe(long);
  await page.context().close();
});

browserTest("a project without events tracks its first one with a click", async () => {
  const other = await stage.service.createProject();
  const { join } = await import("../support/accounts.ts");
  await join(stage.service, stage.owner, other.id, "MEMBER");
  const page = await stage.open(`~/p/${other.id}/events`);
  await page.getByRole("heading", { name: "Nothing has happened yet" }).waitFor();
  await settled(page);
  await keepPicture(page, "events--empty");
  await page.getByRole("button", { name: "Track a test event" }).click();
  await row(page, /test event/).waitFor();

  await eventually(() => rows(page).count()).toBe(1);
  await page.context().close();
});
