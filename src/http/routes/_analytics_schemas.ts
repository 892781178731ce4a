// How figures look in responses, and how their period is given.
import { Type } from "@sinclair/typebox";
import { t } from "elysia";
import { USUAL_DAYS } from "../../insight/date_range.ts";
import { Int, Timestamp, Uuid } from "../entry/schemas.ts";

const Rate = t.Number({ description: "Percent, with two decimals." });

/** What happened to mails on a day. */
export const Day = t.Object(
  {
    date: t.String({ format: "date" }),
    hour: t.Optional(
      t.Unsafe<Date>({ ...Timestamp, description: "With `interval=hour`: the start of the hour." }),
    ),
    emails: Int,
    delivered: Int,
    opens: Int,
    clicks: Int,
    bounces: Int,
    complaints: Int,
    machineOpens: Int,
  },
  { title: "MailsOfDay" },
);

/** What came of the mails with a tag. */
export const TagTotals = t.Object(
  {
    name: t.String(),
    value: t.String(),
    emails: Type.Integer({ description: "How many were sent." }),
    delivered: Int,
    opens: Int,
    clicks: Int,
    bounces: Int,
    complaints: Int,
  },
  { title: "MailsOfTag" },
);

/** What happened to the audience on a day. */
export const ContactDay = t.Object(
  {
    date: t.String({ format: "date" }),
    created: Int,
    deleted: Int,
    subscribed: Int,
    unsubscribed: Int,
    bounced: Int,
    complained: Int,
    total: Type.Integer({ description: "At the end of the day, or now." }),
  },
  { title: "ContactsOfDay" },
);

/** A campaign, and its outcomes. */
export const RankedCampaign = t.Object(
  {
    id: Uuid,
    name: t.String(),
    subject: t.String(),
    sentCount: Int,
    openedCount: Int,
    clickedCount: Int,
    openRate: Rate,
    clickRate: Rate,
  },
  { title: "RankedCampaign" },
);

/** The outcomes of all campaigns. */
export const CampaignTotals = t.Object(
  {
    total: Int,
    active: Int,
    completed: Int,
    averageOpenRate: Rate,
    averageClickRate: Rate,
  },
  { title: "CampaignTotals" },
);

/** An event that clients track, and how often. */
export const RankedEvent = t.Object(
  {
    name: t.String(),
    count: Int,
    previousCount: Int,
    trend: t.Number({
      description: "Change in percent against the same number of days before; 100 if there were none.",
    }),
  },
  { title: "RankedEvent" },
);

/** What happened in a project. */
export const ActivityTotals = t.Object(
  {
    totalEvents: Int,
    totalEmailsSent: Int,
    totalEmailsOpened: Int,
    totalEmailsClicked: Int,
    totalWorkflowsStarted: Int,
    openRate: Rate,
    clickRate: Rate,
  },
  { title: "ActivityTotals" },
);

/** The query of a range of days. */
export const DaysQuery = {
  startDate: t.Optional(
    t.String({
      description: `A date, or a time on that day. Default: ${USUAL_DAYS} days.`,
    }),
  ),
  endDate: t.Optional(t.String({ description: "The last day. Default: today." })),
};
