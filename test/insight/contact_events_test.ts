// Which events of a contact `contact_events` finds, against reading and sorting all of them: it goes three ways, by how many
// events there are, and of how many names.
import { beforeAll, describe, expect, test } from "bun:test";
import { FIRST_ID, LAST_ID } from "../../src/insight/ids.ts";
import { useService } from "../support/service.ts";

const service = useService();
let projectId: string;

const MONTHS = 6;
const MAILS = ["email.sent", "email.open", "contact.subscribed"];
/** Contacts by what sets them apart: how many events they have, and of how many names that clients track. */
const CONTACTS: Record<string, { events: number; names: number }> = {
  "one event": { events: 1, names: 1 },
  "as many events as are read at once": { events: 100, names: 5 },
  "one more than that": { events: 101, names: 5 },
  "many events of few names": { events: 900, names: 5 },
  "as many names as are looked up": { events: 900, names: 297 },
  "one name more than that": { events: 900, names: 298 },
};
const contactIds: Record<string, string> = {};

beforeAll(async () => {
  ({ id: projectId } = await service.createProject());
  const { pool } = service;
  await pool`
    select make_events_partition((date_trunc('month', now()) - n * interval '1 month')::date)
    from generate_series(1, ${MONTHS}::int) as n`;
  for (const [name, { events, names }] of Object.entries(CONTACTS)) {
    const [contact] = await pool`
      insert into contacts (project_id, email, subscribed) values (${projectId}, ${`${name.replaceAll(" ", "-")}@example.com`}, true)
      returning id`;
    contactIds[name] = contact!.id as string;
    // Half of them are of mails and subscriptions, in three names; the times are all over the months.
    await pool`
      insert into events (project_id, id, contact_id, name, created_at)
      select
        ${projectId}, (left(first_id_at(at)::text, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid, ${contact!.id},
        case when n % 2 = 1 then (${MAILS}::text[])[1 + n / 2 % 3] else 'tracked ' || n / 2 % ${names}::int end, at
      from generate_series(0, ${events}::int - 1) as n
      cross join lateral (
        select now() - n * 7919 % ${events}::int * interval '170 days' / ${events}::int as at
      ) as t`;
  }
});

const middle = async () => {
  const [row] = await service.pool`select first_id_at(now() - interval '60 days') as id`;
  return row!.id as string;
};

describe.each(Object.keys(CONTACTS))("of a contact with %s", (name) => {
  test.each([
    { names: null, others: true },
    { names: MAILS.slice(0, 1), others: false },
    { names: MAILS.slice(1), others: true },
    { names: [], others: true },
    { names: ["tracked 0", "tracked 3", "email.open", "never"], others: false },
    { names: ["tracked 0", "tracked 3", "email.open"], others: true },
    { names: [], others: false },
  ])("with $names and others $others, the newest between two ids are found", async ({ names, others }) => {
    const { pool } = service;
    const contactId = contactIds[name]!;
    const half = await middle();
    for (const [since, before] of [
      [FIRST_ID, LAST_ID],
      [FIRST_ID, half],
      [half, LAST_ID],
    ] as const) {
      for (const limit of [3, 2_000]) {
        const found = await pool`
          select contact_events(
            ${projectId}, ${contactId}, ${since}, ${before}, ${half}, ${names}, ${others}, ${limit}
          ) as id`;
        const expected = await pool`
          select id
          from events
          where project_id = ${projectId} and contact_id = ${contactId} and id >= ${since} and id < ${before}
            and (
              ${names}::text[] is null or name = any(${names}::text[])
              or ${others} and name !~ '^(email|contact)[.]'
            )
          order by id desc
          limit ${limit}`;

        expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
      }
    }
  });
});
