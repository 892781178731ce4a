// An import of 100,000 contacts over HTTP, from the upload until it is completed; new ones, and the same ones again.
// The ceiling is a bulk upsert of the same rows straight through the driver, in chunks, on one connection.
import { createProject } from "../../src/accounts/projects.ts";
import type { Context } from "../../src/context.ts";
import { atLeast, below, type BenchOptions, exactly, median, type Report } from "./support/report.ts";
import { onStage } from "./support/stage.ts";

const ROWS = 100_000;
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

/** Runs the bench. */
export async function run(report: Report, { rounds }: BenchOptions): Promise<void> {
  await onStage(async ({ ctx, startService }) => {
    const service = await startService({ MODE: "all" });
    const address = `http://127.0.0.1:${service.port}`;
    const rows = makeRows();
    const file = toCsv(rows);
    const before = service.resident();
    const [fresh, again, freshCeilings, againCeilings]: [Imported[], Imported[], number[], number[]] = [
      [],
      [],
      [],
      [],
    ];
    for (let round = 0; round < rounds; round++) {
      const direct = await createProject(ctx, "Direct");
      freshCeilings.push(await upsertAll(ctx, direct.id, rows));
      againCeilings.push(await upsertAll(ctx, direct.id, rows));
      const project = await createProject(ctx, "Import");
      const importIt = () => importFile(address, project.secret, file, () => service.resident());
      fresh.push(await importIt());
      again.push(await importIt());
    }
    const note = { bytes: file.size, rows: ROWS };
    const rate = (imports: Imported[]) => median(imports.map(({ seconds }) => ROWS / seconds));
    report.line("import of new contacts", rate(fresh), "rows/s", { note, goal: atLeast(25_000) });
    report.line("import of new contacts, against the driver", rate(fresh), "rows/s", {
      ceiling: median(freshCeilings),
    });
    report.line("import of the same contacts again", rate(again), "rows/s", {
      ceiling: median(againCeilings),
    });
    const lost = fresh
      .concat(again)
      .reduce((sum, one) => sum + ROWS - one.created - one.updated + one.failed, 0);
    report.line("rows lost or refused", lost, "rows", { goal: exactly(0) });
    const grown = Math.max(...fresh.concat(again).map(({ resident }) => resident)) - before;
    report.line("growth of the service's memory", grown, "MB", { goal: below(100), note: { before } });
    await service.stop();
  });
}

function makeRows(): Row[] {
  return Array.from({ length: ROWS }, (_, i) => ({
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
