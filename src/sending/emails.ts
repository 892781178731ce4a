import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";
import type { Queries } from "../db/queries.gen.ts";
import type { Fragment } from "../db/types.ts";
import { problems } from "../problem.ts";

/** One row of the ledger: what became of one mail (wire.md section 6). */
export type Email = NonNullable<Awaited<ReturnType<Queries["emails"]["byId"]>>>;

/** A row that this process has claimed, with all that sending it needs. */
export type ClaimedEmail = Awaited<ReturnType<Queries["emails"]["claim"]>>[number];

/** Which mails a list shows. */
export interface EmailFilter {
  contactId?: string | undefined;
  campaignId?: string | undefined;
  status?: Email["status"] | undefined;
}

/** One mail of the project. Throws not-found. */
export async function getEmail(ctx: Context, projectId: string, emailId: string): Promise<Email> {
  const email = await q.emails.byId(ctx, { projectId, emailId });
  if (!email) throw problems.notFound("email", emailId);
  return email;
}

/** The newest mails first, those after `beforeId`. One more than `limit` when there are more. */
export async function listEmails(
  ctx: Context,
  projectId: string,
  filter: EmailFilter,
  page: { limit: number; beforeId: string | null },
): Promise<Email[]> {
  const { limit, beforeId } = page;
  return await q.emails.list(ctx, {
    projectId,
    beforeId,
    filter: compileFilter(ctx, filter),
    limit: limit + 1,
  });
}

/** How many mails the filter lets through. */
export async function countEmails(ctx: Context, projectId: string, filter: EmailFilter): Promise<number> {
  return (await q.emails.count(ctx, { projectId, filter: compileFilter(ctx, filter) })).total;
}

function compileFilter({ sql }: Context, { contactId, campaignId, status }: EmailFilter): Fragment {
  return sql`(
    ${contactId ? sql`e.contact_id = ${contactId}` : sql`true`}
    and ${campaignId ? sql`e.campaign_id = ${campaignId}` : sql`true`}
    and ${status ? sql`e.status = ${status}` : sql`true`}
  )`;
}
