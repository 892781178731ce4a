import type { Context } from "../src/context.ts";
import type { Jobs } from "../src/jobs.ts";
import { sendDepartureMail as send } from "../src/sending/platform/departure_mail.ts";

/** Tells those of a project that an account which looked after it was removed. A second run sends the mails again. */
export async function sendDepartureMail(
  ctx: Context,
  { projectId, email, owned }: Jobs["send_departure_mail"],
): Promise<void> {
  await send(ctx, projectId, { email, owned });
}
