import type { Context } from "../src/context.ts";
import type { Jobs } from "../src/jobs.ts";
import { deliverPlatformMail } from "../src/sending/platform/mod.ts";

/** Sends a mail of the installation. A second run sends nothing. */
export async function sendPlatformMail(ctx: Context, { mailId }: Jobs["send_platform_mail"]): Promise<void> {
  await deliverPlatformMail(ctx, mailId);
}
