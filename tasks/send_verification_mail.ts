import type { Context } from "../src/context.ts";
import type { Jobs } from "../src/jobs.ts";
import { sendVerificationMail as send } from "../src/sending/platform/account_mails.ts";

/** Asks whether an address is theirs. A second run sends another mail, whose link is as good. */
export async function sendVerificationMail(
  ctx: Context,
  { email }: Jobs["send_verification_mail"],
): Promise<void> {
  await send(ctx, email);
}
