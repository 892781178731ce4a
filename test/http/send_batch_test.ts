// POST /v1/send/batch, and the answer to a request that is repeated.
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { sendTogether } from "../../src/sending/send/batch.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService();
let project: NewProject;

beforeAll(async () => {
  project = await service.createProject();
});

beforeEach(() => {
  service.smtp.received.length = 0;
});

const message = (to: unknown, more: object = {}) => ({
  to,
  from: `shop@${DOMAIN}`,
  subject: "Hi",
  body: "<p>Hello</p>",
  ...more,
});
const post = async (path: string, body: unknown, headers: Record<string, string> = {}) =>
  await service.request("POST", path, { key: project.secret, body, headers });
const batch = (messages: unknown[], more: object = {}, headers: Record<string, string> = {}) =>
  post("/v1/send/batch", { messages, ...more }, headers);
const address = () => `${crypto.randomUUID()}@example.com`;
const mails = async () =>
  (await service.pool`select count(*)::int as n from emails where project_id = ${project.id}`)[0]!
    .n as number;
/** The statuses of refused entries, and the addresses of the others. */
const outcomes = (body: any) =>
  body.data.map((entry: any) =>
    entry.success ? entry.data.emails[0].contact.email : entry.error.statusCode,
  );

describe("each by itself", () => {
  test("different messages are answered in order, and sent", async () => {
    const to = Array.from({ length: 150 }, address);
    const { status, body } = await batch(to.map((one, i) => message(one, { subject: `Order ${i}` })));
    await service.runJobs();

    expect(status).toBe(200);
    expect(outcomes(body)).toEqual(to);
    const subjects = new Map(
      service.smtp.received.map(({ to: [one], source }) => [one, /Subject: (.*)/.exec(source)![1]!.trim()]),
    );
    expect(to.map((one) => subjects.get(one))).toEqual(to.map((_, i) => `Order ${i}`));
  });

  test("a message is refused alone, with its error in the shape of the envelope", async () => {
    const good = address();
    const { status, body } = await batch([
      message("nobody"),
      message(good),
      message(address(), { from: "me@elsewhere.example" }),
      message(address(), { template: crypto.randomUUID() }),
      { ...message(address()), subject: undefined },
      { ...message(address()), html: "<p>x</p>", body: undefined },
      message(address(), { sendAt: "2020-01-01T00:00:00Z" }),
      "text",
    ]);

    expect(status).toBe(200);
    expect(outcomes(body)).toEqual([422, good, 403, 404, 422, 422, 422, 422]);
    expect(body.data[0].error).toMatchObject({
      statusCode: 422,
      errors: [{ field: "to", code: "invalid_string" }],
      requestId: expect.any(String),
    });
    expect(body.data[5].error.errors.map(({ field }: { field: string }) => field)).toContain("html");
  });

  test("others have their turn between the messages", async () => {
    // Each takes some milliseconds to look at, and all are refused before the database is asked, which would give turns as well.
    const body = "{{#if plan}}{{city}}{{/if}}".repeat(1_500);
    const given = Array.from({ length: 60 }, (_, i) => ({
      input: message(address(), { body: `${body}${i}{{#if}}` }) as never,
      errors: [],
    }));
    let turns = 0;
    let isOver = false;
    const call = { projectId: project.id, key: null, request: "POST /v1/send/batch" };
    const counting = (async () => {
      for (; !isOver; turns++) await new Promise(setImmediate);
    })();
    await sendTogether(service, call, given).catch(() => {});
    isOver = true;
    await counting;

    expect(turns).toBeGreaterThanOrEqual(5);
  });

  test("the same recipient may be in several, which are accepted in order", async () => {
    const to = address();
    const { body } = await batch(["a", "b", "c"].map((step) => message(to, { data: { step } })));
    const [contact] = await service.pool`select data from contacts where email = ${to}`;

    expect(outcomes(body)).toEqual([to, to, to]);
    expect(new Set(body.data.map((entry: any) => entry.data.emails[0].contact.id)).size).toBe(1);
    expect(contact!.data).toEqual({ step: "c" });
  });

  test("up to 1,000 messages, and 5,000 recipients in all", async () => {
    const before = await mails();
    const many = await batch(Array.from({ length: 1_001 }, () => message("a@example.com")));
    const crowd = Array.from({ length: 1_000 }, (_, i) => `p${i}@example.com`);
    const wide = await batch(Array.from({ length: 6 }, () => message(crowd)));

    expect([many.status, wide.status, (await batch([])).status]).toEqual([422, 422, 422]);
    expect(wide.body.error.errors).toMatchObject([{ field: "messages", code: "too_big" }]);
    expect(await mails()).toBe(before);
  });
});

describe("atomic", () => {
  test("all are accepted in one transaction, also where they have recipients in common", async () => {
    const [to, other] = [address(), address()];
    const given = [
      message(to, { data: { plan: "pro", city: "Oslo" }, subscribed: true }),
      message([other, to], { data: { city: null, step: 2 } }),
    ];
    const { status, body } = await batch(given, { atomic: true });
    const [contact] = await service.pool`select data, subscribed from contacts where email = ${to}`;
    const sent = body.data.flatMap((entry: any) =>
      entry.data.emails.map(({ email }: any) => email as string),
    );
    const transactions = await service.pool`select distinct xmin::text from emails where id = any(${sent})`;
    await service.runJobs();

    expect(status).toBe(200);
    expect(outcomes(body)).toEqual([to, other]);
    expect(contact).toEqual({ data: { plan: "pro", step: 2 }, subscribed: true });
    expect(transactions).toHaveLength(1);
    const received = service.smtp.received
      .flatMap((mail) => mail.to)
      .filter((each) => [to, other].includes(each));
    expect(received.toSorted()).toEqual([to, to, other].toSorted());
  });

  test("one that is refused undoes all: the answer is its error, with its place", async () => {
    const before = await mails();
    const refused = await batch([message(address()), message(address(), { from: "me@elsewhere.example" })], {
      atomic: true,
    });
    const invalid = await batch([message(address()), message("nobody")], { atomic: true });

    expect([refused.status, refused.body.error.details.index]).toEqual([403, 1]);
    expect(invalid.status).toBe(422);
    expect(invalid.body.error.errors).toMatchObject([{ field: "messages.1.to" }]);
    expect(await mails()).toBe(before);
  });
});

describe("a key", () => {
  test("of the whole request: what was accepted is not accepted again, what was not is", async () => {
    const key = { "idempotency-key": crypto.randomUUID() };
    const [first, third] = [message(address()), message(address())];
    const fresh = address();
    const one = await batch([first, message(address(), { from: "me@elsewhere.example" }), third], {}, key);
    const two = await batch([first, message(fresh), third], {}, key);
    const three = await batch([first, message(fresh), third], {}, { ...key, "idempotency-replay": "true" });

    expect(outcomes(one.body)[1]).toBe(403);
    expect(outcomes(two.body)).toEqual([409, fresh, 409]);
    expect(two.body.data[0].error.details.originalResponse.data).toEqual(one.body.data[0].data);
    expect(three.body.data).toEqual([one.body.data[0], two.body.data[1], one.body.data[2]]);
  });

  test("of one message counts across requests; twice in one is refused", async () => {
    const idempotencyKey = crypto.randomUUID();
    const own = message(address(), { idempotencyKey });
    const both = await batch([own, own]);
    const again = await post("/v1/send", message(address()), { "idempotency-key": idempotencyKey });

    expect(outcomes(both.body)[1]).toBe(422);
    expect([both.body.data[0].success, again.status]).toEqual([true, 409]);
  });

  test("of one message that is that of another one by the key of the request is refused, too", async () => {
    const key = crypto.randomUUID();
    const given = [message(address()), message(address(), { idempotencyKey: `${key} [0]` })];
    const header = { "idempotency-key": key };
    const together = await batch(given, { atomic: true }, header);
    const each = await batch(given, {}, header);

    expect([together.status, together.body.error.errors[0].field]).toEqual([
      422,
      "messages.1.idempotencyKey",
    ]);
    expect([each.body.data[0].success, outcomes(each.body)[1]]).toEqual([true, 422]);
  });

  test("of an atomic request is used by all of it, and answered again on demand", async () => {
    const key = { "idempotency-key": crypto.randomUUID() };
    const given = [message(address()), message(address())];
    const first = await batch(given, { atomic: true }, key);
    const before = await mails();
    const refused = await batch(given, { atomic: true }, key);
    const replayed = await batch(given, { atomic: true }, { ...key, "idempotency-replay": "true" });

    expect([first.status, refused.status, replayed.status]).toEqual([200, 409, 200]);
    expect(replayed.body).toEqual(first.body);
    expect(await mails()).toBe(before);
  });
});

describe("Idempotency-Replay", () => {
  const replay = (key: string) => ({ "idempotency-key": key, "idempotency-replay": "true" });

  test("the same request again gets the first answer, and sends nothing", async () => {
    const key = crypto.randomUUID();
    const given = message(address(), { data: { name: "Ada" } });
    const first = await post("/v1/send", given, replay(key));
    const before = await mails();
    const second = await post("/v1/send", given, replay(key));
    const plain = await post("/v1/send", given, { "idempotency-key": key });

    expect([first.status, second.status, plain.status]).toEqual([200, 200, 409]);
    expect(second.body).toEqual(first.body);
    expect([first, second].map(({ headers }) => headers.get("idempotent-replayed"))).toEqual([null, "true"]);
    expect(await mails()).toBe(before);
  });

  test("another body with the same key gets 409, as does a key of another endpoint", async () => {
    const key = crypto.randomUUID();
    const to = address();
    await post("/v1/send", message(to), replay(key));
    const other = await post("/v1/send", message(to, { subject: "Other" }), replay(key));
    const tracked = crypto.randomUUID();
    const body = { email: to, event: "signed up" };
    await service.request("POST", "/v1/track", { key: project.public, body, headers: replay(tracked) });
    const foreign = await post("/v1/send", message(to), replay(tracked));

    expect([other.status, foreign.status]).toEqual([409, 409]);
    expect(other.body.error.details.body_hash).toBeUndefined();
  });

  test("many at once get one answer, and one mail", async () => {
    const key = crypto.randomUUID();
    const given = message(address());
    const before = await mails();
    const answers = await Promise.all(Array.from({ length: 20 }, () => post("/v1/send", given, replay(key))));

    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(await mails()).toBe(before + 1);
  });
});
