// Debian's Postgres 15, where it is installed: the oldest one that is promised, with its own pg_dump.
import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where its programs are. */
export const POSTGRES_15_BIN = "/usr/lib/postgresql/15/bin";

/** Whether it is there. */
export const HAS_POSTGRES_15 = existsSync(join(POSTGRES_15_BIN, "initdb"));

/** Runs a program of Postgres, which refuses to run as root. */
async function run(program: string, ...args: string[]): Promise<void> {
  const asPostgres = process.getuid?.() === 0 ? ["runuser", "-u", "postgres", "--"] : [];
  const command = [...asPostgres, join(POSTGRES_15_BIN, program), ...args];
  const child = Bun.spawn(command, { cwd: "/", stdout: "ignore", stderr: "ignore" });
  if ((await child.exited) !== 0) throw new Error(`Cannot run ${command.join(" ")}`);
}

/** Starts one with an empty database, in a folder that goes with it. */
export async function startPostgres15(): Promise<{ url: string; stop(): Promise<void> }> {
  const dir = mkdtempSync(join(tmpdir(), "postrider-pg15-"));
  chmodSync(dir, 0o777);
  const data = join(dir, "data");
  const port = 20_000 + Math.floor(Math.random() * 10_000);
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`;
  await run("initdb", "-D", data, "-U", "app", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8");
  await run("pg_ctl", "-D", data, "-o", options, "-l", join(dir, "log"), "-w", "start");
  return {
    url: `postgres://app@127.0.0.1:${port}/postgres`,
    async stop() {
      await run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop");
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
