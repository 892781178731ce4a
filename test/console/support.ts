// The console in a real browser: one service and one browser for a test file. Each page that is opened keeps what the browser
// complains of, and `tour` looks at a page in every scheme and width.
import { afterAll, beforeAll, describe, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext, Locator, Page } from "playwright-core";
import type { Config } from "../../src/config/mod.ts";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { join as joinProject, type Person, signUp } from "../support/accounts.ts";
import { CHROMIUM, closeContexts, keptContexts, openBrowser, noChromium } from "../support/chromium.ts";
import { PICTURES, writePictureIndex } from "../support/picture_index.ts";
import { type TestService, useService } from "../support/service.ts";
import { expectSound } from "./sound.ts";

export { expectSound };

/** Of the project: as long as names are where words are put together. */
const NAME = "Fahrradgroßhandelsgesellschaft Nord & Süd";

const hasBrowser = CHROMIUM !== undefined;

/** A test in the browser. Where there is none it is skipped, and its name says so. */
export const browserTest = (name: string, run: () => Promise<unknown>, timeoutMs?: number): void =>
  void test.skipIf(!hasBrowser)(`${name}${noChromium}`, run as () => Promise<void>, timeoutMs);

/** Tests in the browser, with the same words. */
export const describeInBrowser = (name: string, tests: () => void): void =>
  void describe.skipIf(!hasBrowser)(`${name}${noChromium}`, tests);

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

const HEIGHTS = { 1280: 860, 390: 844 } as const;
type Width = keyof typeof HEIGHTS;
type Scheme = "light" | "dark";

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

/** The console of one test file. */
export interface Console {
  service: TestService;
  /** Of the service, such as `http://localhost:51234`. */
  origin: string;
  /** A project with a verified domain, and its owner. */
  project: NewProject;
  owner: Person;
  /** Opens `/contacts` of the project, or an address of the console that begins with `~`, such as `~/log-in`. */
  open(path: string, options?: OpenOptions): Promise<OpenPage>;
  /** Goes on to a page as a link does: to load the console again costs four times as much. */
  visit(page: Page, path: string): Promise<void>;
  /** A person with this role in the project. */
  member(role: "MEMBER" | "ADMIN" | "OWNER"): Promise<Person>;
}

/** Gives the test file a service with a project, and a browser. */
export function useConsole(settings: Partial<Record<keyof Config, string>> = {}): Console {
  const stage = {} as Console;
  let server: ReturnType<typeof Bun.serve>;

  // First: the service knows its own address, as an installation does.
  beforeAll(() => {
    server = serve((request) => service.app.handle(request));
    stage.origin = `http://localhost:${server.port}`;
  });
  const service = useService({
    ...settings,
    get BASE_URL() {
      return stage.origin;
    },
  });
  stage.service = service;

  beforeAll(async () => {
    service.app.server = server as never;
    stage.project = await service.createProject();
    await service.pool`update projects set name = ${NAME} where id = ${stage.project.id}`;
    stage.owner = await signUp(service, `owner-${stage.project.id}@people.example`);
    await joinProject(service, stage.owner, stage.project.id, "OWNER");
    if (!hasBrowser) return;
    await openBrowser();
    // Built before the first test, whose time it would take.
    await fetch(`${stage.origin}/app`);
  });

  afterAll(async () => {
    await closeContexts();
    await server?.stop(true);
    await writePictureIndex();
  });

  stage.member = async (role) => {
    const person = await signUp(service);
    await joinProject(service, person, stage.project.id, role);
    return person;
  };
  const pathOf = (path: string) =>
    `/app${path.startsWith("~") ? path.slice(1) : `/p/${stage.project.id}${path === "/" ? "" : path}`}`;
  stage.open = async (path, options = {}) => {
    const page = await openPage(stage, options);
    await page.goto(`${stage.origin}${pathOf(path)}`);
    return page;
  };
  stage.visit = (page, path) => page.evaluate((to) => history.pushState(null, "", to), pathOf(path));
  return stage;
}

/** The address of the file before is used again: what the browser keeps of the console, it has for the next one, too. */
let lastPort = 0;

function serve(fetch: (request: Request) => Response | Promise<Response>): ReturnType<typeof Bun.serve> {
  const options = { hostname: "127.0.0.1", idleTimeout: 60, fetch };
  let server: ReturnType<typeof Bun.serve>;
  try {
    server = Bun.serve({ ...options, port: lastPort });
  } catch {
    // Somebody else has it by now.
    server = Bun.serve({ ...options, port: 0 });
  }
  lastPort = server.port!;
  return server;
}

/** Pages that tests are done with, for others to use, also those of the next file. */
const left: Record<Width, OpenPage[]> = { 1280: [], 390: [] };

async function openPage(stage: Console, options: OpenOptions): Promise<OpenPage> {
  const { as = stage.owner, scheme = "light", width = 1280 } = options;
  const used = left[width].pop();
  const page = used && !used.isClosed() ? used : await newPage(width);
  keptContexts.delete(page.context());
  Object.assign(page, { complaints: [], origin: stage.origin });
  await page.setViewportSize({ width, height: HEIGHTS[width] });
  await page.emulateMedia({ colorScheme: scheme });
  if (as) await addCookie(page.context(), as, stage.origin);
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

/** Keeps a picture of a page under `test/artefacts/console`. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.jpg`), quality: 85 });
}

/** Nothing is on its way any more, nor fades. Not the network: streams never end. */
export async function settled(page: Page): Promise<void> {
  while (
    await page.evaluate(
      () =>
        document.querySelector(".mantine-Skeleton-root, .mantine-Loader-root") !== null ||
        document.getAnimations().some((one) => one instanceof CSSTransition),
    )
  ) {
    await page.waitForTimeout(20);
  }
}

interface Tour {
  /** A function where it is known only when the test runs. */
  path: string | (() => string);
  /** What is there when the page is. */
  ready: (page: Page) => Locator;
  /** Brings the page into the state that is looked at: opens a dialog, chooses a tab. */
  then?: (page: OpenPage) => Promise<unknown>;
  /** States that are looked at afterwards, one from the other, each with its name: its two pictures are `<name>--<state>-…`. */
  states?: Record<string, (page: OpenPage) => Promise<unknown>>;
  as?: OpenOptions["as"];
  /** Statuses of the refusals that lead to the state. */
  refused?: number[];
}

/**
 * A test: in both widths and schemes the page is sound, and so is each of its states on a desktop in the light and on a phone
 * in the dark. A picture of each look is kept as `<name>-<scheme>-<width>.jpg`.
 * `tour(stage, "contacts", { path: "/contacts", ready: (page) => page.getByRole("table") })`.
 */
export function tour(
  stage: Console,
  name: string,
  { path, ready, then, states = {}, as, refused = [] }: Tour,
): void {
  browserTest(`${name} is sound on a desktop and on a phone, in the light and in the dark`, async () => {
    const page = await stage.open(typeof path === "string" ? path : path(), {
      ...(as !== undefined && { as }),
    });
    await ready(page).first().waitFor();
    await then?.(page);
    await look(page, name, refused, PAGE_LOOKS);
    for (const [state, reach] of Object.entries(states)) {
      await reach(page);
      await look(page, `${name}--${state}`, refused, STATE_LOOKS);
    }
    await page.context().close();
  });
}

type Look = readonly [Width, Scheme];

/** Of a page: all four. Each differs from the one before in one thing. */
const PAGE_LOOKS: readonly Look[] = [
  [1280, "light"],
  [1280, "dark"],
  [390, "dark"],
  [390, "light"],
];

/** Of a state: each width and each scheme once, which is half of what the four cost. */
const STATE_LOOKS: readonly Look[] = [
  [1280, "light"],
  [390, "dark"],
];

/** The same page in several looks: it follows the window and the system while it is shown. */
async function look(page: OpenPage, name: string, refused: number[], looks: readonly Look[]): Promise<void> {
  let before: Width | undefined;
  for (const [width, scheme] of looks) {
    await page.setViewportSize({ width, height: HEIGHTS[width] });
    await page.emulateMedia({ colorScheme: scheme });
    await page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor();
    await settled(page);
    await keepPicture(page, `${name}-${scheme}-${width}`);
    // At the same width nothing but the colours can differ.
    await expectSound(page, { refused, onlyColours: width === before });
    before = width;
  }
  await page.setViewportSize({ width: 1280, height: HEIGHTS[1280] });
}
