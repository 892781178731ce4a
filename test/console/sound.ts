// What every page of the console has to be: accessible, within its bounds, and nothing that the browser complains of.
import { expect } from "bun:test";
import { axeFaults } from "../support/axe.ts";
import { overflows } from "./overflows.ts";
import type { OpenPage } from "./pages.ts";

/** WCAG 2.2, levels A and AA. */
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

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
    findings: await axeFaults(page, { tags: TAGS, onlyColours }),
    overflows: onlyColours ? [] : await overflows(page),
    complaints: page.complaints.filter((complaint) => !isExpected(complaint)),
  }).toEqual({ findings: [], overflows: [], complaints: [] });
}
