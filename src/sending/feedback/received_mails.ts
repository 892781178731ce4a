// Mail that comes in for the domains of projects.
import { takeWhatIsLeft } from "../../accounts/billing/usage.ts";
import { sortData } from "../../audience/contacts/data.ts";
import { type ContactWrite, contactKey, upsertContacts } from "../../audience/contacts/mod.ts";
import { recordEvents } from "../../audience/events.ts";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { ReceivedMail } from "../../mail/notice.ts";

/** A mail for a project that has a verified domain among its recipients. */
interface Delivery {
  mail: ReceivedMail;
  projectId: string;
}

/** What was not recorded of the mails that came in. */
export interface Unrecorded {
  /** How many were for no project. */
  forNobody: number;
  /** How many were beyond the limit of a project's month, for each. */
  overLimit: Map<string, number>;
}

/** The filters that are believed when they say FAIL. SPF and DKIM are not among them: forwarded mail breaks either. */
const BELIEVED = ["spam", "virus", "dmarc"];

/**
 * Records received mails, as `email.received` of their senders, for every project that has a verified domain among the
 * recipients, once for each. An unknown sender becomes a contact who is not subscribed, because writing is not asking
 * for newsletters; a known one keeps the subscription. A mail that the provider's filters distrust is an event without
 * a contact. Mails beyond this month's limit of a project are left out. Returns what was recorded.
 */
export async function recordReceived(tx: Context, mails: ReceivedMail[]): Promise<Unrecorded> {
  const forProjects = await deliveriesOf(tx, mails);
  const { deliveries, overLimit } = await withRoom(tx, forProjects);
  const reached = new Set(forProjects.map(({ mail }) => mail));
  await record(tx, deliveries);
  return { forNobody: mails.length - reached.size, overLimit };
}

/** To which projects these mails go. */
async function deliveriesOf(tx: Context, mails: ReceivedMail[]): Promise<Delivery[]> {
  if (mails.length === 0) return [];
  const domains = [...new Set(mails.flatMap(({ recipients }) => recipients.map(domainOf)))];
  const receivers = await q.receivedMails.receivers(tx, { domains });
  return mails.flatMap((mail) => {
    const own = new Set(mail.recipients.map(domainOf));
    const projects = receivers.filter(({ domain }) => own.has(domain)).map(({ projectId }) => projectId);
    return [...new Set(projects)].map((projectId) => ({ mail, projectId }));
  });
}

/** Takes them of the month of each project: as many as are left, in the order in which they came. */
async function withRoom(tx: Context, all: Delivery[]) {
  const perProject = Map.groupBy(all, ({ projectId }) => projectId);
  const wanted = new Map([...perProject].map(([projectId, { length }]) => [projectId, length]));
  const granted = await takeWhatIsLeft(tx, "inbound", wanted);
  const overLimit = new Map<string, number>();
  const deliveries = [...perProject].flatMap(([projectId, own]) => {
    const room = granted.get(projectId)!;
    if (room < own.length) overLimit.set(projectId, own.length - room);
    return own.slice(0, room);
  });
  return { deliveries, overLimit };
}

async function record(tx: Context, deliveries: Delivery[]): Promise<void> {
  if (deliveries.length === 0) return;
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
}

/** The author of a mail, as far as that is credible: anybody can forge a sender. */
function authorOf({ sender, verdicts }: ReceivedMail): ReceivedMail["sender"] {
  return BELIEVED.some((filter) => verdicts[filter] === "FAIL") ? null : sender;
}

function senderOf(projectId: string, email: string): ContactWrite {
  return {
    projectId,
    email,
    given: {},
    subscribedDefault: false,
    change: sortData(undefined),
  };
}

/** The data of the event (guides/events.md): it refers to no mail of ours. */
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
