// The console in a real browser: one service and one browser for a test file. Each page that is opened keeps what the browser
// complains of, and `tour` looks at a page and its states: at each once in the suite, in every scheme and width in
// `bun run test:tour`.
import { afterAll, afterEach, beforeAll, beforeEach, describe, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import type { Config } from "../../src/config/mod.ts";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { join as joinProject, type Person, signUp } from "../support/accounts.ts";
import { CHROMIUM, closeContexts, openBrowser, noChromium } from "../support/chromium.ts";
import { mjmlHere } from "../../src/content/mjml/in_process.ts";
import { PICTURES, writePictureIndex } from "../support/picture_index.ts";
import { type TestService, useService } from "../support/service.ts";
import {
  HEIGHTS,
  type OpenOptions,
  type OpenPage,
  openPage,
  type Scheme,
  tellWhatIsShown,
  type Width,
} from "./pages.ts";
import { expectSound } from "./sound.ts";

export { expectSound, type OpenPage };

/** Of the project: as long as names are where words are put together. */
const NAME = "Fahrradgroßhandelsgesellschaft Nord & Süd";

const hasBrowser = CHROMIUM !== undefined;

/** A test in the browser. Where there is none it is skipped, and its name says so. */
export const browserTest = (name: string, run: () => Promise<unknown>, timeoutMs?: number): void =>
  void test.skipIf(!hasBrowser)(
    `${name}${noChromium}`,
    async () => {
      try {
        await run();
      } catch (reason) {
        await tellWhatIsShown();
        throw reason;
      }
    },
    timeoutMs,
  );

/** A test that waits in vain takes longer than this, see `eventually`; one that passes hardly ever does. */
const IN_VAIN_MS = 60_000;

/** Tests in the browser, with the same words. */
export const describeInBrowser = (name: string, tests: () => void): void =>
  void describe.skipIf(!hasBrowser)(`${name}${noChromium}`, () => {
    let beganAt = 0;
    beforeEach(() => {
      beganAt = performance.now();
    });
    // Whether one has failed is not said here.
    afterEach(async () => {
      if (performance.now() - beganAt > IN_VAIN_MS) await tellWhatIsShown();
    });
    tests();
  });

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
  const own = {
    ...settings,
    get BASE_URL() {
      return stage.origin;
    },
  };
  const service = useService(own, { mjml: mjmlHere });
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
    const page = await openPage({
      ...options,
      origin: stage.origin,
      as: options.as === undefined ? stage.owner : options.as,
    });
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

/** A look at a page. */
type Look = readonly [Width, Scheme];

/** `bun run test:tour` runs nothing but the tours, and looks at everything in its width and schemes. */
const isLong = process.env.TOUR === "long";

/** What goes wrong in one look only goes wrong here more often than not: nothing has room, and few people draw for the dark. */
const DARK_PHONE: Look = [390, "dark"];

/** Of a page: all four. Each differs from the one before in one thing. */
const PAGE_LOOKS: readonly Look[] = isLong
  ? [[1280, "light"], [1280, "dark"], DARK_PHONE, [390, "light"]]
  : [DARK_PHONE];

/** Of a state: each width and each scheme once, which is half of what the four cost. */
const STATE_LOOKS: readonly Look[] = isLong ? [[1280, "light"], DARK_PHONE] : [DARK_PHONE];

/**
 * A test: the page and each of its states are sound, in the suite in the dark on a phone; in the long run the page in both
 * widths and schemes, a state on a desktop in the light, too. A picture of each look is kept as `<name>-<scheme>-<width>.jpg`.
 * The tours of a file walk on in one page.
 * `tour(stage, "contacts", { path: "/contacts", ready: (page) => page.getByRole("table") })`.
 */
export function tour(
  stage: Console,
  name: string,
  { path, ready, then, states = {}, as, refused = [] }: Tour,
): void {
  browserTest(`${name} is sound ${isLong ? "in every look" : "on a phone in the dark"}`, async () => {
    const page = await walkTo(stage, typeof path === "string" ? path : path(), as);
    await ready(page).first().waitFor();
    await then?.(page);
    await look(page, name, refused, PAGE_LOOKS);
    for (const [state, reach] of Object.entries(states)) {
      await reach(page);
      await look(page, `${name}--${state}`, refused, STATE_LOOKS);
    }
    walkers.set(stage, { page, as });
  });
}

/** The page of a file's tours, and who is logged in there. One that a tour has failed in is used no more. */
const walkers = new WeakMap<Console, { page: OpenPage; as: OpenOptions["as"] }>();

async function walkTo(stage: Console, path: string, as: OpenOptions["as"]): Promise<OpenPage> {
  const walker = walkers.get(stage);
  walkers.delete(stage);
  if (walker && walker.as === as && (await isBare(walker.page))) {
    walker.page.complaints = [];
    await stage.visit(walker.page, path);
    return walker.page;
  }
  await walker?.page.context().close();
  const [width, scheme] = PAGE_LOOKS[0]!;
  return await stage.open(path, { width, scheme, ...(as !== undefined && { as }) });
}

/** Whether nothing lies over the page, which would be there on the next one, too. */
const isBare = async (page: Page): Promise<boolean> =>
  (await page.locator("[role=dialog], [role=menu], .mantine-Notification-root").count()) === 0;

/** The same page in several looks: it follows the window and the system while it is shown, and ends in the first. */
async function look(page: OpenPage, name: string, refused: number[], looks: readonly Look[]): Promise<void> {
  let before: Width | undefined;
  for (const [width, scheme] of looks) {
    await wear(page, [width, scheme]);
    await settled(page);
    await keepPicture(page, `${name}-${scheme}-${width}`);
    // At the same width nothing but the colours can differ.
    await expectSound(page, { refused, onlyColours: width === before });
    before = width;
  }
  if (looks.length > 1) await wear(page, looks[0]!);
}

async function wear(page: Page, [width, scheme]: Look): Promise<void> {
  await page.setViewportSize({ width, height: HEIGHTS[width] });
  await page.emulateMedia({ colorScheme: scheme });
  await page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor();
}
