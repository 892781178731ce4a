// The WEBHOOK step: a call that fails.
import { describe, expect, test } from "bun:test";
import type { Context } from "../../src/context.ts";
import { useService } from "../support/service.ts";
import { type Answering, redirect, reply, useHookServers } from "./hook_server.ts";
import { webhookStage } from "./webhook_stage.ts";

const service = useService({ ALLOW_PRIVATE_WEBHOOKS: "true" });
const stage = webhookStage(service);
const { stand, call, ends, queued, callNext, stateOf } = stage;
const serve = useHookServers();

const urlOf = ({ port }: { port: number }) => `http://127.0.0.1:${port}/hook`;

/** Answers one request after the other; the last answer stays. */
const inTurn = (...answers: Answering[]): Answering => {
  let count = 0;
  return (socket, heard) => answers[Math.min(count++, answers.length - 1)]!(socket, heard);
};

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
