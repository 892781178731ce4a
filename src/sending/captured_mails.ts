import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";
import { type CapturedMail, createCaptureMailer } from "../mail/capture.ts";
import type { Mailer } from "../mail/mailer.ts";
import { problems } from "../problem.ts";

// What the inbox keeps: enough to look back on an afternoon of work.
const KEPT = 500;
const PRUNE_EVERY = 50;
const PAGE = 100;

/** The mailer of a service without an SMTP server: it keeps the newest mails for `/inbox`. */
export function createInboxMailer(on: Pick<Context, "sql">): Mailer {
  let stored = 0;
  return createCaptureMailer(async ({ from, to, subject, source }: CapturedMail) => {
    await q.capturedMails.insert(on, { fromAddress: from, toAddress: to, subject, source });
    if (++stored % PRUNE_EVERY === 0) await q.capturedMails.prune(on, { keep: KEPT });
  });
}

/** The newest captured mails, or only those since `afterId`. */
export async function listCapturedMails(ctx: Context, afterId: string | null) {
  return await q.capturedMails.list(ctx, { afterId, limit: PAGE });
}

/** One captured mail with its source. Throws not-found. */
export async function getCapturedMail(ctx: Context, id: string) {
  const mail = await q.capturedMails.byId(ctx, { id });
  if (!mail) throw problems.notFound("captured mail", id);
  return mail;
}

/** Empties the inbox. */
export async function clearCapturedMails(ctx: Context): Promise<void> {
  await q.capturedMails.clear(ctx);
}
