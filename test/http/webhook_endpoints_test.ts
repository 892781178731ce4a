// /webhooks: endpoints, their log, replays and tests.
import { describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { MAX_WEBHOOKS } from "../../src/automation/endpoints/mod.ts";
import { dropExpired } from "../../src/insight/retention.ts";
import { endpointStage } from "../automation/endpoint_stage.ts";
import { reply, useHookServers } from "../automation/hook_server.ts";
import { useService } from "../support/service.ts";

const service = useService({ ALLOW_PRIVATE_WEBHOOKS: "true" });
const closed = useService();
const stage = endpointStage(service);
const serve = useHookServers();

const URL = "https://example.com/webhooks?token=secret";

/** Some events, as they were delivered or not. */
async function tell(id: string, names: string[]) {
  for (const name of names) await stage.track(name);
  await stage.fanOut();
  await stage.deliver(id);
}

describe("an endpoint", () => {
  test("is made with its secret, listed without, changed and deleted, and all of that is in the audit log", async () => {
    const { status, body } = await stage.call("POST", "/webhooks", {
      url: URL,
      events: ["email.*", "email.*"],
    });
    const { secret, ...made } = body;
    const path = `/webhooks/${body.id}`;

    expect(status).toBe(201);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(made).toEqual({
      id: expect.any(String),
      url: URL,
      description: "",
      events: ["email.*"],
      eventNames: null,
      enabled: true,
      pausedAt: null,
      pauseReason: null,
      failingSince: null,
      retryAt: null,
      pending: 0,
      delivered: 0,
      failed: 0,
      secretHint: secret.slice(-4),
      previousSecretUntil: null,
      createdBy: expect.any(String),
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect((await stage.call("GET", "/webhooks")).body).toEqual({ webhooks: [made] });
    expect((await stage.call("GET", path)).body).toEqual(made);
    expect((await stage.call("GET", `${path}/secret`)).body).toEqual({ secret, previousUntil: null });

    const change = { events: ["event.tracked"], eventNames: ["ordered"], description: "CRM", enabled: false };
    expect((await stage.call("PATCH", path, change)).body).toMatchObject({
      ...change,
      pauseReason: "USER",
      pausedAt: expect.any(String),
    });
    expect((await stage.call("POST", `${path}/rotate-secret`)).body).toEqual({
      secret: expect.not.stringContaining(secret),
      previousUntil: expect.any(String),
    });
    expect((await stage.call("DELETE", path)).status).toBe(204);
    expect((await stage.call("GET", path)).status).toBe(404);
    const lines = await service.pool`
      select action, subject, details::text from audit
      where project_id = ${stage.project.id} and action like 'webhook.%' order by id`;
    expect(lines.map(({ action, subject }) => [action, subject])).toEqual(
      ["created", "updated", "secret_rotated", "deleted"].map((deed) => [
        `webhook.${deed}`,
        "https://example.com/webhooks",
      ]),
    );
    expect(JSON.stringify(lines)).not.toContain("token=secret");
  });

  test.each([
    ["url", { url: "ftp://example.com/" }, "invalid_string"],
    ["url", { url: "https://user:password@example.com/" }, "invalid_string"],
    ["url", { url: "https://example.com/\r\nX-Other: 1" }, "invalid_string"],
    ["url", { url: "https://169.254.169.254/latest" }, "custom"],
    ["events.0", { events: ["email.unknown"] }, "invalid_enum_value"],
    ["events", { events: [] }, "too_small"],
    ["eventNames", { eventNames: ["ordered"] }, "custom"],
  ])("is refused with a wrong %s: %j", async (field, wrong, code) => {
    const { status, body } = await stage.call("POST", "/webhooks", {
      url: URL,
      events: ["email.*"],
      ...wrong,
    });

    expect([status, body.error.errors]).toEqual([422, [expect.objectContaining({ field, code })]]);
    expect((await stage.call("GET", "/webhooks")).body.webhooks).toEqual([]);
  });

  test.each([
    "http://127.0.0.1/",
    "http://localhost:3000/",
    "http://[::1]/",
    "http://10.0.0.1/",
    "http://0x7f.1/",
  ])("inside of the network is refused where that is not allowed: %s", async (url) => {
    const { secret } = await closed.createProject();
    const { status } = await closed.request("POST", "/webhooks", {
      key: secret,
      body: { url, events: ["*"] },
    });

    expect(status).toBe(422);
  });

  test("too many are refused, also when they come at once", async () => {
    const all = await Promise.all(
      Array.from({ length: MAX_WEBHOOKS + 3 }, () =>
        stage.call("POST", "/webhooks", { url: URL, events: ["*"] }),
      ),
    );

    expect(all.filter(({ status }) => status === 201)).toHaveLength(MAX_WEBHOOKS);
    expect(all.filter(({ status }) => status === 409)).toHaveLength(3);
  });

  test("that is deleted takes its deliveries along, and no others", async () => {
    const server = await serve(reply(200));
    const { id } = await stage.make(server.port, ["event.tracked"]);
    const other = await stage.make(server.port, ["event.tracked"]);
    await tell(id, ["one", "two"]);
    await stage.call("DELETE", `/webhooks/${id}`);
    await service.runJobs();

    expect(await stage.deliveries(id)).toHaveLength(0);
    expect(await stage.deliveries(other.id)).toHaveLength(2);
  });

  test("is tested at once, paused or not, and the response is told", async () => {
    const server = await serve(
      reply(418, "x".repeat(5_000), { "Content-Type": "text/plain", "X-Other": "1" }),
    );
    const { id, secret } = await stage.make(server.port, ["email.*"], { enabled: false });
    const { status, body } = await stage.call("POST", `/webhooks/${id}/test`);
    const [{ headers, body: sent }] = server.heard as [(typeof server.heard)[0]];

    expect(status).toBe(200);
    expect(body).toMatchObject({
      type: "webhook.test",
      status: "FAILED",
      attempts: 1,
      nextAttemptAt: null,
      requestBody: sent,
      lastAttempt: { status: 418, error: null },
      response: {
        status: 418,
        headers: { "content-type": "text/plain" },
        body: "x".repeat(4_096),
        truncated: true,
      },
    });
    expect(new Webhook(secret).verify(sent, headers)).toMatchObject({ type: "webhook.test" });
    expect((await stage.call("GET", `/webhooks/${id}/deliveries`)).body.data).toHaveLength(1);
  });
});

describe("the log of an endpoint", () => {
  test("has what was sent, newest first, by status, type and time, page by page", async () => {
    let status = 200;
    const server = await serve((socket, heard) => reply(status, "thanks")(socket, heard));
    const { id } = await stage.make(server.port, ["event.tracked", "contact.created"]);
    await tell(id, ["one", "two"]);
    status = 500;
    await tell(id, ["three"]);
    const list = async (query: string) =>
      (await stage.call("GET", `/webhooks/${id}/deliveries?${query}`)).body.data as {
        eventName: string;
        id: string;
      }[];
    const namesOf = async (query: string) => (await list(query)).map(({ eventName }) => eventName);
    const first = (await stage.call("GET", `/webhooks/${id}/deliveries?types=event.tracked&limit=2`)).body;
    const [pending] = await list("status=PENDING");
    const [delivered] = await list("status=DELIVERED&types=event.tracked");

    expect(first).toMatchObject({
      hasMore: true,
      data: [{ eventName: "three", status: "PENDING" }, { eventName: "two" }],
    });
    expect(await namesOf(`types=event.tracked&cursor=${first.cursor}`)).toEqual(["one"]);
    expect(await namesOf("types=contact.created")).toEqual([null as never]);
    expect(await namesOf("startDate=2100-01-01")).toEqual([]);
    expect(await namesOf("endDate=2020-01-01")).toEqual([]);
    expect((await stage.call("GET", `/webhooks/${id}/deliveries/${pending!.id}`)).body).toMatchObject({
      status: "PENDING",
      attempts: 1,
      nextAttemptAt: expect.any(String),
      tries: [{ status: 500, error: null, ms: expect.any(Number), at: expect.any(String) }],
      requestBody: expect.stringContaining('"three"'),
      response: { status: 500, body: "thanks" },
    });
    expect(delivered).toMatchObject({ lastAttempt: { status: 200 } });
    expect(await stage.state(id)).toMatchObject({ delivered: 3, failed: 1, pending: 1 });
  });

  test("lets one be sent again, with the same id, and all that failed", async () => {
    let status = 200;
    const server = await serve((socket, heard) => reply(status)(socket, heard));
    const { id } = await stage.make(server.port, ["event.tracked"]);
    await tell(id, ["one", "two", "three"]);
    await service.pool`
      update webhook_deliveries set status = 'FAILED', attempts = 10
      where webhook_id = ${id} and message_id in (
        select id from webhook_messages where event_name in ('two', 'three')
      )`;
    const [one] = (await stage.call("GET", `/webhooks/${id}/deliveries?status=DELIVERED`)).body.data;
    server.heard.length = 0;
    const again = await stage.call("POST", `/webhooks/${id}/deliveries/${one.id}/replay`);
    const failed = await stage.call("POST", `/webhooks/${id}/replay`, { status: "FAILED" });
    status = 204;
    await stage.deliver(id);
    const none = await stage.call("POST", `/webhooks/${id}/replay`, { endDate: "2020-01-01" });
    const all = await stage.call("POST", `/webhooks/${id}/replay`, {});

    expect([again.status, again.body]).toMatchObject([202, { status: "PENDING", attempts: 0 }]);
    expect([failed.status, failed.body]).toEqual([202, { replayed: 2, hasMore: false }]);
    expect(server.heard.map(({ headers }) => headers["webhook-id"])).toContain(one.id);
    expect(server.heard).toHaveLength(3);
    expect((await stage.deliveries(id)).filter((row) => row.status === "PENDING")).toHaveLength(3);
    expect([none.body.replayed, all.body.replayed]).toEqual([0, 3]);
  });

  test("replays nothing of a paused endpoint, and says what to do", async () => {
    const server = await serve(reply(200));
    const { id } = await stage.make(server.port, ["event.tracked"]);
    await tell(id, ["one"]);
    const [one] = (await stage.call("GET", `/webhooks/${id}/deliveries`)).body.data;
    await stage.call("PATCH", `/webhooks/${id}`, { enabled: false });
    const answers = [
      await stage.call("POST", `/webhooks/${id}/replay`, {}),
      await stage.call("POST", `/webhooks/${id}/deliveries/${one.id}/replay`),
    ];

    for (const { status, body } of answers) {
      expect([status, body.error.suggestion]).toEqual([409, expect.stringContaining("Enable it first")]);
    }
    expect(await stage.deliveries(id)).toMatchObject([{ status: "DELIVERED" }]);
  });

  test("is kept for 30 days", async () => {
    const server = await serve(reply(200));
    const { id } = await stage.make(server.port, ["event.tracked"]);
    await tell(id, ["one"]);
    const databaseNow = async () => service.now();
    stage.later(29 * 86_400_000);
    await dropExpired(service, { databaseNow });
    const kept = (await stage.deliveries(id)).length;
    stage.later(2 * 86_400_000);
    await dropExpired(service, { databaseNow });
    const messages = await service.pool`select from webhook_messages where project_id = ${stage.project.id}`;

    expect([kept, (await stage.deliveries(id)).length, messages.length]).toEqual([1, 0, 0]);
  });
});
