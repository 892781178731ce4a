// The operator's commands that take a project to another installation.
import { readFileSync } from "node:fs";
import type { Context } from "../context.ts";
import { type Exported, exportProject } from "../moving/export.ts";
import { type Imported, importProject } from "../moving/import.ts";

/** The options of `export` and `import`. */
export interface MovingOptions {
  ledger?: boolean | undefined;
  "passphrase-file"?: string | undefined;
  resume?: boolean | undefined;
}

/** Writes a project to a file. */
export async function exportTo(
  ctx: Context,
  projectId: string,
  path: string | undefined,
  { ledger = false, "passphrase-file": passphraseFile }: MovingOptions,
): Promise<Exported> {
  return await exportProject(ctx, projectId, {
    path: assertFile(path),
    ledger,
    passphrase: passphraseIn(passphraseFile),
  });
}

/** Reads a project from a file. */
export async function importFrom(
  ctx: Context,
  path: string | undefined,
  { resume = false, "passphrase-file": passphraseFile }: MovingOptions,
): Promise<Imported> {
  return await importProject(ctx, {
    path: assertFile(path),
    passphrase: passphraseIn(passphraseFile),
    resume,
  });
}

function assertFile(path: string | undefined): string {
  if (path !== undefined) return path;
  throw new Error("Cannot move a project without the name of a file, such as shop.ndjson.zst");
}

/** The first line of a file: in the arguments of a command everybody on the machine could read it. */
function passphraseIn(file: string | undefined): string {
  if (file === undefined) {
    throw new Error(
      "Cannot move a project without --passphrase-file: its secrets are wrapped with what is in it",
    );
  }
  return readFileSync(file, "utf8").split("\n")[0]!.trim();
}
