import type postgres from "postgres";
import type { Config } from "./config/mod.ts";
import { isConflict } from "./database_errors.ts";
import { transactionIn } from "./db/patience.ts";
import { countUse } from "./db/pool.ts";
import type { Db } from "./db/types.ts";
import type { Log } from "./log.ts";
import type { Dns } from "./mail/dns.ts";
import type { Mailer, MailerOptions } from "./mail/mailer.ts";
import type { TlsFailures } from "./mail/tls_failures.ts";
import { inSpan, tracer } from "./tracing.ts";

/**
 * Everything that a function may touch besides its arguments. Passed first, named `ctx`, or `tx` inside a
 * transaction.
 */
export interface Context {
  readonly config: Config;
  readonly pool: postgres.Sql;
  /** A connection of its own for readiness checks: behind other work they would measure that work. */
  readonly probe?: postgres.Sql;
  /** The pool, or the transaction that is in progress. */
  readonly sql: Db;
  readonly mailer: Mailer;
  /** Opens what a transport needs, beside `mailer`. Left out: there is no other way than that. */
  readonly openMailer?: (options: MailerOptions) => Mailer;
  /** What the transports of this process count together, the mail server of the settings with them. Left out: nobody counts. */
  readonly tlsFailures?: TlsFailures;
  readonly dns: Dns;
  readonly log: Log;
  /** Time that decides anything comes from here, so that a test can move it. */
  readonly now: () => Date;
  /** This process, in claims and heartbeats. */
  readonly workerId: string;
  /**
   * How long a statement may go without a response from the caller's view. Left out: until the server ends it, or we
   * end its connection. Infinity: as long as it takes.
   */
  readonly patienceMs?: number;
  /** Compiles MJML in the turn of a project, or another owner. Left out: a process of its own for each body. */
  readonly mjml?: (owner: string, source: string) => Promise<Buffer<ArrayBuffer> | null>;
}

const CONFLICT_ATTEMPTS = 4;

/**
 * Runs `work` in one transaction; inside another transaction it joins that one. After a deadlock the transaction that
 * was rolled back is repeated: `work` must leave no trace outside the database.
 */
export async function inTransaction<T>(ctx: Context, work: (tx: Context) => Promise<T>): Promise<T> {
  if (ctx.sql !== ctx.pool) return await work(ctx);
  const transact = () =>
    countUse(ctx.pool, () => transactionIn(ctx.pool, (sql) => work({ ...ctx, sql }), ctx.patienceMs));
  return await repeated(() => (tracer === undefined ? transact() : inSpan("transaction", {}, transact)));
}

/** What is a transaction, once more after a deadlock in which it was rolled back. */
export async function repeated<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction();
    } catch (error) {
      if (!isConflict(error) || attempt === CONFLICT_ATTEMPTS) throw error;
    }
  }
}

/** For statements that may take longer than any answer: counting the mails of a year, say. */
export function patiently(ctx: Context): Context {
  return { ...ctx, patienceMs: Infinity };
}

/** A new time-ordered id (UUID version 7) by the clock of the service, or of the time that is given. */
export function newId(ctx: Context, at: Date = ctx.now()): string {
  return Bun.randomUUIDv7("hex", at.getTime());
}

/**
 * One instance for each service in this process, made when first asked for: what must be shared between requests
 * hangs on the context's pool and not on a module, so that two services (as in tests) share nothing.
 */
export function perService<T>(make: (ctx: Context) => T): (ctx: Context) => T {
  const made = new WeakMap<postgres.Sql, T>();
  return (ctx) => {
    let instance = made.get(ctx.pool);
    if (instance === undefined) made.set(ctx.pool, (instance = make({ ...ctx, sql: ctx.pool })));
    return instance;
  };
}
