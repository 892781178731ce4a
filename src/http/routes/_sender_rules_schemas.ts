// The rules of mailbox providers, as responses show them.
import { t } from "elysia";
import {
  BULK_MAILS,
  RULE_SOURCES,
  RULE_STATES,
  RULES,
  type RuleProvider,
} from "../../insight/deliverability/sender_rules.ts";
import { Int, Nullable, Words } from "../entry/schemas.ts";

const Provider = Words(Object.keys(RULE_SOURCES) as RuleProvider[]);

const SenderRule = t.Object(
  {
    rule: Words(RULES),
    providers: t.Array(Provider, { description: "Who asks for it." }),
    askedOf: Words(["ALL", "BULK"], {
      description: `BULK: of those who send ${BULK_MAILS.toLocaleString("en")} mails a day to a provider.`,
    }),
    state: Words(RULE_STATES, {
      description: "WARNING: it is still met, or nearly. UNKNOWN: there is nothing to judge it by.",
    }),
    detail: t.String({ description: "What was found, as a sentence for people." }),
    advice: Nullable(t.String({ description: "What to do, as a sentence for people." })),
  },
  { title: "SenderRule" },
);

/** The rules for a domain, and how it stands. */
export const SenderRules = t.Object(
  {
    domain: t.String(),
    busiestDay: Nullable(
      t.Object(
        { provider: Provider, date: t.String({ format: "date" }), mails: Int },
        {
          title: "BusiestDay",
          description:
            "The most mails that one of these providers accepted on one of the last 30 days (UTC).",
        },
      ),
    ),
    isBulkSender: t.Boolean({
      description: `There were ${BULK_MAILS.toLocaleString("en")} or more on that day. Providers add up what all subdomains of a domain send, by everybody.`,
    }),
    rules: t.Array(SenderRule),
  },
  { title: "SenderRules" },
);
