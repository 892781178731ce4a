import { runImport } from "../src/audience/contacts/imports.ts";
import type { Context } from "../src/context.ts";
import type { Jobs } from "../src/jobs.ts";

/** Imports a file of contacts. A second run goes on where the first one ended. */
export async function importContacts(
  ctx: Context,
  { projectId, importId }: Jobs["import_contacts"],
): Promise<void> {
  await runImport(ctx, projectId, importId);
}
