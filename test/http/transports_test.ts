// Transports of a project: who may make them, what is checked, what of an address is kept and shown, and how they stand.
import { beforeAll, describe, expect, test } from "bun:test";
import { createServer, type Server } from "node:net";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { INSTALLATION } from "../../src/sending/transports/routes.ts";
import { openUrl } from "../../src/sending/transports/sealed.ts";
import { join, type Person, signUp } from "../support/accounts.ts";
import { useService } from "../support/service.ts";

const service = useService({ ALLOW_PRIVATE_TRANSPORTS: "true" });
const URL_OF = "smtp://ada:pass%2Fword@smtp.example.com:587";

let project: NewProject;
let owner: Person;

beforeAll(async () => {
  project = await service.createProject();
  owner = await signUp(service);
  await join(service, owner, project.id, "OWNER");
});

const as = (method: string, path: string, body?: unknown) =>
  owner.request(method, path, body, { projectId: project.id });

async function add(input: object = {}): Promise<Record<string, any>> {
  const body = { name: "Provider", kind: "SMTP", url: URL_OF, ...input };
  const answer = await as("POST", "/transports", body);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

/** The errors of a refusal, in a few words. */
async function refused(method: string, path: string, body: unknown): Promise<string[]> {
  const answer = await as(method, path, body);
  const errors = (answer.body.error?.errors ?? []) as { field: string; code: string }[];
  return [String(answer.status), ...errors.map(({ field, code }) => `${field} ${code}`)];
}

async function keptUrl(id: string, projectId = project.id): Promise<string | null> {
  const [row] = await service.pool`select url from transports where id = ${id}`;
  return openUrl(service, { projectId, id }, row!.url as Uint8Array);
}

describe("a new transport", () => {
  test("is shown without its password, which is nowhere in plain text", async () => {
    const made = await add({ perDay: 100 });
    const { transports } = (await as("GET", "/transports")).body;
    const [row] =
      await service.pool`select to_jsonb(t)::text as text from transports t where id = ${made.id}`;
    const [line] =
      await service.pool`select to_jsonb(a)::text as text from audit a where action = 'transport.added'`;

    expect(made).toEqual({
      id: expect.any(String),
      name: "Provider",
      kind: "SMTP",
      url: "smtp://ada@smtp.example.com:587",
      heloName: null,
      bindAddresses: null,
      priority: 100,
      weight: 1,
      ratePerSecond: null,
      perDay: 100,
      connections: null,
      warmup: null,
      state: "HEALTHY",
      stateReason: null,
      stateUntil: null,
      sentToday: 0,
      feedback: {
        provider: "arf",
        url: expect.stringContaining("/webhooks/incoming/arf/"),
        hasSecret: false,
      },
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(transports).toEqual([made]);
    expect((await as("GET", `/transports/${made.id}`)).body).toEqual(made);
    expect(await keptUrl(made.id)).toBe(URL_OF);
    for (const { text } of [row!, line!]) expect(text).not.toMatch(/pass(%2F|\/)word/);
  });

  test("hides a user that is the password as well", async () => {
    const made = await add({ url: "smtp://token-1:token-1@smtp.example.com:587" });
    const renamed = await as("PATCH", `/transports/${made.id}`, { url: made.url });

    expect(made.url).toBe("smtp://***@smtp.example.com:587");
    expect(renamed.status).toBe(200);
    expect(await keptUrl(made.id)).toBe("smtp://token-1:token-1@smtp.example.com:587");
  });

  test.each([
    [{}, ["422", "name required", "kind required"]],
    [{ name: "A", kind: "SMTP" }, ["422", "url required"]],
    [{ name: "A", kind: "DIRECT", url: URL_OF }, ["422", "kind custom"]],
    [{ name: "A", kind: "CAPTURE", url: URL_OF }, ["422", "url custom"]],
    [{ name: "a\nb", kind: "SMTP", url: "http://x" }, ["422", "name invalid_string", "url invalid_string"]],
    [{ name: "A", kind: "SMTP", url: "smtp://ada@smtp.example.com" }, ["422", "url invalid_string"]],
    [{ name: "A", kind: "SMTP", url: "smtp://ada:p#x@smtp.example.com" }, ["422", "url invalid_string"]],
    // They would lead the connection elsewhere, or take more than a share.
    [
      { name: "A", kind: "SMTP", url: `smtps://smtp.example.com?tls.host=10.0.0.1` },
      ["422", "url invalid_string"],
    ],
    [
      { name: "A", kind: "SMTP", url: `smtps://smtp.example.com?tls.path=/run/x` },
      ["422", "url invalid_string"],
    ],
    [{ name: "A", kind: "SMTP", url: `${URL_OF}?maxConnections=900` }, ["422", "url invalid_string"]],
    [
      { name: "A", kind: "SMTP", url: URL_OF, weight: 0, perDay: 0.5, connections: 101 },
      ["422", "weight too_small", "perDay invalid_type", "connections too_big"],
    ],
    [
      { name: "A", kind: "CAPTURE", warmup: { planId: crypto.randomUUID() } },
      ["422", "warmup.planId custom"],
    ],
    [
      { name: "A", kind: "CAPTURE", warmup: { planId: crypto.randomUUID(), since: "next week" } },
      ["422", "warmup.since invalid_string"],
    ],
  ])("%j is refused: %j", async (body, errors) => {
    expect(await refused("POST", "/transports", body)).toEqual(errors);
  });

  test("is the fiftieth or none", async () => {
    const other = await service.createProject();
    await service.pool`
      insert into transports (project_id, name, kind)
      select ${other.id}, 'n' || n, 'CAPTURE' from generate_series(1, 49) as n`;
    const post = () =>
      service.request("POST", "/transports", { key: other.secret, body: { name: "A", kind: "CAPTURE" } });
    const statuses = (await Promise.all([post(), post(), post()])).map(({ status }) => status);

    expect(statuses.sort()).toEqual([201, 409, 409]);
  });

  test("is made by owners alone; members see it, and may not test it", async () => {
    const { id } = await add();
    const admin = await signUp(service);
    await join(service, admin, project.id, "ADMIN");
    const by = async (method: string, path: string, body?: unknown) =>
      (await admin.request(method, path, body, { projectId: project.id })).status;

    expect(await by("GET", `/transports/${id}`)).toBe(200);
    expect(await by("POST", "/transports", { name: "A", kind: "CAPTURE" })).toBe(403);
    expect(await by("PATCH", `/transports/${id}`, { paused: true })).toBe(403);
    expect(await by("POST", `/transports/${id}/test`, {})).toBe(403);
    expect(await by("DELETE", `/transports/${id}`)).toBe(403);
  });
});

describe("the address of a mail server", () => {
  const guarded = useService();

  test.each(["127.0.0.1", "localhost", "[::1]", "10.1.2.3", "169.254.169.254", "[::ffff:10.0.0.1]"])(
    "is not %s unless the operator allows it",
    async (host) => {
      const { secret } = await guarded.createProject();
      const body = { name: "A", kind: "SMTP", url: `smtp://${host}:25` };
      const { status, body: answer } = await guarded.request("POST", "/transports", { key: secret, body });

      expect(status).toBe(422);
      expect(answer.error.errors[0].message).toContain("private address");
    },
  );

  test("is looked at again for each connection: one that has become private gets none", async () => {
    const { id, secret } = await guarded.createProject();
    const body = { name: "A", kind: "CAPTURE" };
    const made = (await guarded.request("POST", "/transports", { key: secret, body })).body;
    const mailer = guarded.openMailer!({ kind: "SMTP", url: guarded.smtp.url, connections: 1, isOwn: true });
    const operators = guarded.openMailer!({
      kind: "SMTP",
      url: guarded.smtp.url,
      connections: 1,
      isOwn: false,
    });

    expect([id, made.kind]).toEqual([id, "CAPTURE"]);
    expect(await mailer.reach()).toContain("private address");
    expect(await operators.reach()).toBeNull();
    mailer.close();
    operators.close();
  });
});

describe("a change", () => {
  test("of the same server keeps the password; of another server, user or encryption it does not", async () => {
    const { id } = await add();
    const to = async (url: string) => [
      (await as("PATCH", `/transports/${id}`, { url })).status,
      await keptUrl(id),
    ];

    expect(await to("smtp://ada@SMTP.example.com:587")).toEqual([
      200,
      "smtp://ada:pass%2Fword@SMTP.example.com:587",
    ]);
    for (const other of [
      "smtp://ada@evil.example:587",
      "smtp://eve@smtp.example.com:587",
      "smtp://ada@smtp.example.com:2525",
      "smtps://ada@smtp.example.com:587",
      "smtp://ada@smtp.example.com:587?ignoreTLS=true",
      "smtp://ada@smtp.example.com:587?tls.rejectUnauthorized=false",
      "smtp://ada@smtp.example.com:587?servername=evil.example",
    ]) {
      expect(await to(other)).toEqual([422, "smtp://ada:pass%2Fword@SMTP.example.com:587"]);
    }
    expect(await to("smtp://eve:hers@evil.example:587")).toEqual([200, "smtp://eve:hers@evil.example:587"]);
  });

  test("leaves alone what it does not name, and is in the audit log", async () => {
    const plan = (await as("POST", "/warmup-plans", { name: "Plan", dailyLimits: [10, 20] })).body;
    const made = await add({ name: "Limited", perDay: 15, ratePerSecond: 2.5, warmup: { planId: plan.id } });
    const weighed = (await as("PATCH", `/transports/${made.id}`, { weight: 3 })).body;
    const freed = (await as("PATCH", `/transports/${made.id}`, { perDay: null, warmup: null })).body;
    const { data } = (await owner.request("GET", `/projects/${project.id}/audit`)).body;
    const lines = data.filter(({ subject }: { subject: string }) => subject === "Limited");

    expect(weighed).toEqual({ ...made, weight: 3, updatedAt: expect.any(String) });
    expect(made.warmup).toEqual({ planId: plan.id, since: expect.any(String), day: 1, limitToday: 10 });
    expect(freed).toMatchObject({
      perDay: null,
      warmup: null,
      sentToday: null,
      ratePerSecond: 2.5,
      weight: 3,
    });
    expect(lines.map(({ action, details }: any) => [action, Object.keys(details)])).toEqual([
      ["transport.updated", expect.arrayContaining(["perDay", "warmupPlan"])],
      ["transport.updated", ["weight", "verified"]],
      ["transport.added", expect.any(Array)],
    ]);
    expect(await refused("DELETE", `/warmup-plans/${plan.id}`, undefined)).toEqual(["204"]);
  });

  test("pauses it with a reason, and resumes it", async () => {
    const { id } = await add();
    const paused = (await as("PATCH", `/transports/${id}`, { paused: true, pauseReason: "It moves" })).body;
    const again = (await as("PATCH", `/transports/${id}`, { paused: true })).body;
    const resumed = (await as("PATCH", `/transports/${id}`, { paused: false })).body;

    expect([paused.state, paused.stateReason]).toEqual(["PAUSED", "It moves"]);
    expect([again.state, again.stateReason]).toEqual(["PAUSED", "It moves"]);
    expect([resumed.state, resumed.stateReason]).toEqual(["HEALTHY", null]);
  });
});

describe("the state of a transport", () => {
  test("says what holds it, and until when; a new address ends that", async () => {
    const { id } = await add();
    const until = new Date(Date.now() + 300_000);
    const held = async (reason: string) => {
      await service.pool`update transports set held_until = ${until}, hold_reason = ${reason} where id = ${id}`;
      const { state, stateReason, stateUntil } = (await as("GET", `/transports/${id}`)).body;
      return [state, stateReason, stateUntil];
    };
    const quota = "454 Throttling failure: Daily message quota exceeded";

    expect(await held("535 5.7.8 Bad credentials")).toEqual([
      "HELD",
      "535 5.7.8 Bad credentials",
      until.toISOString(),
    ]);
    expect(await held(quota)).toEqual(["OUT_OF_QUOTA", quota, until.toISOString()]);
    expect((await as("PATCH", `/transports/${id}`, { url: URL_OF })).body.state).toBe("HEALTHY");
  });

  test("says that it was asked to be slower, and how fast it is now", async () => {
    const { id } = await add();
    await service.pool`
      insert into paces (transport_id, provider, rate, reason, slowed_at, changed_at)
      values (${id}, '*', 2.4375, '421 4.7.0 Try again later', now(), now())`;

    expect((await as("GET", `/transports/${id}`)).body).toMatchObject({
      state: "SLOW",
      stateReason: "2.4 mails a second: 421 4.7.0 Try again later",
      stateUntil: null,
    });
  });

  test("counts the day against the lower of its limits", async () => {
    const plan = (await as("POST", "/warmup-plans", { name: "Plan", dailyLimits: [5, 10] })).body;
    const { id } = await add({ perDay: 100, warmup: { planId: plan.id } });
    const day = new Date().toISOString().slice(0, 10);
    await service.pool`insert into transport_days (transport_id, day, taken) values (${id}, ${day}::date, 5)`;
    const full = (await as("GET", `/transports/${id}`)).body;
    await as("PATCH", `/transports/${id}`, { warmup: null });
    const free = (await as("GET", `/transports/${id}`)).body;

    expect(full).toMatchObject({
      state: "OUT_OF_QUOTA",
      sentToday: 5,
      stateReason: expect.stringContaining("All 5 "),
    });
    expect(free).toMatchObject({ state: "HEALTHY", sentToday: 5 });
  });
});

describe("transports of the installation", () => {
  test("are in the list by name alone, and say whether the project uses them", async () => {
    const other = await service.createProject();
    await service.pool`
      insert into transports (project_id, name, kind, pause_reason, paused_at)
      values (${INSTALLATION}, 'Reserve', 'CAPTURE', 'secret words', now())`;
    const listed = async () =>
      (await service.request("GET", "/transports", { key: other.secret })).body.installation as any[];
    const before = await listed();
    const reserve = before[1].id;
    const body = { name: "Own", kind: "CAPTURE" };
    await service.request("POST", "/transports", { key: other.secret, body });
    const beside = await listed();
    const rules = [{ transports: [{ id: reserve }] }];
    await service.request("PUT", "/routes", { key: other.secret, body: { rules } });

    expect(before).toEqual([
      { id: "default", name: expect.any(String), kind: "SMTP", state: null, inUse: true },
      { id: reserve, name: "Reserve", kind: "CAPTURE", state: "PAUSED", inUse: true },
    ]);
    expect(beside.map(({ inUse }) => inUse)).toEqual([false, false]);
    expect((await listed()).map(({ inUse }) => inUse)).toEqual([false, true]);
    for (const [method, given] of [["GET"], ["PATCH", { name: "Mine" }], ["DELETE"]] as const) {
      const { status } = await service.request(method, `/transports/${reserve}`, {
        key: other.secret,
        body: given,
      });
      expect(status).toBe(404);
    }
    await service.pool`delete from transports where project_id = ${INSTALLATION}`;
  });
});

describe("a test mail", () => {
  test("goes by this transport alone to who asks, and is told", async () => {
    const { id } = await add({ url: service.smtp.url });
    const before = service.smtp.received.length;
    const { body } = await as("POST", `/transports/${id}/test`, {});

    expect(body).toEqual({
      success: true,
      failedAt: null,
      response: expect.stringMatching(/^250 /),
      isEncrypted: false,
      from: "test@shop.example",
      to: owner.email,
      tookMs: expect.any(Number),
    });
    expect(service.smtp.received.slice(before).map(({ to }) => to)).toEqual([[owner.email]]);
  });

  test("goes to members only, from verified domains only", async () => {
    const { id } = await add({ url: service.smtp.url });
    const before = service.smtp.received.length;
    const asKey = async (body: object) => {
      const answer = await service.request("POST", `/transports/${id}/test`, { key: project.secret, body });
      return [answer.status, answer.body.error?.errors?.[0]?.field];
    };

    expect(await asKey({})).toEqual([422, "to"]);
    expect(await asKey({ to: "stranger@example.com" })).toEqual([422, "to"]);
    expect(await asKey({ to: owner.email, from: "a@elsewhere.example" })).toEqual([403, undefined]);
    expect(service.smtp.received).toHaveLength(before);
    expect(await asKey({ to: owner.email, from: "hello@shop.example" })).toEqual([200, undefined]);
  });

  test("that is refused says so in the words of the server", async () => {
    const { id } = await add({ url: service.smtp.url });
    service.smtp.behave({ rcpt: () => "550 5.7.1 not from you" });
    const { body } = await as("POST", `/transports/${id}/test`, {});
    service.smtp.behave({});

    expect([body.success, body.failedAt]).toEqual([false, "MAIL"]);
    expect(body.response).toContain("550 5.7.1 not from you");
  });

  test("by a server that is not there, or has nothing to say, ends by itself", async () => {
    const silent = await listen(() => {});
    const { port } = silent.address() as { port: number };
    const asked = await Promise.all([
      add({ url: "smtp://127.0.0.1:9" }),
      add({ url: `smtp://127.0.0.1:${port}` }),
    ]);
    const answers = await Promise.all(asked.map(({ id }) => as("POST", `/transports/${id}/test`, {})));
    silent.close();

    expect(answers.map(({ body }) => [body.success, body.failedAt])).toEqual([
      [false, "CONNECT"],
      [false, "CONNECT"],
    ]);
    expect(answers[1]!.body.tookMs).toBeLessThan(30_000);
  }, 60_000);
});

async function listen(on: () => void): Promise<Server> {
  const server = createServer(on);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}
