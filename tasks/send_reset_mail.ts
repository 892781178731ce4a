import type { Context } from "../src/context.ts";
import type { Jobs } from "../src/jobs.ts";
import { sendResetMail as send } from "../src/sending/platform/account_mails.ts";

/** Sends a way to a new password. A second run sends another mail, whose link is as good. */
export async function sendResetMail(ctx: Context, { email }: Jobs["send_reset_mail"]): Promise<void> {
  await send(ctx, email);
}
