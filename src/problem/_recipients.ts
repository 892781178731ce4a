// Refusals because of the people whom a message would go to.
import { Problem } from "./answer.ts";

export const recipientProblems = {
  // 400
  optedOut: (recipients: string[]) =>
    new Problem(400, "BAD_REQUEST", "Cannot send a MARKETING template to contacts who have opted out", {
      details: { recipients },
      suggestion: "Leave these recipients out, or use a TRANSACTIONAL template",
    }),

  // 422
  allSuppressed: (recipients: string[]) =>
    new Problem(422, "VALIDATION_ERROR", "Cannot send to addresses that are all suppressed", {
      errors: [
        { field: "to", code: "custom", message: "All of these addresses are on the suppression list" },
      ],
      details: { reason: "RECIPIENTS_SUPPRESSED", recipients },
      suggestion: "Take them off the list with DELETE /suppressions, or send to others",
    }),
};
