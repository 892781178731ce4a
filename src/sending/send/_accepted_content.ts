// A content in memory, as it would be read back from the database.
import type { AcceptedContent } from "../delivery/accepted_content.ts";
import type { RecipientLists } from "../compose/mod.ts";
import type { ContentRow } from "./_content.ts";

/** Contents with more characters than this are read back. */
const MAX_CHARS = 500_000;

/** Null where it is to be read back: it is large, or its data have parts whose order only the database knows. */
export function acceptedContent(
  row: ContentRow,
  tracked: boolean,
  submitted: Buffer | null = null,
): AcceptedContent | null {
  const data = (row.data ?? null) as Record<string, unknown> | null;
  if (row.html.length + (row.text?.length ?? 0) + (submitted?.length ?? 0) > MAX_CHARS) return null;
  if (data && Object.values(data).some((value) => typeof value === "object" && value !== null)) return null;
  return {
    id: row.id,
    templateId: row.template_id ?? null,
    type: row.type,
    subject: row.subject,
    html: row.html,
    text: row.text ?? null,
    fromEmail: row.from_email,
    fromName: row.from_name ?? null,
    replyTo: row.reply_to ?? null,
    headers: inStoredOrder(row.headers as Record<string, string> | null),
    data: inStoredOrder(data),
    tracked,
    trackOpens: row.track_opens ?? null,
    trackClicks: row.track_clicks ?? null,
    offersUnsubscribe: row.offers_unsubscribe ?? null,
    tags: row.tags ?? null,
    recipients: (row.recipients ?? null) as RecipientLists | null,
    submitted,
    shared: row.shared,
  };
}

/** The keys in the order of `jsonb`: the shorter first, then by their bytes. */
function inStoredOrder<T>(record: Record<string, T> | null | undefined): Record<string, T> | null {
  if (!record) return null;
  const entries = Object.entries(record).map(([key, value]) => ({ key: Buffer.from(key), value }));
  entries.sort((a, b) => a.key.length - b.key.length || a.key.compare(b.key));
  return Object.fromEntries(entries.map(({ key, value }) => [key.toString(), value]));
}
