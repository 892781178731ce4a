// What the roles are called, and what they may do.
import type { Member } from "../api.gen.ts";

/** By the API's word, from the least to the most. */
export const ROLES: Record<Member["role"], { name: string; about: string }> = {
  MEMBER: { name: "Member", about: "Contacts, content and sending" },
  ADMIN: { name: "Admin", about: "Also settings, domains, members, billing and keys" },
  OWNER: { name: "Owner", about: "Also reset, deletion and ownership of the project" },
};
