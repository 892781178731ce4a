// The data of the embedded Postgres, as they begin.
import fs from "node:fs/promises";
import { join } from "node:path";
import { type SystemAccount, giveTo, runAs } from "./_account.ts";
import { postgresVersion } from "./_binaries.ts";
import { cannotStart, syncFolder } from "./_folder.ts";

/** The name of the one role, a superuser. */
export const ROLE = "postrider";

/**
 * Makes a database cluster in `place`. Nothing is at its final path until all of it is on disk: initdb flushes what it
 * wrote (with --no-sync it saves a tenth of its time and leaves a new database to the mercy of the next power cut).
 */
export async function createCluster(
  place: string,
  bin: string,
  account: SystemAccount,
  password: string,
): Promise<void> {
  const partial = join(place, "data.partial");
  const passwordFile = join(place, "password.partial");
  await fs.rm(partial, { recursive: true, force: true });
  await fs.rm(passwordFile, { force: true });
  try {
    await fs.mkdir(partial, { mode: 0o700 });
    await fs.writeFile(passwordFile, password, { mode: 0o600 });
    await giveTo(account, partial);
    await giveTo(account, passwordFile);
    const { ok, output } = await runAs(account, initdbCommand(bin, partial, passwordFile));
    if (!ok)
      throw cannotStart(`initdb failed (${lastLine(output)})`, "set DATABASE_URL to a Postgres of your own");
  } finally {
    await fs.rm(passwordFile, { force: true });
  }
  await fs.rename(partial, join(place, "data"));
  await syncFolder(place);
}

/** Word characters come from LC_CTYPE, which pg_trgm asks; macOS has no C.UTF-8. */
function initdbCommand(bin: string, data: string, passwordFile: string): string[] {
  const characters = process.platform === "darwin" ? "en_US.UTF-8" : "C.UTF-8";
  return [
    join(bin, "initdb"),
    `--pgdata=${data}`,
    `--username=${ROLE}`,
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--locale=C",
    `--lc-ctype=${characters}`,
    "--no-instructions",
  ];
}

/** Refuses data of another major version, which this Postgres could not read. */
export async function assertSameMajor(data: string): Promise<void> {
  const made = (await fs.readFile(join(data, "PG_VERSION"), "utf8")).trim();
  const major = (await postgresVersion()).split(".")[0];
  if (made === major) return;
  throw cannotStart(
    `${data} was made by Postgres ${made} and this is Postgres ${major}`,
    "bring the data over with pg_dump and psql, or go back to the version before",
  );
}

function lastLine(text: string): string {
  return text.slice(text.lastIndexOf("\n") + 1);
}
