// Mails that are captured for want of an SMTP server: what they are in the ledger, and how they are sent after all.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { addVerifiedDomain, SANDBOX_DOMAIN } from "../../src/accounts/projects/domains.ts";
import type { Context } from "../../src/context.ts";
import { createSmtpMailer } from "../../src/mail/smtp.ts";
import { finishCampaign } from "../../src/sending/delivery/campaign_ends.ts";
import { releaseCaptured, type ReleaseScope } from "../../src/sending/captured/release.ts";
import { campaignsOf } from "../support/campaign.ts";
import { BROWSER, useFollowedMails } from "../support/followed_mails.ts";
import { useLedger } from "../support/ledger.ts";
import { untilBlocked } from "../support/locks.ts";
import { openTestPool } from "../support/postgres.ts";
import { DOMAIN, runJobs, useService } from "../support/service.ts";
import { workflowsOf } from "../support/workflows.ts";

const service = useService({ SMTP_URL: "" });
const ledger = useLedger(service);
const { accept, row, eventsOf, fresh } = ledger;
const { project } = ledger;
const campaigns = campaignsOf(service, () => ledger.project);
const workflows = workflowsOf(service, () => ledger.project);
const followed = useFollowedMails(service);

/** The same service, started again with an SMTP server. */
let sending: Context;

beforeAll(() => {
  const pool = openTestPool(new URL(service.databaseUrl).pathname.slice(1));
  const config = { ...service.config, SMTP_URL: service.smtp.url };
  sending = { ...service, config, pool, sql: pool, mailer: createSmtpMailer(service.smtp.url) };
});

beforeEach(async () => {
  await service.pool`update emails set status = 'SUPPRESSED', captured_at = null where captured_at is not null`;
});

afterAll(async () => {
  sending.mailer.close();
  await sending.pool.end({ timeout: 1 });
});

const release = (scope: ReleaseScope = { projectId: project.id }, options?: { dryRun: boolean }) =>
  releaseCaptured({ ...sending, now: service.now }, scope, options);
const sendAll = () => runJobs({ ...sending, now: service.now }, service.workerPool);
const recipients = () => service.smtp.received.flatMap(({ to }) => to);
const usage = async (category: string): Promise<number> => {
  const [used] = await service.pool`
    select usage_of(${project.id}, usage_month(${service.now()}), ${category}::usage_category)::int as used`;
  return used!.used as number;
};
const captured = async (...to: string[]) => {
  const ids = await accept(to);
  await service.runJobs();
  return ids;
};

describe("a mail that is captured", () => {
  test("is CAPTURED, and counts as sent nowhere", async () => {
    const before = await usage("transactional");
    const [id] = await captured(fresh());
    const { body } = await service.request("GET", `/emails/${id}`, { key: project.secret });
    const list = await service.request("GET", "/emails?status=CAPTURED", { key: project.secret });
    const stats = await service.request("GET", "/activity/stats", { key: project.secret });
    const [counted] = await service.pool`select count(*)::int as n from mail_count_deltas where sent <> 0`;

    expect(body).toMatchObject({
      status: "CAPTURED",
      capturedAt: expect.any(String),
      sentAt: null,
      error: null,
    });
    expect(list.body.data.map((mail: { id: string }) => mail.id)).toEqual([id]);
    expect(await eventsOf(id!)).toEqual([]);
    expect(stats.body.totalEmailsSent).toBe(0);
    expect(counted!.n).toBe(0);
    expect(await usage("transactional")).toBe(before);
    expect(await service.pool`select from captured_mails`).not.toEqual([]);
  });

  test("of a campaign lets it come to its end, and is shown among its figures", async () => {
    await campaigns.addContacts(3);
    const id = await campaigns.create({ type: "TRANSACTIONAL" });
    await campaigns.send(id);
    await service.runJobs();
    const counts = { sentCount: 0, failedCount: 0 };
    const total = (await campaigns.get(id)).totalRecipients;
    const notRolledUp = await campaigns.stats(id);
    await service.pool`select graphile_worker.add_job('roll_up_counts')`;
    await service.runJobs();

    expect(await campaigns.get(id)).toMatchObject({ status: "SENT", capturedCount: total, ...counts });
    expect(notRolledUp).toMatchObject({ capturedCount: total, openRate: 0, ...counts });
    expect(await campaigns.ledger(id)).toEqual({ CAPTURED: total });
    expect(await usage("campaigns")).toBe(0);
  });

  test("of a workflow lets it go on to its next step", async () => {
    const template = await workflows.template();
    const { id } = await workflows.build({
      steps: { Mail: { type: "SEND_EMAIL", template }, Exit: { type: "EXIT", reason: "done" } },
      ways: ["Trigger > Mail", "Mail > Exit"],
    });
    await workflows.track(fresh());
    await service.runJobs();
    const [mail] = await service.pool`select status from emails where workflow_execution_id is not null`;

    expect(await workflows.path(id)).toEqual(["Trigger", "Mail", "Exit"]);
    expect(mail!.status).toBe("CAPTURED");
    expect(await usage("workflows")).toBe(0);
  });

  test("may be opened and clicked in the inbox: that is recorded, flagged, and changes nothing", async () => {
    const mail = await followed.mail({ status: "CAPTURED", captured_at: new Date(), sent_at: null });
    const { open, clicks } = followed.paths(mail, "https://shop.example/spring");
    const asPerson = { headers: { "user-agent": BROWSER } };
    const answers = [
      await service.request("GET", open, asPerson),
      await service.request("GET", clicks[0]!, asPerson),
    ];
    const events = await followed.events(mail);

    expect(answers.map(({ status }) => status)).toEqual([200, 302]);
    expect(
      events.map(({ name, data }) => [name, data.captured, data.isFirstOpen ?? data.isFirstClick]),
    ).toEqual([
      ["email.open", true, false],
      ["email.click", true, false],
    ]);
    expect(await followed.row(mail)).toMatchObject({
      status: "CAPTURED",
      openedAt: null,
      clickedAt: null,
      opens: 0,
      clicks: 0,
    });
  });

  test("goes with its contact", async () => {
    const address = fresh();
    const [id] = await captured(address);
    const [contact] = await service.pool`select id from contacts where email = ${address}`;
    await service.request("DELETE", `/contacts/${contact!.id}`, { key: project.secret });

    expect(await row(id!)).toMatchObject({
      status: "SUPPRESSED",
      capturedAt: null,
      error: "The contact was deleted",
    });
  });
});

describe("a mail of the installation itself", () => {
  test("has a sender while mails are captured: who signs up and who is invited finds it in the inbox", async () => {
    const email = "owner@people.example";
    const password = "correct horse battery staple";
    const signedUp = await service.request("POST", "/auth/signup", { body: { email, password } });
    const cookie = signedUp.headers.get("set-cookie")!.split(";")[0]!;
    const headers = { cookie, origin: service.config.BASE_URL };
    const made = await service.request("POST", "/users/@me/projects", { headers, body: { name: "Shop" } });
    await service.runJobs();
    await service.pool`update users set email_verified_at = now() where email = ${email}`;
    const invited = await service.request("POST", `/projects/${made.body.id}/members`, {
      headers,
      body: { email: "guest@people.example" },
    });
    await service.runJobs();
    const mails = await service.pool`
      select from_address, to_address from captured_mails where to_address like '%@people.example' order by id`;

    expect([signedUp.status, invited.status]).toEqual([200, 201]);
    expect(mails.map((mail) => [mail.fromAddress, mail.toAddress]).sort()).toEqual([
      ["postrider@sandbox.example", "guest@people.example"],
      ["postrider@sandbox.example", email],
    ]);
  });
});

describe("release", () => {
  test("refuses without a server to send with, and says what to set", async () => {
    await captured(fresh());
    const refusal = await releaseCaptured(service, {}).catch((error: Error) => error.message);

    expect(refusal).toMatch(/^Cannot release captured mails without SMTP_URL: set it .*smtp:\/\//);
    expect(await service.pool`select from emails where status = 'CAPTURED'`).toHaveLength(1);
  });

  test("refuses while another process lives that would capture the mails again, and counts all the same", async () => {
    await captured(fresh());
    await service.pool`
      insert into workers (id, host, pid, captures, seen_at)
      values (gen_random_uuid(), 'old', 1, true, now()), (gen_random_uuid(), 'new', 2, false, now()),
        (gen_random_uuid(), 'gone', 3, true, now() - interval '1 minute')`;
    const counted = await release(undefined, { dryRun: true });
    const refusal = await release().catch((error: Error) => error.message);
    await service.pool`delete from workers where host = 'old'`;
    const done = await release();
    await service.pool`delete from workers`;
    await sendAll();

    expect(counted.released).toBe(1);
    expect(refusal).toMatch(/^Cannot release .*takes jobs \(on old\): .*Set SMTP_URL there too/);
    expect(done.released).toBe(1);
  });

  test("counts first, and then sends once, in the order in which they were captured", async () => {
    const addresses = Array.from({ length: 25 }, () => fresh("order"));
    const ids: string[] = [];
    for (const address of addresses) ids.push(...(await captured(address)));
    const used = await usage("transactional");
    const counted = await release(undefined, { dryRun: true });
    const untouched = await service.pool`select from emails where status = 'CAPTURED'`;
    const done = await release();
    const jobs = (await service.jobs("send_emails")).toSorted((a, b) => a.due - b.due);
    await sendAll();
    const again = await release();
    await sendAll();

    expect(counted).toEqual({ captured: 25, released: 25, refused: {}, skipped: {}, overLimit: 0 });
    expect(untouched).toHaveLength(25);
    expect(done).toEqual(counted);
    expect(jobs.flatMap(({ payload }) => payload.emailIds)).toEqual(ids);
    expect(again).toEqual({ captured: 0, released: 0, refused: {}, skipped: {}, overLimit: 0 });
    expect(recipients().sort()).toEqual([...addresses].sort());
    expect(await row(ids[0]!)).toMatchObject({ status: "SENT", capturedAt: null, attempts: 1 });
    expect(await eventsOf(ids[0]!)).toEqual(["email.sent"]);
    expect(await usage("transactional")).toBe(used + 25);
  });

  test("looks again at who wants the mail, and at whether there is still something to send", async () => {
    const template = await workflows.template({ type: "MARKETING" });
    const { id: workflow } = await workflows.build({
      event: "joined",
      steps: { Mail: { type: "SEND_EMAIL", template } },
      ways: ["Trigger > Mail"],
    });
    const gone = fresh("unsubscribed");
    const contact = await workflows.track(gone, "joined");
    await service.runJobs();
    expect(await workflows.states(workflow)).toEqual(["COMPLETED"]);
    const [kept, purged, suppressed] = [fresh("kept"), fresh("purged"), fresh("suppressed")];
    await captured(kept);
    const [purgedId] = await captured(purged);
    const [suppressedId] = await captured(suppressed);
    const api = { key: project.secret };
    await service.request("PATCH", `/contacts/${contact}`, { ...api, body: { subscribed: false } });
    await service.request("POST", "/suppressions", { ...api, body: { email: suppressed } });
    await service.pool`
      update contents set html = null, text = null, emptied_at = now()
      where id = (select content_id from emails where id = ${purgedId!})`;
    const counted = await release(undefined, { dryRun: true });
    const done = await release();
    await sendAll();

    expect(done).toEqual({
      captured: 4,
      released: 1,
      refused: {
        "The contact has opted out": 1,
        "The content of this mail has expired": 1,
        "The address is on the suppression list (MANUAL)": 1,
      },
      skipped: {},
      overLimit: 0,
    });
    expect(counted).toEqual(done);
    expect(recipients()).toEqual([kept]);
    expect(await row(purgedId!)).toMatchObject({
      status: "SUPPRESSED",
      error: "The content of this mail has expired",
      capturedAt: null,
    });
    expect(await row(suppressedId!)).toMatchObject({ status: "SUPPRESSED" });
  });

  test("sends nothing in the name of a domain that the project has no more, nor from the sandbox", async () => {
    const [gone] = await captured(fresh());
    const { id: projectId } = project;
    await service.pool`update domains set status = 'FAILED' where project_id = ${projectId} and domain = ${DOMAIN}`;
    const refused = await release();
    await service.pool`
      update domains set status = 'VERIFIED' where project_id = ${projectId} and domain = ${DOMAIN}`;
    const [sandboxed] = await captured(fresh());
    await service.pool`
      update contents set from_email = 'a@sandbox.example'
      where id = (select content_id from emails where id = ${sandboxed!})`;
    await addVerifiedDomain(service, projectId, SANDBOX_DOMAIN);

    expect(refused).toMatchObject({
      released: 0,
      refused: { "The domain of its sender is no longer verified": 1 },
    });
    expect((await release()).released).toBe(0);
    expect([(await row(gone!)).status, (await row(sandboxed!)).status]).toEqual(["SUPPRESSED", "SUPPRESSED"]);
  });

  test("takes only those that are meant", async () => {
    const [first] = await captured(fresh());
    ledger.later(60_000);
    const since = service.now();
    const [second, third] = await captured(fresh(), fresh());
    const statusOf = async (id: string) => (await row(id)).status as string;

    expect(await release({ ids: [third!] })).toMatchObject({ released: 1 });
    expect(await Promise.all([first!, second!, third!].map(statusOf))).toEqual([
      "CAPTURED",
      "CAPTURED",
      "PENDING",
    ]);
    expect(await release({ since })).toMatchObject({ released: 1 });
    expect(await release({ projectId: crypto.randomUUID() })).toMatchObject({ captured: 0 });
    expect(await Promise.all([first!, second!].map(statusOf))).toEqual(["CAPTURED", "PENDING"]);
    expect(await release({})).toMatchObject({ released: 1 });
    await sendAll();
    expect(recipients()).toHaveLength(3);
  });

  test("of a campaign that is over opens it again, until it has come to its end once more", async () => {
    await campaigns.addContacts(250);
    const id = await campaigns.create({ type: "TRANSACTIONAL" });
    await campaigns.send(id);
    await service.runJobs();
    const { released: total } = await release();
    const underWay = await campaigns.get(id);
    await sendAll();

    expect(underWay).toMatchObject({ status: "SENDING", capturedCount: 0, sentCount: 0 });
    expect(underWay.processedCount).toBe(underWay.totalRecipients - total);
    expect(await campaigns.get(id)).toMatchObject({ status: "SENT", capturedCount: 0, sentCount: total });
    expect(new Set(recipients()).size).toBe(total);
    expect(recipients()).toHaveLength(total);
  });

  test("keeps a campaign open that was about to come to its end at that moment", async () => {
    await campaigns.addContacts(3);
    const id = await campaigns.create({ type: "TRANSACTIONAL" });
    await campaigns.send(id);
    await service.runJobs();
    await service.pool`update campaigns set status = 'SENDING', finished_at = null where id = ${id}`;
    let ending: Promise<void> | undefined;
    await sending.pool.begin(async (sql) => {
      await releaseCaptured({ ...sending, sql, now: service.now }, { projectId: project.id });
      ending = finishCampaign(service, project.id, id);
      await untilBlocked(sending.pool);
    });
    await ending;
    const underWay = await campaigns.get(id);
    await sendAll();

    expect(underWay.status).toBe("SENDING");
    expect(await campaigns.get(id)).toMatchObject({ status: "SENT", capturedCount: 0 });
  });

  test("ranks the batches of each campaign from the first one on, page after page", async () => {
    const content = {
      project_id: project.id,
      subject: "Hi",
      html: "<p>Hi</p>",
      from_email: `hello@${DOMAIN}`,
    };
    const [{ id: contentId }] = (await service.pool`
      insert into contents ${service.pool({ ...content, shared: true })} returning id`) as [{ id: string }];
    const campaignWith = async (mails: number, capturedAt: string) => {
      const id = await campaigns.create({ type: "TRANSACTIONAL" });
      await service.pool`
        update campaigns set status = 'SENT', snapshot_at = now(), finished_at = now() where id = ${id}`;
      await service.pool`
        insert into emails (
          project_id, address, content_id, source_type, campaign_id, status, due_at, queued_at, captured_at
        )
        select ${project.id}, n || '@many.example', ${contentId}, 'CAMPAIGN', ${id}, 'CAPTURED', now(), now(),
          ${capturedAt}::timestamptz
        from generate_series(1, ${mails}::int) as n`;
      return id;
    };
    const large = await campaignWith(2_300, "2026-01-01");
    const small = await campaignWith(3, "2026-01-02");
    await release();
    const jobs = await service.jobs("send_batch");
    const ofLarge = jobs
      .filter(({ payload }) => payload.campaignId === large)
      .map(({ priority }) => priority);
    await service.dropJobs();

    expect(ofLarge).toEqual(Array.from({ length: 12 }, (_, n) => 10 + n));
    expect(jobs.find(({ payload }) => payload.campaignId === small)!.priority).toBe(10);
    expect(jobs.every(({ priority, payload }) => priority === payload.priority)).toBe(true);
  });

  test("leaves out the mails of a cancelled campaign, for good", async () => {
    const id = await campaigns.create({ type: "TRANSACTIONAL" });
    await campaigns.send(id);
    await service.runJobs();
    await service.pool`update campaigns set status = 'CANCELLED' where id = ${id}`;
    const { released, refused, captured: looked } = await release();

    expect([released, refused]).toEqual([0, { "The campaign was cancelled": looked }]);
    expect(Object.keys(await campaigns.ledger(id))).toEqual(["SUPPRESSED"]);
  });

  test("keeps to the limit of the month: what has no room stays captured", async () => {
    const ids = await captured(fresh(), fresh(), fresh());
    const used = await usage("transactional");
    await service.pool`
      insert into usage_limits (project_id, category, monthly_limit) values (${project.id}, 'transactional', ${used + 2})`;
    const first = await release();
    const second = await release();
    await service.pool`delete from usage_limits where project_id = ${project.id}`;
    const third = await release();

    expect(first).toEqual({ captured: 3, released: 2, refused: {}, skipped: {}, overLimit: 1 });
    expect(second).toEqual({ captured: 1, released: 0, refused: {}, skipped: {}, overLimit: 1 });
    expect(third).toEqual({ captured: 1, released: 1, refused: {}, skipped: {}, overLimit: 0 });
    await sendAll();
    expect(ids.map((id) => ledger.arrivals(id))).toEqual([1, 1, 1]);
  });

  test("charges the month in which it is, and gives that one back where they are captured again", async () => {
    const [id] = await captured(fresh());
    service.setNow(new Date("2099-01-31T23:59:00Z"));
    const inMonth = async (month: string) => {
      const [used] = await service.pool`
        select usage_of(${project.id}, ${month}::date, 'transactional')::int as used`;
      return used!.used as number;
    };
    const before = await usage("transactional");
    await release();
    const charged = await inMonth("2099-01-01");
    // Still, or again, without a server.
    service.setNow(new Date("2099-02-01T00:01:00Z"));
    await service.runJobs();

    expect((await row(id!)).status).toBe("CAPTURED");
    expect(charged).toBe(before + 1);
    expect([await inMonth("2099-01-01"), await inMonth("2099-02-01")]).toEqual([before, 0]);
    service.setNow(new Date());
  });

  test("tells what it leaves as it was: of a project that may not send, or is being reset, and what is not there", async () => {
    const [id] = await captured(fresh());
    const none = crypto.randomUUID();
    await service.pool`update projects set disabled_at = now() where id = ${project.id}`;
    const disabled = [await release(undefined, { dryRun: true }), await release()];
    await service.pool`update projects set disabled_at = null where id = ${project.id}`;
    await service.pool`
      insert into resets ${service.pool({ project_id: project.id, asked_at: new Date(), emails: id! })}`;
    const resetting = await release({ ids: [id!, none, none] });
    await service.pool`delete from resets where project_id = ${project.id}`;
    const held = await service.pool.begin(async (sql) => {
      await sql`select from emails where id = ${id!} for update`;
      return [await release(), await release(undefined, { dryRun: true })];
    });

    const nothing = { released: 0, refused: {}, overLimit: 0 };
    const one = { "The project is disabled": 1 };
    expect(disabled).toEqual([1, 2].map(() => ({ captured: 1, ...nothing, skipped: one })));
    expect(resetting).toEqual({
      captured: 1,
      ...nothing,
      skipped: {
        "The project is being reset": 1,
        "No captured mail has this id, or the other options exclude it": 1,
      },
    });
    expect(held).toEqual([
      { captured: 1, ...nothing, skipped: { "It was released or deleted meanwhile, or is being": 1 } },
      { captured: 1, ...nothing, released: 1, skipped: {} },
    ]);
    expect((await row(id!)).status).toBe("CAPTURED");
  });

  test("by two at once releases each mail once, page by page", async () => {
    await service.pool`
      insert into contents ${service.pool({ project_id: project.id, subject: "Hi", html: "<p>Hi</p>", from_email: "hello@shop.example", shared: true })}`;
    await service.pool`
      insert into emails (project_id, address, content_id, source_type, status, due_at, queued_at, captured_at)
      select ${project.id}, n || '@many.example', (select id from contents where shared order by id desc limit 1),
        'TRANSACTIONAL', 'CAPTURED', now(), now(), date_trunc('milliseconds', now()) - interval '1 minute'
      from generate_series(1, 2500) as n`;
    const both = await Promise.all([release(), release()]);
    const left = await service.pool`select from emails where status = 'CAPTURED'`;
    const named = (await service.jobs()).flatMap(({ payload }) => payload.emailIds as string[]);

    expect(both.reduce((sum, { released }) => sum + released, 0)).toBe(2_500);
    expect(left).toHaveLength(0);
    expect([new Set(named).size, named.length]).toEqual([2_500, 2_500]);
    await service.dropJobs();
  });
});
