// Endpoints are told what happens in a project: about what, how it is signed, how often it is tried, and what holds up nobody.
import { describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { deliverWebhooks } from "../../src/automation/endpoints/line.ts";
import { sweepWebhooks } from "../../src/automation/endpoints/fan_out.ts";
import { join, signUp } from "../support/accounts.ts";
import { until } from "../support/process.ts";
import { useService } from "../support/service.ts";
import { type Answering, reply, useHookServers } from "./hook_server.ts";
import { endpointStage } from "./endpoint_stage.ts";

const service = useService({
  ALLOW_PRIVATE_WEBHOOKS: "true",
  PLATFORM_FROM: "Postrider <postrider@mail.example>",
});
const stage = endpointStage(service);
const serve = useHookServers();

const HOUR_MS = 3_600_000;
const said = (server: { heard: { body: string }[] }) => server.heard.map(({ body }) => JSON.parse(body));

describe("an endpoint", () => {
  test("is told what was tracked, once, signed so that the library of Standard Webhooks accepts it", async () => {
    const server = await serve(reply(204));
    const { id, secret } = await stage.make(server.port, ["event.tracked"]);
    const { body } = await stage.track("ordered", { total: 49.9 });
    await stage.fanOut();
    await stage.fanOut();
    await stage.deliver(id);
    await stage.deliver(id);
    const [{ headers, body: text, method }] = server.heard as [(typeof server.heard)[0]];

    expect(server.heard).toHaveLength(1);
    expect(method).toBe("POST");
    expect(headers["webhook-id"]).toBe(body.data.event);
    expect(new Webhook(secret).verify(text, headers)).toEqual({
      type: "event.tracked",
      timestamp: body.data.timestamp ?? expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      data: {
        id: body.data.event,
        name: "ordered",
        contact: { id: body.data.contact, email: "ada@example.com" },
        data: { total: 49.9 },
      },
    });
    expect(() => new Webhook(secret).verify(`${text} `, headers)).toThrow("No matching signature");
    expect(await stage.deliveries(id)).toMatchObject([{ status: "DELIVERED", attempts: 1, dueAt: null }]);
  });

  test("gets what it asked for, by type, group and name, and what anybody tracks is never taken for the service's own", async () => {
    const server = await serve(reply(200));
    const named = await stage.make(server.port, ["event.tracked"], { eventNames: ["campaign.sent"] });
    const grouped = await stage.make(server.port, ["contact.*"]);
    const own = await stage.make(server.port, ["campaign.sent"]);
    await stage.track("campaign.sent");
    await stage.track("ordered");
    await stage.call("POST", "/contacts", { email: "ada@example.com", subscribed: false });
    await stage.fanOut();
    const typesOf = async (id: string) => (await stage.deliveries(id)).map(({ type }) => type).toSorted();

    expect(await typesOf(named.id)).toEqual(["event.tracked"]);
    expect(await typesOf(grouped.id)).toEqual(["contact.created", "contact.unsubscribed", "contact.updated"]);
    expect(await typesOf(own.id)).toEqual([]);
  });

  test("is told of campaigns, domains, deliverability and workflows too", async () => {
    const server = await serve(reply(200));
    const { id } = await stage.make(server.port, [
      "campaign.*",
      "domain.*",
      "workflow.*",
      "deliverability.*",
    ]);
    const projectId = stage.project.id;
    await service.pool.begin(async (sql) => {
      await sql`
        insert into campaigns (project_id, name, subject, body, html, from_email, status, audience_type, sent_at)
        values (${projectId}, 'October', 'Hi', 'b', 'b', 'a@shop.example', 'SENDING', 'ALL', now())`;
      await sql`update campaigns set status = 'SENT', finished_at = now() where project_id = ${projectId}`;
      await sql`insert into domains (project_id, domain) values (${projectId}, 'mail.shop.example')`;
      await sql`update domains set status = 'FAILED' where project_id = ${projectId} and domain = 'mail.shop.example'`;
      await sql`update domains set status = 'VERIFIED' where project_id = ${projectId} and domain = 'mail.shop.example'`;
      await sql`
        insert into deliverability_alerts (
          project_id, kind, sender_domain, provider, count, total, opened_at, bad_at
        )
        values (${projectId}, 'BOUNCES', 'shop.example', '', 5, 120, now(), now())`;
      await sql`update deliverability_alerts set closed_at = now() where project_id = ${projectId}`;
      const [contact] = await sql`
        insert into contacts (project_id, email, subscribed) values (${projectId}, 'eve@example.com', true) returning id`;
      const [flow] =
        await sql`insert into workflows (project_id, name) values (${projectId}, 'Welcome') returning id`;
      const [version] = await sql`
        insert into workflow_versions (project_id, workflow_id, graph)
        values (${projectId}, ${flow!.id}, '{"steps": [], "transitions": []}') returning id`;
      await sql`
        insert into executions (project_id, workflow_id, version_id, contact_id, is_only)
        values (${projectId}, ${flow!.id}, ${version!.id}, ${contact!.id}, false)`;
      await sql`
        update executions set status = 'COMPLETED', completed_at = now() where project_id = ${projectId}`;
    });
    await stage.fanOut();
    await stage.deliver(id);
    const byType = Object.fromEntries(said(server).map(({ type, data }) => [type, data]));

    expect(byType).toEqual({
      "campaign.sent": { campaign: expect.objectContaining({ name: "October", recipients: 0 }) },
      "domain.failed": { domain: expect.objectContaining({ domain: "mail.shop.example", status: "FAILED" }) },
      "domain.verified": { domain: expect.objectContaining({ status: "VERIFIED" }) },
      "deliverability.alert_opened": {
        alert: expect.objectContaining({ kind: "BOUNCES", provider: null, count: 5, closedAt: null }),
      },
      "deliverability.alert_closed": {
        alert: expect.objectContaining({ domain: "shop.example", closedAt: expect.any(String) }),
      },
      "workflow.started": {
        workflow: { id: expect.any(String), name: "Welcome" },
        execution: expect.objectContaining({ status: "RUNNING", exitReason: null }),
        contact: { id: expect.any(String), email: "eve@example.com" },
      },
      "workflow.completed": expect.objectContaining({
        execution: expect.objectContaining({ status: "COMPLETED" }),
      }),
    });
  });

  test("gets what is committed after what happened later, and nothing of what is rolled back", async () => {
    const server = await serve(reply(200));
    const { id } = await stage.make(server.port, ["event.tracked"]);
    const projectId = stage.project.id;
    const { promise: isWritten, resolve: written } = Promise.withResolvers<void>();
    const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>();
    const slow = service.pool.begin(async (sql) => {
      await sql`insert into events (project_id, name) values (${projectId}, 'slow')`;
      written();
      await mayCommit;
    });
    await isWritten;
    await service.pool`insert into events (project_id, name) values (${projectId}, 'quick')`;
    await service.pool
      .begin(async (sql) => {
        await sql`insert into events (project_id, name) values (${projectId}, 'undone')`;
        throw new Error("undone");
      })
      .catch(() => {});
    await stage.fanOut();
    const before = (await stage.deliveries(id)).length;
    commit();
    await slow;
    await stage.fanOut();
    await stage.deliver(id);

    expect(before).toBe(1);
    expect(said(server).map(({ data }) => data.name)).toEqual(["quick", "slow"]);
  });

  test("has its job a moment after something happened, and the job of its line with the deliveries", async () => {
    const server = await serve(reply(200));
    await stage.make(server.port, ["event.tracked"]);
    await stage.track("ordered");
    expect(await service.jobs("fan_out_webhooks")).toHaveLength(1);
    await service.dropJobs();
    await stage.track("ordered");
    expect(await service.jobs("fan_out_webhooks")).toHaveLength(0);
    await stage.fanOut();

    expect(await service.jobs("deliver_webhooks")).toHaveLength(1);
    await service.runJobs();
    expect(server.heard).toHaveLength(2);
  });

  test("that nobody has costs no note, and neither does one that wants something else", async () => {
    const notes = async () => (await service.pool`select from webhook_notes`).length;
    await stage.track("ordered");
    const other = await service.createProject();
    await service.pool`
      insert into webhooks (project_id, url, events, secret, created_by)
      values (${other.id}, 'https://example.com/', '{*}', 'x', 'x')`;
    await stage.track("ordered");
    const server = await serve(reply(200));
    await stage.make(server.port, ["campaign.sent"]);
    await stage.track("ordered");

    expect(await notes()).toBe(0);
  });
});

describe("a secret", () => {
  test("that is rotated signs for a day beside the new one", async () => {
    const server = await serve(reply(200));
    const { id, secret } = await stage.make(server.port, ["event.tracked"]);
    const { body: rotated } = await stage.call("POST", `/webhooks/${id}/rotate-secret`);
    await stage.track("one");
    await stage.fanOut();
    await stage.deliver(id);
    stage.later(25 * HOUR_MS);
    await stage.track("two");
    await stage.fanOut();
    await stage.deliver(id);
    const [first, second] = server.heard.map(
      ({ headers }) => headers["webhook-signature"]!.split(" ").length,
    );
    const { headers, body } = server.heard[0]!;

    for (const key of [secret, rotated.secret]) {
      expect(new Webhook(key).verify(body, headers)).toMatchObject({ type: "event.tracked" });
    }
    expect([first, second]).toEqual([2, 1]);
    expect((await stage.call("GET", `/webhooks/${id}/secret`)).body).toEqual({
      secret: rotated.secret,
      previousUntil: null,
    });
  });

  test("is nowhere in the database as it is", async () => {
    const server = await serve(reply(200));
    const { id, secret } = await stage.make(server.port);
    const [row] = await service.pool`select encode(secret, 'escape') as text from webhooks where id = ${id}`;

    expect(row!.text).not.toContain(secret.slice(6, 20));
  });
});

describe("a delivery that fails", () => {
  test("is tried ten times over three days, with the same id, later where Retry-After asks for it", async () => {
    let answer: Answering = reply(500, "no");
    const server = await serve((socket, heard) => answer(socket, heard));
    const { id } = await stage.make(server.port, ["event.tracked"]);
    await stage.track("ordered");
    await stage.fanOut();
    const waits: number[] = [];
    const startedAt = service.now().getTime();
    for (let i = 1; i <= 10; i++) {
      if (i === 3) answer = reply(429, "", { "Retry-After": "7200" });
      if (i === 4) answer = reply(500, "no");
      await stage.deliver(id);
      const [{ attempts, dueAt }] = (await stage.deliveries(id)) as never as [
        { attempts: number; dueAt: Date | null },
      ];
      expect(attempts).toBe(i);
      // Nobody calls it before.
      if (i < 10) await stage.deliver(id);
      expect(server.heard).toHaveLength(i);
      const waitMs = (dueAt?.getTime() ?? 0) - service.now().getTime();
      if (dueAt) {
        waits.push(Math.round(waitMs / 60_000));
        stage.later(waitMs + HOUR_MS / 4);
      }
    }
    const [ended] = await stage.deliveries(id);

    expect(waits[2]).toBeGreaterThanOrEqual(120);
    expect(waits[3]).toBeGreaterThanOrEqual(30);
    expect(service.now().getTime() - startedAt).toBeGreaterThan(72 * HOUR_MS);
    expect(new Set(server.heard.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(new Set(server.heard.map(({ body }) => body)).size).toBe(1);
    expect(ended).toMatchObject({ status: "FAILED", dueAt: null, response: { status: 500, body: "no" } });
    expect(ended!.tries).toHaveLength(10);
  });

  test("for three days pauses the endpoint, says so by mail, keeps what waits, and delivers it once enabled", async () => {
    const owner = await signUp(service);
    await join(service, owner, stage.project.id, "OWNER");
    let answer: Answering = reply(500);
    const server = await serve((socket, heard) => answer(socket, heard));
    const { id } = await stage.make(server.port, ["event.tracked"]);
    for (const name of ["one", "two", "three"]) await stage.track(name);
    await stage.fanOut();
    await stage.deliver(id);
    stage.later(73 * HOUR_MS);
    await stage.deliver(id);
    const paused = await stage.state(id);
    const told = await service.pool`select subject from platform_mails where to_address = ${owner.email}`;
    await stage.track("unheard");
    await stage.fanOut();
    answer = reply(200);
    server.heard.length = 0;
    await stage.deliver(id);
    const whilePaused = server.heard.length;
    await stage.call("PATCH", `/webhooks/${id}`, { enabled: true });
    await service.runJobs();

    expect(paused).toMatchObject({ enabled: false, pauseReason: "FAILING", pending: 3 });
    expect(told.map(({ subject }) => subject)).toEqual([
      `The webhook http://127.0.0.1:${server.port}/hook is paused`,
    ]);
    expect(whilePaused).toBe(0);
    expect(
      said(server)
        .map(({ data }) => data.name)
        .toSorted(),
    ).toEqual(["one", "three", "two"]);
    expect(await stage.state(id)).toMatchObject({
      enabled: true,
      pauseReason: null,
      failingSince: null,
      pending: 0,
    });
  });

  test("with 410 pauses the endpoint at once: only calls that are under way end", async () => {
    const server = await serve(reply(410));
    const { id } = await stage.make(server.port, ["event.tracked"]);
    for (let n = 0; n < 20; n++) await stage.track("ordered");
    await stage.fanOut();
    await stage.deliver(id);

    expect(server.heard.length).toBeLessThanOrEqual(10);
    expect(await stage.state(id)).toMatchObject({ enabled: false, pauseReason: "GONE" });
  });

  test.each([
    ["redirects", reply(302, "", { Location: "http://127.0.0.1:1/" }), "it redirects, which is not followed"],
    ["hangs up", ((socket) => socket.destroy()) as Answering, expect.stringMatching(/^the connection/)],
  ])("because the receiver %s says why", async (_, answer, error) => {
    const server = await serve(answer);
    const { id } = await stage.make(server.port, ["event.tracked"]);
    await stage.track("ordered");
    await stage.fanOut();
    await stage.deliver(id);

    expect((await stage.deliveries(id))[0]!.tries).toEqual([
      { at: expect.any(String), ms: expect.any(Number), error },
    ]);
  });
});

describe("a dead endpoint", () => {
  test("with much that waits is tried by one delivery at a time, and everything goes when it is back", async () => {
    let answer: Answering = reply(503);
    const server = await serve((socket, heard) => answer(socket, heard));
    const { id } = await stage.make(server.port, ["event.tracked"]);
    await service.pool`
      insert into events (project_id, name) select ${stage.project.id}, 'e' from generate_series(1, 1200)`;
    await stage.fanOut();
    await stage.deliver(id);
    const first = server.heard.length;
    stage.later(60_000);
    await stage.deliver(id);
    const second = server.heard.length - first;
    answer = reply(200);
    for (let turn = 0; turn < 10 && (await stage.state(id)).pending > 0; turn++) {
      stage.later(600_000);
      await stage.deliver(id);
    }

    expect(first).toBeLessThan(20);
    expect(second).toBe(1);
    expect(new Set(server.heard.map(({ headers }) => headers["webhook-id"])).size).toBe(1200);
    expect(await stage.state(id)).toMatchObject({ pending: 0, failingSince: null });
  });

  test("does not hold up another one of the same project", async () => {
    const waiting: (() => void)[] = [];
    const silent = await serve((socket) => waiting.push(() => socket.destroy()));
    const quick = await serve(reply(200));
    const dead = await stage.make(silent.port, ["event.tracked"]);
    const fine = await stage.make(quick.port, ["event.tracked"]);
    await stage.track("ordered");
    await stage.fanOut();
    const stuck = stage.deliver(dead.id);
    await until("the silent one is called", () => waiting.length > 0);
    await stage.deliver(fine.id);
    const heard = quick.heard.length;
    for (const hangUp of waiting) hangUp();
    await stuck;

    expect(heard).toBe(1);
  });
});

describe("the line of an endpoint", () => {
  test("is called by one job at a time", async () => {
    const waiting: (() => void)[] = [];
    const server = await serve((socket, heard) => waiting.push(() => void reply(200)(socket, heard)));
    const { id } = await stage.make(server.port, ["event.tracked"]);
    await stage.track("ordered");
    await stage.fanOut();
    const first = stage.deliver(id);
    await until("it is called", () => waiting.length > 0);
    await stage.deliver(id);
    const heard = server.heard.length;
    for (const answer of waiting) answer();
    await first;

    expect(heard).toBe(1);
    expect(await stage.deliveries(id)).toMatchObject([{ status: "DELIVERED", attempts: 1 }]);
  });

  test("whose process died is found, and called again with the same id", async () => {
    const waiting: (() => void)[] = [];
    const server = await serve((socket, heard) => waiting.push(() => void reply(200)(socket, heard)));
    const { id } = await stage.make(server.port, ["event.tracked"]);
    await stage.track("ordered");
    await stage.fanOut();
    // What it writes after its lease has ended is not taken.
    const frozen = stage.deliver(id);
    await until("it is called", () => waiting.length > 0);
    await service.dropJobs();
    stage.later(120_000);
    await sweepWebhooks(service);
    const jobs = await service.jobs("deliver_webhooks");
    const second = deliverWebhooks(service, jobs[0]!.payload);
    await until("it is called again", () => waiting.length > 1);
    for (const answer of waiting) answer();
    await Promise.all([frozen, second]);

    expect(new Set(server.heard.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(await stage.deliveries(id)).toMatchObject([{ status: "DELIVERED", attempts: 1 }]);
  });

  test("forgets what was about a contact who has been deleted", async () => {
    const server = await serve(reply(200));
    const { id } = await stage.make(server.port, ["event.tracked"]);
    const { body } = await stage.track("ordered");
    await stage.fanOut();
    await stage.call("DELETE", `/contacts/${body.data.contact}`);
    await stage.deliver(id);

    expect(server.heard).toEqual([]);
    expect(await stage.deliveries(id)).toHaveLength(0);
  });
});
