// A way into the database for what takes minutes there: without the limits that the service sets itself.
import postgres from "postgres";

/** Connections without a limit of time; without `triggers`, references are right by construction and nothing is counted. */
export function openLoader(url: string, { max = 1, triggers = false } = {}): postgres.Sql {
  return postgres(url, {
    max,
    onnotice: () => {},
    transform: { column: { from: postgres.toCamel } },
    connection: {
      TimeZone: "UTC",
      ...(!triggers && { session_replication_role: "replica" }),
      synchronous_commit: "off",
      statement_timeout: 0,
      work_mem: "64MB",
      maintenance_work_mem: "512MB",
      max_parallel_maintenance_workers: 0,
    },
  });
}
