// The contacts that a condition matches, while it is being written: how many, how many of them get mail, and some of them.
import { useDebouncedValue } from "@mantine/hooks";
import { useEffect, useEffectEvent } from "react";
import type { Condition, SegmentPreview } from "../../api.gen.ts";
import { Refusal } from "../../api.ts";
import type { Conditions } from "../../parts/conditions/builder.tsx";
import { formatCount, formatNumber } from "../../parts/format.ts";
import { SkeletonLines } from "../../parts/states.tsx";
import { useApi } from "../../queries.ts";
import classes from "./segments.module.css";

/** With the quarter of a second that the service counts for, an answer is there within half a second of the last key. */
const PAUSE_MS = 180;

/** A panel beside a builder. Faults that the service finds are marked in the builder. */
export function Preview({ conditions }: { conditions: Conditions }) {
  const [condition] = useDebouncedValue(conditions.condition, PAUSE_MS);
  const preview = useApi(
    "POST /segments/preview",
    { body: { condition: condition as Condition } },
    { enabled: condition !== null, placeholderData: (before) => before, retry: false },
  );
  const mark = useEffectEvent((error: Error) => void conditions.refuse(error, { isQuiet: true }));
  useEffect(() => {
    if (preview.error) mark(preview.error);
  }, [preview.error]);
  const isOld = preview.isPlaceholderData || condition !== conditions.condition;
  return (
    <aside className={classes.preview} aria-label="Preview" data-old={isOld || undefined}>
      <h2 className={classes.heading}>Who this is</h2>
      {condition === null ? (
        <p className={classes.quiet}>Contacts are counted here once a filter is complete.</p>
      ) : preview.error ? (
        <p className={classes.quiet} role="status">
          {preview.error instanceof Refusal && preview.error.status === 422
            ? "It cannot be counted: see what is marked."
            : `It cannot be counted: ${preview.error.message}.`}
        </p>
      ) : (
        <>{preview.data ? <Counted preview={preview.data} /> : <SkeletonLines count={3} />}</>
      )}
    </aside>
  );
}

function Counted({ preview: { count, reachable, estimated, sample } }: { preview: SegmentPreview }) {
  const about = estimated ? "about " : "";
  return (
    <>
      <div role="status">
        <p className={classes.count}>
          {estimated && "About "}
          {formatCount(count, "contact")}
        </p>
        <p className={classes.quiet}>
          {count === 0
            ? "Nobody right now."
            : `${about}${formatNumber(reachable)} of them ${reachable === 1 ? "is" : "are"} subscribed`}
        </p>
      </div>
      {sample.length > 0 && (
        <ul className={classes.sample} aria-label="Some of them">
          {sample.map(({ id, email, subscribed }) => (
            <li key={id}>
              <span>{email}</span>
              {!subscribed && <span>unsubscribed</span>}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
