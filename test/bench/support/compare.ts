// A bench in two trees in turn: this one, and a commit. What a noisy machine does to one it does to the other.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Line, median } from "./report.ts";
import { tableOf } from "./table.ts";

const ROOT = new URL("../../..", import.meta.url).pathname;

/** Runs a bench `rounds` times in each tree, and answers a table of its figures. Throws where there is no such commit. */
export async function compareWith(
  commit: string,
  bench: string,
  { rounds, flags }: { rounds: number; flags: string[] },
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "postrider-compare-"));
  const tree = join(folder, "tree");
  try {
    await run(["git", "worktree", "add", "--detach", "--quiet", tree, commit], ROOT);
    await run([process.execPath, "install", "--frozen-lockfile", "--silent"], tree);
    const then: Line[][] = [];
    const now: Line[][] = [];
    for (let round = 0; round < rounds; round++) {
      // The first one of a pair finds the machine as the second of the one before has left it.
      const turns = round % 2 === 0 ? [then, now] : [now, then];
      for (const turn of turns) turn.push(await runBench(turn === then ? tree : ROOT, bench, flags));
    }
    return differences(then, now);
  } finally {
    await run(["git", "worktree", "remove", "--force", tree], ROOT).catch(() => {});
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runBench(tree: string, bench: string, flags: string[]): Promise<Line[]> {
  const program = join(tree, "test/bench/mod.ts");
  const output = await run([process.execPath, program, bench, "--rounds", "1", ...flags], tree);
  const lines = output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
  return lines.filter(({ measure }) => measure !== "summary");
}

/** What both have, pair by pair. */
function differences(then: Line[][], now: Line[][]): string {
  const rows = now[0]!.flatMap(({ measure, unit }) => {
    const valuesIn = (runs: Line[][]) =>
      runs.flatMap((lines) => lines.find((line) => line.measure === measure)?.value ?? []);
    const [before, after] = [valuesIn(then), valuesIn(now)];
    if (before.length < then.length || after.length < now.length) return [];
    const ratios = after.map((value, i) => value / before[i]!).filter(Number.isFinite);
    if (ratios.length === 0) return [];
    const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
    const range = `${least.toFixed(2)} to ${most.toFixed(2)}`;
    return [
      [measure, unit, rounded(median(before)), rounded(median(after)), median(ratios).toFixed(2), range],
    ];
  });
  return tableOf(["measure", "unit", "then", "now", "ratio", "of the pairs"], rows);
}

function rounded(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

async function run(command: string[], cwd: string): Promise<string> {
  const child = Bun.spawn(command, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${command.slice(0, 3).join(" ")} ended with ${code}: ${errors.trim()}`);
  return output;
}
