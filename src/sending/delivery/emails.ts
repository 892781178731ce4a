import { firstIdAt } from "../../audience/conditions/tree.ts";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Queries } from "../../db/queries.gen.ts";
import type { Fragment } from "../../db/types.ts";
import { problems } from "../../problem/mod.ts";
import { COUNT_UP_TO } from "../../totals.ts";

/** One row of the ledger: what happened to one mail (guides/sending.md). */
export type Email = NonNullable<Awaited<ReturnType<Queries["emails"]["byId"]>>>;

/** A row that this process has claimed, with all that sending it needs. */
export type ClaimedEmail = Awaited<ReturnType<Queries["delivery"]["settleAndClaim"]>>[number] & {
  projectId: string;
  id: string;
};

/** Which mails a list shows. */
export interface EmailFilter {
  contactId?: string | undefined;
  /** A whole address, as it is stored. */
  to?: string | undefined;
  campaignId?: string | undefined;
  /** All mails of a message with several recipients. */
  parentId?: string | undefined;
  templateId?: string | undefined;
  workflowId?: string | undefined;
  sourceType?: Email["sourceType"] | undefined;
  type?: Email["type"] | undefined;
  status?: Email["status"] | undefined;
  /** As `name:value`. */
  tag?: string | undefined;
  /** Of a campaign: by whether they did. */
  opened?: boolean | undefined;
  clicked?: boolean | undefined;
  unsubscribed?: boolean | undefined;
  from?: Date | undefined;
  until?: Date | undefined;
}

/** One mail of the project. Throws not-found. */
export async function getEmail(ctx: Context, projectId: string, emailId: string): Promise<Email> {
  const email = await q.emails.byId(ctx, { projectId, emailId });
  if (!email) throw problems.notFound("email", emailId);
  return email;
}

/** A recipient whom a message names. */
export interface NamedRecipient {
  email: string;
  name: string | null;
}

/** Whom the message of a mail was addressed to, in `to`, in the order of the request: without those who have been erased. */
export async function namedRecipients(
  ctx: Context,
  projectId: string,
  emailId: string,
): Promise<NamedRecipient[]> {
  const rows = await q.emailDetails.namedTo(ctx, { projectId, emailId });
  return rows.flatMap(({ email, name }) => (email === null ? [] : [{ email, name }]));
}

/** Where a page begins: after this mail, the newest or the oldest first. */
export interface EmailPage {
  limit: number;
  afterId: string | null;
  dir: "asc" | "desc";
}

/** What an index leads to by itself, in the order of time. Of one contact any filter can be answered: they have few mails. */
const LEADING = [
  "parentId",
  "campaignId",
  "templateId",
  "workflowId",
  "sourceType",
  "status",
  "tag",
] as const;

/**
 * Throws 400 for filters that no index serves together: reading on through a ledger of millions until a page is full could
 * take minutes.
 */
export function assertIndexed(filter: EmailFilter): void {
  if (filter.contactId ?? filter.to) return;
  const given = LEADING.filter((name) => filter[name] !== undefined);
  const isOutcome = given.length === 2 && given[0] === "campaignId" && given[1] === "status";
  if (filter.type !== undefined) throw problems.filtersNotIndexed(["type", ...given]);
  if (given.length > 1 && !isOutcome) throw problems.filtersNotIndexed(given);
}

/** One page of mails in the order of time, and one mail more when there are more. Throws 400 as {@linkcode assertIndexed} does. */
export async function listEmails(
  ctx: Context,
  projectId: string,
  filter: EmailFilter,
  { limit, afterId, dir }: EmailPage,
): Promise<Email[]> {
  assertIndexed(filter);
  const { sql } = ctx;
  const { tag, contactId = filter.to } = filter;
  const page = { limit: limit + 1, afterId, dir };
  return await q.emails.list(ctx, {
    projectId,
    filter:
      tag !== undefined && contactId === undefined
        ? taggedPage(ctx, projectId, tag, filter, page)
        : compileEmailFilter(ctx, projectId, filter),
    after: afterId === null ? sql`true` : dir === "asc" ? sql`e.id > ${afterId}` : sql`e.id < ${afterId}`,
    direction: dir === "asc" ? sql`e.id` : sql`e.id desc`,
    limit: limit + 1,
  });
}

/** The mails of one page that have a tag: read from the index of tags, in its order, whatever the planner estimates. */
function taggedPage(
  { sql }: Context,
  projectId: string,
  tag: string,
  filter: EmailFilter,
  { limit, afterId, dir }: EmailPage,
): Fragment {
  const after = dir === "asc" ? sql`t.email_id > ${afterId}` : sql`t.email_id < ${afterId}`;
  return sql`e.id = any (array(
    select t.email_id
    from email_tags t
    where t.project_id = ${projectId}
      and t.tag = ${tag}
      and ${afterId === null ? sql`true` : after}
      and ${betweenIds({ sql }, sql`t.email_id`, filter)}
    order by ${dir === "asc" ? sql`t.email_id` : sql`t.email_id desc`}
    limit ${limit}::int
  ))`;
}

function betweenIds({ sql }: Pick<Context, "sql">, id: Fragment, { from, until }: EmailFilter): Fragment {
  return sql`(
    ${from ? sql`${id} >= ${firstIdAt(from)}` : sql`true`} and ${until ? sql`${id} < ${firstIdAt(until)}` : sql`true`}
  )`;
}

/** How many mails match the filter; 100,000 means that many or more. */
export async function countEmails(ctx: Context, projectId: string, filter: EmailFilter): Promise<number> {
  const { tag, contactId = filter.to } = filter;
  if (tag !== undefined && contactId === undefined) {
    const between = betweenIds(ctx, ctx.sql`t.email_id`, filter);
    return (await q.emails.countTagged(ctx, { projectId, tag, between, upTo: COUNT_UP_TO })).total;
  }
  return (
    await q.emails.count(ctx, {
      projectId,
      filter: compileEmailFilter(ctx, projectId, filter),
      upTo: COUNT_UP_TO,
    })
  ).total;
}

/** The filter as SQL over the mail `e`. */
export function compileEmailFilter({ sql }: Context, projectId: string, filter: EmailFilter): Fragment {
  const { to, type, tag, opened, clicked, unsubscribed } = filter;
  const every = sql`true`;
  const noted = (column: Fragment, did: boolean | undefined) =>
    did === undefined ? every : did ? sql`${column} is not null` : sql`${column} is null`;
  return sql`(
    ${to ? sql`e.contact_id = (select c.id from contacts c where c.project_id = ${projectId} and c.email = ${to})` : every}
    and ${betweenIds({ sql }, sql`e.id`, filter)}
    and ${filter.contactId ? sql`e.contact_id = ${filter.contactId}` : every}
    and ${filter.parentId ? sql`e.parent_id = ${filter.parentId}` : every}
    and ${filter.campaignId ? sql`e.campaign_id = ${filter.campaignId}` : every}
    and ${filter.templateId ? sql`e.template_id = ${filter.templateId}` : every}
    and ${filter.workflowId ? sql`e.workflow_id = ${filter.workflowId}` : every}
    and ${filter.sourceType ? sql`e.source_type = ${filter.sourceType}` : every}
    and ${filter.status ? sql`e.status = ${filter.status}` : every}
    and ${
      tag
        ? sql`exists (select from email_tags t where t.project_id = e.project_id and t.email_id = e.id and t.tag = ${tag})`
        : every
    }
    and ${noted(sql`e.opened_at`, opened)}
    and ${noted(sql`e.clicked_at`, clicked)}
    and ${noted(sql`e.unsubscribed_at`, unsubscribed)}
    and ${
      type
        ? sql`exists (select from contents o where o.project_id = e.project_id and o.id = e.content_id and o.type = ${type})`
        : every
    }
  )`;
}

/** Those of a filter with a tag and ids from `since` until before `until`: read from the index of tags, in the order of the ledger. */
export function compileTagged(
  { sql }: Context,
  projectId: string,
  filter: Fragment,
  { tag, since, until }: { tag: string; since: string; until: string },
): Fragment {
  return sql`${filter} and e.id >= ${since} and e.id < ${until} and e.id in (
    select t.email_id
    from email_tags t
    where t.project_id = ${projectId} and t.tag = ${tag} and t.email_id >= ${since} and t.email_id < ${until}
  )`;
}
