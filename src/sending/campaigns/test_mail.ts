import { withPreheader } from "../../content/preheader.ts";
import { assertSenderVerified } from "../../accounts/projects/domains.ts";
import { compileTemplate } from "../../content/handlebars/mod.ts";
import { type Context, inTransaction, newId } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { type Campaign, getCampaign } from "./mod.ts";
import { enterLedger } from "../send/ledger.ts";

const PREFIX = "[TEST] ";

/**
 * Sends a campaign to one address as a test: with the data of the contact who has that address, or with the names of
 * the variables in their place. It is a mail of its own in the ledger: no contact is created, no subscription is
 * checked, and the campaign's counters stay the same. Returns the id of the mail. It counts as a transactional one:
 * throws BILLING_LIMIT_EXCEEDED where none of those is left.
 */
export async function sendTestMail(
  ctx: Context,
  projectId: string,
  campaignId: string,
  email: string,
): Promise<string> {
  const campaign = await getCampaign(ctx, projectId, campaignId);
  await assertSenderVerified(ctx, projectId, campaign.fromEmail);
  return await inTransaction(ctx, async (tx) => {
    const contact = await q.contacts.dataByEmail(tx, { projectId, email });
    const contentId = newId(tx);
    const emailId = newId(tx);
    await q.contents.insert(tx, {
      projectId,
      id: contentId,
      // Cut, where it is too long, when it is rendered.
      subject: PREFIX + campaign.subject,
      html: withPreheader(campaign.html, campaign.preheader),
      text: null,
      fromEmail: campaign.fromEmail,
      fromName: campaign.fromName,
      replyTo: campaign.replyTo,
      headers: null,
      data: contact?.data ?? sampleOf(campaign),
      templateId: campaign.templateId,
      type: campaign.type,
      shared: false,
    });
    const mail = { id: emailId, contact_id: null, address: email, to_name: null };
    await enterLedger(tx, { projectId, id: contentId, templateId: null }, [mail]);
    return emailId;
  });
}

/** Every variable with its own name as its value. */
function sampleOf({ subject, html }: Campaign & { html: string }): Record<string, unknown> {
  const names = [compileTemplate(subject, "subject"), compileTemplate(html, "html")].flatMap(
    (template) => template.variables,
  );
  return Object.fromEntries(names.filter((name) => /^[^.[\]@/]+$/.test(name)).map((name) => [name, name]));
}
