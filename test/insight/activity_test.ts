// The feed against the plain list of everything that happened. A failure prints its seed;
// `ACTIVITY_SEED=<seed> bun test test/insight/activity_test.ts` repeats it.
import { beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { listActivity, type Activity, type FeedPlace } from "../../src/insight/activity/mod.ts";
import { ACTIVITY_TYPES, type ActivityType, typeOfEvent } from "../../src/insight/activity/types.ts";
import { listContactEvents } from "../../src/insight/events/log.ts";
import { useService } from "../support/service.ts";

const SEED = Number(process.env.ACTIVITY_SEED ?? Math.floor(Math.random() * 2 ** 31));
const DAY_MS = 86_400_000;
const TIMEOUT = 60_000;

// Those of the service, and of clients.
const NAMES =
  "email.sent email.delivery email.received email.open email.click email.bounce email.complaint contact.subscribed contact.unsubscribed bought Bought email segment.vip.entry segment.vip.exit zz".split(
    " ",
  );
const END = Date.UTC(2026, 5, 1);
// Few, so that many share one: around the turn of months, a moment apart, and far from every partition that there is.
const MOMENTS = [
  END - 1,
  END,
  END + 1,
  END + 5 * DAY_MS,
  END - 3 * DAY_MS,
  END - 40 * DAY_MS,
  END - 120 * DAY_MS,
  Date.UTC(2026, 2, 1) - 1,
  Date.UTC(2026, 2, 1),
  Date.UTC(2023, 0, 1),
  Date.UTC(2031, 6, 1),
];

/** An item, as a plain look at the tables has it. */
interface Fact {
  id: string;
  type: ActivityType;
  at: number;
  contactId: string | null;
}

const service = useService();
let project: NewProject;
let other: NewProject;
let contacts: string[];
let workflow: { id: string; version: string };

beforeAll(async () => {
  service.setNow(new Date(END + 10 * DAY_MS));
  project = await service.createProject();
  other = await service.createProject();
  await service.pool`
    select make_events_partition((date '2026-01-01' + n * interval '1 month')::date) from generate_series(0, 8) as n`;
  contacts = await addContacts(project.id, 3);
  workflow = await addWorkflow(project.id);
  await fill(new Random(SEED), 700);
}, TIMEOUT);

/** Repeatable chance. */
class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed;
  }

  below(end: number): number {
    this.state = (Math.imul(this.state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.state / 2 ** 32) * end);
  }

  of<T>(all: readonly T[]): T {
    return all[this.below(all.length)]!;
  }
}

async function addContacts(projectId: string, count: number): Promise<string[]> {
  const rows = await service.pool`
    insert into contacts (project_id, email, subscribed)
    select ${projectId}, 'c' || n || '@example.com', true from generate_series(1, ${count}::int) as n
    returning id`;
  return rows.map((row) => row.id as string);
}

async function addWorkflow(projectId: string) {
  const [made] = await service.pool`
    insert into workflows (project_id, name) values (${projectId}, 'W') returning id`;
  const [version] = await service.pool`
    insert into workflow_versions (project_id, workflow_id, graph)
    values (${projectId}, ${made!.id}, '{"steps": [], "transitions": []}')
    returning id`;
  return { id: made!.id as string, version: version!.id as string };
}

const idAt = (ms: number) => Bun.randomUUIDv7("hex", ms);

async function addEvent(name: string, ms: number, contactId: string | null, sql = service.sql) {
  await sql`
    insert into events (project_id, id, contact_id, name, created_at)
    values (${project.id}, ${idAt(ms)}, ${contactId}, ${name}, ${new Date(ms)})`;
}

async function addExecution(ms: number, ended: number | null, contactId: string | null, sql = service.sql) {
  await sql`
    insert into executions (
      project_id, id, workflow_id, version_id, contact_id, is_only, status, started_at, completed_at
    )
    values (
      ${project.id}, ${idAt(ms - 60_000)}, ${workflow.id}, ${workflow.version}, ${contactId}, false,
      ${ended === null ? "CANCELLED" : "COMPLETED"}, ${new Date(ms)}, ${ended && new Date(ended)}
    )`;
}

async function addCampaign(scheduled: number | null, sent: number | null, sql = service.sql) {
  await sql`
    insert into campaigns (
      project_id, name, subject, body, html, from_email, status, audience_type, scheduled_at, sent_at
    )
    values (
      ${project.id}, 'News', 'Hi', '<p>Hi</p>', '<p>Hi</p>', 'news@shop.example', 'SENT', 'ALL',
      ${scheduled && new Date(scheduled)}, ${sent && new Date(sent)}
    )`;
}

/** Something of any source, at any of the moments. */
async function addAny(random: Random, sql = service.sql): Promise<void> {
  const contact = random.of([...contacts, null]);
  const maybe = () => (random.below(4) === 0 ? null : random.of(MOMENTS));
  const kind = random.below(10);
  if (kind < 6) await addEvent(random.of(NAMES), random.of(MOMENTS), contact, sql);
  else if (kind < 8) await addExecution(random.of(MOMENTS), maybe(), contact, sql);
  else await addCampaign(maybe(), maybe(), sql);
}

async function fill(random: Random, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await addAny(random);
  // A neighbour, of whom nothing is ever seen.
  await service.pool`
    insert into events (project_id, id, name) select ${other.id}, id, name from events where project_id = ${project.id}`;
}

/** Everything that happened, by a look at every row. */
async function facts(): Promise<Fact[]> {
  const { pool } = service;
  const [events, executions, campaigns] = await Promise.all([
    pool`select id, name, contact_id, created_at from events where project_id = ${project.id}`,
    pool`select id, contact_id, started_at, completed_at from executions where project_id = ${project.id}`,
    pool`select id, scheduled_at, sent_at from campaigns where project_id = ${project.id}`,
  ]);
  const times = (row: Record<string, unknown>, columns: Record<string, string>): Fact[] =>
    Object.entries(columns).flatMap(([column, type]) => {
      const at = row[column] as Date | null;
      const contactId = (row.contactId as string | null) ?? null;
      return at ? [{ id: `${type}:${row.id}`, type: type as ActivityType, at: at.getTime(), contactId }] : [];
    });
  return [
    ...events.map(({ id, name, contactId, createdAt }) => ({
      id: id as string,
      type: typeOfEvent(name as string),
      at: (createdAt as Date).getTime(),
      contactId: contactId as string | null,
    })),
    ...executions.flatMap((row) =>
      times(row, { startedAt: "workflow.started", completedAt: "workflow.completed" }),
    ),
    ...campaigns.flatMap((row) => times(row, { scheduledAt: "campaign.scheduled", sentAt: "campaign.sent" })),
  ];
}

interface Asked {
  types?: ActivityType[] | undefined;
  contactId?: string | undefined;
  from?: Date | undefined;
  until?: Date | undefined;
}

const matches =
  ({ types, contactId, from, until }: Asked) =>
  (fact: Fact) =>
    (!types || types.includes(fact.type)) &&
    (!contactId || fact.contactId === contactId) &&
    (!from || fact.at >= from.getTime()) &&
    (!until || fact.at < until.getTime());

/** The whole feed, in pages of these sizes in turn; `between` happens after each page. */
async function readAll(asked: Asked, sizes: number[], between?: () => Promise<void>): Promise<Activity[]> {
  const all: Activity[] = [];
  let after: FeedPlace | null = null;
  for (let n = 0; ; n++) {
    const limit = sizes[n % sizes.length]!;
    const { items, next } = await listActivity(service, project.id, asked, { limit, after });
    all.push(...items);
    if (next === null) return all;
    expect(items).toHaveLength(limit);
    after = next;
    await between?.();
  }
}

const isInOrder = (items: Activity[]) =>
  items.every((item, i) => i === 0 || item.timestamp.getTime() <= items[i - 1]!.timestamp.getTime());

const asPlain = (fact: Fact) => `${fact.id} ${fact.type} ${fact.at} ${fact.contactId}`;
const asTold = ({ id, type, timestamp, contactId }: Activity) =>
  `${id} ${type} ${timestamp.getTime()} ${contactId ?? null}`;

const someTypes = fc.option(fc.subarray([...ACTIVITY_TYPES], { minLength: 1 }), { nil: undefined });
const moment = fc
  .tuple(fc.constantFrom(...MOMENTS), fc.constantFrom(-1, 0, 1))
  .map(([ms, by]) => new Date(ms + by));
const asking = fc.record({
  types: fc.oneof(someTypes, fc.constantFrom(...ACTIVITY_TYPES.map((type) => [type]))),
  contactId: fc.option(
    fc.nat(2).map((n) => n),
    { nil: undefined, freq: 2 },
  ),
  from: fc.option(moment, { nil: undefined }),
  until: fc.option(moment, { nil: undefined }),
});
const pageSizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 100 })), {
  minLength: 1,
  maxLength: 4,
});
const named = ({
  contactId,
  ...asked
}: { contactId: number | undefined } & Omit<Asked, "contactId">): Asked => ({
  ...asked,
  contactId: contactId === undefined ? undefined : contacts[contactId],
});

describe("pages put together", () => {
  test(
    "are everything that happened in the order of time, for every filter and whatever their sizes",
    async () => {
      const plain = await facts();
      const whole = (await readAll({}, [100])).map(({ id }) => id);
      await fc.assert(
        fc.asyncProperty(asking, pageSizes, async (raw, sizes) => {
          const asked = named(raw);
          const items = await readAll(asked, sizes);
          const wanted = plain.filter(matches(asked));

          expect(items.map(asTold).toSorted()).toEqual(wanted.map(asPlain).toSorted());
          expect(isInOrder(items)).toBe(true);
          // Of those with one time the order is always the same.
          const kept = new Set(items.map(({ id }) => id));
          expect(items.map(({ id }) => id)).toEqual(whole.filter((id) => kept.has(id)));
        }),
        { seed: SEED, numRuns: 250 },
      );
    },
    TIMEOUT,
  );

  test(
    "are all that was there at the first page, once, while more and more comes at every time, and commits late",
    async () => {
      const random = new Random(SEED + 1);
      await fc.assert(
        fc.asyncProperty(asking, pageSizes, async (raw, sizes) => {
          const asked = named(raw);
          const wanted = (await facts()).filter(matches(asked));
          // Whoever has begun before the first page is read, and is done when the last one has been.
          const { promise: readOn, resolve: finish } = Promise.withResolvers<void>();
          const { promise: begun, resolve: start } = Promise.withResolvers<void>();
          const late = service.pool.begin(async (sql) => {
            for (let i = 0; i < 3; i++) await addAny(random, sql);
            start();
            await readOn;
          });
          await begun;
          let pages = 0;
          const items = await readAll(asked, sizes, async () => {
            pages++;
            if (pages === 2) await (finish(), late);
            if (pages <= 6) await addAny(random);
          });
          await (finish(), late);

          const seen = items.map(({ id }) => id);
          expect(new Set(seen).size).toBe(seen.length);
          expect(wanted.map(({ id }) => id).filter((id) => !seen.includes(id))).toEqual([]);
          expect(isInOrder(items)).toBe(true);
          // Of what came meanwhile nothing is there that was not asked for.
          const allowed = new Set((await facts()).filter(matches(asked)).map(({ id }) => id));
          expect(seen.filter((id) => !allowed.has(id))).toEqual([]);
        }),
        { seed: SEED, numRuns: 40 },
      );
    },
    TIMEOUT,
  );

  test(
    "while eight writers are at work",
    async () => {
      const before = await facts();
      let isRead = false;
      const writers = Array.from({ length: 8 }, async (_, n) => {
        const random = new Random(SEED + 10 + n);
        while (!isRead) await service.pool.begin((sql) => addAny(random, sql));
      });
      const items = await readAll({}, [37]);
      isRead = true;
      await Promise.all(writers);

      const seen = items.map(({ id }) => id);
      expect(new Set(seen).size).toBe(seen.length);
      expect(before.map(({ id }) => id).filter((id) => !seen.includes(id))).toEqual([]);
      expect(isInOrder(items)).toBe(true);
    },
    TIMEOUT,
  );
});

describe("a contact with hundreds of names", () => {
  test(
    "has all of its events in its pages, of every name, and in its log",
    async () => {
      const [contactId] = (await addContacts(other.id, 1)) as [string];
      const random = new Random(SEED + 2);
      const rows = Array.from({ length: 900 }, (_, n) => {
        const ms = random.of(MOMENTS);
        const name = n < 700 ? `name ${n}` : random.of(NAMES);
        return { project_id: other.id, id: idAt(ms), contact_id: contactId, name, created_at: new Date(ms) };
      });
      await service.pool`insert into events ${service.pool(rows)}`;
      const idsOf = (wanted: (name: string) => boolean) =>
        rows
          .filter(({ name }) => wanted(name))
          .map(({ id }) => id)
          .toSorted()
          .toReversed();
      const feed = async (types: ActivityType[] | undefined) => {
        const ids: string[] = [];
        for (let after: FeedPlace | null = null, isFirst = true; isFirst || after; isFirst = false) {
          const page = await listActivity(service, other.id, { types, contactId }, { limit: 70, after });
          ids.push(...page.items.map(({ id }) => id));
          after = page.next;
        }
        return ids;
      };
      const log: string[] = [];
      for (let beforeId: string | null = null; ;) {
        const page = await listContactEvents(service, other.id, contactId, { limit: 70, beforeId });
        log.push(...page.slice(0, 70).map(({ id }) => id));
        if (page.length <= 70) break;
        beforeId = log.at(-1)!;
      }

      expect(log).toEqual(idsOf(() => true));
      expect(await feed(undefined)).toEqual(idsOf(() => true));
      for (const type of ["event.triggered", "email.opened"] as const) {
        expect(await feed([type])).toEqual(idsOf((name) => typeOfEvent(name) === type));
      }
      expect(await feed(["event.triggered", "email.sent"])).toEqual(
        idsOf((name) => ["event.triggered", "email.sent"].includes(typeOfEvent(name))),
      );
    },
    TIMEOUT,
  );
});

test("an event, a campaign and an execution that have one id are each told as what they are", async () => {
  const id = idAt(END);
  const mine = await service.createProject();
  const flow = await service.pool`
    insert into workflows (project_id, name) values (${mine.id}, 'Welcome') returning id`;
  const version = await service.pool`
    insert into workflow_versions (project_id, workflow_id, graph)
    values (${mine.id}, ${flow[0]!.id}, '{"steps": [], "transitions": []}') returning id`;
  await service.pool`
    insert into events (project_id, id, name, created_at) values (${mine.id}, ${id}, 'bought', ${new Date(END)})`;
  await service.pool`
    insert into executions (project_id, id, workflow_id, version_id, is_only, status, started_at)
    values (${mine.id}, ${id}, ${flow[0]!.id}, ${version[0]!.id}, false, 'CANCELLED', ${new Date(END)})`;
  await service.pool`
    insert into campaigns (project_id, id, name, subject, body, html, from_email, status, audience_type, sent_at)
    values (${mine.id}, ${id}, 'News', 'Hi', 'Hi', 'Hi', 'news@shop.example', 'SENT', 'ALL', ${new Date(END)})`;
  const { items } = await listActivity(service, mine.id, {}, { limit: 10, after: null });

  expect(items.map(({ type, metadata }) => [type, metadata])).toEqual([
    ["event.triggered", { eventName: "bought", eventData: {} }],
    [
      "workflow.started",
      { workflowId: flow[0]!.id, workflowName: "Welcome", status: "CANCELLED", exitReason: undefined },
    ],
    ["campaign.sent", { campaignId: id, campaignName: "News" }],
  ]);
});
