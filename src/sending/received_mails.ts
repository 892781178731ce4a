// Mail that comes in for the domains of projects.
import { sortData } from "../audience/contact_data.ts";
import { type ContactWrite, contactKey, upsertContacts } from "../audience/contacts.ts";
import { recordEvents } from "../audience/events.ts";
import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";
import type { ReceivedMail } from "../mail/notice.ts";

/**
 * Records mails that came in, as `email.received` of their senders, for every project that has a verified domain among
 * the recipients: of several such projects each hears of it, once. A sender who is new becomes a contact who is not
 * subscribed, because whoever writes has not asked for newsletters; one who is known keeps the subscription as it is.
 * Answers how many mails were for nobody.
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
    deliveries.flatMap(({ mail, projectId }) =>
      mail.sender ? [[contactKey(projectId, mail.sender.email), senderOf(projectId, mail.sender.email)]] : [],
    ),
  );
  const contacts =
    writes.size > 0 ? await upsertContacts(tx, [...writes.values()]) : new Map<string, { id: string }>();
  await recordEvents(
    tx,
    deliveries.map(({ mail, projectId }) => ({
      projectId,
      contactId: mail.sender && contacts.get(contactKey(projectId, mail.sender.email))!.id,
      name: "email.received",
      data: particularsOf(mail),
    })),
  );
  const reached = new Set(deliveries.map(({ mail }) => mail));
  return mails.length - reached.size;
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
