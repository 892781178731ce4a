// What is older than it has to be kept goes, and nothing else: least of all what something that is under way needs.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import type { Context } from "../../src/context.ts";
import { makePartitions, monthStart } from "../../src/insight/partitions.ts";
import { dropExpired, horizonsOf } from "../../src/insight/retention.ts";
import { campaignsOf } from "../support/campaign.ts";
import { DOMAIN, useService } from "../support/service.ts";
import { workflowsOf } from "../support/workflows.ts";
import { insightTasks } from "../../tasks/insight.ts";
import { readMail } from "../support/received_mail.ts";

const service = useService({
  RETENTION_EVENTS_DAYS: "60",
  RETENTION_BODIES_DAYS: "30",
  RETENTION_LOGS_DAYS: "30",
});
const DAY_MS = 86_400_000;
const NOTHING = crypto.randomUUID();
let project: NewProject;

beforeEach(async () => {
  service.setNow(new Date());
  project = await service.createProject();
});

afterEach(async () => {
  service.setNow(new Date());
  service.smtp.behave({});
  await service.dropJobs();
});

const campaigns = campaignsOf(service, () => project);
const workflows = workflowsOf(service, () => project);

const daysAgo = (days: number) => new Date(service.now().getTime() - days * DAY_MS);
const daysOn = (days: number) => service.setNow(daysAgo(-days));
const idAt = (at: Date) => Bun.randomUUIDv7("hex", at.getTime());

/** All that the settings want gone is gone, unless nothing takes anything away. The database's clock moves along. */
const sweep = (settings: Partial<Context["config"]> = {}) =>
  dropExpired(
    { ...service, now: service.now, config: { ...service.config, ...settings } },
    { databaseNow: async () => service.now() },
  );

async function addEvent(at: Date, name = "bought"): Promise<string> {
  const id = idAt(at);
  await service.pool`
    insert into events (project_id, id, name, created_at) values (${project.id}, ${id}, ${name}, ${at})`;
  return id;
}

const idsOf = async (table: string, projectId = project.id): Promise<string[]> =>
  (await service.pool`select id from ${service.pool(table)} where project_id = ${projectId} order by id`).map(
    (row) => row.id as string,
  );

const mailCounts = async () => {
  const [row] = await service.pool`
    select coalesce(sum(sent), 0)::int as sent, coalesce(sum(opened), 0)::int as opened
    from mail_counts_of(${project.id}, '-infinity', 'infinity')`;
  return { ...row! };
};

const eventCount = async () =>
  Number((await service.pool`select coalesce(sum(count), 0) as n from event_totals_of(${project.id})`)[0]!.n);

/** A message of that age; what it says is the answer of `says`. */
async function addContent(at: Date, more: { shared?: boolean; templateId?: string } = {}): Promise<string> {
  const id = idAt(at);
  await service.pool`
    insert into contents (project_id, id, subject, html, from_email, shared, template_id)
    values (
      ${project.id}, ${id}, 'Hello', '<p>Hello</p>', ${`shop@${DOMAIN}`}, ${more.shared ?? false},
      ${more.templateId ?? null}
    )`;
  await service.pool`
    insert into attachments (project_id, content_id, position, filename, content_type, disposition, content)
    values (${project.id}, ${id}, 0, 'a.txt', 'text/plain', 'attachment', 'abc')`;
  return id;
}

/** Which of these messages still have their body, and which their attachment. */
const whole = async (ids: string[]) => {
  const rows = await service.pool`
    select c.id, c.html is not null and exists (
      select from attachments a where a.project_id = c.project_id and a.content_id = c.id
    ) as whole
    from contents c where c.project_id = ${project.id} and c.id = any(${ids})`;
  return Object.fromEntries(rows.map((row) => [row.id as string, row.whole as boolean]));
};

/** The bodies of the mails that came to the server. */
const bodies = () =>
  Promise.all(service.smtp.received.map(async ({ source }) => (await readMail(source)).html));

interface Mail {
  status?: string;
  contentId?: string;
  sentAt?: Date | null;
  dueAt?: Date | "infinity";
  campaignId?: string;
  executionId?: string;
}

async function addMail(at: Date, mail: Mail = {}): Promise<string> {
  const id = idAt(at);
  const { status = "SENT", sentAt = status === "PENDING" ? null : at, dueAt = at } = mail;
  await service.pool`
    insert into emails (
      project_id, id, address, content_id, source_type, campaign_id, workflow_execution_id, status, due_at, queued_at
    )
    values (
      ${project.id}, ${id}, 'ada@example.com', ${mail.contentId ?? NOTHING},
      ${mail.campaignId ? "CAMPAIGN" : mail.executionId ? "WORKFLOW" : "TRANSACTIONAL"},
      ${mail.campaignId ?? null}, ${mail.executionId ?? null}, ${status},
      ${dueAt === "infinity" ? dueAt : dueAt.toISOString()}::text::timestamptz, ${at}
    )`;
  // Counted as a mail that is sent is.
  await service.pool`update emails set sent_at = ${sentAt} where id = ${id}`;
  return id;
}

describe("events", () => {
  test("go by whole months when all of them are older, from partitions and from where months had none", async () => {
    for (const months of [-7, -5, -3, -2]) {
      await service.pool`select make_events_partition(${monthStart(service.now(), months)}::date)`;
    }
    const events = await Promise.all(
      Array.from({ length: 84 }, (_, n) => daysAgo(n * 3)).map(async (at) => ({
        at,
        id: await addEvent(at),
      })),
    );
    const horizon = monthStart(daysAgo(60));
    const edge = [await addEvent(horizon), await addEvent(new Date(horizon.getTime() - 1))];
    const before = { counted: await eventCount(), there: (await idsOf("events")).length };
    const isDone = await sweep();
    const left = await idsOf("events");
    const again = await sweep();
    const kept = events.filter(({ at }) => at >= horizon).map(({ id }) => id);

    expect([isDone, again]).toEqual([true, true]);
    expect(before).toEqual({ counted: 86, there: 86 });
    expect(left).toEqual([...kept, edge[0]!].toSorted());
    expect(kept.length).toBeLessThan(84);
    expect(await idsOf("events")).toEqual(left);
    expect(await eventCount()).toBe(86);
  });

  test("stay as long as a job has yet to read them", async () => {
    const { id } = await workflows.build({
      event: "signed up",
      steps: { Done: { type: "EXIT" } },
      ways: ["Trigger > Done"],
    });
    await service.request("POST", "/v1/track", {
      key: project.public,
      body: { event: "signed up", email: "ada@example.com" },
    });
    // Out of service for half a year: the job is as old as the event.
    daysOn(180);
    await makePartitions(service);
    await sweep();
    const waiting = await idsOf("events");
    await service.runJobs();
    await sweep();

    expect(waiting.length).toBeGreaterThan(0);
    expect((await workflows.executions(id)).length).toBe(1);
    expect(await idsOf("events")).toEqual([]);
  });

  test("and mails stay where only the clock of this process says that they are old", async () => {
    await service.pool`delete from expired`;
    const made = [await addEvent(daysAgo(1)), await addMail(daysAgo(1))];
    daysOn(4_000);
    const isDone = await dropExpired(service);
    const [ahead] = await service.pool`select max(until) > now() as far from expired`;

    expect(isDone).toBe(true);
    expect([...(await idsOf("events")), ...(await idsOf("emails"))]).toEqual(made);
    expect(ahead!.far).toBe(false);
    expect(service.lines.map(({ message }) => message)).toContain("this clock is ahead of the database's");
  });

  test("and mails are kept for ever unless it is set otherwise", async () => {
    const old = daysAgo(3_000);
    const content = await addContent(old);
    await addEvent(old);
    await addMail(old, { contentId: content });
    await sweep({ RETENTION_EVENTS_DAYS: 0, RETENTION_BODIES_DAYS: 0, RETENTION_LOGS_DAYS: 0 });
    const kept = [await idsOf("events"), await idsOf("emails"), Object.values(await whole([content]))];
    await sweep({ RETENTION_EVENTS_DAYS: 0, RETENTION_BODIES_DAYS: 0 });

    expect(kept.map((rows) => rows.length)).toEqual([1, 1, 1]);
    expect(await whole([content])).toEqual({ [content]: true });
    await sweep();
  });
});

describe("mails", () => {
  test("go when their month is older and they have come to an end; what was counted stays", async () => {
    const horizon = monthStart(daysAgo(60));
    const old = new Date(horizon.getTime() - 5 * DAY_MS);
    const campaign = await campaigns.create();
    const ended = await campaigns.create({ name: "Ended" });
    await service.pool`update campaigns set status = 'SENT', finished_at = now() where id = ${ended}`;
    const gone = await Promise.all([
      addMail(old),
      addMail(new Date(horizon.getTime() - 1), { status: "CLICKED" }),
      addMail(old, { status: "FAILED", sentAt: null }),
      addMail(old, { status: "IN_DOUBT", dueAt: "infinity", sentAt: null }),
      addMail(old, { campaignId: ended }),
    ]);
    const kept = await Promise.all([
      addMail(horizon),
      addMail(old, { status: "PENDING" }),
      addMail(old, { status: "SENDING", sentAt: null }),
      addMail(old, { status: "IN_DOUBT", sentAt: null }),
      addMail(old, { campaignId: campaign }),
      // Its project was disabled for long: it was sent only now.
      addMail(old, { sentAt: horizon }),
    ]);
    const counted = await mailCounts();
    await sweep();
    const left = await idsOf("emails");
    await sweep();

    expect(left).toEqual(kept.toSorted());
    expect(left).not.toEqual(expect.arrayContaining(gone.slice(0, 1)));
    expect(await idsOf("emails")).toEqual(left);
    expect(counted).toEqual({ sent: 6, opened: 0 });
    expect(await mailCounts()).toEqual(counted);
  });

  test("of an execution that is under way stay until it has ended: it may wait for one to be opened", async () => {
    const { id } = await workflows.build({
      event: "joined",
      steps: {
        Hello: { type: "SEND_EMAIL", template: await workflows.template() },
        Read: { type: "WAIT_FOR_EVENT", eventName: "email.open", timeout: 300 * 86_400 },
        Done: { type: "EXIT", reason: "Read" },
      },
      ways: ["Trigger > Hello", "Hello > Read", "Read event> Done", "Read timeout> Done"],
    });
    const track = { event: "joined", email: "joined@example.com" };
    await service.request("POST", "/v1/track", { key: project.public, body: track });
    await service.runJobs();
    const [mail] = await idsOf("emails");
    daysOn(150);
    await makePartitions(service);
    await sweep();
    const waiting = await idsOf("emails");
    const executionId = (await workflows.executions(id))[0].id;
    await workflows.call("DELETE", `/workflows/${id}/executions/${executionId}`);
    daysOn(100);
    await sweep();

    expect(waiting).toEqual([mail!]);
    expect(await idsOf("emails")).toEqual([]);
  });

  test("go in slices: a job that has no time left goes on as a new one", async () => {
    const old = new Date(monthStart(daysAgo(60)).getTime() - DAY_MS);
    for (let n = 0; n < 3; n++) await addMail(old);
    await insightTasks.drop_expired(service, {}, { sliceMs: -1 });
    const untouched = (await idsOf("emails")).length;
    const jobs = await service.pool`select task_identifier as task from graphile_worker.jobs`;
    service.setNow(new Date(service.now().getTime() + 2_000));
    await service.runJobs();

    expect(untouched).toBe(3);
    expect(jobs.map((row) => row.task)).toEqual(["drop_expired"]);
    expect(await idsOf("emails")).toEqual([]);
  });
});

describe("bodies and attachments", () => {
  test("go when they are old; the mail is still known by its subject, and goes with its time", async () => {
    const old = daysAgo(31);
    const [one, young] = [await addContent(old), await addContent(daysAgo(29))];
    const id = await addMail(old, { contentId: one });
    await addMail(daysAgo(29), { contentId: young });
    await sweep();
    const [row] =
      await service.pool`select subject, from_email, text, data, headers from contents where id = ${one}`;
    const { status, body } = await service.request("GET", `/emails/${id}`, { key: project.secret });

    expect(await whole([one, young])).toEqual({ [one]: false, [young]: true });
    expect({ ...row! }).toEqual({
      subject: "Hello",
      fromEmail: `shop@${DOMAIN}`,
      text: null,
      data: null,
      headers: null,
    });
    expect([status, body.status]).toEqual([200, "SENT"]);
    // The message stays as long as a mail may say it: until what was emptied then is itself as old as mails get.
    daysOn(60);
    await sweep();
    expect((await idsOf("contents")).length).toBe(2);
    daysOn(120);
    await sweep();
    expect([await idsOf("contents"), await idsOf("emails")]).toEqual([[], []]);
  });

  test("are kept no longer than the mails", async () => {
    const old = new Date(monthStart(daysAgo(60)).getTime() - DAY_MS);
    const content = await addContent(old);
    await addMail(old, { contentId: content });
    await sweep({ RETENTION_BODIES_DAYS: 0 });

    expect(await whole([content])).toEqual({ [content]: false });
    expect(
      horizonsOf({ now: service.now, config: { ...service.config, RETENTION_BODIES_DAYS: 365 } }).bodies,
    ).toEqual(monthStart(daysAgo(60)));
  });

  test("of a mail that is still open stay, and it is sent whole", async () => {
    const { body } = await service.request("POST", "/v1/send", {
      key: project.secret,
      body: { to: "late@example.com", from: `hello@${DOMAIN}`, subject: "Late", body: "<p>Whole</p>" },
    });
    // Held as that of a disabled project is, for half a year.
    await service.dropJobs();
    daysOn(180);
    await sweep();
    const mailId = body.data.emails[0].email as string;
    service.smtp.received.length = 0;
    await service.pool`select graphile_worker.add_job('sweep_emails')`;
    await service.runJobs();
    await service.runJobs();
    const [mail] = await service.pool`select status, error from emails where id = ${mailId}`;
    const received = await bodies();
    await sweep();

    expect({ ...mail! }).toEqual({ status: "SENT", error: null });
    expect(received).toEqual([expect.stringContaining("<p>Whole</p>")]);
    const contents = await service.pool`select html from contents where project_id = ${project.id}`;
    expect(contents.map((row) => row.html)).toEqual([null]);
  });

  test("of a workflow's message stay while one of its many mails is open", async () => {
    const old = daysAgo(31);
    const content = await addContent(old);
    await addMail(old, { contentId: content });
    await service.pool`update emails set status = 'PENDING' where content_id = ${content}`;
    await service.pool`
      insert into emails (project_id, address, content_id, source_type, status, due_at, queued_at)
      select ${project.id}, 'n' || n || '@example.com', ${content}, 'WORKFLOW', 'SENT', ${old}, ${old}
      from generate_series(1, 1001) as n`;
    await sweep();
    const before = await whole([content]);
    await service.pool`update emails set status = 'SENT' where content_id = ${content}`;
    await sweep();

    expect([before, await whole([content])]).toEqual([{ [content]: true }, { [content]: false }]);
  });

  test("that are gone are never sent as an empty mail", async () => {
    const contentId = await addContent(daysAgo(40));
    await sweep();
    const id = await addMail(service.now(), { contentId, status: "PENDING" });
    await service.pool`
      select graphile_worker.add_job('send_emails', json_build_object('projectId', ${project.id}::text, 'emailIds', json_build_array(${id}::text)))`;
    await service.pool`update emails set contact_id = null where id = ${id}`;
    service.smtp.received.length = 0;
    await service.runJobs();
    const [mail] = await service.pool`select status, error from emails where id = ${id}`;

    expect(service.smtp.received).toEqual([]);
    expect({ ...mail! }).toEqual({ status: "SUPPRESSED", error: "The content of this mail has expired" });
  });

  test("of captured mails go too, and so does what was put into them: nobody can send them any more", async () => {
    const young = await addContent(daysAgo(10), { shared: true });
    const old = await addContent(daysAgo(40), { shared: true });
    const campaignId = await campaigns.create();
    await service.pool`
      update campaigns set status = 'SENT', content_id = ${young}, finished_at = ${daysAgo(40)} where id = ${campaignId}`;
    const capture = async (at: Date, mail: Mail) => {
      const id = await addMail(at, { ...mail, sentAt: null });
      await service.pool`
        update emails set status = 'CAPTURED', captured_at = ${at}, data = '{"code":"42"}' where id = ${id}`;
      return id;
    };
    const kept = await capture(daysAgo(9), { contentId: young });
    const gone = [
      // Of a workflow, whose template is still in use.
      await capture(daysAgo(40), { contentId: young, executionId: NOTHING }),
      await capture(daysAgo(40), { contentId: young, campaignId }),
      await capture(daysAgo(9), { contentId: old }),
    ];
    const countBefore = (await campaigns.get(campaignId)).capturedCount;
    await sweep();
    const rows = await service.pool`
      select id, status, error, data, captured_at from emails where project_id = ${project.id} order by id`;
    const closed = { status: "SUPPRESSED", error: "The content of this mail has expired" };

    expect(rows.find(({ id }) => id === kept)).toMatchObject({ status: "CAPTURED", data: { code: "42" } });
    expect(rows.filter(({ id }) => gone.includes(id))).toEqual(
      gone.map(() => expect.objectContaining({ ...closed, data: null, capturedAt: null })),
    );
    expect([countBefore, (await campaigns.get(campaignId)).capturedCount]).toEqual([1, 0]);
  });

  test("of captured mails are closed before the mails go, so that the count of their campaign follows", async () => {
    const old = new Date(monthStart(daysAgo(60)).getTime() - DAY_MS);
    const contentId = await addContent(old, { shared: true });
    const campaignId = await campaigns.create();
    await service.pool`
      update campaigns set status = 'SENT', content_id = ${contentId}, finished_at = ${old} where id = ${campaignId}`;
    const id = await addMail(old, { contentId, campaignId, sentAt: null });
    await service.pool`update emails set status = 'CAPTURED', captured_at = ${old} where id = ${id}`;
    const countBefore = (await campaigns.get(campaignId)).capturedCount;
    await sweep();
    await sweep();

    expect(await idsOf("emails")).toEqual([]);
    expect([countBefore, (await campaigns.get(campaignId)).capturedCount]).toEqual([1, 0]);
  });

  test("of a campaign stay while it is under way, and while one of its mails is tried again", async () => {
    const old = daysAgo(40);
    const add = async (more: { status: string; finishedAt: Date | null }) => {
      const contentId = await addContent(old, { shared: true });
      const id = await campaigns.create();
      await service.pool`
        update campaigns set status = ${more.status}, content_id = ${contentId}, finished_at = ${more.finishedAt}
        where id = ${id}`;
      return { id, contentId };
    };
    const underWay = await add({ status: "SENDING", finishedAt: null });
    const tried = await add({ status: "SENT", finishedAt: old });
    const doubted = await add({ status: "SENT", finishedAt: old });
    const over = await add({ status: "SENT", finishedAt: old });
    await addMail(old, { campaignId: tried.id, contentId: tried.contentId, status: "PENDING" });
    await addMail(old, { campaignId: doubted.id, contentId: doubted.contentId, status: "IN_DOUBT" });
    await addMail(old, { campaignId: over.id, contentId: over.contentId });
    await sweep();

    expect(await whole([underWay, tried, doubted, over].map(({ contentId }) => contentId))).toEqual({
      [underWay.contentId]: true,
      [tried.contentId]: true,
      [doubted.contentId]: true,
      [over.contentId]: false,
    });
  });

  test("of a workflow stay while its steps send them, and for an hour after its template has changed", async () => {
    const old = daysAgo(40);
    const templateId = await workflows.template();
    const [before, current] = [
      await addContent(old, { shared: true, templateId }),
      await addContent(old, { shared: true, templateId }),
    ];
    const share = (contentId: string) => service.pool`
      insert into workflow_contents (project_id, template_id, content_id, template_updated_at, tracking)
      values (${project.id}, ${templateId}, ${contentId}, now(), 'ENABLED')
      on conflict (project_id, template_id) do update set content_id = excluded.content_id`;
    await share(current);
    await sweep();
    const inUse = await whole([before, current]);
    const fresh = await addContent(service.now(), { shared: true, templateId });
    await share(fresh);
    await sweep();
    const changed = await whole([current, fresh]);
    daysOn(0.05);
    await sweep();

    expect(inUse).toEqual({ [before]: false, [current]: true });
    expect(changed).toEqual({ [current]: true, [fresh]: true });
    expect(await whole([current, fresh])).toEqual({ [current]: false, [fresh]: true });
  });

  test("of a campaign that was scheduled long ago are all there when its time comes", async () => {
    await campaigns.addContacts(2);
    const id = await campaigns.create({ body: "<p>At last</p>" });
    await campaigns.send(id, daysAgo(-150).toISOString());
    daysOn(151);
    await sweep();
    service.smtp.received.length = 0;
    await service.runJobs();
    await service.runJobs();

    expect((await campaigns.get(id)).status).toBe("SENT");
    expect(await bodies()).toEqual([1, 2].map(() => expect.stringContaining("At last")));
  });
});

describe("logs", () => {
  test("of an execution go when it has ended long ago; who went through once does not begin again", async () => {
    const { id } = await workflows.build({
      event: "registered",
      steps: { Done: { type: "EXIT", reason: "Through" } },
      ways: ["Trigger > Done"],
    });
    const slow = await workflows.build({
      event: "registered",
      steps: {
        Rest: { type: "DELAY", amount: 100, unit: "days" },
        Done: { type: "EXIT", reason: "Rested" },
      },
      ways: ["Trigger > Rest", "Rest > Done"],
    });
    const register = () =>
      service.request("POST", "/v1/track", {
        key: project.public,
        body: { event: "registered", email: "reg@example.com" },
      });
    await register();
    await service.runJobs();
    const told = (await workflows.history(id)).steps.length;
    daysOn(29);
    await sweep();
    const kept = (await workflows.history(id)).steps.length;
    daysOn(2);
    await sweep();
    const gone = await workflows.history(id);
    const underWay = await workflows.history(slow.id);
    await register();
    await service.runJobs();
    const times = (await workflows.executions(id)).length;
    daysOn(70);
    await service.runJobs();
    await sweep();
    const rested = await workflows.history(slow.id);

    expect(told).toBeGreaterThan(1);
    expect(kept).toBe(told);
    expect([gone.status, gone.exitReason, gone.steps]).toEqual(["EXITED", "Through", []]);
    expect([underWay.status, underWay.steps.length]).toEqual(["WAITING", 2]);
    expect(times).toBe(1);
    // What it did in the beginning is old, but it ended only now.
    expect([rested.status, rested.steps.length]).toEqual(["EXITED", 3]);
  });

  test("of imports, bulk operations and jobs that were given up go; what is at work stays", async () => {
    const old = daysAgo(31);
    const rows = { done: old, recent: daysAgo(29), working: null };
    for (const [name, finishedAt] of Object.entries(rows)) {
      const state = finishedAt === null ? "active" : "completed";
      await service.pool`
        insert into contact_imports (project_id, state, dry_run, created_at, finished_at, failed_reason)
        values (${project.id}, ${state}, false, ${old}, ${finishedAt}, ${name})`;
      await service.pool`
        insert into bulk_jobs (project_id, operation, state, contact_ids, created_at, finished_at, failed_reason)
        values (${project.id}, 'subscribe', ${state}, '{}', ${old}, ${finishedAt}, ${name})`;
      await service.pool`
        insert into moves (
          project_id, id, source, state, created_by, created_at, changed_at, finished_at, failed_reason
        )
        values (
          ${project.id}, uuid_v7(), 'brevo', ${finishedAt === null ? "UPLOADING" : "DONE"}, 'a', ${old}, now(),
          ${finishedAt}, ${name}
        )`;
    }
    await service.pool`select graphile_worker.add_job('purge_expired', run_at => now() + interval '1 year')`;
    await service.pool`
      select graphile_worker.add_job('roll_up_counts', max_attempts => 1, run_at => now() + interval '1 year')`;
    await service.changeJobs({ attempts: 1 }, ({ maxAttempts }) => maxAttempts === 1);
    await service.changeJobs({ updatedAt: old });
    await sweep();
    const left = async (table: string) =>
      (
        await service.pool`
          select failed_reason as name from ${service.pool(table)} where project_id = ${project.id} order by 1`
      ).map((row) => row.name as string);
    const jobs = await service.pool`select task_identifier as task from graphile_worker.jobs`;

    expect(await left("contact_imports")).toEqual(["recent", "working"]);
    expect(await left("moves")).toEqual(["recent", "working"]);
    expect(await left("bulk_jobs")).toEqual(["recent", "working"]);
    expect(jobs.map((row) => row.task)).toEqual(["purge_expired"]);
  });
});
