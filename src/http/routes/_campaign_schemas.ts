// How a campaign looks in requests and answers.
import { Type } from "@sinclair/typebox";
import { t } from "elysia";
import { percent } from "../../percent.ts";
import { problems } from "../../problem/mod.ts";
import type { Campaign as CampaignRow } from "../../sending/campaigns/mod.ts";
import { audienceErrors, campaignErrors, campaignPatchErrors } from "../../sending/campaigns/input.ts";
import { bounded, CONDITION_SIZE } from "../entry/body_bounds.ts";
import { CONDITION_REF, documented } from "../entry/document.ts";
import { withRules } from "../entry/field_errors.ts";
import {
  Data,
  EmailAddress,
  HeaderText,
  IdOf,
  Int,
  isUuid,
  Nullable,
  Preheader,
  Text,
  Timestamp,
  Uuid,
  Words,
} from "../entry/schemas.ts";
import { MailFields, MessageType } from "./_mail_fields.ts";
import { ConditionTree } from "./_segment_schemas.ts";

/** The states of a campaign. */
export const CampaignStatus = Words(["DRAFT", "SCHEDULED", "SENDING", "SENT", "CANCELLED"]);

const AudienceType = Words(["ALL", "SEGMENT", "FILTERED"]);

const Counts = {
  totalRecipients: Int,
  sentCount: Int,
  deliveredCount: Int,
  openedCount: Int,
  clickedCount: Int,
  bouncedCount: Int,
  complainedCount: Int,
  unsubscribedCount: Int,
  failedCount: Int,
  capturedCount: Int,
  processedCount: Type.Integer({
    description:
      "Mails that have an outcome, of `totalRecipients`: the progress of a campaign that is being sent.",
  }),
};

/** A campaign. */
export const Campaign = t.Object(
  {
    id: Uuid,
    ...MailFields,
    status: CampaignStatus,
    audienceType: AudienceType,
    segmentId: Nullable(Uuid),
    audienceCondition: Nullable(documented(Data, CONDITION_REF)),
    templateId: Nullable(Uuid),
    scheduledFor: Nullable(Timestamp),
    ...Counts,
    projectId: Uuid,
    sentAt: Nullable(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: "Campaign" },
);

/** A campaign in a list: of what `fields` names, or all of it. */
export const ListedCampaign = t.Partial(Campaign, { title: "ListedCampaign" });

/** A campaign of the database as the API shows it. */
export function toCampaign<T extends Pick<CampaignRow, "fromEmail" | "audienceCondition">>({
  fromEmail,
  ...campaign
}: T) {
  return {
    ...campaign,
    from: fromEmail,
    audienceCondition: campaign.audienceCondition as Record<string, unknown> | null,
  };
}

const MAX_BODY_CHARS = 1_048_576;

const SegmentId = IdOf("a segment");
const TemplateId = IdOf("a template");
const Subject = Text({ format: "header-text", minLength: 1, maxLength: 998, pattern: "\\S" });
const Body = Text({
  minLength: 1,
  maxLength: MAX_BODY_CHARS,
  description: "HTML or MJML, with `{{variables}}`.",
});

/** What every campaign may have besides its content and its audience. */
const CampaignFields = {
  name: Text({ format: "header-text", minLength: 1, maxLength: 255, pattern: "\\S" }),
  description: t.Optional(Nullable(Text({ maxLength: 1000 }))),
  preheader: t.Optional(Nullable(Preheader)),
  fromName: t.Optional(Nullable(HeaderText({ maxLength: 255 }))),
  replyTo: t.Optional(Nullable(EmailAddress)),
  type: t.Optional(Nullable(MessageType)),
};

const ContentFields = {
  subject: t.Optional(Nullable(Subject)),
  body: t.Optional(Nullable(Body)),
  from: t.Optional(Nullable(EmailAddress)),
};

const AudienceFields = {
  audienceType: AudienceType,
  segmentId: t.Optional(Nullable(SegmentId)),
  audienceCondition: t.Optional(
    documented(
      bounded(t.Unknown({ description: "Required when audienceType is FILTERED." }), CONDITION_SIZE),
      { anyOf: [CONDITION_REF, { type: "null" }] },
    ),
  ),
};

/** An audience with what its type needs, for the document. */
const AUDIENCES = {
  Whole: { ...AudienceFields, audienceType: Words(["ALL"]) },
  Segment: { ...AudienceFields, audienceType: Words(["SEGMENT"]), segmentId: SegmentId },
  Filtered: { ...AudienceFields, audienceType: Words(["FILTERED"]), audienceCondition: ConditionTree },
};

/** The content of a campaign: of a template, whose parts may be replaced, or all of it. */
const CONTENTS = {
  TemplateCampaign: { templateId: TemplateId, ...ContentFields },
  Campaign: { subject: Subject, body: Body, from: EmailAddress, templateId: t.Optional(t.Null()) },
};

/** Every content for every audience. */
const CAMPAIGNS = Object.entries(CONTENTS).flatMap(([noun, content]) =>
  Object.entries(AUDIENCES).map(([kind, audience]) =>
    t.Object({ ...CampaignFields, ...content, ...audience }, { title: `${kind}${noun}Body` }),
  ),
);

const CampaignParts = t.Object({
  ...CampaignFields,
  ...ContentFields,
  ...AudienceFields,
  templateId: t.Optional(Nullable(TemplateId)),
});

/** What creates or replaces a campaign. Subject, body and sender may come from the template. */
export const CampaignBody = documented(withRules(t.Object(CampaignParts.properties), campaignErrors), {
  title: "CampaignBody",
  anyOf: CAMPAIGNS,
});

const Purpose = { type: t.Optional(Nullable(MessageType)) };

/** The audience of a campaign that is not saved. */
export const AudienceBody = documented(
  withRules(t.Object({ ...AudienceFields, ...Purpose }), audienceErrors),
  {
    title: "AudienceBody",
    oneOf: Object.entries(AUDIENCES).map(([kind, audience]) =>
      t.Object({ ...audience, ...Purpose }, { title: `${kind}Audience` }),
    ),
  },
);

/** What changes a campaign: any of it. */
export const CampaignPatchBody = withRules(
  t.Partial(CampaignParts, { title: "CampaignPatch" }),
  campaignPatchErrors,
);

const Rate = t.Number({ description: "Percent, with two decimals." });

/** What happened to the mails of a campaign. */
export const CampaignStats = t.Object(
  {
    ...Counts,
    openRate: Rate,
    clickRate: Rate,
    bounceRate: Rate,
    deliveryRate: Rate,
    complaintRate: Rate,
    unsubscribeRate: Rate,
  },
  { title: "CampaignStats" },
);

/** The counters, and their percentages of the mails sent (guides/campaigns.md). */
export function statsOf(campaign: CampaignRow) {
  const { sentCount } = campaign;
  const rate = (count: number) => percent(count, sentCount);
  const counts = Object.fromEntries(
    Object.keys(Counts).map((name) => [name, campaign[name as keyof typeof Counts]]),
  ) as { [Name in keyof typeof Counts]: number };
  return {
    ...counts,
    openRate: rate(counts.openedCount),
    clickRate: rate(counts.clickedCount),
    bounceRate: rate(counts.bouncedCount),
    deliveryRate: rate(counts.deliveredCount),
    complaintRate: rate(counts.complainedCount),
    unsubscribeRate: rate(counts.unsubscribedCount),
  };
}

/** The id of a campaign in a path. One that is not a UUID is refused here, instead of not found. */
export function campaignId(id: string): string {
  if (isUuid(id)) return id;
  throw problems.invalid([{ field: "id", code: "invalid_string", message: "Expected a UUID", received: id }]);
}
