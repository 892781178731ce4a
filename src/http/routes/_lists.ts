// Cursor lists: opaque, stable, clamped (guides/api.md).
import { type TObject, type TProperties, type TSchema } from "@sinclair/typebox";
import { t } from "elysia";
import { problems } from "../../problem/mod.ts";
import { LenientWord } from "../entry/document.ts";
import { Int, isUuid, Nullable, QueryCount, QueryInteger, Words } from "../entry/schemas.ts";

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/** The query of a cursor list. */
export const CursorQuery = {
  limit: QueryInteger({
    minimum: 1,
    maximum: MAX_LIMIT,
    fallback: DEFAULT_LIMIT,
    description: "Clamped to 1..100.",
  }),
  cursor: t.Optional(t.String({ description: "The `cursor` of the previous page." })),
};

/** Beside a `total`. */
export const Estimated = t.Optional(
  t.Boolean({ description: "True if `total` is an estimate, or the maximum that is counted." }),
);

/** The total of a page that is not the first. */
export const NOT_COUNTED = { total: 0, estimated: false };

/** The answer of a cursor list. `total` is counted on the first page only, and 0 on the others. */
export const CursorList = <T extends TSchema>(item: T) =>
  t.Object({
    data: t.Array(item),
    cursor: Nullable(t.String()),
    hasMore: t.Boolean(),
    total: Int,
    estimated: Estimated,
  });

/** The query of a page list. `limit` is another name for `pageSize`. */
export const PageQuery = {
  page: QueryCount({ fallback: 1 }),
  pageSize: QueryCount({
    maximum: MAX_LIMIT,
    fallback: DEFAULT_LIMIT,
    description: "More than 100 counts as 100.",
  }),
  limit: QueryCount({
    maximum: MAX_LIMIT,
    fallback: DEFAULT_LIMIT,
    description: "Same as `pageSize`.",
  }),
};

/** By which column a list is sorted, the first one unless stated otherwise, and in which direction. */
export const orderQuery = (columns: readonly [string, ...string[]]) => ({
  sort: LenientWord(columns, columns[0]),
  dir: LenientWord(["asc", "desc"], "desc"),
});

/** The same where another word is refused. */
export const strictOrderQuery = (columns: readonly [string, ...string[]]) => ({
  sort: t.Optional(Words(columns, { description: `Default: \`${columns[0]}\`.` })),
  dir: t.Optional(Words(["asc", "desc"], { description: "Default: `desc`." })),
});

/** The answer of a page list. */
export const pageList = <T extends TSchema>(item: T) =>
  t.Object({
    data: t.Array(item),
    page: Int,
    pageSize: Int,
    total: Int,
    estimated: Estimated,
    totalPages: Int,
  });

// Further pages would make the database count past more rows than anybody pages through.
const MAX_PAGE = 1_000_000;

/** Which page is asked for, clamped. */
export function readPage(query: {
  page?: string | undefined;
  pageSize?: string | undefined;
  limit?: string | undefined;
}): { page: number; pageSize: number } {
  const page = query.page === undefined ? 1 : Math.min(MAX_PAGE, Math.max(1, Number(query.page)));
  return { page, pageSize: clampLimit(query.pageSize ?? query.limit) };
}

/** How many items a page shall have. */
export function clampLimit(
  limit: string | undefined,
  { fallback = DEFAULT_LIMIT, max = MAX_LIMIT } = {},
): number {
  return limit === undefined ? fallback : Math.min(max, Math.max(1, Number(limit)));
}

/** A cursor that holds these texts. Opaque to callers, and worth nothing but to read on. */
export function toCursor(parts: string[]): string {
  return Buffer.from(JSON.stringify(parts)).toString("base64url");
}

/** The texts of a cursor made by {@linkcode toCursor}. Throws BAD_REQUEST for one that cannot be read. */
export function readCursor(cursor: string, length: number): string[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    const readable = Array.isArray(parts) && parts.length === length;
    if (readable && parts.every((part) => typeof part === "string" && !part.includes("\0"))) return parts;
  } catch {
    // Falls through to the one refusal.
  }
  throw problems.badCursor();
}

/** The id that a cursor is on; null for the first page. Throws BAD_REQUEST for one that cannot be read. */
export function readIdCursor(cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  const [id] = readCursor(cursor, 1);
  if (!isUuid(id!)) throw problems.badCursor();
  return id!;
}

/** A page out of rows that were read one more than `limit`, so that it is known whether more follow. */
export function toIdPage<Row extends { id: string }>(
  rows: Row[],
  limit: number,
  total: number,
  estimated = false,
) {
  const data = rows.slice(0, limit);
  const hasMore = rows.length > limit;
  return { data, cursor: hasMore ? toCursor([data.at(-1)!.id]) : null, hasMore, total, estimated };
}

/** Which fields the items of a list shall have. */
export const FieldsQuery = {
  fields: t.Optional(
    t.String({
      description:
        "Only these fields, separated by commas, such as `id,name,updatedAt`: for lists without bodies.",
    }),
  ),
};

/** The fields that a list shall have: all of them unless some are named. Throws 400 for a name that is none. */
export function readFields<P extends TProperties>(item: TObject<P>, text: string | undefined): (keyof P)[] {
  const all = Object.keys(item.properties);
  if (!text?.trim()) return all;
  const asked = text.split(",").map((name) => name.trim());
  const unknown = asked.filter((name) => !all.includes(name));
  if (unknown.length > 0) throw problems.unknownFields(unknown, all);
  return ["id", ...asked];
}

/** These fields of an item, and no others. */
export function picked<T extends object>(
  item: T,
  fields: readonly PropertyKey[],
): Partial<Record<keyof T, never>> {
  const entries = Object.entries(item).filter(([name]) => fields.includes(name));
  return Object.fromEntries(entries) as Partial<Record<keyof T, never>>;
}
