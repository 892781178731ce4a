// Places in the feed as cursors, and the types in its queries.
import { t } from "elysia";
import type { FeedPlace } from "../../insight/activity/mod.ts";
import { problems } from "../../problem/mod.ts";
import { isUuid, Text } from "../entry/schemas.ts";
import { readCursor, toCursor } from "./_lists.ts";

/** The query of a feed of some types, or of one event. */
export const WantedQuery = {
  types: t.Optional(
    t.String({
      description: "Separated by commas. Default: all.",
      examples: ["email.opened,email.clicked"],
    }),
  ),
  eventName: t.Optional(
    Text({
      minLength: 1,
      maxLength: 255,
      description: "Only events with this name. Default: everything.",
    }),
  ),
};

/** A place as a cursor. */
export function writePlace({ key, kind, id }: FeedPlace): string {
  return toCursor([key, String(kind), id]);
}

/** Throws BAD_REQUEST for a cursor that is none of the feed's. */
export function readPlace(cursor: string | undefined): FeedPlace | null {
  if (cursor === undefined) return null;
  const [key, kind, id] = readCursor(cursor, 3);
  if (!isUuid(key!) || !isUuid(id!) || !/^[0-4]$/.test(kind!)) throw problems.badCursor();
  return { key: key!.toLowerCase(), kind: Number(kind), id: id!.toLowerCase() };
}
