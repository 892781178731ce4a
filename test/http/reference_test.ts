// The reference of all endpoints: as a document, in real browsers, and its samples as programs that run.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { createApp } from "../../src/http/mod.ts";
import { axeFaults } from "../support/axe.ts";
import { ARTEFACTS, CHROMIUM, closeContexts, noChromium, openBrowser } from "../support/chromium.ts";
import { useService } from "../support/service.ts";

const service = useService();
const LANGUAGES = ["curl", "javascript", "python", "go", "php"] as const;
/** Many fields, and alternatives that hold themselves. */
const SHOWN = ["sendEmail", "createSegment"];
/** `bun run test:tour` looks at a desktop, too. */
const isLong = process.env.TOUR === "long";

let project: NewProject;
let server: Bun.Server<undefined>;
let ids: string[];

beforeAll(async () => {
  project = await service.createProject();
  // The samples name the address at which the service says it is.
  let app: ReturnType<typeof createApp> | undefined;
  server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => app!.handle(request) });
  app = createApp({ ...service, config: { ...service.config, BASE_URL: server.url.origin } });
  const { body } = await service.request("GET", "/openapi.json");
  ids = Object.values(body.paths as Record<string, Record<string, { operationId: string }>>).flatMap((item) =>
    Object.values(item).map(({ operationId }) => operationId),
  );
});

afterAll(async () => await server.stop(true));

const get = async (path: string, headers: Record<string, string> = {}) =>
  await fetch(new URL(path, server.url), { headers, redirect: "manual" });

/** The code of a sample, as somebody copies it. */
async function sample(operationId: string, language: string): Promise<string> {
  const html = await (await get(`/docs/api/${operationId}`)).text();
  const start = html.indexOf(`<div class="sample ${language}">`);
  const [, code] = /<code>([^]*?)<\/code>/.exec(html.slice(start))!;
  return code!
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}

describe("the reference", () => {
  test("has a page for every operation, with five samples, and every link leads somewhere", async () => {
    const index = await (await get("/docs/api")).text();
    expect(ids.length).toBeGreaterThan(150);
    for (const id of ids) {
      const page = await get(`/docs/api/${id}`);
      const html = await page.text();
      expect([id, page.status, html.match(/<h1>/g)?.length]).toEqual([id, 200, 1]);
      expect([id, LANGUAGES.filter((name) => html.includes(`<div class="sample ${name}">`))]).toEqual([
        id,
        [...LANGUAGES],
      ]);
      expect([id, index.includes(`href="/docs/api/${id}"`), html.includes("undefined")]).toEqual([
        id,
        true,
        false,
      ]);
    }
    const links = new Set([...index.matchAll(/(?:href|src)="(\/[^"]*)"/g)].map((match) => match[1]!));
    for (const link of links) expect([link, (await get(link)).status]).toEqual([link, 200]);
  });

  test("allows no script and no style but its own files, and asks nobody else", async () => {
    const { headers } = await get("/docs/api/sendEmail");

    expect(headers.get("content-security-policy")).toStartWith(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'",
    );
    expect(await (await get("/docs/api/sendEmail")).text()).not.toMatch(/<script>|style=|onclick=/);
  });

  test.each([
    "/docs/api",
    "/docs/api/sendEmail",
    "/docs/reference.js",
    "/docs/reference.css",
    "/openapi.json",
    "/docs",
  ])("%s that is known is not sent again", async (path) => {
    const etag = (await get(path)).headers.get("etag")!;
    const again = await get(path, { "if-none-match": etag });

    expect([again.status, await again.text()]).toEqual([304, ""]);
  });

  test("is not there for an operation that is none, and the old addresses go on", async () => {
    expect((await get("/docs/api/nothing")).status).toBe(404);
    expect((await get("/docs/api/__proto__")).status).toBe(404);
    const moved = await get("/docs/guides");
    expect([moved.status, moved.headers.get("location")]).toEqual([301, "/docs"]);
    expect((await get("/docs/guides/sending")).status).toBe(200);
  });
});

describe("a sample", () => {
  let dir: string;
  beforeAll(() => void (dir = mkdtempSync(join(tmpdir(), "postrider-samples-"))));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  /** Runs a program as a reader would, with the key in the environment. */
  async function run(command: string[]): Promise<string> {
    const env = { ...process.env, SK: project.secret, PK: project.public, SESSION: "none" };
    const child = Bun.spawn(command, { cwd: dir, env, stdout: "pipe", stderr: "pipe" });
    const said = (await new Response(child.stdout).text()) + (await new Response(child.stderr).text());
    await child.exited;
    return said;
  }

  const RUNS: Record<string, { program: string; command: (code: string) => string[] }> = {
    curl: { program: "curl", command: (code) => ["bash", "-c", `${code} -s -w ' %{http_code}'`] },
    javascript: { program: "bun", command: (code) => [process.execPath, file("sample.mjs", code)] },
    python: { program: "python3", command: (code) => ["python3", file("sample.py", code)] },
    go: { program: "go", command: (code) => ["go", "run", file("sample.go", code)] },
    php: { program: "php", command: (code) => ["php", file("sample.php", code)] },
  };
  const file = (name: string, code: string) => {
    writeFileSync(join(dir, name), code);
    return join(dir, name);
  };

  for (const [language, { program, command }] of Object.entries(RUNS)) {
    const isThere = program === "bun" || Bun.which(program) !== null;
    const note = isThere ? "" : ` (skipped: there is no ${program} here)`;

    test.skipIf(!isThere)(`in ${language} makes the call${note}`, async () => {
      const tracked = await run(command(await sample("trackEvent", language)));
      const created = await run(command(await sample("createSegment", language)));
      const listed = await run(command(await sample("listContacts", language)));

      expect([language, tracked]).toEqual([language, expect.stringMatching(/\b200\b/)]);
      expect([language, created]).toEqual([language, expect.stringMatching(/\b201\b/)]);
      expect([language, created]).toEqual([language, expect.stringContaining('"memberCount"')]);
      expect([language, listed]).toEqual([language, expect.stringContaining('"hasMore"')]);
      const { body } = await service.request("GET", "/segments", { key: project.secret });
      await service.request("DELETE", `/segments/${body[0].id}`, { key: project.secret });
    });

    test.skipIf(!isThere)(`in ${language} sends a file${note}`, async () => {
      writeFileSync(join(dir, "contacts.csv"), "email\nada@example.com\n");
      const form = await sample("importContacts", language);
      const streamed = await run(command(await sample("uploadContacts", language)));

      expect([language, streamed]).toEqual([language, expect.stringMatching(/\b20[012]\b/)]);
      if (language === "python")
        return void expect(form).toContain('files={"file": open("contacts.csv", "rb")}');
      expect([language, await run(command(form))]).toEqual([language, expect.stringMatching(/\b20[012]\b/)]);
    });
  }
});

describe.skipIf(!CHROMIUM)(`the reference in a browser${noChromium}`, () => {
  let browser: Browser;
  let page: Page;
  let wrong: string[] = [];

  beforeAll(async () => {
    browser = await openBrowser();
    page = await browser.newPage();
    page.on("console", (message) => void (message.type() === "error" && wrong.push(message.text())));
    page.on("pageerror", (error) => void wrong.push(String(error)));
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(server.url.origin) && !url.startsWith("data:")) wrong.push(url);
    });
  });
  afterEach(async () => {
    // Nothing of one test is left to the next one, but the window: a new one costs more than most of them.
    if (page.url() !== "about:blank") await page.evaluate("localStorage.clear(); sessionStorage.clear()");
    await page.goto("about:blank");
    await page.emulateMedia({ colorScheme: null });
  });
  afterAll(async () => await closeContexts());

  /** Opens a page, and begins to note what goes wrong, and every request that leaves the origin. */
  async function open(path: string, width = 1280): Promise<void> {
    await page.setViewportSize({ width, height: 900 });
    wrong = [];
    await page.goto(new URL(path, server.url).href);
  }

  const PATHS = ["/docs", "/docs/api", ...SHOWN.map((id) => `/docs/api/${id}`)];

  test.each(isLong ? [1280, 390] : [390])(
    `${isLong ? "in every look: " : ""}axe finds nothing, and nothing is wider than a window of %d pixels, in the light and in the dark`,
    async (width) => {
      for (const path of PATHS) {
        await open(path, width);
        await page.evaluate(
          "document.querySelectorAll('.fields > li > details').forEach((one) => (one.open = true))",
        );
        expect([path, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([path, width]);
        for (const [colorScheme, looks] of [
          ["light", {}],
          ["dark", { onlyColours: true }],
        ] as const) {
          await page.emulateMedia({ colorScheme });
          const name = path.split("/").at(-1)!;
          await page.screenshot({ path: `${ARTEFACTS}reference_${name}_${colorScheme}_${width}.png` });
          expect([path, colorScheme, await axeFaults(page, looks)]).toEqual([path, colorScheme, []]);
        }
        expect([path, wrong]).toEqual([path, []]);
      }
    },
    120_000,
  );

  test("the keyboard finds an operation: slash, words, Enter; or arrows", async () => {
    await open("/docs/api");
    await page.keyboard.press("/");
    await page.keyboard.type("post segments prev");
    const found = await page.locator("#found").textContent();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/docs/api/previewSegment");
    await page.keyboard.press("/");
    await page.keyboard.type("workflow");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    const first = await page.evaluate("document.activeElement.getAttribute('href')");
    await page.keyboard.press("ArrowUp");
    const back = await page.evaluate("document.activeElement.id");

    expect([found, first, back, wrong]).toEqual([
      "1 found",
      expect.stringContaining("/docs/api/"),
      "search",
      [],
    ]);
  });

  test("on a phone the operations open over the page, and Escape closes them", async () => {
    await open("/docs/api/sendEmail", 390);
    const isShown = async () => await page.locator("#operations").isVisible();
    const before = await isShown();
    await page.getByRole("button", { name: "Operations" }).click();
    const opened = await isShown();
    await page.keyboard.press("Escape");
    const closed = await isShown();

    expect([before, opened, closed]).toEqual([false, true, false]);
  });

  test("the language that was chosen stays for the next page, and is chosen by keyboard", async () => {
    await open("/docs/api/sendEmail");
    await page.getByLabel("Python", { exact: true }).first().focus();
    await page.keyboard.press("Space");
    await page.goto(new URL("/docs/api/trackEvent", server.url).href);
    const shown = await page.locator(".sample:visible").allTextContents();

    expect(shown).toEqual([expect.stringContaining("urllib.request")]);
  });

  test("a real call is made with the key, and its answer is shown; the key stays for the tab", async () => {
    await open("/docs/api/createContact");
    await page.getByLabel("Secret key").fill(project.secret);
    await page.getByLabel("Body").fill('{"email": "tried@example.com", "data": {"plan": "pro"}}');
    await page.getByRole("button", { name: "Send" }).click();
    await page.locator("#outcome", { hasText: /^201/ }).waitFor();
    const answer = JSON.parse((await page.locator("#answer").textContent())!);
    await page.goto(new URL("/docs/api/getContact", server.url).href);
    await page.getByLabel("id", { exact: true }).fill(answer.id);
    await page.getByRole("button", { name: "Send" }).click();
    await page.locator("#outcome", { hasText: /^200/ }).waitFor();
    const found = JSON.parse((await page.locator("#answer").textContent())!);

    expect([found.email, found.data, wrong]).toEqual(["tried@example.com", { plan: "pro" }, []]);
  });

  test("a refusal is shown as it came, and a stream can be stopped", async () => {
    await open("/docs/api/listContacts");
    await page.getByLabel("Secret key").fill("sk_wrong");
    await page.getByRole("button", { name: "Send" }).click();
    await page.locator("#outcome", { hasText: /^401/ }).waitFor();
    const refused = await page.locator("#answer").textContent();
    await page.goto(new URL("/docs/api/streamActivity", server.url).href);
    await page.getByLabel("Secret key").fill(project.secret);
    await page.getByRole("button", { name: "Send" }).click();
    await page.locator("#outcome", { hasText: /^200/ }).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.locator("#outcome", { hasText: "Stopped" }).waitFor();

    expect(refused).toContain("INVALID_API_KEY");
  });

  test("it reads without a script", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto(new URL("/docs/api/sendEmail", server.url).href);
    const shown = await plain.locator(".sample:visible").count();
    const form = await plain.locator("#try").isVisible();
    await plain.getByRole("link", { name: "Check an email address" }).click();
    const title = await plain.locator("h1").textContent();
    await context.close();

    expect([shown, form, title]).toEqual([1, false, "Check an email address"]);
  });
});
