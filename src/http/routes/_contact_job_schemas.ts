// How long work on contacts looks: queued, and then asked for.
import { t } from "elysia";
import { Int, Nullable, Timestamp, Uuid, Words } from "../entry/schemas.ts";

/** Where a job stands. */
export const JobState = Words(["waiting", "active", "completed", "failed"]);

/** The answer to what is queued. */
export const Queued = t.Object({ jobId: Uuid, message: t.String() }, { title: "QueuedJob" });

/** What every report begins with. */
export const JOB = {
  id: Uuid,
  state: JobState,
  progress: Int,
};
/** What every report ends with. */
export const END = {
  failedReason: t.Optional(t.String()),
  createdAt: Timestamp,
  finishedAt: Nullable(Timestamp),
};

/** The answer to what is queued. */
export function queued(jobId: string, kind: "import" | "bulk") {
  return { jobId, message: `Queued: see GET /contacts/${kind}/${jobId}` };
}
