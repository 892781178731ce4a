// What tests of delivery do all the time: have mails accepted, and see what became of them.
import { afterEach, beforeAll, beforeEach, expect } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { DOMAIN, type TestService } from "./service.ts";

/** A project's mails, from acceptance to the server. The server is well-behaved and the clock right before each test. */
export function useLedger(service: TestService) {
  const project = {} as NewProject;
  let serial = 0;

  beforeAll(async () => {
    Object.assign(project, await service.createProject());
  });

  beforeEach(() => {
    service.smtp.received.length = 0;
  });

  afterEach(() => {
    service.smtp.behave({});
    service.setNow(new Date());
  });

  return {
    project,
    /** An address that no test has used yet. */
    fresh: (name = "r") => `${name}${serial++}@example.com`,
    /** Sends to these, and answers the ids of the mails. */
    async accept(to: string | string[], from: NewProject = project): Promise<string[]> {
      const body = { to, from: `hello@${DOMAIN}`, subject: "Hi", body: "<p>Hello</p>" };
      const { status, body: answer } = await service.request("POST", "/v1/send", { key: from.secret, body });
      expect(status).toBe(200);
      return answer.data.emails.map((email: { email: string }) => email.email);
    },
    /** The row of a mail. */
    async row(id: string) {
      const [row] = await service.pool`select * from emails where id = ${id}`;
      return row!;
    },
    /** The names of the events of a mail, in order. */
    async eventsOf(id: string): Promise<string[]> {
      const rows = await service.pool`select name from events where email_id = ${id} order by id`;
      return rows.map((row) => row.name as string);
    },
    /** How often a mail came to the server. */
    arrivals: (id: string) =>
      service.smtp.received.filter(({ source }) => source.includes(`<${id}@${DOMAIN}>`)).length,
    /** The jobs that are left for a mail. */
    jobsOf: async (id: string) =>
      (await service.jobs()).filter(({ payload }) => JSON.stringify(payload).includes(id)),
    /** Moves the clock on. */
    later: (ms: number) => service.setNow(new Date(service.now().getTime() + ms)),
  };
}
