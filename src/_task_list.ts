// The tasks as graphile-worker takes them: those of one lane, each run written to the log.
import type { TaskList } from "graphile-worker";
import type { Context } from "./context.ts";
import { JOBS, type JobName, type Lane, type Tasks } from "./jobs.ts";
import { describeError } from "./log.ts";
import { metersOf } from "./meters.ts";

/** The names of the tasks of one lane, or of all. */
export function namesOf(tasks: Tasks, lane?: Lane): JobName[] {
  return (Object.keys(tasks) as JobName[]).filter((name) => lane === undefined || JOBS[name].lane === lane);
}

/** The tasks of one lane as graphile-worker takes them, each run written to the log. */
export function taskListOf(ctx: Context, tasks: Tasks, lane?: Lane): TaskList {
  return Object.fromEntries(
    namesOf(tasks, lane).map((name) => [
      name,
      async (payload: unknown, { job }: { job: { id: string; attempts: number } }) => {
        const startedAt = performance.now();
        const line = () => ({
          job: name,
          id: job.id,
          attempt: job.attempts,
          ms: Math.round(performance.now() - startedAt),
        });
        const { jobs } = metersOf(ctx);
        const seconds = () => (performance.now() - startedAt) / 1000;
        try {
          await tasks[name](ctx, payload as never);
          ctx.log.info("job", line());
          jobs.observe({ task: name, outcome: "done" }, seconds());
        } catch (error) {
          ctx.log.error("job failed", { ...line(), ...describeError(error) });
          jobs.observe({ task: name, outcome: "failed" }, seconds());
          throw error;
        }
      },
    ]),
  );
}

/** Tells of each run when it begins and when it is over. */
export function followed(list: TaskList, on: { begin(id: string): void; end(id: string): void }): TaskList {
  return Object.fromEntries(
    Object.entries(list).map(([name, task]) => [
      name,
      async (payload, helpers) => {
        on.begin(helpers.job.id);
        try {
          return await task!(payload, helpers);
        } finally {
          on.end(helpers.job.id);
        }
      },
    ]),
  );
}
