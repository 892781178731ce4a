// The WEBHOOK step in a workflow, and the secret that signs what it says.
import { describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { rotateWebhookSecret, webhookSecretsOf } from "../../src/accounts/projects/webhook_secrets.ts";
import { useService } from "../support/service.ts";
import { workflowsOf } from "../support/workflows.ts";
import { type Answering, reply, useHookServers } from "./hook_server.ts";
import { webhookStage } from "./webhook_stage.ts";

const service = useService({ ALLOW_PRIVATE_WEBHOOKS: "true" });
const stage = webhookStage(service);
const { stand, call, queued, stateOf } = stage;
const serve = useHookServers();

const urlOf = ({ port }: { port: number }) => `http://127.0.0.1:${port}/hook`;
const secretOf = async () => (await webhookSecretsOf(service, stage.project.id))!.secret;

/** Answers one request after the other; the last answer stays. */
const inTurn = (...answers: Answering[]): Answering => {
  let count = 0;
  return (socket, heard) => answers[Math.min(count++, answers.length - 1)]!(socket, heard);
};

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
