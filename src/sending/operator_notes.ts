// What the operator should know although everything works. Shown in /ready, and logged at the start.
import { type Config, isProduction } from "../config/mod.ts";

const KEEPS_MAILS =
  "SMTP_URL is not set: no mail is sent. Mails are captured, shown on /inbox, and can be sent with " +
  "`bun run admin release` once it is set";

const HAS_NO_SENDER =
  "PLATFORM_FROM is not set: verifications, password resets and notices are not sent, and invitations are refused";

/** Said where DKIM keys were sealed with another `SECRET_KEY`. */
export const LOST_KEYS =
  "SECRET_KEY is not the one that the DKIM keys were encrypted with: the mails of their domains wait, and are given up after a " +
  "day. Set the right one, or see `bun run admin doctor`";

/** What the settings of production lack for mail. In development all is as it should be. */
export function notesOn(config: Config): string[] {
  if (!isProduction(config)) return [];
  if (config.SMTP_URL === undefined) return [KEEPS_MAILS];
  return config.PLATFORM_FROM === undefined ? [HAS_NO_SENDER] : [];
}
