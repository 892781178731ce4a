// /campaigns/:id/…: what happened to a campaign, mail by mail, link by link and hour by hour; and whom one would reach.
import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import type { Context } from "../../context.ts";
import { problems } from "../../problem/mod.ts";
import { countAudienceOf } from "../../sending/campaigns/reach.ts";
import { getCampaign } from "../../sending/campaigns/mod.ts";
import { campaignLinks, campaignReasons, campaignSeries } from "../../sending/campaigns/outcomes.ts";
import { countEmails, listEmails } from "../../sending/delivery/emails.ts";
import { COUNT_UP_TO } from "../../totals.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { answers, Int, PathId, QueryFlag, readFlag, Timestamp, Words } from "../entry/schemas.ts";
import { AudienceBody, campaignId } from "./_campaign_schemas.ts";
import { Email, EmailStatus } from "./_email_schemas.ts";
import { clampLimit, CursorList, CursorQuery, readIdCursor, toIdPage } from "./_lists.ts";
import { OutcomeCounts } from "./_mail_fields.ts";

const one = { params: t.Object({ id: PathId }) };

const CampaignLink = t.Object(
  {
    link: t.String(),
    clicks: Int,
    firstClicks: Type.Integer({ description: "Mails whose first click was on this link." }),
  },
  { title: "CampaignLink" },
);

const CampaignReason = t.Object(
  {
    status: Words(["BOUNCED", "FAILED", "COMPLAINED", "SUPPRESSED", "IN_DOUBT"]),
    reason: t.String({ description: "Without addresses and ids, so that equal reasons are grouped." }),
    mails: Int,
    example: t.String({ description: "The original reason of one of the mails." }),
    isSample: t.Boolean({ description: "There are more such mails: only the newest 1,000 are counted." }),
  },
  { title: "CampaignReason" },
);

const CampaignReach = t.Object(
  {
    totalRecipients: Type.Integer({
      description: "Mails that would be created: `reachable`, and those that the suppression list stops.",
    }),
    matching: Type.Integer({ description: "Contacts of the audience." }),
    unsubscribed: Type.Integer({
      description: "Those of them who get no mail because they are not subscribed.",
    }),
    suppressed: Type.Integer({ description: "Those of the rest whose address is on the suppression list." }),
    reachable: Type.Integer({ description: "The remaining contacts, who get the mail." }),
    estimated: t.Boolean(),
  },
  { title: "CampaignReach" },
);

const CampaignHour = t.Object(
  {
    hour: Timestamp,
    ...OutcomeCounts,
  },
  { title: "CampaignHour" },
);

/** The outcomes of campaigns. */
export function campaignOutcomesRoutes(ctx: Context) {
  return new Elysia({ prefix: "/campaigns", detail: { tags: ["Campaigns"] } })
    .use(authenticateKey(ctx, "secret"))
    .post("/audience", async ({ project, body }) => await countAudienceOf(ctx, project.id, body), {
      body: AudienceBody,
      response: answers(CampaignReach, { refusals: [404, 413, 415, 422] }),
      detail: {
        operationId: "countCampaignAudience",
        summary: "Count the audience of an unsaved campaign",
        description:
          "Marketing reaches only subscribed contacts; `type: TRANSACTIONAL` reaches everybody in the audience. If counting takes longer than a quarter of a second, the counts are estimated from a sample of contacts, and `estimated` is true.",
      },
    })
    .get(
      "/:id/recipients",
      async ({ project, params: { id }, query }) => {
        const { opened, clicked, unsubscribed, status } = query;
        const filter = {
          campaignId: campaignId(id),
          status,
          opened: readFlag(opened),
          clicked: readFlag(clicked),
          unsubscribed: readFlag(unsubscribed),
        };
        if (Object.values(filter).filter((value) => value !== undefined).length > 2) {
          throw problems.oneOutcome();
        }
        await getCampaign(ctx, project.id, filter.campaignId);
        const page = {
          limit: clampLimit(query.limit),
          afterId: readIdCursor(query.cursor),
          dir: "desc" as const,
        };
        const [rows, total] = await Promise.all([
          listEmails(ctx, project.id, filter, page),
          page.afterId === null ? countEmails(ctx, project.id, filter) : 0,
        ]);
        return toIdPage(rows, page.limit, total, total >= COUNT_UP_TO);
      },
      {
        ...one,
        query: t.Object({
          ...CursorQuery,
          status: t.Optional(EmailStatus),
          opened: QueryFlag("Who opened it, or who did not."),
          clicked: QueryFlag("Who clicked, or who did not."),
          unsubscribed: QueryFlag("Who unsubscribed by it, or who did not."),
        }),
        response: answers(CursorList(Email), { refusals: [400, 404, 422] }),
        detail: {
          operationId: "listCampaignRecipients",
          summary: "List the mails of a campaign by outcome",
          description:
            "A cursor list with one row per recipient; only one filter at a time. `total` counts up to 100,000.",
        },
      },
    )
    .get(
      "/:id/links",
      async ({ project, params: { id } }) => await campaignLinks(ctx, project.id, campaignId(id)),
      {
        ...one,
        response: answers(t.Array(CampaignLink), { refusals: [404, 422] }),
        detail: {
          operationId: "listCampaignLinks",
          summary: "List the links of a campaign that people followed, most followed first",
          description:
            "Up to 100, with the clicks of people; clicks of filters and mail programs do not count.",
        },
      },
    )
    .get(
      "/:id/reasons",
      async ({ project, params: { id } }) => await campaignReasons(ctx, project.id, campaignId(id)),
      {
        ...one,
        response: answers(t.Array(CampaignReason), { refusals: [404, 422] }),
        detail: {
          operationId: "listCampaignReasons",
          summary: "List why mails of a campaign did not arrive, most frequent reason first",
          description:
            "Up to 50 reasons, of mails that bounced, failed, were suppressed, are in doubt, or were reported as spam.",
        },
      },
    )
    .get(
      "/:id/series",
      async ({ project, params: { id } }) => await campaignSeries(ctx, project.id, campaignId(id)),
      {
        ...one,
        response: answers(t.Array(CampaignHour), { refusals: [404, 422] }),
        detail: {
          operationId: "getCampaignSeries",
          summary: "Show the outcomes of a campaign per hour",
          description:
            "The hours (UTC) with activity, in the 30 days since it was sent. Opens and clicks count each mail once.",
        },
      },
    );
}
