// Mail that comes in for the domains of projects.
import { sortData } from "../audience/contact_data.ts";
import { type ContactWrite, contactKey, upsertContacts } from "../audience/contacts.ts";
import { recordEvents } from "../audience/events.ts";
import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";
import type { ReceivedMail } from "../mail/notice.ts";

/** The filters that are believed when they say FAIL. SPF and DKIM are not among them: forwarded mail breaks either. */
const BELIEVED = ["spam", "virus", "dmarc"];

/**
 * Records mails that came in, as `email.received` of their senders, for every project that has a verified domain among
 * the recipients: of several such projects each hears of it, once. A sender who is new becomes a contact who is not
 * subscribed, because whoever writes has not asked for newsletters; one who is known keeps the subscription as it is.
 * A mail that a filter of the provider does not believe is an event of nobody. Answers how many mails were for nobody.
 */
export async function recordReceived(tx: Context, mails: ReceivedMail[]): Promise<number> {
  if (mails.length === 0) return 0;
  const domains = [...new Set(mails.flatMap(({ recipients }) => recipients.map(domainOf)))];
  const receivers = await q.receivedMails.receivers(tx, { domains });
  const deliveries = mails.flatMap((mail) => {
    const own = new Set(mail.recipients.map(domainOf));
    const projects = receivers.filter(({ domain }) => own.has(domain)).map(({ projectId }) => projectId);
    return [...new Set(projects)].map((projectId) => ({ mail, projectId }));
  });
  const writes = new Map(
    deliveries.flatMap(({ mail, projectId }) => {
      const author = authorOf(mail);
      return author ? [[contactKey(projectId, author.email), senderOf(projectId, author.email)]] : [];
    }),
  );
  const contacts =
    writes.size > 0 ? await upsertContacts(tx, [...writes.values()]) : new Map<string, { id: string }>();
  await recordEvents(
    tx,
    deliveries.map(({ mail, projectId }) => {
      const author = authorOf(mail);
      const contactId = author && contacts.get(contactKey(projectId, author.email))!.id;
      return { projectId, contactId, name: "email.received", data: particularsOf(mail) };
    }),
  );
  const reached = new Set(deliveries.map(({ mail }) => mail));
  return mails.length - reached.size;
}

/** Who has written a mail, as far as that can be believed: anybody can write any sender. */
function authorOf({ sender, verdicts }: ReceivedMail): ReceivedMail["sender"] {
  return BELIEVED.some((filter) => verdicts[filter] === "FAIL") ? null : sender;
}

function senderOf(projectId: string, email: string): ContactWrite {
  return {
    projectId,
    email,
    subscribed: undefined,
    subscribedDefault: false,
    change: sortData(undefined),
  };
}

/** The data of the event (wire.md section 8): there is no mail of ours that it could name. */
function particularsOf({ sender, recipients, subject, messageId, at, verdicts }: ReceivedMail) {
  return {
    subject,
    from: sender?.email ?? null,
    fromName: sender?.name ?? null,
    messageId,
    emailId: null,
    templateId: null,
    campaignId: null,
    sourceType: null,
    to: recipients,
    receivedAt: at,
    verdicts,
  };
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1);
}
