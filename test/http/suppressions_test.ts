import { beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { inTransaction } from "../../src/context.ts";
import { type SuppressionReason, suppressAddresses } from "../../src/sending/suppressions.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService();
let project: NewProject;

const call = (method: string, path: string, body?: unknown, key = project.secret) =>
  service.request(method, path, { key, body });
const add = (body: object) => call("POST", "/suppressions", body);
const list = async (query = "") => (await call("GET", `/suppressions?${query}`)).body;
const addressesOf = (page: { data: { email: string }[] }) => page.data.map(({ email }) => email);
const fieldsOf = (body: { error: { errors: { field: string; code: string }[] } }) =>
  body.error.errors.map(({ field, code }) => `${field} ${code}`);

beforeEach(async () => {
  project = await service.createProject();
  service.smtp.received.length = 0;
});

describe("POST /suppressions", () => {
  test("puts an address on the list: 201 with its record, and 200 with the same one when it is there", async () => {
    const made = await add({ email: " Ada@Example.com " });
    const again = await add({ email: "ADA@example.com" });

    expect([made.status, again.status]).toEqual([201, 200]);
    expect(made.body).toEqual({
      id: expect.any(String),
      email: "ada@example.com",
      reason: "MANUAL",
      projectId: project.id,
      createdAt: expect.any(String),
    });
    expect(again.body).toEqual(made.body);
    expect(await list()).toEqual({
      data: [made.body],
      cursor: null,
      hasMore: false,
      total: 1,
      estimated: false,
    });
  });

  test.each([
    ["MANUAL", "BOUNCE", "BOUNCE"],
    ["MANUAL", "COMPLAINT", "COMPLAINT"],
    ["BOUNCE", "COMPLAINT", "COMPLAINT"],
    ["BOUNCE", "MANUAL", "BOUNCE"],
    ["COMPLAINT", "BOUNCE", "COMPLAINT"],
    ["COMPLAINT", "MANUAL", "COMPLAINT"],
  ])("%s and then %s is %s: a reason is never weakened", async (first, second, stands) => {
    const made = await add({ email: "a@example.com", reason: first });
    const one = await add({ email: "a@example.com", reason: second });
    const many = await add({ emails: ["a@example.com"], reason: second });

    expect([one.status, one.body]).toEqual([200, { ...made.body, reason: stands }]);
    expect(many.body).toEqual({ added: 0, existing: 1 });
    expect((await list()).data).toEqual([one.body]);
  });

  test("takes a list over, and says how many are new; an address that is named twice counts once", async () => {
    await add({ email: "r1@example.com" });
    const emails = [...Array.from({ length: 1000 - 1 }, (_, i) => `R${i}@example.com`), "r5@example.com"];
    const { status, body } = await add({ emails, reason: "BOUNCE" });

    expect([status, body]).toEqual([200, { added: 998, existing: 1 }]);
    expect(await list("limit=1&reason=BOUNCE")).toMatchObject({ total: 999, data: [{ reason: "BOUNCE" }] });
    expect((await add({ emails })).body).toEqual({ added: 0, existing: 999 });
  });

  test.each([
    ["nothing", {}, ["email required"]],
    ["only a reason", { reason: "BOUNCE" }, ["email required"]],
    ["no address", { email: "nobody" }, ["email invalid_string"]],
    ["null", { email: null }, ["email invalid_type"]],
    ["an address with a name", { email: "Ada <ada@example.com>" }, ["email invalid_string"]],
    ["both", { email: "a@example.com", emails: ["b@example.com"] }, ["emails custom"]],
    ["an empty list", { emails: [] }, ["emails too_small"]],
    ["1,001 addresses", { emails: Array(1001).fill("a@example.com") }, ["emails too_big"]],
    ["an unknown reason", { email: "a@example.com", reason: "bored" }, ["reason invalid_enum_value"]],
    [
      "several faults",
      { emails: ["a@example.com", "x", "b@example.com", 5], reason: "WHY" },
      ["emails.1 invalid_string", "emails.3 invalid_type", "reason invalid_enum_value"],
    ],
  ])("%s is 422 with every bad field, and nothing is added", async (_, input, fields) => {
    const { status, body } = await add(input);

    expect([status, fieldsOf(body).toSorted()]).toEqual([422, fields]);
    expect((await list()).total).toBe(0);
  });

  test("fifty at once for one address are one row and one 201", async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => add({ email: "race@example.com" })));
    const statuses = answers.map(({ status }) => status).toSorted();

    expect(statuses).toEqual([...Array(49).fill(200), 201]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect((await list()).total).toBe(1);
  });

  test("lists at once that overlap in opposite orders all succeed, and each address is added once", async () => {
    const emails = Array.from({ length: 400 }, (_, i) => `r${i}@example.com`);
    const orders = [emails, emails.toReversed()];
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => add({ emails: orders[i % 2], reason: "BOUNCE" })),
    );

    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(answers.reduce((sum, { body }) => sum + body.added, 0)).toBe(400);
    expect((await list()).total).toBe(400);
  });
});

describe("suppressAddresses", () => {
  test("serves several projects in one statement, and joins a transaction", async () => {
    const other = await service.createProject();
    const row = (projectId: string, reason: SuppressionReason) => ({
      projectId,
      email: "b@example.com",
      reason,
    });
    await add({ email: "b@example.com", reason: "COMPLAINT" });
    const rows = [row(project.id, "BOUNCE"), row(other.id, "MANUAL"), row(other.id, "BOUNCE")];
    const written = await inTransaction(service, (tx) => suppressAddresses(tx, rows));
    const undone = inTransaction(service, async (tx) => {
      await suppressAddresses(tx, [{ projectId: project.id, email: "c@example.com", reason: "BOUNCE" }]);
      throw new Error("undone");
    });

    expect(await undone.catch((error: Error) => error.message)).toBe("undone");
    expect(written.map(({ projectId, reason, isNew }) => [projectId, reason, isNew]).toSorted()).toEqual(
      [
        [project.id, "COMPLAINT", false],
        [other.id, "BOUNCE", true],
      ].toSorted(),
    );
    expect(addressesOf(await list())).toEqual(["b@example.com"]);
    expect(await suppressAddresses(service, [])).toEqual([]);
  });
});

describe("GET /suppressions", () => {
  const emails = Array.from({ length: 45 }, (_, i) => `r${String(i).padStart(2, "0")}_%@example.com`);

  test("pages through all, the newest first or last, each once, also while others arrive", async () => {
    await add({ emails });
    const pages = async (query: string) => {
      const seen: string[] = [];
      const totals: number[] = [];
      for (let cursor: string | null = "", n = 0; cursor !== null && n < 20; n++) {
        const page: { data: { email: string }[]; cursor: string | null; hasMore: boolean; total: number } =
          await list(`limit=20${query}${cursor && `&cursor=${cursor}`}`);
        expect(page.hasMore).toBe(page.cursor !== null);
        seen.push(...addressesOf(page));
        totals.push(page.total);
        cursor = page.cursor;
        if (query === "") await add({ email: `late${n}@example.com` });
      }
      return { seen, totals };
    };
    const newest = await pages("");
    const oldest = await pages("&dir=asc&sort=createdAt&search=_%25");

    expect(newest).toEqual({ seen: emails.toReversed(), totals: [45, 0, 0] });
    expect(oldest).toEqual({ seen: emails, totals: [45, 0, 0] });
  });

  test("searches a part of the address, where wildcards are ordinary characters, and filters by reason", async () => {
    await add({ emails });
    await add({ emails: emails.slice(0, 4), reason: "BOUNCE" });
    await add({ emails: emails.slice(3, 6), reason: "COMPLAINT" });
    const total = async (query: string) => (await list(query)).total;

    expect(await total("search=R1")).toBe(10);
    expect(await total("search=_%25")).toBe(45);
    expect(await total("search=%25r")).toBe(0);
    expect(await total("search=r1__@")).toBe(0);
    expect(await total("search=%5C")).toBe(0);
    expect(await total("search=")).toBe(45);
    expect(await total("search=%20EXAMPLE.com")).toBe(45);
    expect(addressesOf(await list("reason=BOUNCE"))).toEqual(emails.slice(0, 3).toReversed());
    expect(addressesOf(await list("reason=COMPLAINT&search=r04"))).toEqual([emails[4]!]);
    expect((await list("limit=1000")).data).toHaveLength(45);
    expect((await list("limit=0")).data).toHaveLength(1);
  });

  test.each(["reason=BORED", "reason=bounce", "cursor=xyz", "cursor=WyJhIl0", "limit=many", "search=%00"])(
    "%s is 400",
    async (query) => {
      expect((await call("GET", `/suppressions?${query}`)).status).toBe(400);
    },
  );
});

describe("DELETE /suppressions", () => {
  test.each([
    ["in the body", "", { email: "ADA@example.com" }],
    ["in the query", "?email=ADA%40example.com", undefined],
    ["in both: the body counts", "?email=other@example.com", { email: "ada@example.com" }],
  ])("takes an address off that is named %s, and is 404 the second time", async (_, query, body) => {
    await add({ emails: ["ada@example.com", "other@example.com"] });
    const first = await call("DELETE", `/suppressions${query}`, body);
    const second = await call("DELETE", `/suppressions${query}`, body);

    expect([first.status, first.body]).toEqual([204, ""]);
    expect([second.status, second.body.error.code, second.body.error.details]).toEqual([
      404,
      "RESOURCE_NOT_FOUND",
      { resource: "suppression", id: "ada@example.com" },
    ]);
    expect(addressesOf(await list())).toEqual(["other@example.com"]);
  });

  test("without an address it is 422, with a malformed one 422 or, in the query, 400", async () => {
    const none = await call("DELETE", "/suppressions");
    const empty = await call("DELETE", "/suppressions", {});
    const malformed = await call("DELETE", "/suppressions", { email: "nobody" });
    const inQuery = await call("DELETE", "/suppressions?email=nobody");

    expect([none.status, fieldsOf(none.body)]).toEqual([422, ["email required"]]);
    expect([empty.status, fieldsOf(empty.body)]).toEqual([422, ["email required"]]);
    expect([malformed.status, fieldsOf(malformed.body)]).toEqual([422, ["email invalid_string"]]);
    expect([inQuery.status, fieldsOf(inQuery.body)]).toEqual([400, ["email invalid_string"]]);
  });

  test("needs no content type where there is no body", async () => {
    await add({ email: "ada@example.com" });
    const request = new Request("http://localhost/suppressions?email=ada@example.com", {
      method: "DELETE",
      headers: { authorization: `Bearer ${project.secret}` },
    });

    expect((await service.app.handle(request)).status).toBe(204);
  });
});

describe("the list of one project", () => {
  test("is not seen, changed or heeded by another", async () => {
    await add({ email: "ada@example.com", reason: "BOUNCE" });
    const other = await service.createProject();
    const seen = await call("GET", "/suppressions", undefined, other.secret);
    const removed = await call("DELETE", "/suppressions", { email: "ada@example.com" }, other.secret);
    const sent = await call("POST", "/v1/send", mailTo(["ada@example.com"]), other.secret);
    const made = await call("POST", "/suppressions", { email: "ada@example.com" }, other.secret);

    expect([seen.body.total, removed.status, made.status]).toEqual([0, 404, 201]);
    expect((await statusOf(sent.body, other.secret))[0]).toMatchObject({ status: "PENDING" });
    expect((await list()).data).toMatchObject([{ reason: "BOUNCE" }]);
    await service.runJobs();
  });
});

const mailTo = (to: string[]) => ({ to, from: `hello@${DOMAIN}`, subject: "Hi", body: "<p>Hello</p>" });
const statusOf = async (
  sent: { data: { emails: { email: string }[] } },
  key = project.secret,
): Promise<{ status: string; error: string | null }[]> =>
  await Promise.all(
    sent.data.emails.map(async ({ email }) => (await call("GET", `/emails/${email}`, undefined, key)).body),
  );

describe("POST /v1/send to an address on the list", () => {
  const jobs = async (emailId: string) =>
    (await service.jobs()).filter(({ payload }) => JSON.stringify(payload).includes(emailId)).length;

  test.each(["MANUAL", "BOUNCE", "COMPLAINT"])(
    "is accepted, and the ledger says that it is suppressed (%s), beside others that are sent",
    async (reason) => {
      await add({ email: "gone@example.com", reason });
      const to = ["one@example.com", "Gone <GONE@example.com>", "two@example.com", "gone@example.com"];
      const { status, body } = await call("POST", "/v1/send", mailTo(to));
      const ids = body.data.emails.map(({ email }: { email: string }) => email);
      const waiting = await Promise.all(ids.map(jobs));
      await service.runJobs();
      const rows = await statusOf(body);

      expect(status).toBe(200);
      expect(body.data.emails.map((e: { contact: { email: string } }) => e.contact.email)).toEqual([
        "one@example.com",
        "gone@example.com",
        "two@example.com",
        "gone@example.com",
      ]);
      expect(waiting).toEqual([1, 0, 1, 0]);
      const error = `The address is on the suppression list (${reason})`;
      expect(rows).toMatchObject([
        { status: "SENT", error: null },
        { status: "SUPPRESSED", error, attempts: 0, sentAt: null, messageId: null },
        { status: "SENT", error: null },
        { status: "SUPPRESSED", error },
      ]);
      expect(service.smtp.received.flatMap(({ to: envelope }) => envelope).toSorted()).toEqual([
        "one@example.com",
        "two@example.com",
      ]);
    },
  );

  test("alone needs no job; taken off the list, the address gets mail again", async () => {
    await add({ email: "gone@example.com" });
    const first = await call("POST", "/v1/send", mailTo(["gone@example.com"]));
    await call("DELETE", "/suppressions", { email: "gone@example.com" });
    const second = await call("POST", "/v1/send", mailTo(["gone@example.com"]));
    await service.runJobs();

    expect(await statusOf(first.body)).toMatchObject([{ status: "SUPPRESSED" }]);
    expect(await statusOf(second.body)).toMatchObject([{ status: "SENT" }]);
    expect(service.smtp.received).toHaveLength(1);
  });

  test("is found by its state, and repeated with its Idempotency-Key gives the first answer", async () => {
    await add({ email: "gone@example.com", reason: "COMPLAINT" });
    const send = () =>
      service.request("POST", "/v1/send", {
        key: project.secret,
        body: mailTo(["gone@example.com", "one@example.com"]),
        headers: { "idempotency-key": "once" },
      });
    const answers = await Promise.all([send(), send(), send()]);
    const accepted = answers.find(({ status }) => status === 200)!;
    await service.runJobs();
    const suppressed = (await call("GET", "/emails?status=SUPPRESSED")).body;

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    for (const { body } of answers.filter(({ status }) => status === 409)) {
      expect(body.error.details.originalResponse).toEqual(accepted.body);
    }
    expect(suppressed.data).toMatchObject([{ id: accepted.body.data.emails[0].email }]);
    expect(service.smtp.received.map(({ to }) => to)).toEqual([["one@example.com"]]);
  });
});
