// The WEBHOOK step: what is said, how often, and what comes of the answer.
import { afterEach, describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { rotateWebhookSecret, webhookSecretsOf } from "../../src/accounts/projects/webhook_secrets.ts";
import { enqueueWebhook } from "../../src/automation/webhooks/mod.ts";
import type { Context } from "../../src/context.ts";
import { addJobs } from "../../src/jobs.ts";
import { VERSION } from "../../src/version.ts";
import { DOMAIN, useService } from "../support/service.ts";
import { type ServiceProcess, startProcess, until } from "../support/process.ts";
import { workflowsOf } from "../support/workflows.ts";
import { type Answering, redirect, reply, useHookServers } from "./hook_server.ts";
import { webhookStage } from "./webhook_stage.ts";

const service = useService({ ALLOW_PRIVATE_WEBHOOKS: "true" });
const stage = webhookStage(service);
const { stand, call, ends, queued, callNext, stateOf } = stage;
const serve = useHookServers();

const urlOf = ({ port }: { port: number }) => `http://127.0.0.1:${port}/hook`;
const secretOf = async () => (await webhookSecretsOf(service, stage.project.id))!.secret;

/** Answers one request after the other; the last answer stays. */
const inTurn = (...answers: Answering[]): Answering => {
  let count = 0;
  return (socket, heard) => answers[Math.min(count++, answers.length - 1)]!(socket, heard);
};

describe("what a webhook says", () => {
  test("is the contact, the workflow, the execution and the event, signed", async () => {
    const server = await serve(reply(204));
    const job = await stand(
      { url: urlOf(server) },
      { data: { plan: "pro", first_name: "Zoë" }, context: { event: { total: 5 }, ref: "r" } },
    );
    await call(job);
    const [{ method, path, headers, body }] = server.heard as [(typeof server.heard)[0]];
    const state = await stateOf(job);
    const said = JSON.parse(body);

    expect([method, path]).toEqual(["POST", "/hook"]);
    expect(said).toEqual({
      contact: {
        id: expect.any(String),
        email: "ada@example.com",
        subscribed: true,
        data: { plan: "pro", first_name: "Zoë" },
      },
      workflow: { id: expect.any(String), name: "Welcome" },
      execution: { id: job.executionId, startedAt: expect.stringMatching(/^\d{4}-.*Z$/) },
      event: { total: 5 },
    });
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "user-agent": `Postrider/${VERSION}`,
      "webhook-id": job.stepExecutionId,
      host: `127.0.0.1:${server.port}`,
    });
    expect(new Webhook(await secretOf()).verify(body, headers)).toEqual(said);
    expect(state).toMatchObject({ status: "COMPLETED", step: "COMPLETED" });
  });

  test("has no event where none started it", async () => {
    const server = await serve(reply(200));
    await call(await stand({ url: urlOf(server) }));

    expect(JSON.parse(server.heard[0]!.body)).toHaveProperty("event", null);
  });

  test("is signed so that a changed one is noticed", async () => {
    const server = await serve(reply(200));
    await call(await stand({ url: urlOf(server) }));
    const { headers, body } = server.heard[0]!;
    const webhook = new Webhook(await secretOf());

    expect(() => webhook.verify(`${body} `, headers)).toThrow("No matching signature");
    expect(() => webhook.verify(body, { ...headers, "webhook-id": "other" })).toThrow(
      "No matching signature",
    );
  });

  test.each(["GET", "DELETE"])("has no body when it is a %s, and is signed all the same", async (method) => {
    const server = await serve(reply(200));
    await call(await stand({ url: urlOf(server), method, body: { a: 1 } }));
    const { headers, body, method: heard } = server.heard[0]!;

    expect([heard, body, headers["content-type"]]).toEqual([method, "", undefined as never]);
    expect(new Webhook(await secretOf()).verify("", headers)).toBeUndefined();
  });

  const data = {
    name: 'Ada "Countess" /\\ ../?a=b&c#d é',
    break: "one\r\nX-Injected: yes\nthree",
    age: 36,
    tags: ["x", "y"],
    dots: "..",
    blank: "",
    callback: "deep/path?x=1",
    slash: "a/b?c=d#e",
    "o'clock": "a/b?c=d#e",
    bent: ".\t.",
    long: "x".repeat(9_000),
  };

  test.each([
    ["/u/{{email}}", "/u/ada%40example.com"],
    ["/?n={{name}}&e={{contact.email}}", `/?n=${encodeURIComponent(data.name)}&e=ada%40example.com`],
    ["/{{data.age}}/{{event.total}}/{{tags}}", "/36/5/x%2Cy"],
    ["/{{#if age}}old/{{else}}new/{{/if}}{{blank ?? no thing}}", "/old/no%20thing"],
    ["/{{#each tags}}{{this}}/{{/each}}", "/x/y/"],
    ["/{{{callback}}}", "/deep/path?x=1"],
    ["/{{upper blank}}{{! no word }}{{workflow.name}}", "/Welcome"],
    ["/v1..2/{{execution.id}}/...", "/v1..2/ID/..."],
    ["/{{data.[o'clock]}}/{{[o'clock]}}", "/a%2Fb%3Fc%3Dd%23e/a%2Fb%3Fc%3Dd%23e"],
    ["/{{#with data}}{{slash}}{{/with}}/{{~slash~}}", "/a%2Fb%3Fc%3Dd%23e/a%2Fb%3Fc%3Dd%23e"],
    ["/{{&callback}}", "/deep/path?x=1"],
    ["/{{bent}}/x", "/.%09./x"],
  ])("can be said at a URL with values, which stay values: %s", async (path, expected) => {
    const server = await serve(reply(200));
    const job = await stand(
      { url: `http://127.0.0.1:${server.port}${path}` },
      { data, context: { event: { total: 5 } } },
    );
    await call(job);

    expect(server.heard[0]!.path).toBe(expected.replace("ID", job.executionId));
  });

  test.each([
    "/users/{{dots}}/secrets",
    "/{{{dots}}}",
    "/a/%2e{{blank}}%2E/b",
    "/a/{{{bent}}}/b",

    "/a/{{{dots}}}\t/b",
  ])("is not said where a value leads out of the path: %s", async (path) => {
    const server = await serve(reply(200));
    await call(await stand({ url: `http://127.0.0.1:${server.port}${path}` }, { data }));

    expect(server.connections).toBe(0);
    expect(ends[0]).toMatchObject({ ok: false, error: expect.stringContaining('is "." or ".."') });
  });

  test("has the author's headers on one line each, and never our own by his hand", async () => {
    const server = await serve(reply(200));
    const headers = {
      "X-Name": "{{name}}",
      "X-Break": "{{break}}",
      "User-Agent": "Own/1",
      "Webhook-Id": "forged",
    };
    const job = await stand({ url: urlOf(server), headers }, { data });
    await call(job);
    const { headers: heard } = server.heard[0]!;

    expect(heard).toMatchObject({
      "x-break": "one X-Injected: yes three",
      "user-agent": "Own/1",
      "webhook-id": job.stepExecutionId,
    });
    expect(Buffer.from(heard["x-name"]!, "latin1").toString()).toBe(data.name);
    expect(heard).not.toHaveProperty("x-injected");
  });

  test.each([
    [
      "an object",
      { n: "{{name}}", deep: [{ age: "{{age}}" }, 1, null, true] },
      { n: data.name, deep: [{ age: "36" }, 1, null, true] },
      "application/json",
    ],
    [
      "JSON as text",
      '{"n": "{{name}}", "b": ["{{break}}"]}',
      { n: data.name, b: [data.break] },
      "application/json",
    ],
    ["JSON by its values", '{"age": {{age}}}', { age: 36 }, "application/json"],
  ])("is %s where the author says so", async (_, given, expected, type) => {
    const server = await serve(reply(200));
    await call(await stand({ url: urlOf(server), body: given }, { data }));
    const { body, headers } = server.heard[0]!;

    expect(JSON.parse(body)).toEqual(expected);
    expect(headers["content-type"]).toBe(type);
    expect(new Webhook(await secretOf()).verify(body, headers)).toEqual(expected);
  });

  test("is text where it is no JSON, and of the type that the author gives it", async () => {
    const server = await serve(reply(200));
    await call(await stand({ url: urlOf(server), body: "Hello {{age}} ü" }, { data }));
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    await call(await stand({ url: urlOf(server), headers, body: "age={{age}}" }, { data }));

    expect(server.heard.map(({ body, headers: { "content-type": type } }) => [body, type])).toEqual([
      ["Hello 36 ü", "text/plain; charset=utf-8"],
      ["age=36", "application/x-www-form-urlencoded"],
    ]);
  });

  test.each([
    ["its URL", { url: "/{{long}}" }, "its URL has more than 8,192 characters"],
    [
      "its headers",
      { headers: { a: "{{long}}{{long}}", b: "{{long}}{{long}}" } },
      "its headers are too large",
    ],
    [
      "its texts",
      { body: Array(800).fill("{{#each many}}{{#if no}}{{/if}}{{/each}}") },
      "its texts take too much work",
    ],
  ])("is not said where it would be too much: %s", async (_, config, reason) => {
    const server = await serve(reply(200));
    const given = { ...config, url: urlOf(server) + ("url" in config ? config.url : "") };
    const context = { many: Array(10_000).fill(0) };
    await call(await stand(given, { data, context }));

    expect(server.connections).toBe(0);
    expect(ends[0]!.error).toEndWith(` cannot be called: ${reason}.`);
    expect(ends[0]!.error!.length).toBeLessThan(500);
  });

  test("is not said when it is too large", async () => {
    const server = await serve(reply(200));
    const body = Array(50).fill("{{#each long}}{{@root.text}}{{/each}}");
    const long = { long: Array(100).fill(1), text: "a".repeat(1_000) };
    await call(await stand({ url: urlOf(server), body }, { data: long }));

    expect(server.connections).toBe(0);
    expect(ends[0]).toMatchObject({ ok: false, error: expect.stringContaining("1,000,000 characters") });
  });
});

describe("an answer", () => {
  const answered = async (answer: Answering) => {
    const server = await serve(answer);
    const job = await stand({ url: urlOf(server) });
    await call(job);
    return { job, server, state: await stateOf(job) };
  };
  const json = { "Content-Type": "application/json; charset=utf-8" };

  test("is kept with the step, with the few headers that help", async () => {
    const headers = { ...json, "Set-Cookie": "a=b", "X-Request-Id": "r1" };
    const { state } = await answered(reply(201, '{"id": 7, "first_name": ["x"]}', headers));

    expect(state.output).toEqual({
      method: "POST",
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/hook$/),
      attempts: [{ at: expect.any(String), ms: expect.any(Number), status: 201 }],
      response: {
        status: 201,
        headers: { "content-type": json["Content-Type"], "x-request-id": "r1" },
        body: { id: 7, first_name: ["x"] },
      },
    });
  });

  test.each([
    ["text", {}, "fine", "fine"],
    ["no JSON, though it says so", json, "{oops", "{oops"],
    ["NUL in text", {}, "a\0b", "a\uFFFDb"],
    [
      "NUL and half a character in JSON",
      json,
      '{"a\\u0000":"\\ud800 \\u0000"}',
      { "a\uFFFD": "\uFFFD \uFFFD" },
    ],
    ["a key of JavaScript's own", json, '{"__proto__": {"a": 1}}', JSON.parse('{"__proto__": {"a": 1}}')],
    ["a number too large", json, '{"n": 1e999}', { n: null }],
    ["deep JSON", json, "[".repeat(5_000) + "]".repeat(5_000), "[".repeat(5_000) + "]".repeat(5_000)],
    ["no letters at all", {}, "\uFFFD", "\uFFFD"],
    ["nothing", json, "", ""],
  ] as const)("of any kind can be kept: %s", async (_, headers, body, expected) => {
    const { state } = await answered(reply(200, body, headers));

    expect(state.step).toBe("COMPLETED");
    expect(state.output.response.body).toEqual(expected);
  });

  test("of 10 MB is kept up to 64 KB", async () => {
    const { state } = await answered(reply(200, `"${"a".repeat(10_000_000)}"`, json));

    expect(state.output.response).toMatchObject({ status: 200, truncated: true });
    expect(state.output.response.body).toHaveLength(65_536);
  });

  test("that ends in the middle is none: it is asked for again", async () => {
    const dies: Answering = (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhal");
    const { job, server } = await answered(inTurn(dies, reply(200, "whole")));
    await callNext();
    const { output, step } = await stateOf(job);

    expect(step).toBe("COMPLETED");
    expect(output.attempts).toMatchObject([
      { error: expect.stringContaining("in the middle") },
      { status: 200 },
    ]);
    expect(server.heard.map(({ headers }) => headers["webhook-id"])).toEqual(
      Array(2).fill(job.stepExecutionId),
    );
  });
});

describe("a webhook that fails", () => {
  test("with 500 and then goes well has gone well", async () => {
    const server = await serve(inTurn(reply(500, "sorry"), reply(200, "fine")));
    const job = await stand({ url: urlOf(server) });
    const before = service.now();
    await call(job);
    const between = await stateOf(job);
    const { runAt } = await callNext();
    const after = await stateOf(job);

    expect(between).toMatchObject({ status: "WAITING", step: "RUNNING", wakeAt: runAt });
    expect(between.output).toMatchObject({
      attempts: [{ status: 500 }],
      nextAttemptAt: runAt.toISOString(),
      response: { status: 500, body: "sorry" },
    });
    expect((runAt.getTime() - before.getTime()) / 1000).toBeWithin(5, 10);
    expect(after).toMatchObject({ status: "COMPLETED", step: "COMPLETED" });
    expect(after.output.attempts).toMatchObject([{ status: 500 }, { status: 200 }]);
    expect(after.output).not.toHaveProperty("nextAttemptAt");
    expect(ends).toHaveLength(1);
    expect(await queued()).toEqual([]);
  });

  test("is tried five times more, with growing pauses, and then fails with a reason", async () => {
    const server = await serve(reply(503, "busy"));
    const job = await stand({ url: `${urlOf(server)}?key=secret` });
    await call(job);
    const pauses: number[] = [];
    while ((await queued()).length > 0) {
      const before = service.now().getTime();
      const { runAt } = await callNext();
      pauses.push((runAt.getTime() - before) / 1000);
    }
    const { status, step, output } = await stateOf(job);

    for (const [i, least] of [5, 30, 120, 600, 3600].entries()) {
      expect(pauses[i]!).toBeWithin(least - 2, least * 1.21);
    }
    expect(server.heard).toHaveLength(6);
    expect(new Set(server.heard.map(({ headers }) => headers["webhook-id"]))).toEqual(
      new Set([job.stepExecutionId]),
    );
    expect([status, step]).toEqual(["FAILED", "FAILED"]);
    expect(output.attempts).toHaveLength(6);
    expect(ends[0]!.error).toBe(
      `The webhook POST ${urlOf(server)} was called 6 times without success. The last time: it answered 503.`,
    );
  });

  test("is signed for the time of each attempt", async () => {
    const server = await serve(inTurn(reply(500), reply(200)));
    await call(await stand({ url: urlOf(server) }));
    await callNext();
    const [first, second] = server.heard.map(({ headers }) => headers["webhook-timestamp"]);

    expect(Number(second) - Number(first)).toBeWithin(5, 10);
  });

  test.each([
    ["1800", 1_800, 2_161],
    ["1", 5, 7],
    ["999999", 3_600, 4_321],
    [() => new Date(service.now().getTime() + 600_000).toUTCString(), 597, 721],
    ["soon", 5, 7],
  ] as const)("waits as long as it is asked to, an hour at most: %p", async (given, least, most) => {
    const value = typeof given === "string" ? given : given();
    const server = await serve(reply(429, "", { "Retry-After": value }));
    const before = service.now();
    await call(await stand({ url: urlOf(server) }));
    const [next] = await queued();

    expect((next!.runAt.getTime() - before.getTime()) / 1000).toBeWithin(least, most);
  });

  test.each([
    ["nobody there", "http://127.0.0.1:1/", "it refused the connection"],
    ["no such name", "http://hook.invalid/", "hook.invalid could not be looked up"],
  ])("because there is %s is tried again", async (_, url, error) => {
    const job = await stand({ url });
    await call(job);

    expect((await stateOf(job)).output).toMatchObject({ attempts: [{ error }], response: null });
    expect(await queued()).toHaveLength(1);
  });

  test.each([
    ["http://127.0.0.1/", "127.0.0.1 is a private address"],
    ["http://localhost:3000/", "localhost leads to a private address"],
    ["http://169.254.169.254/latest/", "169.254.169.254 is a private address"],
    ["http://ada:secret@hook.example/", "a URL must not contain a user name or password"],
    ["http://[", '"http://[" is not a URL'],
    ["gopher://hook.example/", "gopher://… is neither http:// nor https://"],
  ])("because it must not be called has failed at once: %s", async (url, reason) => {
    const guarded: Context = { ...service, config: { ...service.config, ALLOW_PRIVATE_WEBHOOKS: false } };
    const job = await stand({ url });
    await call(job, guarded);
    const { status, output } = await stateOf(job);

    expect(status).toBe("FAILED");
    expect(ends[0]!.error).toEndWith(` cannot be called: ${reason}.`);
    expect(ends[0]!.error).not.toContain("secret@");
    expect(output.attempts).toMatchObject([{ error: reason }]);
    expect(await queued()).toEqual([]);
  });

  test("by leading to the metadata of a cloud has failed at once, in a closed network, too", async () => {
    const server = await serve(redirect(307, "http://169.254.169.254/latest/meta-data/"));
    const job = await stand({ url: urlOf(server) });
    await call(job);

    expect((await stateOf(job)).status).toBe("FAILED");
    expect(ends[0]!.error).toContain("169.254.169.254 is a private address");
  });

  test("by leading into the network tells the operator more than its author", async () => {
    const guarded: Context = { ...service, config: { ...service.config, ALLOW_PRIVATE_WEBHOOKS: false } };
    const job = await stand({ url: "http://localhost:3000/" });
    await call(job, guarded);
    const told = JSON.stringify([ends, await stateOf(job)]);

    expect(told).not.toMatch(/127\.0|loopback|ALLOW_/);
    expect(service.lines.findLast(({ message }) => message === "a webhook must not be called")).toMatchObject(
      {
        stepExecutionId: job.stepExecutionId,
        host: "localhost",
        address: "127.0.0.1",
        reason: "a loopback address (see ALLOW_PRIVATE_WEBHOOKS)",
      },
    );
  });

  test("by leading in circles is tried again", async () => {
    const server = await serve(redirect(302, "/hook"));
    const job = await stand({ url: urlOf(server) });
    await call(job);

    expect(server.heard).toHaveLength(4);
    expect((await stateOf(job)).output.attempts).toMatchObject([{ error: "it redirects more than 3 times" }]);
    expect(await queued()).toHaveLength(1);
  });
});

describe("a call", () => {
  test("is not made for an execution that was cancelled, nor for a step that has ended", async () => {
    const server = await serve(reply(200));
    const cancelled = await stand({ url: urlOf(server) });
    await service.pool`update executions set status = 'CANCELLED' where id = ${cancelled.executionId}`;
    const ended = await stand({ url: urlOf(server) });
    await service.pool`update step_executions set status = 'COMPLETED' where id = ${ended.stepExecutionId}`;
    await call(cancelled);
    await call(ended);
    await call({ ...ended, stepExecutionId: Bun.randomUUIDv7() });

    expect(server.connections).toBe(0);
    expect(await queued()).toEqual([]);
  });

  test("of an execution that is cancelled meanwhile is not followed by another one", async () => {
    const server = await serve(async (socket, heard) => {
      await service.pool`update executions set status = 'CANCELLED' where id = ${job.executionId}`;
      void reply(500)(socket, heard);
    });
    const job = await stand({ url: urlOf(server) });
    await call(job);

    expect(server.heard).toHaveLength(1);
    expect(await queued()).toEqual([]);
    expect(await stateOf(job)).toMatchObject({ status: "CANCELLED", output: null });
  });

  test("that was answered before the process died is made again, with the same id", async () => {
    const server = await serve(reply(200));
    const job = await stand({ url: urlOf(server) });
    const dies = () => Promise.reject(new Error("killed"));
    await expect(call(job, service, dies)).rejects.toThrow("killed");
    const between = await stateOf(job);
    await call(job);

    expect(between).toMatchObject({ status: "WAITING", step: "RUNNING" });
    expect(server.heard.map(({ headers }) => headers["webhook-id"])).toEqual(
      Array(2).fill(job.stepExecutionId),
    );
    expect((await stateOf(job)).status).toBe("COMPLETED");
    expect(ends).toHaveLength(1);
  });

  test("that two processes make at once is noted once, and tried again once", async () => {
    const server = await serve(async (socket, heard) => {
      await until("both are there", () => server.heard.length === 2);
      void reply(500)(socket, heard);
    });
    const job = await stand({ url: urlOf(server) });
    await Promise.all([call(job), call(job)]);

    expect((await stateOf(job)).output.attempts).toHaveLength(1);
    expect(await queued()).toHaveLength(1);
  });

  test("that a frozen process ends long after others went on does not turn them back", async () => {
    let thaw = () => {};
    const frozen = new Promise<void>((resolve) => (thaw = resolve));
    const server = await serve(async (socket, heard) => {
      if (server.heard.length === 1) await frozen;
      void reply(500)(socket, heard);
    });
    const job = await stand({ url: urlOf(server) });
    const first = call(job);
    await until("the first is there", () => server.heard.length === 1);
    await call(job);
    await callNext();
    const [due] = await queued();
    thaw();
    await first;

    expect((await stateOf(job)).output.attempts).toHaveLength(2);
    expect(await queued()).toEqual([due!]);
  });

  test("that comes too early is sent back to its time", async () => {
    const server = await serve(reply(500));
    const job = await stand({ url: urlOf(server) });
    await call(job);
    const [due] = await queued();
    await call(job);

    expect(server.heard).toHaveLength(1);
    expect((await queued()).map(({ runAt }) => runAt)).toEqual([due!.runAt]);
  });

  test("that waits already is not enqueued again, and keeps its time", async () => {
    const server = await serve(reply(500));
    const job = await stand({ url: urlOf(server) });
    await enqueueWebhook(service, job);
    const first = await queued();
    await call(job);
    const [due] = await queued();
    await enqueueWebhook(service, job);

    expect(first).toMatchObject([{ payload: job }]);
    expect(await queued()).toEqual([due!]);
  });

  test("waits while the project is disabled", async () => {
    const server = await serve(reply(200));
    const job = await stand({ url: urlOf(server) });
    await service.pool`update projects set disabled_at = now() where id = ${job.projectId}`;
    await call(job);
    const held = server.connections;
    await service.pool`update projects set disabled_at = null where id = ${job.projectId}`;
    await callNext();

    expect([held, server.heard.length]).toEqual([0, 1]);
    expect((await stateOf(job)).status).toBe("COMPLETED");
  });

  test("holds no transaction open while it waits for its answer", async () => {
    let open: readonly unknown[] | undefined;
    const server = await serve(async (socket, heard) => {
      open = await service.pool`
        select query from pg_stat_activity
        where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()`;
      void reply(200)(socket, heard);
    });
    await call(await stand({ url: urlOf(server) }));

    expect(open).toHaveLength(0);
  });
});

describe("many calls", () => {
  /** A server that answers when it is told to. */
  const serveLate = async () => {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    const server = await serve(async (socket, heard) => {
      await promise;
      void reply(200)(socket, heard);
    });
    return { server, release };
  };
  const standMany = (count: number, url: string) =>
    Promise.all(Array.from({ length: count }, (_, i) => stand({ url }, { email: `c${i}@example.com` })));

  test("to one slow server leave places to others, and are made one after the other", async () => {
    const { server: slow, release } = await serveLate();
    const quick = await serve(reply(200));
    const each = service.mailer.connections / 2;
    const jobs = await standMany(each * 6, urlOf(slow));
    let done = 0;
    const calls = jobs.map((job) => call(job).then(() => (done += 1)));
    await until("those beyond the places are in the queue", async () => (await queued()).length === each * 5);
    await until("their jobs are done", () => done === each * 5);
    await until("its places are taken", () => slow.heard.length === each);
    const other = await service.createProject();
    const elsewhere = await stand({ url: urlOf(quick) }, { projectId: other.id });
    await call(elsewhere);
    const { status } = await stateOf(elsewhere);
    const waiting = await queued();
    release();
    await Promise.all(calls);

    expect(status).toBe("COMPLETED");
    // Should this process die, somebody comes back for them.
    for (const { runAt } of waiting)
      expect(runAt.getTime() - service.now().getTime()).toBeWithin(50_000, 73_000);
    expect(slow.most).toBe(each);
    expect(slow.heard).toHaveLength(jobs.length);
    expect(ends).toHaveLength(jobs.length + 1);
    expect(await queued()).toEqual([]);
  });

  test("that are aside for long stay aside when their job comes back", async () => {
    const { server: slow, release } = await serveLate();
    const each = service.mailer.connections / 2;
    const jobs = await standMany(each + 2, urlOf(slow));
    const calls = jobs.map((job) => call(job));
    await until("two are aside", async () => (await queued()).length === 2);
    const before = await queued();
    await callNext();
    const after = await queued();
    release();
    await Promise.all(calls);

    expect(after.map(({ payload }) => payload.stepExecutionId).sort()).toEqual(
      before.map(({ payload }) => payload.stepExecutionId).sort(),
    );
    expect(after.at(-1)!.runAt.getTime()).toBeGreaterThan(before.at(-1)!.runAt.getTime());
    expect(slow.heard).toHaveLength(jobs.length);
    expect(ends).toHaveLength(jobs.length);
  });

  test("that were put aside by a process that died are made by another one", async () => {
    const { server: slow, release } = await serveLate();
    const each = service.mailer.connections / 2;
    const jobs = await standMany(each + 1, urlOf(slow));
    const dying = { ...service, pool: new Proxy(service.pool, {}) };
    const died = jobs.map((job) =>
      call(job, { ...dying, sql: dying.pool }, () => Promise.reject(new Error("killed"))),
    );
    await until("one is aside", async () => (await queued()).length === 1);
    release();
    await Promise.allSettled(died);
    const { payload } = await callNext();

    expect(await stateOf(payload)).toMatchObject({ status: "COMPLETED" });
    expect(ends).toHaveLength(1);
  });

  test("that fail one by one do not lose those that wait", async () => {
    const { server: slow, release } = await serveLate();
    const each = service.mailer.connections / 2;
    const jobs = await standMany(each * 3, urlOf(slow));
    let count = 0;
    const calls = jobs.map((job) =>
      call(job, service, async (tx, end) => {
        if ((count += 1) % 3 === 0) throw new Error("away");
        await stage.finishStep(tx, end);
      }),
    );
    await until("those beyond the places are in the queue", async () => (await queued()).length === each * 2);
    release();
    const outcomes = await Promise.allSettled(calls);
    // Those that failed themselves are tried again by the queue; those that were aside have their job.
    for (const [i, { status }] of outcomes.entries()) if (status === "rejected") await call(jobs[i]!);
    for (let i = 0; (await queued()).length > 0 && i < 1_000; i++) await callNext();
    const states = await Promise.all(jobs.map(async (job) => (await stateOf(job)).status));

    expect(new Set(states)).toEqual(new Set(["COMPLETED"]));
    expect(ends).toHaveLength(jobs.length);
  });
});

describe("a worker", () => {
  let worker: ServiceProcess | undefined;
  afterEach(async () => {
    await worker?.end("SIGKILL");
  });

  test("whose webhooks all hang still sends mail, and calls those of others", async () => {
    const hanging = await serve(() => {});
    const quick = await serve(reply(200));
    for (let i = 0; i < 40; i++) {
      const job = await stand({ url: urlOf(hanging) }, { email: `c${i}@example.com` });
      await addJobs(service, "call_webhook", [job]);
    }
    // A lane of ten jobs, of which five may be calls, and three those of one project.
    worker = await startProcess({
      DATABASE_URL: service.databaseUrl,
      SECRET_KEY: service.config.SECRET_KEY,
      MODE: "worker",
      ALLOW_PRIVATE_WEBHOOKS: "true",
      SMTP_URL: `${service.smtp.url}?maxConnections=5`,
    });
    await until("calls that hang", () => hanging.heard.length >= 3);
    const other = await service.createProject();
    await addJobs(service, "call_webhook", [await stand({ url: urlOf(quick) }, { projectId: other.id })]);
    await service.request("POST", "/v1/send", {
      key: stage.project.secret,
      body: { to: "grace@example.com", from: `a@${DOMAIN}`, subject: "s", body: "b" },
    });
    await service.smtp.waitFor(1);
    await until("the other call", () => quick.heard.length === 1);

    // It would have been ten, had the others not been put aside.
    expect(hanging.most).toBe(3);
  });
});

describe("in a workflow", () => {
  const { build, track, history, call: api } = workflowsOf(service, () => stage.project);

  /** A webhook, and a note that it went well; started by an event. */
  const start = async (config: object) => {
    const { id } = await build({
      steps: {
        Tell: { type: "WEBHOOK", ...config },
        Note: { type: "UPDATE_CONTACT", updates: { told: "yes" } },
      },
      ways: ["Trigger > Tell", "Tell > Note"],
    });
    await track("grace@example.com", "signup", { plan: "pro" });
    await service.runJobs();
    return id;
  };

  /** Moves the clock to the next attempt, and does what is due. */
  const retry = async () => {
    const [next] = await queued();
    service.setNow(next!.runAt);
    await service.runJobs();
  };

  test("it is tried until it goes well, and then the execution goes on", async () => {
    const server = await serve(inTurn(reply(500), reply(200, "fine")));
    const id = await start({ url: `${urlOf(server)}/{{event.plan}}`, body: { plan: "{{event.plan}}" } });
    const between = await history(id);
    await retry();
    const { status, steps } = await history(id);
    const { body } = await api("GET", "/contacts?search=grace");

    expect(between).toMatchObject({
      status: "WAITING",
      steps: [{}, { step: "Tell", status: "RUNNING", output: { attempts: [{ status: 500 }] } }],
    });
    expect(server.heard.map((heard) => [heard.path, heard.body])).toEqual(
      Array(2).fill(["/hook/pro", '{"plan":"pro"}']),
    );
    expect([status, steps.map(({ step }) => step)]).toEqual(["COMPLETED", ["Trigger", "Tell", "Note"]]);
    expect(steps[1]).toMatchObject({
      status: "COMPLETED",
      output: { attempts: [{ status: 500 }, { status: 200 }], response: { body: "fine" } },
    });
    expect(body.data[0].data).toHaveProperty("told", "yes");
  });

  test("the execution fails with the reason when it never goes well, and nothing comes after it", async () => {
    const server = await serve(reply(404));
    const id = await start({ url: urlOf(server) });
    for (let i = 0; i < 5; i++) await retry();
    const { status, exitReason, steps } = await history(id);

    expect(server.heard).toHaveLength(6);
    expect(status).toBe("FAILED");
    expect(exitReason).toBe(
      `The webhook POST ${urlOf(server)} was called 6 times without success. The last time: it answered 404.`,
    );
    expect(steps.map(({ step }) => step)).toEqual(["Trigger", "Tell"]);
  });

  test("one that is cancelled while its webhook is being called stays cancelled", async () => {
    const server = await serve(async (socket, heard) => {
      await api("POST", `/workflows/${id}/executions/cancel-all`);
      void reply(200)(socket, heard);
    });
    let id = "";
    ({ id } = await build({
      steps: { Tell: { type: "WEBHOOK", url: urlOf(server) }, End: { type: "EXIT" } },
      ways: ["Trigger > Tell", "Tell > End"],
    }));
    await track("grace@example.com");
    await service.runJobs();

    expect(server.heard).toHaveLength(1);
    expect(await history(id)).toMatchObject({ status: "CANCELLED" });
    expect(await queued()).toEqual([]);
  });
});

describe("the secret", () => {
  test("signs with the old one, too, for a day after it was replaced", async () => {
    const server = await serve(reply(200));
    const old = await secretOf();
    const { secret } = await rotateWebhookSecret(service, stage.project.id);
    await call(await stand({ url: urlOf(server) }));
    service.setNow(new Date(Date.now() + 25 * 3_600_000));
    await call(await stand({ url: urlOf(server) }));
    const [during, after] = server.heard;
    const { length } = after!.headers["webhook-signature"]!.split(" ");

    expect(secret).not.toBe(old);
    for (const key of [secret, old]) new Webhook(key).verify(during!.body, during!.headers);
    expect(length).toBe(1);
  });

  test("that does not open makes the attempt fail, so that nothing goes out unsigned", async () => {
    const server = await serve(reply(200));
    await secretOf();
    const job = await stand({ url: urlOf(server) });
    const SECRET_KEY = "another secret, of another installation";
    const { pool } = service;
    const stranger = { ...service, pool: new Proxy(pool, {}), config: { ...service.config, SECRET_KEY } };
    await call(job, { ...stranger, sql: stranger.pool });

    expect(server.connections).toBe(0);
    expect((await stateOf(job)).output.attempts).toMatchObject([
      { error: "it could not be signed, because the project's webhook secret cannot be decrypted" },
    ]);
    expect(service.lines.at(-1)).toMatchObject({ level: "error", projectId: stage.project.id });
    expect(await queued()).toHaveLength(1);
  });
});
