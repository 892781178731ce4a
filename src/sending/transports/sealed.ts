// The secrets of a transport: its URL, with its password, and what proves its webhooks. Sealed before they reach the database.
import { type KeyHolder, seal, unseal } from "../../accounts/secrets.ts";

/** Whose transport it is: all zeros for one of the installation. */
interface TransportKey {
  projectId: string;
  id: string;
}

const PURPOSE = "transports";

/** The URL as its row in `transports` holds it. */
export function sealUrl(ctx: KeyHolder, { projectId, id }: TransportKey, url: string): Buffer {
  return seal(ctx, PURPOSE, url, [projectId, id]);
}

/** The URL; null when it was sealed with another `SECRET_KEY`. */
export function openUrl(ctx: KeyHolder, { projectId, id }: TransportKey, sealed: Uint8Array): string | null {
  return unseal(ctx, PURPOSE, sealed, [projectId, id]);
}

/** The secret of the provider's webhooks as its row holds it. */
export function sealFeedbackSecret(ctx: KeyHolder, { projectId, id }: TransportKey, secret: string): Buffer {
  return seal(ctx, PURPOSE, secret, [projectId, id, "feedback"]);
}

/** The secret; null when it was sealed with another `SECRET_KEY`. */
export function openFeedbackSecret(
  ctx: KeyHolder,
  { projectId, id }: TransportKey,
  sealed: Uint8Array,
): string | null {
  return unseal(ctx, PURPOSE, sealed, [projectId, id, "feedback"]);
}

/** Stands for a user that is as secret as the password. */
export const MASKED_USER = "***";

/** The URL without its password, as it may be shown. Some providers take one token for both: then nor is the user. */
export function shownUrl(url: string): string {
  const shown = new URL(url);
  if (shown.username !== "" && shown.username === shown.password) shown.username = MASKED_USER;
  shown.password = "";
  return shown.href;
}
