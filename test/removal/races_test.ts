// A reset in the middle of everything: what was asked for after its answer is done in full, and nothing of before is left.
import { beforeEach, describe, expect, test } from "bun:test";
import { OPERATOR } from "../../src/accounts/audit.ts";
import { requestReset } from "../../src/accounts/projects/removal.ts";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { campaignsOf } from "../support/campaign.ts";
import { until } from "../support/process.ts";
import { DOMAIN, useService } from "../support/service.ts";
import { countsOf, fillProject } from "../support/whole_project.ts";
import { workflowsOf } from "../support/workflows.ts";

const service = useService();
let project: NewProject;
const campaigns = campaignsOf(service, () => project);
const workflows = workflowsOf(service, () => project);

beforeEach(async () => {
  project = await service.createProject();
  service.smtp.received.length = 0;
  service.lines.length = 0;
});

/** How often a mail with this subject has come, by address. */
const arrivals = (subject: string) => {
  const mails = service.smtp.received.filter(({ source }) => source.includes(`Subject: ${subject}\r\n`));
  const addresses = Map.groupBy(
    mails.flatMap(({ to }) => to),
    (address) => address,
  );
  return new Map([...addresses].map(([address, same]) => [address, same.length]));
};

describe("a reset while everybody is at work", () => {
  // `bun run test:removal` goes through it three times.
  test.each(process.env.REMOVAL_TEST === "long" ? [1, 2, 3] : [1])(
    "keeps what came after its answer, and nothing else (%d)",
    async () => {
      await workflows.build({
        steps: { One: { type: "SEND_EMAIL", template: await workflows.template({ subject: "Old" }) } },
        ways: ["Trigger > One"],
      });
      await fillProject(service.pool, project.id, 300);
      await service.pool`delete from resets`;
      await campaigns.addContacts(200);
      await campaigns.send(await campaigns.create());
      let isOver = false;
      let isAnswered = false;
      const problems: unknown[] = [];
      const sentAfter: string[] = [];
      const trackedAfter = new Set<string>();
      const client = async (n: number) => {
        for (let i = 0; !isOver; i++) {
          const after = isAnswered;
          // The same people again and again, before and after.
          const tracked = `t${n}-${i % 7}@example.com`;
          const event = await service.request("POST", "/v1/track", {
            key: project.public,
            body: { email: tracked, event: "signup", data: { after } },
          });
          const email = `s${n}-${i}@example.com`;
          const mail = { to: email, from: `hello@${DOMAIN}`, subject: "Hi", body: "<p>Hi</p>" };
          const sent = await service.request("POST", "/v1/send", { key: project.secret, body: mail });
          if (event.status !== 200 || sent.status !== 200) problems.push(event.body, sent.body);
          if (after) {
            sentAfter.push(email);
            trackedAfter.add(tracked);
          }
          // Enough has come: on a busy machine the reset needs the room.
          if (sentAfter.length > 100) await Bun.sleep(50);
        }
      };
      const clients = [1, 2, 3].map(client);
      const worker = (async () => {
        while (!isOver) {
          await service.runJobs();
          // Whoever has to try again need not wait for it.
          await service.changeJobs(
            { runAt: new Date() },
            ({ attempts, lockedAt }) => attempts > 0 && !lockedAt,
          );
          await Bun.sleep(5);
        }
      })();
      await Bun.sleep(300);
      await requestReset(service, project.id, OPERATOR);
      isAnswered = true;
      const later = (await campaigns.addContacts(5, "later")).toSorted();
      const campaign = await campaigns.create({ name: "Later", subject: "Later", type: "TRANSACTIONAL" });
      await campaigns.send(campaign);
      while ((await service.pool`select from resets`).length > 0) await Bun.sleep(20);
      await until("mails that were accepted after the answer", () => sentAfter.length > 5);
      isOver = true;
      await Promise.all([...clients, worker]);
      await service.runJobs();
      await service.runJobs();
      const [mails, news, welcomes] = [arrivals("Hi"), arrivals("Later"), arrivals("Old")];
      const people = await service.pool`select email, data from contacts where project_id = ${project.id}`;
      const counted = await service.pool`
      select coalesce(sum(contacts), 0)::int as contacts from (
        select contacts from contact_counts where project_id = ${project.id} and field = ''
        union all select contacts from contact_count_deltas where project_id = ${project.id} and field = ''
      ) as c`;
      const stranded = await service.pool`
      select status, error from emails where project_id = ${project.id} and status in ('PENDING', 'SENDING')`;
      const [row] = await service.pool`select * from campaigns where project_id = ${project.id}`;
      const rest = await countsOf(service.pool, project.id);

      expect(problems).toEqual([]);
      expect(sentAfter.length).toBeGreaterThan(5);
      expect(sentAfter.filter((address) => mails.get(address) !== 1)).toEqual([]);
      expect([...mails, ...news, ...welcomes].filter(([, times]) => times > 1)).toEqual([]);
      expect(later.filter((address) => !news.has(address))).toEqual([]);
      expect([...trackedAfter].filter((email) => !people.some((one) => one.email === email))).toEqual([]);
      expect(people.filter(({ email, data }) => trackedAfter.has(email) && data.after !== true)).toEqual([]);
      expect(counted[0]!.contacts).toBe(people.length);
      expect([...stranded]).toEqual([]);
      expect(row).toMatchObject({ id: campaign, status: "SENT" });
      for (const table of ["workflows", "executions", "segments", "templates", "resets", "bulk_jobs"])
        expect([table, rest[table]]).toEqual([table, undefined]);
      expect(service.lines.filter((line) => line.message === "job failed")).toEqual([]);
    },
    240_000,
  );
});
