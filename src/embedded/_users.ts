// Who uses the server of a folder: the last one to leave stops it, and only the last one.
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cannotStart } from "./_folder.ts";

const LOCK_TIMEOUT_MS = 120_000;
const POLL_MS = 20;
/** Two that leave at the same moment are in each other's way for less than this. */
const LEAVE_MS = 200;

/** The use of a server by one caller of `startEmbedded`. */
export interface Use {
  /**
   * Ends the use, and returns whether it was the last one: then nobody else can begin until `release`. Synchronous, for
   * process 'exit' handlers; further calls return the same until `release`, and false from then on.
   */
  isLast(): boolean;
  release(): void;
}

/** A lock whose object is collected as garbage is closed, and would be lost. */
const held = new Set<Database>();

/** Begins to use the server, before looking whether one runs; waits while the last one stops it. */
export async function beginUse(dir: string): Promise<Use> {
  const path = join(dir, "users");
  const shared = await share(path);
  let last: Database | null | undefined;
  return {
    isLast() {
      if (last === undefined) {
        close(shared);
        last = takeAlone(path);
      }
      return last !== null;
    },
    release() {
      close(shared);
      if (last) close(last);
      last = null;
    },
  };
}

/** A SQLite file serves as the lock for the reason in `withFolderLock`; who reads it shares it. */
async function share(path: string): Promise<Database> {
  const deadline = Date.now() + LOCK_TIMEOUT_MS;
  while (true) {
    const lock = lockWith(path, (db) => {
      db.run("begin");
      db.query("select count(*) from sqlite_master").get();
    });
    if (lock) return lock;
    if (Date.now() > deadline) {
      throw cannotStart(`another process does not finish to stop it (${path})`, "end it, then start again");
    }
    await sleep(POLL_MS);
  }
}

function takeAlone(path: string): Database | null {
  return lockWith(path, (db) => {
    db.run(`pragma busy_timeout = ${LEAVE_MS}`);
    db.run("begin exclusive");
  });
}

/** Null when others are in the way. */
function lockWith(path: string, take: (db: Database) => void): Database | null {
  const db = new Database(path, { create: true });
  try {
    take(db);
    held.add(db);
    return db;
  } catch (error) {
    db.close();
    if ((error as { code?: string }).code === "SQLITE_BUSY") return null;
    throw error;
  }
}

function close(db: Database): void {
  if (held.delete(db)) db.close();
}
