// GET /search among two million contacts: a text of each kind, at the server, and the pages that it reads.
import { search } from "../../src/insight/search.ts";
import { fillContacts, pagesRead, timed } from "./support/audience.ts";
import { below, type BenchOptions, type Report } from "./support/report.ts";
import { onStage } from "./support/stage.ts";

const CONTACTS = 2_000_000;
const LIMIT_MS = 20;
const NAMES = 1_000;

const TEXTS: [about: string, text: string][] = [
  ["one letter", "u"],
  ["the beginning of all addresses", "user"],
  ["45 % of the addresses", "gmail"],
  ["2 % of the addresses", "acme"],
  ["0.01 % of the addresses", "zebra"],
  ["one address", "user1234567@"],
  ["nobody", "nobody-has-this"],
];

/** Runs the bench. */
export async function run(report: Report, { contacts = CONTACTS }: BenchOptions): Promise<void> {
  await onStage(async ({ ctx, databaseUrl, project }) => {
    await fillContacts(databaseUrl, project.id, contacts);
    await ctx.pool`
      insert into templates (project_id, name, subject, body, html, from_email, type)
      select ${project.id}, 'Letter ' || n, 'Subject ' || n, '<p>b</p>', '<p>b</p>', 'a@shop.example', 'TRANSACTIONAL'
      from generate_series(1, ${NAMES}::int) as n`;
    for (const [about, text] of TEXTS) {
      const ms = await timed(() => search(ctx, project.id, text));
      const { incomplete } = await search(ctx, project.id, text);
      const pages = await pagesRead(ctx, (tx) => search(tx, project.id, text));
      report.line(`search, ${about}`, ms, "ms", {
        goal: below(LIMIT_MS),
        note: { pages, ...(incomplete.length > 0 && { incomplete }) },
      });
    }
  });
}
