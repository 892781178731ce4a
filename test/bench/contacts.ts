// Pages of GET /contacts in a project of two million, at the server: the page, and the total beside it.
import { listContactFields, listFieldValues } from "../../src/audience/contacts/fields.ts";
import { type ContactFilter, listContacts } from "../../src/audience/contacts/list.ts";
import { compileSelection, countSelected } from "../../src/audience/selection.ts";
import type { Context } from "../../src/context.ts";
import { fillContacts, timed } from "./support/audience.ts";
import { below, type BenchOptions, type Report } from "./support/report.ts";
import { onStage } from "./support/stage.ts";

const CONTACTS = 2_000_000;
const newestFirst = { sort: "createdAt", dir: "desc" } as const;

/** Search terms by the part of all addresses that has them. */
const TERMS: [about: string, filter: ContactFilter][] = [
  ["no search", {}],
  ["a term of 45 %", { search: "gmail" }],
  ["a term of 2 %", { search: "acme" }],
  ["a term of 0.01 %", { search: "zebra" }],
  ["a term of nobody", { search: "nobody-has-this" }],
  ["unsubscribed only", { subscribed: false }],
];

/** Runs the bench. */
export async function run(report: Report, { contacts = CONTACTS }: BenchOptions): Promise<void> {
  await onStage(async ({ ctx, databaseUrl, project }) => {
    await fillContacts(databaseUrl, project.id, contacts);
    for (const [about, filter] of TERMS) await measureTerm(report, ctx, project.id, about, filter);
    await measureFields(report, ctx, project.id);
  });
}

async function measureTerm(
  report: Report,
  ctx: Context,
  projectId: string,
  about: string,
  filter: ContactFilter,
) {
  const selected = await compileSelection(ctx, projectId, filter);
  const page = (after: { sortKey: string; id: string } | null) =>
    listContacts(ctx, projectId, selected, { order: newestFirst, after, limit: 20 });
  report.line(`first page, ${about}`, await timed(() => page(null)), "ms", { goal: below(15) });
  report.line(`total, ${about}`, await timed(() => countSelected(ctx, projectId, filter, selected)), "ms", {
    goal: below(300),
  });
  const places = await placesIn(ctx, projectId);
  let next = 0;
  const later = await timed(() => page(places[next++ % places.length]!));
  report.line(`later page, ${about}`, later, "ms", { goal: below(5) });
}

async function measureFields(report: Report, ctx: Context, projectId: string): Promise<void> {
  const values = (field: string) => timed(() => listFieldValues(ctx, projectId, field, { limit: 100 }), 3);
  report.line("fields with coverage", await timed(() => listContactFields(ctx, projectId)), "ms", {
    goal: below(50),
  });
  report.line("values of a field with 3 of them", await values("plan"), "ms", { goal: below(1_000) });
  report.line("values of a field with 1,000 of them", await values("city"), "ms", { goal: below(1_000) });
}

/** Places all over the project, as the cursors of pages would have them. */
async function placesIn(ctx: Context, projectId: string): Promise<{ sortKey: string; id: string }[]> {
  return [
    ...(await ctx.pool<{ sortKey: string; id: string }[]>`
      select created_at::text as sort_key, id from contacts tablesample system (0.05)
      where project_id = ${projectId} limit 50`),
  ];
}
