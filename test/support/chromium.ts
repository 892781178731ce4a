// One Chromium for all files of a worker: to start it, and to make a page, costs more than what most tests do in it.
import { existsSync, mkdirSync } from "node:fs";
import { type Browser, type BrowserContext, chromium } from "playwright-core";

/** The browser of this machine. Undefined where there is none: what needs it is skipped then, and says so. */
export const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  existsSync,
);

/** What the name of a test says where it is skipped. */
export const noChromium = CHROMIUM ? "" : " (skipped: no Chromium in /usr/bin)";

/** For a busy machine: what never comes fails all the same. */
const PATIENCE_MS = 90_000;

/** Where tests leave pictures. */
export const ARTEFACTS = new URL("../artefacts/", import.meta.url).pathname;

let launched: Promise<Browser> | undefined;

/** Those that the next file may use: they have nothing of this one any more. */
export const keptContexts = new Set<BrowserContext>();

/** The browser. It ends with the process; a file that is done calls {@linkcode closeContexts}. */
export async function openBrowser(): Promise<Browser> {
  mkdirSync(ARTEFACTS, { recursive: true });
  const browser = await launched?.catch(() => undefined);
  if (browser?.isConnected()) return browser;
  return await (launched = launch());
}

async function launch(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: CHROMIUM!, args: ["--no-sandbox"] });
  const newContext = browser.newContext.bind(browser);
  // Also called by `newPage`.
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(PATIENCE_MS);
    return context;
  };
  return browser;
}

/** Closes what the tests of a file have left open. */
export async function closeContexts(): Promise<void> {
  const browser = await launched?.catch(() => undefined);
  const open = browser?.contexts().filter((context) => !keptContexts.has(context)) ?? [];
  await Promise.all(open.map((context) => context.close()));
}
