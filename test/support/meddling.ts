// What tests do to a process that works: something happens in the middle of it, or a statement fails.
import type { Context } from "../../src/context.ts";
import type { Jobs } from "../../src/jobs.ts";
import { dropJobs, jobsOf } from "./queue.ts";

/** Another process on the same database, perhaps by another clock. */
export function another(service: Context, now = service.now): Context {
  const pool = new Proxy(service.pool, {});
  return { ...service, pool, sql: pool, now };
}

/** Another process, in which `act` is called right before each statement of a transaction that matches. */
export function meddled(service: Context, pattern: RegExp, act: (n: number) => unknown): Context {
  let n = 0;
  const meddle = (sql: object) =>
    new Proxy(sql, {
      apply: (statement, self, args: [{ raw?: string[] }]) => {
        const run = () => Reflect.apply(statement as never, self, args) as unknown;
        if (!pattern.test(args[0].raw?.join("$") ?? "")) return run();
        return (async () => {
          await act(++n);
          return await run();
        })();
      },
    });
  const pool = new Proxy(service.pool, {
    get: (target, name) =>
      name !== "begin"
        ? Reflect.get(target, name)
        : (work: (sql: unknown) => unknown) => target.begin((sql) => work(meddle(sql))),
  });
  return { ...service, pool, sql: pool };
}

/** An error as the database has it. */
export function databaseError(code: string): Error {
  return Object.assign(new Error(`an error of the database (${code})`), { code });
}

/** The payloads of the jobs of one kind, taken out of the queue. */
export async function takeJobs<Name extends keyof Jobs>(service: Context, name: Name): Promise<Jobs[Name][]> {
  const jobs = await dropJobs(service.pool, (job) => job.name === name);
  return jobs.map(({ payload }) => payload as Jobs[Name]);
}

/** How many jobs of one kind are in the queue. */
export async function countJobs(service: Context, name: keyof Jobs): Promise<number> {
  return (await jobsOf(service.pool, name)).length;
}
