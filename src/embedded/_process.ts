// One Postgres server process: starting it and ending it.
import { closeSync, openSync } from "node:fs";
import fs from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type SystemAccount, programEnvironment } from "./_account.ts";
import { cannotStart } from "./_folder.ts";
import { disarmLeftover, findPostmaster, READY_TIMEOUT_MS, readPostmaster, sendSignal } from "./_pid.ts";

const POLL_MS = 10;
const FAST_SHUTDOWN_MS = 30_000;
const FAST_SHUTDOWN_AT_EXIT_MS = 3_000;
const IMMEDIATE_SHUTDOWN_MS = 1_000;
const LOG_LIMIT_BYTES = 16 * 1024 * 1024;

/** For a small machine that runs the service as well. */
const SETTINGS: Record<string, string> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  password_encryption: "scram-sha-256",
  max_connections: "200",
  shared_buffers: "256MB",
  max_wal_size: "2GB",
  random_page_cost: "1.1",
  jit: "off",
  TimeZone: "UTC",
  log_timezone: "UTC",
};

/** What a server is started from. */
export interface ServerFiles {
  bin: string;
  data: string;
  log: string;
  account: SystemAccount;
  settings: Record<string, string>;
}

/** Starts a server and returns null when it is ready, or else its output before it ended. */
export async function launch(files: ServerFiles, port: number): Promise<string | null> {
  await limitLog(files.log);
  disarmLeftover(files.data);
  const before = Bun.file(files.log).size;
  if (await becomesReady(files.data, spawnServer(files, port))) return null;
  return await Bun.file(files.log).slice(before).text();
}

function spawnServer(files: ServerFiles, port: number): Bun.Subprocess {
  const settings = Object.entries({ ...SETTINGS, ...files.settings });
  const flags = settings.flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const command = [join(files.bin, "postgres"), "-D", files.data, "-p", String(port), ...flags];
  const log = openSync(files.log, "a", 0o600);
  try {
    const child = Bun.spawn([...files.account.prefix, ...command], {
      ...files.account.as,
      cwd: "/",
      env: programEnvironment(),
      // A session of its own: Ctrl-C in the terminal must reach only the service, which stops Postgres last.
      detached: true,
      stdio: ["ignore", log, log],
    });
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

async function becomesReady(data: string, child: Bun.Subprocess): Promise<boolean> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (child.exitCode === null && child.signalCode === null) {
    const server = readPostmaster(data);
    if (server?.pid === child.pid && server.status === "ready") return true;
    if (Date.now() > deadline)
      throw cannotStart("it does not get ready", "look into postgres.log in its folder");
    await sleep(POLL_MS);
  }
  return false;
}

/** Stops the server on the data folder, if one runs, and waits until it has. */
export async function shutDown(data: string): Promise<void> {
  for (const wait of shutdownSteps(data, FAST_SHUTDOWN_MS)) {
    while (wait()) await sleep(POLL_MS);
  }
}

/** The same without letting anything else run. */
export function shutDownNow(data: string): void {
  for (const wait of shutdownSteps(data, FAST_SHUTDOWN_AT_EXIT_MS)) {
    while (wait()) Bun.sleepSync(POLL_MS);
  }
}

/**
 * First a fast shutdown, after which nothing has to be repaired; when that takes too long, an immediate one, which
 * leaves the repair to the next start. Each step tells whether to continue waiting for it.
 */
function* shutdownSteps(data: string, fastShutdownMs: number): Generator<() => boolean> {
  for (const [signal, timeoutMs] of [
    ["SIGINT", fastShutdownMs],
    ["SIGQUIT", IMMEDIATE_SHUTDOWN_MS],
  ] as const) {
    const server = findPostmaster(data);
    if (!server || !sendSignal(server.pid, signal)) return;
    const deadline = Date.now() + timeoutMs;
    yield () => findPostmaster(data)?.pid === server.pid && Date.now() < deadline;
  }
}

async function limitLog(log: string): Promise<void> {
  const stat = await fs.stat(log).catch(() => null);
  if (stat && stat.size > LOG_LIMIT_BYTES) await fs.rename(log, `${log}.old`);
}
