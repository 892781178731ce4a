// What test keys send: it never leaves, and comes to what its address asks for, by the real worker.
import { beforeEach, describe, expect, test } from "bun:test";
import { Resend } from "resend";
import { Webhook } from "standardwebhooks";
import { SERVICE } from "../../src/accounts/audit.ts";
import { createSandbox, type Sandbox } from "../../src/accounts/projects/sandbox.ts";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { openPool } from "../../src/db/pool.ts";
import { metersOf } from "../../src/meters.ts";
import { SIMULATED, simulatedBy } from "../../src/mail/simulator.ts";
import { createSmtpMailer } from "../../src/mail/smtp.ts";
import { rollUpReputation } from "../../src/sending/feedback/reputation.ts";
import { stopDelivery } from "../../src/sending/delivery/mod.ts";
import { gateOf } from "../../src/sending/delivery/server_gate.ts";
import { reply, useHookServers } from "../automation/hook_server.ts";
import { codesIn, readGuide, tableBelow } from "../support/guides.ts";
import { until } from "../support/process.ts";
import { DOMAIN, runJobs, useService } from "../support/service.ts";
import { useSubmission } from "../support/submission.ts";
import { useTransports } from "../support/transports.ts";
import { workflowsOf } from "../support/workflows.ts";

const service = useService({ ALLOW_PRIVATE_WEBHOOKS: "true" });
const transports = useTransports(service);
const submission = useSubmission(service);
const serve = useHookServers();

let live: NewProject;
let sandbox: Sandbox & { secret: string };

beforeEach(async () => {
  live = await service.createProject();
  sandbox = await createSandbox(service, live.id, SERVICE);
  service.smtp.received.length = 0;
  service.setNow(new Date());
});

const call = (method: string, path: string, body?: object, key = sandbox.secret) =>
  service.request(method, path, { key, ...(body && { body }) });

/** Sends from an address that nobody has verified, and returns the id of the mail. */
async function send(to: string, more: object = {}): Promise<string> {
  const message = { to, from: "anybody@unverified.example", subject: "Hello", body: "<p>Hello</p>", ...more };
  const { status, body } = await call("POST", "/v1/send", message);
  expect([status, body.error]).toEqual([200, undefined]);
  return body.data.emails[0].email;
}

/** Runs all jobs, those of retries too. */
async function run(): Promise<void> {
  await service.runJobs();
  service.setNow(new Date(service.now().getTime() + 60_000));
  await service.runJobs();
}

const mail = async (id: string) => (await call("GET", `/emails/${id}`)).body;
const namesOf = async (id: string): Promise<string[]> =>
  (await service.pool`select name from events where email_id = ${id} order by id`).map(({ name }) => name);
const inbox = async (to: string) =>
  (await call("GET", `/inbox/mails?to=${encodeURIComponent(to)}`)).body.data as { subject: string }[];
const contact = async (email: string) =>
  (await call("GET", `/contacts?search=${encodeURIComponent(email)}`)).body.data[0];

describe("an address of the simulator", () => {
  const sent = ["email.sent", "email.delivery"];
  const ends: [address: string, status: string, events: string[], subscribed: boolean][] = [
    ["delivered@simulator.example", "DELIVERED", sent, true],
    ["opened@simulator.example", "OPENED", [...sent, "email.open"], true],
    ["clicked@simulator.example", "CLICKED", [...sent, "email.open", "email.click"], true],
    ["complained@simulator.example", "COMPLAINED", [...sent, "email.complaint"], false],
    ["bounced@simulator.example", "BOUNCED", ["email.sent", "email.bounce"], false],
    ["soft-bounced@simulator.example", "SENT", ["email.sent", "email.bounce"], true],
    ["deferred@simulator.example", "DELIVERED", sent, true],
    ["failed@simulator.example", "FAILED", [], true],
    ["suppressed@simulator.example", "SUPPRESSED", [], true],
    ["Bounced+Anything@Simulator.example", "BOUNCED", ["email.sent", "email.bounce"], false],
    ["ada@gmail.com", "DELIVERED", sent, true],
    ["unknown@simulator.example", "DELIVERED", sent, true],
  ];

  test.each(ends)("%s ends %s, with its events", async (address, status, events, subscribed) => {
    const id = await send(address, { subscribed: true });
    await run();
    const { error, ...ended } = await mail(id);

    expect([ended.status, (await namesOf(id)).toSorted()]).toEqual([status, events.toSorted()]);
    expect((await contact(address)).subscribed).toBe(subscribed);
    expect(service.smtp.received).toEqual([]);
    if (["BOUNCED", "FAILED", "SUPPRESSED"].includes(status)) expect(error).toContain("(simulated)");
  });

  test("does it again the next time: no test address is ever suppressed, and every other one is", async () => {
    const again = async (to: string) => {
      const ids = [await send(to), await (await run(), send(to))];
      await run();
      return await Promise.all(ids.map(async (id) => (await mail(id)).status));
    };
    await call("POST", "/suppressions", { email: "left@example.com" });

    expect(await again("bounced@simulator.example")).toEqual(["BOUNCED", "BOUNCED"]);
    expect(await again("complained+1@simulator.example")).toEqual(["COMPLAINED", "COMPLAINED"]);
    expect(await again("left@example.com")).toEqual(["SUPPRESSED", "SUPPRESSED"]);
    expect((await call("GET", "/suppressions")).body.data).toHaveLength(1);
  });

  test("that defers is tried once more, later, with the reply in between", async () => {
    const id = await send("deferred@simulator.example");
    await service.runJobs();
    const before = await mail(id);
    await run();
    const after = await mail(id);

    expect(before).toMatchObject({ status: "PENDING", error: expect.stringContaining("451 4.7.1") });
    expect(after).toMatchObject({ status: "DELIVERED", attempts: 2, error: null });
    expect(await inbox("deferred@simulator.example")).toHaveLength(1);
  });

  test("is an address like others outside of a sandbox", async () => {
    const to = "bounced@simulator.example";
    const body = { to, from: `a@${DOMAIN}`, subject: "s", body: "b" };
    const { body: accepted } = await call("POST", "/v1/send", body, live.secret);
    await run();
    const ended = await call("GET", `/emails/${accepted.data.emails[0].email}`, undefined, live.secret);

    expect(ended.body.status).toBe("SENT");
    expect(service.smtp.received.map(({ to: rcpt }) => rcpt)).toEqual([[to]]);
  });

  test("is in the guide", () => {
    const { rows } = tableBelow(readGuide("sandbox"), "The simulator");

    expect(rows.map(([cell]) => codesIn(cell!)[0])).toEqual(
      SIMULATED.map((name) => `${name}@simulator.example`),
    );
  });

  test("is known by its name, whatever follows a plus, and by nothing else", () => {
    expect(SIMULATED.map((name) => simulatedBy(`${name}+x+y@simulator.example`))).toEqual([...SIMULATED]);
    for (const other of ["bounced@example.com", "bouncedx@simulator.example", "+@simulator.example", "a"]) {
      expect(simulatedBy(other)).toBeNull();
    }
  });
});

describe("a mail of a sandbox", () => {
  test("never leaves, whatever transports and routes there are", async () => {
    const own = await transports.add({ projectId: sandbox.id });
    const shared = await transports.add({ priority: 1 });
    await transports.route([{ transports: [{ id: shared.id }] }]);
    await transports.route([{ transports: [{ id: own.id }, { id: "default" }] }], sandbox.id);
    const id = await send("ada@example.com");
    await run();

    expect((await mail(id)).status).toBe("DELIVERED");
    expect(await inbox("ada@example.com")).toHaveLength(1);
    expect([own, shared].flatMap(({ server }) => server.received)).toEqual([]);
    expect(service.smtp.received).toEqual([]);
  });

  test("waits for no mail server, however long that is away", async () => {
    const pool = openPool(service.databaseUrl, { max: 4 });
    const mailer = createSmtpMailer("smtp://127.0.0.1:9");
    const away = { ...service, pool, sql: pool, mailer, workerId: Bun.randomUUIDv7() };
    gateOf(away).shut("421 4.3.2 closed");
    const id = await send("ada@example.com");
    await runJobs(away, service.workerPool);
    await stopDelivery(away);
    await pool.end({ timeout: 1 });

    expect((await mail(id)).status).toBe("DELIVERED");
  });

  test("takes no place of a rate, and none of the operator's figures", async () => {
    const counted = async () => (await metersOf(service).mails.get()).values;
    const before = await counted();
    await service.pool`update projects set send_rate = 0.001 where id = ${sandbox.id}`;
    const ids = [
      await send("bounced+1@simulator.example"),
      await send("a@example.com"),
      await send("b@example.com"),
    ];
    await service.runJobs();

    expect(await Promise.all(ids.map(async (id) => (await mail(id)).status))).toEqual([
      "BOUNCED",
      "DELIVERED",
      "DELIVERED",
    ]);
    expect(await counted()).toEqual(before);
  });

  test("takes a template of the sandbox, and one of the project, which stays as it is", async () => {
    const template = { name: "Hi", subject: "Hi {{name}}", body: "<p>Hi</p>", from: `a@${DOMAIN}` };
    const { body: theirs } = await call("POST", "/templates", template, live.secret);
    const { body: own } = await call("POST", "/templates", { ...template, from: "b@any.example" });
    const stranger = await service.createProject();
    const { body: foreign } = await call("POST", "/templates", template, stranger.secret);
    for (const { id } of [theirs, own]) {
      await call("POST", "/v1/send", { to: "ada@example.com", template: id, data: { name: "Ada" } });
    }
    await run();
    const refused = await call("POST", "/v1/send", { to: "ada@example.com", template: foreign.id });
    const back = await call("POST", "/v1/send", { to: "ada@example.com", template: own.id }, live.secret);

    expect((await inbox("ada@example.com")).map(({ subject }) => subject)).toEqual(["Hi Ada", "Hi Ada"]);
    expect([refused.status, back.status]).toEqual([404, 404]);
    expect((await call("GET", `/templates/${theirs.id}`)).status).toBe(404);
  });

  test("comes over SMTP and from another provider's SDK, too", async () => {
    const { port } = await submission.listen();
    const told = await submission.send(port, sandbox.secret, {
      from: "app@unverified.example",
      to: "delivered+smtp@simulator.example",
      subject: "Over SMTP",
      text: "Hello",
    });
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (asked) => service.app.handle(asked) });
    const resend = new Resend(sandbox.secret, { baseUrl: `${server.url}compat/resend` });
    const { error } = await resend.emails.send({
      from: "app@unverified.example",
      to: "bounced+sdk@simulator.example",
      subject: "By an SDK",
      html: "<p>Hello</p>",
    });
    await server.stop(true);
    await run();
    const { data } = (await call("GET", "/emails")).body;

    expect([told, error]).toEqual([expect.stringContaining("2.0.0 Accepted"), null]);
    expect(
      Object.fromEntries(
        data.map(({ subject, status }: { subject: string; status: string }) => [subject, status]),
      ),
    ).toEqual({ "Over SMTP": "DELIVERED", "By an SDK": "BOUNCED" });
    expect(service.smtp.received).toEqual([]);
  });
});

describe("what happens in a sandbox", () => {
  test("is told to its webhooks, signed, and starts its workflows; those of the project hear nothing", async () => {
    const { port, heard } = await serve(reply(200, "ok"));
    const url = `http://127.0.0.1:${port}/hook`;
    const { body: endpoint } = await call("POST", "/webhooks", { url, events: ["email.*"] });
    await call("POST", "/webhooks", { url: `${url}/live`, events: ["*"] }, live.secret);
    const flows = workflowsOf(service, () => ({ ...sandbox, name: "", createdAt: new Date() }));
    const flow = await flows.build({
      event: "email.bounce",
      steps: { End: { type: "EXIT" } },
      ways: ["Trigger > End"],
    });
    await send("bounced@simulator.example");
    await run();
    await run();
    const verifier = new Webhook(endpoint.secret);
    const types = heard.map(({ headers, body }) => (verifier.verify(body, headers) as { type: string }).type);

    expect(types.toSorted()).toEqual(["email.bounced", "email.sent"]);
    expect(heard.map(({ path }) => path)).toEqual(["/hook", "/hook"]);
    expect(await flows.executions(flow.id)).toHaveLength(1);
  });

  test("changes nothing of the project: its figures, contacts, limits and reputation stay", async () => {
    const inTwoMinutes = () => new Date(service.now().getTime() + 120_000);
    await until("this day lasts", () => inTwoMinutes().getUTCDate() === service.now().getUTCDate());
    const views = [
      "/contacts",
      "/emails",
      "/activity/stats",
      "/analytics/timeseries",
      `/projects/${live.id}/security`,
      "/suppressions",
      "/inbox/mails",
      "/events/names",
    ];
    const seen = () =>
      Promise.all(views.map(async (path) => (await call("GET", path, undefined, live.secret)).body));
    const usage = async () =>
      (await service.pool`select usage_of(${live.id}, usage_month(now()), 'transactional')::int as n`)[0]!.n;
    const before = [await seen(), await usage()];
    for (const n of [1, 2, 3]) await send(`bounced+${n}@simulator.example`, { subscribed: true });
    await service.pool`
      insert into reputation_deltas (project_id, day, total, bounces, complaints)
      values (${sandbox.id}, current_date - 1, 1000, 900, 50)`;
    await call("POST", "/v1/track", { event: "ordered", email: "ada@example.com" }, sandbox.public);
    await run();
    await run();
    await rollUpReputation(service);
    await service.runJobs();
    const [standing] = await service.pool`
      select disabled_at as disabled, (select count(*)::int from reputations r where r.project_id = p.id) as judged
      from projects p where id = ${sandbox.id}`;

    expect([await seen(), await usage()]).toEqual(before);
    expect(standing).toEqual({ disabled: null, judged: 0 });
  });
});
