import type { Socket } from "node:net";
import pg from "pg";

// What graphile-worker asks is answered in milliseconds: longer than this, and the server is frozen or out of reach.
const SILENCE_MS = 35_000;
const CONNECT_MS = 10_000;
const RETRY_MS = 250;

/** The code with which graphile-worker does a statement again at once, and up to 100 times (`RETRYABLE_ERROR_CODES`). */
const AGAIN = "40001";

/**
 * The pool that graphile-worker needs for itself. It hides that the database was away: a connection is waited for, and
 * a statement whose connection was lost is one to be done again. Else a lane would stand still for good: the queue keeps
 * the first refusal of what it looks up once, and forgets a job that it could not strike off.
 */
export function openWorkerPool(url: string, max: number): WorkerPool {
  const pool = new WorkerPool({
    connectionString: url,
    max,
    application_name: "postrider worker",
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: SILENCE_MS,
    keepAlive: true,
  });
  pool.on("error", () => {});
  pool.on("connect", (client) => {
    client.on("error", () => {});
    repeatWhatWasLost(client);
  });
  return pool;
}

type Connected = Parameters<pg.Pool["connect"]>[0];

/** A pool whose connections are waited for. */
export class WorkerPool extends pg.Pool {
  private readonly open = new Set<pg.PoolClient>();

  constructor(config: pg.PoolConfig) {
    super(config);
    this.on("connect", (client) => this.open.add(client));
    this.on("remove", (client) => this.open.delete(client));
  }

  /** Ends every connection at once: who needs one gets another. A runner that hangs would keep its own for good. */
  drop(): void {
    for (const client of this.open) destroy(client);
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

  /** Tries until the database is back, whatever it says meanwhile, or the pool is ended. */
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

function repeatWhatWasLost(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const repeated = (...args: unknown[]) => {
    const result = query(...args);
    return result instanceof Promise ? result.catch((error: Error) => fail(client, error)) : result;
  };
  client.query = repeated as typeof client.query;
}

function fail(client: pg.PoolClient, error: Error): never {
  if (!isLost(error)) throw error;
  // One that was silent may speak again: it is not asked any more.
  destroy(client);
  throw Object.assign(new Error(error.message, { cause: error }), { code: AGAIN });
}

function destroy(client: pg.PoolClient): void {
  (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
}

/** The server did not refuse the statement: it never heard of it, or its answer never came. */
function isLost(error: Error): boolean {
  return !(error instanceof pg.DatabaseError) || /^(08|57P0)/.test(error.code ?? "");
}
