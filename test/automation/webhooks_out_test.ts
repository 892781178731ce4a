// The WEBHOOK step: what is said, how often, and what comes of the answer.
import { describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { webhookSecretsOf } from "../../src/accounts/projects/webhook_secrets.ts";
import { VERSION } from "../../src/version.ts";
import { useService } from "../support/service.ts";
import { type Answering, reply, useHookServers } from "./hook_server.ts";
import { webhookStage } from "./webhook_stage.ts";

const service = useService({ ALLOW_PRIVATE_WEBHOOKS: "true" });
const stage = webhookStage(service);
const { stand, call, ends, callNext, stateOf } = stage;
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
