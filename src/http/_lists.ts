// Cursor lists: opaque, stable, clamped (wire.md section 1).
import { type TSchema } from "@sinclair/typebox";
import { t } from "elysia";
import { problems } from "../problem.ts";
import { Nullable, QueryInteger } from "./_schemas.ts";

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The query of a cursor list. */
export const CursorQuery = {
  limit: QueryInteger({
    minimum: 1,
    maximum: MAX_LIMIT,
    default: DEFAULT_LIMIT,
    description: "Clamped to 1..100.",
  }),
  cursor: t.Optional(t.String({ description: "The `cursor` of the previous page." })),
};

/** The answer of a cursor list. `total` is counted on the first page only, and 0 on the others. */
export const CursorList = <T extends TSchema>(item: T) =>
  t.Object({ data: t.Array(item), cursor: Nullable(t.String()), hasMore: t.Boolean(), total: t.Integer() });

/** How many items a page shall have. */
export function clampLimit(limit: string | undefined): number {
  return limit === undefined ? DEFAULT_LIMIT : Math.min(MAX_LIMIT, Math.max(1, Number(limit)));
}

/** The id that a cursor stands on; null for the first page. Throws BAD_REQUEST for one that cannot be read. */
export function readIdCursor(cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  const id = Buffer.from(cursor, "base64url").toString();
  if (!UUID.test(id)) throw problems.badCursor();
  return id;
}

/** A page out of rows that were read one more than `limit`, so that it is known whether more follow. */
export function toIdPage<Row extends { id: string }>(rows: Row[], limit: number, total: number) {
  const data = rows.slice(0, limit);
  const hasMore = rows.length > limit;
  return {
    data,
    cursor: hasMore ? Buffer.from(data.at(-1)!.id).toString("base64url") : null,
    hasMore,
    total,
  };
}
