// Notifications of a mail provider on their way into the database, each once. Those that come while others are being
// committed share the next commit.
import { claimReceipts } from "../../accounts/webhook_receipts.ts";
import { createBatcher, togetherOrHalves } from "../../batcher.ts";
import { type Context, inTransaction, perService } from "../../context.ts";
import { describeError } from "../../log.ts";
import type { Notice, ReceivedMail } from "../../mail/notice.ts";
import { applyNotices } from "./mod.ts";
import { recordReceived } from "./received_mails.ts";

/** The content of one notification. */
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
/** While the database hangs, this many wait for it. The others are told to try again. */
const MAX_WAITING = 10_000;

/** Records a notification: committed when it resolves. One that was accepted before changes nothing. */
export async function takeNotification(ctx: Context, notification: Notification): Promise<void> {
  await takerOf(ctx)(notification);
}

const takerOf = perService((ctx) =>
  createBatcher(
    (notifications: Notification[]) => togetherOrHalves(notifications, (some) => takeAll(ctx, some)),
    {
      name: "take notifications",
      maxItems: MAX_BATCH,
      maxFlights: MAX_FLIGHTS,
      maxWaiting: MAX_WAITING,
      keysOf: ({ messageId }) => [messageId],
    },
  ),
);

async function takeAll(ctx: Context, notifications: Notification[]): Promise<null[]> {
  try {
    const { unknown, forNobody, overLimit } = await inTransaction(ctx, (tx) => takeNew(tx, notifications));
    for (const { kind, mail } of unknown) ctx.log.info("notice about an unknown mail", { kind, ...mail });
    if (forNobody > 0) ctx.log.info("mail received for no verified domain", { mails: forNobody });
    for (const [projectId, count] of overLimit) {
      ctx.log.warn("mail received beyond the limit of the month", { projectId, mails: count });
    }
    return notifications.map(() => null);
  } catch (error) {
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
