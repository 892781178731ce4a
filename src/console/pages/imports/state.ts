// Where an import stands, in one word.
import type { ContactImport, ListedContactImport } from "../../api.gen.ts";

/** The state with its word. What was undone is that, whatever it was before. */
export function stateOf({ state, progress, undo, dryRun }: ContactImport | ListedContactImport): {
  status: string;
  label: string;
} {
  if (undo?.state === "completed") return { status: "queued", label: "Undone" };
  if (undo?.state === "waiting" || undo?.state === "active")
    return { status: "active", label: "Being undone" };
  switch (state) {
    case "waiting":
      return { status: "queued", label: "Waiting" };
    case "active":
      return { status: "active", label: `${progress} %` };
    case "failed":
      return { status: "failed", label: "Failed" };
    default:
      return { status: "completed", label: dryRun ? "Tried" : "Imported" };
  }
}

/** Whether something is still to come. */
export const isMoving = ({ state, undo }: ContactImport) =>
  [state, undo?.state].some((one) => one === "waiting" || one === "active");

/** Whether it can be undone now. */
export const canUndo = ({ state, undo }: ContactImport) =>
  state === "completed" && undo !== null && undo.state === null && new Date(undo.until) > new Date();
