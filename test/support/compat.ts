// For tests of other providers' SDKs.
import { afterAll, beforeAll } from "bun:test";
import PostalMime, { type Email } from "postal-mime";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import type { TestService } from "./service.ts";

/** Where SDKs find a service, and the project whose key they have. */
export interface SdkStage {
  /** Without a slash at its end. */
  url: string;
  project: NewProject;
  /** How many mails the project has in its ledger. */
  count(): Promise<number>;
  /** The tags of a mail, as an object. */
  tagsOf(id: string): Promise<Record<string, string>>;
}

/** Lets a service listen while the tests of a file run. */
export function useSdkStage(service: TestService): SdkStage {
  const stage = {} as SdkStage;
  let server: ReturnType<typeof Bun.serve>;
  beforeAll(async () => {
    server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => service.app.handle(request) });
    const project = await service.createProject();
    Object.assign(stage, {
      url: server.url.origin,
      project,
      count: async () =>
        (await service.pool`select count(*)::int as n from emails where project_id = ${project.id}`)[0]!.n,
      tagsOf: async (id: string) => {
        const { body } = await service.request("GET", `/emails/${id}`, { key: project.secret });
        const tags = (body.tags ?? []) as { name: string; value: string }[];
        return Object.fromEntries(tags.map(({ name, value }) => [name, value]));
      },
    });
  });
  afterAll(async () => await server.stop(true));
  return stage;
}

/** The one mail that somebody has received, once all jobs are done. */
export async function mailOf(service: TestService, to: string): Promise<Email> {
  await service.runJobs();
  const mails = service.smtp.received.filter((mail) => mail.to.includes(to));
  if (mails.length !== 1) throw new Error(`${to} has ${mails.length} mails`);
  return await PostalMime.parse(mails[0]!.source);
}
