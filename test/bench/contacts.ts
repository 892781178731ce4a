// Pages of GET /contacts in a project of two million, at the server: the page, and the total beside it.
import { listContactFields, listFieldValues } from "../../src/audience/contacts/fields.ts";
import { type ContactFilter, listContacts } from "../../src/audience/contacts/list.ts";
import { compileSelection, countSelected } from "../../src/audience/selection.ts";
import type { Context } from "../../src/context.ts";
import { below, type BenchOptions, median, type Report } from "./support/report.ts";
import { onStage } from "./support/stage.ts";

const CONTACTS = 2_000_000;
const RUNS = 15;
const BATCH = 100_000;
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
  await onStage(async ({ ctx, project }) => {
    await fill(ctx, project.id, contacts);
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

async function timed(work: () => Promise<unknown>, runs = RUNS): Promise<number> {
  await work();
  const times: number[] = [];
  for (let i = 0; i < runs; i++) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  return median(times);
}

/** Contacts made by SQL, with the index on addresses built at the end. */
async function fill({ pool }: Context, projectId: string, contacts: number): Promise<void> {
  const index = "create index contacts_email_trigrams on contacts using gin (email gin_trgm_ops)";
  await pool.unsafe("drop index contacts_email_trigrams");
  for (let from = 1; from <= contacts; from += BATCH) {
    await pool`
      insert into contacts (project_id, email, subscribed, data, created_at)
      select
        ${projectId},
        case
          when n % 100 < 45 then 'user' || n || '@gmail.com'
          when n % 100 < 47 then 'user' || n || '@acme.io'
          when n % 10000 = 9999 then 'rare' || n || '@zebra.org'
          else 'user' || n || '@corp' || (n % 5000) || '.net'
        end,
        n % 5 <> 0,
        jsonb_build_object(
          'plan', (array['free', 'pro', 'team'])[1 + n % 3], 'age', n % 80, 'city', 'City ' || n % 1000
        ),
        now() - n * interval '1 second'
      from generate_series(${from}::int, ${Math.min(contacts, from + BATCH - 1)}::int) as n`;
  }
  await pool.begin(async (tx) => {
    await tx`set local statement_timeout = 0`;
    await tx.unsafe(index);
  });
  await pool.unsafe("vacuum analyze contacts");
}
