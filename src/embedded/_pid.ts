// Which server runs on a data folder: postmaster.pid, and the processes it may or may not speak of.
import { existsSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import fs from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cannotStart } from "./_folder.ts";

const POLL_MS = 10;
/** The time limit of a start: after a crash Postgres first replays what had not been written to its tables. */
export const READY_TIMEOUT_MS = 600_000;

/** A running server, as it describes itself in postmaster.pid. */
export interface Postmaster {
  pid: number;
  port: number;
  /** starting, ready, standby or stopping */
  status: string;
}

/** Waits for a server somebody else has started. Null when it ends instead. */
export async function waitForPostmaster(data: string): Promise<Postmaster | null> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const server = findPostmaster(data);
    if (!server || server.status === "ready") return server;
    await sleep(POLL_MS);
  }
  throw cannotStart(`a server in ${data} neither gets ready nor ends`, "end it by hand, then start again");
}

/** The server that runs on the data folder, whatever started it, or null. */
export function findPostmaster(data: string): Postmaster | null {
  const server = readPostmaster(data);
  return server && isPostgresOn(server.pid, data) ? server : null;
}

/** What postmaster.pid says, true or not. Synchronous: the file is small, and process 'exit' handlers read it too. */
export function readPostmaster(data: string): Postmaster | null {
  try {
    const lines = readFileSync(pidFile(data), "utf8").split("\n");
    return { pid: Number(lines[0]), port: Number(lines[3]), status: lines[7]?.trim() ?? "starting" };
  } catch {
    return null;
  }
}

function pidFile(data: string): string {
  return join(data, "postmaster.pid");
}

/** The process id alone proves nothing: it may be a zombie's, or have passed on to a stranger. */
function isPostgresOn(pid: number, data: string): boolean {
  if (!(pid > 1)) return false;
  if (process.platform !== "linux") {
    const { stdout } = Bun.spawnSync(["ps", "-o", "command=", "-p", String(pid)]);
    return stdout.toString().includes(`/postgres -D ${data} `);
  }
  const [program, ...options] = commandOf(pid);
  return basename(program!) === "postgres" && (options.includes(data) || workingFolderOf(pid) === data);
}

/**
 * Postgres refuses to start while the process id in a left-over postmaster.pid is in use, be it by a zombie or by
 * another program. It accepts the id of its own parent, which is us. Deleting the file would also remove the check for
 * survivors of the old server that still write to its memory; this way that check stays.
 */
export function disarmLeftover(data: string): void {
  const file = pidFile(data);
  if (!existsSync(file)) return;
  const [, ...rest] = readFileSync(file, "utf8").split("\n");
  writeFileSync(file, [process.pid, ...rest].join("\n"));
}

/**
 * Ends what a killed server has left behind: its children finish their statements before they notice, minutes maybe,
 * and until then no new server can start. Their work is lost already. Elsewhere than on Linux we wait for them.
 */
export async function endSurvivors(data: string): Promise<void> {
  const pids = (await fs.readdir("/proc").catch(() => [])).map(Number).filter((pid) => pid > 1);
  const family = pids.filter((pid) => workingFolderOf(pid) === data);
  // A server that lives has no business here, but its children must never be taken for survivors.
  if (family.some((pid) => basename(commandOf(pid)[0]!) === "postgres")) return;
  const survivors = family.filter((pid) => commandOf(pid)[0]!.startsWith("postgres: "));
  for (const pid of survivors) sendSignal(pid, "SIGKILL");
}

/** Sends a signal; false when the process has ended in the meantime. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Empty for a process that is gone, and for a zombie. */
function commandOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [""];
  }
}

function workingFolderOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null; // It is gone, or belongs to somebody else
  }
}
