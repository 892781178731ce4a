// The four figures of a period, each compared with the period before.
import { Skeleton } from "@mantine/core";
import type { MailsOfDay } from "../../api.gen.ts";
import { formatNumber, formatPercent, formatShare } from "../../parts/format.ts";
import type { Period } from "../../parts/period.tsx";
import { Failed } from "../../parts/states.tsx";
import { useApi } from "../../queries.ts";
import classes from "./overview.module.css";

type Sums = Record<"emails" | "opens" | "clicks" | "bounces", number>;

const FIGURES = [
  { name: "Sent", key: "emails", of: null, isGoodUp: true },
  { name: "Opened", key: "opens", of: "emails", isGoodUp: true },
  { name: "Clicked", key: "clicks", of: "emails", isGoodUp: true },
  { name: "Bounced", key: "bounces", of: "emails", isGoodUp: false },
] as const;

/** `tag`: only of mails with it, as `name:value`; empty: of all. */
export function Figures({ period, tag }: { period: Period; tag: string }) {
  const { startDate, endDate, before } = period;
  const tagged = tag === "" ? {} : { tag };
  const now = useApi("GET /analytics/timeseries", { query: { startDate, endDate, ...tagged } });
  const then = useApi("GET /analytics/timeseries", { query: { ...before, ...tagged } });
  if (now.isError) return <Failed error={now.error} retry={now.refetch} />;
  const sums = now.data && sumsOf(now.data);
  const old = then.data && sumsOf(then.data);
  return (
    <dl
      className={classes.figures}
      aria-label={`Mails ${tag && `with the tag ${tag} `}of the last ${period.days} days`}
    >
      {FIGURES.map(({ name, key, of, isGoodUp }) => (
        <div className={classes.figure} key={key}>
          <dt className={classes.name}>{name}</dt>
          <dd className={classes.value} style={{ marginLeft: 0 }}>
            {sums ? formatNumber(sums[key]) : <Skeleton height={28} width={80} my={4} />}
          </dd>
          <dd className={classes.compared} style={{ marginLeft: 0 }}>
            {sums && of && sums[of] > 0 && <span>{formatShare(sums[key], sums[of])} of sent</span>}
            {sums && old && (
              <Change now={sums[key]} before={old[key]} isGoodUp={isGoodUp} days={period.days} />
            )}
            {sums && sums.emails === 0 && <span>none yet</span>}
            {!sums && <Skeleton height={13} width={110} my={4} />}
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface ChangeProps {
  now: number;
  before: number;
  isGoodUp: boolean;
  days: number;
}

/** How much more, or less, than in the period before. */
function Change({ now, before, isGoodUp, days }: ChangeProps) {
  // Of nothing at all it says so already.
  if (before === 0) return now === 0 ? null : <span>none in the {days} days before</span>;
  const change = now / before - 1;
  if (Math.abs(change) < 0.005) return <span>as before</span>;
  const isUp = change > 0;
  return (
    <span
      data-tone={isUp === isGoodUp ? "fine" : "bad"}
      title={`${formatNumber(before)} in the ${days} days before`}
    >
      {isUp ? "↑" : "↓"} {formatPercent(Math.abs(change))}
    </span>
  );
}

function sumsOf(days: MailsOfDay[]): Sums {
  const sums: Sums = { emails: 0, opens: 0, clicks: 0, bounces: 0 };
  for (const day of days) for (const key of Object.keys(sums) as (keyof Sums)[]) sums[key] += day[key];
  return sums;
}
