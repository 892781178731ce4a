// Campaigns, as something that people write in until it is sent.
import type { Campaign, CampaignPatch, Condition } from "../../api.gen.ts";
import { callForVersion } from "../../api.ts";
import type { Draft } from "../../parts/edits/draft.ts";
import type { Edited, Field, Stored as StoredOf } from "../../parts/edits/edited.ts";
import { MAIL_LABELS, type MailWords } from "../../parts/mail_editor/mail.ts";
import { MAIL_TYPES } from "../../parts/mail_types.ts";
import { keyOf } from "../../queries.ts";

/** What is written of a campaign; what is not there is empty. */
export interface Words extends MailWords {
  name: string;
  audienceType: Campaign["audienceType"];
  segmentId: string;
  /** As JSON; empty as long as it is not finished. */
  audienceCondition: string;
  /** What it was begun from. */
  templateId: string;
}

export type Stored = StoredOf<Campaign>;
export type CampaignDraft = Draft<Campaign, Words>;

const AUDIENCES: Record<Campaign["audienceType"], string> = {
  ALL: "All contacts",
  SEGMENT: "A segment",
  FILTERED: "A condition",
};

export const CAMPAIGN: Edited<Campaign, Words> = {
  noun: "campaign",
  wordsOf: ({ audienceCondition, ...campaign }) => ({
    name: campaign.name,
    subject: campaign.subject,
    preheader: campaign.preheader ?? "",
    body: campaign.body,
    from: campaign.from,
    fromName: campaign.fromName ?? "",
    replyTo: campaign.replyTo ?? "",
    type: campaign.type,
    audienceType: campaign.audienceType,
    segmentId: campaign.segmentId ?? "",
    audienceCondition: audienceCondition ? JSON.stringify(audienceCondition) : "",
    templateId: campaign.templateId ?? "",
  }),
  labels: {
    name: "Name",
    ...MAIL_LABELS,
    audienceType: "Audience",
    segmentId: "Segment",
    audienceCondition: "Condition",
    templateId: "Template",
  },
  shown(field, words) {
    if (field === "type") return MAIL_TYPES[words.type].label;
    return field === "audienceType" ? AUDIENCES[words.audienceType] : words[field];
  },
  keyOf: (projectId, id) => [...keyOf(projectId, "GET /campaigns/{id}", { path: { id } }), "version"],
  read: (id, options) => callForVersion("GET /campaigns/{id}", { path: { id } }, options),
  write: (id, words, fields, options) =>
    callForVersion("PATCH /campaigns/{id}", { path: { id }, body: patchOf(words, fields) }, options),
  isWhole: (words) => gapOf(words) === null,
  reads: ["GET /campaigns"],
};

/** What it lacks to be saved, and in which step that is fixed; null: nothing. */
export function gapOf(words: Words): { step: "content" | "audience"; text: string } | null {
  if (words.name.trim() === "") return { step: "content", text: "it needs a name" };
  if (words.from.trim() === "") return { step: "content", text: "it needs a sender" };
  if (words.subject.trim() === "") return { step: "content", text: "it needs a subject" };
  if (words.body.trim() === "") return { step: "content", text: "it needs a body" };
  if (words.audienceType === "SEGMENT" && words.segmentId === "") {
    return { step: "audience", text: "choose the segment" };
  }
  if (words.audienceType === "FILTERED" && words.audienceCondition === "") {
    return { step: "audience", text: "finish the condition" };
  }
  return null;
}

/** An audience of these words, as requests have it. The words have to be whole. */
export function audienceIn({ audienceType, segmentId, audienceCondition }: Words) {
  if (audienceType === "SEGMENT") return { audienceType, segmentId };
  if (audienceType === "ALL") return { audienceType };
  return { audienceType, audienceCondition: JSON.parse(audienceCondition) as Condition };
}

const AUDIENCE_FIELDS = new Set<Field<Words>>(["audienceType", "segmentId", "audienceCondition"]);
/** Those that are null where they are empty. */
const CLEARED = new Set<Field<Words>>(["preheader", "fromName", "replyTo", "templateId"]);

function patchOf(words: Words, fields: Field<Words>[]): CampaignPatch {
  const plain = fields.filter((field) => !AUDIENCE_FIELDS.has(field));
  const patch = Object.fromEntries(
    plain.map((field) => [field, CLEARED.has(field) ? words[field] || null : words[field]]),
  );
  const hasAudience = plain.length < fields.length;
  return { ...patch, ...(hasAudience && { segmentId: null, audienceCondition: null, ...audienceIn(words) }) };
}
