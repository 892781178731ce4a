import { Type } from "@sinclair/typebox";
import { t } from "elysia";
import { MAILBOX_PROVIDERS } from "../../mail/mailbox_provider.ts";
import type { TransportState } from "../../sending/transports/records.ts";
import { routeRuleErrors } from "../../sending/transports/route_documents.ts";
import { MAX_WARMUP_DAYS } from "../../sending/transports/warmup_plans.ts";
import { withRules } from "../entry/field_errors.ts";
import { EmailAddress, IdOf, Int, Nullable, Text, Timestamp, Uuid, Words } from "../entry/schemas.ts";
import { Kind, Name, State } from "./_transport_schemas.ts";

const RoutedTransport = t.Object(
  {
    id: Text({
      maxLength: 36,
      description: "The id of a transport, or `default` for the installation's mail server.",
      examples: ["default"],
    }),
    priority: t.Optional(
      Type.Integer({ minimum: 0, maximum: 1_000_000, description: "In place of its own." }),
    ),
    weight: t.Optional(Type.Integer({ minimum: 1, maximum: 1_000, description: "In place of its own." })),
  },
  { title: "RoutedTransport" },
);
const WhenFull = Words(["NEXT", "WAIT"], {
  description:
    "When a transport has sent its mails of the day: on to the `NEXT` one, or `WAIT` for tomorrow.",
});

/** One rule of routes. */
export const Rule = withRules(
  t.Object(
    {
      type: t.Optional(
        Words(["TRANSACTIONAL", "MARKETING"], { description: "HEADLESS mails count as MARKETING." }),
      ),
      senderDomains: t.Optional(
        t.Array(Text({ maxLength: 253, examples: ["news.shop.example"] }), { minItems: 1, maxItems: 100 }),
      ),
      providers: t.Optional(
        t.Array(Text({ maxLength: 253, examples: ["google"] }), {
          minItems: 1,
          maxItems: 100,
          description: `Mailbox providers of recipients (${MAILBOX_PROVIDERS.join(", ")}), or their domains.`,
        }),
      ),
      transports: t.Array(RoutedTransport, {
        minItems: 1,
        maxItems: 20,
        description: "The ones to use, by priority and weight; another one where one takes no mail.",
      }),
      whenFull: t.Optional(WhenFull),
    },
    { title: "RouteRule" },
  ),
  (rule: Parameters<typeof routeRuleErrors>[0]) => routeRuleErrors(rule),
);

export const RoutesBody = t.Object(
  {
    rules: t.Array(Rule, {
      maxItems: 50,
      description: "The first rule that applies to a mail decides. All of its conditions must apply.",
    }),
  },
  { title: "RoutesBody" },
);

/** The document of the installation, whose rules may be about some projects. */
export const InstallationRoutes = t.Object({
  rules: t.Array(
    withRules(
      t.Object({
        ...Rule.properties,
        projectIds: t.Optional(t.Array(IdOf("a project"), { minItems: 1, maxItems: 1_000 })),
      }),
      routeRuleErrors,
    ),
    { maxItems: 50 },
  ),
});

const ShownRule = t.Object({ ...Rule.properties, whenFull: WhenFull }, { title: "ShownRouteRule" });

export const Routes = t.Object(
  {
    rules: t.Array(ShownRule),
    editedBy: Nullable(t.String({ description: "An address, or which key." })),
    updatedAt: Nullable(Timestamp),
  },
  { title: "Routes" },
);

export const TestRoutesBody = t.Object(
  {
    type: Words(["TRANSACTIONAL", "MARKETING", "HEADLESS"]),
    from: EmailAddress,
    to: EmailAddress,
  },
  { title: "TestRoutesBody" },
);

const Owner = Words(["PROJECT", "INSTALLATION"]);

export const RoutesTest = t.Object(
  {
    provider: t.String({
      description: "Of the recipient: a mailbox provider, or the domain.",
      examples: ["google"],
    }),
    rule: Nullable(Type.Integer({ description: "Which rule applies, counted from 1. Null: none." })),
    owner: Nullable(t.Unsafe<"PROJECT" | "INSTALLATION">({ ...Owner, description: "Whose rule it is." })),
    whenFull: WhenFull,
    transports: t.Array(
      t.Object({
        id: t.String(),
        name: t.String(),
        kind: Kind,
        owner: Owner,
        priority: Int,
        share: Type.Number({ description: "Of such mails, among those of its priority: 0 to 1." }),
        state: Nullable(t.Unsafe<TransportState>({ ...State, description: "Null for `default`." })),
      }),
      { description: "In the order in which they are asked." },
    ),
  },
  { title: "RoutesTest" },
);

export const WarmupPlan = t.Object(
  {
    id: Uuid,
    name: t.String(),
    dailyLimits: t.Array(Int),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: "WarmupPlan" },
);
export const WarmupPlanList = t.Object({ plans: t.Array(WarmupPlan) }, { title: "WarmupPlanList" });

const DailyLimits = t.Array(Type.Integer({ minimum: 1, maximum: 2_000_000_000 }), {
  minItems: 1,
  maxItems: MAX_WARMUP_DAYS,
  description: "Most mails on the first day, the second and so on; after the last one there is no limit.",
  examples: [[500, 1_000, 2_000, 5_000]],
});

export const warmupPlanBody = { name: Name, dailyLimits: DailyLimits };
export const warmupPlanChange = { name: t.Optional(Name), dailyLimits: t.Optional(DailyLimits) };
