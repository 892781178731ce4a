// POST /segments/preview among a million contacts, at the server, against the counting of all of them.
import { previewSegment } from "../../src/audience/segment_preview.ts";
import { fillContacts, timed } from "./support/audience.ts";
import { openLoader } from "./support/loader.ts";
import { below, type BenchOptions, type Report } from "./support/report.ts";
import { onStage } from "./support/stage.ts";

const CONTACTS = 1_000_000;
const LIMIT_MS = 400;
const RUNS = 7;

const all = (...filters: object[]) => ({ logic: "AND", groups: [{ filters }] });
const any = (...filters: object[]) => ({
  logic: "OR",
  groups: filters.map((filter) => ({ filters: [filter] })),
});
const PRO = { field: "data.plan", operator: "equals", value: "pro" };
const OLD = { field: "data.age", operator: "greaterThan", value: 60 };
const CITY = { field: "data.city", operator: "contains", value: "y 77" };
const GMAIL = { field: "email", operator: "contains", value: "gmail" };
const ORDERED = { field: "event.ordered", operator: "triggeredWithin", value: 30, unit: "days" };

const CONDITIONS: [about: string, condition: object][] = [
  ["a third by equality", all(PRO)],
  ["a quarter by a number", all(OLD)],
  ["a part of a text", all(CITY)],
  ["a part of the address", all(GMAIL)],
  ["an event within 30 days", all(ORDERED)],
  ["four at once", all(PRO, OLD, GMAIL, { field: "subscribed", operator: "equals", value: true })],
  ["any of four", any(PRO, OLD, CITY, ORDERED)],
];

/** Runs the bench. */
export async function run(report: Report, { contacts = CONTACTS }: BenchOptions): Promise<void> {
  await onStage(async ({ ctx, databaseUrl, project }) => {
    await fillContacts(databaseUrl, project.id, contacts);
    await fillEvents(databaseUrl, project.id);
    for (const [about, condition] of CONDITIONS) {
      // Nothing has been read of it yet, as when somebody asks.
      const firstMs = await once(() => previewSegment(ctx, project.id, condition));
      report.line(`preview, ${about}, the first time`, firstMs, "ms", { goal: below(LIMIT_MS) });
      const ms = await timed(() => previewSegment(ctx, project.id, condition), RUNS);
      const { count, estimated } = await previewSegment(ctx, project.id, condition);
      const exact = await previewSegment(ctx, project.id, condition, { patienceMs: 60_000 });
      report.line(`preview, ${about}`, ms, "ms", {
        goal: below(LIMIT_MS),
        note: { estimated, matched: exact.count, off: Number((count / exact.count - 1).toFixed(3)) },
      });
    }
  });
}

async function once(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** A fifth of the contacts has ordered something within 20 days. */
async function fillEvents(url: string, projectId: string): Promise<void> {
  const loader = openLoader(url);
  await loader`
    insert into events (project_id, contact_id, name, data, created_at, depth)
    select project_id, id, 'ordered', '{}', now() - random() * interval '20 days', 0
    from contacts tablesample system (20) where project_id = ${projectId}`;
  await loader.unsafe("vacuum analyze events");
  await loader.end();
}
