// What the mails in progress say, in the memory of this process. Contents never change.
import { createCache } from "../../cache.ts";
import { type Context, perService } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Attachment } from "../../mail/mailer.ts";
import { createPauses } from "../../pauses.ts";
import { prepareContent, type PreparedContent, type RecipientLists } from "../compose/mod.ts";
import type { AcceptedContent } from "./accepted_content.ts";
import type { ClaimedEmail } from "./emails.ts";

// Those that several mails share: of each campaign in progress it is one. A content of a megabyte is rare.
const MAX_PREPARED = 50;
const MAX_ATTACHED = 1_000;
const MAX_ATTACHED_BYTES = 32 * 1_048_576;

const caches = perService(() => ({
  prepared: createCache<PreparedContent>({ maxEntries: MAX_PREPARED }),
  attached: createCache<Attachment[]>({ maxEntries: MAX_ATTACHED, maxBytes: MAX_ATTACHED_BYTES }),
}));

/**
 * Contents that a claim need not answer with. They are held from before the claim until its mails are prepared: by then the
 * cache may have dropped one.
 */
export interface KnownContents {
  /** Those of mails in progress. */
  prepared: ReadonlyMap<string, PreparedContent>;
  /** Those of mails that this process has just accepted. */
  accepted: ReadonlyMap<string, AcceptedContent>;
}

/** What is known before a claim of mails, among which are some with these `accepted` contents. */
export function knownContents(ctx: Context, accepted: ReadonlyMap<string, AcceptedContent>): KnownContents {
  return { prepared: new Map(caches(ctx).prepared.entries()), accepted };
}

/** The contents of these mails, ready to be sent, by their ids. One that has expired is missing. */
export async function prepareContents(
  ctx: Context,
  emails: ClaimedEmail[],
  known: KnownContents,
): Promise<Map<string, PreparedContent>> {
  const { prepared: cache } = caches(ctx);
  const prepared = new Map<string, PreparedContent>();
  // Each may take 30 ms, and there may be one for each connection.
  const pause = createPauses();
  for (const email of emails) {
    const id = email.contentId;
    if (id === null || prepared.has(id)) continue;
    const held = known.accepted.get(id);
    const row = held ?? (email.hasContent ? contentOf(email) : null);
    const content =
      cache.get(id) ??
      known.prepared.get(id) ??
      (row && (await prepareContent(ctx, { ...row, ...originOf(email) }, pause)));
    if (!content) continue;
    prepared.set(id, content);
    // Of one that is known a claim does not say that it has attachments.
    const { shared } = held ?? email;
    if (shared !== false && !email.hasAttachments) cache.set(id, content);
  }
  return prepared;
}

/** What a content says, as the claim has answered. */
function contentOf(email: ClaimedEmail) {
  return {
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
    trackOpens: email.trackOpens,
    trackClicks: email.trackClicks,
    offersUnsubscribe: email.offersUnsubscribe,
    tags: email.tags,
    recipients: email.recipients as RecipientLists | null,
  };
}

/** Where its mails come from. */
function originOf(email: ClaimedEmail) {
  return {
    projectId: email.projectId,
    sourceType: email.sourceType,
    campaignId: email.campaignId,
    projectName: email.projectName!,
    postalAddress: email.postalAddress ?? null,
    language: email.language!,
  };
}

/** The attachments of these mails, by content. What several mails in progress carry is read once. */
export async function loadAttachments(
  ctx: Context,
  emails: ClaimedEmail[],
): Promise<Map<string, Attachment[]>> {
  const { attached: cache } = caches(ctx);
  const loaded = new Map<string, Attachment[]>();
  const missing = new Map<string, string>();
  for (const { contentId: id, projectId, hasAttachments } of emails) {
    if (!hasAttachments) continue;
    const known = cache.get(id!);
    if (known) loaded.set(id!, known);
    else missing.set(id!, projectId);
  }
  if (missing.size === 0) return loaded;
  const rows = await q.contents.attachments(ctx, {
    projectIds: [...missing.values()],
    contentIds: [...missing.keys()],
  });
  for (const [id, group] of Map.groupBy(rows, (row) => row.contentId)) {
    const files = group as unknown as Attachment[];
    loaded.set(id, files);
    cache.set(
      id,
      files,
      files.reduce((sum, file) => sum + file.content.byteLength, 0),
    );
  }
  return loaded;
}
