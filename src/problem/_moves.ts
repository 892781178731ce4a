// Refusals of moves from other services.
import { Problem } from "./answer.ts";

export const moveProblems = {
  moveInProgress: (id: string) =>
    new Problem(409, "CONFLICT", "Cannot begin to move in: another move into this project has not ended", {
      details: { id },
      suggestion: "Finish it with POST /moves/{id}/start, or cancel it with POST /moves/{id}/cancel",
    }),
  moveNotAtThat: (state: string, wanted: string) =>
    new Problem(409, "CONFLICT", `Cannot do this with a move that is ${state}: it has to be ${wanted}`, {
      details: { state },
    }),
  moveTakesNoFiles: (source: string) =>
    new Problem(409, "CONFLICT", `Cannot take a file for a move from ${source}: it is read by its API`, {
      suggestion: "For files, begin a move from mailchimp, brevo or sendgrid",
    }),
  moveNeedsFiles: () =>
    new Problem(409, "CONFLICT", "Cannot check a move without files", {
      suggestion: "Upload what the other service has exported with POST /moves/{id}/files, each to its end",
    }),
  wrongMoveFile: (name: string, reason: string, suggestion: string) =>
    new Problem(415, "UNSUPPORTED_MEDIA_TYPE", `Cannot read ${name.slice(0, 100)}: ${reason}`, {
      suggestion,
    }),
  moveFull: (limit: string) =>
    new Problem(409, "CONFLICT", `Cannot take another file for this move: it may have ${limit}`, {
      suggestion: "Remove one, or put the CSV files into a zip",
    }),
  moveDuringReset: () =>
    new Problem(409, "CONFLICT", "Cannot import into a project that is being reset", {
      suggestion: "Wait until that is done",
    }),
  moveWithTracking: () =>
    new Problem(
      409,
      "CONFLICT",
      "Cannot import into a project that tracks the membership of segments: their events would start workflows",
      { suggestion: "Switch the tracking of segments off first, and on again afterwards" },
    ),
};
