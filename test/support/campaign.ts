// What tests of campaigns do all the time.
import { expect } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { DOMAIN, type TestService } from "./service.ts";

/** A draft to everyone. */
export const DRAFT = {
  name: "Spring",
  subject: "Hello {{firstName ?? there}}",
  body: '<p>Hello {{firstName}}, <a href="https://shop.example/spring">look</a></p>',
  from: `news@${DOMAIN}`,
  fromName: "Shop",
  audienceType: "ALL",
};

/** Campaigns of a project that the test has made. */
export function campaignsOf(service: TestService, project: () => NewProject) {
  const call = (method: string, path: string, body?: unknown) =>
    service.request(method, path, { key: project().secret, ...(body !== undefined && { body }) });
  return {
    call,
    /** Adds subscribed contacts in one statement, and answers their addresses. */
    async addContacts(count: number, prefix: string = crypto.randomUUID().slice(0, 8)): Promise<string[]> {
      const rows = await service.pool`
        insert into contacts (project_id, email, subscribed, data)
        select ${project().id}, ${prefix} || n || '@example.com', true, jsonb_build_object('firstName', 'N' || n)
        from generate_series(1, ${count}::int) as n
        returning email`;
      return rows.map((row) => row.email as string);
    },
    /** A new draft; answers its id. */
    async create(more: object = {}): Promise<string> {
      const { status, body } = await call("POST", "/campaigns", { ...DRAFT, ...more });
      expect([status, body.error]).toEqual([201, undefined]);
      return body.data.id;
    },
    send: (id: string, scheduledFor?: unknown) => call("POST", `/campaigns/${id}/send`, { scheduledFor }),
    cancel: (id: string) => call("POST", `/campaigns/${id}/cancel`),
    get: async (id: string) => (await call("GET", `/campaigns/${id}`)).body,
    stats: async (id: string) => (await call("GET", `/campaigns/${id}/stats`)).body,
    /** The rows of the ledger, by status. */
    async ledger(id: string): Promise<Record<string, number>> {
      const rows = await service.pool`
        select status, count(*)::int as mails from emails where campaign_id = ${id} group by status`;
      return Object.fromEntries(rows.map((row) => [row.status as string, row.mails as number]));
    },
    /** What the counters should be, counted in the ledger. */
    async counted(id: string) {
      const [row] = await service.pool`
        select
          count(sent_at)::int as sent_count, count(delivered_at)::int as delivered_count,
          count(opened_at)::int as opened_count, count(clicked_at)::int as clicked_count,
          count(bounced_at)::int as bounced_count, count(complained_at)::int as complained_count,
          count(unsubscribed_at)::int as unsubscribed_count,
          (count(*) filter (where status = 'FAILED'))::int as failed_count
        from emails where campaign_id = ${id}`;
      return { ...row! };
    },
  };
}
