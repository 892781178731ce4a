import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Queries } from "../../db/queries.gen.ts";
import type { Fragment } from "../../db/types.ts";
import { problems } from "../../problem.ts";

/** One row of the ledger: what became of one mail (guides/sending.md). */
export type Email = NonNullable<Awaited<ReturnType<Queries["emails"]["byId"]>>>;

/** A row that this process has claimed, with all that sending it needs. */
export type ClaimedEmail = Awaited<ReturnType<Queries["emails"]["settleAndClaim"]>>[number] & {
  projectId: string;
  id: string;
};

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

/** Where a page begins: after this mail, the newest or the oldest first. */
export interface EmailPage {
  limit: number;
  afterId: string | null;
  dir: "asc" | "desc";
}

// Counting on through millions of rows would cost more than the page itself.
const COUNT_UP_TO = 100_000;

/** One page of mails in the order of time, and one mail more when there are more. */
export async function listEmails(
  ctx: Context,
  projectId: string,
  filter: EmailFilter,
  { limit, afterId, dir }: EmailPage,
): Promise<Email[]> {
  const { sql } = ctx;
  return await q.emails.list(ctx, {
    projectId,
    filter: compileFilter(ctx, filter),
    after: afterId === null ? sql`true` : dir === "asc" ? sql`e.id > ${afterId}` : sql`e.id < ${afterId}`,
    direction: dir === "asc" ? sql`e.id` : sql`e.id desc`,
    limit: limit + 1,
  });
}

/** How many mails match the filter; 100,000 means that many or more. */
export async function countEmails(ctx: Context, projectId: string, filter: EmailFilter): Promise<number> {
  return (await q.emails.count(ctx, { projectId, filter: compileFilter(ctx, filter), upTo: COUNT_UP_TO }))
    .total;
}

function compileFilter({ sql }: Context, { contactId, campaignId, status }: EmailFilter): Fragment {
  return sql`(
    ${contactId ? sql`e.contact_id = ${contactId}` : sql`true`}
    and ${campaignId ? sql`e.campaign_id = ${campaignId}` : sql`true`}
    and ${status ? sql`e.status = ${status}` : sql`true`}
  )`;
}
