// What the simulator of a sandbox reports after it has taken a mail. It goes the way of a provider's notices, so that the ledger,
// events, workflows, webhooks and figures follow as they do in live mail.
import { type Context, inTransaction } from "../../context.ts";
import type { Jobs } from "../../jobs.ts";
import type { Notice } from "../../mail/notice.ts";
import { SIMULATOR_DOMAIN } from "../../mail/simulator.ts";
import { applyNotices } from "./mod.ts";

/** As a person's: a program that says nothing of itself counts as a bot. */
const USER_AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const LINK = `https://${SIMULATOR_DOMAIN}/`;

/** Records what a mail came to. A second run changes nothing, except that an open or a click counts once more. */
export async function reportSimulated(
  ctx: Context,
  { projectId, emailId, outcome }: Jobs["report_simulated"],
): Promise<void> {
  const said = {
    mail: { projectId, emailId, providerId: null },
    at: ctx.now(),
    sentAt: null,
    recipient: null,
  };
  const notices = noticesOf(outcome).map((notice) => ({ ...said, ...notice }));
  await inTransaction(ctx, (tx) => applyNotices(tx, notices as Notice[]));
}

type Told<N = Notice> = N extends Notice ? Omit<N, "mail" | "at" | "sentAt" | "recipient"> : never;

function noticesOf(outcome: Jobs["report_simulated"]["outcome"]): Told[] {
  switch (outcome) {
    case "opened":
      return [{ kind: "open", userAgent: USER_AGENT }];
    case "clicked":
      return [
        { kind: "open", userAgent: USER_AGENT },
        { kind: "click", link: LINK, userAgent: USER_AGENT },
      ];
    case "complained":
      return [{ kind: "complaint" }];
    case "bounced":
      return [{ kind: "bounce", bounceType: "Permanent", diagnostic: "550 5.1.1 No such user (simulated)" }];
    case "soft-bounced":
      return [{ kind: "bounce", bounceType: "Transient", diagnostic: "452 4.2.2 Mailbox full (simulated)" }];
    default:
      return [];
  }
}
