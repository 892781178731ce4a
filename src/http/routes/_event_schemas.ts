// How events look in requests and answers.
import { Type } from "@sinclair/typebox";
import { t } from "elysia";
import { trackInputErrors } from "../../insight/events/tracking.ts";
import { withRules } from "../entry/field_errors.ts";
import { Data, EmailAddress, Int, Nullable, Text, Timestamp, Uuid } from "../entry/schemas.ts";

/** An event. */
export const Event = t.Object(
  {
    id: Uuid,
    name: t.String(),
    data: Data,
    contactId: Nullable(Uuid),
    emailId: Nullable(Uuid),
    projectId: Uuid,
    createdAt: Timestamp,
  },
  { title: "Event" },
);

/** An event in a list. */
export const ListedEvent = t.Object(
  {
    ...Event.properties,
    contact: Nullable(t.Object({ id: Uuid, email: t.String() })),
  },
  { title: "ListedEvent" },
);

/** The answer of a list of events. */
export const EventList = <T extends typeof Event | typeof ListedEvent>(event: T) =>
  t.Object({ events: t.Array(event), cursor: Nullable(t.String()), hasMore: t.Boolean() });

/** How often an event was recorded. */
export const EventCount = t.Object({ name: t.String(), count: Int }, { title: "EventCount" });

const Uses = t.Array(t.Object({ id: Uuid, name: t.String() }));

/** What refers to the name of an event. */
export const EventUsage = t.Object(
  {
    usedInSegments: Uses,
    usedInCampaigns: Uses,
    usedInWorkflows: Uses,
    totalCount: Int,
    uniqueContacts: Type.Integer({ description: "Among the newest 20,000 of these events." }),
    canDelete: t.Boolean(),
  },
  { title: "EventUsage" },
);

const Name = (description: string) =>
  t.Optional(Text({ minLength: 1, maxLength: 255, trimmed: true, description }));

/** A tracked event: as on /v1/track, or an event by itself. */
export const TrackBody = withRules(
  t.Object(
    {
      email: t.Optional(EmailAddress),
      event: Name("Must not be a name that the service itself emits."),
      subscribed: t.Optional(
        t.Boolean({ description: "Left out: new contacts are subscribed, others keep their state." }),
      ),
      name: Name("Of an event by itself: neither `email` nor `event` stands beside it."),
      contactId: t.Optional(Nullable(Uuid)),
      emailId: t.Optional(Nullable(Uuid)),
      data: t.Optional(Data),
    },
    {
      title: "TrackAsMemberBody",
      description:
        "`email` and `event` as on `/v1/track`; or `name`, and `contactId`, `emailId` and `data` where there are any: " +
        "then the event is recorded and nothing else happens to the contact.",
    },
  ),
  trackInputErrors,
);
