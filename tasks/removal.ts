import { deleteProject, resetProject } from "../src/removal/mod.ts";
import type { Tasks } from "../src/jobs.ts";

/** The jobs of `src/removal`. */
export const removalTasks = {
  /** Takes a deleted project apart, for some seconds. A second run continues where the first one ended. */
  delete_project: deleteProject,
  /** Takes away what a project held before its reset, for some seconds. A second run continues where the first one ended. */
  reset_project: resetProject,
} satisfies Partial<Tasks>;
