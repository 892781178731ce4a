// What every page of the console has to be: accessible, within its bounds, and nothing that the browser complains of.
import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { overflows } from "./overflows.ts";
import type { OpenPage } from "./support.ts";

const AXE = readFileSync(new URL("../../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const RULES = { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] };
/** Those of the rules that can have another answer in other colours. */
const COLOURS = { type: "rule", values: ["color-contrast", "link-in-text-block"] };

/** What axe finds against WCAG 2.2, levels A and AA; with the places. */
export async function findings(page: Page, runOnly: typeof RULES = RULES): Promise<string[]> {
  // Evaluated as the debugger does: the policy of the page does not stand in the way.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE);
  return await page.evaluate(async (rules) => {
    const { axe } = globalThis as unknown as { axe: { run(root: unknown, options: unknown): Promise<any> } };
    const { violations } = await axe.run(document, { runOnly: rules, resultTypes: ["violations"] });
    return violations.flatMap((violation: any) =>
      violation.nodes.map((node: any) => `${violation.id}: ${node.target.join(" ")} ${node.failureSummary}`),
    );
  }, runOnly);
}

/**
 * Asserts that a page is accessible, fits, and that the browser has nothing to complain of. Browsers complain of every refusal:
 * `refused` are the statuses of those that led to the page. `onlyColours`: it has been looked at in the other ones.
 */
export async function expectSound(
  page: OpenPage,
  { refused = [] as number[], onlyColours = false } = {},
): Promise<void> {
  const isExpected = (complaint: string) =>
    refused.some((status) => complaint.includes(`responded with a status of ${status} `));
  expect({
    findings: await findings(page, onlyColours ? COLOURS : RULES),
    overflows: onlyColours ? [] : await overflows(page),
    complaints: page.complaints.filter((complaint) => !isExpected(complaint)),
  }).toEqual({ findings: [], overflows: [], complaints: [] });
}
