// What an operator should know at the start, although it keeps nothing from starting. `doctor` looks at more.
import { isProduction } from "./config.ts";
import type { Context } from "./context.ts";
import { q } from "./db/queries.ts";
import { openDkimKey } from "./sending/dkim_keys.ts";
import { KEEPS_MAILS, keepsMails } from "./sending/readiness.ts";

const BEFORE_ALL = "00000000-0000-0000-0000-000000000000";
const LOCAL = /^https?:\/\/(localhost|127\.|\[::1\])/;

/** Each as a sentence for the log. */
export async function startWarnings(ctx: Context): Promise<string[]> {
  const { config } = ctx;
  if (!isProduction(config)) return [];
  const lost = await holdsLostKey(ctx);
  return [
    ...(keepsMails(config) ? [KEEPS_MAILS] : []),
    ...(config.SMTP_URL !== undefined && config.PLATFORM_FROM === undefined
      ? [
          "PLATFORM_FROM is not set: nobody gets a verification, a new password or a notice by mail, and invitations are refused",
        ]
      : []),
    ...(config.DATABASE_URL === undefined
      ? [
          `DATABASE_URL is not set: everything is kept in the embedded Postgres in ${config.DATA_DIR}; keep that folder on a disk that stays`,
        ]
      : []),
    ...(LOCAL.test(config.BASE_URL)
      ? [`BASE_URL is ${config.BASE_URL}: links in mails lead nowhere but to this machine`]
      : []),
    ...(lost
      ? [
          "SECRET_KEY is not the one that the DKIM keys were made with: mails go out without a signature. Set that one, or see `bun run admin doctor`",
        ]
      : []),
  ];
}

/** All were sealed with one secret, so one of them tells. */
async function holdsLostKey(ctx: Context): Promise<boolean> {
  const [first] = await q.doctor.dkimKeys(ctx, { afterProjectId: BEFORE_ALL, afterId: BEFORE_ALL, limit: 1 });
  return first !== undefined && openDkimKey(ctx, first) === null;
}
