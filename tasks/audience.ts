import { runBulkJob } from "../src/audience/bulk_jobs.ts";
import { runUndo } from "../src/audience/contacts/import_undo.ts";
import { runImport } from "../src/audience/contacts/imports.ts";
import {
  noteSegmentSizes,
  recountSegments,
  sweepProjectSegments,
  sweepSegments,
  updateSegments,
  wakeSegments,
} from "../src/audience/segments/upkeep.ts";
import type { Tasks } from "../src/jobs.ts";

/** The jobs of `src/audience`. */
export const audienceTasks = {
  /** Imports a file of contacts. A second run continues where the first one ended. */
  async import_contacts(ctx, { projectId, importId }) {
    await runImport(ctx, projectId, importId);
  },
  /** Notes how many members each segment has. A second run on the same day finds nothing to do. */
  note_segment_sizes: noteSegmentSizes,
  /** Recounts the members of segments. A second run counts the same. */
  async recount_segments(ctx, { projectId, segmentIds }) {
    await recountSegments(ctx, projectId, segmentIds);
  },
  /** Subscribes, unsubscribes or deletes many contacts. A second run continues where the first one ended. */
  async run_bulk_job(ctx, { projectId, jobId }) {
    await runBulkJob(ctx, projectId, jobId);
  },
  /** Brings the tracked segments of one project up to date. A second run changes nothing. */
  async sweep_project_segments(ctx, { projectId }) {
    await sweepProjectSegments(ctx, projectId);
  },
  /** Enqueues the five-minute look at tracked segments, a job for each project. A second run adds jobs that change nothing. */
  sweep_segments: sweepSegments,
  /** Undoes the import of a file. A second run continues where the first one ended. */
  async undo_import(ctx, { projectId, importId }) {
    await runUndo(ctx, projectId, importId);
  },
  /** Looks at the contacts of a project that changed. A second run finds none. */
  async update_segments(ctx, { projectId }) {
    await updateSegments(ctx, projectId);
  },
  /** Enqueues the look at contacts that a job has missed. A second run adds jobs that find none. */
  wake_segments: wakeSegments,
} satisfies Partial<Tasks>;
