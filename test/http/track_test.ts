import { beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { useService } from "../support/service.ts";

const service = useService();
let project: NewProject;

beforeAll(async () => {
  project = await service.createProject();
});

const track = (body: unknown, options: { key?: string; headers?: Record<string, string> } = {}) =>
  service.request("POST", "/v1/track", { key: project.public, body, ...options });

const contactOf = async (id: string) => {
  const [contact] =
    await service.pool`select email, subscribed, data, opted_out_at from contacts where id = ${id}`;
  return contact!;
};

const eventNames = async (contactId: string) => {
  const rows = await service.pool`select name from events where contact_id = ${contactId} order by id`;
  return rows.map((row) => row.name as string);
};

describe("POST /v1/track", () => {
  test("makes the contact, subscribed, and records the event with its data", async () => {
    const { status, body } = await track({
      email: " Ada@Example.com ",
      event: "signed up",
      data: { plan: "pro", coupon: { value: "X1", persistent: false }, tags: ["a"], nothing: "" },
    });

    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      data: { contact: expect.any(String), event: expect.any(String), timestamp: expect.any(String) },
    });
    expect(await contactOf(body.data.contact)).toMatchObject({
      email: "ada@example.com",
      subscribed: true,
      data: { plan: "pro", tags: ["a"] },
    });
    const [event] =
      await service.pool`select name, data, contact_id from events where id = ${body.data.event}`;
    expect(event).toEqual({
      name: "signed up",
      data: { plan: "pro", coupon: "X1", tags: ["a"], nothing: "" },
      contactId: body.data.contact,
    });
    expect(Math.abs(new Date(body.data.timestamp).getTime() - Date.now())).toBeLessThan(60_000);
  });

  test("null removes a key, an empty string leaves it, reserved keys are dropped, the rest is merged", async () => {
    const email = "merge@example.com";
    await track({ email, event: "e", data: { a: 1, b: { deep: [1] }, c: "x", d: "kept" } });
    const { body } = await track({
      email,
      event: "e",
      data: {
        a: null,
        b: { other: true },
        c: "",
        id: "no",
        plunk_id: "no",
        plunk_email: "no",
        email: "no",
        unsubscribeUrl: "no",
        subscribeUrl: "no",
        manageUrl: "no",
        e: { value: 7, persistent: true },
        f: { value: null, persistent: true },
        __proto__x: 1,
      },
    });

    expect((await contactOf(body.data.contact)).data).toEqual({
      b: { other: true },
      c: "x",
      d: "kept",
      e: 7,
      __proto__x: 1,
    });
  });

  test("a key named __proto__ is data like any other", async () => {
    const { body } = await service.request("POST", "/v1/track", {
      key: project.public,
      raw: '{"email":"proto@example.com","event":"e","data":{"__proto__":{"polluted":1},"constructor":2}}',
    });

    const [row] = await service.pool`select data::text as text from contacts where id = ${body.data.contact}`;
    expect(JSON.parse(row!.text)).toEqual(JSON.parse('{"__proto__":{"polluted":1},"constructor":2}'));
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test("a change of the subscription is recorded once, before the event; none is recorded for a new contact", async () => {
    const email = "lin@example.com";
    await track({ email, event: "one" });
    await track({ email, event: "two", subscribed: false });
    await track({ email, event: "three", subscribed: false });
    const { body } = await track({ email, event: "four" });
    expect(await contactOf(body.data.contact)).toMatchObject({
      subscribed: false,
      optedOutAt: expect.any(Date),
    });
    await track({ email, event: "five", subscribed: true });

    expect(await contactOf(body.data.contact)).toMatchObject({ subscribed: true, optedOutAt: null });
    expect(await eventNames(body.data.contact)).toEqual([
      "one",
      "contact.unsubscribed",
      "two",
      "three",
      "four",
      "contact.subscribed",
      "five",
    ]);
  });

  test.each([
    "email.sent",
    "email.",
    "email.anything at all",
    "contact.subscribed",
    "contact.unsubscribed",
    "segment.vip.entry",
    "segment.vip.exit",
    "segment..entry",
  ])("the reserved name %p is refused and leaves no contact behind", async (event) => {
    const { status, body } = await track({ email: "reserved@example.com", event });

    expect(status).toBe(422);
    expect(body.error).toMatchObject({
      code: "VALIDATION_ERROR",
      statusCode: 422,
      errors: [{ field: "event", code: "reserved_event", received: event }],
    });
    expect(await service.pool`select from contacts where email = 'reserved@example.com'`).toHaveLength(0);
  });

  test.each(["emails.sent", "contact.subscribed.now", "my.segment.vip.entry", "segment.vip.entered"])(
    "the name %p is not reserved",
    async (event) => {
      expect((await track({ email: "free@example.com", event })).status).toBe(200);
    },
  );

  test("every wrong field is named, each with its code", async () => {
    const { status, body } = await track({
      email: "no address",
      event: "email.sent",
      subscribed: "yes",
      data: { locale: 5, ["k".repeat(129)]: 1 },
    });

    expect(status).toBe(422);
    const codes = Object.fromEntries(
      body.error.errors.map((e: { field: string; code: string }) => [e.field.slice(0, 12), e.code]),
    );
    expect(codes).toEqual({
      email: "invalid_string",
      subscribed: "invalid_type",
      event: "reserved_event",
      "data.locale": "invalid_type",
      "data.kkkkkkk": "too_big",
    });
  });

  test.each([
    ["nothing", {}, { email: "required", event: "required" }],
    ["an empty event", { email: "a@b.io", event: "" }, { event: "too_small" }],
    ["a long event", { email: "a@b.io", event: "e".repeat(256) }, { event: "too_big" }],
    ["data that is no object", { email: "a@b.io", event: "e", data: [1] }, { data: "invalid_type" }],
    ["data that is text", { email: "a@b.io", event: "e", data: "x" }, { data: "invalid_type" }],
    [
      "more than 64 KB",
      { email: "a@b.io", event: "e", data: { a: "x".repeat(70_000) } },
      { data: "too_big" },
    ],
    [
      "NUL in a value",
      { email: "a@b.io", event: "e", data: { a: ["x\0"] } },
      { "data.a.0": "invalid_string" },
    ],
    ["NUL in a key", { email: "a@b.io", event: "e", data: { "a\0": 1 } }, { "data.a": "invalid_string" }],
    ["NUL in the event", { email: "a@b.io", event: "e\0" }, { event: "invalid_string" }],
    ["half a character", { email: "a@b.io", event: "\ud800" }, { event: "invalid_string" }],
  ])("%s is refused", async (_, body, expected) => {
    const answer = await track(body);

    expect(answer.status).toBe(422);
    const codes = Object.fromEntries(
      answer.body.error.errors.map((e: { field: string; code: string }) => [e.field, e.code]),
    );
    expect(codes).toEqual(expected as never);
    expect(await service.pool`select from contacts where email = 'a@b.io'`).toHaveLength(0);
  });

  test("a contact whose data would grow past 64 KB is refused, and keeps what it had", async () => {
    const email = "full@example.com";
    const { body } = await track({ email, event: "e", data: { a: "x".repeat(40_000) } });
    const refused = await track({ email, event: "e", data: { b: "y".repeat(40_000) } });

    expect(refused.status).toBe(422);
    expect(refused.body.error.errors).toMatchObject([{ field: "data", code: "too_big" }]);
    expect(Object.keys((await contactOf(body.data.contact)).data)).toEqual(["a"]);
  });

  test("200 requests at once for one new contact make one contact that has every key", async () => {
    const email = "crowd@example.com";
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => track({ email, event: "e", data: { [`k${i}`]: i } })),
    );

    expect(answers.map((answer) => answer.status)).toEqual(Array(200).fill(200));
    const ids = new Set(answers.map((answer) => answer.body.data.contact));
    expect(ids.size).toBe(1);
    expect(Object.keys((await contactOf([...ids][0])).data)).toHaveLength(200);
    expect(await eventNames([...ids][0])).toHaveLength(200);
  });

  test("requests that share a commit fail alone", async () => {
    const full = "guilty@example.com";
    await track({ email: full, event: "e", data: { a: "x".repeat(40_000) } });
    const answers = await Promise.all([
      ...Array.from({ length: 20 }, (_, i) => track({ email: `innocent${i}@example.com`, event: "e" })),
      track({ email: full, event: "e", data: { b: "y".repeat(40_000) } }),
      ...Array.from({ length: 20 }, (_, i) => track({ email: `innocent${i}@example.com`, event: "f" })),
    ]);

    expect(answers.map((answer) => answer.status)).toEqual([
      ...Array(20).fill(200),
      422,
      ...Array(20).fill(200),
    ]);
  });

  test("the same event again is a new event; the same Idempotency-Key is refused with the first answer", async () => {
    const headers = { "idempotency-key": "track-1" };
    const email = "again@example.com";
    const first = await track({ email, event: "e" }, { headers });
    const second = await track({ email, event: "e" }, { headers });

    expect(second.status).toBe(409);
    expect(second.body.error).toMatchObject({
      code: "IDEMPOTENCY_KEY_REUSED",
      details: {
        key: "track-1",
        originalRequest: "POST /v1/track",
        originalStatusCode: 200,
        originalResponse: first.body,
        originalRequestAt: expect.any(String),
      },
    });
    expect(await eventNames(first.body.data.contact)).toEqual(["e"]);
  });

  test("projects do not see each other's contacts", async () => {
    const other = await service.createProject();
    const mine = await track({ email: "same@example.com", event: "e", data: { mine: true } });
    const theirs = await track(
      { email: "same@example.com", event: "e", data: { theirs: true } },
      { key: other.public },
    );

    expect(theirs.body.data.contact).not.toBe(mine.body.data.contact);
    expect((await contactOf(theirs.body.data.contact)).data).toEqual({ theirs: true });
  });
});
