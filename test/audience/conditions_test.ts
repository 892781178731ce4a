import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type postgres from "postgres";
import { compileCondition } from "../../src/audience/conditions/mod.ts";
import {
  type Condition,
  conditionErrors,
  type Filter,
  isTimeRelative,
  referenceErrors,
  type SegmentDefinition,
  segmentReferences,
} from "../../src/audience/conditions/tree.ts";
import { q } from "../../src/db/queries.ts";
import { dropDatabase, newDatabase, openTestPool } from "../support/postgres.ts";

const NOW = new Date("2026-03-31T12:00:00.000Z");
const STATIC = "01900000-0000-7000-8000-00000000000a";
const DYNAMIC = "01900000-0000-7000-8000-00000000000b";
const NESTED = "01900000-0000-7000-8000-00000000000c";
const MISSING = "01900000-0000-7000-8000-00000000000d";

let database: string;
let sql: postgres.Sql;
let projectId: string;
const segments = new Map<string, Omit<SegmentDefinition, "id">>([
  [STATIC, { type: "STATIC", condition: null }],
  [DYNAMIC, { type: "DYNAMIC", condition: all({ field: "data.n", operator: "greaterThan", value: 5 }) }],
  [
    NESTED,
    { type: "DYNAMIC", condition: all({ field: `segment.${DYNAMIC}`, operator: "notMemberOfSegment" }) },
  ],
]);

beforeAll(async () => {
  database = await newDatabase();
  sql = openTestPool(database, 4);
  projectId = await newProject();
  for (const id of [projectId, await newProject()]) await fill(id);
});

afterAll(async () => {
  await sql.end({ timeout: 1 });
  await dropDatabase(database);
});

async function newProject(): Promise<string> {
  const id = Bun.randomUUIDv7();
  const key = `pk_${id.replaceAll("-", "").padEnd(48, "0")}`;
  await sql`
    insert into projects (id, name, public_key, secret_hash, secret_hint)
    values (${id}, 'Test', ${key}, sha256(${key}::text::bytea), 'test')`;
  return id;
}

/** The contacts that the tables below speak of, by the first part of their address. */
async function fill(project: string): Promise<void> {
  const contacts: Record<string, string> = {
    none: `{}`,
    nulls: `{"n": null, "s": null, "a": {"b": null}}`,
    empty: `{"s": "", "list": [], "o": {}}`,
    ten: `{"n": 10, "s": "10", "list": [10, "Ten"], "b": true}`,
    text: `{"n": "10", "s": "Zebra", "b": "true"}`,
    lower: `{"s": "apple", "list": ["Red", "GRÜN", "50%"], "b": false}`,
    astral: `{"s": "😀", "n": -2.5}`,
    bmp: `{"s": "\uffff", "n": 1e300}`,
    huge: `{"n": 123456789012345678901234567890, "s": "1e999"}`,
    flat: `{"a.b": 1, "a": {"b": 2, "c": {"d": "deep"}}}`,
    nested: `{"a": {"b": 1, "c": [{"d": "deep"}]}}`,
    odd: `{"__proto__": 1, "constructor": 2, "x y": 3, "it's": 4, "say \\"hi\\"": 5, "back\\\\slash": 6, "ключ": 7, "$1": 8, "%_": 9}`,
    like: `{"s": "100% sure_thing\\\\", "list": ["%"]}`,
    day: `{"at": "2026-03-10", "o": {"k": [1, {"z": null}]}}`,
    morning: `{"at": "2026-03-10T01:00:00+02:00"}`,
    evening: `{"at": "2026-03-10T23:59:59.999999Z"}`,
    spaced: `{"at": "2026-03-11 01:30+02"}`,
    soon: `{"at": "2026-04-01T00:00:00Z"}`,
    never: `{"at": "9999-12-31"}`,
    wrong: `{"at": "2024-13-45"}`,
    infinite: `{"at": "infinity"}`,
    number: `{"at": 20260310}`,
  };
  for (const [name, data] of Object.entries(contacts)) {
    await sql`
      insert into contacts (project_id, email, subscribed, data, created_at, updated_at)
      values (
        ${project}, ${`${name}@example.com`}, ${name !== "none"}, ${data}::text::jsonb,
        ${name === "day" ? "2026-03-10 10:00:00.123456Z" : "2026-01-01Z"}::text::timestamptz, '2026-03-31T11:00:00Z'
      )`;
  }
  const events: [string, string, string][] = [
    ["ten", "bought", "2026-03-30T12:00:00.000Z"],
    ["ten", "bought", "2026-01-01T12:00:00.000Z"],
    ["text", "bought", "2026-03-01T11:59:59.999Z"],
    ["lower", "bought", "2026-03-01T12:00:00.000Z"],
    ["lower", "email.open", "2026-03-01T12:00:00.000Z"],
    ["none", "email.delivery", "2026-03-01T12:00:00.000Z"],
    ["odd", "email.open machine", "2026-03-01T12:00:00.000Z"],
    ["odd", "email.click machine", "2026-03-01T12:00:00.000Z"],
    ["soon", "bought", "2026-04-01T12:00:00.000Z"],
    ["odd", "it's; drop table events --", "2026-03-01T12:00:00.000Z"],
    ["odd", "segment.vip.entry", "2026-03-01T12:00:00.000Z"],
  ];
  for (const [name, event, at] of events) {
    const id = Bun.randomUUIDv7("hex", new Date(at).getTime());
    await sql`
      insert into events (project_id, id, contact_id, name, data, created_at)
      select
        project_id, ${id}, id, ${event.replace(" machine", "")},
        ${sql.json(event.endsWith(" machine") ? { machine: true } : {})}, ${at}
      from contacts
      where project_id = ${project} and email = ${`${name}@example.com`}`;
  }
  await sql`
    insert into segments (project_id, id, name, slug, type) values (${project}, ${STATIC}, 'Static', 'static', 'STATIC')`;
  await sql`
    insert into segment_members (project_id, segment_id, contact_id)
    select project_id, ${STATIC}, id from contacts
    where project_id = ${project} and email = ${`${project === projectId ? "ten" : "text"}@example.com`}`;
}

function all(...filters: Filter[]): Condition {
  return { logic: "AND", groups: [{ filters }] };
}

async function membersOf(tree: Condition): Promise<string[]> {
  expect(conditionErrors(tree)).toEqual([]);
  const audience = compileCondition(sql, projectId, tree, { now: NOW, segments });
  const rows = await sql`select email from contacts c where c.project_id = ${projectId} and ${audience}`;
  return rows.map((row) => (row.email as string).split("@")[0]!).sort();
}

const f = (field: string, operator: string, value?: unknown, unit?: unknown) =>
  ({ field, operator, ...(value !== undefined && { value }), ...(unit !== undefined && { unit }) }) as Filter;

const DATED = ["day", "evening", "morning", "never", "soon", "spaced"];

describe("a filter", () => {
  test.each([
    ["an address in any case", f("email", "equals", "TEN@example.COM"), ["ten"]],
    ["a part of an address", f("email", "contains", "EMPT"), ["empty"]],
    ["% in an address", f("email", "contains", "%"), []],
    ["_ in an address", f("email", "contains", "t_n"), []],
    ["\\ in an address", f("email", "contains", "\\"), []],
    ["subscribed", f("subscribed", "equals", false), ["none"]],
    ["subscribed as a string", f("subscribed", "notEquals", "true"), ["none"]],

    ["a number is not a string", f("data.n", "equals", 10), ["ten"]],
    ["a string is not a number", f("data.n", "equals", "10"), ["text"]],
    ["a boolean is not a string", f("data.b", "equals", true), ["ten"]],
    ["an array as a whole", f("data.list", "equals", [10, "Ten"]), ["ten"]],
    ["an array in another order", f("data.list", "equals", ["Ten", 10]), []],
    ["an object as a whole", f("data.o", "equals", { k: [1, { z: null }] }), ["day"]],
    ["an empty string", f("data.s", "equals", ""), ["empty"]],
    ["a large number", f("data.n", "equals", 1e300), ["bmp"]],
    ["a flat key before nested ones", f("data.a.b", "equals", 1), ["flat", "nested"]],
    ["nested keys", f("data.a.c.d", "equals", "deep"), ["flat"]],
    ["no index of an array", f("data.list.0", "exists"), []],
    [
      "exists, not null",
      f("data.s", "exists"),
      ["astral", "bmp", "empty", "huge", "like", "lower", "ten", "text"],
    ],
    ["a part of a string in any case", f("data.s", "contains", "EBR"), ["text"]],
    ["% is a character", f("data.s", "contains", "0% s"), ["like"]],
    ["\\ is a character", f("data.s", "contains", "\\"), ["like"]],
    ["an element in any case", f("data.list", "contains", "grün"), ["lower"]],
    ["no part of an element", f("data.list", "contains", "50"), []],
    ["a number as an element", f("data.list", "contains", 10), ["ten"]],
    ["no number in a string", f("data.s", "contains", 10), []],
    ["a string in a number", f("data.n", "contains", "1"), ["text"]],

    ["numbers with numbers", f("data.n", "greaterThan", 9), ["bmp", "huge", "ten"]],
    ["a number beyond those of JavaScript", f("data.n", "greaterThan", 1.2e29), ["bmp", "huge"]],
    ["at most", f("data.n", "lessThanOrEqual", 10), ["astral", "ten"]],
    ["strings with strings", f("data.n", "greaterThan", "1"), ["text"]],
    ["strings by code point", f("data.s", "greaterThanOrEqual", "Zebra"), ["astral", "bmp", "lower", "text"]],
    ["code points and not UTF-16", f("data.s", "greaterThan", "\uffff"), ["astral"]],
    ["booleans have no order", f("data.b", "greaterThan", "a"), ["text"]],

    ["a day", f("data.at", "equals", "2026-03-10"), ["day", "evening", "spaced"]],
    ["the last day", f("data.at", "equals", "9999-12-31"), ["never"]],
    ["an instant is compared as it is written", f("data.at", "equals", "2026-03-09T23:00:00Z"), []],
    ["dates as instants", f("data.at", "lessThan", "2026-03-10"), ["morning", "wrong"]],
    [
      "dates with offsets",
      f("data.at", "lessThanOrEqual", "2026-03-10T02:00:00+02:00"),
      ["day", "morning", "wrong"],
    ],
    [
      "what is no date compares as text",
      f("data.at", "greaterThan", "2026-03-12"),
      ["infinite", "never", "soon"],
    ],
    [
      "microseconds",
      f("data.at", "greaterThanOrEqual", "2026-03-10T23:59:59.999999Z"),
      ["evening", "infinite", "never", "soon"],
    ],
    ["within", f("data.at", "within", 22, "days"), ["day", "evening", "morning", "spaced"]],
    ["within, to the minute", f("data.at", "within", 29_521, "minutes"), ["evening"]],
    ["older than", f("data.at", "olderThan", 20, "days"), ["day", "evening", "morning", "spaced"]],
    ["older than, in hours", f("data.at", "olderThan", 504, "hours"), ["day", "morning"]],
    ["a month before 31 March", f("data.at", "within", 1, "months"), ["day", "evening", "morning", "spaced"]],

    ["a time as it is shown", f("createdAt", "equals", "2026-03-10T10:00:00.123Z"), ["day"]],
    ["a time on a day", f("createdAt", "equals", "2026-03-10"), ["day"]],
    ["after a time", f("createdAt", "greaterThan", "2026-03-10T10:00:00.123Z"), []],
    ["at a time or after it", f("createdAt", "greaterThanOrEqual", "2026-03-10T12:00:00.123+02:00"), ["day"]],
    ["after a year", f("createdAt", "greaterThan", "9999-12-31T23:00:00-10:00"), []],
    ["made within", f("createdAt", "within", 4, "weeks"), ["day"]],
    ["notEquals on a time", f("createdAt", "notEquals", "2026-01-01T00:00:00Z"), ["day"]],
    ["changed long ago", f("updatedAt", "olderThan", 60, "minutes"), []],

    ["an event", f("event.bought", "triggered"), ["lower", "soon", "ten", "text"]],
    ["an event by its bare name", f("bought", "triggered"), ["lower", "soon", "ten", "text"]],
    [
      "an event lately, from the very instant on",
      f("event.bought", "triggeredWithin", 30, "days"),
      ["lower", "ten"],
    ],
    ["an event, but not lately", f("event.bought", "triggeredOlderThan", 30, "days"), ["soon", "text"]],
    ["an event of the service", f("email.opened", "triggered"), ["lower"]],
    ["clicked by a machine only", f("email.clicked", "triggered"), []],
    ["another name of it", f("email.open", "triggered"), ["lower"]],
    ["delivered", f("email.delivered", "triggered"), ["none"]],
    ["an event of a segment", f("segment.vip.entry", "triggered"), ["odd"]],
    ["an event with SQL for a name", f("event.it's; drop table events --", "triggered"), ["odd"]],

    ["a static segment", f(`segment.${STATIC}`, "memberOfSegment"), ["ten"]],
    ["a dynamic segment", f(`segment.${DYNAMIC}`, "memberOfSegment"), ["bmp", "huge", "ten"]],
    [
      "a segment of a segment, turned round twice",
      f(`segment.${NESTED}`, "notMemberOfSegment"),
      ["bmp", "huge", "ten"],
    ],
  ] as [string, Filter, string[]][])("%s", async (_, filter, expected) => {
    expect(await membersOf(all(filter))).toEqual(expected.toSorted());
  });

  test.each([
    ["a missing value", f("data.n", "equals", null), "ten,text,astral,bmp,huge"],
    ["a nested missing value", f("data.a.b", "equals", null), "flat,nested"],
  ])("equals null holds for %s", async (_, filter, others) => {
    const members = await membersOf(all(filter));
    expect(members).not.toContain("ten,text".includes(others) ? "ten" : others.split(",")[0]!);
    expect(await membersOf(all({ ...filter, operator: "notEquals" }))).toEqual(others.split(",").sort());
    expect(members).toEqual(await membersOf(all({ ...filter, operator: "notExists" })));
  });

  test.each([
    f("email", "equals", "ten@example.com"),
    f("email", "contains", "t"),
    f("subscribed", "equals", true),
    f("createdAt", "equals", "2026-03-10"),
    f("data.n", "equals", 10),
    f("data.at", "equals", "2026-03-10"),
    f("data.s", "contains", "a"),
    f("data.n", "exists"),
    f("event.bought", "triggered"),
    f("event.bought", "triggeredWithin", 1, "months"),
    f(`segment.${STATIC}`, "memberOfSegment"),
    f(`segment.${NESTED}`, "memberOfSegment"),
  ])("and its negation split the audience: %j", async (filter) => {
    const negation = {
      ...filter,
      operator: `not${filter.operator[0]!.toUpperCase()}${filter.operator.slice(1)}`,
    };

    const members = await membersOf(all(filter));
    const others = await membersOf(all(negation));

    expect([...members, ...others].sort()).toEqual(await membersOf(all(f("email", "contains", "@"))));
    expect(members.length * others.length).toBeGreaterThan(0);
  });

  test("a contact without the field satisfies notEquals, and no order", async () => {
    expect(await membersOf(all(f("data.at", "notEquals", "x")))).toHaveLength(22);
    expect(await membersOf(all(f("data.at", "lessThan", "zzz")))).toEqual(
      [...DATED, "infinite", "wrong"].sort(),
    );
  });

  test.each([
    ["__proto__", 1],
    ["constructor", 2],
    ["x y", 3],
    ["it's", 4],
    ['say "hi"', 5],
    ["back\\slash", 6],
    ["ключ", 7],
    ["$1", 8],
    ["%_", 9],
  ])("finds the key %s and no other", async (key, value) => {
    expect(await membersOf(all(f(`data.${key}`, "equals", value)))).toEqual(["odd"]);
    expect(await membersOf(all(f(`data.${key}`, "exists")))).toEqual(["odd"]);
  });

  const HOSTILE = [
    "' or true --",
    "'; drop table contacts; --",
    "') or ('1'='1",
    '" or "1"="1',
    "\\' or true --",
    "$9",
    "${x}",
    ":project_id",
    "{a,b}",
    "$.a ? (@ == 1)",
    "%",
    "_",
    "\\",
    "\u2028'",
    "/* */",
    "'::jsonb",
    "$$ or true $$",
  ];

  test.each(HOSTILE)("is never SQL, in any position: %s", async (text) => {
    const everywhere: Filter[] = [
      ...["equals", "contains"].map((operator) => f("email", operator, text)),
      ...["equals", "contains", "greaterThan"].map((operator) => f("data.nothing", operator, text)),
      ...["exists", "contains", "lessThan", "equals"].map((operator) => f(`data.${text}`, operator, "x")),
      f(`data.a.${text}.b`, "exists"),
      f("data.s", "equals", { [text]: text }),
      f("data.list", "equals", [text, text]),
      f(`event.${text}`, "triggered"),
      f(`event.${text}`, "triggeredWithin", 5, "days"),
    ];

    expect(
      await membersOf({ logic: "OR", groups: everywhere.map((filter) => ({ filters: [filter] })) }),
    ).toEqual([]);
    const [{ count }] = (await sql`select count(*)::int from contacts`) as unknown as [{ count: number }];
    expect(count).toBe(44);
  });
});

describe("a tree", () => {
  const is = (name: string) => f("email", "equals", `${name}@example.com`);

  test("AND and OR join the groups; in a group everything must hold", async () => {
    const groups = [
      { filters: [f("data.n", "exists"), f("data.s", "exists")] },
      { filters: [f("data.b", "exists")] },
    ];

    expect(await membersOf({ logic: "AND", groups })).toEqual(["ten", "text"]);
    expect(await membersOf({ logic: "OR", groups })).toEqual([
      "astral",
      "bmp",
      "huge",
      "lower",
      "ten",
      "text",
    ]);
  });

  test("a nested tree stands beside the filters of its group, or alone", async () => {
    const either: Condition = { logic: "OR", groups: [{ filters: [is("ten")] }, { filters: [is("lower")] }] };

    expect(
      await membersOf({ logic: "AND", groups: [{ filters: [f("data.n", "exists")], conditions: either }] }),
    ).toEqual(["ten"]);
    expect(await membersOf({ logic: "AND", groups: [{ filters: [], conditions: either }] })).toEqual([
      "lower",
      "ten",
    ]);
    expect(await membersOf({ logic: "AND", groups: [{ conditions: either }] })).toEqual(["lower", "ten"]);
  });

  test("200 filters on ten keys deep, in ten levels, compile and run", async () => {
    const path = `data.${Array.from({ length: 10 }, (_, i) => `k${i}`).join(".")}`;
    let tree: Condition = {
      logic: "OR",
      groups: [{ filters: Array.from({ length: 20 }, () => f(path, "notContains", "2026-01-01")) }],
    };
    for (let depth = 1; depth < 10; depth++) {
      const filters = Array.from({ length: 20 }, () => f(path, "notEquals", "2026-01-01"));
      tree = { logic: "AND", groups: [{ filters, conditions: tree }] };
    }
    expect(await membersOf(tree)).toHaveLength(22);

    const groups = Array.from({ length: 200 }, () => ({ filters: [f(path, "lessThan", "2026-01-01")] }));
    expect(await membersOf({ logic: "OR", groups })).toEqual([]);
  });

  test("is counted and listed by the statements of the service, of its own project only", async () => {
    const tree = all(f("data.n", "exists"));
    const audience = () => compileCondition(sql, projectId, tree, { now: NOW, segments });

    expect(await q.audience.countMatching({ sql }, { projectId, audience: audience() })).toEqual({
      total: 5,
    });
    const page = await q.audience.matching(
      { sql },
      {
        projectId,
        audience: audience(),
        afterId: null,
        limit: 3,
      },
    );
    const rest = await q.audience.matching(
      { sql },
      {
        projectId,
        audience: audience(),
        afterId: page[2]!.id,
        limit: 3,
      },
    );
    expect(new Set([...page, ...rest].map((row) => row.id)).size).toBe(5);
  });

  test("leaves no prepared statement behind", async () => {
    for (let n = 0; n < 5; n++)
      await membersOf(all(...Array.from({ length: n + 1 }, () => f("data.n", "exists"))));
    const audience = compileCondition(sql, projectId, all(f("data.n", "exists")), {
      now: NOW,
      segments,
    });
    await sql.begin(async (tx) => {
      await q.audience.allowHashing({ sql: tx });
      await q.audience.countMatching({ sql: tx }, { projectId, audience });
      const kept = await tx<{ statement: string }[]>`select statement from pg_prepared_statements`;
      expect(kept.filter(({ statement }) => statement.includes('"total!"'))).toEqual([]);
    });
  });
});

describe("conditionErrors", () => {
  const fieldsOf = (tree: unknown, field?: string) =>
    conditionErrors(tree, field).map((error) => `${error.code} ${error.field}`);
  const one = (filter: unknown) => ({ logic: "AND", groups: [{ filters: [filter] }] });
  const AT = "condition.groups.0.filters.0";

  test.each([
    [undefined, ["required condition"]],
    [null, ["invalid_type condition"]],
    ["x", ["invalid_type condition"]],
    [[], ["invalid_type condition"]],
    [{}, ["required condition.logic", "required condition.groups"]],
    [{ logic: "and", groups: {} }, ["invalid_enum_value condition.logic", "invalid_type condition.groups"]],
    [{ logic: "AND", groups: [] }, ["too_small condition.groups"]],
    [{ logic: "AND", groups: [null] }, ["invalid_type condition.groups.0"]],
    [{ logic: "AND", groups: [{}] }, ["required condition.groups.0.filters"]],
    [{ logic: "AND", groups: [{ filters: [] }] }, ["too_small condition.groups.0"]],
    [{ logic: "AND", groups: [{ filters: "x" }] }, ["invalid_type condition.groups.0.filters"]],
    [
      { logic: "AND", groups: [{ filters: [1, {}] }] },
      ["invalid_type condition.groups.0.filters.0", "required condition.groups.0.filters.1.field"],
    ],
    [
      {
        logic: "AND",
        groups: [
          { conditions: { logic: "OR", groups: [{ filters: [{ field: "email", operator: "exists" }] }] } },
        ],
      },
      ["invalid_enum_value condition.groups.0.conditions.groups.0.filters.0.operator"],
    ],
  ])("of %j", (tree, expected) => {
    expect(fieldsOf(tree)).toEqual(expected);
  });

  test.each([
    [{ field: "email", operator: "equals" }, [`required ${AT}.value`]],
    [{ field: "email", operator: "equals", value: 1 }, [`invalid_type ${AT}.value`]],
    [{ field: "email", operator: "equals", value: null }, [`invalid_type ${AT}.value`]],
    [{ field: "email" }, [`required ${AT}.operator`]],
    [{ field: "email", operator: 1 }, [`invalid_enum_value ${AT}.operator`]],
    [{ field: "email", operator: "triggered" }, [`invalid_enum_value ${AT}.operator`]],
    [{ field: "subscribed", operator: "equals", value: "yes" }, [`invalid_type ${AT}.value`]],
    [{ field: "subscribed", operator: "exists" }, [`invalid_enum_value ${AT}.operator`]],
    [{ field: "createdAt", operator: "contains", value: "2026" }, [`invalid_enum_value ${AT}.operator`]],
    [{ field: "createdAt", operator: "equals", value: "yesterday" }, [`invalid_string ${AT}.value`]],
    [{ field: "createdAt", operator: "equals", value: "2026-02-30" }, [`invalid_string ${AT}.value`]],
    [{ field: "createdAt", operator: "lessThan", value: 5 }, [`invalid_type ${AT}.value`]],
    [{ field: "createdAt", operator: "within" }, [`required ${AT}.value`, `required ${AT}.unit`]],
    [{ field: "createdAt", operator: "within", value: 0, unit: "days" }, [`too_small ${AT}.value`]],
    [{ field: "createdAt", operator: "within", value: 1.5, unit: "days" }, [`invalid_type ${AT}.value`]],
    [{ field: "createdAt", operator: "within", value: "5", unit: "days" }, [`invalid_type ${AT}.value`]],
    [{ field: "createdAt", operator: "within", value: 5, unit: "years" }, [`invalid_enum_value ${AT}.unit`]],
    [{ field: "createdAt", operator: "within", value: 1e15, unit: "months" }, [`too_big ${AT}.value`]],
    [{ field: "data.", operator: "exists" }, [`invalid_enum_value ${AT}.field`]],
    [{ field: "event.", operator: "triggered" }, [`invalid_enum_value ${AT}.field`]],
    [{ field: "", operator: "triggered" }, [`invalid_enum_value ${AT}.field`]],
    [{ field: 5, operator: "exists" }, [`invalid_type ${AT}.field`]],
    [{ field: "plan", operator: "equals", value: "pro" }, [`invalid_enum_value ${AT}.field`]],
    [{ field: "email.opend", operator: "triggered" }, [`invalid_enum_value ${AT}.field`]],
    [{ field: "email.__proto__", operator: "triggered" }, [`invalid_enum_value ${AT}.field`]],
    [{ field: "email", operator: "__proto__" }, [`invalid_enum_value ${AT}.operator`]],
    [{ field: "data.a", operator: "toString" }, [`invalid_enum_value ${AT}.operator`]],
    [{ field: "data.a\0b", operator: "exists" }, [`invalid_string ${AT}.field`]],
    [{ field: "data.\ud800", operator: "exists" }, [`invalid_string ${AT}.field`]],
    [{ field: `data.${"a.".repeat(10)}b`, operator: "exists" }, [`too_big ${AT}.field`]],
    [{ field: `data.${"x".repeat(2000)}`, operator: "exists" }, [`too_big ${AT}.field`]],
    [{ field: `event.${"x".repeat(256)}`, operator: "triggered" }, [`too_big ${AT}.field`]],
    [{ field: "event.x", operator: "triggeredWithin", value: 5 }, [`required ${AT}.unit`]],
    [{ field: "event.x", operator: "triggeredAtLeast" }, [`required ${AT}.count`]],
    [{ field: "event.x", operator: "triggeredAtLeast", count: 0 }, [`too_small ${AT}.count`]],
    [{ field: "event.x", operator: "triggeredAtMost", count: -1 }, [`too_small ${AT}.count`]],
    [{ field: "event.x", operator: "triggeredAtMost", count: 1.5 }, [`invalid_type ${AT}.count`]],
    [{ field: "event.x", operator: "triggeredAtMost", count: "3" }, [`invalid_type ${AT}.count`]],
    [{ field: "event.x", operator: "triggeredAtLeast", count: 1_001 }, [`too_big ${AT}.count`]],
    [{ field: "event.x", operator: "triggeredAtLeast", count: 2, value: 30 }, [`required ${AT}.unit`]],
    [{ field: "event.x", operator: "triggeredAtLeast", count: 2, unit: "days" }, [`required ${AT}.value`]],
    [
      { field: "email.opened", operator: "triggeredAtLeast", count: 0, value: 0, unit: "days" },
      [`too_small ${AT}.count`, `too_small ${AT}.value`],
    ],
    [
      { field: "event.x", operator: "triggeredAtMost", count: 1, value: 1e9, unit: "days" },
      [`too_big ${AT}.value`],
    ],
    [{ field: "event.x", operator: "notTriggeredAtLeast", count: 2 }, [`invalid_enum_value ${AT}.operator`]],
    [{ field: "data.a", operator: "triggeredAtLeast", count: 2 }, [`invalid_enum_value ${AT}.operator`]],
    [{ field: "event.x", operator: "equals", value: 5 }, [`invalid_enum_value ${AT}.operator`]],
    [{ field: "event.a\0b", operator: "triggered" }, [`invalid_string ${AT}.field`]],
    [{ field: "data.a", operator: "equals" }, [`required ${AT}.value`]],
    [{ field: "data.a", operator: "equals", value: "a\0b" }, [`invalid_string ${AT}.value`]],
    [{ field: "data.a", operator: "equals", value: { k: ["\udc00"] } }, [`invalid_string ${AT}.value`]],
    [{ field: "data.a", operator: "equals", value: { "\0": 1 } }, [`invalid_string ${AT}.value`]],
    [{ field: "data.a", operator: "equals", value: JSON.parse("[1e999]") }, [`invalid_string ${AT}.value`]],
    [{ field: "data.a", operator: "equals", value: "x".repeat(70_000) }, [`too_big ${AT}.value`]],
    [
      { field: "data.a", operator: "equals", value: JSON.parse("[".repeat(5000) + "]".repeat(5000)) },
      [`custom ${AT}.value`],
    ],
    [{ field: "data.a", operator: "greaterThan", value: true }, [`invalid_type ${AT}.value`]],
    [{ field: "data.a", operator: "greaterThan", value: [1] }, [`invalid_type ${AT}.value`]],
    [
      { field: "data.a", operator: "greaterThan", value: JSON.parse("1e999") },
      [`invalid_string ${AT}.value`],
    ],
    [{ field: "data.a", operator: "contains", value: null }, [`invalid_type ${AT}.value`]],
    [{ field: "data.a", operator: "contains", value: ["a"] }, [`invalid_type ${AT}.value`]],
    [{ field: "email", operator: "contains", value: "a\0" }, [`invalid_string ${AT}.value`]],
    [{ field: "segment.vip", operator: "memberOfSegment" }, [`custom ${AT}.field`]],
    [{ field: `segment.${STATIC}`, operator: "triggered" }, [`invalid_enum_value ${AT}.operator`]],
  ])("of the filter %j", (filter, expected) => {
    expect(fieldsOf(one(filter))).toEqual(expected);
  });

  test.each<[string, unknown]>([
    ["condition", { logic: "AND", groups: [] }],
    ["groups", [{ filters: [] }]],
  ])("a nested tree under the name %s is not left out", (name, nested) => {
    const group = { filters: [{ field: "data.a", operator: "exists" }], [name]: nested };

    expect(fieldsOf({ logic: "AND", groups: [group] })).toEqual([`custom condition.groups.0.${name}`]);
  });

  test("says what stands for never where somebody asks for at most 0 times", () => {
    const [error] = conditionErrors(one({ field: "event.x", operator: "triggeredAtMost", count: 0 }));

    expect(error!.message).toBe(
      "Expected 1 or more: for never there are notTriggered and notTriggeredWithin",
    );
  });

  test("names the faults of all filters, below the field it was given", () => {
    const filters = [
      { field: "email", operator: "equals" },
      { field: "email", operator: "no", value: "x" },
    ];

    expect(fieldsOf({ logic: "AND", groups: [{ filters }] }, "audienceCondition")).toEqual([
      "required audienceCondition.groups.0.filters.0.value",
      "invalid_enum_value audienceCondition.groups.0.filters.1.operator",
    ]);
  });

  test("200 filters are the limit, wherever they stand", () => {
    const tree = (count: number) => ({
      logic: "AND",
      groups: [
        { filters: Array.from({ length: 100 }, () => f("data.a", "exists")) },
        { conditions: all(...Array.from({ length: count - 100 }, () => f("data.a", "exists"))) },
      ],
    });

    expect(fieldsOf(tree(200))).toEqual([]);
    expect(fieldsOf(tree(201))).toEqual(["too_big condition"]);
  });

  test("200 groups are the limit", () => {
    const tree = (count: number) => ({
      logic: "OR",
      groups: Array.from({ length: count }, () => ({ filters: [f("data.a", "exists")] })),
    });

    expect(fieldsOf(tree(200))).toEqual([]);
    expect(fieldsOf(tree(201))).toEqual(["too_big condition.groups"]);
  });

  test("ten levels are the limit, and what is deeper is not looked at", () => {
    const nested = (levels: number): Condition =>
      levels === 1
        ? all(f("data.a", "exists"))
        : { logic: "AND", groups: [{ conditions: nested(levels - 1) }] };

    expect(fieldsOf(nested(10))).toEqual([]);
    expect(fieldsOf(nested(11))).toEqual([`too_big condition${".groups.0.conditions".repeat(10)}`]);
    expect(fieldsOf(nested(1000))).toHaveLength(1);
  });

  test("a hundred faults are enough", () => {
    expect(
      conditionErrors({ logic: "AND", groups: [{ filters: Array.from({ length: 150 }, () => ({})) }] }),
    ).toHaveLength(100);
  });
});

describe("references to segments", () => {
  const to = (...ids: string[]) => all(...ids.map((id) => f(`segment.${id}`, "memberOfSegment")));
  const ids = Array.from(
    { length: 14 },
    (_, i) => `01900000-0000-7000-8000-1000000000${i.toString().padStart(2, "0")}`,
  );
  const [a, b, c] = ids as [string, string, string];
  const dynamic = (id: string, condition: Condition): SegmentDefinition => ({
    id,
    type: "DYNAMIC",
    condition,
  });
  const plain = all(f("data.a", "exists"));
  const wrong = (...args: Parameters<typeof referenceErrors>) =>
    referenceErrors(...args).map((error) => `${error.code} ${error.field}`);

  test("are listed once each, from every level", () => {
    expect(
      segmentReferences({
        logic: "AND",
        groups: [{ filters: to(a, b).groups[0]!.filters!, conditions: to(b.toUpperCase(), c) }],
      }),
    ).toEqual([a, b, c]);
  });

  test("to what the project does not have are refused", () => {
    expect(wrong(null, to(a, MISSING), [dynamic(a, plain)])).toEqual([
      "custom condition.groups.0.filters.1.field",
    ]);
  });

  test("in a circle are refused, however long it is", () => {
    expect(wrong(a, to(a), [dynamic(a, plain)])).toEqual(["custom condition.groups.0.filters.0.field"]);
    expect(wrong(a, to(c), [dynamic(a, plain), dynamic(b, to(a)), dynamic(c, to(b))])).toHaveLength(1);
    expect(wrong(c, to(b), [dynamic(a, plain), dynamic(b, to(a)), dynamic(c, plain)])).toEqual([]);
    expect(wrong(null, to(c), [dynamic(a, plain), dynamic(b, to(a)), dynamic(c, to(b))])).toEqual([]);
  });

  test("that would grow without bounds are refused, also in what refers to the segment", () => {
    const doubling = ids.slice(1).map((id, i) => dynamic(id, i === 0 ? plain : to(ids[i]!, ids[i]!)));

    expect(wrong(null, to(ids[4]!), doubling.slice(0, 5))).toEqual([]);
    expect(wrong(null, to(ids[10]!), doubling)).toEqual(["too_big condition"]);
    const chain = ids.map((id, i) => dynamic(id, i === 0 ? plain : to(ids[i - 1]!)));
    expect(wrong(null, to(ids[9]!), chain)).toEqual([]);
    expect(wrong(null, to(ids[10]!), chain)).toEqual(["too_big condition"]);
    const list: SegmentDefinition = { id: MISSING, type: "STATIC", condition: null };
    expect(wrong(a, to(MISSING), [...chain.slice(0, 10), list])).toEqual([]);
    expect(wrong(a, to(MISSING), [...chain.slice(0, 11), list])).toEqual(["too_big condition"]);
  });

  test("carry the passing of time along", () => {
    const lately = all(f("event.x", "notTriggeredWithin", 5, "days"));
    const every = [dynamic(a, lately), dynamic(b, to(a)), dynamic(c, plain)];

    expect(every.map(({ id }) => isTimeRelative(id, every))).toEqual([true, true, false]);
  });

  test("is nothing to a count without a period", () => {
    const often = { ...f("event.x", "triggeredAtLeast"), count: 3 };
    const lately = { ...f("event.x", "triggeredAtMost", 5, "days"), count: 3 };
    const every = [dynamic(a, all(often)), dynamic(b, all(lately))];

    expect(every.map(({ id }) => isTimeRelative(id, every))).toEqual([false, true]);
  });
});
