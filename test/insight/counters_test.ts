// The counters of mails and events against plain counts, whatever happens in whatever order, and while it happens.
import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { deleteContacts } from "../../src/audience/contacts/deletion.ts";
import { recordEvents } from "../../src/audience/events.ts";
import { type Context, inTransaction, newId } from "../../src/context.ts";
import { q } from "../../src/db/queries.ts";
import { rollUpAll } from "../../src/rollup.ts";
import { eventCountFaults, rollUpEventCounts } from "../../src/insight/counts/events.ts";
import { rollUpMailCounts, mailCountFaults } from "../../src/insight/counts/mails.ts";
import type { Notice } from "../../src/mail/notice.ts";
import { applyNotices } from "../../src/sending/feedback/mod.ts";
import { useService } from "../support/service.ts";

const service = useService();

const RUNS = 12;
const HOUR_MS = 3_600_000;
const NIL = "00000000-0000-0000-0000-000000000000";
/** Offsets of whole hours, of halves and quarters, and days of 23, 25 and 24½ hours. */
const ZONES = ["UTC", "Europe/Berlin", "America/St_Johns", "Asia/Kathmandu", "Australia/Lord_Howe"];
const TURNS = ["2026-03-28T20:00Z", "2026-10-24T20:00Z", "2026-04-04T10:00Z", "2026-10-03T10:00Z"];
const CAMPAIGNS = [Bun.randomUUIDv7(), Bun.randomUUIDv7()];
const MEASURES = [
  "sent",
  "delivered",
  "opened",
  "clicked",
  "bounced",
  "complained",
  "unsubscribed",
  "bot_opened",
];

const moment = fc
  .tuple(fc.constantFrom(...TURNS), fc.integer({ min: 0, max: 36 * HOUR_MS }))
  .map(([turn, ms]) => new Date(new Date(turn).getTime() + ms));

/** Which of the mails there are: so many, from a place on. */
const some = fc.record({ from: fc.nat(40), count: fc.integer({ min: 1, max: 8 }) });

const action = fc.oneof(
  fc.record({
    do: fc.constant("accept" as const),
    count: fc.integer({ min: 1, max: 8 }),
    source: fc.constantFrom("TRANSACTIONAL", "WORKFLOW", "CAMPAIGN"),
    campaign: fc.constantFrom(...CAMPAIGNS),
  }),
  fc.record({ do: fc.constant("send" as const), which: some, at: moment }),
  fc.record({
    do: fc.constant("notice" as const),
    which: some,
    at: moment,
    kind: fc.constantFrom("delivery", "bounce", "complaint"),
  }),
  fc.record({
    do: fc.constant("hit" as const),
    which: some,
    at: moment,
    click: fc.boolean(),
    machine: fc.boolean(),
  }),
  fc.record({ do: fc.constant("unsubscribe" as const), which: some, at: moment }),
  fc.record({
    do: fc.constant("track" as const),
    which: some,
    at: moment,
    names: fc.array(fc.constantFrom("ordered", "signed up", "email.sent"), { minLength: 1, maxLength: 4 }),
  }),
  fc.record({ do: fc.constant("delete" as const), which: some }),
  fc.record({ do: fc.constant("roll up" as const), limit: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ do: fc.constant("read" as const) }),
);

type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never;

/** A project, and what may happen in it. */
function worldOf(projectId: string) {
  const mailIds: string[] = [];
  const contactIds: string[] = [];
  const pick = (from: string[], { from: first, count }: { from: number; count: number }) =>
    Array.from({ length: Math.min(count, from.length) }, (_, i) => from[(first + i) % from.length]!);

  const accept = async ({ count, source, campaign }: Action & { do: "accept" }) => {
    const { pool } = service;
    const contacts = Array.from({ length: count }, () => ({
      project_id: projectId,
      id: newId(service),
      email: `${crypto.randomUUID()}@example.com`,
      subscribed: true,
    }));
    await pool`insert into contacts ${pool(contacts)}`;
    const mails = contacts.map(({ id, email }) => ({
      project_id: projectId,
      id: newId(service),
      contact_id: id,
      address: email,
      source_type: source,
      campaign_id: source === "CAMPAIGN" ? campaign : null,
      due_at: service.now(),
      queued_at: service.now(),
    }));
    await pool`insert into emails ${pool(mails)}`;
    contactIds.push(...contacts.map(({ id }) => id));
    mailIds.push(...mails.map(({ id }) => id));
  };

  const write = async (tx: Context, event: Exclude<Action, { do: "accept" | "roll up" | "read" }>) => {
    const emailIds = pick(mailIds, event.which);
    if (emailIds.length === 0) return;
    if (event.do === "send") {
      await tx.sql`
        update emails set status = 'SENT', sent_at = ${event.at}
        where project_id = ${projectId} and id = any(${emailIds}) and status = 'PENDING'`;
    } else if (event.do === "unsubscribe") {
      await tx.sql`
        update emails set unsubscribed_at = ${event.at}
        where project_id = ${projectId} and id = any(${emailIds}) and sent_at is not null`;
    } else if (event.do === "hit") {
      const hits = emailIds.map((emailId, n) => ({
        n,
        project_id: projectId,
        email_id: emailId,
        event_id: newId(tx, event.at),
        link: event.click ? "https://shop.example/" : null,
        is_bot: event.machine,
        at: event.at.toISOString(),
      }));
      await q.engagement.record(tx, { hits });
    } else if (event.do === "notice") {
      const about = (emailId: string) => ({
        mail: { projectId, emailId, providerId: null },
        at: event.at,
        sentAt: null,
        recipient: null,
        kind: event.kind,
        ...(event.kind === "bounce" && { bounceType: "Permanent", diagnostic: null }),
      });
      await applyNotices(tx, emailIds.map(about) as Notice[]);
    } else if (event.do === "track") {
      const [contact] = await tx.sql`
        select id from contacts where project_id = ${projectId} and id = any(${contactIds}) limit 1 for key share`;
      const contactId = contact?.id ?? null;
      const then = { ...tx, now: () => event.at };
      await recordEvents(
        then,
        event.names.map((name) => ({ projectId, contactId, name })),
      );
    } else {
      await deleteContacts(tx, projectId, pick(contactIds, event.which));
    }
  };

  return async (event: Action): Promise<void> => {
    if (event.do === "accept") await accept(event);
    else if (event.do === "read") expect(await faultsOf(projectId)).toEqual([]);
    else if (event.do === "roll up") {
      const few = { limit: event.limit };
      await rollUpAll(service, async (tx) => (await q.mailCounts.rollUp(tx, few)) && 0);
      await rollUpAll(service, async (tx) => (await q.eventCounts.rollUp(tx, few)) && 0);
    } else await inTransaction(service, (tx) => write(tx, event));
  };
}

const faultsOf = async (projectId: string) => [
  ...(await eventCountFaults(service, projectId, { limit: 10 })),
  ...(await q.mailCounts.faults(service, { projectId, forgets: false, limit: 10 })),
];

/** The series of a zone, by day, source and campaign, from the counters. */
async function seriesOf(projectId: string, zone: string) {
  const { pool } = service;
  return await pool`
    select
      date_trunc('day', c.at at time zone ${zone})::date::text as day, c.source_type, c.campaign_id,
      ${MEASURES.flatMap((measure, i) => [i ? pool`,` : pool``, pool`sum(${pool(measure)})::int as ${pool(measure)}`])}
    from mail_counts_of(${projectId}, '2026-01-01', '2027-01-01') as c
    group by 1, 2, 3
    having (${MEASURES.flatMap((measure, i) => [i ? pool`or` : pool``, pool`sum(${pool(measure)}) <> 0`])})
    order by 1, 2, 3`;
}

/** The same, counted in the ledger, one measure after the other. */
async function plainSeriesOf(projectId: string, zone: string) {
  const { pool } = service;
  const days = new Map<string, Record<string, unknown>>();
  for (const measure of MEASURES) {
    const at = pool(`${measure}_at`);
    const rows = await pool`
      select (${at} at time zone ${zone})::date::text as day, source_type, coalesce(campaign_id, ${NIL}) as campaign_id,
        count(*)::int as n
      from emails
      where project_id = ${projectId} and ${at} is not null
      group by 1, 2, 3`;
    for (const { n, ...of } of rows) {
      const key = `${of.day} ${of.sourceType} ${of.campaignId}`;
      const none = Object.fromEntries(MEASURES.map((name) => [camel(name), 0]));
      days.set(key, { ...(days.get(key) ?? { ...of, ...none }), [camel(measure)]: n });
    }
  }
  return [...days.values()].map((row) => JSON.stringify(sorted(row))).toSorted();
}

const camel = (name: string) => name.replace("_o", "O");
const sorted = (row: object) => Object.fromEntries(Object.entries(row).toSorted());

async function assertPlainCounts(projectId: string): Promise<void> {
  const { pool } = service;
  for (const zone of ZONES) {
    const series = (await seriesOf(projectId, zone)).map((row) => JSON.stringify(sorted(row))).toSorted();
    expect(series).toEqual(await plainSeriesOf(projectId, zone));
  }
  const counted = await pool`
    select day::text, name, sum(count)::int as n
    from event_counts_of(${projectId}, '2026-01-01', '2027-01-01')
    group by 1, 2 having sum(count) <> 0 order by 1, 2`;
  const events = await pool`
    select (created_at at time zone 'UTC')::date::text as day, name, count(*)::int as n
    from events where project_id = ${projectId} group by 1, 2 order by 1, 2`;
  const totals = await pool`
    select name, sum(count)::int as n from event_totals_of(${projectId})
    group by 1 having sum(count) <> 0 order by 1`;
  const names = await pool`
    select name, count(*)::int as n from events where project_id = ${projectId} group by 1 order by 1`;
  expect([...counted]).toEqual([...events]);
  expect([...totals]).toEqual([...names]);
}

test("every counter and every series equals a plain count, rolled up or not, at every moment", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(action, { maxLength: 6 }), { minLength: 3, maxLength: 8 }),
      async (rounds) => {
        const { id: projectId } = await service.createProject();
        const happens = worldOf(projectId);
        await happens({ do: "accept", count: 8, source: "CAMPAIGN", campaign: CAMPAIGNS[0]! });
        await happens({ do: "send", which: { from: 0, count: 6 }, at: new Date(TURNS[0]!) });
        for (const round of rounds) {
          await Promise.all([...round, { do: "read" as const }].map(happens));
          await assertPlainCounts(projectId);
        }
        await rollUpMailCounts(service);
        await rollUpEventCounts(service);
        await assertPlainCounts(projectId);
        expect(await mailCountFaults(service, projectId, { limit: 10 })).toEqual([]);
      },
    ),
    { numRuns: RUNS },
  );
  const [left] = await service.pool`
    select (select count(*)::int from mail_count_deltas) + (select count(*)::int from event_count_deltas) as n`;
  expect(left!.n).toBe(0);
}, 240_000);
