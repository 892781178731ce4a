// Mails that were sent, in every state, and the addresses in them by which they are followed.
import { beforeAll } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { type FollowedMail, followHtml } from "../../src/sending/compose/followed_mail.ts";
import type { TestService } from "./service.ts";

/** What a person's browser calls itself. */
export const BROWSER =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36";

/** What opens and clicks may change of a campaign's counters. */
const COUNTS = ["sent", "opened", "clicked"];

/** A project with mails in its ledger, as if they had been sent. */
export function useFollowedMails(service: TestService) {
  const project = {} as NewProject;

  beforeAll(async () => {
    Object.assign(project, await service.createProject());
  });

  return {
    project,
    /** A mail to a contact of its own, with these columns of its row. */
    async mail(columns: Record<string, unknown> = {}, of: NewProject = project): Promise<FollowedMail> {
      const { pool } = service;
      const projectId = of.id;
      const address = `${Bun.randomUUIDv7()}@example.com`;
      const [contact] = await pool`
        insert into contacts ${pool({ project_id: projectId, email: address, subscribed: true })} returning id`;
      const [content] = await pool`
        insert into contents ${pool({ project_id: projectId, subject: "Hi {{name}}", html: "", from_email: "hello@shop.example", from_name: "Shop", tracked: true })}
        returning id`;
      const row = {
        project_id: projectId,
        contact_id: contact!.id,
        address,
        content_id: content!.id,
        source_type: "TRANSACTIONAL",
        status: "SENT",
        due_at: new Date(),
        queued_at: new Date(),
        sent_at: columns.status === "IN_DOUBT" ? null : new Date(),
        message_id: `${address}.shop`,
        ...columns,
      };
      const [email] = await pool`insert into emails ${pool(row)} returning id`;
      return { projectId, emailId: email!.id };
    },
    /** The paths in a mail: of its pixel, and of links to these addresses. */
    paths({ projectId, emailId }: FollowedMail, ...links: string[]): { open: string; clicks: string[] } {
      const followed = followHtml(
        service,
        projectId,
        links.map((link) => `<a href="${link}">x</a>`).join(""),
      );
      const html = followed.complete(followed.html, emailId);
      const paths = [...html.matchAll(/"http:\/\/[^/]+(\/t\/[^"]+)"/g)].map((match) => match[1]!);
      return { open: paths.at(-1)!, clicks: paths.slice(0, -1) };
    },
    /** The row of a mail. */
    async row({ emailId }: FollowedMail) {
      const [row] = await service.pool`select * from emails where id = ${emailId}`;
      return row!;
    },
    /** The events of a mail, in order. */
    async events({ emailId }: FollowedMail) {
      return [
        ...(await service.pool`
          select name, data, contact_id, project_id, created_at from events where email_id = ${emailId} order by created_at, id`),
      ];
    },
    /** A campaign that has no mails yet. */
    async campaign(): Promise<string> {
      const { pool } = service;
      const row = { project_id: project.id, name: "c", subject: "s", body: "b", html: "b" };
      const [campaign] = await pool`
        insert into campaigns ${pool({ ...row, from_email: "hello@shop.example", audience_type: "ALL" })} returning id`;
      return campaign!.id;
    },
    /** What was counted for a campaign, by whoever changed its mails. */
    async counted(campaignId: string): Promise<Record<string, number>> {
      const { pool } = service;
      const sums = COUNTS.map((name) => `coalesce(sum(${name}), 0)::int as ${name}`).join(", ");
      const [row] = await pool.unsafe(
        `select ${sums} from campaign_count_deltas where campaign_id = '${campaignId}'`,
      );
      return { ...row } as Record<string, number>;
    },
  };
}
