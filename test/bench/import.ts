// An import of 100,000 contacts over HTTP, from the upload until it is completed; new ones, and the same ones again.
// The ceiling is a bulk upsert of the same rows straight through the driver, in chunks, on one connection.
import { createProject } from "../../src/accounts/projects/mod.ts";
import type { Context } from "../../src/context.ts";
import { measureUpload } from "./import_upload.ts";
import { atLeast, below, type BenchOptions, exactly, median, type Report } from "./support/report.ts";
import { onStage, type Stage } from "./support/stage.ts";

const ROWS = 100_000;
/** Of the file of 200 MB. */
const LARGE = 2_000_000;
const CHUNK = 1_000;
const POLL_MS = 10;

interface Row {
  email: string;
  firstName: string;
  plan: string;
  visits: number;
}

/** What came of one import. */
interface Imported {
  seconds: number;
  created: number;
  updated: number;
  failed: number;
  /** The highest that was seen while it ran. */
  resident: number;
}

/** What one round measured: rows a second, and MB. */
interface Round {
  fresh: number;
  again: number;
  freshCeiling: number;
  againCeiling: number;
  grown: number;
  lost: number;
}

/** Runs the bench. */
export async function run(report: Report, { rounds, contacts = LARGE }: BenchOptions): Promise<void> {
  await onStage(async (stage) => {
    const rows = makeRows(Math.min(ROWS, contacts));
    const file = toCsv(rows);
    const measured: Round[] = [];
    for (let round = 0; round < rounds; round++) measured.push(await measureRound(stage, rows, file));
    const mid = (pick: (round: Round) => number) => median(measured.map(pick));
    const note = { rows: rows.length, bytes: file.size };
    const fresh = mid((round) => round.fresh);
    report.line("import of new contacts", fresh, "rows/s", { note, goal: atLeast(25_000) });
    report.line("import of new contacts, against the driver", fresh, "rows/s", {
      ceiling: mid((round) => round.freshCeiling),
      goal: atLeast(0.9),
    });
    report.line(
      "import of the same contacts again",
      mid((round) => round.again),
      "rows/s",
      { ceiling: mid((round) => round.againCeiling) },
    );
    const lost = measured.reduce((sum, round) => sum + round.lost, 0);
    report.line("rows lost or refused", lost, "rows", { goal: exactly(0) });
    const grown = Math.max(...measured.map((round) => round.grown));
    report.line("growth of the service's memory, at most", grown, "MB", { goal: below(100) });
    const ceiling = mid((round) => round.freshCeiling);
    await measureUpload(report, stage, { rows: contacts, ceiling });
  });
}

/** The driver alone, and then the service, which is new each time: it is its growth from idle that is asked for. */
async function measureRound({ ctx, startService }: Stage, rows: Row[], file: File): Promise<Round> {
  const direct = await createProject(ctx, "Direct");
  const freshCeiling = await upsertAll(ctx, direct.id, rows);
  const againCeiling = await upsertAll(ctx, direct.id, rows);
  const service = await startService({ MODE: "all" });
  const project = await createProject(ctx, "Import");
  const before = service.resident();
  const address = `http://127.0.0.1:${service.port}`;
  const importIt = () => importFile(address, project.secret, file, () => service.resident());
  const [fresh, again] = [await importIt(), await importIt()];
  await service.stop();
  return {
    fresh: rows.length / fresh.seconds,
    again: rows.length / again.seconds,
    freshCeiling,
    againCeiling,
    grown: Math.max(fresh.resident, again.resident) - before,
    lost: 2 * rows.length - fresh.created - again.updated + fresh.failed + again.failed,
  };
}

function makeRows(length: number): Row[] {
  return Array.from({ length }, (_, i) => ({
    email: `user${i}@example.com`,
    firstName: `Name ${i % 1_000}`,
    plan: i % 3 === 0 ? "pro" : "free",
    visits: i % 50,
  }));
}

function toCsv(rows: Row[]): File {
  const lines = rows.map((row) => `${row.email},${row.firstName},${row.plan},${row.visits}`);
  return new File([["email,firstName,plan,visits", ...lines].join("\n")], "contacts.csv", {
    type: "text/csv",
  });
}

async function importFile(
  address: string,
  key: string,
  file: File,
  residentNow: () => number,
): Promise<Imported> {
  const headers = { authorization: `Bearer ${key}` };
  const body = new FormData();
  body.append("file", file);
  const startedAt = performance.now();
  const answer = await fetch(`${address}/contacts/import`, { method: "POST", headers, body });
  const { jobId } = (await answer.json()) as { jobId?: string };
  if (!jobId) throw new Error(`Cannot import: ${answer.status}`);
  let resident = 0;
  for (;;) {
    const report = (await (await fetch(`${address}/contacts/import/${jobId}`, { headers })).json()) as {
      state: string;
      failedReason?: string;
      result: { createdCount: number; updatedCount: number; failureCount: number };
    };
    resident = Math.max(resident, residentNow());
    if (report.state === "failed") throw new Error(`Cannot import: ${report.failedReason}`);
    if (report.state === "completed") {
      const { createdCount: created, updatedCount: updated, failureCount: failed } = report.result;
      return { seconds: (performance.now() - startedAt) / 1000, created, updated, failed, resident };
    }
    await Bun.sleep(POLL_MS);
  }
}

/** Rows a second of the best that the driver can do with the same table. */
async function upsertAll({ pool }: Context, projectId: string, rows: Row[]): Promise<number> {
  const startedAt = performance.now();
  for (let from = 0; from < rows.length; from += CHUNK) {
    const chunk = rows.slice(from, from + CHUNK).map(({ email, ...data }) => ({ email, data }));
    await pool`
      insert into contacts as c (project_id, email, subscribed, data)
      select ${projectId}, r.email, true, r.data
      from json_to_recordset(${chunk as never}::json) as r (email text, data jsonb)
      on conflict (project_id, email) do update
      set was_subscribed = c.subscribed, data = c.data || excluded.data, updated_at = now()
      returning id, email, subscribed
    `;
  }
  return rows.length / ((performance.now() - startedAt) / 1000);
}
