// How segments look in requests and answers.
import { Type } from "@sinclair/typebox";
import { t } from "elysia";
import { conditionErrors } from "../../audience/conditions/tree.ts";
import { bounded, boundedText, CONDITION_SIZE } from "../entry/body_bounds.ts";
import { CONDITION_REF, documented } from "../entry/document.ts";
import { requiredError, withRules } from "../entry/field_errors.ts";
import { Contact, Data, HeaderText, Int, Nullable, Text, Timestamp, Uuid, Words } from "../entry/schemas.ts";

/** A segment. */
export const Segment = t.Object(
  {
    id: Uuid,
    name: t.String(),
    slug: t.String(),
    description: Nullable(t.String()),
    type: Words(["DYNAMIC", "STATIC"]),
    condition: Nullable(documented(Data, CONDITION_REF)),
    trackMembership: t.Boolean(),
    memberCount: Int,
    projectId: Uuid,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: "Segment" },
);

/** The fields and operators of conditions. */
export const Catalogue = t.Object(
  {
    fields: t.Array(
      t.Object({
        field: t.String({ examples: ["data.<key>"] }),
        kind: Words(["text", "boolean", "time", "data", "event", "segment"]),
        operators: t.Array(
          t.Object({
            operator: t.String(),
            operand: Words(["none", "text", "boolean", "time", "json", "ordered", "amount", "count"]),
          }),
        ),
        activities: t.Optional(t.Array(t.String(), { description: "The possible values of `<activity>`." })),
        sources: t.Optional(
          t.Array(t.String(), {
            description:
              "What a filter may name in addition, so that only mails of this campaign or template count. Not for the activity `received`.",
          }),
        ),
      }),
    ),
    units: t.Array(t.String()),
    logic: t.Array(t.String()),
  },
  { title: "OperatorCatalogue" },
);

/** The contacts that a condition matches. */
export const SegmentPreview = t.Object(
  {
    count: Int,
    reachable: Type.Integer({ description: "How many of them are subscribed." }),
    estimated: t.Boolean({ description: "The counts are extrapolated from a sample." }),
    sample: t.Array(Contact, { description: "The newest five." }),
  },
  { title: "SegmentPreview" },
);

const ExplainedFilter = t.Object(
  {
    field: t.String(),
    operator: t.String(),
    value: t.Optional(t.Unknown()),
    unit: t.Optional(t.String()),
    count: t.Optional(Int),
    campaignId: t.Optional(Nullable(t.String())),
    templateId: t.Optional(Nullable(t.String())),
    matches: t.Boolean(),
    found: t.Unknown({
      description:
        "The value; for an event `{count, lastAt}`, counted up to 1,000, within the period if the operator has one; for a segment its name.",
    }),
  },
  { title: "ExplainedFilter" },
);

const ExplainedCondition = t.Object(
  {
    logic: Words(["AND", "OR"]),
    matches: t.Boolean(),
    groups: t.Array(
      t.Object({
        matches: t.Boolean(),
        filters: t.Array(ExplainedFilter),
        conditions: t.Optional(documented(t.Unknown(), { $ref: "#/components/schemas/ExplainedCondition" })),
      }),
    ),
  },
  { title: "ExplainedCondition" },
);

/** Why a contact is in a segment, or is not. */
export const Explanation = t.Object(
  {
    contactId: Uuid,
    matches: t.Boolean(),
    condition: Nullable(ExplainedCondition),
    enteredAt: Nullable(Timestamp),
  },
  { title: "SegmentExplanation" },
);

/** How the sizes of all segments went. */
export const SegmentSizes = t.Object(
  {
    dates: t.Array(t.String({ format: "date" })),
    segments: t.Array(
      t.Object({ id: Uuid, members: t.Array(Nullable(Int)) }, { title: "SegmentSizesOfDays" }),
      { description: "The newest first." },
    ),
  },
  { title: "SegmentSizes" },
);

const Uses = t.Array(t.Object({ id: Uuid, name: t.String() }));

/** What refers to a segment. */
export const SegmentUsage = t.Object(
  { segments: Uses, campaigns: Uses, workflows: Uses, canDelete: t.Boolean() },
  { title: "SegmentUsage" },
);

const Name = Text({ format: "header-text", minLength: 1, maxLength: 100, pattern: "\\S" });
const Description = t.Optional(Nullable(Text({ maxLength: 500 })));
/** Addresses of members. */
export const Emails = t.Array(boundedText(t.String(), 320), { minItems: 1, maxItems: 500 });
/** A condition in a request. */
export const ConditionTree = documented(bounded(t.Unknown(), CONDITION_SIZE), CONDITION_REF);

/** Faults of the condition are listed together with those of the other fields. */
const conditionRules = ({ type, condition }: { type?: string; condition?: unknown }) =>
  type === "STATIC" || condition === undefined || condition === null ? [] : conditionErrors(condition);

/** What is wrong with a new segment, a missing name included. */
export const segmentRules = (body: { name?: string | null; type?: string; condition?: unknown }) => [
  ...(body.name?.trim() ? [] : [requiredError("name")]),
  ...conditionRules(body),
];

const SegmentFields = { description: Description, trackMembership: t.Optional(t.Boolean()) };

/** What creates a segment. A missing name is refused in a way of its own, where nothing else is wrong. */
export const SegmentBody = documented(
  withRules(
    t.Object({
      name: t.Optional(Nullable(HeaderText({ maxLength: 100 }))),
      type: t.Optional(Words(["DYNAMIC", "STATIC"])),
      condition: t.Optional(ConditionTree),
      ...SegmentFields,
    }),
    segmentRules,
  ),
  {
    title: "SegmentBody",
    anyOf: [
      t.Object(
        { name: Name, type: t.Optional(Words(["DYNAMIC"])), condition: ConditionTree, ...SegmentFields },
        {
          title: "DynamicSegmentBody",
          description: "Its members are all contacts that match the condition.",
        },
      ),
      t.Object(
        { name: Name, type: Words(["STATIC"]), ...SegmentFields },
        { title: "StaticSegmentBody", description: "Its members are a list that you manage." },
      ),
    ],
  },
);

/** What changes a segment. */
export const SegmentPatch = withRules(
  t.Object(
    {
      name: t.Optional(Name),
      description: Description,
      condition: t.Optional(ConditionTree),
      trackMembership: t.Optional(t.Boolean()),
    },
    { title: "SegmentPatch" },
  ),
  conditionRules,
);
