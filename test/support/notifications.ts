// Mail that came in, as a provider tells of it.
import type { Context } from "../../src/context.ts";
import { takeNotification } from "../../src/sending/feedback/notifications.ts";

/** Takes a notification of each of these mails, one after the other. */
export async function applyNotifications(
  ctx: Context,
  mails: { to: string; from?: string }[],
): Promise<void> {
  for (const { to, from = "writer@people.example" } of mails) {
    const received = {
      recipients: [to],
      sender: { email: from, name: null },
      subject: "A question",
      messageId: `${crypto.randomUUID()}@people.example`,
      at: ctx.now(),
      verdicts: {},
    };
    await takeNotification(ctx, { messageId: crypto.randomUUID(), notices: [], received });
  }
}
