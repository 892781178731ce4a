import { firstIdAt } from "../../audience/conditions/tree.ts";
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
  /** A whole address, as it is stored. */
  to?: string | undefined;
  from?: Date | undefined;
  until?: Date | undefined;
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
    filter: compileFilter(ctx, projectId, filter),
    after: afterId === null ? sql`true` : dir === "asc" ? sql`e.id > ${afterId}` : sql`e.id < ${afterId}`,
    direction: dir === "asc" ? sql`e.id` : sql`e.id desc`,
    limit: limit + 1,
  });
}

/** How many mails match the filter; 100,000 means that many or more. */
export async function countEmails(ctx: Context, projectId: string, filter: EmailFilter): Promise<number> {
  return (
    await q.emails.count(ctx, { projectId, filter: compileFilter(ctx, projectId, filter), upTo: COUNT_UP_TO })
  ).total;
}

/** Each by an index of its own; those of time by the ids, which hold it. */
function compileFilter({ sql }: Context, projectId: string, filter: EmailFilter): Fragment {
  const { contactId, campaignId, status, to, from, until } = filter;
  return sql`(
    ${to ? sql`e.contact_id = (select c.id from contacts c where c.project_id = ${projectId} and c.email = ${to})` : sql`true`}
    and ${from ? sql`e.id >= ${firstIdAt(from)}` : sql`true`}
    and ${until ? sql`e.id < ${firstIdAt(until)}` : sql`true`}
    and ${contactId ? sql`e.contact_id = ${contactId}` : sql`true`}
    and ${campaignId ? sql`e.campaign_id = ${campaignId}` : sql`true`}
    and ${status ? sql`e.status = ${status}` : sql`true`}
  )`;
}
