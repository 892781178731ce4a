// Traces, as a collector receives them over OTLP: a whole story, shared commits, and collectors that are bad neighbours.
import { afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../src/accounts/projects/mod.ts";
import { callEndpoint } from "../src/automation/endpoints/_call.ts";
import type { Config } from "../src/config/mod.ts";
import { traced } from "../src/http/entry/traces.ts";
import { metersOf } from "../src/meters.ts";
import { openHandOff } from "../src/sending/delivery/hand_off.ts";
import { startTelemetry, type Telemetry } from "../src/telemetry/mod.ts";
import { contextNow, inSpan, inTrace } from "../src/tracing.ts";
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from "./support/otlp_receiver.ts";
import { startProcess, until } from "./support/process.ts";
import { DOMAIN, useService } from "./support/service.ts";
import { useSubmission } from "./support/submission.ts";

const [SERVER, CLIENT, CONSUMER] = [2, 3, 5];
const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER = "00f067aa0ba902b7";
const TRACEPARENT = `00-${TRACE_ID}-${CALLER}-01`;

const service = useService({ ALLOW_PRIVATE_WEBHOOKS: "true" });
const submission = useSubmission(service);
let project: NewProject;
let receiver: OtlpReceiver;
let telemetry: Telemetry | null = null;

beforeAll(async () => {
  project = await service.createProject();
});
afterEach(async () => {
  await telemetry?.stop();
  await receiver.stop();
});

type Settings = Partial<Config>;

const begin = async (settings: Settings = {}, answer?: Parameters<typeof startOtlpReceiver>[0]) => {
  receiver = startOtlpReceiver(answer);
  const config = { ...service.config, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...settings };
  telemetry = await startTelemetry({ ...service, config });
};
/** What was recorded so far. Nothing more is recorded then. */
const recorded = async () => {
  await telemetry!.stop();
  return receiver.spans();
};
const call = async (path: string, key: string, body: object, headers: Record<string, string> = {}) =>
  await traced((request: Request) => service.app.handle(request))(
    new Request(`http://localhost${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    }),
  );
const send = async (to: string, headers?: Record<string, string>) => {
  const message = { to, from: `a@${DOMAIN}`, subject: "A secret subject", body: "A secret body" };
  return await call("/v1/send", project.secret, message, headers);
};
const track = async (email: string, headers?: Record<string, string>) =>
  await call("/v1/track", project.public, { email, event: "signed up" }, headers);

const named = (spans: ReceivedSpan[], name: string | RegExp) =>
  spans.filter((span) => (typeof name === "string" ? span.name === name : name.test(span.name)));
const one = (spans: ReceivedSpan[], name: string | RegExp) => {
  const found = named(spans, name);
  expect([String(name), found.length]).toEqual([String(name), 1]);
  return found[0]!;
};
const placeOf = ({ traceId, spanId }: ReceivedSpan) => ({ traceId, spanId });

describe("a traced mail", () => {
  test.each(["http/protobuf", "http/json"] as const)(
    "is followed from the caller to its request, its statements, its job and the mail server (%s)",
    async (protocol) => {
      await begin({
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20token",
        OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
      });
      const requestId = Bun.randomUUIDv7();
      const answer = await send("ada.lovelace@gmail.com", {
        traceparent: TRACEPARENT,
        "x-request-id": requestId,
      });
      await service.runJobs();
      const spans = await recorded();

      const request = one(spans, "POST /v1/send");
      expect([answer.status, request.kind, request.traceId, request.parentSpanId]).toEqual([
        200,
        SERVER,
        TRACE_ID,
        CALLER,
      ]);
      expect(request.attributes).toEqual({
        "http.request.method": "POST",
        "http.response.status_code": 200,
        "http.route": "/v1/send",
        "url.path": "/v1/send",
        "postrider.request.id": requestId,
        "postrider.project.id": project.id,
      });
      const transaction = one(spans, /^transaction$/);
      const insert = one(spans, "emails.insert_many");
      expect([transaction.parentSpanId, insert.parentSpanId, insert.traceId, insert.kind]).toEqual([
        request.spanId,
        transaction.spanId,
        TRACE_ID,
        CLIENT,
      ]);
      expect(insert.attributes).toEqual({
        "db.system.name": "postgresql",
        "db.query.summary": "emails.insert_many",
      });
      const job = one(spans, "job send_emails");
      expect([job.kind, job.parentSpanId, job.links]).toEqual([CONSUMER, "", [placeOf(request)]]);
      const mail = one(spans, "deliver mail");
      expect(mail.links).toEqual([placeOf(request)]);
      expect(mail.attributes).toMatchObject({
        "postrider.email.status": "SENT",
        "postrider.mailbox_provider": "google",
        "postrider.transport.id": "default",
        "postrider.transport.kind": "SMTP",
      });
      expect(JSON.stringify(receiver.exports)).not.toMatch(/lovelace|secret (subject|body)|shop\.example/i);
      expect(receiver.exports[0]!.resource).toMatchObject({
        "service.name": "postrider",
        "deployment.environment.name": "test",
      });
      expect(receiver.requests[0]!.get("authorization")).toBe("Bearer token");
    },
  );

  test("that its own process delivers is linked to its request too; one that bounces is a failure", async () => {
    openHandOff(service);
    service.smtp.behave({ rcpt: () => "550 5.1.1 No such user" });
    await begin();
    await send("nobody@example.com");
    await until("it is delivered", async () => {
      const [row] = await service.pool`select status from emails where address = 'nobody@example.com'`;
      return row?.status === "BOUNCED";
    });
    const spans = await recorded();
    service.smtp.behave({});

    const mail = one(spans, "deliver mail");
    expect(mail.links).toEqual([placeOf(one(spans, "POST /v1/send"))]);
    expect([
      mail.status,
      mail.attributes["error.type"],
      mail.attributes["postrider.mailbox_provider"],
    ]).toEqual([2, "BOUNCED", "other"]);
  });
});

test("a message over SMTP begins a trace that leads to its mail, and a refused one is no failure", async () => {
  const { port } = await submission.listen();
  const message = { from: `a@${DOMAIN}`, subject: "A secret subject", text: "A secret body" };
  await begin();
  await submission.send(port, project.secret, { ...message, to: "grace.hopper@example.com" });
  const elsewhere = { from: "a@elsewhere.example", to: "grace.hopper@example.com" };
  expect(await submission.send(port, project.secret, { ...message, ...elsewhere })).toStartWith("550 ");
  await service.runJobs();
  const spans = await recorded();

  const [taken, other] = named(spans, "SMTP submission");
  expect([taken!.kind, taken!.parentSpanId, taken!.status, other!.status]).toEqual([SERVER, "", 0, 0]);
  expect(taken!.attributes).toEqual({
    "network.protocol.name": "smtp",
    "postrider.project.id": project.id,
    "postrider.message.recipients": 1,
    "postrider.message.bytes": expect.any(Number),
  });
  expect(other!.attributes).toMatchObject({ "postrider.refusal.code": "INTERNAL_SERVER_ERROR" });
  expect(one(spans, "emails.insert_many").traceId).toBe(taken!.traceId);
  expect(one(spans, "deliver mail").links).toEqual([placeOf(taken!)]);
  expect(JSON.stringify(receiver.exports)).not.toMatch(/hopper|secret (subject|body)/i);
});

describe("a commit that several requests share", () => {
  test("is a trace of its own, with links to all of them and back", async () => {
    await begin();
    let shared: ReceivedSpan | undefined;
    // Which requests come together is not ours to say.
    for (let round = 0; shared === undefined; round++) {
      await Promise.all(Array.from({ length: 6 }, (_, n) => track(`r${round}n${n}@example.com`)));
      await until(
        "the collector has them",
        () => named(receiver.spans(), "POST /v1/track").length === 6 * (round + 1),
      );
      shared = named(receiver.spans(), "commit track").find(({ links }) => links.length >= 3);
    }
    const spans = await recorded();

    const { links, traceId, spanId, parentSpanId, attributes } = shared;
    const served = links.map((link) => spans.find((span) => span.spanId === link.spanId)!);
    expect(served.map(({ name }) => name)).toEqual(links.map(() => "POST /v1/track"));
    for (const request of served) expect(request.links).toContainEqual({ traceId, spanId });
    expect([parentSpanId, attributes]).toEqual(["", { "postrider.batch.size": links.length }]);
    expect(served.map((request) => request.traceId)).not.toContain(traceId);
    const within = spans.filter((span) => span.traceId === traceId).map(({ name }) => name);
    expect(within).toContain("tracking.record_many");
  });

  test("of which one request is sampled belongs to its trace, and names no mail of the others", async () => {
    await begin({ OTEL_TRACES_SAMPLER: "parentbased_always_off" });
    // Whoever comes first may have a commit of its own, and on a busy machine a mail may wait apart, without its trace.
    const both = () => [named(receiver.spans(), "commit send"), named(receiver.spans(), "deliver mail")];
    for (let round = 0; both().some((found) => found.length === 0); round++) {
      const others = Array.from({ length: 5 }, (_, n) => send(`r${round}n${n}@example.org`));
      await Promise.all([...others, send(`r${round}@example.org`, { traceparent: TRACEPARENT })]);
      await service.runJobs();
      await until(
        "the collector has it",
        () => named(receiver.spans(), "POST /v1/send").length === round + 1,
      );
    }
    const spans = await recorded();

    const requests = named(spans, "POST /v1/send");
    const commits = named(spans, "commit send");
    const links = named(spans, "deliver mail").map((mail) => mail.links);
    expect(commits.map(({ traceId }) => traceId)).toEqual(commits.map(() => TRACE_ID));
    expect(requests.map(({ spanId }) => spanId)).toEqual(
      expect.arrayContaining(commits.map(({ parentSpanId }) => parentSpanId)),
    );
    expect(links.map((each) => each.length)).toEqual(links.map(() => 1));
    expect(requests.map(placeOf)).toEqual(expect.arrayContaining(links.flat()));
  });
});

describe("sampling", () => {
  test("by a ratio of 0 records nothing but what a caller asks for, and without parents nothing at all", async () => {
    await begin({ OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: 0 });
    await track("a@example.net");
    await track("b@example.net", { traceparent: TRACEPARENT });
    const [asked] = named(await recorded(), "POST /v1/track");
    const count = named(receiver.spans(), "POST /v1/track").length;
    await receiver.stop();
    await begin({ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: 0 });
    await track("c@example.net", { traceparent: TRACEPARENT });

    expect([count, asked!.traceId]).toEqual([1, TRACE_ID]);
    expect(await recorded()).toEqual([]);
  });

  test("by a ratio records about as many traces as it says", async () => {
    await begin({ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: 0.25 });
    for (let n = 0; n < 2_000; n++) await inTrace("one", {}, async () => {});

    // Six standard deviations.
    expect(named(await recorded(), "one").length).toBeWithin(384, 617);
  });

  test("ends with its span: a timer that goes on belongs to nothing", async () => {
    await begin();
    const later = Promise.withResolvers<unknown>();
    await inTrace("work", {}, async () => {
      setTimeout(() => later.resolve(contextNow()), 20);
      expect(contextNow()).toBeDefined();
    });

    expect(await later.promise).toBeUndefined();
  });
});

describe("a webhook", () => {
  test("carries its span to the receiver, and the trace has no more of the address than its host", async () => {
    await begin();
    const got: (string | null)[] = [];
    const hook = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch(request) {
        got.push(request.headers.get("traceparent"));
        return new Response("no", { status: 503 });
      },
    });
    const secrets = { secret: `whsec_${btoa("s".repeat(32))}`, previous: null };
    const url = `http://127.0.0.1:${hook.port}/hooks/a-token?key=another`;
    const ring = async () => await callEndpoint(service, { url, secrets }, { messageId: "m1", body: "{}" });
    await ring();
    await inTrace("job", {}, ring);
    await hook.stop(true);
    const spans = await recorded();

    const called = one(spans, "webhook POST");
    expect(got).toEqual([null, `00-${called.traceId}-${called.spanId}-01`]);
    expect([called.parentSpanId, called.status]).toEqual([one(spans, "job").spanId, 2]);
    expect(called.attributes).toEqual({
      "http.request.method": "POST",
      "server.address": "127.0.0.1",
      "http.response.status_code": 503,
      "error.type": "503",
    });
  });
});

/** Of spans, by what became of them. */
const counts = async () => {
  const { values } = await metersOf(service).spans.get();
  return Object.fromEntries(values.map(({ labels, value }) => [labels.outcome, value]));
};

describe("a collector", () => {
  test("that hangs costs 2,048 spans of memory and a line in the log, and requests do not notice", async () => {
    const before = await counts();
    const { promise: never, resolve } = Promise.withResolvers<Response>();
    await begin({ OTEL_EXPORTER_OTLP_TIMEOUT: 600_000 }, () => never);
    service.lines.length = 0;
    await inTrace("many", {}, async () => {
      for (let n = 0; n < 5_000; n++) await inSpan("part", {}, async () => {});
    });
    const answer = await track("unnoticed@example.com");
    const after = await counts();
    const lines = service.lines.filter(({ message }) => message === "traces not delivered");
    const lost = (outcome: string) => (after[outcome] ?? 0) - (before[outcome] ?? 0);
    resolve(new Response(null));

    expect(answer.status).toBe(200);
    // 5,000 parts and their whole; then a trace that is not begun.
    expect([lost("dropped"), lost("skipped"), lost("failed")]).toEqual([5_001 - 2_048, 1, 0]);
    expect(lines).toHaveLength(1);
  });

  test.each([
    ["is away", undefined, /could not be reached/],
    ["refuses", async () => new Response("no", { status: 401 }), /answered 401/],
    ["sends somebody elsewhere", async () => Response.redirect("http://127.0.0.1:9/"), /answered 302/],
    ["is slow", async () => await new Promise<Response>(() => {}), /did not answer in time/],
  ])("that %s loses spans, which are counted and logged once", async (_, answer, reason) => {
    const before = (await counts()).failed ?? 0;
    await begin({ OTEL_EXPORTER_OTLP_TIMEOUT: 200 }, answer);
    if (answer === undefined) await receiver.stop();
    service.lines.length = 0;
    await inTrace("one", {}, async () => {});
    await telemetry!.stop();
    const lines = service.lines.filter(({ message }) => message === "traces not delivered");

    expect((await counts()).failed! - before).toBe(1);
    expect(lines).toEqual([
      expect.objectContaining({ level: "warn", spans: 1, error: expect.stringMatching(reason) }),
    ]);
  });

  test("that has not taken a full batch yet when tracing ends is waited for", async () => {
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const { promise: taken, resolve: take } = Promise.withResolvers<Response>();
    await begin({}, async () => {
      ask();
      return await taken;
    });
    const before = (await counts()).delivered ?? 0;
    // A batch, to the span: nothing is left for the end.
    await inTrace("whole", {}, async () => {
      for (let n = 1; n < 512; n++) await inSpan("part", {}, async () => {});
    });
    await asked;
    setTimeout(() => take(new Response(null)), 20);
    await telemetry!.stop();

    expect((await counts()).delivered! - before).toBe(512);
  });

  test("that is busy is asked again, and an answer without an end is not read", async () => {
    let asked = 0;
    const { promise: left, resolve } = Promise.withResolvers<string>();
    await begin({}, async () => {
      if (++asked === 1) return new Response(null, { status: 503 });
      const endless = new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
        cancel: () => resolve("hung up"),
      });
      return new Response(endless);
    });
    const before = (await counts()).delivered ?? 0;
    await inTrace("one", {}, async () => {});
    await telemetry!.stop();

    expect(await left).toBe("hung up");
    expect([asked, (await counts()).delivered! - before]).toEqual([2, 1]);
  });
});

describe("the process", () => {
  test("ends on SIGTERM with what it has recorded, and without a collector that hangs", async () => {
    const settings = {
      DATABASE_URL: service.databaseUrl,
      SECRET_KEY: service.config.SECRET_KEY!,
      SMTP_URL: service.smtp.url,
      OTEL_SERVICE_NAME: "mail",
      OTEL_EXPORTER_OTLP_TIMEOUT: "600000",
    };
    let hangs = false;
    const { promise: never, resolve } = Promise.withResolvers<Response>();
    const hanging = startOtlpReceiver(async () => {
      hangs = true;
      return await never;
    });
    receiver = startOtlpReceiver();
    const running = await Promise.all([
      startProcess({ ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url }),
      startProcess({ ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: hanging.url }),
    ]);
    for (const { url } of running) await fetch(`${url}/v1/nothing?token=secret`);
    const codes = await Promise.all(running.map((each) => each.end("SIGTERM")));
    resolve(new Response(null));
    await hanging.stop();

    expect([codes, hangs]).toEqual([[0, 0], true]);
    expect(receiver.exports[0]!.resource["service.name"]).toBe("mail");
    expect(named(receiver.spans(), "GET")[0]!.attributes["http.response.status_code"]).toBe(404);
    expect(JSON.stringify(receiver.exports)).not.toContain("secret");
  });

  test("loads no package of it unless it is asked for", async () => {
    const program = (endpoint: string) => `
      const { loadConfig } = await import("./src/config/mod.ts");
      await import("./src/http/mod.ts");
      await import("./src/worker/mod.ts");
      const { startTelemetry } = await import("./src/telemetry/mod.ts");
      await startTelemetry({ config: loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: "${endpoint}" }), pool: {} });
      console.log(Object.keys(require.cache).filter((file) => /@opentelemetry\\/(sdk|otlp|core|resources)/.test(file)).length);
    `;
    const loaded = async (endpoint: string) => {
      const child = Bun.spawn([process.execPath, "-e", program(endpoint)], { cwd: `${import.meta.dir}/..` });
      return Number(await new Response(child.stdout).text());
    };

    expect(await loaded("")).toBe(0);
    expect(await loaded("http://127.0.0.1:9")).toBeGreaterThan(0);
  });
});
