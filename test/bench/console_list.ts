// A list that nobody can load as a whole: scrolling, searching and jumping in two million contacts.
import type { Page } from "playwright-core";
import { tabMemory, type Visitor } from "./support/browser.ts";
import { below, median, percentile, type Report } from "./support/report.ts";

const FRAME_MS = 50;
const MEMORY_MB = 200;
const FOUND_MS = 500;
const SCROLLS = 300;
const SCROLL_PIXELS = 400;
const TEXTS = ["zebra", "user1234", "acme", "gmail"];

/** Measures the page of contacts. */
export async function measureList(report: Report, { browser, arrive }: Visitor, home: string): Promise<void> {
  const context = await arrive();
  const page = await context.newPage();
  await page.goto(`${home}/contacts`);
  await page.getByRole("row").nth(5).waitFor();
  const idle = await frames(page, async () => await page.waitForTimeout(1_500));
  const scrolling = await frames(page, () => scroll(page));
  report.line("contacts, longest frame while scrolling", Math.max(...scrolling), "ms", {
    goal: below(FRAME_MS),
    note: {
      frames: scrolling.length,
      p99: Math.round(percentile(scrolling, 0.99)),
      longestIdle: Math.round(Math.max(...idle)),
      rowsLoaded: await rowsLoaded(page),
    },
  });
  const times: number[] = [];
  for (const text of TEXTS) times.push(await searchFor(page, text));
  report.line("contacts, from the last key to what was found", median(times), "ms", {
    goal: below(FOUND_MS),
    note: Object.fromEntries(TEXTS.map((text, i) => [text, Math.round(times[i]!)])),
  });
  const memory = await tabMemory(browser);
  await collectGarbage(page);
  const live = Math.round(await tabMemory(browser));
  report.line("contacts, memory of the tab", memory, "MB", { goal: below(MEMORY_MB), note: { live } });
  await context.close();
}

/** What is left after it is what the page holds: a browser collects rarely while there is memory enough. */
async function collectGarbage(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  await session.detach();
}

async function scroll(page: Page): Promise<void> {
  await page.mouse.move(700, 500);
  for (let i = 0; i < SCROLLS; i++) await page.mouse.wheel(0, SCROLL_PIXELS);
}

/** How far apart the frames were while something went on. */
export async function frames(page: Page, work: () => Promise<unknown>): Promise<number[]> {
  await page.evaluate(() => {
    const kept = { times: [] as number[], isOver: false };
    (globalThis as unknown as { kept: typeof kept }).kept = kept;
    let last = performance.now();
    const next = (at: number) => {
      kept.times.push(at - last);
      last = at;
      if (!kept.isOver) requestAnimationFrame(next);
    };
    requestAnimationFrame((at) => {
      last = at;
      requestAnimationFrame(next);
    });
  });
  await work();
  return await page.evaluate(() => {
    const { kept } = globalThis as unknown as { kept: { times: number[]; isOver: boolean } };
    kept.isOver = true;
    return kept.times;
  });
}

async function rowsLoaded(page: Page): Promise<number> {
  const indexes = await page
    .locator("[aria-rowindex]")
    .evaluateAll((rows) => rows.map((row) => Number(row.getAttribute("aria-rowindex"))));
  return Math.max(...indexes);
}

/** From the last key to the first row that has the text. */
async function searchFor(page: Page, text: string): Promise<number> {
  const field = page.locator("[role=search] input").first();
  await field.fill("");
  await page.getByRole("row").nth(5).waitFor();
  await field.pressSequentially(text.slice(0, -1));
  return await page.evaluate(
    async ([last, whole]) => {
      const frame = () => new Promise((painted) => requestAnimationFrame(painted));
      const input = document.querySelector<HTMLInputElement>("[role=search] input")!;
      const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")!.set!;
      const startedAt = performance.now();
      set.call(input, input.value + last);
      input.dispatchEvent(new Event("input", { bubbles: true }));
      const isFound = () => {
        const cells = [...document.querySelectorAll("main [role=row] [role=cell]")];
        const addresses = cells
          .map(({ textContent }) => textContent ?? "")
          .filter((part) => part.includes("@"));
        return addresses.length > 0 && addresses.every((address) => address.includes(whole!));
      };
      while (!isFound()) await frame();
      await frame();
      return performance.now() - startedAt;
    },
    [text.slice(-1), text],
  );
}
