// Where a move stands, in a word.
import type { Move, MoveCounts } from "../../api.gen.ts";

const LABELS: Record<Move["state"], { status: string; label: string }> = {
  UPLOADING: { status: "queued", label: "Waits for files" },
  CHECKING: { status: "active", label: "Looking" },
  READY: { status: "queued", label: "Ready to move in" },
  RUNNING: { status: "active", label: "Moving in" },
  DONE: { status: "completed", label: "Moved in" },
  FAILED: { status: "failed", label: "Failed" },
  CANCELLED: { status: "CANCELLED", label: "Cancelled" },
};

/** The state with its word. */
export const stateOf = ({ state }: Pick<Move, "state">) => LABELS[state];

/** Whether it changes by itself. */
export const isAtWork = ({ state }: Pick<Move, "state">) => state === "CHECKING" || state === "RUNNING";

/** Whether somebody may still go on with it. */
export const isOpen = ({ finishedAt }: Pick<Move, "finishedAt">) => finishedAt === null;

const STEPS: Record<NonNullable<Move["step"]>, string> = {
  lists: "Reading lists",
  suppressions: "Reading suppressions",
  contacts: "Reading contacts",
  members: "Reading who is in which list",
  segments: "Reading segments",
  templates: "Reading templates",
  campaigns: "Reading campaigns",
  workflows: "Reading workflows",
};

/** What is done now. */
export const stepOf = ({ step }: Pick<Move, "step">) => (step === null ? "Getting ready" : STEPS[step]);

/** Whole percent of the contacts that the dry run has seen; null where that is not known. */
export function percentOf({ state, found, moved }: Move): number | null {
  const total = found?.contacts.read ?? 0;
  if (state !== "RUNNING" || total === 0) return null;
  return Math.min(99, Math.floor(((moved?.contacts.read ?? 0) / total) * 100));
}

/** Whether there is anything. */
export function isNothing(counts: MoveCounts): boolean {
  if (counts === null) return true;
  const { contacts, suppressions, segments, templates, campaigns, workflows } = counts;
  const tallies = [segments, templates, campaigns, workflows].map(
    ({ created, existing }) => created + existing,
  );
  return contacts.read + suppressions + tallies.reduce((sum, one) => sum + one, 0) === 0;
}
