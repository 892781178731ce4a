// axe: what people would stumble over who use a screen reader or a keyboard, or do not see well.
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { colourFindings } from "./colours.ts";

const SOURCE = readFileSync(new URL("../../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

/** What of a page is looked at, and for what: all of it, for everything, where nothing else is said. */
export interface AxeOptions {
  /** Selectors of what is left out. */
  exclude?: string[];
  /** Of rules, such as `wcag2aa`. */
  tags?: string[];
  /** It has been looked at in the other colour scheme: nothing else can differ. */
  onlyColours?: boolean;
}

/** Gives a page axe, evaluated as the debugger does: its policy does not stand in the way. */
export async function loadAxe(page: Page): Promise<void> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(SOURCE);
}

/** What axe finds on a page: the rule, the place, and what is wrong there. */
export async function axeFaults(page: Page, options: AxeOptions = {}): Promise<string[]> {
  await loadAxe(page);
  const others = options.onlyColours ? [] : await otherFaults(page, options);
  return [...others, ...(await colourFindings(page))];
}

/** But for colours, which are judged apart. */
async function otherFaults(page: Page, { exclude = [], tags }: AxeOptions): Promise<string[]> {
  const options = {
    resultTypes: ["violations"],
    rules: { "color-contrast": { enabled: false }, "link-in-text-block": { enabled: false } },
    ...(tags && { runOnly: { type: "tag", values: tags } }),
  };
  const { violations } = (await page.evaluate(
    `axe.run(${JSON.stringify({ exclude })}, ${JSON.stringify(options)})`,
  )) as { violations: { id: string; nodes: { target: string[]; failureSummary: string }[] }[] };
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")} ${failureSummary}`),
  );
}
