// What came of all mails of the period.
import type { DeliverabilityFigures } from "../../api.gen.ts";
import { formatNumber } from "../../parts/format.ts";
import { formatSeconds, LEVELS } from "./words.ts";
import classes from "./deliverability.module.css";

export function Totals({ figures, days }: { figures: DeliverabilityFigures; days: number }) {
  const { accepted, deferred, bounced, complained, refused, timeToAcceptance: time } = figures;
  const shown = [
    {
      name: "Accepted",
      value: accepted,
      about: time
        ? `half within ${formatSeconds(time.p50)}, 95 % within ${formatSeconds(time.p95)}`
        : "none yet",
    },
    {
      name: "Deferred",
      value: deferred,
      about: `${figures.deferralRate} % of attempts`,
      rate: "deferralRate",
    },
    {
      name: "Bounced",
      value: bounced,
      about: `${figures.bounceRate} % of mails${refused > 0 ? `, ${formatNumber(refused)} more refused` : ""}`,
      rate: "bounceRate",
    },
    {
      name: "Reported as spam",
      value: complained,
      about: `${figures.complaintRate} % of accepted`,
      rate: "complaintRate",
    },
  ] as const;
  return (
    <dl className={classes.totals} aria-label={`Mails of the last ${days} days`}>
      {shown.map((one) => (
        <div key={one.name} className={classes.total}>
          <dt>{one.name}</dt>
          <dd className={classes.value}>{formatNumber(one.value)}</dd>
          <dd
            className={classes.about}
            data-bad={("rate" in one && figures[one.rate] > LEVELS[one.rate]) || undefined}
          >
            {one.about}
          </dd>
        </div>
      ))}
    </dl>
  );
}
