// /deliverability: how mailbox providers take the mails of a project.
import { Elysia, t } from "elysia";
import type { Context } from "../../context.ts";
import { daysErrors } from "../../insight/date_range.ts";
import { ALERT_LEVELS, listAlerts } from "../../insight/deliverability/alerts.ts";
import { GROUPINGS, KEPT_FIGURES_DAYS, readDeliverability } from "../../insight/deliverability/figures.ts";
import { readSenderRules, RULE_SOURCES } from "../../insight/deliverability/sender_rules.ts";
import { MAX_DAYS_OF_HOURS } from "../../insight/timeseries.ts";
import { MAILBOX_PROVIDERS, OTHER_PROVIDERS } from "../../mail/mailbox_provider.ts";
import { type FieldError, problems } from "../../problem/mod.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { withRules } from "../entry/field_errors.ts";
import { SenderRules } from "./_sender_rules_schemas.ts";
import { answers, isUuid, PathId, QueryFlag, readFlag, Words } from "../entry/schemas.ts";
import { Deliverability, DeliverabilityAlert } from "./_deliverability_schemas.ts";

const PROVIDERS = [...MAILBOX_PROVIDERS, OTHER_PROVIDERS] as const;

const ALERTS = `At most 100, the open ones first, without pages. An alert is opened when, of a sender domain, more than ${ALERT_LEVELS.BOUNCES} % of mails bounce or more than ${ALERT_LEVELS.DEFERRALS} % of attempts are deferred, in this hour and the one before, or more than ${ALERT_LEVELS.COMPLAINTS} % of mails are complained about, within 24 hours; at all mailbox providers together, or otherwise at one of them. With fewer than 100 mails, or fewer than three that went wrong, there is none. It is closed when the rate has been below four fifths of that for an hour. Looked for every five minutes.`;

const FiguresQuery = t.Object({
  startDate: t.Optional(
    t.String({
      description: `A date, or a time on that day. Default: 7 days; with \`interval=hour\`, today.`,
    }),
  ),
  endDate: t.Optional(t.String({ description: "The last day. Default: today." })),
  groupBy: t.Optional(Words(GROUPINGS, { description: "`domain`: that of the sender. Default: provider." })),
  interval: t.Optional(
    Words(["day", "hour"], {
      description: `Of the series. \`hour\`: of at most ${MAX_DAYS_OF_HOURS} days.`,
    }),
  ),
  provider: t.Optional(Words(PROVIDERS, { description: "Only mails to this mailbox provider." })),
  domain: t.Optional(t.String({ maxLength: 255, description: "Only mails from this domain." })),
  transport: t.Optional(
    t.String({
      description: "Only mails by this transport: its id, or `default` for the mail server of the settings.",
    }),
  ),
});

/** What is wrong with a query by itself. */
function figuresErrors({ transport, ...dates }: typeof FiguresQuery.static): FieldError[] {
  const isTransport = !transport || transport === "default" || isUuid(transport);
  const message = "Expected the id of a transport, or default";
  const error: FieldError = { field: "transport", code: "invalid_string", message, received: transport };
  return [...daysErrors(dates), ...(isTransport ? [] : [error])];
}

/** The deliverability endpoints. */
export function deliverabilityRoutes(ctx: Context) {
  return new Elysia({ prefix: "/deliverability", detail: { tags: ["Analytics"] } })
    .use(authenticateKey(ctx, "secret"))
    .get("/", async ({ project, query }) => await readDeliverability(ctx, project.id, query), {
      query: withRules(FiguresQuery, figuresErrors),
      response: answers(Deliverability, { refusals: [400] }),
      detail: {
        operationId: "getDeliverability",
        summary: "How mails were taken: by mailbox provider, sender domain or transport",
        description: `Days are those of UTC; at most ${KEPT_FIGURES_DAYS}, which is how long these figures are kept. An attempt counts in the hour in which it was made, a later bounce or a complaint in the hour in which it was reported. Captured mails, and mails that nobody was asked to take, are not counted. Providers are told by the address of the recipient and, with direct delivery, by their mail servers; all without a name here are \`other\`.`,
      },
    })
    .get(
      "/alerts",
      async ({ project, query: { open } }) =>
        await listAlerts(ctx, project.id, { isOpen: readFlag(open) ?? null }),
      {
        query: t.Object({ open: QueryFlag("Only those that are open, or only those that are closed.") }),
        response: answers(t.Array(DeliverabilityAlert), { refusals: [400] }),
        detail: {
          operationId: "listDeliverabilityAlerts",
          summary: "Rates of bounces, complaints and deferrals that are too high, or were",
          description: ALERTS,
        },
      },
    )
    .get(
      "/domains/:id",
      async ({ project, params: { id } }) => {
        if (!isUuid(id)) throw problems.notFound("domain", id);
        return await readSenderRules(ctx, project.id, id);
      },
      {
        params: t.Object({ id: PathId }),
        response: answers(SenderRules, { refusals: [404] }),
        detail: {
          operationId: "getSenderRules",
          summary: "What Google, Yahoo and Microsoft ask of senders, and how a domain stands",
          description: `By what the last check of its records found, the settings of the installation, and the figures of the last 7 days. Nothing is looked up. The rules themselves: ${Object.values(RULE_SOURCES).join(", ")}`,
        },
      },
    );
}
