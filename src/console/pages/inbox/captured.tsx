// What owners do with captured mails: send them after all, or give them up. What it touches is counted first.
import { useQueryClient } from "@tanstack/react-query";
import type { CapturedMailsBody } from "../../api.gen.ts";
import { type Answer, call } from "../../api.ts";
import { confirm } from "../../parts/confirm.tsx";
import { formatCount } from "../../parts/format.ts";
import { toast } from "../../parts/toast.tsx";
import { useProjectId } from "../../place.ts";
import { readAgain } from "../../queries.ts";
import classes from "./inbox.module.css";

type Released = Answer<"POST /projects/{id}/captured-mails/release">;
type Discarded = Answer<"POST /projects/{id}/captured-mails/discard">;
/** Which: one by its id in the ledger, or all. */
type Which = { ids: string[] } | { all: true };

const READS = ["GET /emails", "GET /inbox"];

/** Asks, and then sends or gives up. Both are for owners. */
export function useCaptured() {
  const id = useProjectId();
  const cache = useQueryClient();
  const path = { id };
  const release = async (body: CapturedMailsBody) =>
    await call("POST /projects/{id}/captured-mails/release", { path, body });
  const discard = async (body: CapturedMailsBody) =>
    await call("POST /projects/{id}/captured-mails/discard", { path, body });
  return {
    async askToRelease(which: Which): Promise<void> {
      const dry = await inParts(release, { ...which, dryRun: true }, addReleased);
      if (!dry) return;
      const { released } = dry;
      confirm({
        title: released === 0 ? "Nothing can be sent" : `Send ${formatCount(released, "captured mail")}?`,
        children: <WhatIsReleased report={dry} />,
        isDestructive: false,
        ...(released > 0 && {
          action: "Send now",
          act: async () => {
            const done = await inParts(release, which, addReleased);
            await readAgain(cache, id, READS);
            toast.done(`${formatCount(done?.released ?? 0, "mail")} on the way`);
          },
        }),
      });
    },
    async askToDiscard(which: Which): Promise<void> {
      const dry = await inParts(discard, { ...which, dryRun: true }, addDiscarded);
      if (!dry) return;
      confirm({
        title: dry.discarded === 0 ? "Nothing to discard" : `Discard ${formatCount(dry.discarded, "mail")}?`,
        children:
          dry.discarded === 0
            ? "None of these mails is waiting to be released."
            : "They can no longer be sent, and count as suppressed. They stay in the inbox. This cannot be undone.",
        ...(dry.discarded > 0 && {
          action: "Discard",
          act: async () => {
            const done = await inParts(discard, which, addDiscarded);
            await readAgain(cache, id, READS);
            toast.done(`${formatCount(done?.discarded ?? 0, "mail")} discarded`);
          },
        }),
      });
    },
  };
}

/** Some thousands in a call: continues until there are no more. Null if it was refused; that has been said then. */
async function inParts<Report extends { cursor: string | null }>(
  ask: (body: CapturedMailsBody) => Promise<Report>,
  body: Which & { dryRun?: boolean },
  add: (sum: Report, part: Report) => Report,
): Promise<Report | null> {
  let sum: Report | null = null;
  let cursor: string | null = null;
  do {
    let part: Report;
    try {
      part = await ask((cursor === null ? body : { ...body, cursor }) as CapturedMailsBody);
    } catch (error) {
      // What comes before a question is told here; what comes behind it, by the question.
      if (!body.dryRun) throw error;
      toast.failed(error);
      return null;
    }
    sum = sum === null ? part : add(sum, part);
    cursor = part.cursor;
  } while (cursor !== null);
  return sum;
}

function addReleased(sum: Released, part: Released): Released {
  return {
    ...sum,
    captured: sum.captured + part.captured,
    released: sum.released + part.released,
    overLimit: Number(sum.overLimit) + Number(part.overLimit),
    refused: addTallies(sum.refused, part.refused) as Released["refused"],
    skipped: addTallies(sum.skipped, part.skipped) as Released["skipped"],
  };
}

function addDiscarded(sum: Discarded, part: Discarded): Discarded {
  return {
    ...sum,
    captured: sum.captured + part.captured,
    discarded: sum.discarded + part.discarded,
    skipped: sum.skipped + part.skipped,
  };
}

function addTallies(a: Record<string, number>, b: Record<string, number>): Record<string, number> {
  const sums = { ...a };
  for (const [reason, count] of Object.entries(b)) sums[reason] = (sums[reason] ?? 0) + count;
  return sums;
}

function WhatIsReleased({ report: { released, refused, skipped } }: { report: Released }) {
  const reasons = Object.entries(addTallies(refused, skipped));
  return (
    <>
      {released > 0 && "They are sent to their recipients at once, and count towards this month’s usage. "}
      {reasons.length > 0 && (
        <>
          Not sent:
          <ul className={classes.reasons}>
            {reasons.map(([reason, count]) => (
              <li key={reason}>
                {formatCount(count, "mail")}: {reason}
              </li>
            ))}
          </ul>
        </>
      )}
      {released === 0 && reasons.length === 0 && "No captured mail is waiting to be sent."}
    </>
  );
}
