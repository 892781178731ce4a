// Work on many contacts, as it continues. The address names its jobs, so that it is still there after a reload.
import { ActionIcon, Progress as Bar } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { call } from "../../api.ts";
import { formatCount, formatNumber } from "../../parts/format.ts";
import { CloseIcon } from "../../parts/icons.tsx";
import { toast } from "../../parts/toast.tsx";
import { useProjectId } from "../../place.ts";
import { readAgain } from "../../queries.ts";
import { type Operation, OPPOSITES, type Progress, progressOf, type Work } from "./bulk_work.ts";
import classes from "./contacts.module.css";

const ASK_MS = 600;

const GOING: Record<Operation, string> = {
  subscribe: "Subscribing contacts",
  unsubscribe: "Unsubscribing contacts",
  delete: "Deleting contacts",
  add: "Adding contacts to the segment",
  remove: "Removing contacts from the segment",
};
const DONE: Record<Operation, (contacts: string) => string> = {
  subscribe: (contacts) => `${contacts} subscribed`,
  unsubscribe: (contacts) => `${contacts} unsubscribed`,
  delete: (contacts) => `${contacts} deleted`,
  add: (contacts) => `${contacts} added to the segment`,
  remove: (contacts) => `${contacts} removed from the segment`,
};

interface Props {
  jobIds: string[];
  /** Where it was begun on this page: it can be taken back. */
  work: Work | null;
  undo: (work: Work) => Promise<unknown>;
  /** There is nothing more to show. */
  close: () => void;
}

export function BulkProgress({ jobIds, work, undo, close }: Props) {
  const projectId = useProjectId();
  const cache = useQueryClient();
  const { data: progress, error } = useQuery({
    queryKey: [projectId, "bulk work", jobIds],
    queryFn: async ({ signal }) =>
      progressOf(
        await Promise.all(
          jobIds.map((jobId) =>
            call("GET /contacts/bulk/{jobId}", { path: { jobId } }, { projectId, signal }),
          ),
        ),
      ),
    refetchInterval: ({ state }) => (state.data?.isDone || state.error ? false : ASK_MS),
  });
  const isDone = progress?.isDone ?? false;
  useEffect(() => {
    if (!isDone || !progress) return;
    void readAgain(cache, projectId, ["GET /contacts", "GET /segments", "GET /activity"]);
    if (progress.reasons.length > 0) return;
    const isReversible =
      work && "ids" in work.chosen && progress.unchanged === 0 && OPPOSITES[work.operation];
    toast.done(wordsOf(progress), isReversible ? { undo: () => undo(work) } : {});
    close();
    // What happens to one piece of work is told once.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [isDone]);
  if (isDone && progress!.reasons.length === 0) return null;
  const operation = work?.operation ?? progress?.operation;
  return (
    <section className={classes.work} aria-label="Work on contacts">
      <div className={classes.workWords} role="status">
        {error?.message ?? (isDone ? wordsOf(progress!) : `${operation ? GOING[operation] : "At work"}…`)}
        {isDone && (
          <ul>
            {progress!.reasons.slice(0, 5).map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        )}
      </div>
      {!isDone && !error && (
        <>
          <Bar value={progress?.percent ?? 0} className={classes.workBar!} size="sm" aria-label="Progress" />
          <span className={classes.workPercent}>{progress?.percent ?? 0} %</span>
        </>
      )}
      {(isDone || error) && (
        <ActionIcon size="sm" aria-label="Close" onClick={close}>
          <CloseIcon size={14} />
        </ActionIcon>
      )}
    </section>
  );
}

/** `12 contacts unsubscribed. 3 were so already`. */
function wordsOf({ operation, done, unchanged, failed }: Progress): string {
  const contacts = formatCount(done, "contact");
  return [
    operation ? DONE[operation](contacts) : "It has failed",
    unchanged > 0 && `${formatNumber(unchanged)} needed no change`,
    failed > 0 && `${formatNumber(failed)} could not be changed`,
  ]
    .filter(Boolean)
    .join(". ");
}
