// How the feed looks in requests and answers.
import { t } from "elysia";
import { ACTIVITY_TYPES, type ActivityType } from "../../insight/activity/types.ts";
import type { FieldError } from "../../problem/mod.ts";
import { Data, Timestamp, Uuid, Words } from "../entry/schemas.ts";

/** A type of the feed's items. */
export const TypeWord = Words(ACTIVITY_TYPES);

const Item = {
  timestamp: Timestamp,
  contactEmail: t.Optional(t.String()),
  contactId: t.Optional(Uuid),
};

/** One item of the feed. */
export const ActivityItem = t.Object(
  {
    id: t.String({ description: "An event's own id; otherwise the type with the id of the resource." }),
    type: TypeWord,
    ...Item,
    metadata: t.Unsafe<Record<string, unknown>>({
      ...Data,
      description:
        "Of events and subscriptions `{eventName, eventData}`; of mails `{emailId, subject, from, sourceType, campaignName?, " +
        "workflowName?, link?, error?, machine?}`, where `machine` marks an open or a click that no person made; of campaigns " +
        "`{campaignId, campaignName}`; of workflows `{workflowId, workflowName, status, exitReason?}`, as it is now.",
    }),
  },
  { title: "Activity" },
);

/** Something that is to happen. */
export const UpcomingItem = t.Object(
  {
    id: t.String(),
    type: Words(["campaign.scheduled", "workflow.waiting"]),
    ...Item,
    metadata: t.Unsafe<Record<string, unknown>>({
      ...Data,
      description:
        "Of campaigns `{campaignId, campaignName}`; of workflows `{workflowId, workflowName, status, stepName, stepType}`.",
    }),
  },
  { title: "UpcomingActivity" },
);

const isType = (word: string): word is ActivityType => (ACTIVITY_TYPES as readonly string[]).includes(word);

/** The types of a list with commas; undefined if there are none. */
export function readTypes(types: string | undefined): ActivityType[] | undefined {
  const words = wordsOf(types).filter(isType);
  return words.length > 0 ? words : undefined;
}

/** What is wrong with such a list. */
export function typesErrors(types: string | undefined): FieldError[] {
  const unknown = wordsOf(types).find((word) => !isType(word));
  if (unknown === undefined) return [];
  const message = `Expected some of ${ACTIVITY_TYPES.join(", ")}, with commas between them`;
  return [{ field: "types", code: "invalid_enum_value", message, received: unknown.slice(0, 100) }];
}

function wordsOf(types = ""): string[] {
  return types
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}
