import type { Context } from "../src/context.ts";
import type { Jobs } from "../src/jobs.ts";
import { sendOwnerMail as send } from "../src/sending/platform/account_mails.ts";

/** Tells the owner of an address what others may have left in the account. A second run sends the mail again. */
export async function sendOwnerMail(
  ctx: Context,
  { userId, projectIds }: Jobs["send_owner_mail"],
): Promise<void> {
  await send(ctx, userId, projectIds);
}
