// The compiler against the plain evaluator, over random contacts, events and trees. A failure prints its seed and the
// smallest tree that shows it; `CONDITIONS_SEED=<seed> bun test test/audience/conditions_property_test.ts` repeats it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type postgres from "postgres";
import { compileCondition } from "../../src/audience/conditions/mod.ts";
import {
  type Condition,
  conditionErrors,
  type Filter,
  type Group,
} from "../../src/audience/conditions/tree.ts";
import { toInstant } from "../../src/audience/conditions/_instants.ts";
import { q } from "../../src/db/queries.ts";
import type { Fragment } from "../../src/db/types.ts";
import {
  type EvaluatedContact,
  microseconds,
  satisfies,
  type Surroundings,
} from "../support/condition_evaluator.ts";
import { dropDatabase, newDatabase, openTestPool } from "../support/postgres.ts";

const SEED = Number(process.env.CONDITIONS_SEED ?? Math.floor(Math.random() * 2 ** 31));
const CONTACTS = 150;
const TREES_PER_STATEMENT = 10;
const STATEMENTS = 200;

const NOW = new Date("2026-03-31T12:00:00.000Z");
const STATIC = ["01900000-0000-7000-8000-0000000000a1", "01900000-0000-7000-8000-0000000000a2"];
const DYNAMIC = ["01900000-0000-7000-8000-0000000000d1", "01900000-0000-7000-8000-0000000000d2"];

// Few of each kind, so that what a filter asks for is often there.
const KEYS = ["a", "b", "a.b", "a.b.c", "c", "__proto__", "constructor", "x y", `q'"\\`, "é", ""];
const PATHS = [
  ...KEYS.filter((key) => key !== ""),
  "b.a",
  "a.a",
  "c.__proto__",
  "a.",
  "b.c.a",
  "toString",
  "a.0",
  "%",
];
const NAMES = ["bought", "email.open", "email.delivery", "email.bounce", "x'y", "data", "segment.vip.entry"];
const EVENT_FIELDS = [
  "bought",
  "event.bought",
  "email.opened",
  "email.open",
  "email.delivered",
  "email.bounced",
  "email.sent",
  "event.x'y",
  "event.data",
  "segment.vip.entry",
];
const SENT_FIELDS = EVENT_FIELDS.filter((name) => name.startsWith("email."));
const SOURCES = ["01900000-0000-7000-8000-0000000000c1", "01900000-0000-7000-8000-0000000000c2"];
const DATES = [
  "2026-03-31",
  "2026-03-30",
  "2026-03-01",
  "2026-03-31T12:00:00.000Z",
  "2026-03-31T12:00:00.001Z",
  "2026-03-30T12:00:00Z",
  "2026-03-30T11:59:59.999Z",
  "2026-03-30T23:30:00-02:00",
  "2026-03-31T01:30:00+02:00",
  "2026-03-31 00:00",
  "2026-02-28T12:00:00+00:00",
  "2026-02-28T11:59Z",
  "2026-04-02",
  "2024-02-29",
  "9999-12-31",
  "1000-01-01T00:00:00+14:00",
];
const TEXTS = [
  "",
  "10",
  "abc",
  "ABC",
  "ab",
  "Äb",
  "ä",
  "a%c",
  "_",
  "\\",
  "'",
  "😀",
  "\uffff",
  "2023-02-29",
  "2026-13-45",
  "2026-3-1",
  "2026-03",
  "infinity",
  "now",
  "NaN",
  "null",
  "true",
  "0x10",
  "1e999",
];
const NUMBERS = [0, 1, 10, 2.5, -3, 1e21, 5e-324, 1.7976931348623157e308, -1e-7, 9007199254740991];

const scalar = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.constantFrom(...DATES),
  fc.constantFrom(...NUMBERS),
  fc.boolean(),
  fc.constant(null),
);
const { json } = fc.letrec<{ json: unknown; object: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { arbitrary: scalar, weight: 4 },
    fc.array(scalar, { maxLength: 3 }),
    tie("object"),
  ),
  // As JSON.parse makes them: `__proto__` is a key like any other.
  object: fc
    .array(fc.tuple(fc.constantFrom(...KEYS), tie("json")), { maxLength: 3 })
    .map((pairs) =>
      JSON.parse(`{${pairs.map(([k, v]) => `${JSON.stringify(k)}:${JSON.stringify(v)}`).join()}}`),
    ),
}));
const data = fc
  .array(fc.tuple(fc.constantFrom(...KEYS), json), { maxLength: 8 })
  .map((pairs) =>
    JSON.parse(`{${pairs.map(([k, v]) => `${JSON.stringify(k)}:${JSON.stringify(v)}`).join()}}`),
  );

/** Instants on both sides of what `within` and its like ask for. */
const time = fc
  .tuple(
    fc.constantFrom(
      0,
      60e3,
      5 * 60e3,
      3600e3,
      86400e3,
      7 * 86400e3,
      30 * 86400e3,
      31 * 86400e3,
      400 * 86400e3,
      -3600e3,
    ),
    fc.constantFrom(0, 0, 1, -1, 40e3),
  )
  .map(([back, beside]) => new Date(NOW.getTime() - back + beside));

const contact: fc.Arbitrary<Omit<EvaluatedContact, "email">> = fc.record({
  subscribed: fc.boolean(),
  data,
  createdAt: time,
  updatedAt: time,
  events: fc.array(
    fc.record({
      name: fc.constantFrom(...NAMES),
      at: time,
      campaignId: fc.constantFrom(...SOURCES, null),
      templateId: fc.constantFrom(...SOURCES, null),
    }),
    { maxLength: 5 },
  ),
  memberOf: fc.subarray(STATIC),
});

const order = fc.constantFrom("greaterThan", "lessThan", "greaterThanOrEqual", "lessThanOrEqual");
const age = {
  value: fc.constantFrom(1, 2, 5, 30, 60),
  unit: fc.constantFrom("minutes", "hours", "days", "weeks", "months"),
};
const counting = fc.constantFrom("triggeredAtLeast", "triggeredAtMost");
const often = fc.integer({ min: 1, max: 4 });
const dataField = fc.constantFrom(...PATHS).map((path) => `data.${path}`);
const timeField = fc.constantFrom("createdAt", "updatedAt");
const eventField = fc.constantFrom(...EVENT_FIELDS);
const sentField = fc.constantFrom(...SENT_FIELDS);
/** One of the two, both, or none. */
const ofMail = {
  campaignId: fc.constantFrom(...SOURCES, SOURCES[0]!.toUpperCase(), null),
  templateId: fc.constantFrom(...SOURCES, null, null),
};
const date = fc.constantFrom(...DATES);
const partOf = (text: string) =>
  fc.constantFrom(text, text.toUpperCase(), text.slice(0, 6), text.slice(3), "%", "_", "@");

const filter = (segmentIds: string[]): fc.Arbitrary<Filter> =>
  fc.oneof(
    fc.record({
      field: fc.constant("email"),
      operator: fc.constantFrom("equals", "notEquals", "contains", "notContains"),
      value: partOf("user7@example.com"),
    }),
    fc.record({
      field: fc.constant("subscribed"),
      operator: fc.constantFrom("equals", "notEquals"),
      value: fc.constantFrom(true, false, "true", "false"),
    }),
    fc.record({
      field: timeField,
      operator: fc.oneof(order, fc.constantFrom("equals", "notEquals")),
      value: fc.oneof(
        date,
        time.map((at) => at.toISOString()),
      ),
    }),
    fc.record({
      field: fc.oneof(timeField, dataField),
      operator: fc.constantFrom("within", "olderThan"),
      ...age,
    }),
    fc.record({ field: dataField, operator: fc.constantFrom("equals", "notEquals"), value: json }),
    fc.record({ field: dataField, operator: fc.constantFrom("equals", "notEquals"), value: date }),
    fc.record({
      field: dataField,
      operator: fc.constantFrom("contains", "notContains"),
      value: scalar.filter((value) => value !== null),
    }),
    fc.record({ field: dataField, operator: fc.constantFrom("exists", "notExists") }),
    fc.record({ field: dataField, operator: order, value: fc.constantFrom(...TEXTS, ...NUMBERS, ...DATES) }),
    fc.record({ field: eventField, operator: fc.constantFrom("triggered", "notTriggered") }),
    fc.record({
      field: eventField,
      operator: fc.constantFrom("triggeredWithin", "notTriggeredWithin", "triggeredOlderThan"),
      ...age,
    }),
    fc.record({ field: sentField, operator: fc.constantFrom("triggered", "notTriggered"), ...ofMail }),
    fc.record({
      field: sentField,
      operator: fc.constantFrom("triggeredWithin", "notTriggeredWithin", "triggeredOlderThan"),
      ...age,
      ...ofMail,
    }),
    fc.record({ field: sentField, operator: counting, count: often, ...ofMail }),
    fc.record({ field: sentField, operator: counting, count: often, ...age, ...ofMail }),
    fc.record({ field: eventField, operator: counting, count: often }),
    fc.record({ field: eventField, operator: counting, count: often, ...age }),
    fc.record({
      field: fc.constantFrom(...segmentIds).map((id) => `segment.${id}`),
      operator: fc.constantFrom("memberOfSegment", "notMemberOfSegment"),
    }),
  ) as fc.Arbitrary<Filter>;

const tree = (segmentIds: string[]): fc.Arbitrary<Condition> =>
  fc.letrec<{ tree: Condition; group: Group }>((tie) => ({
    tree: fc.record({
      logic: fc.constantFrom("AND", "OR"),
      groups: fc.array(tie("group"), { minLength: 1, maxLength: 3 }),
    }) as fc.Arbitrary<Condition>,
    group: fc.oneof(
      { depthSize: "small", maxDepth: 4, withCrossShrink: true },
      fc.record({ filters: fc.array(filter(segmentIds), { minLength: 1, maxLength: 3 }) }),
      fc.record({ filters: fc.array(filter(segmentIds), { maxLength: 2 }), conditions: tie("tree") }),
    ),
  })).tree;

const NEGATIONS: Record<string, string> = {
  equals: "notEquals",
  contains: "notContains",
  exists: "notExists",
  triggered: "notTriggered",
  triggeredWithin: "notTriggeredWithin",
  memberOfSegment: "notMemberOfSegment",
};

let database: string;
let sql: postgres.Sql;
let contacts: EvaluatedContact[];
let around: Surroundings;
const projectId = Bun.randomUUIDv7();

beforeAll(async () => {
  database = await newDatabase();
  sql = openTestPool(database, 2);
  const sample = <T>(arbitrary: fc.Arbitrary<T>, count: number) =>
    fc.sample(arbitrary, { numRuns: count, seed: SEED });
  contacts = sample(contact, CONTACTS).map((random, n) => ({ ...random, email: `user${n}@example.com` }));
  const [inner] = sample(tree(STATIC), 1) as [Condition];
  const [outer] = sample(tree([...STATIC, DYNAMIC[0]!]), 1) as [Condition];
  around = {
    now: NOW,
    segments: new Map<string, { type: "DYNAMIC" | "STATIC"; condition: Condition | null }>([
      [STATIC[0]!, { type: "STATIC", condition: null }],
      [STATIC[1]!, { type: "STATIC", condition: null }],
      [DYNAMIC[0]!, { type: "DYNAMIC", condition: inner }],
      [DYNAMIC[1]!, { type: "DYNAMIC", condition: outer }],
    ]),
  };
  await load();
});

afterAll(async () => {
  await sql.end({ timeout: 1 });
  await dropDatabase(database);
});

async function load(): Promise<void> {
  await sql`
    insert into projects (id, name, public_key, secret_hash, secret_hint)
    values (${projectId}, 'Test', ${`pk_${"0".repeat(48)}`}, sha256('x'), 'test')`;
  await sql`
    insert into segments (project_id, id, name, slug, type)
    select ${projectId}, id, 'Static', id::text, 'STATIC' from unnest(${STATIC}::uuid[]) as id`;
  for (const { email, subscribed, data: held, createdAt, updatedAt, events, memberOf } of contacts) {
    const [row] = await sql<{ id: string }[]>`
      insert into contacts (project_id, email, subscribed, data, created_at, updated_at)
      values (${projectId}, ${email}, ${subscribed}, ${JSON.stringify(held)}::text::jsonb, ${createdAt}, ${updatedAt})
      returning id`;
    for (const { name, at, ...sources } of events) {
      await sql`
        insert into events (project_id, id, contact_id, name, created_at, data)
        values (${projectId}, ${Bun.randomUUIDv7("hex", at.getTime())}, ${row!.id}, ${name}, ${at}, ${sql.json(sources)})`;
    }
    await sql`
      insert into segment_members (project_id, segment_id, contact_id)
      select ${projectId}, id, ${row!.id} from unnest(${memberOf}::uuid[]) as id`;
  }
  await sql`analyze contacts, events`;
}

const compile = (condition: Condition, whole = false) =>
  compileCondition(sql, projectId, condition, { ...around, whole });

/** What Postgres says about every contact, for several trees in one statement. Never null. */
async function answers(conditions: Condition[]): Promise<Record<string, boolean | null>[]> {
  const columns = conditions
    .map((condition) => compile(condition))
    .map((fragment, n) => sql`${fragment} as ${sql(`t${n}`)}`);
  const list = columns.reduce((left, right) => sql`${left}, ${right}` as Fragment);
  const query = sql`select ${list} from contacts c where c.project_id = ${projectId} order by c.id`;
  Object.assign(query, { options: { prepare: false } });
  return (await query) as unknown as Record<string, boolean | null>[];
}

const options = { seed: SEED, numRuns: STATEMENTS };
const TIMEOUT_MS = 240_000;
const anyTree = tree([...STATIC, ...DYNAMIC]);
const anyFilter = filter([...STATIC, ...DYNAMIC]);
const alone = (one: Filter): Condition => ({ logic: "AND", groups: [{ filters: [one] }] });

describe("compiled conditions", () => {
  test(
    "hold for the same contacts as by the plain reading of the rules",
    async () => {
      let members = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(anyTree, { minLength: 1, maxLength: TREES_PER_STATEMENT }),
          async (trees) => {
            expect(trees.flatMap((condition) => conditionErrors(condition))).toEqual([]);
            const rows = await answers(trees);
            for (const [n, condition] of trees.entries()) {
              const said = contacts.filter((_, i) => rows[i]![`t${n}`] === true);
              const expected = contacts.filter((one) => satisfies(one, condition, around));
              members += expected.length;
              expect({ condition, members: said }).toEqual({ condition, members: expected });
            }
          },
        ),
        options,
      );
      expect(members).toBeGreaterThan(STATEMENTS);
    },
    TIMEOUT_MS,
  );

  test(
    "of one filter hold for the same contacts, and are never null",
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(anyFilter, { minLength: 1, maxLength: 4 * TREES_PER_STATEMENT }),
          async (filters) => {
            const rows = await answers(filters.map(alone));
            for (const [n, one] of filters.entries()) {
              const expected = contacts.map((each) => satisfies(each, alone(one), around));
              expect({ one, said: rows.map((row) => row[`t${n}`]) }).toEqual({ one, said: expected });
            }
          },
        ),
        options,
      );
    },
    TIMEOUT_MS,
  );

  test(
    "and their negations split the audience with nothing left over",
    async () => {
      await fc.assert(
        fc.asyncProperty(anyFilter, async (one) => {
          const negation = NEGATIONS[one.operator];
          if (!negation) return;
          const count = (filters: Filter) =>
            q.audience.countMatching({ sql }, { projectId, audience: compile(alone(filters), true) });
          const [x, notX] = [await count(one), await count({ ...one, operator: negation })];
          expect(x.total + notX.total).toBe(CONTACTS);
          expect(x.total).toBe(contacts.filter((each) => satisfies(each, alone(one), around)).length);
        }),
        options,
      );
    },
    TIMEOUT_MS,
  );

  test(
    "select the same contacts where the planner may make joins of them",
    async () => {
      await fc.assert(
        fc.asyncProperty(anyTree, async (condition) => {
          const rows = await q.audience.matching(
            { sql },
            { projectId, audience: compile(condition, true), afterId: null, limit: 1000 },
          );
          expect(rows).toHaveLength(contacts.filter((each) => satisfies(each, condition, around)).length);
        }),
        options,
      );
    },
    TIMEOUT_MS,
  );
});

describe("dates", () => {
  const digits = fc.integer({ min: 0, max: 99 }).map((n) => String(n).padStart(2, "0"));
  const near = fc.tuple(
    fc.constantFrom("2024", "2023", "1900", "2000", "0999", "9999", "1000", "20245", "202"),
    fc.constantFrom("-01", "-02", "-12", "-13", "-00", "-1"),
    fc.oneof(
      fc.constantFrom("-01", "-28", "-29", "-30", "-31", "-32", "-00", "-1", ""),
      digits.map((n) => `-${n}`),
    ),
    fc.constantFrom("", "", "T", " ", "t", "  "),
    fc.constantFrom(
      "",
      "00:00",
      "23:59",
      "24:00",
      "12:60",
      "12",
      "12:34:56",
      "12:34:60",
      "12:34:56.",
      "12:34:56.1",
      "12:34:56.123456",
      "12:34:56.1234567890",
      "1:02",
    ),
    fc.constantFrom(
      "",
      "",
      "Z",
      "z",
      "+00:00",
      "-14:59",
      "+15:00",
      "+0230",
      "+02",
      "+2",
      "-00:60",
      "+023",
      "+02:3",
      " UTC",
      "\n",
    ),
  );

  test(
    "are recognised alike by TypeScript, SQL and the plain reading",
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(
            near.map((parts) => parts.join("")),
            { minLength: 50, maxLength: 200 },
          ),
          async (texts) => {
            const rows = await sql<{ text: string; us: string | null }[]>`
          select text, (extract(epoch from instant_of(text)) * 1000000)::bigint::text as us
          from unnest(${texts}::text[]) with ordinality as t (text, n) order by n`;
            for (const { text, us } of rows) {
              const plain = microseconds(text);
              expect({ text, us }).toEqual({ text, us: plain === null ? null : String(plain) });
              expect({ text, ms: toInstant(text)?.getTime() }).toEqual({
                text,
                ms: plain === null ? undefined : Math.floor(Number(plain) / 1000),
              });
            }
          },
        ),
        { seed: SEED, numRuns: 60 },
      );
    },
    TIMEOUT_MS,
  );

  test("of every month and of every leap day are recognised alike", async () => {
    const days = Array.from({ length: 14 * 33 }, (_, n) => [Math.floor(n / 33), n % 33] as const);
    const texts = days
      .map(([month, day]) => `2023-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`)
      .concat(Array.from({ length: 9100 }, (_, n) => `${n + 900}-02-29`.padStart(10, "0")));

    const rows = await sql<{ text: string; isDate: boolean }[]>`
      select text, instant_of(text) is not null as is_date from unnest(${texts}::text[]) as t (text)`;

    expect(rows.filter(({ text, isDate }) => isDate !== (toInstant(text) !== null))).toEqual([]);
    expect(rows.filter(({ text, isDate }) => isDate !== (microseconds(text) !== null))).toEqual([]);
    expect(rows.filter(({ isDate }) => isDate)).toHaveLength(365 + 2_182);
  });
});
