// What the client repeats and what it does not, against a server that answers as it is told.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { Postrider, PostriderError } from "../../src/client/mod.ts";
import { until } from "../support/process.ts";

/** What the server does with one request: an answer, or nothing at all. */
type Reaction = (request: Request) => Response | Promise<Response>;

let server: Bun.Server<undefined>;
let reactions: Reaction[];
let requests: { method: string; path: string; key: string | null; body: string }[];

beforeAll(() => {
  server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const body = await request.text();
      requests.push({ method, path: pathname + search, key: headers.get("idempotency-key"), body });
      return await (reactions.shift() ?? ok())(request);
    },
  });
});

beforeEach(() => {
  reactions = [];
  requests = [];
});

afterAll(async () => await server.stop(true));

const ok =
  (body: object = { success: true }): Reaction =>
  () =>
    Response.json(body);
const refuse =
  (
    status: number,
    code = "X",
    headers: Record<string, string> = { "retry-after": "0" },
    more: object = {},
  ): Reaction =>
  () =>
    Response.json(
      { success: false, error: { code, message: "No", requestId: "r-1", ...more } },
      { status, headers },
    );
const never: Reaction = () => new Promise(() => {});

const client = (options: object = {}) =>
  new Postrider({ baseUrl: `${server.url}`, key: "sk_1", timeoutMs: 60_000, ...options });
const MAIL = { to: "a@example.com", from: "b@example.com", subject: "S", body: "B" };

/** The error of a call that is to fail. */
async function failureOf(call: Promise<unknown>): Promise<PostriderError> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(PostriderError);
  return error as PostriderError;
}

describe("a call that fails", () => {
  test("with 429 is repeated whatever it does, as soon as it may", async () => {
    reactions = [refuse(429), refuse(429), ok({ id: "c-1" })];
    const contact = await client().contacts.create({ email: "a@example.com" });

    expect(contact.id).toBe("c-1");
    expect(requests.map(({ method, path, body }) => `${method} ${path} ${body}`)).toEqual(
      Array(3).fill('POST /contacts {"email":"a@example.com"}'),
    );
  });

  test.each([502, 503, 504])("with %d is repeated if it only reads", async (status) => {
    reactions = [refuse(status), ok({ data: [] })];

    expect((await client().contacts.list()).data).toEqual([]);
    expect(requests).toHaveLength(2);
  });

  test.each([502, 503, 504])(
    "with %d is not repeated if it changes something without a key",
    async (status) => {
      reactions = [refuse(status)];

      expect((await failureOf(client().contacts.create({ email: "a@example.com" }))).status).toBe(status);
      expect(requests).toHaveLength(1);
    },
  );

  test("with 500 is not repeated: it would fail again", async () => {
    reactions = [refuse(500)];

    expect((await failureOf(client().contacts.list())).status).toBe(500);
    expect(requests).toHaveLength(1);
  });

  test.each([
    ["emails.send", (on: Postrider) => on.emails.send(MAIL)],
    ["emails.resend", (on: Postrider) => on.emails.resend("e-1")],
    ["events.track", (on: Postrider) => on.events.track({ event: "e", email: "a@example.com" })],
    [
      "events.trackAsMember",
      (on: Postrider) => on.events.trackAsMember({ event: "e", email: "a@example.com" }),
    ],
  ])(
    "%s is repeated with the key of its first attempt, and another call has another key",
    async (_, call) => {
      reactions = [refuse(503), refuse(503), ok(), ok()];
      await call(client());
      await call(client());
      const keys = requests.map(({ key }) => key!);

      expect(keys.every((key) => /^[0-9a-f]{32}$/.test(key))).toBe(true);
      expect(new Set(keys.slice(0, 3)).size).toBe(1);
      expect(keys[3]).not.toBe(keys[0]);
    },
  );

  test("with a key of the caller is repeated with that", async () => {
    reactions = [refuse(503), ok()];
    await client().emails.send(MAIL, { idempotencyKey: "receipt-1" });

    expect(requests.map(({ key }) => key)).toEqual(["receipt-1", "receipt-1"]);
  });

  test("as often as was said, and no more", async () => {
    reactions = Array.from({ length: 9 }, () => refuse(503));
    await failureOf(client({ retries: 2 }).contacts.list());
    expect(requests).toHaveLength(3);
    await failureOf(client({ retries: 2 }).contacts.list({}, { retries: 0 }));
    expect(requests).toHaveLength(4);
  });

  test("is not repeated if the service asks for more than a minute", async () => {
    reactions = [refuse(429, "RATE_LIMIT_EXCEEDED", { "retry-after": "3600" })];
    const error = await failureOf(client().contacts.list());

    expect([error.code, error.retryAfterS, requests.length]).toEqual(["RATE_LIMIT_EXCEEDED", 3600, 1]);
  });

  test("is not repeated if its body is a stream, which is read by then", async () => {
    reactions = [refuse(429)];
    const rows = new Blob(["email\na@example.com\n"]).stream();

    expect((await failureOf(client().contacts.upload(rows))).status).toBe(429);
    expect(requests.map(({ body }) => body)).toEqual(["email\na@example.com\n"]);
  });
});

describe("a response that is lost", () => {
  test("is that of the first attempt, once the repetition hears that it was carried out", async () => {
    const originalResponse = { success: true, data: { emails: [], timestamp: "now" } };
    const details = { originalResponse, originalStatusCode: 200 };
    reactions = [refuse(502), refuse(409, "IDEMPOTENCY_KEY_REUSED", {}, { details })];

    expect((await client().emails.send(MAIL)) as object).toEqual(originalResponse);
  });

  test("a key that was used before the first attempt is an error", async () => {
    reactions = [refuse(409, "IDEMPOTENCY_KEY_REUSED", {})];
    const error = await failureOf(client().emails.send(MAIL, { idempotencyKey: "old" }));

    expect([error.code, requests.length]).toEqual(["IDEMPOTENCY_KEY_REUSED", 1]);
  });
});

describe("waiting", () => {
  test("ends with TIMEOUT, in which nobody knows whether it was carried out", async () => {
    reactions = [never];
    const error = await failureOf(client().contacts.delete("c-1", { timeoutMs: 20 }));

    expect([error.code, error.status]).toEqual(["TIMEOUT", null]);
    expect(error.message).toContain("DELETE /contacts/{id}");
  });

  test("ends when the caller says so, with the reason of the caller", async () => {
    reactions = [never];
    const stop = new AbortController();
    const outcome = client()
      .contacts.list({}, { signal: stop.signal })
      .catch((reason: unknown) => reason);
    await until("the request", () => requests.length === 1);
    stop.abort("no longer needed");

    expect(await outcome).toBe("no longer needed");
  });

  test("also between two attempts", async () => {
    reactions = [refuse(429, "X", { "retry-after": "50" })];
    const stop = new AbortController();
    const outcome = client()
      .contacts.list({}, { signal: stop.signal })
      .catch((reason: unknown) => reason);
    await until("the first attempt is over", () => reactions.length === 0);
    stop.abort("no longer needed");

    expect([await outcome, requests.length]).toEqual(["no longer needed", 1]);
  });

  test("for a service that is not there ends with CONNECTION_FAILED", async () => {
    const error = await failureOf(client({ baseUrl: "http://127.0.0.1:9", retries: 0 }).contacts.list());

    expect([error.code, error.status, error.cause instanceof Error]).toEqual([
      "CONNECTION_FAILED",
      null,
      true,
    ]);
  });
});

describe("an error", () => {
  test("has what the service says", async () => {
    const errors = [{ field: "to", code: "custom", message: "Expected an address" }];
    const more = { errors, details: { a: 1 }, suggestion: "Write it" };
    reactions = [refuse(422, "VALIDATION_ERROR", {}, more)];
    const error = await failureOf(client().emails.send(MAIL));

    expect({ ...error }).toMatchObject({ code: "VALIDATION_ERROR", status: 422, requestId: "r-1", ...more });
    expect([error.name, error.message]).toEqual(["PostriderError", "No"]);
  });

  test("of a proxy in between is one, too", async () => {
    reactions = [
      () => new Response("<h1>Bad Gateway</h1>", { status: 502, headers: { "x-request-id": "p-1" } }),
    ];
    const error = await failureOf(client({ retries: 0 }).contacts.list());

    expect([error.code, error.status, error.requestId]).toEqual(["UNKNOWN", 502, "p-1"]);
  });

  test("of an answer that is no JSON is not that of the caller", async () => {
    reactions = [() => new Response("<h1>Log in</h1>")];

    expect((await failureOf(client({ retries: 0 }).contacts.list())).code).toBe("CONNECTION_FAILED");
  });
});

describe("what cannot work is said at once", () => {
  test.each([
    ["a key of something else", { key: "re_1" }, "sk_"],
    ["no key", { key: undefined }, "sk_"],
    ["an address without a protocol", { baseUrl: "mail.example.com" }, "https://"],
  ])("%s", (_, options, hint) => {
    expect(() => client(options)).toThrow(hint);
  });

  test("a path without its id: no request is sent", async () => {
    const on = client() as unknown as { contacts: { delete(): Promise<void> } };

    expect(await on.contacts.delete().catch((error: Error) => error.message)).toContain("without its id");
    expect(requests).toEqual([]);
  });
});
