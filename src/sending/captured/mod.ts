import PostalMime, { type Email } from "postal-mime";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { type CapturedMail, createCaptureMailer } from "../../mail/capture.ts";
import type { Mailer } from "../../mail/mailer.ts";
import { problems } from "../../problem.ts";

// What the inbox keeps: enough to look back on an afternoon of work.
const KEPT = 500;
const PRUNE_EVERY = 50;
// All that is kept, and what several processes may have stored since they last pruned.
const MAX_LISTED = KEPT + 10 * PRUNE_EVERY;

/** The mailer of a service without an SMTP server: it keeps the newest mails for `/inbox`. */
export function createInboxMailer(on: Pick<Context, "sql">): Mailer {
  let stored = 0;
  return createCaptureMailer(async ({ from, to, subject, source }: CapturedMail) => {
    await q.capturedMails.insert(on, { fromAddress: from, toAddress: to, subject, source });
    // Also at the first one: a process that is often restarted never gets to the fiftieth.
    if (stored++ % PRUNE_EVERY === 0) await q.capturedMails.prune(on, { keep: KEPT });
  });
}

/** All captured mails, the newest first, or only those since `afterId`. */
export async function listCapturedMails(ctx: Context, afterId: string | null) {
  return await q.capturedMails.list(ctx, { afterId, limit: MAX_LISTED });
}

/** One captured mail with its source. Throws not-found. */
export async function getCapturedMail(ctx: Context, id: string) {
  const mail = await q.capturedMails.byId(ctx, { id });
  if (!mail) throw problems.notFound("captured mail", id);
  return mail;
}

/** One captured mail, taken apart: headers, texts, attachments. Throws not-found. */
export async function readCapturedMail(ctx: Context, id: string) {
  const { source, ...mail } = await getCapturedMail(ctx, id);
  const content: Email = await PostalMime.parse(source);
  return { ...mail, content };
}

/** Empties the inbox. */
export async function clearCapturedMails(ctx: Context): Promise<void> {
  await q.capturedMails.clear(ctx);
}
