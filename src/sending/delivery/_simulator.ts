// A mail of a sandbox: kept in the inbox, and answered as its address asks. What comes later than the answer is reported by a
// job, through the same door as a provider's notices (`feedback/simulated.ts`).
import { isSandbox } from "../../accounts/projects/sandbox_id.ts";
import type { Jobs } from "../../jobs.ts";
import type { Handover, Mail, Mailer, ReadyMail, StreamedMail } from "../../mail/mailer.ts";
import { type Simulated, simulatedBy } from "../../mail/simulator.ts";
import type { OnItsWay } from "./_dkim.ts";
import type { ClaimedEmail } from "./emails.ts";
import type { MailOutcome } from "./outcomes.ts";

/** What a server replies, for those that do not simply take the mail. */
const REPLIES = {
  deferred: "451 4.7.1 Try again later (simulated)",
  failed: "554 5.7.1 The message was refused (simulated)",
};
/** These are taken, and told about later. */
const REPORTED: readonly Simulated[] = ["opened", "clicked", "complained", "bounced", "soft-bounced"];

/** Why a mail of a sandbox is not even tried; null where it is. */
export function simulatedReason({ projectId, address }: ClaimedEmail): string | null {
  const isSimulated = isSandbox(projectId) && simulatedBy(address) === "suppressed";
  return isSimulated ? "The address is on the suppression list (simulated)" : null;
}

/** Keeps a mail of a sandbox with `inbox`, and answers as its address asks. An address like others takes its mail at once. */
export async function handToSimulator(
  inbox: Pick<Mailer, "send">,
  { address, attempts }: ClaimedEmail,
  mail: Mail | ReadyMail | StreamedMail,
  { mayEnd, leaves }: OnItsWay,
): Promise<Handover> {
  const asked = simulatedBy(address);
  leaves();
  if (asked === "deferred" && attempts === 1) return { state: "deferred", response: REPLIES.deferred };
  const kept = await inbox.send(mail, mayEnd);
  if (kept.state !== "captured") return kept;
  if (asked === "failed") return { state: "refused", response: REPLIES.failed };
  const isDelivered = asked !== "bounced" && asked !== "soft-bounced";
  return { state: "accepted", response: "250 2.0.0 Kept in the inbox of the sandbox", isDelivered };
}

/** What is to be reported of mails that were taken, in the transaction that says so. */
export function simulatedReports(outcomes: MailOutcome[]): Jobs["report_simulated"][] {
  return outcomes.flatMap(({ project_id: projectId, id: emailId, address, status }) => {
    const isTaken = status === "SENT" || status === "DELIVERED";
    const outcome = isTaken && isSandbox(projectId) ? simulatedBy(address) : null;
    return outcome !== null && REPORTED.includes(outcome) ? [{ projectId, emailId, outcome }] : [];
  });
}
