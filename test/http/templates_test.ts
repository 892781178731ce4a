import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { untilBlocked } from "../support/locks.ts";
import { readMail } from "../support/received_mail.ts";
import { mjmlHere } from "../../src/content/mjml/in_process.ts";
import type { Context } from "../../src/context.ts";
import { mjmlApart } from "../support/mjml.ts";
import { DOMAIN, useService } from "../support/service.ts";

/** Quick, but for what is about the turns that projects take. */
let compile: NonNullable<Context["mjml"]> = mjmlHere;
const service = useService({}, { mjml: async (owner, source) => await compile(owner, source) });
let project: NewProject;

const call = (method: string, path: string, body?: unknown, key = project.secret) =>
  service.request(method, path, { key, body });
const input = { name: "Welcome", subject: "Hi {{name}}", body: "<p>{{name}}</p>", from: `hello@${DOMAIN}` };
const create = async (over: object = {}) => (await call("POST", "/templates", { ...input, ...over })).body;
const fieldsOf = (body: { error: { errors: { field: string; code: string }[] } }) =>
  body.error.errors.map(({ field, code }) => `${field} ${code}`);

/** A campaign of the template, as far as templates know campaigns. */
const addCampaign = async (templateId: string, status: string, over: Record<string, unknown> = {}) => {
  const [row] = await service.pool`
    insert into campaigns ${service.pool({
      project_id: project.id,
      name: `A ${status} campaign`,
      subject: "s",
      body: "b",
      html: "b",
      from_email: `hello@${DOMAIN}`,
      audience_type: "ALL",
      template_id: templateId,
      status,
      ...over,
    })} returning id`;
  return row!.id as string;
};

const mjml = (content: string) =>
  `<mjml>\n<mj-body><mj-section><mj-column>\n${content}\n</mj-column></mj-section></mj-body>\n</mjml>`;

beforeEach(async () => {
  project = await service.createProject();
});

describe("POST /templates", () => {
  test("makes a template with its defaults", async () => {
    const { status, body } = await call("POST", "/templates", input);

    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      name: "Welcome",
      alias: null,
      description: null,
      subject: "Hi {{name}}",
      preheader: null,
      body: "<p>{{name}}</p>",
      from: `hello@${DOMAIN}`,
      fromName: null,
      replyTo: null,
      type: "MARKETING",
      projectId: project.id,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect((await call("GET", `/templates/${body.id}`)).body).toEqual(body);
  });

  test("keeps everything that is given, and addresses trimmed and in lower case", async () => {
    const given = {
      description: "line\nline",
      fromName: " Ünïcode & Co ",
      replyTo: " Help@Example.COM ",
      type: "HEADLESS",
      from: ` Hello@${DOMAIN.toUpperCase()} `,
    };

    expect(await create(given)).toMatchObject({
      ...given,
      fromName: "Ünïcode & Co",
      replyTo: "help@example.com",
      from: `hello@${DOMAIN}`,
    });
    expect(await create({ description: null, fromName: "", replyTo: "" })).toMatchObject({
      description: null,
      fromName: null,
      replyTo: null,
    });
  });

  test.each(["name", "subject", "body", "from"])("without %s it is 400, bare, and says so", async (field) => {
    for (const value of [undefined, null, "", " \t "]) {
      const { status, body } = await call("POST", "/templates", { ...input, [field]: value });

      expect([status, body]).toEqual([400, { error: expect.stringContaining(field) }]);
    }
    expect((await call("GET", "/templates")).body.total).toBe(0);
  });

  test.each([
    ["a name that is too long", { name: "x".repeat(256) }, ["name too_big"]],
    ["a name of two lines", { name: "a\nb" }, ["name invalid_string"]],
    ["a name that is no text", { name: 1 }, ["name invalid_type"]],
    ["a description that is too long", { description: "x".repeat(1001) }, ["description too_big"]],
    ["a subject that is too long", { subject: "x".repeat(999) }, ["subject too_big"]],
    ["a subject of two lines", { subject: "a\r\nBcc: x" }, ["subject invalid_string"]],
    ["a subject with NUL", { subject: "a\0" }, ["subject invalid_string"]],
    ["a body that is too long", { body: "x".repeat(1_048_577) }, ["body too_big"]],
    ["an address that is none", { from: "hello" }, ["from invalid_string"]],
    ["an address with a name", { from: `Shop <hello@${DOMAIN}>` }, ["from invalid_string"]],
    ["two lines in an address", { from: `a@${DOMAIN}\r\nBcc: x@y.io` }, ["from invalid_string"]],
    ["a reply address that is none", { replyTo: "nobody" }, ["replyTo invalid_string"]],
    ["a sender's name of two lines", { fromName: "a\nb" }, ["fromName invalid_string"]],
    ["a sender's name that is too long", { fromName: "x".repeat(256) }, ["fromName too_big"]],
    ["an unknown type", { type: "OTHER" }, ["type invalid_enum_value"]],
    ["no type", { type: null }, ["type invalid_enum_value"]],
    [
      "everything at once",
      { subject: "{{#if", body: "{{/if}}", from: "x", replyTo: "y" },
      ["subject custom", "from invalid_string", "replyTo invalid_string", "body custom"],
    ],
  ])("%s is 422", async (_, over, expected) => {
    const { status, body } = await call("POST", "/templates", { ...input, ...over });

    expect([status, body.error.code, fieldsOf(body)]).toEqual([422, "VALIDATION_ERROR", expected]);
    expect((await call("GET", "/templates")).body.total).toBe(0);
  });

  test("the longest of everything is taken", async () => {
    const longest = {
      name: "n".repeat(255),
      description: "d".repeat(1000),
      subject: "s".repeat(998),
      body: "b".repeat(1_048_576),
      fromName: "f".repeat(255),
    };

    expect(await create(longest)).toMatchObject(longest);
  });

  test.each([
    ["an unknown helper", "subject", "{{shout 'x'}}", '"shout" is unknown', 1, 3],
    ["an open block", "body", "<p>\n  {{#if a}}x</p>", '"{{#if}}" is never closed', 2, 3],
    ["an open expression", "body", "<p>{{name</p>", '"{{" is never closed', 1, 4],
    [
      "an open block in MJML",
      "body",
      mjml("<mj-text>{{#each a}}</mj-text>"),
      '"{{#each}}" is never closed',
      3,
      10,
    ],
    [
      "a fault in MJML",
      "body",
      mjml('<mj-text colour="red">x</mj-text>'),
      "Attribute colour is illegal",
      3,
      1,
    ],
    ["an include", "body", mjml('<mj-include path="/etc/passwd" />'), '"<mj-include>" is not possible', 3, 1],
  ] as const)("%s is refused with its place", async (_, field, source, message, line, column) => {
    const { status, body } = await call("POST", "/templates", { ...input, [field]: source });

    expect(status).toBe(422);
    expect(body.error.errors).toEqual([
      { field, code: "custom", message: expect.stringContaining(message), line, column },
    ]);
    expect(body.error.errors[0].message).toEndWith(`(line ${line}, column ${column})`);
  });

  test("a sender of a domain that is not verified is 403", async () => {
    const { status, body } = await call("POST", "/templates", { ...input, from: "me@elsewhere.example" });

    expect([status, body.error.code]).toEqual([403, "INTERNAL_SERVER_ERROR"]);
    expect(body.error.details).toEqual({ reason: "SENDER_DOMAIN_NOT_VERIFIED", domain: "elsewhere.example" });
    expect((await call("GET", "/templates")).body.total).toBe(0);
  });

  test("MJML is kept as it was written and sent as HTML", async () => {
    const body = mjml("{{#each items}}<mj-text>{{this}}</mj-text>{{/each}}");
    const template = await create({ body, type: "TRANSACTIONAL" });
    await call("POST", "/v1/send", {
      to: "ada@example.com",
      template: template.id,
      data: { items: ["Pen", "Ink"] },
    });
    await service.runJobs();
    const mail = await readMail(service.smtp.received.at(-1)!.source);

    expect(template.body).toBe(body);
    expect((await call("GET", `/templates/${template.id}`)).body.body).toBe(body);
    expect(mail.html).toMatch(/>Pen<\/div>[^]*>Ink<\/div>/);
    expect(mail.html).not.toContain("<mj");
    expect(mail.text!.trim()).toBe("Pen\nInk");
  });
});

describe("MJML of several projects", () => {
  beforeAll(() => void (compile = mjmlApart));
  afterAll(() => void (compile = mjmlHere));

  test("six long templates of one do not hold up the one line of another", async () => {
    const long = mjml(`<mj-text>${"A long text. ".repeat(8)}</mj-text>\n`.repeat(100));
    const other = await service.createProject();
    let done = 0;
    const many = Array.from({ length: 6 }, async () => {
      const { status } = await call("POST", "/templates", { ...input, body: long });
      done += 1;
      return status;
    });
    const line = { ...input, body: mjml("<mj-text>{{name}}</mj-text>") };
    const { status } = await call("POST", "/templates", line, other.secret);
    const before = done;

    // Two are compiled at once: where nobody took turns, five would be done before.
    expect({ status, before, holds: before < 5 }).toEqual({ status: 201, before, holds: true });
    expect(new Set(await Promise.all(many))).toEqual(new Set([201]));
  }, 300_000);
});

describe("GET /templates", () => {
  const names = async (query = "") =>
    (await call("GET", `/templates${query}`)).body.data.map((template: { name: string }) => template.name);

  test("is a page list, the newest first, and `limit` is a page size too", async () => {
    for (const name of ["a", "b", "c"]) await create({ name });
    const first = await call("GET", "/templates?pageSize=2");
    const second = await call("GET", "/templates?limit=2&page=2");

    expect(first.body).toMatchObject({ page: 1, pageSize: 2, total: 3, totalPages: 2 });
    expect(first.body.data.map((template: { name: string }) => template.name)).toEqual(["c", "b"]);
    expect(second.body.data).toEqual([(await call("GET", `/templates/${second.body.data[0].id}`)).body]);
    expect((await call("GET", "/templates?page=9")).body).toMatchObject({ data: [], page: 9, total: 3 });
    expect((await call("GET", "/templates")).body).toMatchObject({ page: 1, pageSize: 20, totalPages: 1 });
    expect((await call("GET", "/templates?pageSize=1000")).body).toMatchObject({
      page: 1,
      pageSize: 100,
    });
  });

  test.each([
    ["?sort=name&dir=asc", ["apple", "Banana", "cherry"]],
    ["?sort=name", ["cherry", "Banana", "apple"]],
    ["?sort=createdAt&dir=asc", ["Banana", "apple", "cherry"]],
    ["", ["cherry", "apple", "Banana"]],
    ["?sort=updatedAt", ["apple", "cherry", "Banana"]],
    ["?sort=updatedAt&dir=asc", ["Banana", "cherry", "apple"]],
    ["?sort=body&dir=up", ["cherry", "apple", "Banana"]],
    ["?sort=body&dir=asc", ["Banana", "apple", "cherry"]],
  ])("%s sorts", async (query, expected) => {
    for (const name of ["Banana", "apple", "cherry"]) await create({ name });
    await service.pool`
      update templates set updated_at = now() + interval '1 hour' where project_id = ${project.id} and name = 'apple'`;

    expect(await names(query)).toEqual(expected);
  });

  test("equals keep an order, so that no page repeats one or leaves one out", async () => {
    const made = await Promise.all(Array.from({ length: 10 }, () => create({ name: "Same" })));
    await service.pool`update templates set created_at = now(), updated_at = now() where project_id = ${project.id}`;
    for (const sort of ["name", "createdAt", "updatedAt"]) {
      for (const dir of ["asc", "desc"]) {
        const ids: string[] = [];
        for (const page of [1, 2, 3, 4]) {
          const { body } = await call("GET", `/templates?sort=${sort}&dir=${dir}&pageSize=3&page=${page}`);
          ids.push(...body.data.map((template: { id: string }) => template.id));
        }
        const inOrder = made.map((template) => template.id).sort();
        expect([sort, dir, ids]).toEqual([sort, dir, dir === "asc" ? inOrder : inOrder.reverse()]);
      }
    }
  });

  test.each([
    ["WELC", ["Welcome"]],
    ["mañana", ["Notes"]],
    ["ORDER {{", ["Receipt"]],
    ["100%", ["Sale"]],
    ["_", ["Sale"]],
    ["\\", ["Sale"]],
    ["  welcome ", ["Welcome"]],
    ["nothing like it", []],
    [" ", ["Sale", "Receipt", "Notes", "Welcome"]],
  ])("searches name, description and subject: %s", async (search, expected) => {
    await create({ name: "Welcome" });
    await create({ name: "Notes", description: "hasta MAÑANA" });
    await create({ name: "Receipt", subject: "Your order {{n}}" });
    await create({ name: "Sale", subject: "100% \\_o_/" });

    expect(await names(`?search=${encodeURIComponent(search)}`)).toEqual(expected);
    expect((await call("GET", `/templates?search=${encodeURIComponent(search)}`)).body.total).toBe(
      expected.length,
    );
  });

  test("lists those of some ids, beside other filters: what is no id is refused, what is gone or another's is left out", async () => {
    const [a, b] = [await create({ name: "a" }), await create({ name: "b", type: "TRANSACTIONAL" })];
    await create({ name: "c" });
    const foreign = await service.request("POST", "/templates", {
      key: (await service.createProject()).secret,
      body: input,
    });
    const ids = [a.id, b.id, foreign.body.id, crypto.randomUUID()];
    const { body } = await call("GET", `/templates?ids=${ids.join(",%20")}`);
    const refused = await call("GET", `/templates?ids=${a.id},x`);
    const tooMany = await call("GET", `/templates?ids=${Array(101).fill(a.id).join()}`);

    expect(foreign.status).toBe(201);
    expect([body.data.map((template: { name: string }) => template.name), body.total]).toEqual([
      ["b", "a"],
      2,
    ]);
    expect(await names(`?ids=${ids.join()}&type=TRANSACTIONAL&fields=name`)).toEqual(["b"]);
    expect([refused.status, fieldsOf(refused.body)]).toEqual([400, ["ids invalid_string"]]);
    expect([tooMany.status, fieldsOf(tooMany.body)]).toEqual([400, ["ids too_big"]]);
  });

  test("filters by type, and an unknown one is 400", async () => {
    await create({ name: "a" });
    await create({ name: "b", type: "TRANSACTIONAL" });
    await create({ name: "c", type: "HEADLESS" });
    const { status, body } = await call("GET", "/templates?type=OTHER");

    expect(await names("?type=TRANSACTIONAL")).toEqual(["b"]);
    expect(await names("?type=MARKETING&search=a")).toEqual(["a"]);
    expect((await call("GET", "/templates?type=HEADLESS")).body.total).toBe(1);
    expect([status, body.error.code, fieldsOf(body)]).toEqual([
      400,
      "BAD_REQUEST",
      ["type invalid_enum_value"],
    ]);
  });
});

describe("PATCH /templates/:id", () => {
  test("changes what is given and nothing else", async () => {
    const template = await create({ description: "d", fromName: "f", replyTo: "r@example.com" });
    const changes = [
      { name: "New" },
      { description: "new" },
      { subject: "new {{a}}" },
      { body: "<b>{{b}}</b>" },
      { from: `new@${DOMAIN}` },
      { fromName: "new" },
      { replyTo: "new@example.com" },
      { type: "HEADLESS" },
      { description: null, fromName: null, replyTo: null },
      { fromName: "x", replyTo: "x@example.com" },
      { fromName: "", replyTo: "" },
    ];
    let expected = template;
    for (const change of changes) {
      const { status, body } = await call("PATCH", `/templates/${template.id}`, change);
      const cleared = Object.fromEntries(Object.entries(change).map(([key, value]) => [key, value || null]));
      expected = { ...expected, ...cleared, updatedAt: body.updatedAt };

      expect([status, body]).toEqual([200, expected]);
    }
    expect((await call("GET", `/templates/${template.id}`)).body).toEqual(expected);
    expect(Date.parse(expected.updatedAt)).toBeGreaterThan(Date.parse(template.updatedAt));
  });

  test("a new body is what is sent from now on, from MJML to HTML and back", async () => {
    const { id } = await create({ body: mjml("<mj-text>first</mj-text>"), type: "TRANSACTIONAL" });
    const html = async () => (await call("POST", `/templates/${id}/preview`, {})).body.html;

    expect(await html()).toMatch(/<!doctype html>[^]*>first</);
    await call("PATCH", `/templates/${id}`, { name: "Other" });
    expect(await html()).toMatch(/>first</);
    await call("PATCH", `/templates/${id}`, { body: "<p>second</p>" });
    expect(await html()).toBe("<p>second</p>");
    await call("PATCH", `/templates/${id}`, { body: mjml("<mj-text>third</mj-text>") });
    expect(await html()).toMatch(/<!doctype html>[^]*>third</);
  });

  test.each([
    ["a blank name", { name: " " }, ["name invalid_string"]],
    ["no name", { name: null }, ["name invalid_type"]],
    ["an empty subject", { subject: "" }, ["subject too_small"]],
    ["a subject of two lines", { subject: "a\nb" }, ["subject invalid_string"]],
    ["a blank body", { body: "\n" }, ["body invalid_string"]],
    ["an empty sender", { from: "" }, ["from invalid_string"]],
    ["no sender", { from: null }, ["from invalid_type"]],
    ["an unknown type", { type: "x" }, ["type invalid_enum_value"]],
    ["a body that is too long", { body: "x".repeat(1_048_577) }, ["body too_big"]],
    [
      "templates that are broken",
      { subject: "{{#if a}}", body: "{{/if}}" },
      ["subject custom", "body custom"],
    ],
    [
      "a broken subject and a bad address",
      { subject: "{{", replyTo: "x" },
      ["subject custom", "replyTo invalid_string"],
    ],
    ["broken MJML", { body: mjml("<mj-text>") }, ["body custom"]],
  ])("%s is 422 and changes nothing", async (_, change, expected) => {
    const template = await create();
    const { status, body } = await call("PATCH", `/templates/${template.id}`, {
      description: "x",
      ...change,
    });

    expect([status, fieldsOf(body)]).toEqual([422, expected]);
    expect((await call("GET", `/templates/${template.id}`)).body).toEqual(template);
  });

  test("a sender of a domain that is not verified is 403 and changes nothing", async () => {
    const template = await create();
    const { status, body } = await call("PATCH", `/templates/${template.id}`, {
      name: "x",
      from: "a@b.example",
    });

    expect([status, body.error.details.reason]).toEqual([403, "SENDER_DOMAIN_NOT_VERIFIED"]);
    expect((await call("GET", `/templates/${template.id}`)).body).toEqual(template);
  });

  test("changes of different fields at once lose nothing of each other", async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await create({ description: "d", fromName: "f" });
      const changes = [
        { name: "New" },
        { subject: "new" },
        { body: "<i>new</i>" },
        { fromName: null },
        { replyTo: "new@example.com" },
        { type: "HEADLESS" },
      ];
      const answers = await Promise.all(changes.map((change) => call("PATCH", `/templates/${id}`, change)));

      expect(answers.map((answer) => answer.status)).toEqual(changes.map(() => 200));
      expect((await call("GET", `/templates/${id}`)).body).toMatchObject(Object.assign({}, ...changes));
    }
  });
});

describe("DELETE /templates/:id", () => {
  test("is for good, and what was sent stays", async () => {
    const { id } = await create();
    const campaign = await addCampaign(id, "SENT");
    const { status, body } = await call("DELETE", `/templates/${id}`);
    const [row] = await service.pool`select template_id, status from campaigns where id = ${campaign}`;

    expect([status, body]).toEqual([204, ""]);
    expect((await call("GET", `/templates/${id}`)).status).toBe(404);
    expect((await call("DELETE", `/templates/${id}`)).status).toBe(404);
    expect(row).toEqual({ templateId: null, status: "SENT" });
  });

  test.each(["DRAFT", "SCHEDULED", "SENDING"])(
    "a campaign that is %s holds it, and is named",
    async (status) => {
      const { id } = await create();
      await addCampaign(id, "CANCELLED");
      const campaign = await addCampaign(id, status);
      const answer = await call("DELETE", `/templates/${id}`);

      expect([answer.status, answer.body.error.code]).toEqual([409, "CONFLICT"]);
      expect(answer.body.error.details).toEqual({
        campaigns: [{ id: campaign, name: `A ${status} campaign`, status }],
        workflowSteps: [],
      });
      expect((await call("GET", `/templates/${id}`)).status).toBe(200);
    },
  );

  test("waits for a campaign that is being made from it, and is then refused", async () => {
    const { id } = await create();
    let deleted: ReturnType<typeof call>;
    await service.pool.begin(async (sql) => {
      await sql`
        insert into campaigns (project_id, name, subject, body, html, from_email, audience_type, template_id)
        values (${project.id}, 'c', 's', 'b', 'b', 'a@b.io', 'ALL', ${id})`;
      deleted = call("DELETE", `/templates/${id}`);
      await untilBlocked(service.pool);
    });

    expect((await deleted!).status).toBe(409);
    expect((await call("GET", `/templates/${id}/usage`)).body.campaigns).toHaveLength(1);
  });

  test("a campaign that comes while it is being deleted is refused by the database", async () => {
    const { id } = await create();
    let added: Promise<unknown>;
    await service.pool.begin(async (sql) => {
      await sql`select from templates where id = ${id} for update`;
      await sql`delete from templates where id = ${id}`;
      added = addCampaign(id, "DRAFT").catch((error: { constraint_name?: string }) => error.constraint_name);
      await untilBlocked(service.pool);
    });

    expect(await added!).toBe("campaigns_project_id_template_id_fkey");
  });

  test("races with campaigns: never does one refer to nothing, nor is one that was made forgotten", async () => {
    for (let round = 0; round < 20; round++) {
      const { id } = await create();
      const [deleted, ...made] = await Promise.all([
        call("DELETE", `/templates/${id}`),
        ...[1, 2, 3].map(() => addCampaign(id, "DRAFT").catch(() => null)),
      ]);
      const [{ count }] = (await service.pool`
        select count(*)::int from campaigns where template_id = ${id}`) as unknown as [{ count: number }];

      expect(count).toBe(made.filter((campaign) => campaign !== null).length);
      expect(deleted.status).toBe(count === 0 ? 204 : 409);
    }
  });
});

describe("POST /templates/:id/duplicate", () => {
  test("is a whole new template", async () => {
    const template = await create({
      body: mjml("<mj-text>{{name}}</mj-text>"),
      description: "d",
      fromName: "f",
      replyTo: "r@example.com",
      type: "HEADLESS",
    });
    const { status, body } = await call("POST", `/templates/${template.id}/duplicate`);
    const preview = (id: string) => call("POST", `/templates/${id}/preview`);

    expect(status).toBe(201);
    expect(body).toEqual({
      ...template,
      id: expect.any(String),
      name: "Welcome (Copy)",
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(body.id).not.toBe(template.id);
    expect((await preview(body.id)).body).toEqual((await preview(template.id)).body);
    await call("PATCH", `/templates/${body.id}`, { subject: "other" });
    expect((await call("GET", `/templates/${template.id}`)).body).toEqual(template);
  });

  test.each([
    ["x".repeat(255), `${"x".repeat(248)} (Copy)`],
    [`${"x".repeat(247)}😀😀`, `${"x".repeat(247)} (Copy)`],
  ])("a name without room for more is cut", async (name, expected) => {
    const { id } = await create({ name });
    const { body } = await call("POST", `/templates/${id}/duplicate`);

    expect(body.name).toBe(expected);
    expect((await call("PATCH", `/templates/${body.id}`, { name: body.name })).status).toBe(200);
  });
});

describe("GET /templates/:id/usage", () => {
  test("names the campaigns of the template, the newest first, and counts what was sent", async () => {
    const { id } = await create();
    const other = await create();
    const old = await addCampaign(id, "SENT", { sent_count: 7 });
    const draft = await addCampaign(id, "DRAFT");
    await addCampaign(other.id, "SENT", { sent_count: 100 });
    for (const [campaign, sent] of [
      [old, 2],
      [old, -1],
      [draft, 5],
    ] as const) {
      await service.pool`
        insert into campaign_count_deltas values (${project.id}, ${campaign}, ${sent}, 0, 0, 0, 0, 0, 0, 0)`;
    }

    expect((await call("GET", `/templates/${id}/usage`)).body).toEqual({
      campaigns: [
        { id: draft, name: "A DRAFT campaign", status: "DRAFT" },
        { id: old, name: "A SENT campaign", status: "SENT" },
      ],
      workflowSteps: [],
      emailsSent: 13,
      outcomes: {
        mails: 0,
        sent: 0,
        delivered: 0,
        opened: 0,
        clicked: 0,
        bounced: 0,
        complained: 0,
        unsubscribed: 0,
        lastSentAt: null,
      },
    });
  });

  test("counts the mails of `POST /v1/send` when they are sent, and not before", async () => {
    const { id } = await create({ type: "TRANSACTIONAL" });
    const to = ["a@example.com", "b@example.com"];
    await call("POST", "/v1/send", { to, template: id });
    const sent = async () => (await call("GET", `/templates/${id}/usage`)).body.emailsSent;

    expect(await sent()).toBe(0);
    await service.runJobs();
    expect(await sent()).toBe(2);
  });
});

describe("GET /templates/uses", () => {
  const usesOf = async (...ids: string[]) => (await call("GET", `/templates/uses?ids=${ids.join(",")}`)).body;

  test("counts campaigns and workflows, and tells when one of the mails was sent, of the templates that are asked for", async () => {
    const [used, unused, other] = [await create({ type: "TRANSACTIONAL" }), await create(), await create()];
    const at = "2026-03-01T10:00:00.000Z";
    await addCampaign(used.id, "SENT", { sent_at: at });
    await addCampaign(used.id, "DRAFT");
    await addCampaign(other.id, "SENT", { sent_at: at });
    for (const name of ["One", "Two"]) {
      const workflow = (await call("POST", "/workflows", { name, eventName: "e" })).body;
      for (const step of ["A", "B"]) {
        const body = { type: "SEND_EMAIL", name: step, templateId: used.id };
        expect((await call("POST", `/workflows/${workflow.id}/steps`, body)).status).toBe(201);
      }
    }
    const byCampaign = await usesOf(used.id);
    await call("POST", "/v1/send", { to: "ada@example.com", template: used.id });
    await service.runJobs();
    const byMail = await usesOf(used.id, unused.id);

    expect(byCampaign).toEqual([{ id: used.id, campaigns: 2, workflows: 2, lastSentAt: at }]);
    expect(byMail).toEqual([
      { id: used.id, campaigns: 2, workflows: 2, lastSentAt: expect.stringMatching(/^\d/) },
      { id: unused.id, campaigns: 0, workflows: 0, lastSentAt: null },
    ]);
    expect(byMail[0].lastSentAt > at).toBe(true);
  });

  test("leaves out what is not there, and templates of others", async () => {
    const { id } = await create();
    const other = await service.createProject();

    expect(await usesOf(crypto.randomUUID())).toEqual([]);
    expect((await call("GET", `/templates/uses?ids=${id}`, undefined, other.secret)).body).toEqual([]);
  });

  test.each([
    ["no id", "ids=nothing"],
    ["an empty one", "ids="],
    ["more than a page", `ids=${Array.from({ length: 101 }, () => crypto.randomUUID()).join(",")}`],
  ])("refuses %s", async (_, query) => {
    const { status, body } = await call("GET", `/templates/uses?${query}`);

    expect([status, body.error.errors[0].field]).toEqual([400, "ids"]);
  });
});

describe("POST /templates/:id/test", () => {
  const received = async () => await readMail(service.smtp.received.at(-1)!.source);

  test("sends it as it is saved, marked, with the data of the contact or the names of the variables", async () => {
    const { id } = await create({ preheader: "For {{name}}" });
    const { status, body } = await call("POST", `/templates/${id}/test`, { email: "Me@Example.com" });
    await service.runJobs();
    const named = await received();
    await call("POST", "/contacts", { email: "ada@example.com", subscribed: false, data: { name: "Ada" } });
    await call("POST", `/templates/${id}/test`, { email: "ada@example.com" });
    await service.runJobs();
    const hers = await received();

    expect([status, body]).toEqual([
      200,
      {
        success: true,
        data: { email: body.emailId },
        emailId: expect.any(String),
        message: "A test is on its way to me@example.com",
      },
    ]);
    expect([named.subject, hers.subject]).toEqual(["[TEST] Hi name", "[TEST] Hi Ada"]);
    expect(hers.html).toContain("For Ada");
    expect((await call("GET", `/emails/${body.emailId}`)).body).toMatchObject({
      status: "SENT",
      contactId: null,
    });
    expect((await call("GET", `/templates/${id}/usage`)).body.emailsSent).toBe(0);
    expect((await call("GET", "/contacts?search=me@example.com")).body.data).toEqual([]);
  });

  test("of what is no address is 422, and one whose sender is not verified any more is 403", async () => {
    const { id } = await create();
    for (const body of [{}, { email: "nobody" }, { email: 5 }]) {
      const answer = await call("POST", `/templates/${id}/test`, body);
      expect([answer.status, answer.body.error.errors[0].field]).toEqual([422, "email"]);
    }
    await service.pool`delete from domains where project_id = ${project.id}`;
    const { status } = await call("POST", `/templates/${id}/test`, { email: "me@example.com" });

    expect(status).toBe(403);
    expect(await service.pool`select from emails where project_id = ${project.id}`).toHaveLength(0);
  });
});

describe("POST /templates/:id/preview", () => {
  test("renders the template for a contact, with data over its own", async () => {
    const { body: contact } = await call("POST", "/contacts", {
      email: "grace@example.com",
      data: { name: "Grace", plan: "free" },
    });
    const { id } = await create({ body: "<p>{{name}} & {{plan}} {{city}}</p>" });
    const answer = await call("POST", `/templates/${id}/preview`, {
      contactId: contact.id,
      data: { plan: "pro" },
    });

    expect([answer.status, answer.body]).toEqual([
      200,
      {
        subject: "Hi Grace",
        html: expect.stringContaining("<p>Grace & pro </p>"),
        text: expect.stringContaining("Grace & pro"),
        missing: ["city"],
      },
    ]);
  });

  test("needs neither a contact nor data, nor a body", async () => {
    const { id } = await create({ subject: "{{email}} {{name}}" });
    for (const body of [undefined, {}, { data: {} }]) {
      const answer = await call("POST", `/templates/${id}/preview`, body);
      expect([answer.status, answer.body.subject, answer.body.missing]).toEqual([
        200,
        "ada@example.com",
        ["name"],
      ]);
    }
  });

  test("the text of MJML is what is to be read, without styles", async () => {
    const { id } = await create({ body: mjml("<mj-text>Hi {{name}}</mj-text>") });
    const { body } = await call("POST", `/templates/${id}/preview`, { data: { name: "Ada & Bob" } });

    expect(body.text).toStartWith("Hi Ada & Bob");
    expect(body.text).not.toMatch(/[{}]|width/);
  });

  test.each([
    ["data that is no object", { data: [] }, 422, ["data invalid_type"]],
    ["data with a bad locale", { data: { locale: 1 } }, 422, ["data.locale invalid_type"]],
    ["a contact that cannot be", { contactId: "nobody" }, 422, ["contactId invalid_string"]],
  ])("%s is refused", async (_, input_, status, expected) => {
    const { id } = await create();
    const answer = await call("POST", `/templates/${id}/preview`, input_);

    expect([answer.status, fieldsOf(answer.body)]).toEqual([status, expected]);
  });

  test("an unknown contact is 404", async () => {
    const { id } = await create();
    const answer = await call("POST", `/templates/${id}/preview`, { contactId: crypto.randomUUID() });

    expect([answer.status, answer.body.error.code]).toEqual([404, "CONTACT_NOT_FOUND"]);
  });
});

describe("a template that is not there", () => {
  const endpoints: [string, string, unknown][] = [
    ["GET", "", undefined],
    ["PATCH", "", { name: "x" }],
    ["DELETE", "", undefined],
    ["POST", "/duplicate", undefined],
    ["GET", "/usage", undefined],
    ["POST", "/preview", {}],
  ];

  test.each(endpoints)("%s /templates/:id%s is 404", async (method, path, body) => {
    for (const id of [crypto.randomUUID(), "welcome", "0190"]) {
      const answer = await call(method, `/templates/${id}${path}`, body);

      expect([answer.status, answer.body.error.code]).toEqual([404, "TEMPLATE_NOT_FOUND"]);
      expect(answer.body.error.details).toEqual({ resource: "template", id });
    }
  });

  test.each(endpoints)("%s /templates/:id%s is 404 for another project", async (method, path, body) => {
    const template = await create();
    const stranger = await service.createProject();
    const answer = await call(method, `/templates/${template.id}${path}`, body, stranger.secret);

    expect([answer.status, answer.body.error.code]).toEqual([404, "TEMPLATE_NOT_FOUND"]);
    expect((await call("GET", `/templates/${template.id}`)).body).toEqual(template);
    expect((await call("GET", "/templates", undefined, stranger.secret)).body.total).toBe(0);
  });

  test("a public key opens none of it", async () => {
    const { id } = await create();
    for (const [method, path, body] of endpoints) {
      expect((await call(method, `/templates/${id}${path}`, body, project.public)).status).toBe(401);
    }
  });
});

describe("an alias", () => {
  test("is what one template of a project has, until it is cleared", async () => {
    const { id, alias } = await create({ alias: "d-12ab" });
    const other = await create();
    const taken = [
      await call("POST", "/templates", { ...input, alias: "d-12ab" }),
      await call("PATCH", `/templates/${other.id}`, { alias: "d-12ab" }),
    ];
    const elsewhere = await call(
      "POST",
      "/templates",
      { ...input, alias: "d-12ab" },
      (await service.createProject()).secret,
    );
    const found = await call("GET", "/templates?search=12A");
    const copy = await call("POST", `/templates/${id}/duplicate`);
    const cleared = await call("PATCH", `/templates/${id}`, { alias: null });
    const again = await call("PATCH", `/templates/${other.id}`, { alias: "d-12ab" });

    expect([alias, elsewhere.status, copy.body.alias]).toEqual(["d-12ab", 201, null]);
    expect(taken.map(({ status, body }) => [status, ...fieldsOf(body)])).toEqual([
      [422, "alias custom"],
      [422, "alias custom"],
    ]);
    expect(found.body.data.map((one: { id: string }) => one.id)).toEqual([id]);
    expect([cleared.body.alias, again.body.alias]).toEqual([null, "d-12ab"]);
  });

  test("changes the ETag, and stays when a version is restored", async () => {
    const { id } = await create();
    const { headers: before } = await call("GET", `/templates/${id}`);
    const { headers: after } = await call("PATCH", `/templates/${id}`, { alias: "welcome" });
    await call("PATCH", `/templates/${id}`, { subject: "Other" });
    const { body } = await call("POST", `/templates/${id}/versions/1/restore`);

    expect(after.get("etag")).not.toBe(before.get("etag"));
    expect([body.alias, body.subject]).toEqual(["welcome", "Hi {{name}}"]);
    expect((await call("GET", `/templates/${id}/versions`)).body).toHaveLength(3);
  });

  test("is no id, and has no spaces", async () => {
    for (const alias of [crypto.randomUUID(), "a b", "", "ä", "x".repeat(129), 5]) {
      const { status, body } = await call("POST", "/templates", { ...input, alias });
      expect([status, body.error.errors[0].field]).toEqual([422, "alias"]);
    }
  });
});
