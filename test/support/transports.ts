// Transports for tests: their rows, and the mail servers behind them.
import { afterEach } from "bun:test";
import { transportsOf } from "../../src/sending/transports/known.ts";
import { INSTALLATION, type RouteRule } from "../../src/sending/transports/routes.ts";
import { sealUrl, shownUrl } from "../../src/sending/transports/sealed.ts";
import { type Context, newId } from "../../src/context.ts";
import type { TestService } from "./service.ts";
import { startSmtpServer, type TestSmtpServer } from "./smtp_server.ts";

/** A mail server, and the transport that leads to it. */
export interface TestTransport {
  id: string;
  server: TestSmtpServer;
}

/** What a transport may have besides its server. */
interface Limits {
  projectId?: string;
  priority?: number;
  weight?: number;
  perDay?: number;
  ratePerSecond?: number;
  connections?: number;
}

/** The row of a transport that leads to an SMTP server; answers its id. Processes notice it after some seconds. */
export async function insertTransport(
  ctx: Context,
  { projectId = INSTALLATION, url, ...limits }: Limits & { url: string },
): Promise<string> {
  const id = newId(ctx);
  await ctx.pool`
    insert into transports (project_id, id, name, kind, url, shown_url, priority, weight, per_day, rate_per_second, connections)
    values (
      ${projectId}, ${id}, 'Test', 'SMTP', ${sealUrl(ctx, { projectId, id }, url)}, ${shownUrl(url)},
      ${limits.priority ?? 100}, ${limits.weight ?? 1}, ${limits.perDay ?? null}, ${limits.ratePerSecond ?? null},
      ${limits.connections ?? null}
    )`;
  return id;
}

/** Transports of a service; they are gone after each test, and so are the routes and what waits. */
export function useTransports(service: TestService) {
  const servers: TestSmtpServer[] = [];

  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop();
    // What a test leaves waiting would take the places of the next one's: a sweep gives it a job again.
    await service.dropJobs();
    await service.pool`delete from emails where status = 'PENDING'`;
    for (const table of ["transports", "transport_days", "routes", "paces"])
      await service.pool`delete from ${service.pool(table)}`;
    await transportsOf(service).refresh();
  });

  return {
    /** A transport with a server of its own. */
    async add({ projectId = INSTALLATION, ...limits }: Limits = {}): Promise<TestTransport> {
      const server = await startSmtpServer();
      servers.push(server);
      const id = await insertTransport(service, { ...limits, projectId, url: server.url });
      await transportsOf(service).refresh();
      return { id, server };
    },
    /** The routes of a project, or of the installation. */
    async route(rules: Partial<RouteRule>[], projectId: string = INSTALLATION): Promise<void> {
      const document = { rules: rules.map((rule) => ({ whenFull: "NEXT", transports: [], ...rule })) };
      await service.pool`
        insert into routes (project_id, document) values (${projectId}, ${service.pool.json(document as never)})
        on conflict (project_id) do update set document = excluded.document`;
      await transportsOf(service).refresh();
    },
  };
}
