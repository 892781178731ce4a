// What the mails under way say, in the memory of this process. Contents never change.
import { type Context, perService } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Attachment } from "../../mail/mailer.ts";
import { createPauses } from "../../pauses.ts";
import { prepareContent, type PreparedContent } from "../compose/mod.ts";
import type { ClaimedEmail } from "./emails.ts";

// Those that several mails share: of each campaign under way it is one. A content of a megabyte is rare.
const MAX_PREPARED = 50;
const MAX_ATTACHED_BYTES = 32 * 1_048_576;

const caches = perService(() => ({
  prepared: new Map<string, PreparedContent>(),
  attached: new Map<string, Attachment[]>(),
}));

/** The contents that a claim need not answer with. */
export function knownContents(ctx: Context): string[] {
  return [...caches(ctx).prepared.keys()];
}

/** The contents of these mails, ready to be sent, by their ids. One that has expired is missing. */
export async function prepareContents(
  ctx: Context,
  emails: ClaimedEmail[],
): Promise<Map<string, PreparedContent>> {
  const { prepared: cache } = caches(ctx);
  const prepared = new Map<string, PreparedContent>();
  // Each may take 30 ms, and there may be one for each connection.
  const pause = createPauses();
  for (const email of emails) {
    const id = email.contentId;
    if (id === null || prepared.has(id)) continue;
    const content = cache.get(id) ?? (email.hasContent ? await prepare(ctx, email, pause) : null);
    if (!content) continue;
    prepared.set(id, content);
    // Young again.
    cache.delete(id);
    // Of one that is known a claim does not say that it has attachments.
    if (email.shared !== false && !email.hasAttachments) cache.set(id, content);
  }
  for (const oldest of cache.keys()) {
    if (cache.size <= MAX_PREPARED) break;
    cache.delete(oldest);
  }
  return prepared;
}

async function prepare(
  ctx: Context,
  email: ClaimedEmail,
  pause: () => Promise<void>,
): Promise<PreparedContent> {
  const content = {
    projectId: email.projectId,
    sourceType: email.sourceType,
    campaignId: email.campaignId,
    templateId: email.templateId,
    type: email.type!,
    subject: email.subject!,
    html: email.html!,
    text: email.text,
    fromEmail: email.fromEmail!,
    fromName: email.fromName,
    replyTo: email.replyTo,
    headers: email.headers as Record<string, string> | null,
    data: email.requestData as Record<string, unknown> | null,
    tracked: email.tracked!,
    projectName: email.projectName!,
    language: email.language!,
  };
  return await prepareContent(ctx, content, pause);
}

/** The attachments of these mails, by content. What several mails under way carry is read once. */
export async function loadAttachments(
  ctx: Context,
  emails: ClaimedEmail[],
): Promise<Map<string, Attachment[]>> {
  const { attached: cache } = caches(ctx);
  const wanted = emails.filter((email) => email.hasAttachments);
  const missing = wanted.filter((email) => !cache.has(email.contentId!));
  if (missing.length > 0) {
    const rows = await q.contents.attachments(ctx, {
      projectIds: missing.map((email) => email.projectId),
      contentIds: missing.map((email) => email.contentId!),
    });
    for (const [contentId, files] of Map.groupBy(rows, (row) => row.contentId)) {
      cache.set(contentId, files as unknown as Attachment[]);
    }
  }
  const loaded = new Map(wanted.map((email) => [email.contentId!, cache.get(email.contentId!)!]));
  shrink(cache);
  return loaded;
}

/** Forgets what was read first, until the rest is small enough. */
function shrink(cache: Map<string, Attachment[]>): void {
  const sizes = [...cache].map(([id, files]) => ({
    id,
    bytes: files.reduce((sum, file) => sum + file.content.byteLength, 0),
  }));
  let total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { id, bytes } of sizes) {
    if (total <= MAX_ATTACHED_BYTES) return;
    cache.delete(id);
    total -= bytes;
  }
}
