// A campaign on its way: how far it is, how fast, for how long still, and the button that stops it.
import { Button, Progress } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import type { Campaign } from "../../../api.gen.ts";
import { formatNumber, formatShare } from "../../../parts/format.ts";
import { CloseIcon } from "../../../parts/icons.tsx";
import { Panel } from "../../../parts/panel.tsx";
import { useCampaignActions } from "../../campaigns/actions.tsx";
import { progressOf } from "../../campaigns/words.ts";
import { durationOf, rateOf, type Sample } from "./pace.ts";
import classes from "./report.module.css";

const TAKEN_EVERY_MS = 1_000;
/** What it was like longer ago says nothing about what is to come. */
const REMEMBERED_MS = 30_000;

export function Running({ campaign }: { campaign: Campaign }) {
  const { cancel } = useCampaignActions();
  const { done, total } = progressOf(campaign);
  const rate = useRate(done);
  const left = Math.max(0, total - done);
  return (
    <div className={classes.running}>
      <Panel
        title="Being sent"
        aside={
          <Button
            variant="default"
            size="xs"
            leftSection={<CloseIcon size={14} />}
            onClick={() => cancel(campaign)}
          >
            Stop sending
          </Button>
        }
      >
        <p className={classes.done}>
          <span className={classes.doneCount}>{formatNumber(done)}</span> of {formatNumber(total)} ·{" "}
          {formatShare(done, total)}
        </p>
        <Progress
          value={(done / Math.max(1, total)) * 100}
          aria-label={`${formatNumber(done)} of ${formatNumber(total)} processed`}
        />
        <p className={classes.pace}>{rate === null ? "Measuring the speed…" : paceOf(rate, left)}</p>
      </Panel>
    </div>
  );
}

/** Mails a second, and how long it takes at that. */
function paceOf(rate: number, left: number): string {
  if (left === 0) return "The last ones are on their way.";
  if (rate === 0)
    return "No mail was sent in the last few seconds. Sending continues automatically once the mail server accepts mail.";
  const speed =
    rate >= 1
      ? `${formatNumber(Math.round(rate))} mails a second`
      : `${formatNumber(Math.round(rate * 60))} mails a minute`;
  return `${speed} · ${durationOf(left / rate)} left`;
}

/** How many are done a second, by the last half minute. Null until that is known. */
function useRate(done: number): number | null {
  const latest = useRef(done);
  const [rate, setRate] = useState<number | null>(null);
  useEffect(() => {
    latest.current = done;
  }, [done]);
  useEffect(() => {
    let samples: Sample[] = [];
    const take = () => {
      const now = performance.now();
      samples = [...samples.filter(({ at }) => now - at < REMEMBERED_MS), { at: now, done: latest.current }];
      setRate(rateOf(samples));
    };
    take();
    const timer = setInterval(take, TAKEN_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return rate;
}
