// GET /contacts/export of a million contacts over HTTP, in both formats, against reading the same rows with the driver; and
// what the service's memory does meanwhile.
import type { Context } from "../../src/context.ts";
import { fillContacts } from "./support/audience.ts";
import { atLeast, below, type BenchOptions, exactly, type Report } from "./support/report.ts";
import { onStage, type ServiceProcess, type Stage } from "./support/stage.ts";

const CONTACTS = 1_000_000;
const PAGE = 1_000;

/** Runs the bench. */
export async function run(report: Report, { contacts = CONTACTS }: BenchOptions): Promise<void> {
  await onStage(async (stage) => {
    await fillContacts(stage.databaseUrl, stage.project.id, contacts);
    const ceiling = contacts / (await readAll(stage.ctx, stage.project.id));
    const service = await stage.startService({ MODE: "http" });
    for (const format of ["csv", "ndjson"] as const) {
      const before = service.resident();
      const { seconds, lines, most } = await download(stage, service, format);
      report.line(`export as ${format}`, contacts / seconds, "contacts/s", { ceiling, goal: atLeast(0.2) });
      report.line(`lines of ${format} missing`, contacts + (format === "csv" ? 1 : 0) - lines, "lines", {
        goal: exactly(0),
      });
      report.line(`growth of the service's memory, ${format}`, most - before, "MB", { goal: below(30) });
    }
    await service.stop();
  });
}

async function download({ project }: Stage, service: ServiceProcess, format: string) {
  const url = `http://127.0.0.1:${service.port}/contacts/export?format=${format}`;
  const startedAt = performance.now();
  const response = await fetch(url, { headers: { authorization: `Bearer ${project.secret}` } });
  if (!response.ok) throw new Error(`Cannot export: ${response.status}`);
  let lines = 0;
  let most = 0;
  for await (const piece of response.body!) {
    for (const byte of piece) if (byte === 10) lines++;
    most = Math.max(most, service.resident());
  }
  return { seconds: (performance.now() - startedAt) / 1000, lines, most };
}

/** Seconds of the driver alone, page by page in the same order. */
async function readAll({ pool }: Context, projectId: string): Promise<number> {
  const startedAt = performance.now();
  let after = "00000000-0000-0000-0000-000000000000";
  for (;;) {
    const rows = await pool`
      select id, email, subscribed, created_at, updated_at, data from contacts
      where project_id = ${projectId} and id > ${after} order by id limit ${PAGE}`;
    if (rows.length < PAGE) return (performance.now() - startedAt) / 1000;
    after = rows.at(-1)!.id as string;
  }
}
