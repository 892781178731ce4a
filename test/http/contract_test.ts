// What the specification and its clients take for granted, a sentence each: what was once found missing.
import { beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { until } from "../support/process.ts";
import { readMail } from "../support/received_mail.ts";
import { DOMAIN, type RequestOptions, useService } from "../support/service.ts";

const service = useService();
let project: NewProject;
const api = (method: string, path: string, body?: unknown, options: RequestOptions = {}) =>
  service.request(method, path, { key: project.secret, ...(body !== undefined && { body }), ...options });
const track = (body: unknown) => service.request("POST", "/v1/track", { key: project.public, body });
const send = (body: object) =>
  api("POST", "/v1/send", {
    to: "ada@example.com",
    from: `hello@${DOMAIN}`,
    subject: "S",
    body: "B",
    ...body,
  });

beforeAll(async () => {
  project = await service.createProject();
});

const errorsOf = (answer: { body: { error: { errors: { field: string; message: string }[] } } }) =>
  Object.fromEntries(answer.body.error.errors.map(({ field, message }) => [field, message]));

async function template(fields: object = {}): Promise<string> {
  const made = await api("POST", "/templates", {
    name: "T",
    subject: "S",
    body: "Hello {{plan}}",
    from: `hello@${DOMAIN}`,
    type: "TRANSACTIONAL",
    ...fields,
  });
  return made.body.id as string;
}

/** The content of the mail that a send has made. */
async function contentOf(answer: { body: { data: { emails: { email: string }[] } } }) {
  const [row] = await service.pool`
    select c.* from emails e join contents c on c.project_id = e.project_id and c.id = e.content_id
    where e.project_id = ${project.id} and e.id = ${answer.body.data.emails[0]!.email}`;
  return row!;
}

async function eventsNamed(name: string): Promise<number> {
  const [row] = await service.pool`
    select count(*)::int from events where project_id = ${project.id} and name = ${name}`;
  return row!.count as number;
}

describe("a static segment whose membership is tracked", () => {
  test("says so, and emits entry and exit events for those who are added and removed, once", async () => {
    const made = await api("POST", "/segments", { name: "VIPs", type: "STATIC", trackMembership: true });
    const members = `/segments/${made.body.id}/members`;
    const emails = ["vip1@example.com", "vip2@example.com"];
    await api("POST", members, { emails, createMissing: true });
    await api("POST", members, { emails, createMissing: true });
    await api("DELETE", members, { emails: [emails[0], "nobody@example.com"] });

    expect(made.body.trackMembership).toBe(true);
    expect(await eventsNamed("segment.vips.entry")).toBe(2);
    expect(await eventsNamed("segment.vips.exit")).toBe(1);
  });

  test("can be computed, which changes nothing", async () => {
    const made = await api("POST", "/segments", { name: "Fixed", type: "STATIC", trackMembership: true });
    await api("POST", `/segments/${made.body.id}/members`, {
      emails: ["f@example.com"],
      createMissing: true,
    });
    const computed = await api("POST", `/segments/${made.body.id}/compute`);

    expect(computed.body).toEqual({ added: 0, removed: 0, total: 1 });
  });

  test("emits nothing where it is not tracked", async () => {
    const made = await api("POST", "/segments", { name: "Quiet", type: "STATIC" });
    await api("POST", `/segments/${made.body.id}/members`, {
      emails: ["q@example.com"],
      createMissing: true,
    });

    expect(await eventsNamed("segment.quiet.entry")).toBe(0);
  });
});

describe.each([" Sp@x.test ", "a@exämple.de"])("the address %p is taken", (email) => {
  test.each<[string, () => Promise<{ status: number }>]>([
    ["by POST /contacts", () => api("POST", "/contacts", { email })],
    ["by /v1/track", () => track({ email, event: "e" })],
    ["by /events/track", () => api("POST", "/events/track", { email, event: "e" })],
    ["by /v1/verify", () => api("POST", "/v1/verify", { email })],
    ["by a string `to`", () => send({ to: email })],
    ["by an object `to`", () => send({ to: { email } })],
    ["by `reply`", () => send({ reply: email })],
    ["as replyTo of a template", async () => ({ status: (await template({ replyTo: email })) ? 201 : 422 })],
    [
      "by a test of a campaign",
      async () => await api("POST", `/campaigns/${await campaign()}/test`, { email }),
    ],
    [
      "by sign-up",
      () => service.request("POST", "/auth/signup", { body: { email, password: "correct horse battery" } }),
    ],
  ])("%s", async (_, call) => {
    expect((await call()).status).toBeLessThan(300);
  });

  test("by PATCH /contacts/:id", async () => {
    const [row] = await service.pool`
      insert into contacts (project_id, email, subscribed)
      values (${(await service.createProject()).id}, 'x@example.com', true)
      returning id, project_id`;
    const answer = await api("PATCH", `/contacts/${row!.id}`, { email });

    // Another project's contact: not found, and not malformed.
    expect(answer.status).toBe(404);
  });
});

async function campaign(fields: object = {}): Promise<string> {
  const made = await api("POST", "/campaigns", {
    name: "C",
    subject: "S",
    body: "B",
    from: `hello@${DOMAIN}`,
    audienceType: "ALL",
    ...fields,
  });
  return made.body.data.id as string;
}

describe("`name` of a send", () => {
  test.each<[string, object, string | null]>([
    ["names a sender given as text", { from: `hello@${DOMAIN}`, name: "Shop" }, "Shop"],
    ["does not name one given as an object", { from: { email: `hello@${DOMAIN}` }, name: "Shop" }, null],
    ["does not replace a name in the text", { from: `Own <hello@${DOMAIN}>`, name: "Shop" }, "Own"],
  ])("%s", async (_, fields, fromName) => {
    expect((await contentOf(await send(fields))).fromName).toBe(fromName);
  });

  test("does not replace that of a template", async () => {
    const answer = await api("POST", "/v1/send", {
      to: "ada@example.com",
      template: await template({ fromName: "Templates" }),
      name: "Shop",
    });

    expect((await contentOf(answer)).fromName).toBe("Templates");
  });
});

describe("an empty string in data", () => {
  test("is skipped in the mail as it is when stored: both show what was there", async () => {
    await api("POST", "/contacts", { email: "kept@example.com", data: { plan: "pro" } });
    const answer = await send({ to: "kept@example.com", body: "Plan {{plan}}", data: { plan: "" } });
    await service.runJobs();
    const mail = service.smtp.received.find(({ to }) => to.includes("kept@example.com"))!;

    expect((await contentOf(answer)).data).toEqual({});
    expect((await readMail(mail.source)).html).toContain("Plan pro");
  });
});

describe("what a refusal says", () => {
  test("names each header at fault", async () => {
    const errors = errorsOf(await send({ headers: { "X-A": "1\r\n2", "X B": "2", From: "x@y.z" } }));

    expect(Object.keys(errors).sort()).toEqual(["headers.From", "headers.X B", "headers.X-A"]);
  });

  test("says which type was expected", async () => {
    expect(errorsOf(await api("POST", "/contacts", { email: 5 })).email).toBe("Expected a string");
    expect(errorsOf(await send({ to: null })).to).not.toContain("Mailbox");
    expect(errorsOf(await send({ template: "welcome" })).template).toBe(
      "Expected the id of a template, a UUID",
    );
    expect(errorsOf(await send({ to: "a@example.com, b@example.com" })).to).toContain("as a list");
  });

  test("lists both faults of a segment", async () => {
    const filters = [{ field: "data.a", operator: "resembles", value: 1 }];
    const answer = await api("POST", "/segments", {
      name: "x".repeat(101),
      condition: { logic: "AND", groups: [{ filters }] },
    });

    expect(Object.keys(errorsOf(answer)).sort()).toEqual(["condition.groups.0.filters.0.operator", "name"]);
  });

  test("lists every missing field of a campaign", async () => {
    expect(Object.keys(errorsOf(await api("POST", "/campaigns", {}))).sort()).toEqual(
      ["audienceType", "body", "from", "name", "subject"].sort(),
    );
  });

  test("names the methods that a path takes", async () => {
    const answer = await api("DELETE", "/campaigns");

    expect(answer.status).toBe(405);
    expect(answer.body.error.suggestion).toContain("GET, POST");
  });

  test("tells a key that no project has from one of the wrong kind", async () => {
    const unknown = await service.request("GET", "/contacts", { key: `sk_${"0".repeat(48)}` });
    const wrong = await service.request("GET", "/contacts", { key: project.public });

    expect(unknown.body.error).toMatchObject({
      code: "INVALID_API_KEY",
      message: expect.stringContaining("no project"),
    });
    expect(wrong.body.error.message).toContain("a valid secret API key is required");
  });
});

describe("/v1/verify", () => {
  test("answers null for what could not be looked up, and says so", async () => {
    const { body } = await api("POST", "/v1/verify", { email: "ada@unreachable.example" });

    expect(body.data).toMatchObject({ domainExists: null, hasMxRecords: null });
    expect(body.data.reasons.join()).toContain("could not be checked");
  });
});

describe("sizes", () => {
  const files = (bytes: number) => [
    {
      filename: "f.bin",
      contentType: "application/octet-stream",
      content: Buffer.alloc(bytes).toString("base64"),
    },
  ];

  test("10,485,760 bytes of attachments are taken, one more is not", async () => {
    expect((await send({ attachments: files(10_485_760) })).status).toBe(200);
    expect((await send({ attachments: files(10_485_761) })).status).toBe(422);
  });

  test("lengths are counted in code points", async () => {
    const segment = (length: number) =>
      api("POST", "/segments", { name: "😀".repeat(length), type: "STATIC" });

    expect((await segment(100)).status).toBe(201);
    expect((await segment(101)).body.error.errors[0]).toMatchObject({ field: "name", code: "too_big" });
  });

  test("names of events are trimmed before anything is checked", async () => {
    const padded = await track({ email: "t@example.com", event: ` ${"n".repeat(255)} ` });

    expect(padded.status).toBe(200);
    expect(await eventsNamed("n".repeat(255))).toBe(1);
    expect((await track({ email: "t@example.com", event: "   " })).status).toBe(422);
    expect((await track({ email: "t@example.com", event: " email.open " })).status).toBe(422);
  });

  test("numbers that would lose digits are refused, with the way round it", async () => {
    const answer = await track({
      email: "t@example.com",
      event: "e",
      data: { id: Number("12345678901234567890") },
    });

    expect(errorsOf(answer)["data.id"]).toContain("send it as text");
    expect((await track({ email: "t@example.com", event: "e", data: { id: 9007199254740991 } })).status).toBe(
      200,
    );
  });
});

describe("campaigns", () => {
  test("a copy of one whose segment is gone reaches nobody, and warns", async () => {
    const segment = await api("POST", "/segments", { name: "Gone", type: "STATIC" });
    await api("POST", `/segments/${segment.body.id}/members`, {
      emails: ["g@example.com"],
      createMissing: true,
    });
    const id = await campaign({ audienceType: "SEGMENT", segmentId: segment.body.id });
    await service.pool`update campaigns set status = 'SENT' where id = ${id}`;
    expect((await api("DELETE", `/segments/${segment.body.id}`)).status).toBe(204);
    const copy = await api("POST", `/campaigns/${id}/duplicate`);

    expect(copy.status).toBe(201);
    expect(copy.body).toMatchObject({ status: "DRAFT", totalRecipients: 0 });
    expect(copy.body.warnings[0]).toContain("segment");
  });

  test.each([
    "Thu, 31 Jan 2030 09:00:00 GMT",
    "2030-1-31 09:00",
    "31 January 2030 09:00",
    "2030-01-31T09:00:00Z",
  ])("may be scheduled for %p", async (scheduledFor) => {
    const answer = await api("POST", `/campaigns/${await campaign()}/send`, { scheduledFor });

    expect(answer.body.data.scheduledFor).toBe("2030-01-31T09:00:00.000Z");
  });

  test.each(["soon", "5 apples", "", "2030-13-45"])("may not be scheduled for %p", async (scheduledFor) => {
    const answer = await api("POST", `/campaigns/${await campaign()}/send`, { scheduledFor });

    expect(answer.status).toBe(400);
  });

  test("a test answers with the id of its mail", async () => {
    const { body } = await api("POST", `/campaigns/${await campaign()}/test`, { email: "me@example.com" });

    expect(body).toMatchObject({ success: true, message: expect.any(String), emailId: body.data.email });
  });
});

describe("parameters", () => {
  test.each(["page=0", "pageSize=0", "page=abc", "page=-1", "limit=0"])(
    "/campaigns?%s is refused",
    async (query) => {
      expect((await api("GET", `/campaigns?${query}`)).status).toBe(400);
    },
  );

  test.each([
    "/contacts?cursor=&limit=&search=&subscribed=",
    "/templates?type=&page=&pageSize=",
    "/emails?status=&contactId=",
  ])("%s: what is empty counts as left out", async (path) => {
    expect((await api("GET", path)).status).toBe(200);
  });

  test("one that is unknown is refused with the names that exist, beside all else that is wrong", async () => {
    const answer = await api("GET", "/emails?recipient=x@example.com&limit=many");

    expect(answer.status).toBe(400);
    expect(errorsOf(answer)).toMatchObject({
      recipient: expect.stringContaining("status"),
      limit: "Expected a whole number",
    });
  });

  test("strangers learn no names: who calls is asked first", async () => {
    expect((await service.request("GET", "/emails?nonsense=1")).status).toBe(401);
  });

  test("an endpoint without a key refuses them too", async () => {
    expect((await service.request("GET", "/config?verbose=1")).status).toBe(400);
    expect((await service.request("GET", "/health?verbose=1")).status).toBe(400);
  });

  test("pages take whatever comes: mail programs add their own", async () => {
    expect((await service.request("GET", "/docs?utm_source=mail")).status).toBe(200);
    expect((await service.request("GET", "/t/o/x?fbclid=1")).status).not.toBe(400);
  });
});

describe("fields that were meant to be others", () => {
  test("are named where the request is refused for it", async () => {
    const answer = await api("POST", "/v1/send", {
      to: "a@example.com",
      from: `hello@${DOMAIN}`,
      subject: "S",
      html: "<p>x</p>",
    });

    expect(answer.status).toBe(422);
    expect(errorsOf(answer).html).toBe("Unknown field: write it as body");
  });

  test("are warned of where the mail was sent without them", async () => {
    const answer = await send({
      reply_to: "help@example.com",
      scheduled_at: "2030-01-01",
      colour: "red",
    });

    expect(answer.status).toBe(200);
    expect(answer.body.warnings).toEqual([
      "The field reply_to is unknown and was ignored: write it as reply",
      "The field scheduled_at is unknown and was ignored: write it as sendAt",
    ]);
    expect((await send({ colour: "red" })).body.warnings).toBeUndefined();
  });

  test("are warned of, too, where another service would have done something with them", async () => {
    const answer = await send({ timestamp: "2026-01-01", text: "plain" });

    expect(answer.status).toBe(200);
    expect(answer.body.warnings).toEqual([
      "The field timestamp is unknown and was ignored",
      "The field text is unknown and was ignored",
    ]);
  });

  test("of a campaign are warned of, and so is an audience that does not count", async () => {
    const answer = await api("POST", "/campaigns", {
      name: "C",
      subject: "S",
      body: "B",
      from: `hello@${DOMAIN}`,
      audienceType: "ALL",
      segmentId: crypto.randomUUID(),
      scheduledFor: "2030-01-01T00:00:00Z",
    });

    expect(answer.status).toBe(201);
    expect(answer.body.warnings).toEqual([
      "The field scheduledFor is unknown and was ignored",
      "The field segmentId was ignored: the audienceType is ALL",
    ]);
  });

  test("of a step's config are refused", async () => {
    const workflow = await api("POST", "/workflows", { name: "Near", eventName: "near" });
    const answer = await api("POST", `/workflows/${workflow.body.id}/steps`, {
      type: "UPDATE_CONTACT",
      name: "Note",
      config: { update: { a: 1 } },
    });

    expect(answer.status).toBe(422);
    expect(errorsOf(answer)["config.update"]).toBe("Unknown field: write it as updates");
  });

  test.each<[string, string, object, string]>([
    ["POST", "/contacts", { email: "x@example.com", subcribed: false }, "subcribed"],
    [
      "POST",
      "/templates",
      { name: "N", subject: "S", body: "B", from: "a@b.co", reply_to: "x@b.co" },
      "reply_to",
    ],
  ])("%s %s %p is refused: nothing could be warned of", async (method, path, body, field) => {
    const answer = await api(method, path, body);

    expect(answer.status).toBe(422);
    expect(errorsOf(answer)[field]).toContain("write it as");
  });
});

describe("one answer", () => {
  test.each(["POST", "PATCH"])("names all that is wrong with a template: %s", async (method) => {
    const made = await api("POST", "/templates", { name: "N", subject: "S", body: "B", from: `a@${DOMAIN}` });
    const path = method === "POST" ? "/templates" : `/templates/${made.body.id}`;
    const wrong = {
      name: "N",
      subject: "{{",
      body: "{{/if}}",
      from: "x",
      replyTo: "y",
      preheader: 5,
      type: "Z",
    };

    const answer = await api(method, path, wrong);

    expect(Object.keys(errorsOf(answer)).toSorted()).toEqual([
      "body",
      "from",
      "preheader",
      "replyTo",
      "subject",
      "type",
    ]);
  });

  test("says in words what a pattern wants", async () => {
    const file = { filename: 'a"', contentType: "text", content: "YQ==", contentId: "a b" };

    const sent = await send({ attachments: [file] });
    const listed = await api("GET", "/requests?status=teapot&key=me");

    const messages = Object.values({ ...errorsOf(sent), ...errorsOf(listed) });
    expect(messages.filter((message) => /[\^$]/.test(message))).toEqual([]);
    expect(messages).toHaveLength(5);
  });
});

describe("PUT and PATCH", () => {
  test("PUT where PATCH is specified merges", async () => {
    const made = await api("POST", "/contacts", { email: "put@example.com", data: { plan: "pro" } });
    const answer = await api("PUT", `/contacts/${made.body.id}`, { data: { seats: 3 } });

    expect(answer.body.data).toEqual({ plan: "pro", seats: 3 });
  });

  test("PATCH of a campaign merges, and PUT replaces", async () => {
    const id = await campaign({ description: "Mine" });
    const patched = await api("PATCH", `/campaigns/${id}`, { subject: "New" });
    const replaced = await api("PUT", `/campaigns/${id}`, {
      name: "C",
      subject: "Newer",
      body: "B",
      from: `hello@${DOMAIN}`,
      audienceType: "ALL",
    });

    expect(patched.body).toMatchObject({ subject: "New", description: "Mine", body: "B" });
    expect(replaced.body).toMatchObject({ subject: "Newer", description: null });
  });

  test("changes at the same time are all kept", async () => {
    const id = await campaign();
    const fields = { name: "N", subject: "S2", description: "D" };
    const answers = await Promise.all(
      Object.entries(fields).map(([name, value]) => api("PATCH", `/campaigns/${id}`, { [name]: value })),
    );

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await api("GET", `/campaigns/${id}`)).body).toMatchObject(fields);
  });

  test("another method is still refused", async () => {
    expect((await api("PUT", "/segments", {})).status).toBe(405);
  });
});

describe("the log", () => {
  test("says why a request was refused, and nothing of probes", async () => {
    await service.request("GET", "/health");
    const id = crypto.randomUUID();
    await service.request("GET", "/contacts", { headers: { "x-request-id": id } });
    const lineOf = () => service.lines.find(({ requestId }) => requestId === id);
    await until("the line", () => lineOf() !== undefined);

    expect(lineOf()).toMatchObject({ level: "info", status: 401, code: "MISSING_AUTH" });
    expect(service.lines.filter(({ route, status }) => route === "/health" && status === 200)).toEqual([]);
  });
});

describe("the Node client of the existing API, 3.0.3", () => {
  /** As it makes its requests: a POST below `v1/` with the fields that it was given. */
  const call = (url: "send" | "track", key: string, json: object) =>
    service.request("POST", `/v1/${url}`, { key, body: { ...json } });

  test("has its messages sent, with the fields that it knows and we do not", async () => {
    const message = { subject: "Hello", body: "Hello world!", from: `hello@${DOMAIN}`, name: "Shop" };
    const one = await call("send", project.secret, { ...message, to: "a1@example.com", type: "html" });
    const many = await call("send", project.secret, {
      ...message,
      to: ["a2@example.com", "a3@example.com"],
      type: "markdown",
      subscribed: false,
    });

    expect([one.status, one.body.success, one.body.warnings]).toEqual([200, true, undefined]);
    expect([many.status, many.body.data.emails.length]).toEqual([200, 2]);
  });

  test("has its events recorded, values with `persistent` included", async () => {
    const answer = await call("track", project.public, {
      event: "new-project",
      email: "a4@example.com",
      subscribed: true,
      data: { company: "Shop", coupon: { value: "X1", persistent: false } },
    });
    const { body } = await api("GET", `/contacts/${answer.body.data.contact}`);

    expect([answer.status, answer.body.success]).toEqual([200, true]);
    expect([body.data.company, body.data.coupon]).toEqual(["Shop", undefined]);
  });
});
