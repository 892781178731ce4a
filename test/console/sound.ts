// What every page of the console has to be: accessible, within its bounds, and nothing that the browser complains of.
import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { colourFindings } from "./colours.ts";
import { overflows } from "./overflows.ts";
import type { OpenPage } from "./support.ts";

const AXE = readFileSync(new URL("../../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
/** WCAG 2.2, levels A and AA. Colours are judged apart. */
const OPTIONS = {
  runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] },
  rules: { "color-contrast": { enabled: false }, "link-in-text-block": { enabled: false } },
  resultTypes: ["violations"],
};

/** Gives a page axe, evaluated as the debugger does: its policy does not stand in the way. */
export async function loadAxe(page: Page): Promise<void> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE);
}

/** What axe finds on a page but for its colours; with the places. The page has axe. */
async function findings(page: Page): Promise<string[]> {
  return await page.evaluate(async (options) => {
    const { axe } = globalThis as unknown as { axe: { run(root: unknown, options: unknown): Promise<any> } };
    const { violations } = await axe.run(document, options);
    return violations.flatMap((violation: any) =>
      violation.nodes.map((node: any) => `${violation.id}: ${node.target.join(" ")} ${node.failureSummary}`),
    );
  }, OPTIONS);
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
  await loadAxe(page);
  expect({
    findings: [...(onlyColours ? [] : await findings(page)), ...(await colourFindings(page))],
    overflows: onlyColours ? [] : await overflows(page),
    complaints: page.complaints.filter((complaint) => !isExpected(complaint)),
  }).toEqual({ findings: [], overflows: [], complaints: [] });
}
