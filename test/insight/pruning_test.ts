// Postgres 18 (18.4, 15 does not) loses its way where a statement had to wait for a row that has changed meanwhile and looks
// again at what it reads beside it: of a partitioned table it may then read another partition, or end with a segmentation
// fault. So nothing reads events beside rows that it waits for, unless in a CTE of its own, which is not read again.
import { beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { parseStatements } from "../../src/db/_parse.ts";
import { QUERIES_DIR } from "../../src/db/queries.ts";
import { addJobs } from "../../src/jobs.ts";
import { monthStart } from "../../src/insight/partitions.ts";
import { untilBlocked } from "../support/locks.ts";
import { useService } from "../support/service.ts";
import { workflowsOf } from "../support/workflows.ts";

const service = useService();
let project: NewProject;
const workflows = workflowsOf(service, () => project);

beforeAll(async () => {
  project = await service.createProject();
  for (let months = -5; months < 0; months++) {
    await service.pool`select make_events_partition(${monthStart(new Date(), months)}::date)`;
  }
});

const READS_EVENTS = /\b(from|join)\s+events\b/;
/** What may have to wait for a row. Events are never changed, so whoever deletes them finds them as they were, or not. */
const WAITS =
  /\bfor\s+(no\s+key\s+)?(update|key\s+share|share)\b|\bupdate\s+(?!set\b)\w+|\bdelete\s+from\s+(?!events\b)/;

/** Why each of the statements that do both may. A new one stands here when it has been tried as below. */
const CHECKED: Record<string, string> = {
  "demo.total_orders": "reads the events in a CTE of their own",
  "execution_run.start_many": "reads the events in a CTE of their own",
  "webhook_messages.hold_contacts":
    "reads the events in a CTE of their own; what it does not find held is noted once more",
};

describe("statements that read events", () => {
  test("lock and change nothing beside them", () => {
    const files = readdirSync(QUERIES_DIR).filter((file) => file.endsWith(".sql"));
    const both = files.flatMap((file) =>
      parseStatements(readFileSync(new URL(file, QUERIES_DIR), "utf8"), file)
        .filter(({ strings }) => READS_EVENTS.test(strings.join(" ")) && WAITS.test(strings.join(" ")))
        .map(({ name }) => `${file.slice(0, -4)}.${name}`),
    );

    expect(both.toSorted()).toEqual(Object.keys(CHECKED).toSorted());
  });

  test("as functions of the database lock and change nothing beside them", async () => {
    const rows = await service.pool`
      select proname as name, coalesce(pg_get_function_sqlbody(oid), prosrc) as body
      from pg_proc where pronamespace = 'public'::regnamespace and prokind = 'f'`;
    const reading = rows.filter(({ body }) => READS_EVENTS.test((body as string).toLowerCase()));

    expect(reading.length).toBeGreaterThan(0);
    expect(reading.filter(({ body }) => WAITS.test((body as string).toLowerCase()))).toEqual([]);
  });

  test("begin executions with their events, also when their contacts change at that very moment", async () => {
    const { id } = await workflows.build({
      event: "moved house",
      steps: { Done: { type: "EXIT" } },
      ways: ["Trigger > Done"],
    });
    const people = 60;
    const contacts = await service.pool`
      insert into contacts (project_id, email, subscribed)
      select ${project.id}, 'mover' || n || '@example.com', true from generate_series(1, ${people}::int) as n
      returning id`;
    // In six months, so in six partitions.
    const events = contacts.map(({ id: contactId }, n) => ({
      id: Bun.randomUUIDv7("hex", monthStart(new Date(), -(n % 6)).getTime() + n),
      contactId: contactId as string,
      n,
    }));
    for (const { id: eventId, contactId, n } of events) {
      await service.pool`
        insert into events (project_id, id, contact_id, name, data)
        values (${project.id}, ${eventId}, ${contactId}, 'moved house', ${service.pool.json({ n })})`;
    }
    await service.dropJobs();
    await addJobs(service, "start_workflows", [
      { projectId: project.id, eventIds: events.map((event) => event.id), depth: 0 },
    ]);
    // All of them get another address; whoever wants to refer to them waits until that is committed.
    const running = await service.pool.begin(async (sql) => {
      await sql`update contacts set email = 'new-' || email where project_id = ${project.id} and email like 'mover%'`;
      const jobs = service.runJobs();
      await untilBlocked(service.pool);
      return { jobs };
    });
    await running.jobs;
    const started = await service.pool`
      select contact_id, context -> 'event' ->> 'n' as n from executions where workflow_id = ${id}`;
    const told = new Map(started.map((row) => [row.contactId as string, row.n as string]));

    expect(told).toEqual(new Map(events.map(({ contactId, n }) => [contactId, String(n)])));
  });
});
