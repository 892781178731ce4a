// The URL of a transport, with its password: sealed before it reaches the database.
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

/** Stands for a user that is as secret as the password. */
export const MASKED_USER = "***";

/** The URL without its password, as it may be shown. Some providers take one token for both: then nor is the user. */
export function shownUrl(url: string): string {
  const shown = new URL(url);
  if (shown.username !== "" && shown.username === shown.password) shown.username = MASKED_USER;
  shown.password = "";
  return shown.href;
}
