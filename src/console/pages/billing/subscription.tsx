// The subscription: until when it goes, and what the month has cost so far, in mails.
import type { UseQueryResult } from "@tanstack/react-query";
import type { BillingConsumption } from "../../api.gen.ts";
import { formatCount, formatDay } from "../../parts/format.ts";
import { Fact, Facts, Section } from "../../parts/section.tsx";
import { Loaded } from "../../parts/states.tsx";
import { Status, type Tone } from "../../parts/status.tsx";

const TONES: Record<string, Tone> = {
  active: "fine",
  trialing: "fine",
  past_due: "bad",
  unpaid: "bad",
  incomplete: "warn",
  paused: "warn",
};

export function Subscription({ consumption }: { consumption: UseQueryResult<BillingConsumption> }) {
  return (
    <Section title="Subscription">
      <Loaded query={consumption}>
        {({ subscription, total, periodStart, periodEnd }) => (
          <Facts>
            <Fact name="State">
              {subscription ? (
                <Status status={subscription.status} tone={TONES[subscription.status] ?? "quiet"} />
              ) : (
                "None yet"
              )}
            </Fact>
            {subscription && <End subscription={subscription} />}
            <Fact name="This period">
              {formatCount(total, "mail")}, {formatDay(periodStart)} to {formatDay(periodEnd)}
            </Fact>
          </Facts>
        )}
      </Loaded>
    </Section>
  );
}

/** A subscription as last heard of. */
export type GivenSubscription = NonNullable<BillingConsumption["subscription"]>;

/** Whether there is one that has not ended. */
export const isLasting = (subscription: GivenSubscription | null | undefined): boolean =>
  subscription !== null && subscription !== undefined && subscription.endedAt === null;

function End({ subscription: { periodEndsAt, cancelsAt, endedAt } }: { subscription: GivenSubscription }) {
  if (endedAt) return <Fact name="Ended">{formatDay(endedAt)}</Fact>;
  if (cancelsAt) return <Fact name="Ends">{formatDay(cancelsAt)}</Fact>;
  return periodEndsAt ? <Fact name="Renewed">{formatDay(periodEndsAt)}</Fact> : null;
}
