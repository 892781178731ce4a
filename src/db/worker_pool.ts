import type { Socket } from "node:net";
import pg from "pg";
import { isSettling, jobsSettledBy, REPEATED } from "./_runner_queries.ts";

// What graphile-worker asks is answered in milliseconds: longer than this, and the server is frozen or out of reach.
const SILENCE_MS = 35_000;
const CONNECT_MS = 10_000;
const RETRY_MS = 250;
const LONGEST_WORD_MS = 10 * 60_000;

const APPLICATION_NAME = "postrider worker";

/**
 * The pool that graphile-worker needs for itself. It hides outages of the database: connections are awaited, a
 * statement whose connection was lost is reported as retryable, and the message that jobs are over is repeated here
 * until it is accepted. Otherwise a lane would stop permanently: the queue caches the first failure of a look-up that it
 * makes once, and gives up when it cannot remove jobs (graphile/worker#636).
 */
export function openWorkerPool(url: string, max: number): WorkerPool {
  const pool = new WorkerPool({
    connectionString: url,
    max,
    application_name: APPLICATION_NAME,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: SILENCE_MS,
    keepAlive: true,
  });
  pool.on("error", () => {});
  pool.on("connect", (client) => {
    client.on("error", () => {});
    repeatWhatWasLost(pool, client);
  });
  return pool;
}

type Connected = Parameters<pg.Pool["connect"]>[0];

/** A pool whose connections are waited for. */
export class WorkerPool extends pg.Pool {
  private readonly open = new Set<pg.PoolClient>();
  /** Jobs that are over, and since when. */
  private readonly over = new Map<string, number>();

  constructor(config: pg.PoolConfig) {
    super(config);
    this.on("connect", (client) => this.open.add(client));
    this.on("remove", (client) => this.open.delete(client));
  }

  /** Ends every connection at once. */
  async drop(): Promise<void> {
    await this.cutOff([...this.open]);
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | void {
    const connecting = this.connectPatiently();
    if (callback === undefined) return connecting;
    connecting.then(
      (client) => callback(undefined, client, client.release),
      (error: Error) => callback(error, undefined, () => {}),
    );
  }

  /** A job is over. The word of it may wait for a connection, and be repeated. */
  noteOver(jobId: string): void {
    this.over.set(jobId, performance.now());
  }

  /** Whether a job is over, and the database has not acknowledged it yet. Not for ever: the word may have been lost with its runner. */
  isBeingSettled(jobId: string): boolean {
    return performance.now() - (this.over.get(jobId) ?? -Infinity) < LONGEST_WORD_MS;
  }

  /** Forgets jobs that are over when the word of them has been said. */
  async untilSettled<T>(asked: pg.QueryConfig, said: Promise<T>): Promise<T> {
    try {
      return await said;
    } finally {
      for (const id of jobsSettledBy(asked)) this.over.delete(id);
    }
  }

  /** Repeats that jobs have ended until that is acknowledged. */
  async settle(asked: pg.QueryConfig): Promise<pg.QueryResult> {
    for (;;) {
      await Bun.sleep(RETRY_MS);
      if (this.ending) throw new Error("Cannot say that jobs are over: the pool has ended");
      try {
        return await this.askAside(asked);
      } catch {
        // The database is still away, or cannot write.
      }
    }
  }

  /**
   * Ends connections here, and what they are executing at the server: it would continue for nobody. A process id that
   * belongs to somebody else by now is left alone.
   */
  async cutOff(clients: pg.PoolClient[]): Promise<void> {
    for (const client of clients) destroy(client);
    const text =
      "select pg_terminate_backend(pid) from pg_stat_activity " +
      "where pid = any($1) and application_name = $2 and datname = current_database()";
    const pids = clients.map(pidOf);
    await this.askAside({ text, values: [pids, APPLICATION_NAME] }).catch(() => {});
  }

  /** Uses a connection of its own: those of the pool may all be lost. */
  private async askAside(asked: pg.QueryConfig): Promise<pg.QueryResult> {
    const client = new pg.Client(this.options);
    client.on("error", () => {});
    try {
      await client.connect();
      return await client.query(asked);
    } finally {
      void client.end().catch(() => {});
    }
  }

  /** Tries until the database is back, whatever it reports until then, or the pool is ended. */
  private async connectPatiently(): Promise<pg.PoolClient> {
    for (;;) {
      try {
        return await super.connect();
      } catch (error) {
        if (this.ending) throw error;
        await Bun.sleep(RETRY_MS);
      }
    }
  }
}

function repeatWhatWasLost(pool: WorkerPool, client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const repeated = (...args: unknown[]) => {
    const result = query(...args);
    if (!(result instanceof Promise)) return result;
    const settles = isSettling(args[0]) ? args[0] : null;
    const answered = result.catch(async (error: Error) => {
      // One that was silent may speak again: it is not asked any more.
      if (isLost(error)) destroy(client);
      if (settles) return await pool.settle(settles);
      throw isLost(error)
        ? Object.assign(new Error(error.message, { cause: error }), { code: REPEATED })
        : error;
    });
    return settles ? pool.untilSettled(settles, answered) : answered;
  };
  client.query = repeated as typeof client.query;
}

/** The process at the server that serves a connection. */
export function pidOf(client: pg.PoolClient): number {
  return (client as unknown as { processID: number }).processID;
}

function destroy(client: pg.PoolClient): void {
  (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
}

/** The server did not refuse the statement: it never heard of it, or its answer never came. */
function isLost(error: Error): boolean {
  return !(error instanceof pg.DatabaseError) || /^(08|57P0)/.test(error.code ?? "");
}
