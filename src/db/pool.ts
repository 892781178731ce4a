import postgres from "postgres";

// Ends a statement that runs away, before it holds a connection for good.
const STATEMENT_TIMEOUT_MS = 30_000;

/** What wants a connection of a pool, or has one. */
const underwayIn = new WeakMap<object, { count: number }>();

/** Opens a pool. Columns become camelCase; the keys inside jsonb stay as they are. Times are UTC. */
export function openPool(url: string, options: { max: number; name?: string }): postgres.Sql {
  const pool = postgres(url, {
    max: options.max,
    onnotice: () => {},
    connect_timeout: 10,
    connection: {
      TimeZone: "UTC",
      application_name: options.name ?? "postrider",
      statement_timeout: STATEMENT_TIMEOUT_MS,
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

/** Counts work on a pool as long as it is under way. What is done inside a transaction has its connection already. */
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
