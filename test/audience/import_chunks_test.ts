// An import writes two chunks of 500 rows at a time, and commits them in the order of the file.
import { beforeEach, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { createImport, runImport } from "../../src/audience/contacts/imports.ts";
import { until } from "../support/process.ts";
import { useService } from "../support/service.ts";

const service = useService();
let project: NewProject;

beforeEach(async () => {
  project = await service.createProject();
});

const ROWS = 1_500;
const emailOf = (n: number) => `c${n}@example.com`;

/** Begins an import of these lines below `email,n`, and returns its end and its report. */
async function begin(lines: string[]) {
  const file = new TextEncoder().encode(`email,n\n${lines.join("\n")}`);
  const id = await createImport(service, project.id, { file, dryRun: false });
  await service.dropJobs();
  const report = async () =>
    (await service.request("GET", `/contacts/import/${id}`, { key: project.secret })).body;
  return { ended: runImport(service, project.id, id), report };
}

const lines = (length = ROWS) => Array.from({ length }, (_, n) => `${emailOf(n)},${n}`);
const contacts = async () =>
  await service.pool<{ email: string; data: { n: number } }[]>`
    select email, data from contacts where project_id = ${project.id}`;
const addContact = (email: string) =>
  service.pool`insert into contacts (project_id, email, subscribed) values (${project.id}, ${email}, true)`;

test("a chunk that somebody wants who holds up the one before it gives way, and is written when it is its turn", async () => {
  const [first, second] = [emailOf(3), emailOf(700)];
  for (const email of [first, second]) await addContact(email);
  const isFree = async (email: string) =>
    (
      await service.pool`
        select from contacts where project_id = ${project.id} and email = ${email} for update skip locked`
    ).length > 0;
  const holder = await service.pool.reserve();
  const hold = (email: string) =>
    holder`select from contacts where project_id = ${project.id} and email = ${email} for update`;
  await holder`begin`;
  await hold(first);
  const { ended, report } = await begin(lines());
  await until("the second chunk holds its contact", async () => !(await isFree(second)));
  // Answered when the second chunk has let it go, though the first one still waits.
  await hold(second);
  const meanwhile = await report();
  await holder`rollback`;
  holder.release();
  await ended;

  expect(meanwhile).toMatchObject({ state: "active", progress: 0 });
  expect((await report()).result).toMatchObject({ createdCount: ROWS - 2, updatedCount: 2, failureCount: 0 });
  expect((await contacts()).length).toBe(ROWS);
});

test("an address in several chunks keeps what the last row says, and is created once", async () => {
  const own = lines();
  for (const n of [10, 510, 600, 1_010]) own[n] = `same@example.com,${n}`;
  const { ended, report } = await begin(own);
  await ended;

  expect((await report()).result).toMatchObject({ createdCount: ROWS - 3, updatedCount: 3 });
  const found = await contacts();
  expect(found.filter(({ email }) => email === "same@example.com").map(({ data }) => data.n)).toEqual([
    1_010,
  ]);
  expect(found.length).toBe(ROWS - 3);
});

test("a row that the database refuses fails alone, in whichever chunk it is", async () => {
  await service.pool`alter table contacts add constraint unwanted check (email not like 'unwanted%')`;
  const own = lines();
  for (const n of [20, 620, 1_020]) own[n] = `unwanted${n}@example.com,1`;
  const { ended, report } = await begin(own);
  await ended.finally(() => service.pool`alter table contacts drop constraint unwanted`);
  const { result } = await report();

  expect(result).toMatchObject({ createdCount: ROWS - 3, failureCount: 3, totalRows: ROWS });
  expect(result.errors.map(({ row, email }: { row: number; email: string }) => [row, email])).toEqual(
    [20, 620, 1_020].map((n) => [n + 2, `unwanted${n}@example.com`]),
  );
  expect((await contacts()).length).toBe(ROWS - 3);
});

test("where a chunk cannot be written, nothing stays of the ones behind it", async () => {
  await service.pool.unsafe(`
    create function fail_here() returns trigger language plpgsql as $$
    begin
      perform pg_sleep(0.2);
      raise exception 'broken' using errcode = 'XX000';
    end $$;
    create trigger fail_here before insert on contacts
    for each row when (new.email = '${emailOf(600)}') execute function fail_here()`);
  const { ended, report } = await begin(lines());
  await ended.catch(() => {});
  await service.pool`drop function fail_here cascade`;

  expect(await report()).toMatchObject({ state: "failed", result: { createdCount: 500 } });
  expect((await contacts()).length).toBe(500);
});
