// Contacts are looked up by their addresses one by one, also while Postgres believes that their project is small.
import { expect, test } from "bun:test";
import type { Context } from "../../src/context.ts";
import { q } from "../../src/db/queries.ts";
import { useService } from "../support/service.ts";

const CONTACTS = 5_000;
const ASKED = 50;

const service = useService();

test(`statements about ${ASKED} addresses read no other of the ${CONTACTS} contacts that have come since Postgres last looked`, async () => {
  const { id: other } = await service.createProject();
  const { id: projectId } = await service.createProject();
  const importId = Bun.randomUUIDv7();
  const add = async (id: string) => {
    await service.pool`
      insert into contacts (project_id, email, subscribed, opted_out_at)
      select ${id}, n || '@many.example', false, now() from generate_series(1, ${CONTACTS}::int) as n`;
  };
  await add(other);
  await service.pool`analyze contacts`;
  await add(projectId);
  await q.contactImports.insert(service, { projectId, importId, dryRun: false });
  const emails = Array.from({ length: ASKED }, (_, n) => `${n * 7 + 1}@many.example`);
  const rows = emails.map((email) => ({ email, given: {}, sets: { plan: "pro" } }));
  const asks: Record<string, (tx: Context) => Promise<number>> = {
    among: async (tx) => (await q.contactAddresses.among(tx, { projectId, emails })).length,
    optedOut: async (tx) => (await q.contactAddresses.optedOut(tx, { projectId, emails })).length,
    heldAmong: async (tx) => ASKED + (await q.contactAddresses.heldAmong(tx, { projectId, emails })).length,
    existing: async (tx) => (await q.contactImports.existing(tx, { projectId, emails })).length,
    noteExisting: (tx) => q.contactImports.noteExisting(tx, { projectId, importId, rows }),
  };

  for (const [name, ask] of Object.entries(asks)) {
    const took = service.pool.begin(async (sql) => {
      const read = async () => {
        const [table] = await sql`
          select coalesce(seq_tup_read, 0)::int + coalesce(idx_tup_fetch, 0)::int as rows
          from pg_stat_xact_user_tables where relname = 'contacts' and schemaname = 'public'`;
        return table!.rows as number;
      };
      const before = await read();
      const found = await ask({ ...service, sql });
      // Some read a contact a second time, to lock it.
      expect([name, found, (await read()) - before <= 3 * ASKED]).toEqual([name, ASKED, true]);
      throw TAKEN_BACK;
    });
    expect(await took.catch((error: unknown) => error)).toBe(TAKEN_BACK);
  }
});

const TAKEN_BACK = new Error("Taken back");
