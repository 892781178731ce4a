// Notifications of a mail provider on their way into the database, each once. Those that come while others are being
// committed share the next commit.
import { claimReceipts } from "../../accounts/webhook_receipts.ts";
import { createBatcher } from "../../batcher.ts";
import { type Context, inTransaction, perService } from "../../context.ts";
import { isRefusal } from "../../database_errors.ts";
import { describeError } from "../../log.ts";
import type { Notice, ReceivedMail } from "../../mail/notice.ts";
import { applyNotices } from "./mod.ts";
import { recordReceived } from "./received_mails.ts";

/** What one notification says. */
export interface Notification {
  /** By what its sender knows it: who repeats it, repeats this. */
  messageId: string;
  notices: Notice[];
  received: ReceivedMail | null;
}

// 200 a statement: more gains little, and one transaction should stay short.
const MAX_BATCH = 200;
// One works in the database while the other one gathers and is answered.
const MAX_FLIGHTS = 2;
/** While the database hangs, so many wait for it. The others are told to come again. */
const MAX_WAITING = 10_000;

/** Writes down what a notification says: committed when it resolves. One that was taken before changes nothing. */
export async function takeNotification(ctx: Context, notification: Notification): Promise<void> {
  await takerOf(ctx)(notification);
}

const takerOf = perService((ctx) => {
  let waiting = 0;
  const take = createBatcher((notifications: Notification[]) => takeAll(ctx, notifications), {
    maxItems: MAX_BATCH,
    maxFlights: MAX_FLIGHTS,
    keyOf: ({ messageId }) => messageId,
  });
  return async (notification: Notification): Promise<void> => {
    if (waiting >= MAX_WAITING) throw new Error("Cannot take this: too many notifications are waiting");
    waiting++;
    try {
      await take(notification);
    } finally {
      waiting--;
    }
  };
});

/** All in one commit; if the database refuses one of them, each in its own, so that only the guilty one fails. */
async function takeAll(ctx: Context, notifications: Notification[]): Promise<(null | Error)[]> {
  try {
    const { unknown, forNobody, overLimit } = await inTransaction(ctx, (tx) => takeNew(tx, notifications));
    for (const { kind, mail } of unknown) ctx.log.info("notice about an unknown mail", { kind, ...mail });
    if (forNobody > 0) ctx.log.info("mail received for no verified domain", { mails: forNobody });
    for (const [projectId, count] of overLimit) {
      ctx.log.warn("mail received beyond the limit of the month", { projectId, mails: count });
    }
    return notifications.map(() => null);
  } catch (error) {
    if (notifications.length > 1 && isRefusal(error)) {
      const alone = (one: Notification) => takeAll(ctx, [one]).catch((refused: Error) => [refused]);
      return (await Promise.all(notifications.map(alone))).flat();
    }
    ctx.log.warn("notifications not taken", { count: notifications.length, ...describeError(error) });
    throw error;
  }
}

async function takeNew(tx: Context, notifications: Notification[]) {
  const ids = notifications.map(({ messageId }) => messageId);
  const claimed = await claimReceipts(tx, "sns", ids);
  const fresh = notifications.filter(({ messageId }) => claimed.has(messageId));
  const unknown = await applyNotices(
    tx,
    fresh.flatMap(({ notices }) => notices),
  );
  const unrecorded = await recordReceived(
    tx,
    fresh.flatMap(({ received }) => received ?? []),
  );
  return { unknown, ...unrecorded };
}
