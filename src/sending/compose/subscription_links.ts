import { linkToken, openLinkToken } from "../../accounts/projects/link_keys.ts";
import type { Context } from "../../context.ts";

/** The addresses at which a contact decides what mail to get. */
export interface SubscriptionUrls {
  unsubscribeUrl: string;
  subscribeUrl: string;
  manageUrl: string;
}

/** Whom a link belongs to, and the mail that it stood in, where it stood in one of the ledger. */
export interface SubscriptionToken {
  projectId: string;
  contactId: string;
  emailId: string | null;
}

const PURPOSE = "subscription links";

// 48 or 64 bytes in base64url. The last letter of the longer one has bits to spare, which are zero: so that no two
// texts are the same token.
const TOKEN = /^(?:[\w-]{64}|[\w-]{85}[AQgw])$/;
const UUID_HEX = 32;

/**
 * The links of one contact. Their token names the contact and is signed: it opens nobody else's pages. With the id of a
 * mail it names that too, so that an unsubscription can be counted for it.
 */
export function subscriptionUrls(
  ctx: Context,
  projectId: string,
  contactId: string,
  emailId = "",
): SubscriptionUrls {
  const named = Buffer.from((projectId + contactId + emailId).replaceAll("-", ""), "hex");
  const token = linkToken(ctx, PURPOSE, projectId, named);
  const base = ctx.config.BASE_URL;
  return {
    unsubscribeUrl: `${base}/unsubscribe/${token}`,
    subscribeUrl: `${base}/subscribe/${token}`,
    manageUrl: `${base}/manage/${token}`,
  };
}

/** What a token of {@linkcode subscriptionUrls} names, or null for one that was not made for its project. */
export async function readSubscriptionToken(ctx: Context, token: string): Promise<SubscriptionToken | null> {
  if (!TOKEN.test(token)) return null;
  const projectOf = (payload: Buffer) => uuidAt(payload.toString("hex"), 0);
  const named = (await openLinkToken(ctx, PURPOSE, token, projectOf))?.toString("hex");
  if (named === undefined) return null;
  return {
    projectId: uuidAt(named, 0),
    contactId: uuidAt(named, UUID_HEX),
    emailId: named.length === 2 * UUID_HEX ? null : uuidAt(named, 2 * UUID_HEX),
  };
}

function uuidAt(hex: string, at: number): string {
  const part = (from: number, to: number) => hex.slice(at + from, at + to);
  return `${part(0, 8)}-${part(8, 12)}-${part(12, 16)}-${part(16, 20)}-${part(20, 32)}`;
}
