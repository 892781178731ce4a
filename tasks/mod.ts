// Every job of the service: a job without a task, or a task without a job, does not compile.
import type { Tasks } from "../src/jobs.ts";
import { accountsTasks } from "./accounts.ts";
import { audienceTasks } from "./audience.ts";
import { automationTasks } from "./automation.ts";
import { insightTasks } from "./insight.ts";
import { movingTasks } from "./moving.ts";
import { removalTasks } from "./removal.ts";
import { sendingTasks } from "./sending.ts";
import { upkeepTasks } from "./upkeep.ts";

/** What does each job. */
export const tasks: Tasks = {
  ...accountsTasks,
  ...audienceTasks,
  ...automationTasks,
  ...insightTasks,
  ...movingTasks,
  ...removalTasks,
  ...sendingTasks,
  ...upkeepTasks,
};

/** The schedule of the recurring jobs. */
export const CRONTAB = new URL("./crontab", import.meta.url).pathname;
