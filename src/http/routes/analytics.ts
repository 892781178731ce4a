// /analytics: what mails, campaigns and events come to. All of it is read from counters.
import { Elysia, t } from "elysia";
import type { Context } from "../../context.ts";
import { countCampaigns, METRICS, rankCampaigns } from "../../insight/campaign_ranking.ts";
import { daysErrors, readDays } from "../../insight/date_range.ts";
import { rankEvents } from "../../insight/events/stats.ts";
import { readContactSeries } from "../../insight/contact_series.ts";
import { rankTags } from "../../insight/mail_tags.ts";
import { DAYS_UNTIL_COUNTED, MAX_DAYS, MAX_DAYS_OF_HOURS, readTimeseries } from "../../insight/timeseries.ts";
import {
  CampaignTotals,
  ContactDay,
  Day,
  DaysQuery,
  RankedCampaign,
  RankedEvent,
  TagTotals,
} from "./_analytics_schemas.ts";
import { TagQuery } from "./_email_schemas.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { withRules } from "../entry/field_errors.ts";
import { clampLimit } from "./_lists.ts";
import { answers, QueryInteger, Text, Uuid, Words } from "../entry/schemas.ts";

const CAMPAIGNS = { fallback: 10, max: 50 };
const EVENTS = { fallback: 5, max: 20 };
const TAGS = { fallback: 20, max: 100 };

const limitOf = ({ fallback, max }: { fallback: number; max: number }) =>
  QueryInteger({ minimum: 1, maximum: max, fallback, description: `Clamped to 1..${max}.` });

const TimeZone = t.String({
  description: "The time zone of the days, such as Europe/Berlin. Default: the project's.",
});

/** The analytics endpoints, in the order of the specification's table. */
export function analyticsRoutes(ctx: Context) {
  return new Elysia({ prefix: "/analytics", detail: { tags: ["Analytics"] } })
    .use(authenticateKey(ctx, "secret"))
    .get("/timeseries", async ({ project, query }) => await readTimeseries(ctx, project.id, query), {
      query: withRules(
        t.Object({
          ...DaysQuery,
          tz: t.Optional(TimeZone),
          interval: t.Optional(
            Words(["day", "hour"], {
              description: `\`hour\`: each row is an hour. At most ${MAX_DAYS_OF_HOURS} days; without dates, today.`,
            }),
          ),
          campaignId: t.Optional(Uuid),
          templateId: t.Optional(Uuid),
          workflowId: t.Optional(Uuid),
          tag: t.Optional(TagQuery("Mails that were sent with this tag, as `name:value`.")),
        }),
        daysErrors,
      ),
      response: answers(t.Array(Day), { refusals: [400] }),
      detail: {
        operationId: "getTimeseries",
        summary: "Outcomes of mails per day; opens and clicks count each mail once, without bots",
        description: `At most ${MAX_DAYS} days, of all mails or of those of one campaign, template or workflow, or with one tag. The mails of a template, a workflow or a tag are counted one by one: if that takes more than two seconds (about a million mails), the request is refused with 400. Mails with a tag are counted for ${DAYS_UNTIL_COUNTED} days after they were accepted. Mails that have expired from the ledger are not included.`,
      },
    })
    .get(
      "/tags",
      async ({ project, query: { limit, ...query } }) =>
        await rankTags(ctx, project.id, query, { limit: clampLimit(limit, TAGS), maxDays: MAX_DAYS }),
      {
        query: withRules(
          t.Object({
            limit: limitOf(TAGS),
            ...DaysQuery,
            tz: t.Optional(TimeZone),
            name: t.Optional(
              Text({
                maxLength: 256,
                pattern: "^[A-Za-z0-9_-]+$",
                expected: "Expected the name of a tag, such as category",
                description: "Only the tags of this name: one for each of its values.",
              }),
            ),
          }),
          daysErrors,
        ),
        response: answers(t.Array(TagTotals), { refusals: [400] }),
        detail: {
          operationId: "listTopTags",
          summary: "Outcomes of mails by tag, the most frequent first",
          description: `The mails that were accepted on these days (at most ${MAX_DAYS}), and what came of them until now: each mail counts once. They are counted one by one: if that takes more than two seconds (about a million mails), the request is refused with 400.`,
        },
      },
    )
    .get("/contacts", async ({ project, query }) => await readContactSeries(ctx, project.id, query), {
      query: withRules(t.Object(DaysQuery), daysErrors),
      response: answers(t.Array(ContactDay), { refusals: [400] }),
      detail: {
        operationId: "getContactSeries",
        summary: "Contacts per day",
        description: `How many contacts were added, deleted, subscribed, unsubscribed, bounced and complained on each day (UTC), and how many there were at its end. At most ${MAX_DAYS} days.`,
      },
    })
    .get(
      "/top-campaigns",
      async ({ project, query: { metric = "opens", limit } }) =>
        await rankCampaigns(ctx, project.id, { metric, limit: clampLimit(limit, CAMPAIGNS) }),
      {
        query: t.Object({ limit: limitOf(CAMPAIGNS), metric: t.Optional(Words(METRICS)) }),
        response: answers(t.Array(RankedCampaign), { refusals: [400] }),
        detail: {
          operationId: "listTopCampaigns",
          summary: "The most successful campaigns, by `opens` unless stated otherwise",
          description: "The best sent campaigns by one of four metrics.",
        },
      },
    )
    .get("/campaign-stats", async ({ project }) => await countCampaigns(ctx, project.id), {
      response: answers(CampaignTotals),
      detail: {
        operationId: "getCampaignsOverview",
        summary: "How many campaigns there are, and their rates, weighted by mails sent",
        description: "Over all campaigns of the project.",
      },
    })
    .get(
      "/top-events",
      async ({ project, query: { limit, ...range } }) => {
        const days = readDays(range, { now: ctx.now() });
        return await rankEvents(ctx, project.id, days, { limit: clampLimit(limit, EVENTS) });
      },
      {
        query: withRules(t.Object({ limit: limitOf(EVENTS), ...DaysQuery }), daysErrors),
        response: answers(t.Array(RankedEvent), { refusals: [400] }),
        detail: {
          operationId: "listTopEvents",
          summary: "The events that clients track most often, on days of UTC",
          description:
            "With the trend: the change in percent against the previous period of the same length.",
        },
      },
    );
}
