import { problems } from "../../problem/mod.ts";
import { isUuid } from "../entry/schemas.ts";

/** The id of a segment. Throws SEGMENT_NOT_FOUND for what cannot be one. */
export function segmentId(id: string): string {
  if (!isUuid(id)) throw problems.segmentNotFound(id);
  return id.toLowerCase();
}
