// The operator's commands that take a project to another installation, and bring what another service has.
import { readFileSync } from "node:fs";
import { assertProject } from "../accounts/projects/mod.ts";
import type { Context } from "../context.ts";
import { type IncomingReport, type IncomingSource, TryLater } from "../moving/incoming_types.ts";
import { type Exported, exportProject } from "../moving/export.ts";
import { type Imported, importProject } from "../moving/import.ts";
import { takeIn } from "../moving/incoming.ts";
import { listmonkSource } from "../moving/listmonk.ts";
import { PATIENT_TRIES } from "../moving/json_api.ts";
import { plunkSource } from "../moving/plunk.ts";
import { csvExportSource, StateNeeded } from "../moving/csv_export.ts";
import { filesAt } from "../moving/export_files.ts";
import { CONTACT_STATES, type ContactState, type Exporter } from "../moving/export_presets.ts";
import { operatorGuard } from "../guard.ts";
import { asId } from "./ids.ts";

/** The options of `export` and `import`. */
export interface MovingOptions {
  ledger?: boolean | undefined;
  "passphrase-file"?: string | undefined;
  resume?: boolean | undefined;
  url?: string | undefined;
  key?: string | undefined;
  "key-file"?: string | undefined;
  user?: string | undefined;
  password?: string | undefined;
  "password-file"?: string | undefined;
  from?: string | undefined;
  as?: string | undefined;
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
  return await takeInto(ctx, options, () => sourceOf(ctx, service, options));
}

/** The same with what another service has exported as CSV files, or zips of them. */
export async function takeExport(
  ctx: Context,
  exporter: Exporter,
  paths: string[],
  options: MovingOptions,
): Promise<IncomingReport> {
  const as = options.as ?? null;
  if (as !== null && !(CONTACT_STATES as readonly string[]).includes(as))
    throw new Error(`Cannot read --as: give ${CONTACT_STATES.toReversed().join(", ")}`);
  if (paths.length === 0)
    throw new Error(`Cannot import from ${exporter} without the files that it has exported (.csv or .zip)`);
  return await takeInto(ctx, options, async () => {
    try {
      return await csvExportSource(exporter, filesAt(paths), as as ContactState | null);
    } catch (error) {
      if (!(error instanceof StateNeeded)) throw error;
      throw new Error(`${error.message} with --as ${[...CONTACT_STATES].toReversed().join("|")}`, {
        cause: error,
      });
    }
  });
}

async function takeInto(
  ctx: Context,
  { project, yes = false }: MovingOptions,
  source: () => IncomingSource | Promise<IncomingSource>,
): Promise<IncomingReport> {
  const projectId = asId(project, "project", ": see `project list`");
  await assertProject(ctx, projectId);
  try {
    return await takeIn(ctx, projectId, await source(), { dryRun: !yes });
  } catch (error) {
    if (!(error instanceof TryLater)) throw error;
    throw new Error(`${error.message}. What was imported stays; run the command again`, { cause: error });
  }
}

function sourceOf(ctx: Context, service: "plunk" | "listmonk", options: MovingOptions): IncomingSource {
  const reading = { guard: operatorGuard(ctx), tries: PATIENT_TRIES };
  const need = (option: "url" | "user"): string => {
    const given = options[option];
    if (given === undefined) throw new Error(`Cannot import from ${service} without --${option}`);
    return given;
  };
  const secret = (option: "key" | "password"): string => {
    const file = options[`${option}-file`];
    const given = options[option] ?? (file === undefined ? undefined : firstLineOf(file));
    if (given !== undefined) return given;
    throw new Error(`Cannot import from ${service} without --${option}-file or --${option}`);
  };
  if (service === "plunk") return plunkSource({ url: need("url"), key: secret("key") }, reading);
  const from = options.from ?? null;
  const access = { url: need("url"), user: need("user"), password: secret("password"), from };
  return listmonkSource(access, reading);
}

function assertFile(path: string | undefined): string {
  if (path !== undefined) return path;
  throw new Error("Cannot move a project without the name of a file, such as shop.ndjson.zst");
}

function passphraseIn(file: string | undefined): string {
  if (file !== undefined) return firstLineOf(file);
  throw new Error(
    "Cannot move a project without --passphrase-file: its secrets are wrapped with what is in it",
  );
}

/** A secret, in a file: in the arguments of a command everybody on the machine could read it. */
function firstLineOf(file: string): string {
  return readFileSync(file, "utf8").split("\n")[0]!.trim();
}
