// Complaint reports of mailbox providers (ARF, RFC 5965) that the operator of a mail server passes on: whoever knows the secret of
// the webhook is believed, so that, besides the return path, the id of the mail in its Message-ID names it.
import { createHash } from "node:crypto";
import type { Context } from "../../../context.ts";
import { q } from "../../../db/queries.ts";
import { readMailReport } from "../../../mail/bounce_reports.ts";
import type { MailName } from "../../../mail/notice.ts";
import { problems } from "../../../problem/mod.ts";
import { mailNamedIn } from "../../compose/return_paths.ts";
import { returnedNotice } from "../bounce_mails.ts";
import type { ProviderEvent } from "./_provider.ts";

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
/** Our own ones: `<id of the mail>@<domain of its sender>`. */
const MESSAGE_ID = new RegExp(`^message-id:\\s*<(${UUID})@([a-z0-9.-]{1,253})>`, "im");
/** Projects with a domain of one name. */
const MAX_PROJECTS = 20;

/**
 * The complaints in a report, each about every mail that it may mean: there is one at most. `projectId`: whose mails it may be about;
 * null: anybody's. Throws 422 for what is no report.
 */
export async function readComplaint(
  ctx: Context,
  source: Uint8Array,
  projectId: string | null,
): Promise<ProviderEvent[]> {
  const { findings, evidence } = await readMailReport(source, false);
  const complaints = findings.filter(({ kind }) => kind === "complaint");
  if (evidence === "") throw problems.badRequest("Cannot find a complaint report in this", ADVICE);
  if (complaints.length === 0) return [];
  const mails = await mailsNamedIn(ctx, evidence, projectId);
  if (mails.length === 0) ctx.log.info("a complaint about an unknown mail", { projectId });
  const hash = createHash("sha256").update(source).digest("hex");
  return mails.flatMap((mail) =>
    complaints.map((finding) => ({
      id: `${mail.projectId} ${mail.emailId} ${hash}`,
      notice: returnedNotice(ctx, mail, finding),
    })),
  );
}

const ADVICE =
  "Send the whole mail as the body, with its message/feedback-report part: curl --data-binary @report.eml";

async function mailsNamedIn(ctx: Context, evidence: string, projectId: string | null): Promise<MailName[]> {
  const proven = await mailNamedIn(ctx, evidence);
  if (proven) return [proven];
  const [, emailId, domain] = MESSAGE_ID.exec(evidence) ?? [];
  if (!emailId || !domain) return [];
  const owners =
    projectId === null
      ? (await q.receivedMails.receivers(ctx, { domains: [domain.toLowerCase()] })).map(
          (row) => row.projectId,
        )
      : [projectId];
  return owners
    .slice(0, MAX_PROJECTS)
    .map((owner) => ({ projectId: owner, emailId: emailId.toLowerCase(), providerId: null }));
}
