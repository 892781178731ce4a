// The pages that the console's tests are made in. One that a test is done with is emptied and used by the next: to make one costs
// more than to load the console in it.
import type { BrowserContext, Page } from "playwright-core";
import type { Person } from "../support/accounts.ts";
import { keptContexts, openBrowser } from "../support/chromium.ts";

/** Of a page, that tests listen to. */
const EVENTS = [
  "console",
  "dialog",
  "download",
  "framenavigated",
  "pageerror",
  "popup",
  "request",
  "response",
];

/** Of the window, by its width. */
export const HEIGHTS = { 1280: 860, 390: 844 } as const;
export type Width = keyof typeof HEIGHTS;
export type Scheme = "light" | "dark";

/** How a page is opened. */
export interface OpenOptions {
  /** Who is logged in. Left out: the owner. Null: nobody. */
  as?: Person | null;
  scheme?: Scheme;
  width?: Width;
}

/** A page that was opened. */
export interface OpenPage extends Page {
  /** What the browser has complained of: errors, refusals of the policy, requests to elsewhere. */
  complaints: string[];
  /** That of the console: every request to elsewhere is a complaint. */
  origin: string;
}

/** Pages that tests are done with, for others to use, also those of the next file. */
const left: Record<Width, OpenPage[]> = { 1280: [], 390: [] };

/** Pages that are in use. */
const used = new Set<OpenPage>();

/** Prints what the open pages show: why a test failed says only what they do not. */
export async function tellWhatIsShown(): Promise<void> {
  for (const page of used) {
    const text = await page.locator("body").innerText({ timeout: 5_000 }).catch(String);
    console.error("shown at", page.url(), page.complaints, text.replaceAll(/\s+/g, " ").slice(0, 1_500));
  }
}

/** An empty page for the console at `origin`. `as`: who is logged in there. */
export async function openPage({
  origin,
  as,
  scheme = "light",
  width = 1280,
}: OpenOptions & { origin: string; as: Person | null }): Promise<OpenPage> {
  const before = left[width].pop();
  const page = before && !before.isClosed() ? before : await newPage(width);
  used.add(page);
  keptContexts.delete(page.context());
  Object.assign(page, { complaints: [], origin });
  await page.setViewportSize({ width, height: HEIGHTS[width] });
  await page.emulateMedia({ colorScheme: scheme });
  if (as) await addCookie(page.context(), as, origin);
  return page;
}

/** A page in a context of its own. Who closes the context leaves it to the next test: to make one costs more than to load it. */
async function newPage(width: Width): Promise<OpenPage> {
  const browser = await openBrowser();
  const context = await browser.newContext({
    viewport: { width, height: HEIGHTS[width] },
    isMobile: width === 390,
    hasTouch: width === 390,
    locale: "en-GB",
    timezoneId: "UTC",
    permissions: [],
    reducedMotion: "reduce",
  });
  const page = (await context.newPage()) as OpenPage;
  listen(page);
  const close = context.close.bind(context);
  context.close = async () => {
    if (keptContexts.has(context)) return;
    used.delete(page);
    try {
      for (const event of EVENTS) await page.removeAllListeners(event);
      await empty(page);
      listen(page);
      keptContexts.add(context);
      left[width].push(page);
    } catch {
      await close();
    }
  };
  return page;
}

function listen(page: OpenPage): void {
  page.on("console", (message) => {
    if (message.type() === "error") page.complaints.push(message.text());
  });
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (/^https?:$/.test(url.protocol) && url.origin !== page.origin)
      page.complaints.push(`asked for ${url.href}`);
  });
}

/** As a new page is. Throws where it cannot be made so. */
async function empty(page: Page): Promise<void> {
  const context = page.context();
  if (context.pages().length > 1) throw new Error("Cannot use the page again: the test has opened others");
  // A test that failed may have left it so.
  await context.setOffline(false);
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  await page.goto("about:blank");
  await page.mouse.move(0, 0);
  await context.clearCookies();
  await context.clearPermissions();
}

async function addCookie(context: BrowserContext, { cookie }: Person, url: string): Promise<void> {
  const [name, ...value] = cookie.split("=");
  await context.addCookies([{ name: name!, value: value.join("="), url, httpOnly: true, sameSite: "Lax" }]);
}
