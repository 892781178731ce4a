// What the mails of a request say: the request merged over its template.
import { isSandbox } from "../../accounts/projects/sandbox_id.ts";
import { shownData } from "../../audience/contacts/data.ts";
import { plainText } from "../../content/plain_text.ts";
import { withPreheader } from "../../content/preheader.ts";
import { type Context, newId } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Queries } from "../../db/queries.gen.ts";
import type { Json } from "../../db/types.ts";
import { parseAddress } from "../../mail/address.ts";
import { REPLY_SEPARATOR } from "../../mail/mailer.ts";
import { problems } from "../../problem/mod.ts";
import type { SendInput } from "./input.ts";
import { listsOf, type NamedAddress, type Recipient, toMailbox } from "./recipients.ts";

/** A row of `contents`. */
export type ContentRow = Parameters<Queries["contents"]["insertMany"]>[1]["rows"][number];

type Template = Awaited<ReturnType<Queries["templates"]["contents"]>>[number];

/** The text part of a body of its own, where it is the same for everyone; null otherwise. */
export function textOfBody(html: string | undefined): string | null {
  // Made now: sending has less to do, and an answer does not wait for sending.
  return html === undefined || html.includes("{{") ? null : plainText(html);
}

/** The content of each of these requests, or the refusal of one whose template is not there. */
export async function contentsOf(
  tx: Context,
  projectId: string,
  items: { input: SendInput; text: string | null; recipients: Recipient[] }[],
): Promise<(ContentRow | Error)[]> {
  const templateIds = [...new Set(items.flatMap(({ input }) => input.template ?? []))];
  const rows = templateIds.length === 0 ? [] : await templatesOf(tx, projectId, templateIds);
  const templates = new Map(rows.map((template) => [template.id, said(template)]));
  return items.map(({ input, text, recipients }) => {
    const template = input.template === undefined ? null : templates.get(input.template.toLowerCase());
    if (template === undefined) return problems.templateNotFound(input.template!);
    return contentOf(newId(tx), input, template, { text, recipients });
  });
}

/** Those of the project; in a sandbox also those of its project, so that code is tested with the templates that it names. */
async function templatesOf(tx: Context, projectId: string, templateIds: string[]): Promise<Template[]> {
  const own = await q.templates.contents(tx, { projectId, templateIds });
  if (!isSandbox(projectId) || own.length === templateIds.length) return own;
  return [...own, ...(await q.templates.liveContents(tx, { projectId, templateIds }))];
}

/** A template with what its mails share. */
function said(template: Template) {
  const html = withPreheader(template.html, template.preheader);
  return { ...template, html, text: textOfBody(html) };
}

function contentOf(
  id: string,
  input: SendInput,
  template: ReturnType<typeof said> | null,
  { text, recipients }: { text: string | null; recipients: Recipient[] },
): ContentRow {
  const from = senderOf(input, template);
  return {
    id,
    subject: input.subject ?? template!.subject,
    html: input.body ?? template!.html,
    text: input.body === undefined ? template!.text : text,
    from_email: from.email,
    from_name: from.name,
    reply_to: repliesOf(input) ?? template?.replyTo ?? null,
    headers: input.headers ?? null,
    data: input.data ? (shownData(input.data) as Json) : null,
    template_id: template?.id ?? null,
    type: template?.type ?? "TRANSACTIONAL",
    shared: recipients.length > 1,
    tags: input.tags?.length ? (input.tags as unknown as Json) : null,
    ...trackingOf(input),
    offers_unsubscribe: input.unsubscribe || null,
    recipients: listsOf(recipients) as unknown as Json,
  };
}

/** Where replies go, as `contents` has it; null where the request does not say. */
function repliesOf({ reply, replyTo = reply }: SendInput): string | null {
  if (replyTo === undefined) return null;
  return [replyTo]
    .flat()
    .map((address) => parseAddress(address)!.email)
    .join(REPLY_SEPARATOR);
}

function trackingOf({ tracking }: SendInput) {
  const { opens = null, clicks = null } =
    typeof tracking === "object" ? tracking : { opens: tracking, clicks: tracking };
  return { track_opens: opens, track_clicks: clicks };
}

/** The sender of the request, or that of its template: one of them is there (`sendErrors`). */
function senderOf(input: SendInput, template: Template | null): NamedAddress {
  if (input.from === undefined) return { email: template!.fromEmail.toLowerCase(), name: template!.fromName };
  const { email, name } = toMailbox(input.from)!;
  // `name` is for a sender given as text without one, as clients of old send it.
  const isBare = typeof input.from === "string" && name === null;
  return { email, name: isBare ? input.name?.trim() || null : name };
}
