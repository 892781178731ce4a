// Where an import stands, in one word.
import type { ContactImport, ListedContactImport } from "../../api.gen.ts";

/** What the service calls the reason where somebody has stopped it. */
const CANCELLED = "Cancelled";

/** The state with its word. What was undone is that, whatever it was before. */
export function stateOf({
  state,
  progress,
  undo,
  dryRun,
  failedReason,
}: ContactImport | ListedContactImport): {
  status: string;
  label: string;
} {
  if (undo?.state === "completed") return { status: "queued", label: "Undone" };
  if (undo?.state === "waiting" || undo?.state === "active") return { status: "active", label: "Undoing" };
  switch (state) {
    case "waiting":
      return { status: "queued", label: "Waiting" };
    case "active":
      return { status: "active", label: `${progress} %` };
    case "failed":
      return failedReason === CANCELLED
        ? { status: "CANCELLED", label: "Stopped" }
        : { status: "failed", label: "Failed" };
    default:
      return { status: "completed", label: dryRun ? "Trial done" : "Imported" };
  }
}

/** Whether somebody has stopped it. */
export const isCancelled = ({ failedReason }: Pick<ContactImport, "failedReason">) =>
  failedReason === CANCELLED;

/** Whether something is still to come. */
export const isMoving = ({ state, undo }: ContactImport) =>
  [state, undo?.state].some((one) => one === "waiting" || one === "active");

/** Whether it can be undone now: also what one has done that failed, or was stopped. */
export const canUndo = ({ result, undo }: ContactImport) =>
  result !== undefined &&
  result.successCount > 0 &&
  undo !== null &&
  undo.state === null &&
  new Date(undo.until) > new Date();
