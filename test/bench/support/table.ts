// Many figures as a table that is read at a glance.
import type { Line } from "./report.ts";

/** References that lie further apart than this say that others used the machine. */
const BELIEVABLE_SPREAD = 0.15;

/** Rows of cells, each column as wide as its widest cell. */
export function tableOf(head: string[], rows: string[][]): string {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]!.length)));
  const line = (cells: string[]) =>
    cells
      .map((cell, i) => (i < 2 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
      .join("  ")
      .trimEnd();
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

/** The figures that have a goal or a reference, and whether the machine was quiet enough to believe them. */
export function overviewOf(lines: readonly Line[]): string {
  const shown = lines.filter(({ goal, ratio }) => goal !== undefined || ratio !== undefined);
  const percent = (share: number | undefined) => (share === undefined ? "" : `${Math.round(share * 100)} %`);
  const table = tableOf(
    ["bench", "measure", "figure", "reference", "ratio", "spread", "goal", ""],
    shown.map(({ bench, measure, value, unit, ceiling, ratio, spread, goal, pass }) => [
      bench,
      measure,
      `${value} ${unit}`,
      ceiling?.toString() ?? "",
      ratio?.toString() ?? "",
      percent(spread),
      goal ?? "",
      pass === undefined ? "" : pass ? "met" : "MISSED",
    ]),
  );
  const apart = shown.filter(({ spread = 0 }) => spread > BELIEVABLE_SPREAD);
  const verdict =
    apart.length === 0
      ? "The references stayed within 15 % over the rounds."
      : `The machine was too busy to believe ${apart.length} of ${shown.length} figures: their references lie more than 15 % apart (${apart.map(({ measure }) => measure).join("; ")}). Run it again on a quiet machine.`;
  return `${table}\n\n${verdict}`;
}
