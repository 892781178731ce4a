// How many a campaign reaches, and who of its audience gets nothing.
import { useDebouncedValue } from "@mantine/hooks";
import { Refusal } from "../../api.ts";
import { formatCount, formatNumber } from "../../parts/format.ts";
import { SkeletonLines } from "../../parts/states.tsx";
import { useApi } from "../../queries.ts";
import classes from "./campaign.module.css";
import { audienceIn, gapOf, type Words } from "./kind.ts";

const PAUSE_MS = 180;

/** Counted while it is chosen. What was counted before stays until the next number is there. */
export function useReach(words: Words) {
  const isWhole = gapOf(words)?.step !== "audience";
  const asked = isWhole ? JSON.stringify({ ...audienceIn(words), type: words.type }) : "";
  const [settled] = useDebouncedValue(asked, PAUSE_MS);
  const reach = useApi(
    "POST /campaigns/audience",
    { body: JSON.parse(settled || '{"audienceType":"ALL"}') as { audienceType: "ALL" } },
    { enabled: settled !== "", placeholderData: (before) => before, retry: false },
  );
  return { reach, isWhole, isOld: reach.isPlaceholderData || settled !== asked };
}

/** A panel beside the choice. */
export function Reach({ words }: { words: Words }) {
  const { reach, isWhole, isOld } = useReach(words);
  const { data, error } = reach;
  return (
    <aside className={classes.reach} aria-label="Who this reaches" data-old={isOld || undefined}>
      <h2 className={classes.heading}>Who this reaches</h2>
      {!isWhole ? (
        <p className={classes.quiet}>The audience is counted here once it is complete.</p>
      ) : error ? (
        <p className={classes.quiet} role="status">
          {error instanceof Refusal && error.status === 422
            ? "It cannot be counted: see what is marked."
            : `It cannot be counted: ${error.message}.`}
        </p>
      ) : data ? (
        <div role="status">
          <p className={classes.count}>
            {data.estimated && "About "}
            {formatCount(data.reachable, "contact")}
          </p>
          <dl className={classes.facts}>
            <dt>In the audience</dt>
            <dd>{formatNumber(data.matching)}</dd>
            {data.unsubscribed > 0 && (
              <>
                <dt>Not subscribed</dt>
                <dd>−{formatNumber(data.unsubscribed)}</dd>
              </>
            )}
            {data.suppressed > 0 && (
              <>
                <dt>On the suppression list</dt>
                <dd>−{formatNumber(data.suppressed)}</dd>
              </>
            )}
          </dl>
          <p className={classes.quiet}>
            {data.reachable === 0
              ? "Nobody would get it: choose another audience."
              : "It is counted again when the campaign is sent."}
          </p>
        </div>
      ) : (
        <SkeletonLines count={3} />
      )}
    </aside>
  );
}
