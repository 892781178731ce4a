// Chromium in front of a service: pages of somebody who is logged in, and what they cost.
import { readFileSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { hashPassword } from "../../../src/accounts/people/passwords.ts";
import { createUser } from "../../../src/accounts/people/mod.ts";
import { startSession } from "../../../src/accounts/people/sessions.ts";
import type { Context } from "../../../src/context.ts";
import { type Answering, setSessionCookie } from "../../../src/http/entry/session.ts";
import { CHROMIUM } from "../../support/chromium.ts";

const VIEWPORT = { width: 1280, height: 860 };
/** The unit of `/proc/<pid>/status`. */
const KB_A_MB = 1024;

/** A browser, and who is logged in there. */
export interface Visitor {
  browser: Browser;
  /** A context with an empty cache, with the cookie unless `isAnonymous`. */
  arrive(options?: { isAnonymous?: boolean }): Promise<BrowserContext>;
}

/** Lets somebody look at a service with Chromium, and closes it again. Throws where there is none. */
export async function withVisitor<T>(
  origin: string,
  cookie: string,
  visit: (visitor: Visitor) => Promise<T>,
): Promise<T> {
  if (!CHROMIUM) throw new Error("Cannot measure pages: there is no Chromium here");
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  try {
    return await visit({
      browser,
      async arrive({ isAnonymous = false } = {}) {
        const context = await browser.newContext({ viewport: VIEWPORT, locale: "en-GB" });
        const [name, ...value] = cookie.split("=");
        if (!isAnonymous) await context.addCookies([{ name: name!, value: value.join("="), url: origin }]);
        return context;
      },
    });
  } finally {
    await browser.close();
  }
}

/** Makes somebody who owns a project and is logged in; answers the cookie, as the header has it. */
export async function logIn(ctx: Context, projectId: string, email: string): Promise<string> {
  const passwordHash = await hashPassword(ctx, crypto.randomUUID(), null);
  const { id } = await createUser(ctx, { email, passwordHash, emailVerified: true });
  await ctx.pool`insert into memberships (project_id, user_id, role) values (${projectId}, ${id}, 'OWNER')`;
  const set: Answering = { headers: {} };
  await setSessionCookie(ctx, set, await startSession(ctx, id));
  return [set.headers["set-cookie"]].flat()[0]!.split(";")[0]!;
}

/** Milliseconds from the beginning of the navigation to the first paint with content. */
export async function firstPaint(page: Page): Promise<number> {
  const wait = () =>
    page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
  for (;;) {
    const ms = await wait();
    if (ms !== undefined) return ms;
    await page.waitForTimeout(10);
  }
}

/** The bytes of the page, its scripts and styles, as they are compressed, that were asked for before the first paint. */
export async function firstView(page: Page): Promise<number> {
  return await page.evaluate(() => {
    const paint = performance.getEntriesByName("first-contentful-paint")[0]!.startTime;
    const files = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
    const [document] = performance.getEntriesByType("navigation") as PerformanceResourceTiming[];
    return files
      .filter(({ name, startTime }) => /\.(js|css)$/.test(name) && startTime < paint)
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, document!.encodedBodySize);
  });
}

/** The memory of the process that draws the page, without what it shares with others, in MB. */
export async function tabMemory(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const sizes = processInfo
    .filter(({ type }) => type === "renderer")
    .map(({ id }) => /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${id}/status`, "utf8")))
    .map((found) => Number(found?.[1] ?? 0) / KB_A_MB);
  return Math.max(...sizes);
}
