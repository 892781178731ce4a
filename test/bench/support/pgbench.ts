// What Postgres does on this machine without any client of ours: `pgbench`, where it is installed.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const DEBIAN = "/usr/lib/postgresql";
const CLIENTS = 32;

/** The program, in the path or where Debian has it; null without one. */
function findPgbench(): string | null {
  const inPath = Bun.which("pgbench");
  if (inPath || !existsSync(DEBIAN)) return inPath;
  const found = readdirSync(DEBIAN)
    .map((version) => join(DEBIAN, version, "bin/pgbench"))
    .filter((path) => existsSync(path));
  return found.at(-1) ?? null;
}

/** Transactions a second of this script with 32 clients; null where there is no `pgbench`. */
export async function runPgbench(url: string, script: string, seconds: number): Promise<number | null> {
  const program = findPgbench();
  if (!program) return null;
  const dir = mkdtempSync(join(tmpdir(), "postrider-pgbench-"));
  try {
    const file = join(dir, "script.sql");
    writeFileSync(file, script);
    const options = ["-n", "-M", "prepared", "-c", CLIENTS, "-j", 1, "-T", seconds, "-f", file, url];
    const child = Bun.spawn([program, ...options.map(String)], { stdio: ["ignore", "pipe", "pipe"] });
    const [output, errors] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    const tps = /^tps = ([\d.]+)/m.exec(output)?.[1];
    if ((await child.exited) !== 0 || tps === undefined) throw new Error(`pgbench failed: ${errors}`);
    return Number(tps);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
