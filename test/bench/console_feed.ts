// The live feed while 200 events a second come in, beside the same page while nothing happens.
import type { Page } from "playwright-core";
import type { Context } from "../../src/context.ts";
import type { Visitor } from "./support/browser.ts";
import { frames } from "./console_list.ts";
import { below, percentile, type Report } from "./support/report.ts";

const EVENTS_A_SECOND = 200;
const SECONDS = 10;
/** So many at once: as often as a busy service commits them. */
const BATCH = 20;
const FRAME_MS = 50;
const SHOWN_MS = 15_000;

/** Measures the page of events. */
export async function measureFeed(
  report: Report,
  { arrive }: Visitor,
  home: string,
  { ctx, projectId }: { ctx: Context; projectId: string },
): Promise<void> {
  const context = await arrive();
  const page = await context.newPage();
  await page.goto(`${home}/events`);
  await record(ctx, projectId, 1);
  await page.getByText("Live", { exact: true }).waitFor();
  await page.getByRole("row").nth(1).waitFor();
  const quiet = await frames(page, async () => await page.waitForTimeout(SECONDS * 1_000));
  const busy = await frames(page, async () => {
    const late = await recordAll(ctx, projectId);
    await newestShown(page);
    return late;
  });
  const rounded = (ms: number) => Math.round(ms);
  report.line(`events, longest frame at ${EVENTS_A_SECOND} a second`, Math.max(...busy), "ms", {
    goal: below(FRAME_MS),
    note: {
      p99: rounded(percentile(busy, 0.99)),
      frames: busy.length,
      longestQuiet: rounded(Math.max(...quiet)),
      p99Quiet: rounded(percentile(quiet, 0.99)),
    },
  });
  await context.close();
}

/** Records all of them, evenly; one that is late is not waited for. */
async function recordAll(ctx: Context, projectId: string): Promise<void> {
  const startedAt = performance.now();
  for (let n = BATCH; n <= EVENTS_A_SECOND * SECONDS; n += BATCH) {
    await record(ctx, projectId, n);
    const dueAt = startedAt + (n / EVENTS_A_SECOND) * 1_000;
    await Bun.sleep(Math.max(0, dueAt - performance.now()));
  }
}

/** The last of a batch has the number `last`. */
async function record(ctx: Context, projectId: string, last: number): Promise<void> {
  await ctx.pool`
    insert into events (project_id, id, contact_id, name, data)
    select ${projectId}, uuid_v7(), c.id, 'event ' || n, jsonb_build_object('total', n, 'plan', 'pro', 'items', '[1, 2]'::jsonb)
    from generate_series(${Math.max(1, last - BATCH + 1)}::int, ${last}::int) as n
    cross join lateral (
      select id from contacts where project_id = ${projectId} order by id offset n % 10 limit 1
    ) as c`;
}

/** The feed has the last one on top. */
async function newestShown(page: Page): Promise<void> {
  const last = `event ${EVENTS_A_SECOND * SECONDS}`;
  await page.locator("[data-index]", { hasText: last }).first().waitFor({ timeout: SHOWN_MS });
}
