// The program of `bun run admin`, many times in one process: the words of each run come as JSON on standard input, what
// became of each goes to standard output. A start of its own for each costs more than what the command does.
import { format } from "node:util";

/** What a run of the program said, and its exit code. */
export interface AdminRun {
  out: string;
  err: string;
  exitCode: number;
}

if (import.meta.main) {
  const runs: AdminRun[] = [];
  const { log, error } = console;
  for (const [n, words] of ((await Bun.stdin.json()) as string[][]).entries()) {
    const said = { out: "", err: "" };
    console.log = (...parts) => (said.out += `${format(...parts)}\n`);
    console.error = (...parts) => (said.err += `${format(...parts)}\n`);
    process.argv = [process.argv[0]!, "admin.ts", ...words];
    process.exitCode = 0;
    // Another name is another copy, which runs from its first line.
    await import(`../../src/admin.ts?${n}`);
    runs.push({ ...said, exitCode: Number(process.exitCode) });
  }
  Object.assign(console, { log, error });
  process.exitCode = 0;
  await Bun.write(Bun.stdout, JSON.stringify(runs));
}
