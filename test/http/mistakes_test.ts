// One answer names all mistakes of a request: whoever mends them has no second round.
import { beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
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
