// axe: what people would stumble over who use a screen reader or a keyboard, or do not see well.
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";

const SOURCE = readFileSync(new URL("../../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

/** The rules about colours: of one page in another colour scheme, no other can find anything else. */
export const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/** What of a page is looked at, and for what: all of it, for everything, where nothing else is said. */
export interface AxeOptions {
  exclude?: string[];
  rules?: string[];
}

/** What axe finds on a page: the rule, and where it is broken. */
export async function axeFaults(page: Page, { exclude = [], rules }: AxeOptions = {}): Promise<string[]> {
  // The policy of a page lets no script in: it is evaluated from outside.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(SOURCE);
  const options = { resultTypes: ["violations"], ...(rules && { runOnly: { type: "rule", values: rules } }) };
  const { violations } = (await page.evaluate(
    `axe.run(${JSON.stringify({ exclude })}, ${JSON.stringify(options)})`,
  )) as { violations: { id: string; impact: string; nodes: { html: string }[] }[] };
  return violations.map(
    ({ id, impact, nodes }) => `${impact} ${id} ${nodes.map(({ html }) => html).join(" ")}`,
  );
}
