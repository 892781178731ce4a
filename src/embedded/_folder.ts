// What the embedded Postgres keeps in its folder, and the lock on that folder.
import { Database } from "bun:sqlite";
import { randomBytes } from "node:crypto";
import fs from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const LOCK_TIMEOUT_MS = 120_000;
const POLL_MS = 20;
const PORT_ATTEMPTS = 50;
const PORT_RELEASE_MS = 500;

/** What a second process must know to reach the server. */
export interface Connection {
  port: number;
  password: string;
  /** Where data and binaries are: "." for the folder itself, or an absolute path when Postgres cannot enter it. */
  place: string;
}

/** The one kind of error of the embedded Postgres: a line that says what is wrong and what to do. */
export function cannotStart(
  reason: string,
  remedy = "set DATABASE_URL to a Postgres of your own, or run as an ordinary user",
): Error {
  return new Error(`Cannot start the embedded Postgres because ${reason}: ${remedy}`);
}

/** Runs `work` while no other process works on the same folder; others wait. */
export async function withFolderLock<T>(dir: string, work: () => Promise<T>): Promise<T> {
  // A SQLite file serves as the lock because the kernel lets go of it when its holder dies: none can be left over.
  const lock = new Database(join(dir, "lock"), { create: true });
  try {
    await acquire(lock, dir);
    return await work();
  } finally {
    lock.close();
  }
}

async function acquire(lock: Database, dir: string): Promise<void> {
  const deadline = Date.now() + LOCK_TIMEOUT_MS;
  while (true) {
    try {
      lock.run("begin exclusive");
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== "SQLITE_BUSY") throw error;
      if (Date.now() > deadline) {
        throw cannotStart(`another process keeps ${dir} locked`, "end that process, then start again");
      }
      await sleep(POLL_MS);
    }
  }
}

/** The connection kept in the folder, or null before the first start. */
export async function readConnection(dir: string): Promise<Connection | null> {
  const file = Bun.file(connectionFile(dir));
  return (await file.exists()) ? await file.json() : null;
}

/** Keeps the connection, readable for the owner only. A crash leaves either the old file or the new one. */
export async function writeConnection(dir: string, connection: Connection): Promise<void> {
  const partial = `${connectionFile(dir)}.partial`;
  await fs.rm(partial, { force: true });
  await fs.writeFile(partial, `${JSON.stringify(connection)}\n`, { mode: 0o600, flush: true });
  await fs.rename(partial, connectionFile(dir));
  await syncFolder(dir);
}

function connectionFile(dir: string): string {
  return join(dir, "connection.json");
}

/** Returns when files renamed within the folder stay renamed, whatever happens to the machine. */
export async function syncFolder(dir: string): Promise<void> {
  const handle = await fs.open(dir, "r");
  await handle.sync();
  await handle.close();
}

/** A password for a new server, safe in a URL. */
export function newPassword(): string {
  return randomBytes(24).toString("base64url");
}

/** A port nothing listens on, below the range from which the kernel takes ports for outgoing connections. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < PORT_ATTEMPTS; attempt++) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (await isFree(port)) return port;
  }
  throw cannotStart("no port between 20000 and 32000 is free on 127.0.0.1");
}

/** Whether a server can listen on the port of 127.0.0.1, be it in a moment: a dying one lets go of its port last. */
export async function becomesFree(port: number): Promise<boolean> {
  const deadline = Date.now() + PORT_RELEASE_MS;
  while (!(await isFree(port))) {
    if (Date.now() > deadline) return false;
    await sleep(POLL_MS);
  }
  return true;
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return await new Promise((resolve) => {
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
