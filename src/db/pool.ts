import postgres from "postgres";

// Ends a statement that runs away, before it holds a connection for good.
const STATEMENT_TIMEOUT_MS = 30_000;

/** Opens a pool. Columns become camelCase; the keys inside jsonb stay as they are. Times are UTC. */
export function openPool(url: string, options: { max: number; name?: string }): postgres.Sql {
  return postgres(url, {
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
}
