// Mails are signed with the key of their sender's domain, on their way from the composer to the mailer.
import { createPrivateKey } from "node:crypto";
import { createCache } from "../../cache.ts";
import { type Context, perService } from "../../context.ts";
import { describeError } from "../../log.ts";
import { signMail, type SigningKey } from "../../mail/dkim.ts";
import type { Handover, Mail, MayEnd, ReadyMail, StreamedMail } from "../../mail/mailer.ts";
import { dkimKeyOf, LostDkimKey } from "../dkim_keys.ts";
import type { Transport } from "../transports/transport.ts";

/** Whose mail it is. */
interface Sender {
  projectId: string;
  /** As it is in From: a signature counts when it is of the same domain. */
  fromEmail: string;
}

/** What is asked and told while a mail goes over. */
export interface OnItsWay {
  mayEnd: MayEnd;
  /** Our part is done: from here on the server takes the time. */
  leaves: () => void;
}

/** How long a key is used without another look, also when its domain is removed or not verified any more. */
const KEEP_MS = 60_000;
const MAX_KEYS = 1_000;

/** The keys of domains, by project and name. */
const keysOf = perService(({ now }) =>
  createCache<SigningKey | LostDkimKey | null>({
    maxEntries: MAX_KEYS,
    keepMs: KEEP_MS,
    now: () => now().getTime(),
  }),
);

/** The message about a mail that could not be signed: a problem of ours. */
export const NOT_SIGNED = "The mail could not be signed yet";

/**
 * Hands a mail over by a transport, signed where the domain of its sender signs. Never throws. A mail whose signature cannot be made
 * now has to wait: without the signature that receivers expect it may end as spam.
 */
export async function sendSigned(
  ctx: Context,
  { mailer, writesFields }: Pick<Transport, "mailer" | "writesFields">,
  sender: Sender,
  mail: Mail | ReadyMail | StreamedMail,
  { mayEnd, leaves }: OnItsWay,
): Promise<Handover> {
  try {
    const key = await keyOf(ctx, sender);
    const signed = key ? await signMail(mail, key, { at: ctx.now(), except: writesFields }) : mail;
    leaves();
    return await mailer.send(signed, mayEnd);
  } catch (error) {
    // Logged once for all mails of a minute.
    if (!(error instanceof LostDkimKey)) {
      ctx.log.warn("mail not signed yet", { messageId: mail.messageId, ...describeError(error) });
    }
    return { state: "deferred", response: NOT_SIGNED };
  }
}

/** The key, read once for all mails of a minute. A look-up that fails is forgotten, but not that a key is lost. */
async function keyOf(ctx: Context, { projectId, fromEmail }: Sender): Promise<SigningKey | null> {
  const domain = fromEmail.slice(fromEmail.lastIndexOf("@") + 1);
  const key = await keysOf(ctx).load(`${projectId} ${domain}`, () => readKey(ctx, projectId, domain));
  if (key instanceof LostDkimKey) throw key;
  return key;
}

async function readKey(
  ctx: Context,
  projectId: string,
  domain: string,
): Promise<SigningKey | LostDkimKey | null> {
  try {
    const key = await dkimKeyOf(ctx, projectId, domain);
    // Parsed here, once, and not for each mail.
    return key && { ...key, privateKey: createPrivateKey(key.privateKey) };
  } catch (error) {
    if (error instanceof LostDkimKey) return error;
    throw error;
  }
}
