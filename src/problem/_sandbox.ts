// Refusals about sandboxes.
import { Problem } from "./answer.ts";

export const sandboxProblems = {
  // 409
  sandboxExists: (sandboxId: string) =>
    new Problem(409, "CONFLICT", "Cannot create a sandbox: the project has one", {
      details: { sandboxId },
      suggestion:
        "Create named test keys with POST /projects/:sandboxId/keys, or a new pair with POST /users/@me/projects/:sandboxId/regenerate-keys",
    }),

  notInSandbox: (what: string) =>
    new Problem(409, "CONFLICT", `Cannot ${what} in test mode`, {
      suggestion:
        "A sandbox has the members and settings of its project, takes any sender and sends nothing: do this in the project itself",
    }),
};
