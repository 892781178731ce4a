// The operator's commands that take a project to another installation, and bring what another service has.
import { readFileSync } from "node:fs";
import { assertProject } from "../accounts/projects/mod.ts";
import type { Context } from "../context.ts";
import type { IncomingReport, IncomingSource } from "../moving/incoming_types.ts";
import { type Exported, exportProject } from "../moving/export.ts";
import { type Imported, importProject } from "../moving/import.ts";
import { takeIn } from "../moving/incoming.ts";
import { listmonkSource } from "../moving/listmonk.ts";
import { plunkSource } from "../moving/plunk.ts";
import { asId } from "./ids.ts";

/** The options of `export` and `import`. */
export interface MovingOptions {
  ledger?: boolean | undefined;
  "passphrase-file"?: string | undefined;
  resume?: boolean | undefined;
  url?: string | undefined;
  key?: string | undefined;
  user?: string | undefined;
  password?: string | undefined;
  from?: string | undefined;
  project?: string | undefined;
  yes?: boolean | undefined;
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

/** Brings everything of another service into a project; without `yes` it only says what would happen. */
export async function takeFrom(
  ctx: Context,
  service: "plunk" | "listmonk",
  options: MovingOptions,
): Promise<IncomingReport> {
  const { project, yes = false } = options;
  const projectId = asId(project, "project", ": see `project list`");
  await assertProject(ctx, projectId);
  return await takeIn(ctx, projectId, sourceOf(service, options), { dryRun: !yes });
}

function sourceOf(service: "plunk" | "listmonk", options: MovingOptions): IncomingSource {
  const need = (option: "url" | "key" | "user" | "password"): string => {
    const given = options[option];
    if (given === undefined) throw new Error(`Cannot import from ${service} without --${option}`);
    return given;
  };
  if (service === "plunk") return plunkSource(need("url"), need("key"));
  const from = options.from ?? null;
  return listmonkSource({ url: need("url"), user: need("user"), password: need("password"), from });
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
