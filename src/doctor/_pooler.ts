import type postgres from "postgres";
import { openPool } from "../db/pool.ts";
import { isSameDatabase, isTransactionPooled } from "../db/pooler.ts";
import { q } from "../db/queries.ts";
import { type Check, failure, ok, skipped, warning } from "./_findings.ts";

const NEEDS_DIRECT =
  "Set DATABASE_DIRECT_URL to the address of Postgres itself. DATABASE_URL can stay on the pooler.";

/** A pooler such as PgBouncer between the service and its database, and the way past it. */
export const pooler: Check = {
  name: "pooler",
  limitMs: 15_000,
  needsDatabase: true,
  async look({ sql, config: { DATABASE_URL, DATABASE_DIRECT_URL } }) {
    if (!sql) return skipped("pooler", "The database cannot be reached");
    if (!DATABASE_URL) return skipped("pooler", "The database is the embedded Postgres");
    if (!DATABASE_DIRECT_URL) {
      if (!(await isTransactionPooled(DATABASE_URL))) return skipped("pooler", "There is none");
      return failure(
        "pooler",
        "DATABASE_URL points to a connection pooler: the service cannot start",
        NEEDS_DIRECT,
      );
    }
    try {
      if (await isTransactionPooled(DATABASE_DIRECT_URL)) {
        return failure("pooler", "DATABASE_DIRECT_URL points to a pooler, too", "Set it to Postgres itself.");
      }
      if (!(await leadToOne(sql, DATABASE_DIRECT_URL))) {
        const advice = "Both must name the same database on the same Postgres.";
        return failure(
          "pooler",
          "DATABASE_DIRECT_URL points to a different database than DATABASE_URL",
          advice,
        );
      }
    } catch (error) {
      const { message, code } = error as { message?: string; code?: string };
      const advice =
        "Check DATABASE_DIRECT_URL, and that Postgres itself accepts connections from this machine.";
      return failure("pooler", `DATABASE_DIRECT_URL cannot be used: ${message || code}`, advice);
    }
    const { role, isBounded } = await q.doctor.bounds({ sql });
    if (isBounded)
      return ok("pooler", "Both addresses lead to the same database, and statements have a time limit");
    const advice =
      `Run \`ALTER ROLE "${role}" SET statement_timeout = '30s'\`, and make the pooler reopen its connections (RECONNECT in ` +
      "PgBouncer). Statements that need longer set their own limit.";
    return warning("pooler", "Through the pooler, statements have no time limit", advice);
  },
};

async function leadToOne(sql: postgres.Sql, directUrl: string): Promise<boolean> {
  const direct = openPool(directUrl, { max: 1, name: "postrider doctor" });
  try {
    return await isSameDatabase(sql, direct);
  } finally {
    void direct.end({ timeout: 1 }).catch(() => {});
  }
}
