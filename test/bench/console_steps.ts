// Lists with as much in them as a project of some age has, and how long a step of the navigation to each of them takes.
import type { Page } from "playwright-core";
import type { Visitor } from "./support/browser.ts";
import { openLoader } from "./support/loader.ts";
import { below, median, type Report } from "./support/report.ts";

const STEP_MS = 150;
const VISITS = 7;
const PAGES = [
  "Contacts",
  "Segments",
  "Events",
  "Templates",
  "Workflows",
  "Images",
  "Campaigns",
  "Sent mails",
  "Domains",
  "Suppressions",
  "Keys",
  "Members",
  "Settings",
];
const MADE = 60;
const MAILS = 20_000;
const CONTACTS = 2_000;

/** Fills those lists that contacts alone leave empty: some dozens of everything that people make, and mails with their events. */
export async function fillLists(
  url: string,
  { origin, project }: { origin: string; project: { id: string; secret: string } },
): Promise<void> {
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${origin}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${project.secret}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`Cannot fill the lists, ${path}: ${await answer.text()}`);
  };
  const mail = { body: "<p>Hello {{firstName ?? there}}</p>", from: "news@shop.example" };
  const filters = [{ field: "data.plan", operator: "equals", value: "pro" }];
  for (let n = 1; n <= MADE; n++) {
    const [name, subject] = [`Number ${n}`, `What is new, ${n}`];
    await post("/templates", { name, subject, type: "MARKETING", ...mail });
    await post("/campaigns", { name, subject, audienceType: "ALL", ...mail });
    await post("/workflows", { name, eventName: `event ${n}` });
    await post("/segments", { name, condition: { logic: "AND", groups: [{ filters }] } });
  }
  const loader = openLoader(url, { triggers: true });
  await loader`
    with content as (
      insert into contents (project_id, subject, html, from_email)
      values (${project.id}, 'What is new', 'Hi', 'news@shop.example')
      returning id
    ),
    people as materialized (
      select id, email, row_number() over (order by id) as n
      from contacts where project_id = ${project.id}
      order by id
      limit ${CONTACTS}
    ),
    mails as (
      insert into emails (project_id, contact_id, address, content_id, source_type, status, due_at, queued_at, sent_at)
      select ${project.id}, p.id, p.email, c.id, 'TRANSACTIONAL', 'SENT', now(), now(), now()
      from people p
      cross join content c
      cross join generate_series(1, ${MAILS / CONTACTS}::int)
    )
    insert into events (project_id, contact_id, name, data)
    select ${project.id}, p.id, 'event ' || 1 + (p.n + k) % ${MADE}, '{"plan": "pro"}'
    from people p
    cross join generate_series(1, ${MAILS / CONTACTS}::int) as k`;
  await loader.unsafe("vacuum analyze emails, events");
  await loader.end();
}

/** From the click in the navigation until the page has its title, its rows, and was painted. */
export async function measureSteps(report: Report, { arrive }: Visitor, home: string): Promise<void> {
  const times = new Map(PAGES.map((name) => [name, { first: [] as number[], again: [] as number[] }]));
  for (let visit = 0; visit < VISITS; visit++) {
    const context = await arrive();
    const page = await context.newPage();
    await page.goto(home);
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await page.waitForLoadState("load");
    for (const when of ["first", "again"] as const) {
      for (const name of PAGES) times.get(name)![when].push(await step(page, name));
    }
    await context.close();
  }
  for (const [name, { first, again }] of times) {
    report.line(`step to ${name}`, median(first), "ms", {
      goal: below(STEP_MS),
      note: { again: Math.round(median(again)), slowest: Math.round(Math.max(...first)) },
    });
  }
}

/** In the page, so that the way to the browser is not measured. */
async function step(page: Page, name: string): Promise<number> {
  return await page.evaluate(async (label) => {
    const frame = () => new Promise((painted) => requestAnimationFrame(painted));
    const link = [...document.querySelectorAll<HTMLElement>("nav a")].find(({ textContent }) =>
      textContent?.trim().startsWith(label),
    )!;
    const isThere = () =>
      document.querySelector("main h1")?.textContent === label &&
      document.querySelector("main .mantine-Skeleton-root, main .mantine-Loader-root") === null;
    const startedAt = performance.now();
    link.click();
    while (!isThere()) await frame();
    // The next frame begins when this one was painted.
    await frame();
    return performance.now() - startedAt;
  }, name);
}
