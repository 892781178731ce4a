// What a contact decides through the links of a mail.
import { findContact, setSubscription } from "../audience/contacts/mod.ts";
import { type Language, languageOf } from "../content/languages/mod.ts";
import { type Context, inTransaction } from "../context.ts";
import { q } from "../db/queries.ts";
import { readSubscriptionToken, type SubscriptionToken } from "./compose/subscription_links.ts";

/** A subscription as its pages show it. */
export interface MailSubscription {
  projectName: string;
  /** Masked, such as `a•••@example.com`. */
  address: string;
  subscribed: boolean;
  /** Of the contact, else of the project. */
  language: Language;
}

/** The subscription that a token names. Null for a token that was not made here, and for a contact that is gone. */
export async function findSubscription(ctx: Context, token: string): Promise<MailSubscription | null> {
  const named = await readSubscriptionToken(ctx, token);
  return named && (await subscriptionOf(ctx, named));
}

/**
 * Unsubscribes the contact of a token, until it is taken back, and counts it for the mail that the token names. Returns
 * the subscription afterwards, or null if {@linkcode findSubscription} does. A second call changes nothing.
 */
export async function unsubscribe(ctx: Context, token: string): Promise<MailSubscription | null> {
  return await decide(ctx, token, async (tx, { projectId, contactId, emailId }) => {
    // The mail before the contact, as outcomes and deletions take them: a complaint often comes at the same moment.
    if (emailId !== null) await q.emails.hold(tx, { projectId, emailId });
    const changed = await setSubscription(tx, { projectId, contactId, emailId }, false);
    if (!changed || emailId === null) return;
    await q.emails.unsubscribed(tx, { projectId, emailId, contactId, now: ctx.now() });
  });
}

/** Subscribes the contact of a token. Returns as {@linkcode unsubscribe} does. A second call changes nothing. */
export async function subscribe(ctx: Context, token: string): Promise<MailSubscription | null> {
  return await decide(ctx, token, async (tx, named) => void (await setSubscription(tx, named, true)));
}

async function decide(
  ctx: Context,
  token: string,
  change: (tx: Context, named: SubscriptionToken) => Promise<void>,
): Promise<MailSubscription | null> {
  const named = await readSubscriptionToken(ctx, token);
  if (!named) return null;
  return await inTransaction(ctx, async (tx) => {
    await change(tx, named);
    return await subscriptionOf(tx, named);
  });
}

async function subscriptionOf(
  ctx: Context,
  { projectId, contactId }: SubscriptionToken,
): Promise<MailSubscription | null> {
  const contact = await findContact(ctx, projectId, contactId);
  const project = contact && (await q.projects.presented(ctx, { projectId }));
  if (!project) return null;
  const { locale } = contact.data as Record<string, unknown>;
  return {
    projectName: project.name,
    address: masked(contact.email),
    subscribed: contact.subscribed,
    language: languageOf(locale, project.language),
  };
}

// The owner recognises the address by its first letter and its domain. Mails are forwarded, and another reader of the
// link then learns nothing that the mail has not already revealed.
function masked(email: string): string {
  const at = email.lastIndexOf("@");
  const [first = ""] = email.slice(0, at);
  return `${first}•••${email.slice(at)}`;
}
