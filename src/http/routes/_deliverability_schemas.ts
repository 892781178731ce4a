// How mails were taken, as responses show it.
import { Type } from "@sinclair/typebox";
import { t } from "elysia";
import { ALERT_KINDS } from "../../insight/deliverability/alert_notices.ts";
import { Int, Nullable, Timestamp, Uuid, Words } from "../entry/schemas.ts";

const rate = (description: string) => t.Number({ description: `Percent, with two decimals: ${description}` });

const counts = {
  mails: Type.Integer({ description: "Mails that were accepted or refused for good at the handover." }),
  accepted: Int,
  deferred: Type.Integer({
    description:
      "Attempts that were put off, and delays that the provider reported. A mail can be deferred many times.",
  }),
  bounced: Type.Integer({
    description: "Permanently, because of the recipient: at the handover, or reported later.",
  }),
  refused: Type.Integer({
    description: "Permanently, for another reason, such as a block list; or deferred until it was given up.",
  }),
  complained: Int,
  bounceRate: rate("`bounced` of `mails`."),
  deferralRate: rate("`deferred` of all attempts."),
  complaintRate: rate("`complained` of `accepted`."),
  tlsRate: Nullable(
    rate(
      "over TLS, of the mails that were delivered directly. Null where there was none: how a relay passes mails on is not known.",
    ),
  ),
  timeToAcceptance: Nullable(
    t.Object(
      { p50: t.Number(), p95: t.Number() },
      {
        title: "TimeToAcceptance",
        description:
          "Seconds from the first attempt until a mail was accepted, for half of the mails and for 95 %; estimated within twelve ranges. Null where none was accepted.",
      },
    ),
  ),
};

const FigureGroup = t.Object(
  {
    key: t.String({
      description:
        "The provider, the domain, or the id of the transport (`default`: the mail server of the settings).",
    }),
    name: t.String(),
    ...counts,
  },
  { title: "DeliverabilityGroup" },
);

const FigurePoint = t.Object({ at: Timestamp, ...counts }, { title: "DeliverabilityPoint" });

/** A rate that is above its level, or was. */
export const DeliverabilityAlert = t.Object(
  {
    id: Uuid,
    kind: Words(ALERT_KINDS),
    domain: t.String({ description: "Of the sender." }),
    provider: Nullable(t.String({ description: "The mailbox provider; null: at all of them together." })),
    count: Type.Integer({ description: "Of `total`, when the rate was last above its level." }),
    total: Int,
    rate: t.Number({ description: "Percent, with two decimals." }),
    level: t.Number({ description: "Percent. Above it the alert is opened." }),
    openedAt: Timestamp,
    closedAt: Nullable(Timestamp),
  },
  { title: "DeliverabilityAlert" },
);

/** The figures of a period. */
export const Deliverability = t.Object(
  {
    from: Timestamp,
    until: t.Unsafe<Date>({
      ...Timestamp,
      description: "Where the period ends: the start of the day after.",
    }),
    total: t.Object(counts, { title: "DeliverabilityFigures" }),
    groups: t.Array(FigureGroup, { description: "At most 100, those with the most mails first." }),
    series: t.Array(FigurePoint, { description: "Every hour or day of the period." }),
  },
  { title: "Deliverability" },
);
