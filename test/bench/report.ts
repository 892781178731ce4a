// The report of a campaign of a million mails, as the console opens it; and how many an audience of a million has. Against the
// same for a campaign of a few mails, in the same run.
import type { Page } from "playwright-core";
import { builtConsole } from "../../src/console_build.ts";
import { fillContacts, timed } from "./support/audience.ts";
import { logIn, withVisitor } from "./support/browser.ts";
import { draftCampaign } from "./support/campaigns.ts";
import { openLoader } from "./support/loader.ts";
import { below, type BenchOptions, median, type Report } from "./support/report.ts";
import { onStage, type Stage } from "./support/stage.ts";

const MAILS = 1_000_000;
const FEW = 10;
const SUPPRESSED = 20_000;
const OPEN_MS = 500;
const CALL_MS = 100;
const AUDIENCE_MS = 600;
const VISITS = 7;

/** What the tabs of the report ask for. */
const CALLS = [
  "",
  "/series",
  "/reasons",
  "/links",
  "/recipients?limit=100",
  "/recipients?limit=100&opened=true",
  "/recipients?limit=100&opened=false",
  "/recipients?limit=100&clicked=true",
  "/recipients?limit=100&unsubscribed=true",
  "/recipients?limit=100&status=BOUNCED",
];

/** Runs the bench. */
export async function run(report: Report, { mails = MAILS }: BenchOptions): Promise<void> {
  await onStage(async (stage) => {
    const { ctx, databaseUrl, project, startService } = stage;
    await fillContacts(databaseUrl, project.id, mails);
    const [large, small] = [await draftCampaign(stage), await draftCampaign(stage)];
    await fillCampaign(stage, large, mails);
    await fillCampaign(stage, small, FEW);
    await builtConsole(ctx.config.DATA_DIR, { compress: true });
    const service = await startService({ MODE: "http" });
    const origin = `http://localhost:${service.port}`;
    const ask = async (path: string, body?: object) => {
      const response = await fetch(origin + path, {
        method: body ? "POST" : "GET",
        headers: { authorization: `Bearer ${project.secret}`, "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`Cannot ask for ${path}: ${await response.text()}`);
      return (await response.json()) as Record<string, unknown>;
    };
    for (const call of CALLS) {
      const ms = await timed(() => ask(`/campaigns/${large}${call}`));
      const floor = await timed(() => ask(`/campaigns/${small}${call}`));
      report.line(`GET /campaigns/:id${call}`, ms, "ms", {
        goal: below(CALL_MS),
        note: { ofTenMails: rounded(floor) },
      });
    }
    await measureAudience(report, ask);
    const cookie = await logIn(ctx, project.id, "ada@example.com");
    await withVisitor(origin, cookie, async ({ arrive }) => {
      const home = `${origin}/app/p/${project.id}/campaigns`;
      const times: Record<string, number[]> = { [large]: [], [small]: [] };
      const context = await arrive();
      const page = await context.newPage();
      for (let visit = 0; visit <= VISITS; visit++) {
        for (const id of [large, small]) {
          const ms = await open(page, home, id);
          if (visit > 0) times[id]!.push(ms);
        }
      }
      report.line("the report, from the click to its charts", median(times[large]!), "ms", {
        goal: below(OPEN_MS),
        note: { ofTenMails: rounded(median(times[small]!)), slowest: rounded(Math.max(...times[large]!)) },
      });
      await context.close();
    });
    await service.stop();
  });
}

/** From the click in the list until the report has its numbers, its chart, and was painted. In the page. */
async function open(page: Page, home: string, id: string): Promise<number> {
  await page.goto(home);
  await page.locator(`main a[href$="${id}"]`).waitFor();
  return await page.evaluate(async (wanted) => {
    const frame = () => new Promise((painted) => requestAnimationFrame(painted));
    const isThere = () =>
      document.querySelector('main [role="img"][aria-label^="Opens and clicks"]') !== null &&
      document.querySelector("main .mantine-Skeleton-root, main .mantine-Loader-root") === null;
    const startedAt = performance.now();
    document.querySelector<HTMLElement>(`main a[href$="${wanted}"]`)!.click();
    while (!isThere()) await frame();
    // The next frame begins when this one was painted.
    await frame();
    return performance.now() - startedAt;
  }, id);
}

type Ask = (path: string, body?: object) => Promise<Record<string, unknown>>;

/** Whom it would reach: counted, or estimated where that takes too long. */
async function measureAudience(report: Report, ask: Ask): Promise<void> {
  const filtered = (...filters: object[]) => ({
    audienceType: "FILTERED",
    audienceCondition: { logic: "AND", groups: [{ filters }] },
  });
  const audiences: [about: string, body: object][] = [
    ["all", { audienceType: "ALL" }],
    ["a third by equality", filtered({ field: "data.plan", operator: "equals", value: "pro" })],
    ["a part of a text", filtered({ field: "data.city", operator: "contains", value: "y 77" })],
    ["a few", filtered({ field: "email", operator: "contains", value: "zebra" })],
  ];
  for (const [about, body] of audiences) {
    const ms = await timed(() => ask("/campaigns/audience", body), VISITS);
    report.line(`POST /campaigns/audience, ${about}`, ms, "ms", {
      goal: below(AUDIENCE_MS),
      note: await ask("/campaigns/audience", body),
    });
  }
}

/** A campaign as if it had been sent, with what became of its mails; suppressions besides. */
async function fillCampaign({ databaseUrl, project }: Stage, id: string, mails: number): Promise<void> {
  const loader = openLoader(databaseUrl);
  const projectId = project.id;
  await loader`
    insert into emails (
      project_id, contact_id, address, source_type, campaign_id, status, due_at, queued_at, sent_at, opened_at, clicked_at,
      bounced_at, unsubscribed_at, opens, clicks, error
    )
    select
      ${projectId}, c.id, c.email, 'CAMPAIGN', ${id},
      case when m.n = 3 then 'BOUNCED' when m.n < 10 then 'CLICKED' when m.n < 45 then 'OPENED' else 'SENT' end::email_status,
      now(), now(), now(), case when m.n < 45 and m.n <> 3 then now() end, case when m.n < 10 and m.n <> 3 then now() end,
      case when m.n = 3 then now() end, case when m.n = 5 then now() end, (m.n < 45)::int, (m.n < 10)::int,
      case when m.n = 3 then '550 5.1.1 <' || c.email || '>: Recipient address rejected (' || md5(c.email) || ')' end
    from (
      select id, email, row_number() over (order by id) as place from contacts where project_id = ${projectId}
      order by id limit ${mails}
    ) as c
    cross join lateral (select (c.place * 7 % 100)::int as n) as m`;
  await loader`
    insert into mail_counts
    select ${projectId}, at, 'CAMPAIGN', ${id}, 100, 0, 45, 9, 1, 1, 1, 0
    from generate_series(
      date_trunc('hour', now()) - interval '20 days', date_trunc('hour', now()), interval '15 minutes'
    ) as at`;
  await loader`
    insert into campaign_links (project_id, campaign_id, link_key, link, clicks, first_clicks)
    select ${projectId}, ${id}, md5(n::text)::uuid, 'https://shop.example/' || n, n, n from generate_series(1, 500) as n`;
  await loader`
    update campaigns
    set
      status = 'SENT', sent_at = now() - interval '20 days', finished_at = now(), snapshot_at = now(),
      total_recipients = ${mails}, sent_count = ${mails}, opened_count = ${mails} * 0.44, clicked_count = ${mails} * 0.09
    where id = ${id}`;
  await loader`
    insert into suppressions (project_id, email, reason)
    select project_id, email, 'BOUNCE' from contacts where project_id = ${projectId} order by id limit ${SUPPRESSED}
    on conflict do nothing`;
  await loader.unsafe("vacuum analyze emails, suppressions, mail_counts, campaign_links");
  await loader.end();
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
