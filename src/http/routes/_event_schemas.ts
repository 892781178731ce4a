// How events look in requests and answers.
import { Type } from "@sinclair/typebox";
import { t } from "elysia";
import { trackInputErrors } from "../../insight/events/tracking.ts";
import { Absent, documented } from "../entry/document.ts";
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

/** How often events were recorded, day by day. */
export const EventCountsByDay = t.Object(
  {
    dates: t.Array(t.String({ format: "date" })),
    events: t.Array(
      t.Object(
        {
          name: t.String(),
          total: Type.Integer({ description: "All-time total." }),
          counts: t.Array(Int),
          lastSeenAt: Nullable(Timestamp),
        },
        { title: "EventCountsOfName" },
      ),
      { description: "Most frequent (all time) first." },
    ),
  },
  { title: "EventCountsByDay" },
);

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

const Name = (description: string) => Text({ minLength: 1, maxLength: 255, trimmed: true, description });

const EventName = Name("Must not be a name that the service itself emits.");
const BareName = Name("Of an event by itself: neither `email` nor `event` stands beside it.");
const Subscribed = t.Optional(
  t.Boolean({ description: "Default: new contacts are subscribed, existing ones keep their state." }),
);
const About = { contactId: t.Optional(Nullable(Uuid)), emailId: t.Optional(Nullable(Uuid)) };
const EventData = { data: t.Optional(Data) };

/** A tracked event: as on /v1/track, or an event by itself. */
export const TrackBody = documented(
  withRules(
    t.Object({
      email: t.Optional(EmailAddress),
      event: t.Optional(EventName),
      subscribed: Subscribed,
      name: t.Optional(BareName),
      ...About,
      ...EventData,
    }),
    trackInputErrors,
  ),
  {
    title: "TrackAnyBody",
    anyOf: [
      t.Object(
        { email: EmailAddress, event: EventName, subscribed: Subscribed, ...EventData },
        { title: "TrackAsMemberBody", description: "The same as for `/v1/track`." },
      ),
      t.Object(
        { name: BareName, ...About, ...EventData, email: Absent, event: Absent },
        {
          title: "BareEventBody",
          description: "The event is recorded; the contact is not changed.",
        },
      ),
    ],
  },
);
