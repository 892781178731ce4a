import postgres from "postgres";

// Ends a statement that runs away, before it holds a connection permanently.
const STATEMENT_TIMEOUT_MS = 30_000;
// A server that ends its statements in time and still does not respond is frozen, or unreachable: the connection is
// ended.
const SILENCE_S = 35;
// A database that is back is noticed at once: the driver's own pauses grow to 20 s.
const RECONNECT_S = 0.25;

/**
 * Behind a pooler, a prepared statement would be looked for at another server, and a statement sent before the previous
 * response (PgBouncer up to 1.20) is answered to somebody else.
 */
const IN_STEPS = { prepare: false, max_pipeline: 0 };

/** What wants a connection of a pool, or has one. */
const underwayIn = new WeakMap<object, { count: number }>();

/** The options of a pool. */
export interface PoolOptions {
  max: number;
  /** What Postgres shows its connections as. */
  name?: string;
  /** A connection without a response for this many seconds is ended; 0: never. */
  silenceS?: number;
  /**
   * Behind a pooler every transaction may have another connection: nothing lasts longer than one. It rejects unknown
   * parameters, so that no statement ends by itself either.
   */
  isPooled?: boolean;
}

/** Opens a pool. Columns become camelCase; the keys inside jsonb stay as they are. Times are UTC. */
export function openPool(url: string, options: PoolOptions): postgres.Sql {
  const pool = postgres(url, {
    max: options.max,
    onnotice: () => {},
    connect_timeout: 10,
    silence_timeout: options.silenceS ?? SILENCE_S,
    backoff: () => (0.5 + Math.random()) * RECONNECT_S,
    ...(options.isPooled && IN_STEPS),
    connection: {
      TimeZone: "UTC",
      application_name: options.name ?? "postrider",
      ...(!options.isPooled && { statement_timeout: STATEMENT_TIMEOUT_MS }),
    },
    // Not `postgres.camel`: that one also renames the keys of contact data.
    transform: { column: { from: (name) => postgres.toCamel(name.replace(/[!?]$/, "")) } },
  });
  underwayIn.set(pool, { count: 0 });
  return pool;
}

/**
 * How many connections a pool may have, and how many statements and transactions want one or have one: as many as are
 * more than the size wait for it. postgres.js does not tell that itself.
 */
export function poolUse(pool: postgres.Sql): { size: number; underway: number } {
  return { size: pool.options.max, underway: underwayIn.get(pool)?.count ?? 0 };
}

/** Whether each statement on it is a transaction of its own. */
export function isPool(sql: object): boolean {
  return underwayIn.has(sql);
}

/** Counts the work in progress on a pool. Work inside a transaction already has its connection. */
export async function countUse<T>(sql: object, work: () => PromiseLike<T>): Promise<T> {
  const underway = underwayIn.get(sql);
  if (underway === undefined) return await work();
  underway.count++;
  try {
    return await work();
  } finally {
    underway.count--;
  }
}
