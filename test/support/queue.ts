// The queue, as tests look into it and tamper with it. Its tables belong to graphile-worker, so they are named here alone.
import type postgres from "postgres";
import type { Jobs } from "../../src/jobs.ts";

/** A job that waits, or is being done. */
export interface QueuedJob {
  id: string;
  name: keyof Jobs;
  key: string | null;
  // Tests look into payloads of every kind.
  // oxlint-disable-next-line typescript/no-explicit-any
  payload: any;
  priority: number;
  runAt: Date;
  /** The same in seconds since 1970, to the microsecond: in this order the queue hands out what has the same priority. */
  due: number;
  attempts: number;
  maxAttempts: number;
  lastError: string | null;
  lockedAt: Date | null;
  lockedBy: string | null;
}

/** What can be changed of a job. */
export interface JobChange {
  runAt?: Date;
  /** `all`: as many as it may have. */
  attempts?: number | "all";
  updatedAt?: Date;
}

/** Every job, or those of one kind, in the order in which they were added. */
export async function jobsOf(sql: postgres.Sql, name?: keyof Jobs): Promise<QueuedJob[]> {
  const jobs = await sql<QueuedJob[]>`
    select ${columns(sql)}
    from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    order by j.id`;
  return name === undefined ? [...jobs] : jobs.filter((job) => job.name === name);
}

/** Which jobs. */
export type Which = (job: QueuedJob) => boolean;

/** Takes jobs out of the queue, all of them where nothing else is said, also those that are being done. Answers them. */
export async function dropJobs(sql: postgres.Sql, which?: Which): Promise<QueuedJob[]> {
  const these = which ? sql`j.id = any(${idsOf((await jobsOf(sql)).filter(which))})` : sql`true`;
  const dropped = await sql<QueuedJob[]>`
    delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
    where t.id = j.task_id and ${these}
    returning ${columns(sql)}`;
  return dropped.toSorted((a, b) => Number(a.id) - Number(b.id));
}

const columns = (sql: postgres.Sql) => sql`
  j.id, t.identifier as name, j.key, j.payload, j.priority, j.run_at, extract(epoch from j.run_at)::float8 as due, j.attempts, j.max_attempts, j.last_error,
  j.locked_at, j.locked_by`;

/** Changes jobs, all of them where nothing else is said. */
export async function changeJobs(
  sql: postgres.Sql,
  { runAt = null, attempts = null, updatedAt = null }: { [Name in keyof JobChange]?: JobChange[Name] | null },
  which: Which = () => true,
): Promise<void> {
  const ids = idsOf((await jobsOf(sql)).filter(which));
  await sql`
    update graphile_worker._private_jobs set
      run_at = coalesce(${runAt}, run_at),
      attempts = ${attempts === "all" ? sql`max_attempts` : sql`coalesce(${attempts}::smallint, attempts)`},
      updated_at = coalesce(${updatedAt}, updated_at)
    where id = any(${ids})`;
}

/** Makes due by the clock of Postgres what is due at this time, and answers how many jobs can be taken now. */
export async function makeDue(sql: postgres.Sql, at: Date): Promise<number> {
  await sql`update graphile_worker._private_jobs set run_at = now() where run_at <= ${at}`;
  const [due] = await sql`
    select count(*)::int as jobs from graphile_worker._private_jobs where is_available and run_at <= now()`;
  return due!.jobs as number;
}

/** Whether a job is being done. */
export async function hasHeldJob(sql: postgres.Sql): Promise<boolean> {
  const held = await sql`select from graphile_worker._private_jobs where locked_at is not null limit 1`;
  return held.length > 0;
}

const idsOf = (jobs: readonly QueuedJob[]) => jobs.map(({ id }) => id);
