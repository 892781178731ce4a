// /analytics: what mails, campaigns and events come to. All of it is read from counters.
import { Elysia, t } from "elysia";
import type { Context } from "../../context.ts";
import { countCampaigns, METRICS, rankCampaigns } from "../../insight/campaign_ranking.ts";
import { daysErrors, readDays } from "../../insight/date_range.ts";
import { rankEvents } from "../../insight/events/stats.ts";
import { readContactSeries } from "../../insight/contact_series.ts";
import { MAX_DAYS, MAX_DAYS_OF_HOURS, readTimeseries } from "../../insight/timeseries.ts";
import {
  CampaignTotals,
  ContactDay,
  Day,
  DaysQuery,
  RankedCampaign,
  RankedEvent,
} from "./_analytics_schemas.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { withRules } from "../entry/field_errors.ts";
import { clampLimit } from "./_lists.ts";
import { answers, QueryInteger, Uuid, Words } from "../entry/schemas.ts";

const CAMPAIGNS = { fallback: 10, max: 50 };
const EVENTS = { fallback: 5, max: 20 };

const limitOf = ({ fallback, max }: { fallback: number; max: number }) =>
  QueryInteger({ minimum: 1, maximum: max, fallback, description: `Clamped to 1..${max}.` });

/** The analytics endpoints, in the order of the specification's table. */
export function analyticsRoutes(ctx: Context) {
  return new Elysia({ prefix: "/analytics", detail: { tags: ["Analytics"] } })
    .use(authenticateKey(ctx, "secret"))
    .get("/timeseries", async ({ project, query }) => await readTimeseries(ctx, project.id, query), {
      query: withRules(
        t.Object({
          ...DaysQuery,
          tz: t.Optional(
            t.String({ description: "Whose days, such as Europe/Berlin. Left out: those of the project." }),
          ),
          interval: t.Optional(
            Words(["day", "hour"], {
              description: `\`hour\`: each row is an hour. At most ${MAX_DAYS_OF_HOURS} days; today where no dates are given.`,
            }),
          ),
          campaignId: t.Optional(Uuid),
          templateId: t.Optional(Uuid),
          workflowId: t.Optional(Uuid),
        }),
        daysErrors,
      ),
      response: answers(t.Array(Day), { refusals: [400] }),
      detail: {
        operationId: "getTimeseries",
        summary: "Outcomes of mails, day by day; opens and clicks count each mail once, and people only",
        description: `No more than ${MAX_DAYS} days. Of all mails, or of those of a campaign, a template or a workflow. The mails of a template or a workflow are counted one by one: where that takes more than two seconds, which about a million mails do, it is 400. What has expired from the ledger is not among them.`,
      },
    })
    .get("/contacts", async ({ project, query }) => await readContactSeries(ctx, project.id, query), {
      query: withRules(t.Object(DaysQuery), daysErrors),
      response: answers(t.Array(ContactDay), { refusals: [400] }),
      detail: {
        operationId: "getContactSeries",
        summary: "Contacts over time, day by day",
        description: `Who came, went, subscribed, unsubscribed, bounced and complained on each day (UTC), and how many there were at its end. No more than ${MAX_DAYS} days.`,
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
          description: "The best of the campaigns that were sent, by one of four metrics.",
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
          description: "With the trend: the change in percent against the equally long time before.",
        },
      },
    );
}
