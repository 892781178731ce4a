// A content becomes mails: the parts that all of them share are made once, the recipient's own are made for each.
import { addBeforeBodyEnd } from "../../content/body_end.ts";
import { languageOf } from "../../content/languages/mod.ts";
import { compileTemplate, mailScope } from "../../content/handlebars/mod.ts";
import { compileTextPart } from "../../content/handlebars/text_part.ts";
import type { Context } from "../../context.ts";
import { prepareMessage } from "../../mail/assembly.ts";
import { deliverabilityHeaders, mergeHeaders, unsubscribeHeaders } from "../../mail/headers.ts";
import type { Attachment, Mail, NamedParties, ReadyMail, StreamedMail } from "../../mail/mailer.ts";
import { followHtml } from "./followed_mail.ts";
import { footerOf } from "./footer.ts";
import { messageIdOf } from "./message_id.ts";
import type { MessageOfMail } from "./message_of_mail.ts";
import { envelopeSender } from "./return_paths.ts";
import { prepareSubmitted, submittedAmong } from "./submitted.ts";
import { type SubscriptionUrls, subscriptionUrls } from "./subscription_links.ts";

/** A message as stored in `contents`, and its project. */
export interface Content {
  projectId: string;
  sourceType: "TRANSACTIONAL" | "WORKFLOW" | "CAMPAIGN";
  campaignId: string | null;
  templateId: string | null;
  type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
  subject: string;
  html: string;
  /** Null if it is made for each recipient. */
  text: string | null;
  fromEmail: string;
  fromName: string | null;
  replyTo: string | null;
  headers: Record<string, string> | null;
  /** The data of the request. */
  data: Record<string, unknown> | null;
  /** Whether opens and clicks are followed. */
  tracked: boolean;
  /** What the request says of either; otherwise `tracked` decides. */
  trackOpens?: boolean | null;
  trackClicks?: boolean | null;
  /** With the header fields of one-click unsubscription, whatever the type is. */
  offersUnsubscribe?: boolean | null;
  /** What the caller marks the mails with: `[{name, value}]`. */
  tags?: unknown;
  /** Whom the header names, where it is the same for all mails; otherwise each names its own recipient. */
  recipients?: RecipientLists | null;
  /** The whole message, where it was submitted and is in memory: there is nothing to render. */
  submitted?: Buffer | null;
  /** In the footer. */
  projectName: string;
  postalAddress: string | null;
  /** Of the footer, where the contact has none of its own. */
  language: string;
}

/** The recipients of a message that all of them see, but for `bcc`. */
export interface RecipientLists {
  to: { email: string; name: string | null }[];
  cc: { email: string; name: string | null }[];
  bcc: { email: string; name: string | null }[];
}

/** What the row of a content says where nobody asks for more than the project's usual ways. */
export const NO_OPTIONS = {
  tags: null,
  track_opens: null,
  track_clicks: null,
  offers_unsubscribe: null,
  recipients: null,
};

/** Whom a mail is for. A contact is missing where a test goes to an address that belongs to none. */
export interface Addressee {
  emailId: string;
  address: string;
  toName: string | null;
  contact: { id: string; subscribed: boolean; data: Record<string, unknown> } | null;
  /** What this mail alone has over the data of its content; a workflow's `event` is among it. */
  data?: Record<string, unknown> | null;
  /** Of a message with several recipients: what its mails have in common. */
  message?: MessageOfMail | null;
}

/** A content that is ready for one recipient after another. */
export interface PreparedContent extends Content {
  /** Renders one mail to be checked. A template never makes it fail. */
  show(to: Addressee): { subject: string; html: string; text: string; headers: Record<string, string> };
  /** Renders one mail to be sent. A template never makes it fail. */
  compose(to: Addressee, attachments: readonly Attachment[]): Promise<Mail | ReadyMail | StreamedMail>;
  /** Whether it shows anything of its recipient. */
  isPersonal: boolean;
}

/** Compiles a content, with its links, headers and everything that its mails have in common. */
export async function prepareContent(
  ctx: Context,
  content: Content,
  pause: () => Promise<void>,
): Promise<PreparedContent> {
  const subject = compileTemplate(content.subject, "subject");
  const follows = {
    opens: content.trackOpens ?? content.tracked,
    clicks: content.trackClicks ?? content.tracked,
  };
  const isFollowed = follows.opens || follows.clicks;
  const followed = isFollowed ? followHtml(ctx, content.projectId, content.html, follows) : null;
  await pause();
  const html = compileTemplate(followed?.html ?? content.html, "html");
  await pause();
  const text = content.text === null ? compileTextPart(content.html) : null;
  const isPersonal = subject.variables.length + html.variables.length > 0;
  const offersOneClick =
    content.type === "MARKETING" || !!content.offersUnsubscribe || namesSubscriptionLink(html.variables);
  const headers = mergeHeaders(content.headers, deliverabilityHeaders(content));
  const from = { name: content.fromName ?? "", address: content.fromEmail };
  const named = content.recipients ? headerOf(content.recipients) : null;
  const message = prepareMessage({ from, replyTo: content.replyTo, headers, named });
  let submitted: ReturnType<typeof prepareSubmitted> | undefined;

  const render = (to: Addressee, urls: SubscriptionUrls | null) => {
    const scope = isPersonal ? scopeOf(content, to, urls!) : {};
    const footer = content.type === "MARKETING" ? footerFor(content, to, urls!) : null;
    let body = html(scope);
    // First of all: behind the end of a mail that was cut off, what its links are made of would not be recognised.
    if (followed) body = followed.complete(body, to.emailId);
    if (footer) body = addBeforeBodyEnd(body, footer.html);
    const plain = content.text ?? text!(scope);
    return { subject: subject(scope), html: body, text: footer ? plain + footer.text : plain };
  };

  return {
    ...content,
    // A message that was submitted has no HTML of its own.
    isPersonal: isPersonal && content.html !== "",
    show(to) {
      const urls = isPersonal || offersOneClick ? urlsOf(ctx, content.projectId, to) : null;
      const oneClick = offersOneClick ? unsubscribeHeaders(urls!.unsubscribeUrl) : {};
      return { ...render(to, urls), headers: mergeHeaders(headers, oneClick) };
    },
    async compose(to, attachments) {
      const given = content.submitted ?? submittedAmong(attachments);
      if (given) {
        submitted ??= prepareSubmitted(ctx, content, given, isFollowed ? follows : null);
        const envelope = { from: await envelopeSender(ctx, content, to.emailId), to: to.address };
        return submitted(to, envelope);
      }
      const urls = isPersonal || offersOneClick ? urlsOf(ctx, content.projectId, to) : null;
      const own = {
        to: { name: to.toName ?? "", address: to.address },
        messageId: messageIdOf(to.emailId, content.fromEmail, to.message?.idFrom),
        date: ctx.now(),
        ...render(to, urls),
      };
      const origin = { projectId: content.projectId, emailId: to.emailId };
      const envelope = { from: await envelopeSender(ctx, content, to.emailId), to: to.address };
      const unsubscribeUrl = offersOneClick ? urls!.unsubscribeUrl : null;
      if (attachments.length === 0) {
        const source = message.assemble({ ...own, unsubscribeUrl });
        return { origin, messageId: own.messageId, envelope, subject: own.subject, source };
      }
      const oneClick = unsubscribeUrl === null ? {} : unsubscribeHeaders(unsubscribeUrl);
      return {
        ...own,
        named,
        origin,
        envelope,
        from,
        replyTo: content.replyTo,
        headers: mergeHeaders(headers, oneClick),
        attachments,
      };
    },
  };
}

function headerOf({ to, cc }: RecipientLists): NamedParties {
  const parties = (list: RecipientLists["to"]) =>
    list.map(({ email, name }) => ({ name: name ?? "", address: email }));
  return { to: parties(to), cc: parties(cc) };
}

/** The author offers a way out: mail programs may show it as well (guides/sending.md). */
function namesSubscriptionLink(variables: readonly string[]): boolean {
  return variables.some((path) => /(^|[./])(unsubscribeUrl|manageUrl)$/.test(path));
}

/** The links are the recipient's own: nobody shall unsubscribe somebody else. */
function scopeOf(content: Content, to: Addressee, urls: SubscriptionUrls) {
  const first = to.message?.first;
  const shown = first === undefined ? { ...to.contact, email: to.address } : first;
  const contact = { id: null, email: "", subscribed: true, data: {}, ...shown };
  return mailScope({ contact, data: dataOf(content, to), urls, event: to.data?.event });
}

function dataOf({ data }: Content, to: Addressee): Record<string, unknown> | null {
  return to.data ? { ...data, ...to.data } : data;
}

function footerFor(content: Content, to: Addressee, urls: SubscriptionUrls) {
  const { projectName, postalAddress, language } = content;
  const locale = dataOf(content, to)?.locale ?? to.contact?.data.locale;
  return footerOf({ projectName, postalAddress, language: languageOf(locale, language), ...urls });
}

function urlsOf(ctx: Context, projectId: string, { contact, emailId }: Addressee): SubscriptionUrls {
  if (contact) return subscriptionUrls(ctx, projectId, contact.id, emailId);
  return sampleUrls(ctx);
}

/** Where the links of a mail lead that belongs to no contact: pages that say so. */
export function sampleUrls({ config }: Pick<Context, "config">): SubscriptionUrls {
  return {
    unsubscribeUrl: `${config.BASE_URL}/unsubscribe/preview`,
    subscribeUrl: `${config.BASE_URL}/subscribe/preview`,
    manageUrl: `${config.BASE_URL}/manage/preview`,
  };
}
