// Work on many contacts: begun here, done by the service, and watched in bulk_progress.tsx.
import type { BulkBody, ContactFilter } from "../../api.gen.ts";
import { type Answer, call } from "../../api.ts";

/** What can be done with many contacts, as reports name it. */
export type Operation = "subscribe" | "unsubscribe" | "delete" | "add" | "remove";

/** Which contacts: some, or all that match but some. */
export type Chosen = { ids: string[] } | { filter: ContactFilter; exceptIds: string[] };

/** Work that was begun. */
export interface Work {
  operation: Operation;
  chosen: Chosen;
  segment?: { id: string; name: string } | undefined;
  jobIds: string[];
}

/** The service takes as many ids at once. */
const MAX_IDS = 1_000;
const PATHS = {
  subscribe: "POST /contacts/bulk-subscribe",
  unsubscribe: "POST /contacts/bulk-unsubscribe",
  delete: "POST /contacts/bulk-delete",
} as const;

/** What takes it back, where something does. */
export const OPPOSITES: Partial<Record<Operation, Operation>> = {
  subscribe: "unsubscribe",
  unsubscribe: "subscribe",
  add: "remove",
  remove: "add",
};

/** Begins the work: one job, or one for each 1,000 ids. */
export async function begin(
  projectId: string,
  { operation, chosen, segment }: Omit<Work, "jobIds">,
): Promise<Work> {
  const jobs = await Promise.all(
    bodiesOf(chosen).map((body) => {
      if (operation === "add" || operation === "remove") {
        const path =
          operation === "add"
            ? "POST /contacts/bulk-add-to-segment"
            : "POST /contacts/bulk-remove-from-segment";
        return call(path, { body: { ...body, segmentId: segment!.id } }, { projectId });
      }
      return call(PATHS[operation], { body }, { projectId });
    }),
  );
  return { operation, chosen, segment, jobIds: jobs.map(({ jobId }) => jobId) };
}

function bodiesOf(chosen: Chosen): BulkBody[] {
  if ("filter" in chosen) return [{ mode: "query", filter: chosen.filter, excludeIds: chosen.exceptIds }];
  const starts = Array.from({ length: Math.ceil(chosen.ids.length / MAX_IDS) }, (_, n) => n * MAX_IDS);
  return starts.map((start) => ({ mode: "ids", contactIds: chosen.ids.slice(start, start + MAX_IDS) }));
}

type Report = Answer<"GET /contacts/bulk/{jobId}">;

/** Where all jobs of one piece of work are together. */
export interface Progress {
  isDone: boolean;
  /** Whole percent. */
  percent: number;
  operation: Operation | null;
  done: number;
  unchanged: number;
  failed: number;
  /** Why some failed, or all did: each reason once. */
  reasons: string[];
}

/** Adds the reports up. */
export function progressOf(reports: Report[]): Progress {
  const results = reports.flatMap(({ result }) => result ?? []);
  const sum = (name: "successCount" | "unchangedCount" | "failureCount") =>
    results.reduce((total, result) => total + result[name], 0);
  return {
    isDone: reports.every(({ state }) => state === "completed" || state === "failed"),
    percent: Math.round(reports.reduce((total, { progress }) => total + progress, 0) / reports.length),
    operation: results[0]?.operation ?? null,
    done: sum("successCount"),
    unchanged: sum("unchangedCount"),
    failed: sum("failureCount"),
    reasons: [
      ...new Set([
        ...results.flatMap(({ errors }) => errors.map(({ error }) => error)),
        ...reports.flatMap(({ failedReason }) => failedReason ?? []),
      ]),
    ],
  };
}
