import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";
import type { Queries } from "../db/queries.gen.ts";

/** How often a template is used. `getTemplateUsage` says by what. */
export type TemplateUses = Awaited<ReturnType<Queries["templates"]["uses"]>>[number];

/** How many of its newest mails are asked when one of them was sent. */
const NEWEST_OF_EACH = 100;

/** How often each of these templates is used. Ids of no template of the project are left out. */
export async function listTemplateUses(
  ctx: Context,
  projectId: string,
  ids: string[],
): Promise<TemplateUses[]> {
  return await q.templates.uses(ctx, { projectId, ids, limit: NEWEST_OF_EACH });
}
