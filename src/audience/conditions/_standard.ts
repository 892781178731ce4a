// Filters on standard fields as SQL: each is a column of the contact `c`.
import { containing } from "../../db/like.ts";
import type { Db, Fragment } from "../../db/types.ts";
import { standardField, type StandardFieldName } from "../standard_fields.ts";
import type { OperatorOf } from "./fields.ts";
import { isDay, later, nextDay, toInstant, type Unit, unitsBefore } from "./_instants.ts";
import type { Filter } from "./tree.ts";

interface Scope {
  sql: Db;
  now: Date;
}

function columnOf(sql: Db, name: StandardFieldName): Fragment {
  return sql`c.${sql(standardField(name).column)}`;
}

/** LIKE, because it can use an index on parts of addresses. */
export function compileText(
  { sql }: Scope,
  name: StandardFieldName,
  operator: OperatorOf<"text">,
  value: string,
): Fragment {
  const column = columnOf(sql, name);
  const wanted = standardField(name).searched?.(value) ?? value;
  switch (operator) {
    case "equals":
      return sql`(${column} = ${wanted}::text)`;
    case "contains":
      return sql`(${column} like ${containing(wanted)}::text)`;
  }
}

export function compileBoolean({ sql }: Scope, name: StandardFieldName, value: boolean): Fragment {
  return value ? columnOf(sql, name) : sql`(not ${columnOf(sql, name)})`;
}

/** Times are shown in milliseconds and stored in microseconds: the comparison is by milliseconds. */
export function compileTime(
  scope: Scope,
  name: StandardFieldName,
  operator: OperatorOf<"time">,
  filter: Filter,
): Fragment {
  const { sql } = scope;
  const column = columnOf(sql, name);
  const from = (instant: Date) => sql`${column} >= ${stamp(sql, instant)}`;
  const before = (instant: Date) => sql`${column} < ${stamp(sql, instant)}`;
  const text = String(filter.value);
  switch (operator) {
    case "equals": {
      const at = toInstant(text)!;
      return sql`(${from(at)} and ${before(isDay(text) ? nextDay(at) : later(at, 1))})`;
    }
    case "greaterThan":
      return sql`(${from(later(toInstant(text)!, 1))})`;
    case "greaterThanOrEqual":
      return sql`(${from(toInstant(text)!)})`;
    case "lessThan":
      return sql`(${before(toInstant(text)!)})`;
    case "lessThanOrEqual":
      return sql`(${before(later(toInstant(text)!, 1))})`;
    case "within":
      return sql`(${from(ago(scope, filter))} and ${before(later(scope.now, 1))})`;
    case "olderThan":
      return sql`(${before(ago(scope, filter))})`;
  }
}

/** An instant. The driver writes years of five digits in a way that Postgres does not read. */
export function stamp(sql: Db, instant: Date): Fragment {
  if (instant.getUTCFullYear() <= 9999) return sql`${instant}::timestamptz`;
  return sql`to_timestamp(${instant.getTime()}::float8 / 1000)`;
}

export function ago({ now }: Scope, { value, unit }: Filter): Date {
  return unitsBefore(now, value as number, unit as Unit);
}
