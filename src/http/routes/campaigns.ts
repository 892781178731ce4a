// /campaigns: one message to a part of the audience. Create, send and test answer in an envelope, as the specification has it.
import { Elysia, t } from "elysia";
import type { Context } from "../../context.ts";
import {
  type Campaign as CampaignRow,
  campaignTag,
  createCampaign,
  deleteCampaign,
  duplicateCampaign,
  getCampaign,
  listCampaigns,
  patchCampaign,
  replaceCampaign,
} from "../../sending/campaigns/mod.ts";
import { previewMessage, previewUnsaved } from "../../sending/compose/preview.ts";
import { EditHeaders, editOf } from "../entry/edits.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import {
  Campaign,
  CampaignBody,
  campaignId,
  CampaignPatchBody,
  CampaignStats,
  CampaignStatus,
  ListedCampaign,
  statsOf,
  toCampaign,
} from "./_campaign_schemas.ts";
import { assertDraftCampaign } from "./_drafts.ts";
import { FieldsQuery, orderQuery, pageList, PageQuery, picked, readFields, readPage } from "./_lists.ts";
import { Preview, PreviewBody, UnsavedPreview, UnsavedPreviewBody } from "./_preview_schemas.ts";
import { audienceWarnings } from "../../sending/campaigns/input.ts";
import { bodyWarnings } from "../entry/body_plans.ts";
import { answers, PathId, Text, Warnings } from "../entry/schemas.ts";

const one = { params: t.Object({ id: PathId }) };

const SEGMENT_GONE =
  "The segment of the campaign has been deleted: choose another audience before you send the copy";

const SORTS = ["name", "createdAt", "updatedAt"] as const;

/** The campaign endpoints, in the order of the specification's table. */
export function campaignsRoutes(ctx: Context) {
  return new Elysia().use(collectionRoutes(ctx)).use(itemRoutes(ctx));
}

/** `/campaigns`, and what needs none of them. */
function collectionRoutes(ctx: Context) {
  return new Elysia({ prefix: "/campaigns", detail: { tags: ["Campaigns"] } })
    .use(authenticateKey(ctx, "secret"))
    .get(
      "/",
      async ({ project, query }) => {
        const page = readPage(query);
        const sort = SORTS.find((column) => column === query.sort) ?? "createdAt";
        const dir = query.dir === "asc" ? "asc" : "desc";
        const { status, search } = query;
        const fields = readFields(Campaign, query.fields);
        const { data, total } = await listCampaigns(ctx, project.id, {
          ...page,
          status,
          search,
          sort,
          dir,
          withBody: fields.includes("body"),
        });
        return {
          data: data.map((campaign) => picked(toCampaign(campaign), fields)),
          total,
          ...page,
          totalPages: Math.ceil(total / page.pageSize),
        };
      },
      {
        query: t.Object({
          ...PageQuery,
          status: t.Optional(CampaignStatus),
          search: t.Optional(Text({ maxLength: 255, description: "Part of the name, subject or sender." })),
          ...FieldsQuery,
          ...orderQuery(["createdAt", "name", "updatedAt"]),
        }),
        response: answers(pageList(ListedCampaign), { refusals: [400] }),
        detail: {
          operationId: "listCampaigns",
          summary: "List campaigns",
          description:
            "A page list with the counters of each. An unknown `status` is refused with 400; unknown values of `sort` and `dir` count as the default.",
        },
      },
    )
    .post(
      "/",
      async ({ project, actor, headers, body, request, set }) => {
        const campaign = await createCampaign(ctx, project.id, body, editOf(actor, headers));
        set.status = 201;
        const warnings = [...(bodyWarnings(request).warnings ?? []), ...audienceWarnings(body)];
        const answer = { success: true as const, data: tagged(set, campaign) };
        return warnings.length > 0 ? { ...answer, warnings } : answer;
      },
      {
        body: CampaignBody,
        response: answers(t.Object({ success: t.Literal(true), data: Campaign, ...Warnings }), {
          status: 201,
          refusals: [400, 404, 413, 415, 422],
        }),
        detail: {
          operationId: "createCampaign",
          summary: "Create a draft",
          description:
            "Creates a draft and counts its audience. Content comes from the request, or from `templateId` for fields that the request leaves out. The sender's domain must be verified (403). An error lists every missing or invalid field. `warnings` names what was ignored, such as a segment with `audienceType: ALL`.",
        },
      },
    )
    .post("/preview", async ({ project, body }) => await previewUnsaved(ctx, project.id, body), {
      body: UnsavedPreviewBody,
      response: answers(UnsavedPreview, { refusals: [404, 413, 415, 422] }),
      detail: {
        operationId: "previewUnsavedCampaign",
        summary: "Render an unsaved campaign",
        description:
          "Refused with the same 422 as saving it, with line and column. `missing` lists the variables without a value, `warnings` likely problems for recipients or mail programs.",
      },
    });
}

/** `/campaigns/:id`. */
function itemRoutes(ctx: Context) {
  return new Elysia({ prefix: "/campaigns", detail: { tags: ["Campaigns"] } })
    .use(authenticateKey(ctx, "secret"))
    .get(
      "/:id",
      async ({ project, params: { id }, set }) =>
        tagged(set, await getCampaign(ctx, project.id, campaignId(id))),
      {
        ...one,
        response: answers(Campaign, { refusals: [404, 422] }),
        detail: {
          operationId: "getCampaign",
          summary: "Get a campaign",
          description: "One campaign, with its current counters.",
        },
      },
    )
    .put(
      "/:id",
      async ({ project, actor, headers, params: { id }, body, set }) => {
        const edit = editOf(actor, headers);
        return tagged(set, await replaceCampaign(ctx, project.id, campaignId(id), body, edit));
      },
      {
        ...one,
        beforeHandle: async (call) => await assertDraftCampaign(ctx, call),
        headers: EditHeaders,
        body: CampaignBody,
        response: answers(Campaign, { refusals: [400, 404, 409, 412, 413, 415, 422] }),
        detail: {
          operationId: "replaceCampaign",
          summary: "Replace a draft or a scheduled campaign; omitted fields become empty",
          description: "Takes the same fields as creating one. Refused with 409 once it is being sent.",
        },
      },
    )
    .patch(
      "/:id",
      async ({ project, actor, headers, params: { id }, body, set }) => {
        const edit = editOf(actor, headers);
        return tagged(set, await patchCampaign(ctx, project.id, campaignId(id), body, edit));
      },
      {
        ...one,
        beforeHandle: async (call) => await assertDraftCampaign(ctx, call),
        headers: EditHeaders,
        body: CampaignPatchBody,
        response: answers(Campaign, { refusals: [400, 404, 409, 412, 413, 415, 422] }),
        detail: {
          operationId: "updateCampaign",
          summary: "Change a draft or a scheduled campaign; omitted fields stay",
          description: "Takes any of the fields of a campaign. Refused with 409 once it is being sent.",
        },
      },
    )
    .delete(
      "/:id",
      async ({ project, actor, headers, params: { id }, set }) => {
        await deleteCampaign(ctx, project.id, campaignId(id), editOf(actor, headers));
        set.status = 204;
      },
      {
        ...one,
        headers: EditHeaders,
        response: answers(t.Void(), { status: 204, refusals: [404, 409, 412, 422] }),
        detail: {
          operationId: "deleteCampaign",
          summary: "Delete a campaign; its mails stay in the ledger",
          description: "Refused with 409 while it is scheduled or being sent: cancel it first.",
        },
      },
    )
    .post(
      "/:id/duplicate",
      async ({ project, params: { id }, set }) => {
        const copy = await duplicateCampaign(ctx, project.id, campaignId(id));
        set.status = 201;
        const isWithoutSegment = copy.audienceType === "SEGMENT" && copy.segmentId === null;
        return { ...tagged(set, copy), ...(isWithoutSegment && { warnings: [SEGMENT_GONE] }) };
      },
      {
        ...one,
        response: answers(t.Object({ ...Campaign.properties, ...Warnings }), {
          status: 201,
          refusals: [404, 422],
        }),
        detail: {
          operationId: "duplicateCampaign",
          summary: "Copy a campaign to a new draft",
          description:
            "The copy has the content and the audience, but no history. If the segment no longer exists, the audience is empty, and `warnings` says so.",
        },
      },
    )
    .get(
      "/:id/stats",
      async ({ project, params: { id } }) => statsOf(await getCampaign(ctx, project.id, campaignId(id))),
      {
        ...one,
        response: answers(CampaignStats, { refusals: [404, 422] }),
        detail: {
          operationId: "getCampaignStats",
          summary: "Outcomes of a campaign's mails; rates are percentages of those sent",
          description:
            "Counters are kept as mails change, not counted on request. Opens and clicks count each mail once, without bots.",
        },
      },
    )
    .post(
      "/:id/preview",
      async ({ project, params: { id }, body }) => {
        const campaign = await getCampaign(ctx, project.id, campaignId(id));
        return await previewMessage(ctx, project.id, campaign, body ?? {});
      },
      {
        ...one,
        body: PreviewBody,
        response: answers(Preview, { refusals: [400, 404, 413, 415, 422] }),
        detail: {
          operationId: "previewCampaign",
          summary: "Render a campaign for a contact, or for sample data",
          description:
            "Renders subject, HTML and text with the data of a contact, or with the given `data`. `missing` lists the variables without a value. Nothing is sent.",
        },
      },
    );
}

/** A campaign as the API shows it, with the `ETag` of what people edit of it. */
function tagged(set: { headers: Record<string, unknown> }, campaign: CampaignRow) {
  set.headers.etag = campaignTag(campaign);
  return toCampaign(campaign);
}
