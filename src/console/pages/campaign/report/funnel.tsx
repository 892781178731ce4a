// How many of the audience got it, opened it and clicked; and what went wrong. Each number leads to who they are.
import { Link } from "wouter";
import type { Campaign } from "../../../api.gen.ts";
import { formatNumber, formatShare } from "../../../parts/format.ts";
import { Panel } from "../../../parts/panel.tsx";
import { type OutcomeName, recipientsOf } from "./outcomes.ts";
import classes from "./report.module.css";

interface Step {
  name: string;
  count: number;
  /** `81.2% of sent`. */
  share: string;
  outcome: OutcomeName | null;
}

function stepsOf(campaign: Campaign): Step[] {
  const { totalRecipients, sentCount, deliveredCount, openedCount, clickedCount } = campaign;
  const ofSent = (count: number) => (sentCount > 0 ? `${formatShare(count, sentCount)} of sent` : "");
  return [
    { name: "Audience", count: totalRecipients, share: "", outcome: "all" },
    {
      name: "Sent",
      count: sentCount,
      share: totalRecipients > 0 ? `${formatShare(sentCount, totalRecipients)} of the audience` : "",
      outcome: null,
    },
    // Mail servers seldom say so: where none did, it is not known, and not zero.
    ...(deliveredCount > 0
      ? [{ name: "Delivered", count: deliveredCount, share: ofSent(deliveredCount), outcome: null }]
      : []),
    { name: "Opened", count: openedCount, share: ofSent(openedCount), outcome: "opened" },
    { name: "Clicked", count: clickedCount, share: ofSent(clickedCount), outcome: "clicked" },
  ];
}

export function Funnel({ campaign }: { campaign: Campaign }) {
  const steps = stepsOf(campaign);
  const whole = Math.max(1, ...steps.map(({ count }) => count));
  return (
    <Panel title="From the audience to the clicks">
      <dl className={classes.funnel}>
        {steps.map(({ name, count, share, outcome }) => (
          <div key={name} className={classes.step}>
            <dt className={classes.stepName}>
              {outcome ? <Link href={recipientsOf(campaign.id, outcome)}>{name}</Link> : name}
            </dt>
            <dd className={classes.stepCount}>{formatNumber(count)}</dd>
            <dd className={classes.stepShare}>{share}</dd>
            <dd className={classes.bar} aria-hidden>
              <span style={{ width: `${(count / whole) * 100}%` }} />
            </dd>
          </div>
        ))}
      </dl>
      <Losses campaign={campaign} />
    </Panel>
  );
}

/** What nobody wants to see: all of it, also where it is nothing. */
function Losses({ campaign }: { campaign: Campaign }) {
  const { bouncedCount, complainedCount, unsubscribedCount, failedCount, capturedCount, sentCount } =
    campaign;
  const losses: { name: string; count: number; outcome: OutcomeName }[] = [
    { name: "Bounced", count: bouncedCount, outcome: "bounced" },
    { name: "Failed", count: failedCount, outcome: "failed" },
    { name: "Unsubscribed", count: unsubscribedCount, outcome: "unsubscribed" },
    { name: "Reported as spam", count: complainedCount, outcome: "complained" },
    ...(capturedCount > 0 ? [{ name: "Captured", count: capturedCount, outcome: "captured" as const }] : []),
  ];
  return (
    <dl className={classes.losses}>
      {losses.map(({ name, count, outcome }) => (
        <div key={name} className={classes.loss}>
          <dt>
            <Link href={recipientsOf(campaign.id, outcome)}>{name}</Link>
          </dt>
          <dd>
            {formatNumber(count)}
            {count > 0 && sentCount > 0 && (
              <span className={classes.faded}> {formatShare(count, sentCount)}</span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
