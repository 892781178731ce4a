// What a dry run of an import shows: what would happen to the first contacts.
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { givenOf, type GivenValues } from "../standard_fields.ts";
import type { ContactRow } from "./_csv.ts";

const MAX_EXAMPLES = 20;

/** What would happen to a contact. The standard fields are as they would be; of a new contact, those that are known. */
export interface ImportExample extends GivenValues {
  row: number;
  email: string;
  action: "create" | "update" | "none";
  subscribed: boolean;
  /** The values that the file would set. */
  data: Record<string, unknown>;
  /** What is there instead; null if nothing is. */
  before: Record<string, unknown> | null;
}

/** What would happen to the first contacts. */
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
    const old = contact && givenOf(contact.columns as Record<string, unknown>);
    const values = { ...old, ...given, subscribed: given.subscribed ?? old?.subscribed ?? subscribes };
    const data = { ...change.sets } as Record<string, unknown>;
    if (!contact) return { row, email, action: "create", ...values, data, before: null };
    const stored = contact.data as Record<string, unknown>;
    const changed = Object.keys(data).filter((key) => !Bun.deepEquals(stored[key], data[key]));
    const action = changed.length === 0 && Bun.deepEquals(values, old) ? "none" : "update";
    const before = Object.fromEntries(changed.map((key) => [key, stored[key] ?? null]));
    return { row, email, action, ...values, data, before };
  });
}
