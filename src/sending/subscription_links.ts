import { signToken } from "../accounts/secrets.ts";
import type { Context } from "../context.ts";

/** The addresses at which a contact decides what mail to get. */
export interface SubscriptionUrls {
  unsubscribeUrl: string;
  subscribeUrl: string;
  manageUrl: string;
}

/** The links of one contact. Their token names the contact and is signed: it opens nobody else's pages. */
export function subscriptionUrls(ctx: Context, projectId: string, contactId: string): SubscriptionUrls {
  const token = signToken(
    ctx,
    "subscription links",
    Buffer.from((projectId + contactId).replaceAll("-", ""), "hex"),
  );
  const base = ctx.config.BASE_URL;
  return {
    unsubscribeUrl: `${base}/unsubscribe/${token}`,
    subscribeUrl: `${base}/subscribe/${token}`,
    manageUrl: `${base}/manage/${token}`,
  };
}
