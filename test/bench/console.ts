// The console in Chromium: how much comes over the network, when something is painted, how long a step to another page takes,
// a list of two million contacts, a canvas of 300 steps, and a feed of 200 events a second.
import { builtConsole } from "../../src/console_build.ts";
import type { Page } from "playwright-core";
import { measureCanvas } from "./console_canvas.ts";
import { measureFeed } from "./console_feed.ts";
import { measureList } from "./console_list.ts";
import { fillLists, measureSteps } from "./console_steps.ts";
import { fillContacts } from "./support/audience.ts";
import { firstPaint, firstView, logIn, type Visitor, withVisitor } from "./support/browser.ts";
import { below, type BenchOptions, median, type Report } from "./support/report.ts";
import { onStage } from "./support/stage.ts";

const CONTACTS = 2_000_000;
const FIRST_VIEW_KB = 220;
const PAINT_MS = 800;
const VISITS = 7;

/** Runs the bench. */
export async function run(report: Report, { contacts = CONTACTS }: BenchOptions): Promise<void> {
  await onStage(async ({ ctx, databaseUrl, project, startService }) => {
    await fillContacts(databaseUrl, project.id, contacts);
    // As the image has it.
    await builtConsole(ctx.config.DATA_DIR, { compress: true });
    const service = await startService({ MODE: "http" });
    // One name for the cookie: http://localhost is as secure as https to a browser.
    const origin = `http://localhost:${service.port}`;
    await fillLists(databaseUrl, { origin, project });
    const cookie = await logIn(ctx, project.id, "ada@example.com");
    await withVisitor(origin, cookie, async (visitor) => {
      const home = `${origin}/app/p/${project.id}`;
      await measureArrival(report, visitor, origin, home);
      await measureSteps(report, visitor, home);
      await measureList(report, visitor, home);
      await measureFeed(report, visitor, home, { ctx, projectId: project.id });
      await measureCanvas(report, visitor, { origin, home, secret: project.secret });
    });
    await service.stop();
  });
}

/** The first view of both pages that people arrive at, with an empty cache, beside a page that is nothing but text. */
async function measureArrival(
  report: Report,
  { arrive }: Visitor,
  origin: string,
  home: string,
): Promise<void> {
  const floors: number[] = [];
  const heading = (page: Page) => page.getByRole("heading", { level: 1 }).first().waitFor();
  for (const [name, url, isAnonymous] of [
    ["log-in", `${origin}/app/log-in`, true],
    ["overview", home, false],
  ] as const) {
    const paints: number[] = [];
    let bytes = 0;
    // The first one does not count: the service reads its files then.
    for (let visit = 0; visit <= VISITS; visit++) {
      const context = await arrive({ isAnonymous });
      const plain = await context.newPage();
      await plain.goto(`${origin}/health`);
      if (visit > 0) floors.push(await firstPaint(plain));
      await plain.close();
      const page = await context.newPage();
      await page.goto(url);
      await heading(page);
      const ms = await firstPaint(page);
      if (visit > 0) paints.push(ms);
      bytes = await firstView(page);
      await context.close();
    }
    report.line(`${name}, what was asked for before the first paint`, bytes / 1000, "KB", {
      goal: below(FIRST_VIEW_KB),
    });
    report.line(`${name}, first contentful paint`, median(paints), "ms", {
      goal: below(PAINT_MS),
      note: { plainText: Math.round(median(floors)), slowest: Math.round(Math.max(...paints)) },
    });
  }
}
