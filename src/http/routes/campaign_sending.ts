// /campaigns/:id/…: what sends a campaign, stops it, or tries it out.
import { Elysia, t } from "elysia";
import type { Context } from "../../context.ts";
import { parseAddress } from "../../mail/address.ts";
import { cancelCampaign, sendCampaign, unscheduleCampaign } from "../../sending/campaigns/status.ts";
import { sendTestMail } from "../../sending/campaigns/test_mail.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { boundedText } from "../entry/body_bounds.ts";
import { documented } from "../entry/document.ts";
import { EditHeaders, editOf } from "../entry/edits.ts";
import { answers, EmailAddress, Nullable, PathId, Timestamp, Uuid } from "../entry/schemas.ts";
import { Campaign, campaignId, CampaignStatus, toCampaign } from "./_campaign_schemas.ts";
import { SentTest } from "./_mail_fields.ts";
import { scheduledTime } from "./_schedule.ts";

const one = { params: t.Object({ id: PathId }) };

/** The endpoints that send campaigns. */
export function campaignSendingRoutes(ctx: Context) {
  return new Elysia({ prefix: "/campaigns", detail: { tags: ["Campaigns"] } })
    .use(authenticateKey(ctx, "secret"))
    .post(
      "/:id/send",
      async ({ project, actor, headers, params: { id }, body }) => {
        const time = scheduledTime(body?.scheduledFor);
        const edit = editOf(actor, headers);
        const campaign = await sendCampaign(ctx, project.id, campaignId(id), time, actor, edit);
        const { name, status, scheduledFor } = campaign;
        const message =
          time === null
            ? "The campaign is being sent"
            : `The campaign is scheduled for ${time.toISOString()}`;
        return { success: true as const, data: { id: campaign.id, name, status, scheduledFor }, message };
      },
      {
        ...one,
        headers: EditHeaders,
        body: t.Optional(
          Nullable(
            t.Object({
              scheduledFor: t.Optional(
                documented(boundedText(t.Unknown({ description: "Default or null: now." }), 100), {
                  anyOf: [{ type: "string", format: "date-time" }, { type: "null" }],
                }),
              ),
            }),
          ),
        ),
        response: answers(
          t.Object({
            success: t.Literal(true),
            data: t.Object({
              id: Uuid,
              name: t.String(),
              status: CampaignStatus,
              scheduledFor: Nullable(Timestamp),
            }),
            message: t.String(),
          }),
          { refusals: [400, 402, 404, 409, 412, 413, 415, 422] },
        ),
        detail: {
          operationId: "sendCampaign",
          summary: "Send a campaign now, or schedule it",
          description:
            "Without a time, the audience is fixed and sending starts immediately; with `scheduledFor`, it starts at that time. A time without a zone is UTC. Sending a scheduled campaign again reschedules it. Refused with 400 for a time in the past or an empty audience, with 402 over a billing limit, with 409 unless it is a draft or scheduled, and with 412 if `If-Match` is given and somebody has changed the campaign since.",
        },
      },
    )
    .post(
      "/:id/unschedule",
      async ({ project, actor, params: { id } }) =>
        toCampaign(await unscheduleCampaign(ctx, project.id, campaignId(id), actor)),
      {
        ...one,
        response: answers(Campaign, { refusals: [404, 409, 422] }),
        detail: {
          operationId: "unscheduleCampaign",
          summary: "Make a scheduled campaign a draft again",
          description: "It is then not sent at its time. Refused with 409 unless it is scheduled.",
        },
      },
    )
    .post(
      "/:id/cancel",
      async ({ project, actor, params: { id } }) =>
        toCampaign(await cancelCampaign(ctx, project.id, campaignId(id), actor)),
      {
        ...one,
        response: answers(Campaign, { refusals: [404, 409, 422] }),
        detail: {
          operationId: "cancelCampaign",
          summary: "Cancel a campaign that is scheduled or being sent",
          description:
            "Mails that have not been handed to the mail server are never sent. Refused with 409 in any other state.",
        },
      },
    )
    .post(
      "/:id/test",
      async ({ project, params: { id }, body }) => {
        const address = parseAddress(body.email)!.email;
        const email = await sendTestMail(ctx, project.id, campaignId(id), address);
        const message = `A test is on its way to ${address}`;
        return { success: true as const, data: { email }, emailId: email, message };
      },
      {
        ...one,
        body: t.Object({ email: EmailAddress }),
        response: answers(SentTest, { refusals: [400, 402, 404, 413, 415, 422] }),
        detail: {
          operationId: "testCampaign",
          summary: "Send a test to one address; `emailId` is its id in the ledger",
          description:
            "The mail has `[TEST]` before its subject, and the data of the contact with that address, if there is one. It is not counted in statistics.",
        },
      },
    );
}
