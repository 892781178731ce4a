// The inbox of a service without an SMTP server: copies of the mails that it would have sent. What happens to the mails
// themselves is in the ledger: see `release.ts` and `discard.ts`.
import PostalMime, { type Email } from "postal-mime";
import { createCache } from "../../cache.ts";
import type { Context } from "../../context.ts";
import { containing } from "../../db/like.ts";
import { q } from "../../db/queries.ts";
import type { Queries } from "../../db/queries.gen.ts";
import { searchedAddress } from "../../mail/address.ts";
import { type CapturedMail, createCaptureMailer } from "../../mail/capture.ts";
import type { Mailer } from "../../mail/mailer.ts";
import { problems } from "../../problem/mod.ts";

// What the inbox keeps of each project: enough to look back on an afternoon of work, and no project takes another one's
// place.
const KEPT = 500;
const PRUNE_EVERY = 50;
/** Projects whose mails a process counts. One that it forgets is pruned once more. */
const MAX_COUNTED = 10_000;
/**
 * How many mails are looked through for a page. Of one project that is all that is kept; of all projects, for the
 * operator, the newest.
 */
const WINDOW = 10_000;
const MAX_PROJECTS = 200;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";
const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** Whose mails: those of a project, or for the operator those of all, null. */
export type InboxScope = string | null;

/** What the inbox shows of a mail in its list. */
export type ListedMail = Awaited<ReturnType<Queries["capturedMails"]["list"]>>[number];

/** Which mails a list shows. */
export interface InboxFilter {
  /** A part of the subject, the recipient or the sender, in any case. */
  search?: string | undefined;
  /** The whole address of the recipient, in any case. */
  to?: string | undefined;
  read?: boolean | undefined;
}

/** Where a page begins, and how far it reaches. */
export interface InboxPage {
  limit: number;
  /** Below this mail. */
  beforeId: string | null;
  /** Captured after this one. */
  afterId: string | null;
}

/** The mailer of a service without an SMTP server: it keeps the newest mails of each project for the inbox. */
export function createInboxMailer(on: Pick<Context, "sql">): Mailer {
  const stored = createCache<number>({ maxEntries: MAX_COUNTED });
  return createCaptureMailer(async ({ origin, from, to, subject, source }: CapturedMail) => {
    const projectId = origin?.projectId ?? null;
    const emailId = origin?.emailId ?? null;
    await q.capturedMails.insert(on, {
      projectId,
      emailId,
      fromAddress: from,
      toAddress: to,
      subject,
      source,
    });
    const before = stored.get(projectId ?? "") ?? 0;
    stored.set(projectId ?? "", before + 1);
    // Also at the first one: a process that is often restarted never gets to the fiftieth.
    if (before % PRUNE_EVERY === 0) await q.capturedMails.prune(on, { projectId, keep: KEPT });
  });
}

/** One page of captured mails, newest first, and one mail more when there are more. */
export async function listCapturedMails(
  ctx: Context,
  scope: InboxScope,
  filter: InboxFilter,
  { limit, beforeId, afterId }: InboxPage,
): Promise<ListedMail[]> {
  return await q.capturedMails.list(ctx, {
    ...conditionsOf(filter),
    projectId: scope,
    before: beforeId ?? LAST_ID,
    after: afterId ?? FIRST_ID,
    window: WINDOW,
    limit: limit + 1,
  });
}

/** How many mails match, and how many of all are unread; of all projects both count to 10,000. */
export async function countCapturedMails(
  ctx: Context,
  scope: InboxScope,
  filter: InboxFilter,
): Promise<{ total: number; unread: number }> {
  return await q.capturedMails.count(ctx, {
    ...conditionsOf(filter),
    projectId: scope,
    window: WINDOW,
  });
}

/** One captured mail with its source. Throws not-found. */
export async function getCapturedMail(ctx: Context, scope: InboxScope, id: string) {
  const mail = await q.capturedMails.byId(ctx, { projectId: scope, id });
  if (!mail) throw problems.notFound("captured mail", id);
  return mail;
}

/** One captured mail, taken apart: headers, texts, attachments. Throws not-found. */
export async function readCapturedMail(ctx: Context, scope: InboxScope, id: string) {
  const { source, ...mail } = await getCapturedMail(ctx, scope, id);
  const content: Email = await PostalMime.parse(source);
  return { ...mail, content };
}

/** Marks a mail as read or unread, for everybody who sees it. Throws not-found. */
export async function markCapturedMail(
  ctx: Context,
  scope: InboxScope,
  id: string,
  isRead: boolean,
): Promise<void> {
  const found = await q.capturedMails.mark(ctx, { projectId: scope, id, isRead, now: ctx.now() });
  if (found === 0) throw problems.notFound("captured mail", id);
}

/** Marks these, and returns how many were marked otherwise before. Those that are not there are passed over. */
export async function markCapturedMails(ctx: Context, scope: InboxScope, ids: string[], isRead: boolean) {
  return await q.capturedMails.markSome(ctx, { projectId: scope, ids, isRead, now: ctx.now() });
}

/** Marks all of them, and returns how many were marked otherwise before. */
export async function markAllCapturedMails(ctx: Context, scope: InboxScope, isRead: boolean) {
  const mark = { isRead, now: ctx.now() };
  if (scope === null) return await q.capturedMails.markEverywhere(ctx, mark);
  return await q.capturedMails.markAll(ctx, { projectId: scope, ...mark });
}

/** Deletes the copy of one mail. Throws not-found. */
export async function deleteCapturedMail(ctx: Context, scope: InboxScope, id: string): Promise<void> {
  const found = await q.capturedMails.delete(ctx, { projectId: scope, id });
  if (found === 0) throw problems.notFound("captured mail", id);
}

/** Deletes the copies of these, and returns how many there were. Those that are not there are passed over. */
export async function deleteCapturedMails(ctx: Context, scope: InboxScope, ids: string[]): Promise<number> {
  return await q.capturedMails.deleteSome(ctx, { projectId: scope, ids });
}

/** Empties the inbox. */
export async function clearCapturedMails(ctx: Context, scope: InboxScope): Promise<void> {
  if (scope === null) await q.capturedMails.clearEverywhere(ctx);
  else await q.capturedMails.clear(ctx, { projectId: scope });
}

/** The projects that have captured mails, by name, up to 200. */
export async function projectsWithCapturedMails(ctx: Context): Promise<{ id: string; name: string }[]> {
  return await q.capturedMails.projects(ctx, { limit: MAX_PROJECTS });
}

function conditionsOf({ search, to, read }: InboxFilter) {
  const sought = search?.trim();
  return {
    to: to === undefined ? null : searchedAddress(to),
    pattern: sought ? containing(sought) : null,
    addressPattern: sought ? containing(searchedAddress(sought)) : null,
    isRead: read ?? null,
  };
}
