import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Glob } from "bun";
import type { Browser } from "playwright-core";
import { GUIDES } from "../../src/http/pages/guide_pages.ts";
import { ARTEFACTS, CHROMIUM, closeContexts, noChromium, openBrowser } from "../support/chromium.ts";
import { GUIDE_NAMES, readGuide } from "../support/guides.ts";
import { useService } from "../support/service.ts";

const service = useService();
const CONSOLE = new URL("../../src/console", import.meta.url).pathname;
const PATHS = ["/docs", ...GUIDE_NAMES.map((name) => `/docs/guides/${name}`)];

const get = async (path: string, headers: Record<string, string> = {}) =>
  await service.request("GET", path, { headers });

const idsOf = (html: string) => new Set([...html.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]!));

describe("GET /docs", () => {
  test("lists every guide once, and every guide lists all", async () => {
    expect(GUIDES.map(({ name }) => name).toSorted()).toEqual(GUIDE_NAMES.toSorted());
    for (const { name, title } of GUIDES) expect(readGuide(name)).toStartWith(`# ${title}\n`);
  });

  test.each(PATHS)("%s is a page of ours, from which the reference is reached", async (path) => {
    const { status, headers, body } = await get(path);

    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("content-security-policy")).toStartWith("default-src 'none'; style-src 'sha256-");
    expect(body).toContain('<a href="/docs/api">API reference</a>');
    expect(body).toMatch(/<h1 id="[^"]+">/);
    expect(body).not.toContain("&lt;!--");
    expect(body.match(/<(script|img|iframe)\b/)).toBeNull();
  });

  test.each(PATHS)("every link of %s leads somewhere", async (path) => {
    const { body } = await get(path);
    const links = [...(body as string).matchAll(/<a [^>]*href="([^"]+)"/g)].map((match) => match[1]!);
    const inside = links.filter((link) => /^[#/]/.test(link));

    for (const link of new Set(inside)) {
      const [page = "", anchor] = link.split("#");
      const { status, body: target } = page === "" || page === path ? { status: 200, body } : await get(page);
      expect([link, status]).toEqual([link, 200]);
      if (anchor) expect([link, idsOf(target).has(anchor)]).toEqual([link, true]);
    }
    const outside = links.filter((link) => !/^[#/]/.test(link));
    expect(outside.filter((link) => !/^https:\/\/|^http:\/\/localhost/.test(link))).toEqual([]);
  });

  test("every link of the console into the guides leads somewhere", async () => {
    const links = new Set<string>();
    for (const file of new Glob("**/*.{ts,tsx}").scanSync(CONSOLE)) {
      const text = await Bun.file(`${CONSOLE}/${file}`).text();
      for (const [, link] of text.matchAll(/\$\{BASE\}(\/docs\/[^"`$]+)[`"]/g)) links.add(link!);
    }
    expect(links.size).toBeGreaterThan(5);
    for (const link of links) {
      const [page = "", anchor] = link.split("#");
      const { status, body } = await get(page);
      expect([link, status]).toEqual([link, 200]);
      if (anchor) expect([link, idsOf(body).has(anchor)]).toEqual([link, true]);
    }
  });

  test("a page that is known is not sent again", async () => {
    const first = await get("/docs/guides/sending");
    const etag = first.headers.get("etag")!;
    const again = await get("/docs/guides/sending", { "if-none-match": etag });
    const other = await get("/docs/guides/errors", { "if-none-match": etag });

    expect(first.headers.get("cache-control")).toBe("public, max-age=300");
    expect([again.status, again.headers.get("etag"), other.status]).toEqual([304, etag, 200]);
  });

  test("what is no guide is not found", async () => {
    const { status, body } = await get("/docs/guides/nothing");

    expect([status, body.error.code]).toEqual([404, "RESOURCE_NOT_FOUND"]);
    expect((await service.request("POST", "/docs/guides/sending", { body: {} })).status).toBe(405);
  });

  test("the reference leads to the guides", async () => {
    expect((await get("/docs/api")).body).toContain('<a href="/docs">Guides</a>');
  });
});

describe.skipIf(!CHROMIUM)(`the guides in a browser${noChromium}`, () => {
  let browser: Browser;
  let server: Bun.Server<undefined>;

  beforeAll(async () => {
    server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => service.app.handle(request) });
    browser = await openBrowser();
  });

  afterAll(async () => {
    await closeContexts();
    await server.stop(true);
  });

  const SHOWN = ["getting-started", "segments", "errors", "settings"];

  test("nothing is wider than a window of 1280 or of 375 pixels, in the light and in the dark", async () => {
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on("console", (message) => void (message.type() === "error" && errors.push(message.text())));
    for (const path of PATHS) {
      await page.goto(new URL(path, server.url).href);
      const name = path.split("/").at(-1)!;
      for (const width of [1280, 375]) {
        await page.setViewportSize({ width, height: 900 });
        expect([path, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([path, width]);
        for (const colorScheme of SHOWN.includes(name) ? (["light", "dark"] as const) : []) {
          await page.emulateMedia({ colorScheme });
          await page.screenshot({ path: `${ARTEFACTS}guide_${name}_${colorScheme}_${width}.png` });
        }
      }
    }
    await page.close();

    expect(errors).toEqual([]);
  });

  test("the keyboard reaches the text at once, and scrolls a table", async () => {
    const page = await browser.newPage({ viewport: { width: 375, height: 740 } });
    await page.goto(new URL("/docs/guides/errors", server.url).href);
    await page.keyboard.press("Tab");
    const first = await page.evaluate("document.activeElement.textContent");
    await page.keyboard.press("Enter");
    const place = new URL(page.url()).hash;
    const scrolls = await page.evaluate(
      "[...document.querySelectorAll('.table, pre')].every((box) => box.tabIndex === 0)",
    );
    await page.close();

    expect([first, place, scrolls]).toEqual(["Skip to content", "#guide", true]);
  });
});
