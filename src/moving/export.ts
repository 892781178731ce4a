// Takes a project out: everything of it, as it was at one moment, in a file of constant demands on memory.
import { OPERATOR, recordAudit } from "../accounts/audit.ts";
import { type Context, inTransaction, newId } from "../context.ts";
import { migrationNames } from "../db/migrate.ts";
import { q } from "../db/queries.ts";
import { problems } from "../problem/mod.ts";
import { endLine, type ExportHeader, FORMAT_VERSION, rowLine, tableLine, writeLines } from "./_lines.ts";
import { type Wrapping, wrapWith } from "./_passphrase.ts";
import { type LeftOut, OUTWARD } from "./_secret_columns.ts";
import { MOVED } from "./tables.ts";

/** How an export is made. */
export interface ExportOptions {
  /** Where to. A file that exists is refused. */
  path: string;
  /** Whether mails and events come along. */
  ledger: boolean;
  /** At least {@linkcode MIN_PASSPHRASE} characters; it opens the secrets again. */
  passphrase: string;
}

/** What was exported. */
export interface Exported {
  id: string;
  name: string;
  exportId: string;
  ledger: boolean;
  /** The project goes on here: imported elsewhere, it does nothing by itself there. */
  copy: boolean;
  rows: Record<string, number>;
  leftOut: LeftOut[];
}

/** What is in memory at a time, unless a single row is larger. */
const PAGE_BYTES = 1_000_000;

/**
 * Writes a project to a file. All of it is as it was when this began, whatever happens meanwhile. Throws 404, and an error
 * where it cannot be exported as a whole: while it is reset or imported, and with its ledger while mails are handed over.
 */
export async function exportProject(
  ctx: Context,
  projectId: string,
  options: ExportOptions,
): Promise<Exported> {
  const state = await q.projectMoves.state(ctx, { projectId });
  if (!state) throw problems.notFound("project", projectId);
  if (state.isSandbox) throw new Error("Cannot export a sandbox: it is for tests here. Export its project");
  assertWhole(state, options);
  const wrapping = await wrapWith(options.passphrase);
  const exportId = newId(ctx);
  const header: ExportHeader = {
    postrider: "export",
    version: FORMAT_VERSION,
    exportId,
    exportedAt: ctx.now().toISOString(),
    baseUrl: ctx.config.BASE_URL,
    project: { id: projectId, name: state.name },
    ledger: options.ledger,
    copy: !state.isDisabled,
    migration: migrationNames().at(-1)!,
    passphrase: wrapping.note,
  };
  const { ledger, copy } = header;
  const exported: Exported = {
    id: projectId,
    name: state.name,
    exportId,
    ledger,
    copy,
    rows: {},
    leftOut: [],
  };
  await recordAudit(ctx, {
    projectId,
    actor: OPERATOR,
    action: "project.exported",
    details: { ledger, copy },
  });
  await inTransaction(ctx, async (tx) => {
    await q.projectMoves.takeSnapshot(tx);
    await writeLines(options.path, linesFrom(tx, header, wrapping, exported));
  });
  return exported;
}

function assertWhole(
  state: { isBeingReset: boolean; isMovingIn: boolean; isDisabled: boolean; sending: number },
  { ledger }: ExportOptions,
): void {
  if (state.isBeingReset)
    throw new Error("Cannot export a project that is being reset: wait until that is done");
  if (state.isMovingIn) throw new Error("Cannot export a project whose import is not complete");
  if (ledger && state.isDisabled && state.sending > 0) {
    throw new Error(
      `Cannot export the ledger while ${state.sending} mails are handed to the mail server: try again in a minute`,
    );
  }
}

async function* linesFrom(
  tx: Context,
  header: ExportHeader,
  wrapping: Wrapping,
  exported: Exported,
): AsyncGenerator<string, undefined> {
  const { id: projectId, rows, leftOut } = exported;
  yield `${JSON.stringify(header)}\n`;
  let total = 0;
  for (const { name } of MOVED.filter((table) => header.ledger || !table.isLedger)) {
    yield tableLine(name);
    await q.projectMoves.openRows(tx, { source: name, projectId });
    const outward = OUTWARD[name];
    for (;;) {
      const page = await q.projectMoves.nextRows(tx, { bytes: PAGE_BYTES });
      if (page.length === 0) break;
      for (const { line } of page) {
        const row = outward ? await outward(tx, JSON.parse(line), wrapping, leftOut) : line;
        if (row === null) continue;
        rows[name] = (rows[name] ?? 0) + 1;
        total += 1;
        yield rowLine(name, typeof row === "string" ? row : JSON.stringify(row));
      }
    }
  }
  yield endLine(total);
}
