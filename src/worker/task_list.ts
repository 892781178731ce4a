// The tasks as graphile-worker takes them: those of one lane, each run written to the log.
import type { TaskList } from "graphile-worker";
import type { Context } from "../context.ts";
import type { Lane } from "../job_kinds.ts";
import { JOBS, type JobName, type Tasks } from "../jobs.ts";
import { q } from "../db/queries.ts";
import { storable } from "../db/text.ts";
import { describeError } from "../log.ts";
import { metersOf } from "../meters.ts";
import { Problem } from "../problem/mod.ts";
import { inTrace, tracer } from "../tracing.ts";

const OUTCOMES = ["done", "failed"] as const;
const MAX_MESSAGE_CHARS = 2_000;

/** The names of the tasks of one lane, or of all. */
export function namesOf(tasks: Tasks, lane?: Lane): JobName[] {
  return (Object.keys(tasks) as JobName[]).filter((name) => lane === undefined || JOBS[name].lane === lane);
}

/** The tasks of one lane as graphile-worker takes them, each run written to the log. */
export function taskListOf(ctx: Context, tasks: Tasks, lane?: Lane): TaskList {
  const { ended, jobSeconds } = metersOf(ctx);
  // From 0 on, so that the first of each is seen as one more.
  for (const task of namesOf(tasks, lane)) for (const outcome of OUTCOMES) ended.inc({ task, outcome }, 0);
  return Object.fromEntries(
    namesOf(tasks, lane).map((name) => [
      name,
      async (given: unknown, { job }: { job: { id: string; attempts: number } }) => {
        const { from, payload } = readTrace(given);
        const startedAt = performance.now();
        const line = () => ({
          job: name,
          id: job.id,
          attempt: job.attempts,
          ms: Math.round(performance.now() - startedAt),
          ...aboutOf(payload),
        });
        const end = (outcome: "done" | "left" | "failed") => {
          jobSeconds.inc({ task: name }, (performance.now() - startedAt) / 1000);
          ended.inc({ task: name, outcome });
        };
        const work = async () => {
          if (await isLeftToLater(ctx, name, { job, payload })) return "left";
          await tasks[name](ctx, payload as never);
          return "done";
        };
        try {
          const outcome = await (tracer === undefined
            ? work()
            : inTrace(`job ${name}`, asSpan(name, { job, from, payload }), work));
          ctx.log.info(outcome === "done" ? "job" : "job left to a later one", line());
          end(outcome);
        } catch (error) {
          // A refusal is somebody's mistake, and none of the service's.
          const level = error instanceof Problem ? "warn" : "error";
          ctx.log[level]("job failed", { ...line(), ...describeError(error) });
          end("failed");
          throw keepable(error);
        }
      },
    ]),
  );
}

/**
 * What the queue keeps of a failure is its message, with what others have sent. If Postgres refused it, the word that the job is
 * over, and that of all which are over with it, would be repeated in vain.
 */
function keepable(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const message = storable(error.message.slice(0, MAX_MESSAGE_CHARS));
  return message === error.message ? error : new Error(message, { cause: error });
}

/**
 * Whether a job of the crontab failed before, and there is a later one of its kind, which does all that this one would do. So
 * a sweep is tried until the next one waits: none is given up because the database was away several times in a minute, and
 * none that fails for hours has its predecessors tried beside it.
 */
async function isLeftToLater(
  ctx: Context,
  task: JobName,
  { job, payload }: { job: { id: string; attempts: number }; payload: unknown },
): Promise<boolean> {
  const isOfCrontab = typeof payload === "object" && payload !== null && "_cron" in payload;
  return isOfCrontab && job.attempts > 1 && (await q.jobs.hasLater(ctx, { task, id: job.id })).hasLater;
}

/** The span that a job follows from, and its payload without it: a process that traces nothing has jobs of one that does. */
function readTrace(given: unknown): { from: string[]; payload: unknown } {
  const { traceparent, ...payload } = (given ?? {}) as {
    traceparent?: string;
    traces?: Record<string, string>;
  };
  return { from: traceparent ? [traceparent] : Object.values(payload.traces ?? {}), payload };
}

/** What a trace says of a job. */
function asSpan(
  name: JobName,
  { job, from, payload }: { job: { id: string; attempts: number }; from: string[]; payload: unknown },
) {
  const { projectId } = payload as { projectId?: string };
  return {
    kind: "consumer" as const,
    links: from.flatMap((traceparent) => tracer!.read(traceparent) ?? []),
    attributes: () => ({
      "messaging.system": "graphile-worker",
      "messaging.operation.type": "process",
      "messaging.destination.name": name,
      "messaging.message.id": job.id,
      "postrider.job.attempt": job.attempts,
      ...(projectId && { "postrider.project.id": projectId }),
    }),
  };
}

/**
 * What a job is about: the ids in its payload; of several of a kind how many, as `emails: 3`. Anything else may be an
 * address, and is left out.
 */
export function aboutOf(payload: unknown): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(payload ?? {}).flatMap(([name, value]): [string, string | number][] => {
      if (name.endsWith("Id") && typeof value === "string") return [[name, value]];
      if (!name.endsWith("Ids") || !Array.isArray(value)) return [];
      const noun = name.slice(0, -"Ids".length);
      return value.length === 1 ? [[`${noun}Id`, String(value[0])]] : [[`${noun}s`, value.length]];
    }),
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
