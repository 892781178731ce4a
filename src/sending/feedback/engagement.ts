// Opens and clicks on their way into the ledger. Those that come while others are being committed share the next commit.
import { createBatcher, togetherOrHalves } from "../../batcher.ts";
import { type Context, inTransaction, newId, perService } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { describeError } from "../../log.ts";
import { isBot } from "./_bots.ts";
import type { FollowedMail } from "../compose/followed_mail.ts";

// 500 a statement: more gains nothing, and one transaction should stay short.
const MAX_BATCH = 500;
// One works in the database while the other one gathers and is answered.
const MAX_FLIGHTS = 2;
/** While the database hangs, this many wait for it, some 10 MB. */
const MAX_WAITING = 20_000;

/** Records that a mail was opened: committed when it resolves. By a bot, as its headers say, it is only noted. */
export async function recordOpen(ctx: Context, mail: FollowedMail, headers: Headers): Promise<void> {
  await recorderOf(ctx)(hitOf(ctx, mail, headers, null));
}

/** Records that a link of a mail was followed: committed when it resolves. */
export async function recordClick(
  ctx: Context,
  mail: FollowedMail,
  headers: Headers,
  link: string,
): Promise<void> {
  await recorderOf(ctx)(hitOf(ctx, mail, headers, link));
}

/** An open, or with a link a click, as `engagement.record` takes it. */
interface Hit {
  project_id: string;
  email_id: string;
  event_id: string;
  link: string | null;
  is_bot: boolean;
  /** As its event tells it. */
  at: string;
}

function hitOf(ctx: Context, mail: FollowedMail, headers: Headers, link: string | null): Hit {
  return {
    project_id: mail.projectId,
    email_id: mail.emailId,
    event_id: newId(ctx),
    link,
    is_bot: isBot(headers),
    at: ctx.now().toISOString(),
  };
}

const recorderOf = perService((ctx) =>
  createBatcher((hits: Hit[]) => togetherOrHalves(hits, (some) => recordAll(ctx, some)), {
    name: "record engagement",
    maxItems: MAX_BATCH,
    maxFlights: MAX_FLIGHTS,
    maxWaiting: MAX_WAITING,
  }),
);

async function recordAll(ctx: Context, hits: Hit[]): Promise<null[]> {
  try {
    await inTransaction(ctx, (tx) =>
      q.engagement.record(tx, { hits: hits.map((hit, n) => ({ n, ...hit })) }),
    );
    return hits.map(() => null);
  } catch (error) {
    ctx.log.warn("opens or clicks not recorded", { count: hits.length, ...describeError(error) });
    throw error;
  }
}
