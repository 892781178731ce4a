import pg from "pg";

/** The pool that graphile-worker needs for itself. Lost connections are its business: it opens new ones. */
export function openWorkerPool(url: string, max: number): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max, application_name: "postrider worker" });
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}
