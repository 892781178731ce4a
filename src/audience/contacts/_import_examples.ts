// What a dry run of an import shows: what would become of the first contacts.
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { ContactRow } from "./_csv.ts";

const MAX_EXAMPLES = 20;

/** What would become of a contact. */
export interface ImportExample {
  row: number;
  email: string;
  action: "create" | "update" | "none";
  /** As it would be. */
  subscribed: boolean;
  /** The values that the file would set. */
  data: Record<string, unknown>;
  /** What is there instead; null where nothing is. */
  before: Record<string, unknown> | null;
}

/** What would become of the first contacts. */
export async function examplesOf(
  ctx: Context,
  { projectId, subscribes }: { projectId: string; subscribes: boolean },
  rows: ContactRow[],
): Promise<ImportExample[]> {
  const shown = rows.slice(0, MAX_EXAMPLES);
  const existing = await q.contactImports.existing(ctx, {
    projectId,
    emails: shown.map(({ email }) => email),
  });
  const byEmail = new Map(existing.map((contact) => [contact.email, contact]));
  return shown.map(({ row, email, given, change }) => {
    const contact = byEmail.get(email);
    const data = { ...change.sets } as Record<string, unknown>;
    if (!contact)
      return { row, email, action: "create", subscribed: given.subscribed ?? subscribes, data, before: null };
    const before = contact.data as Record<string, unknown>;
    const changed = Object.entries(data).filter(([key, value]) => !Bun.deepEquals(before[key], value));
    const subscribed = given.subscribed ?? contact.subscribed;
    const isSame = changed.length === 0 && subscribed === contact.subscribed;
    const old = Object.fromEntries(changed.map(([key]) => [key, before[key] ?? null]));
    return { row, email, action: isSame ? "none" : "update", subscribed, data, before: old };
  });
}
