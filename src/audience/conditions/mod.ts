// Condition trees as SQL (guides/segments.md): one small function per node, each returns a fragment. Every fragment is
// a boolean that is never null, so `not` in front of one is exactly its opposite. What users write, values and paths
// alike, is a parameter and never text.
//
// How the planner sees them matters as much as what they say (measured with 1,000,000 contacts, 5,000,000 events). For
// a comparison of JSON it assumes that one contact in 200 matches; events were then looked up contact by contact, 2 to
// 4 times slower than a hash join. Inside `coalesce(…, false)` it assumes half, and the worst case is one pass over the
// events of one name; for containment (`@>`) there are statistics. EXISTS becomes a semi-join where all of a group must
// hold, and a hash table beside an OR (see `audience.allow_hashing`). Several EXISTS combined into one, or written as
// IN or with UNION ALL, were slower, some without end.
import type { Db, Fragment, Json } from "../../db/types.ts";
import { type Field, fieldOf, type OperatorOf, readOperator } from "./fields.ts";
import { firstIdAt, isDay, later, nextDay, textsNear, toInstant } from "./_instants.ts";
import { ago, compileBoolean, compileText, compileTime, stamp } from "./_standard.ts";
import type { Condition, Filter, SegmentDefinition } from "./tree.ts";

export { isTimeRelative } from "./tree.ts";

/** What a condition is compiled for. */
export interface CompileOptions {
  /** What `within` and `olderThan` count from. */
  now: Date;
  /** At least the segments that the tree refers to, and those that they refer to in turn. */
  segments: ReadonlyMap<string, Pick<SegmentDefinition, "type" | "condition">>;
  /**
   * True if the statement looks at all contacts of the project at once: how often an event happened is then counted in
   * one pass over the events of its name, and not contact by contact.
   */
  whole?: boolean;
}

interface Scope extends CompileOptions {
  sql: Db;
  projectId: string;
  /** The dynamic segments whose conditions are being compiled, from the outside in. */
  within: string[];
}

const BOTS_DO = new Set(["email.open", "email.click"]);

// An id is made up to this long before or after the time its event bears: two clocks, or a long transaction.
const ID_SLACK_MS = 86_400_000;

/**
 * Compiles a tree that `conditionErrors` and `referenceErrors` found no fault with to a boolean over the contact `c`.
 * The statement it is spliced into confines `c` to the project.
 */
export function compileCondition(
  sql: Db,
  projectId: string,
  tree: Condition,
  options: CompileOptions,
): Fragment {
  return compileTree({ sql, projectId, within: [], ...options }, tree);
}

function compileTree(scope: Scope, tree: Condition): Fragment {
  const groups = tree.groups.map(({ filters, conditions }) => {
    const parts = (filters ?? []).map((filter) => compileFilter(scope, filter));
    return join(scope.sql, conditions ? [...parts, compileTree(scope, conditions)] : parts, "AND");
  });
  return join(scope.sql, groups, tree.logic);
}

/** What holds where all of these do. */
export function allOf(sql: Db, parts: Fragment[]): Fragment {
  return join(sql, parts, "AND");
}

function join(sql: Db, parts: Fragment[], logic: Condition["logic"]): Fragment {
  if (parts.length === 0) throw new Error("Cannot compile a condition with an empty group");
  const joined = parts.reduce((left, right) =>
    logic === "AND" ? sql`${left} and ${right}` : sql`${left} or ${right}`,
  );
  return sql`(${joined})`;
}

function compileFilter(scope: Scope, filter: Filter): Fragment {
  const field = fieldOf(filter.field);
  const read = field && readOperator(field, filter.operator);
  if (!read)
    throw new Error(`Cannot compile the operator "${filter.operator}" of the field "${filter.field}"`);
  const asked = compileField(scope, field, { ...filter, operator: read.asks });
  return read.negated ? scope.sql`(not ${asked})` : asked;
}

/** Each kind of field has the operators of its row, which the types below rely on: `readOperator` has looked. */
function compileField(scope: Scope, field: Field, filter: Filter): Fragment {
  const { operator, value = null } = filter;
  switch (field.kind) {
    case "text":
      return compileText(scope, field.name, operator as OperatorOf<"text">, value as string);
    case "boolean":
      return compileBoolean(scope, field.name, value === true || value === "true");
    case "time":
      return compileTime(scope, field.name, operator as OperatorOf<"time">, filter);
    case "data":
      return compileData(scope, field.path, operator as OperatorOf<"data">, filter);
    case "event":
      return compileEvent(scope, field.name, operator as OperatorOf<"event">, filter);
    case "segment":
      return compileSegment(scope, field.id);
  }
}

function compileData(scope: Scope, path: string, operator: OperatorOf<"data">, filter: Filter): Fragment {
  const { sql } = scope;
  const { value = null } = filter;
  const at = dataAt(sql, path);
  switch (operator) {
    case "exists":
      return sql`(coalesce(${at}, 'null') <> 'null'::jsonb)`;
    case "equals":
      if (value === null) return sql`(coalesce(${at}, 'null') = 'null'::jsonb)`;
      if (typeof value === "string" && isDay(value)) return isOnDay(sql, path, toInstant(value)!);
      return typeof value === "object"
        ? sql`coalesce(${at} = ${sql.json(value)}::jsonb, false)`
        : holds(sql, path, value);
    case "contains":
      return contains(sql, at, value);
    case "within":
      return isDated(sql, path, ago(scope, filter), later(scope.now, 1));
    case "olderThan":
      return isDated(sql, path, null, ago(scope, filter));
    case "greaterThan":
    case "greaterThanOrEqual":
    case "lessThan":
    case "lessThanOrEqual":
      return typeof value === "number"
        ? sql`coalesce(number_of(${at}) ${sign(sql, operator)} ${value}::numeric, false)`
        : compareText(sql, path, operator, String(value));
  }
}

/** The value at a path: under the whole path as one key, else under its parts as keys within keys. */
function dataAt(sql: Db, path: string): Fragment {
  const flat = sql`c.data -> ${path}::text`;
  if (!path.includes(".")) return sql`(${flat})`;
  const nested = path.split(".").reduce((outer, key) => sql`${outer} -> ${key}::text`, sql`c.data`);
  return sql`coalesce(${flat}, ${nested})`;
}

/** The value at a path as text, where it is a string. */
function textAt(sql: Db, path: string): Fragment {
  return path.includes(".")
    ? sql`(${dataAt(sql, path)} #>> '{}') collate "C"`
    : sql`(c.data ->> ${path}::text) collate "C"`;
}

/** JSON equality with a scalar. Containment is the same there, a fifth quicker, and Postgres has statistics for it. */
function holds(sql: Db, path: string, value: Json): Fragment {
  const flat = Object.fromEntries([[path, value]]);
  if (!path.includes(".")) return sql`(c.data @> ${sql.json(flat)}::jsonb)`;
  const nested = path.split(".").reduceRight<Json>((inner, key) => Object.fromEntries([[key, inner]]), value);
  return sql`(
    c.data @> ${sql.json(flat)}::jsonb or not c.data ? ${path}::text and c.data @> ${sql.json(nested)}::jsonb
  )`;
}

/** An array is put into lower case as a whole: three times as quick as one element after the other. */
function contains(sql: Db, at: Fragment, value: Json): Fragment {
  if (typeof value !== "string") {
    return sql`coalesce(jsonb_typeof(${at}) = 'array' and ${at} @> ${sql.json(value)}::jsonb, false)`;
  }
  return sql`case jsonb_typeof(${at})
    when 'string' then strpos(lower(${at} #>> '{}'), lower(${value}::text)) > 0
    when 'array' then lower(${at}::text)::jsonb ? lower(${value}::text)
    else false
  end`;
}

type OrderOperator = "greaterThan" | "greaterThanOrEqual" | "lessThan" | "lessThanOrEqual";

function sign(sql: Db, operator: OrderOperator): Fragment {
  switch (operator) {
    case "greaterThan":
      return sql`>`;
    case "greaterThanOrEqual":
      return sql`>=`;
    case "lessThan":
      return sql`<`;
    case "lessThanOrEqual":
      return sql`<=`;
  }
}

/** Two dates compare as instants, any other two strings by code point. Only dates near the value's are parsed. */
function compareText(sql: Db, path: string, operator: OrderOperator, value: string): Fragment {
  const text = textAt(sql, path);
  const byCodePoint = sql`${text} ${sign(sql, operator)} ${value}::text`;
  const instant = toInstant(value);
  if (!instant) return sql`case when ${isText(sql, path)} then ${byCodePoint} else false end`;
  const near = textsNear(instant);
  const isGreater = operator === "greaterThan" || operator === "greaterThanOrEqual";
  return sql`case
    when not ${isText(sql, path)} then false
    when ${text} < ${near.from}::text then ${!isGreater}
    when ${text} >= ${near.to}::text then ${isGreater}
    else coalesce(instant_of(${text}) ${sign(sql, operator)} instant_of(${value}::text), ${byCodePoint})
  end`;
}

function isText(sql: Db, path: string): Fragment {
  return sql`coalesce(jsonb_typeof(${dataAt(sql, path)}) = 'string', false)`;
}

function isOnDay(sql: Db, path: string, day: Date): Fragment {
  return isDated(sql, path, day, nextDay(day));
}

/** The value is a date from `from` on and before `to`. Most dates outside of that need not be parsed to know it. */
function isDated(sql: Db, path: string, from: Date | null, to: Date): Fragment {
  const text = textAt(sql, path);
  const earliest = from ? textsNear(from).from : "";
  // The first bucket holds dates from `from` up to `to`. Two comparisons would parse the text twice.
  const isInside = from
    ? sql`width_bucket(instant_of(${text}), array[${stamp(sql, from)}, ${stamp(sql, to)}]) = 1`
    : sql`instant_of(${text}) < ${stamp(sql, to)}`;
  return sql`case
    when ${isText(sql, path)} and ${text} >= ${earliest}::text and ${text} < ${textsNear(to).to}::text
    then coalesce(${isInside}, false)
    else false
  end`;
}

function compileEvent(scope: Scope, name: string, operator: OperatorOf<"event">, filter: Filter): Fragment {
  const { sql } = scope;
  const { count } = filter;
  switch (operator) {
    case "triggered":
      return hasEvent(scope, name, ofSource(sql, filter));
    case "triggeredWithin":
      return hasEvent(scope, name, recently(scope, filter));
    case "triggeredOlderThan":
      return sql`(${hasEvent(scope, name, ofSource(sql, filter))} and not ${hasEvent(scope, name, recently(scope, filter))})`;
    case "triggeredAtLeast":
      return happenedTimes(scope, name, filter, count!);
    case "triggeredAtMost":
      return sql`(not ${happenedTimes(scope, name, filter, count! + 1)})`;
  }
}

function hasEvent({ sql, projectId }: Scope, name: string, further: Fragment): Fragment {
  return sql`exists (
    select
    from events e
    where e.project_id = ${projectId} and e.contact_id = c.id and e.name = ${name} ${byPeople(sql, name)} ${further}
  )`;
}

/**
 * There is an event number `times`. Contact by contact, nothing behind it is checked (1,000,000 contacts, 10,000,000
 * events, on a busy machine): ten contacts take 0.4 ms and 2,000 take 100 to 140, but all of them 18 s. One pass over the
 * 500,000 events of a name in 30 days takes 1.4 s, for ten contacts as well.
 */
function happenedTimes(scope: Scope, name: string, filter: Filter, times: number): Fragment {
  const { sql, projectId, whole } = scope;
  const further = filter.unit ? recently(scope, filter) : ofSource(sql, filter);
  if (times === 1) return hasEvent(scope, name, further);
  if (!whole) return hasEvent(scope, name, sql`${further} offset ${times - 1}::int`);
  return sql`exists (
    select
    from (
      select e.contact_id
      from events e
      where e.project_id = ${projectId} and e.name = ${name} ${byPeople(sql, name)} ${further}
      group by e.contact_id
      having count(*) >= ${times}::int
    ) as often
    where often.contact_id = c.id
  )`;
}

/** An open or click by a bot is recorded, but it is not the contact's (guides/segments.md). */
function byPeople(sql: Db, name: string): Fragment {
  return BOTS_DO.has(name) ? sql`and not e.bot` : sql``;
}

/**
 * Of mails of one campaign or template only: their events hold its id. In `coalesce`, because Postgres takes a comparison of
 * JSON for one in 200: it would expect no event of a campaign that a million opened, and look for each of them by itself.
 */
function ofSource(sql: Db, { campaignId, templateId }: Filter): Fragment {
  const names = (key: string, id: string | null | undefined) =>
    id ? sql`and coalesce(e.data ->> ${key}::text = ${id.toLowerCase()}, false)` : sql``;
  return sql`${names("campaignId", campaignId)} ${names("templateId", templateId)}`;
}

function recently(scope: Scope, filter: Filter): Fragment {
  return scope.sql`${ofSource(scope.sql, filter)} ${isRecent(scope, ago(scope, filter))}`;
}

/** Ids are in the order of time, and an index holds them: the bound on them leaves little to look at. */
function isRecent({ sql, now }: Scope, since: Date): Fragment {
  const firstId = firstIdAt(later(since, -ID_SLACK_MS));
  return sql`and e.created_at >= ${since} and e.created_at < ${later(now, 1)} and e.id >= ${firstId}`;
}

/** The stored members of a static segment; for a dynamic one, the contacts that match its condition now. */
function compileSegment(scope: Scope, id: string): Fragment {
  const { sql, projectId, segments, within } = scope;
  const segment = segments.get(id);
  if (!segment) throw new Error(`Cannot compile a condition on segment ${id}: there is no such segment`);
  if (within.includes(id)) throw new Error(`Cannot compile segment ${id}: it refers to itself`);
  if (segment.type === "DYNAMIC") {
    return compileTree({ ...scope, within: [...within, id] }, segment.condition as Condition);
  }
  return sql`exists (
    select from segment_members m where m.project_id = ${projectId} and m.segment_id = ${id} and m.contact_id = c.id
  )`;
}
