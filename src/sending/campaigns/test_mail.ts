import type { Context } from "../../context.ts";
import { sendTest } from "../send/test_mail.ts";
import { getCampaign } from "./mod.ts";

/** Sends a campaign to one address as a test, which leaves its counters as they are: see `sendTest`. */
export async function sendTestMail(
  ctx: Context,
  projectId: string,
  campaignId: string,
  email: string,
): Promise<string> {
  const { subject, preheader, html, fromEmail, fromName, replyTo, type, templateId } = await getCampaign(
    ctx,
    projectId,
    campaignId,
  );
  const message = { subject, preheader, html, fromEmail, fromName, replyTo, type, templateId };
  return await sendTest(ctx, projectId, message, email);
}
