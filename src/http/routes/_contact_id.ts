import { problems } from "../../problem/mod.ts";
import { isUuid } from "../entry/schemas.ts";

/** The id of a contact in a path. Throws CONTACT_NOT_FOUND for anything that is none. */
export function contactIdOf(id: string): string {
  if (!isUuid(id)) throw problems.contactNotFound(id);
  return id;
}
