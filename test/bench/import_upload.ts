// A file of 200 MB with 2,000,000 rows through POST /contacts/imports, as it comes, and the memory of the service meanwhile.
import { createProject } from "../../src/accounts/projects/mod.ts";
import { atLeast, below, exactly, type Report } from "./support/report.ts";
import type { Stage } from "./support/stage.ts";

const BYTES = 200_000_000;
const POLL_MS = 250;

interface Progress {
  state: string;
  failedReason?: string;
  result?: { createdCount: number; failureCount: number };
}

/** Uploads and imports so many rows; `ceiling` is what the driver alone did, in rows a second. */
export async function measureUpload(
  report: Report,
  { ctx, startService }: Stage,
  { rows, ceiling }: { rows: number; ceiling: number },
): Promise<void> {
  const service = await startService({ MODE: "all" });
  const project = await createProject(ctx, "Upload");
  const headers = { authorization: `Bearer ${project.secret}` };
  const address = `http://127.0.0.1:${service.port}/contacts/imports`;
  const before = service.resident();
  const startedAt = performance.now();
  const answer = await fetch(address, {
    method: "POST",
    headers: { ...headers, "content-type": "text/csv" },
    body: new Blob(fileOf(rows)),
  });
  const { jobId } = (await answer.json()) as { jobId?: string };
  if (!jobId) throw new Error(`Cannot upload: ${answer.status}`);
  report.line("upload of the file", (performance.now() - startedAt) / 1000, "s", { note: { rows } });
  let most = service.resident();
  for (;;) {
    const progress = (await (await fetch(`${address}/${jobId}`, { headers })).json()) as Progress;
    most = Math.max(most, service.resident());
    if (progress.state === "failed") throw new Error(`Cannot import: ${progress.failedReason}`);
    if (progress.state === "completed") {
      const rate = rows / ((performance.now() - startedAt) / 1000);
      report.line("rows of the large file, from upload to end", rate, "rows/s", {
        ceiling,
        goal: atLeast(0.2),
      });
      const lost = rows - progress.result!.createdCount + progress.result!.failureCount;
      report.line("rows of the large file lost or refused", lost, "rows", { goal: exactly(0) });
      report.line("growth of the service's memory, large file", most - before, "MB", { goal: below(150) });
      return await service.stop();
    }
    await Bun.sleep(POLL_MS);
  }
}

/** Lines of as many bytes each as make 200 MB of two million. */
function fileOf(rows: number): string[] {
  const width = Math.floor(BYTES / 2_000_000);
  const pieces = ["email,firstName,plan,note\n"];
  for (let from = 0; from < rows; from += 10_000) {
    let piece = "";
    for (let n = from; n < Math.min(rows, from + 10_000); n++) {
      const line = `large${n}@example.com,Name ${n % 1_000},${n % 3 === 0 ? "pro" : "free"},`;
      piece += `${line}${"x".repeat(Math.max(0, width - line.length - 1))}\n`;
    }
    pieces.push(piece);
  }
  return pieces;
}
