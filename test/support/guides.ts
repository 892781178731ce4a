// The guides as the tests read them: tables, and blocks that are marked by a comment above them.
import { readdirSync, readFileSync } from "node:fs";
import { expect } from "bun:test";

const FOLDER = new URL("../../src/http/pages/guides/", import.meta.url);

/** The names of all guides, without the index. */
export const GUIDE_NAMES = readdirSync(FOLDER)
  .map((file) => file.replace(/\.md$/, ""))
  .filter((name) => name !== "README");

/** The Markdown of a guide. */
export function readGuide(name: string): string {
  return readFileSync(new URL(`${name}.md`, FOLDER), "utf8");
}

/** A block of code with the comment that stands above it. */
export interface MarkedBlock {
  mark: string;
  language: string;
  code: string;
}

/** The blocks of a text below comments that begin with a word, in their order. */
export function markedBlocks(text: string, word: string): MarkedBlock[] {
  return [...text.matchAll(/^<!-- (.*) -->\n\n```(\w+)\n([\s\S]*?)^```/gm)]
    .map(([, mark, language, code]) => ({ mark: mark!, language: language!, code: code! }))
    .filter(({ mark }) => mark === word || mark.startsWith(`${word} `));
}

/** The one block below a comment. */
export function markedBlock(text: string, mark: string): string {
  const found = markedBlocks(text, mark).filter((block) => block.mark === mark);
  if (found.length !== 1) throw new Error(`Cannot find the one block below <!-- ${mark} -->`);
  return found[0]!.code;
}

/** A table below its heading; its cells as they are written. */
export interface Table {
  heading: string;
  head: string[];
  rows: string[][];
}

/** The tables of a text. */
export function tablesOf(text: string): Table[] {
  const tables: Table[] = [];
  let heading = "";
  let isTable = false;
  for (const line of text.split("\n")) {
    if (/^#+ /.test(line)) heading = line.replace(/^#+ /, "");
    const cells = cellsOf(line);
    if (cells && !isTable) tables.push({ heading, head: cells, rows: [] });
    else if (cells && !cells.every((cell) => /^:?-+:?$/.test(cell))) tables.at(-1)!.rows.push(cells);
    isTable = cells !== null;
  }
  return tables;
}

/** The table below a heading; the first one where there are several. */
export function tableBelow(text: string, heading: string): Table {
  const found = tablesOf(text).find((table) => table.heading === heading);
  if (!found) throw new Error(`Cannot find a table below "${heading}"`);
  return found;
}

function cellsOf(line: string): string[] | null {
  if (!line.startsWith("|")) return null;
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** What stands in backticks, with the bars as they are meant. */
export function codesIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1]!.replaceAll("\\|", "|"));
}

/** Runs a script in a shell that ends at the first command that fails; answers what it printed. */
export async function runScript(
  script: string,
  { cwd, variables }: { cwd: string; variables: Record<string, string> },
): Promise<string> {
  const shell = Bun.spawn(["bash", "-euo", "pipefail", "-c", script], {
    cwd,
    env: { ...process.env, ...variables },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, complaints, code] = await Promise.all([
    new Response(shell.stdout).text(),
    new Response(shell.stderr).text(),
    shell.exited,
  ]);
  expect([code, complaints, code === 0 ? "" : output]).toEqual([0, "", ""]);
  return output;
}
