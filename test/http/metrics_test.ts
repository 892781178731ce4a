import { beforeAll, describe, expect, test } from "bun:test";
import { Registry } from "prom-client";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { inTransaction } from "../../src/context.ts";
import { createHealthApp } from "../../src/http/routes/health.ts";
import { createApp } from "../../src/http/mod.ts";
import { blocked } from "../support/locks.ts";
import { DOMAIN, useService } from "../support/service.ts";

const TOKEN = "a-token-that-Prometheus-knows";
const service = useService({ METRICS_TOKEN: TOKEN });
let project: NewProject;

const scrape = async (header: Record<string, string> = { authorization: `Bearer ${TOKEN}` }) =>
  await service.app.handle(new Request("http://localhost/metrics", { headers: header }));

/** The value of a series, such as `postrider_mails_total{outcome="SENT"}`; null where there is none. */
const valueOf = async (series: string): Promise<number | null> => {
  const lines = (await (await scrape()).text()).split("\n");
  const line = lines.find((text) => text.startsWith(`${series} `));
  return line === undefined ? null : Number(line.slice(series.length + 1));
};

beforeAll(async () => {
  project = await service.createProject();
});

describe("GET /metrics", () => {
  test("is for those who have the token, and tells nobody else anything", async () => {
    const answers = await Promise.all(
      [{}, { authorization: "Bearer wrong" }, { authorization: `Basic ${btoa(`x:${TOKEN}`)}` }].map(scrape),
    );
    const given = await scrape();

    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(await answers[0]!.text()).not.toContain("postrider_request");
    expect([given.status, given.headers.get("content-type")]).toEqual([
      200,
      Registry.PROMETHEUS_CONTENT_TYPE,
    ]);
  });

  test("is closed in production without a token, and says what to set; a worker's is as well", async () => {
    const { METRICS_TOKEN: _, ...config } = { ...service.config, NODE_ENV: "production" as const };
    const request = () => new Request("http://localhost/metrics", { headers: { authorization: "Bearer x" } });
    for (const make of [createApp, createHealthApp]) {
      const answer = await make({ ...service, config }).handle(request());
      const { error } = (await answer.json()) as { error: { code: string; suggestion: string } };

      expect([answer.status, error.code]).toEqual([401, "MISSING_AUTH"]);
      expect(error.suggestion).toContain("Set METRICS_TOKEN");
    }
    const open = createHealthApp({ ...service, config: { ...config, NODE_ENV: "development" } });

    expect((await open.handle(request())).status).toBe(200);
  });

  test("counts requests by area and by status, and not by what stands in their paths", async () => {
    for (const id of [crypto.randomUUID(), crypto.randomUUID()]) {
      await service.request("GET", `/contacts/${id}`, { key: project.secret });
    }
    const text = await (await scrape()).text();

    expect(await valueOf('postrider_area_requests_total{area="/contacts",outcome="refused"}')).toBe(2);
    expect(await valueOf('postrider_area_seconds_total{area="/contacts"}')).toBeGreaterThan(0);
    expect(await valueOf('postrider_requests_total{status="404"}')).toBe(2);
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}.*(area|route)|sk_|pk_/);
  });

  test("tells the queue while jobs wait, and mails by what came of them", async () => {
    service.smtp.behave({ rcpt: (address) => (address.startsWith("gone") ? "550 5.1.1 No" : undefined) });
    const body = {
      to: ["a@x.example", "gone@x.example"],
      from: `hello@${DOMAIN}`,
      subject: "Hello",
      body: "Hello",
    };
    await service.request("POST", "/v1/send", { key: project.secret, body });
    await service.changeJobs({ runAt: new Date(Date.now() - 90_000) }, ({ name }) => name === "send_emails");
    const waiting = await valueOf('postrider_queue_waiting{task="send_emails"}');
    const age = await valueOf('postrider_queue_age_seconds{task="send_emails"}');
    const pending = await valueOf('postrider_mails_open{status="PENDING"}');
    await service.runJobs();

    expect([waiting, pending]).toEqual([1, 2]);
    expect(age).toBeGreaterThan(89);
    expect(await valueOf('postrider_queue_waiting{task="send_emails"}')).toBeNull();
    expect(await valueOf('postrider_mails_open{status="PENDING"}')).toBe(0);
    expect(await valueOf('postrider_mails_total{outcome="SENT"}')).toBe(1);
    expect(await valueOf('postrider_mails_total{outcome="BOUNCED"}')).toBe(1);
    expect(await valueOf('postrider_jobs_total{task="send_emails",outcome="done"}')).toBe(1);
    expect(await valueOf('postrider_job_seconds_total{task="send_emails"}')).toBeGreaterThan(0);
  });

  test("tells the connections, the workers and how far the counters lag behind", async () => {
    await service.pool`
      insert into workers (id, host, pid, seen_at) values (${service.workerId}, 'h', 1, now() - interval '20 seconds')`;
    await service.pool`insert into mail_count_deltas
      select ${project.id}, now(), 'CAMPAIGN', ${project.id}, 1, 0, 0, 0, 0, 0, 0, 0`;
    const silence = await valueOf(`postrider_worker_silence_seconds{worker="${service.workerId}",host="h"}`);
    const deltas = await valueOf('postrider_counter_lag_deltas{counter="mails"}');
    await service.pool`delete from workers`;

    expect(silence).toBeGreaterThan(19);
    expect(deltas).toBeGreaterThan(0);
    expect(await (await scrape()).text()).toMatch(
      /postrider_connections\{pool="postrider[^"]*",state="active"\} [1-9]/,
    );
    expect(await valueOf("postrider_database_up")).toBe(1);
  });

  test("says that the database is away, and the rest all the same", async () => {
    const away = Object.assign(() => Promise.reject(new Error("away")), {
      unsafe: () => Promise.reject(new Error("away")),
    });
    const app = createHealthApp({ ...service, sql: away as never });
    const request = new Request("http://localhost/metrics", {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    const text = await (await app.handle(request)).text();

    expect(text).toContain("postrider_database_up 0");
    expect(text).toContain("postrider_request_seconds_count");
    expect(text).not.toContain("postrider_queue_waiting{");
  });

  test("tells what is known while one question gets no answer, and asks it once however many scrapes come", async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const { promise: locked, resolve: isLocked } = Promise.withResolvers<void>();
    const holder = service.pool.begin(async (sql) => {
      await sql`lock table workers in access exclusive mode`;
      isLocked();
      await held;
    });
    await locked;
    const texts = await Promise.all([1, 2, 3].map(async () => await (await scrape()).text()));
    const asked = await blocked(service.pool, { statement: "from workers" });
    const later = scrape();
    release();
    await holder;
    const after = await (await later).text();

    for (const text of texts) {
      expect(text).toContain("postrider_database_up 0");
      expect(text).toMatch(/postrider_mails_open\{status="PENDING"\} \d/);
      expect(text).not.toContain("postrider_worker_silence_seconds{");
    }
    expect(asked).toHaveLength(1);
    expect(after).toContain("postrider_database_up 1");
  }, 240_000);

  test("tells how many connections the pool has, and what wants one or has one", async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const before = await valueOf("postrider_pool_underway");
    const size = (await valueOf("postrider_pool_size"))!;
    const wanting = Array.from({ length: size + 3 }, () => inTransaction(service, () => held));
    // A scrape finds no connection, and says so all the same.
    const text = await (await scrape()).text();
    release();
    await Promise.all(wanting);
    // Waits for the questions that still were under way.
    await scrape();

    expect([before, size]).toEqual([0, 10]);
    expect(text).toContain(`postrider_pool_underway ${size + 3}`);
    expect(text).toContain("postrider_database_up 0");
    expect(await valueOf("postrider_pool_underway")).toBe(0);
  }, 240_000);
});
