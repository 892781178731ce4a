// The operator's commands that write the database to a file, and a file to an empty database, by Postgres' own programs.
import { mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Config } from "../config/mod.ts";

/** What a backup or its restoration came to. */
export interface BackupReport {
  file: string;
  bytes: number;
  seconds: number;
  /** What the operator has to know next. */
  next: string;
}

const KEEP_KEY =
  "Keep SECRET_KEY apart from the file: without it the DKIM keys cannot be decrypted, and links in sent mails stop working";

/**
 * Writes the whole database to `file`, as it was at one moment, while the service runs. The file is there once it is
 * complete, and replaces an older one of that name. Throws if the programs are missing or older than the server.
 */
export async function backup(config: Config, file: string | undefined): Promise<BackupReport> {
  const target = pathOf(file);
  const unfinished = `${target}.unfinished`;
  const startedAt = performance.now();
  try {
    await withConnection(config, async (url) => {
      await run("pg_dump", "--format=custom", `--file=${unfinished}`, `--dbname=${url}`);
    });
    // What cannot be listed cannot be restored.
    await run("pg_restore", "--list", unfinished);
    renameSync(unfinished, target);
  } finally {
    rmSync(unfinished, { force: true });
  }
  return { ...sizeOf(target, startedAt), next: KEEP_KEY };
}

/** Fills an empty database from `file`: all of it, or nothing. Throws if there is something in it already. */
export async function restore(config: Config, file: string | undefined): Promise<BackupReport> {
  const source = pathOf(file);
  const startedAt = performance.now();
  const { bytes } = sizeOf(source, startedAt);
  await withConnection(config, async (url) => {
    await run(
      "pg_restore",
      "--exit-on-error",
      "--single-transaction",
      "--no-owner",
      `--dbname=${url}`,
      source,
    );
  });
  return {
    ...sizeOf(source, startedAt),
    bytes,
    next: "Start the service with the SECRET_KEY of that time. What was waiting then is sent, also if it was sent since: without SMTP_URL it is captured instead",
  };
}

function pathOf(file: string | undefined): string {
  if (file === undefined) throw new Error("Cannot do this without a file: give its name");
  return resolve(file);
}

function sizeOf(file: string, startedAt: number) {
  const bytes = statSync(file, { throwIfNoEntry: false })?.size;
  if (bytes === undefined) throw new Error(`Cannot read ${file}: there is no such file`);
  return { file, bytes, seconds: Math.round((performance.now() - startedAt) / 100) / 10 };
}

/** With the address of Postgres itself. Its password is in a file that nobody else can read: arguments are for everybody to see. */
async function withConnection(
  { DATABASE_DIRECT_URL, DATABASE_URL, DATA_DIR }: Config,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const given = DATABASE_DIRECT_URL ?? DATABASE_URL;
  if (given === undefined) {
    throw new Error(
      `Cannot do this without DATABASE_URL. The embedded Postgres has no pg_dump: stop the service, and copy ${DATA_DIR}`,
    );
  }
  const url = new URL(given);
  const folder = mkdtempSync(join(tmpdir(), "postrider-backup-"));
  try {
    const passwords = join(folder, "passwords");
    const password = decodeURIComponent(url.password).replace(/[\\:]/g, "\\$&");
    writeFileSync(passwords, `*:*:*:*:${password}\n`, { mode: 0o600 });
    url.password = "";
    url.searchParams.set("passfile", passwords);
    await work(url.href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function run(program: string, ...args: string[]): Promise<void> {
  const path = Bun.which(program);
  if (!path) {
    throw new Error(
      `Cannot find ${program}: install the client programs of PostgreSQL, no older than the server (on Debian: apt-get install postgresql-client), or run this where they are`,
    );
  }
  const child = Bun.spawn([path, ...args], { stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  const complaints = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`Cannot go on: ${complaints.trim()}`);
}
