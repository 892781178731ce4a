// What group commit alone reaches: Elysia and one statement for all requests that wait, without keys, checks, limits, log lines
// or jobs. A process of its own, as the service is.
import { Elysia } from "elysia";
import postgres from "postgres";
import { createBatcher } from "../../../src/batcher.ts";

/** The running process. */
export interface NakedTrack {
  port: number;
  stop(): void;
}

/** Starts it for a project. */
export async function startNakedTrack(databaseUrl: string, projectId: string): Promise<NakedTrack> {
  const started = Promise.withResolvers<number>();
  const child = Bun.spawn([process.execPath, import.meta.path, databaseUrl, projectId], {
    stdio: ["ignore", "inherit", "inherit"],
    ipc: (port: number) => started.resolve(port),
  });
  const stop = () => child.kill("SIGKILL");
  process.on("exit", stop);
  const port = await started.promise;
  return {
    port,
    stop() {
      process.off("exit", stop);
      stop();
    },
  };
}

interface Tracked {
  email: string;
  event: string;
  data: Record<string, unknown>;
}

if (import.meta.main) {
  const [databaseUrl = "", projectId = ""] = process.argv.slice(2);
  const sql = postgres(databaseUrl, { max: 4, onnotice: () => {} });
  const track = createBatcher<Tracked, true>(
    async (rows) => {
      await sql`
        with given as (
          select * from json_to_recordset(${sql.json(rows as never)}::json) as r (email text, event text, data jsonb)
        ),
        contact as (
          insert into contacts as c (project_id, email, subscribed, data)
          select ${projectId}::uuid, email, true, data from given order by email
          on conflict (project_id, email) do update
          set was_subscribed = c.subscribed, data = c.data || excluded.data, updated_at = now()
          returning id, email
        )
        insert into events (project_id, contact_id, name, data)
        select ${projectId}::uuid, c.id, g.event, g.data from given g join contact c on c.email = g.email`;
      return rows.map(() => true);
    },
    { maxItems: 200, maxFlights: 2, keysOf: ({ email }) => [email] },
  );
  const app = new Elysia().post("/v1/track", async ({ body }) => {
    await track(body as Tracked);
    return { success: true };
  });
  app.listen({ hostname: "127.0.0.1", port: 0 });
  process.on("disconnect", () => process.exit(0));
  process.send!(app.server!.port);
}
