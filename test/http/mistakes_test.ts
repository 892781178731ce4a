// One answer names all mistakes of a request: whoever mends them has no second round.
import { beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { signUp } from "../support/accounts.ts";
import { type Answer, DOMAIN, useService } from "../support/service.ts";

const service = useService();
let project: NewProject;
const api = (method: string, path: string, body?: unknown) =>
  service.request(method, path, { key: project.secret, body });
const fieldsOf = ({ body }: Answer): string[] =>
  body.error.errors.map(({ field }: { field: string }) => field).sort();

beforeAll(async () => {
  project = await service.createProject();
});

describe("a template", () => {
  test("that lacks everything is told so at once, in the answer that clients know", async () => {
    const answer = await api("POST", "/templates", {});

    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ error: "A name, a subject, a body and a from address are required" });
  });

  test("that lacks one thing is told as ever", async () => {
    const answer = await api("POST", "/templates", { name: "T", subject: "S", body: "B" });

    expect(answer).toMatchObject({ status: 400, body: { error: "A from address is required" } });
  });

  test("lists what is missing beside what is wrong", async () => {
    const ofSchema = await api("POST", "/templates", { name: " ", type: "LETTER", body: "{{#if}}" });
    const ofTexts = await api("POST", "/templates", { name: "T", subject: "{{a", body: "{{#if x}}" });

    expect(ofSchema.status).toBe(422);
    expect(fieldsOf(ofSchema)).toEqual(["body", "from", "name", "subject", "type"]);
    expect(fieldsOf(ofTexts)).toEqual(["body", "from", "subject"]);
  });
});

describe("a segment", () => {
  test("without a name and a condition is told of both", async () => {
    expect(await api("POST", "/segments", {})).toMatchObject({
      status: 400,
      body: { error: "A name and a condition are required" },
    });
  });

  test("without a name lists the faults of its condition too", async () => {
    const filters = [{ field: "data.a", operator: "resembles" }];
    const answer = await api("POST", "/segments", { condition: { logic: "AND", groups: [{ filters }] } });

    expect(answer.status).toBe(422);
    expect(fieldsOf(answer)).toEqual(["condition.groups.0.filters.0.operator", "name"]);
  });
});

test("a contact without an address is told of its other faults as well", async () => {
  const answer = await api("POST", "/contacts", { data: 5, subscribed: "yes" });

  expect(answer.status).toBe(422);
  expect(fieldsOf(answer)).toEqual(["data", "email", "subscribed"]);
});

test("a header whose value is no text is named, beside the others", async () => {
  const headers = { "X-A": 5, "X B": "1", "X-C": "a\nb", "X-D": null, "X-E": "fine" };
  const answer = await api("POST", "/v1/send", {
    to: null,
    from: `hello@${DOMAIN}`,
    subject: "S",
    body: "B",
    headers,
  });

  expect(fieldsOf(answer)).toEqual(["headers.X B", "headers.X-A", "headers.X-C", "headers.X-D", "to"]);
});

test.each(["PATCH", "PUT"])("%s of a campaign lists what is wrong with it", async (method) => {
  const made = await api("POST", "/campaigns", {
    name: "C",
    subject: "S",
    body: "B",
    from: `hello@${DOMAIN}`,
    audienceType: "ALL",
  });
  const answer = await api(method, `/campaigns/${made.body.data.id}`, {
    subject: 5,
    preheader: "{{a",
    audienceCondition: { logic: "XOR", groups: [] },
    audienceType: "FILTERED",
    body: "B",
    name: "C",
    from: `hello@${DOMAIN}`,
  });

  expect(fieldsOf(answer)).toEqual(expect.arrayContaining(["subject", "preheader"]));
  expect(fieldsOf(answer).some((field) => field.startsWith("audienceCondition"))).toBe(true);
});

test("a change of a campaign misses nothing that it leaves as it is", async () => {
  const answer = await api("PATCH", `/campaigns/${Bun.randomUUIDv7()}`, { subject: 5 });

  expect(fieldsOf(answer)).toEqual(["subject"]);
});

describe("a query", () => {
  test.each([
    ["/emails?from=zz&type=LETTER&until=then", ["from", "type", "until"]],
    ["/emails?sort=nonsense&dir=up", ["dir", "sort"]],
    ["/emails?from=2026-02-01&until=2026-01-01&status=LOST&x=1", ["status", "until", "x"]],
    ["/suppressions?sort=email&reason=NONE", ["reason", "sort"]],
    ["/campaigns/ID/recipients?opened=maybe&status=LOST&clicked=1", ["clicked", "opened", "status"]],
    [
      "/contacts?subscribed=maybe&condition={&value=1&anchor=then",
      ["anchor", "condition", "field", "subscribed"],
    ],
    ["/contacts/export?format=xml&value=1", ["field", "format"]],
    ["/contacts?subscribed=maybe&condition=42", ["condition", "subscribed"]],
    ["/contacts?limit=abc&condition=42", ["condition", "limit"]],
    ["/contacts?x=1&condition=[]", ["condition", "x"]],
    ["/contacts?anchor=then&condition=42", ["anchor", "condition"]],
    ["/contacts/export?value=1&condition={}", ["condition.groups", "condition.logic", "field"]],
    ["/contacts/ID?include=mails&x=1", ["include", "x"]],
    ["/workflows/ID/executions?status=LOST&from=zz", ["from", "status"]],
    ["/requests?method=LOOK&from=zz", ["from", "method"]],
    [
      "/analytics/timeseries?startDate=zz&endDate=zz&tz=Mars&interval=year",
      ["endDate", "interval", "startDate", "tz"],
    ],
    ["/analytics/top-events?limit=x&startDate=zz", ["limit", "startDate"]],
    ["/events/stats?startDate=zz&endDate=zz", ["endDate", "startDate"]],
    ["/segments/ID/history?startDate=zz&x=1", ["startDate", "x"]],
    ["/segments/sizes?endDate=zz&x=1", ["endDate", "x"]],
  ])("%s names all that is wrong with it", async (path, fields) => {
    const answer = await api("GET", path.replace("ID", crypto.randomUUID()));

    expect([answer.status, fieldsOf(answer)]).toEqual([400, fields]);
  });

  test("of an upload, too", async () => {
    const answer = await service.request("POST", "/contacts/imports?dryRun=maybe&mapping=[]&subscribed=2", {
      key: project.secret,
      body: "email\n",
      headers: { "content-type": "text/csv" },
    });

    expect([answer.status, fieldsOf(answer)]).toEqual([400, ["dryRun", "mapping", "subscribed"]]);
  });

  test("counts a parameter without a value as left out, beside others that are wrong", async () => {
    expect(fieldsOf(await api("GET", "/emails?limit=&cursor=&type=&from=zz"))).toEqual(["from"]);
  });
});

test("a condition that is wrong is the only fault of a query with 422, as of a body", async () => {
  const answer = await api("GET", "/contacts?condition=42");

  expect([answer.status, fieldsOf(answer)]).toEqual([422, ["condition"]]);
});

test("files that are no base64 are named beside those without a name, and one that has both faults", async () => {
  const file = { filename: "a.txt", content: "SGVsbG8=", contentType: "text/plain" };
  const answer = await api("POST", "/v1/send", {
    to: "ada@example.com",
    subject: "S",
    body: "{{#if",
    attachments: [
      file,
      { ...file, content: "no base64!" },
      { content: "====", contentType: "text/plain", disposition: "inline" },
      { ...file, filename: 5, disposition: "inline", contentId: "a b" },
      "file",
      { ...file, disposition: "inline" },
    ],
  });

  expect([answer.status, fieldsOf(answer)]).toEqual([
    422,
    [
      "attachments.1.content",
      "attachments.2.content",
      "attachments.2.contentId",
      "attachments.2.filename",
      "attachments.3.contentId",
      "attachments.3.filename",
      "attachments.4",
      "attachments.5.contentId",
      "body",
      "from",
    ],
  ]);
});

describe("of a workflow", () => {
  const make = async () => (await api("POST", "/workflows", { name: "F", eventName: "e" })).body.id as string;

  test("a change lists the faults of its trigger beside the others", async () => {
    const answer = await api("PATCH", `/workflows/${await make()}`, {
      name: 5,
      triggerType: "SCHEDULE",
      triggerConfig: { schedule: "soon", timezone: "Mars" },
    });

    expect(fieldsOf(answer)).toEqual(["name", "triggerConfig.schedule", "triggerConfig.timezone"]);
  });

  test("a transition with two branches is told of them beside its ends", async () => {
    const answer = await api("POST", `/workflows/${await make()}/transitions`, {
      fromStepId: "x",
      condition: { branch: "yes" },
      branch: "no",
    });

    expect(fieldsOf(answer)).toEqual(["branch", "fromStepId", "toStepId"]);
  });

  test("a step that names its type is told of its config beside its name", async () => {
    const answer = await api("PATCH", `/workflows/${await make()}/steps/${crypto.randomUUID()}`, {
      type: "DELAY",
      name: "",
      config: { amount: 3 },
    });

    expect(fieldsOf(answer)).toEqual(["config.unit", "name"]);
  });
});

describe("a request that lacks a proof", () => {
  const messageOf = ({ body }: Answer) => body.error.errors[0].message;

  test("of a second factor is told what can be one", async () => {
    const ask = (body: object) => api("POST", "/auth/two-factor", { challenge: "x", ...body });
    const [none, two, long] = [
      await ask({}),
      await ask({ code: "123456", recoveryCode: "abc" }),
      await ask({ recoveryCode: "x".repeat(200) }),
    ];

    expect([none.status, fieldsOf(none)]).toEqual([422, ["code"]]);
    expect(messageOf(none)).toBe("Expected exactly one of code, recoveryCode and passkey");
    expect([fieldsOf(two), messageOf(two)]).toEqual([["recoveryCode"], messageOf(none)]);
    expect(fieldsOf(long)).toEqual(["recoveryCode"]);
  });

  test("of who is logged in is told of the password too", async () => {
    const ada = await signUp(service);
    const none = await ada.request("POST", "/auth/reauthenticate", {});

    expect([none.status, messageOf(none)]).toEqual([
      422,
      "Expected exactly one of password, code, recoveryCode and passkey",
    ]);
  });
});

test("a message without a template is told of its sender with the rest", async () => {
  expect(fieldsOf(await api("POST", "/v1/send", { to: "ada@example.com" }))).toEqual([
    "body",
    "from",
    "subject",
  ]);
});

test("a field of one kind is told of that kind, also where it may be null", async () => {
  const { body } = await api("POST", "/contacts", { email: 5 });

  expect(body.error.errors).toEqual([
    { field: "email", code: "invalid_type", message: "Expected a string", received: 5 },
  ]);
});

describe("a method that a path has not", () => {
  test.each([
    ["POST", "/contacts/export", ["GET", "HEAD"]],
    ["DELETE", "/contacts/export", ["GET", "HEAD"]],
    ["PATCH", "/contacts/export", ["GET", "HEAD"]],
    ["GET", "/segments/preview", ["POST"]],
    ["HEAD", "/segments/preview", ["POST"]],
    ["DELETE", "/segments/operators", ["GET", "HEAD"]],
    ["GET", "/campaigns/audience/", ["POST"]],
    ["PUT", "/campaigns/preview", ["POST"]],
    ["GET", "/contacts/lookup", ["POST"]],
  ])("%s %s is 405 with those that exist", async (method, path, allowed) => {
    const { status, headers, body } = await api(method, path);

    expect([status, headers.get("allow")]).toEqual([405, allowed.join(", ")]);
    if (method !== "HEAD") expect(body.error.details.allowed).toEqual(allowed);
  });

  test("is not one for a name that happens to be a word of a path", async () => {
    await api("POST", "/events/track", { name: "stats" });

    expect(await api("DELETE", "/events/stats")).toMatchObject({ status: 200, body: { deletedCount: 1 } });
  });
});

test("a fault of a template has its place in fields of its own", async () => {
  const body = "<p>\n  {{#if x}}\n</p>";
  const answer = await api("POST", "/templates/preview", { subject: "Hi {{", body });

  expect(answer.body.error.errors).toMatchObject([
    { field: "subject", line: 1, column: 4 },
    { field: "body", line: 2, column: 3 },
  ]);
});

test.each(["contacts", "segments", "templates", "workflows"])(
  "a name in place of an id is told how to find the id: %s",
  async (path) => {
    const byName = await api("GET", `/${path}/welcome`);
    const byId = await api("GET", `/${path}/${crypto.randomUUID()}`);

    expect([byName.status, byId.status]).toEqual([404, 404]);
    expect(byName.body.error.suggestion).toContain(`An id is a UUID: GET /${path}`);
    expect(byId.body.error.suggestion).toBeUndefined();
  },
);
