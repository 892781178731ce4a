// Tracking in one statement, against contacts and events written one after another.
import { beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { sortData } from "../../src/audience/contacts/data.ts";
import { contactKey, upsertContacts } from "../../src/audience/contacts/mod.ts";
import { recordEvents } from "../../src/audience/events.ts";
import { track, type Tracked } from "../../src/audience/tracking.ts";
import { inTransaction } from "../../src/context.ts";
import { useService } from "../support/service.ts";

const service = useService();
const SEED = Number(process.env.TRACKING_SEED ?? Math.floor(Math.random() * 2 ** 31));

const send = (project: NewProject, item: Tracked) =>
  track(service, { projectId: project.id, key: null, request: "POST /v1/track" }, item);

const people = (count: number, name = "p") =>
  Array.from({ length: count }, (_, i) => `${name}${i}@example.com`);

/** A project in which somebody wants to know of everything: a segment, a workflow and a webhook. */
async function listening(): Promise<NewProject> {
  const { pool } = service;
  const project = await service.createProject();
  await pool`
    insert into segments (project_id, name, slug, condition, track_membership) values (
      ${project.id}, 'Pro', 'pro', '{"logic":"AND","groups":[{"filters":[{"field":"data.a","operator":"exists"}]}]}', true
    )`;
  await pool`
    insert into workflows (project_id, name, enabled, trigger_config)
    select ${project.id}, name, true, jsonb_build_object('eventName', name)
    from unnest(array['bought', 'contact.unsubscribed']) as name`;
  await pool`
    insert into webhooks (project_id, url, events, secret, created_by)
    values (${project.id}, 'https://example.com/webhooks', '{*}', 'abc', 'OPERATOR')`;
  return project;
}

/** As it was before it was one statement. */
async function oneAfterAnother(project: NewProject, items: Tracked[]): Promise<void> {
  for (const { email, event, subscribed, data } of items) {
    const change = sortData(data);
    await inTransaction(service, async (tx) => {
      const write = { projectId: project.id, email, given: { subscribed }, subscribedDefault: true, change };
      const contacts = await upsertContacts(tx, [write]);
      const { id } = contacts.get(contactKey(project.id, email))!;
      await recordEvents(tx, [{ projectId: project.id, contactId: id, name: event, data: change.values }]);
    });
  }
}

/** All that came of it: contacts, what each did in its order, and what was counted, noted and enqueued. */
async function stateOf({ id }: NewProject) {
  const { pool } = service;
  const rows = async (query: PromiseLike<object[]>) => [...(await query)];
  const started = (await service.jobs("start_workflows")).flatMap(({ payload }) =>
    payload.projectId === id ? (payload.eventIds as string[]) : [],
  );
  return {
    contacts: await rows(pool`
      select email, subscribed, data, opted_out_at is not null as left from contacts where project_id = ${id} order by email`),
    events: await rows(pool`
      select c.email, array_agg(e.name order by e.id) as names, array_agg(e.data order by e.id) as data
      from events e join contacts c on c.project_id = e.project_id and c.id = e.contact_id
      where e.project_id = ${id} group by c.email order by c.email`),
    fields: await rows(pool`
      select field, type, sum(contacts)::int as n from contact_count_deltas
      where project_id = ${id} group by 1, 2 having sum(contacts) <> 0 order by 1, 2`),
    days: await rows(pool`
      select name, sum(count)::int as n from event_count_deltas where project_id = ${id} group by 1 order by 1`),
    candidates: await rows(pool`
      select distinct c.email from segment_candidates s join contacts c on c.project_id = s.project_id and c.id = s.contact_id
      where s.project_id = ${id} order by 1`),
    heard: await rows(pool`
      select n.kind, coalesce(e.name, '') as name, count(*)::int as n
      from webhook_notes n cross join unnest(n.ids) as one left join events e on e.project_id = n.project_id and e.id = one
      where n.project_id = ${id} group by 1, 2 order by 1, 2`),
    started: await rows(pool`
      select name, count(*)::int as n from events where project_id = ${id} and id = any(${started}) group by 1 order by 1`),
  };
}

const value = fc.oneof(
  fc.constantFrom(null, "", 0, true, "x", ["a"], { deep: 1 }),
  fc.constantFrom({ value: 7, persistent: true }, { value: "once", persistent: false }),
);
const tracked = fc.record(
  {
    email: fc.constantFrom(...people(4)),
    event: fc.constantFrom("bought", "seen"),
    subscribed: fc.boolean(),
    data: fc.dictionary(fc.constantFrom("a", "b", "plunk_id", "__proto__"), value, { maxKeys: 3 }),
  },
  { requiredKeys: ["email", "event"] },
) as fc.Arbitrary<Tracked>;

test("what is tracked at once comes to the same as one after another", async () => {
  const rounds = fc.array(fc.array(tracked, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(rounds, async (all) => {
      const [together, apart] = [await listening(), await listening()];
      for (const items of all) {
        await Promise.all(items.map((item) => send(together, item)));
        await oneAfterAnother(apart, items);
      }
      expect(await stateOf(together)).toEqual(await stateOf(apart));
    }),
    { numRuns: 12, seed: SEED, endOnFailure: true },
  );
});

describe("a contact that a reset is about to delete", () => {
  let project: NewProject;
  const doomed = people(3, "doomed");
  const eventsOf = async (email: string) => {
    const rows = await service.pool`
      select e.name from events e join contacts c on c.project_id = e.project_id and c.id = e.contact_id
      where c.project_id = ${project.id} and c.email = ${email} order by e.id`;
    return rows.map(({ name }) => name as string);
  };

  beforeEach(async () => {
    project = await service.createProject();
    for (const email of doomed) await send(project, { email, event: "before", data: { old: true } });
    await service.pool`
      insert into resets (project_id, asked_at, contacts)
      select project_id, now(), id from contacts where project_id = ${project.id} order by id desc limit 1`;
  });

  test("is replaced by a new one, which has the event and nothing of before", async () => {
    const all = [...people(5), ...doomed];
    const results = await Promise.all(
      all.map((email) => send(project, { email, event: "now", data: { a: 1 } })),
    );
    const contacts = await service.pool`
      select id, email, data from contacts where project_id = ${project.id} order by email`;

    expect(contacts.map(({ email, data }) => [email, data])).toEqual(
      all.toSorted().map((email) => [email, { a: 1 }]),
    );
    expect(new Map(contacts.map(({ email, id }) => [email, id]))).toEqual(
      new Map(all.toSorted().map((email) => [email, results[all.indexOf(email)]!.contact])),
    );
    for (const email of all) expect([email, await eventsOf(email)]).toEqual([email, ["now"]]);
  });

  test.each([
    ["whose deletion is in a deadlock each time", "40P01", 0],
    ["whose deletion is refused", "23514", 1],
  ])("%s fails alone, and nothing of the others is recorded twice", async (_which, code, spared) => {
    await service.pool.unsafe(`
      create function refuse_deletion() returns trigger language plpgsql as $$
      begin
        if ${spared === 0} or old.email = 'doomed0@example.com' then raise exception 'refused' using errcode = '${code}'; end if;
        return old;
      end $$;
      create trigger refused before delete on contacts for each row execute function refuse_deletion()`);
    const others = people(10);
    const results = await Promise.allSettled(
      [...others, ...doomed].map((email) => send(project, { email, event: "now" })),
    ).finally(() => service.pool.unsafe("drop function refuse_deletion cascade"));
    const failed = results.map(({ status }) => status === "rejected");

    expect(failed).toEqual([...others.map(() => false), ...doomed.map((_, i) => spared === 0 || i === 0)]);
    for (const email of others) expect([email, await eventsOf(email)]).toEqual([email, ["now"]]);
    expect(await eventsOf("doomed1@example.com")).toEqual([spared === 0 ? "before" : "now"]);
  });
});
