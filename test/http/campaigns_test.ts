import { beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService();
let project: NewProject;
let other: NewProject;

beforeAll(async () => {
  project = await service.createProject();
  other = await service.createProject();
});

const call = (method: string, path: string, body?: unknown, key = project.secret) =>
  service.request(method, path, { key, ...(body !== undefined && { body }) });

const draft = {
  name: "Spring",
  subject: "Hello {{firstName}}",
  body: "<p>Hello {{firstName}}</p>",
  from: `news@${DOMAIN}`,
  audienceType: "ALL",
};

async function create(more: object = {}, key = project.secret) {
  const { status, body } = await call("POST", "/campaigns", { ...draft, ...more }, key);
  expect([status, body.error]).toEqual([201, undefined]);
  return body.data;
}

async function addContacts(count: number, more: object = {}, key = project.secret) {
  for (let i = 0; i < count; i++) {
    await call("POST", "/contacts", { email: `c${crypto.randomUUID()}@example.com`, ...more }, key);
  }
}

const fields = (body: { error: { errors: { field: string; code: string }[] } }) =>
  body.error.errors.map(({ field, code }) => `${field} ${code}`).sort();

describe("POST /campaigns", () => {
  test("answers the draft in an envelope, with every field of the record", async () => {
    const { status, body } = await call("POST", "/campaigns", {
      ...draft,
      description: "For spring",
      fromName: "Shop",
      replyTo: "help@shop.example",
    });

    expect(status).toBe(201);
    expect(body).toEqual({
      success: true,
      data: {
        id: expect.any(String),
        name: "Spring",
        description: "For spring",
        subject: draft.subject,
        preheader: null,
        body: draft.body,
        from: draft.from,
        fromName: "Shop",
        replyTo: "help@shop.example",
        type: "MARKETING",
        status: "DRAFT",
        audienceType: "ALL",
        segmentId: null,
        audienceCondition: null,
        templateId: null,
        scheduledFor: null,
        totalRecipients: 0,
        sentCount: 0,
        deliveredCount: 0,
        openedCount: 0,
        clickedCount: 0,
        bouncedCount: 0,
        complainedCount: 0,
        unsubscribedCount: 0,
        failedCount: 0,
        capturedCount: 0,
        processedCount: 0,
        projectId: project.id,
        sentAt: null,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    });
  });

  test("counts whom it would reach: MARKETING and HEADLESS the subscribed, TRANSACTIONAL everyone", async () => {
    const { secret } = await service.createProject();
    await addContacts(3, {}, secret);
    await addContacts(2, { subscribed: false }, secret);
    const totals = [];
    for (const type of ["MARKETING", "HEADLESS", "TRANSACTIONAL"])
      totals.push((await create({ type }, secret)).totalRecipients);

    expect(totals).toEqual([3, 3, 5]);
  });

  test("counts a segment, static or dynamic, and a condition", async () => {
    const { secret } = await service.createProject();
    await addContacts(2, { data: { plan: "pro" } }, secret);
    await addContacts(1, { data: { plan: "free" } }, secret);
    const condition = {
      logic: "AND",
      groups: [{ filters: [{ field: "data.plan", operator: "equals", value: "pro" }] }],
    };
    const dynamic = await call("POST", "/segments", { name: "Pro", condition }, secret);
    const fixed = await call("POST", "/segments", { name: "Fixed", type: "STATIC" }, secret);
    const emails = (await call("GET", "/contacts", undefined, secret)).body.data.map(
      (c: { email: string }) => c.email,
    );
    await call("POST", `/segments/${fixed.body.id}/members`, { emails: emails.slice(0, 1) }, secret);

    const reach = async (more: object) => (await create(more, secret)).totalRecipients;
    expect(await reach({ audienceType: "SEGMENT", segmentId: dynamic.body.id })).toBe(2);
    expect(await reach({ audienceType: "SEGMENT", segmentId: fixed.body.id })).toBe(1);
    expect(await reach({ audienceType: "FILTERED", audienceCondition: condition })).toBe(2);
  });

  test("takes the content of a template, which what is given goes over, and keeps the reference", async () => {
    const template = await call("POST", "/templates", {
      name: "T",
      subject: "From the template",
      body: "<p>Template {{firstName}}</p>",
      from: `team@${DOMAIN}`,
      fromName: "Team",
      type: "HEADLESS",
    });
    const campaign = await call("POST", "/campaigns", {
      name: "With template",
      audienceType: "ALL",
      templateId: template.body.id,
      subject: "Its own",
    });

    expect(campaign.status).toBe(201);
    expect(campaign.body.data).toMatchObject({
      subject: "Its own",
      body: "<p>Template {{firstName}}</p>",
      from: `team@${DOMAIN}`,
      fromName: "Team",
      type: "HEADLESS",
      templateId: template.body.id,
    });
  });

  test("names every field that is missing or wrong, and makes nothing", async () => {
    const before = (await call("GET", "/campaigns")).body.total;
    const cases: [object, string[]][] = [
      [{}, ["audienceType", "body", "from", "name", "subject"].map((field) => `${field} required`)],
      [{ name: "x", audienceType: "ALL" }, ["body required", "from required", "subject required"]],
      [
        { ...draft, from: "nobody", subject: "a\nb", type: "LOUD" },
        ["from invalid_string", "subject invalid_string", "type invalid_enum_value"],
      ],
      [{ ...draft, audienceType: "SEGMENT" }, ["segmentId required"]],
      [{ ...draft, audienceType: "FILTERED" }, ["audienceCondition required"]],
      [
        {
          ...draft,
          audienceType: "FILTERED",
          audienceCondition: {
            logic: "XOR",
            groups: [{ filters: [{ field: "data.x", operator: "equals" }] }],
          },
        },
        ["audienceCondition.groups.0.filters.0.value required", "audienceCondition.logic invalid_enum_value"],
      ],
      [{ ...draft, subject: "{{#if a}}" }, ["subject custom"]],
      [{ ...draft, body: "<p>{{#if a}}</p>" }, ["body custom"]],
      [{ ...draft, body: "<mjml><mj-body><mj-nonsense /></mj-body></mjml>" }, ["body custom"]],
    ];
    for (const [body, expected] of cases) {
      const answer = await call("POST", "/campaigns", body);
      expect([expected, answer.status, answer.body.error?.code]).toEqual([expected, 422, "VALIDATION_ERROR"]);
      expect(fields(answer.body)).toEqual(expected);
    }

    expect((await call("GET", "/campaigns")).body.total).toBe(before);
  });

  test("an unverified sender is 403, a template or segment of another project 404", async () => {
    const theirs = {
      template: await call("POST", "/templates", { ...draft, name: "T" }, other.secret),
      segment: await call("POST", "/segments", { name: "S", type: "STATIC" }, other.secret),
    };
    const unverified = await call("POST", "/campaigns", { ...draft, from: "a@elsewhere.example" });
    const template = await call("POST", "/campaigns", { ...draft, templateId: theirs.template.body.id });
    const segment = await call("POST", "/campaigns", {
      ...draft,
      audienceType: "SEGMENT",
      segmentId: theirs.segment.body.id,
    });

    expect([unverified.status, unverified.body.error.code, unverified.body.error.details.reason]).toEqual([
      403,
      "INTERNAL_SERVER_ERROR",
      "SENDER_DOMAIN_NOT_VERIFIED",
    ]);
    expect([template.status, template.body.error.code]).toEqual([404, "TEMPLATE_NOT_FOUND"]);
    expect([segment.status, segment.body.error.code]).toEqual([404, "SEGMENT_NOT_FOUND"]);
  });

  test("an MJML body is kept as it was written", async () => {
    const body =
      "<mjml><mj-body><mj-section><mj-column><mj-text>Hi</mj-text></mj-column></mj-section></mj-body></mjml>";
    const campaign = await create({ body });
    const { html } = (await call("POST", `/campaigns/${campaign.id}/preview`, {})).body;

    expect(campaign.body).toBe(body);
    expect(html).toContain("<table");
    expect(html).not.toContain("<mj-");
  });
});

describe("GET /campaigns", () => {
  let lists: NewProject;
  const list = async (query: string) =>
    (await call("GET", `/campaigns?${query}`, undefined, lists.secret)).body;
  const names = async (query: string) => (await list(query)).data.map((c: { name: string }) => c.name);

  beforeAll(async () => {
    lists = await service.createProject();
    for (const name of ["beta", "Alpha", "gamma_100%"]) {
      await create({ name, subject: `About ${name}` }, lists.secret);
    }
  });

  test("is a page list, the newest first", async () => {
    const body = await list("page=1&pageSize=2");
    const rest = await list("page=2&pageSize=2");

    expect(body).toMatchObject({ page: 1, pageSize: 2, total: 3, totalPages: 2 });
    expect([...body.data, ...rest.data].map((c: { name: string }) => c.name)).toEqual([
      "gamma_100%",
      "Alpha",
      "beta",
    ]);
  });

  test("sorts by name without regard to case, and falls back for what it does not know", async () => {
    expect(await names("sort=name&dir=asc")).toEqual(["Alpha", "beta", "gamma_100%"]);
    expect(await names("sort=name&dir=desc")).toEqual(["gamma_100%", "beta", "Alpha"]);
    expect(await names("sort=subject&dir=up")).toEqual(["gamma_100%", "Alpha", "beta"]);
    expect(await names("dir=asc")).toEqual(["beta", "Alpha", "gamma_100%"]);
  });

  test("searches name, subject and sender, where wildcards are ordinary characters", async () => {
    expect(await names("search=ALPHA")).toEqual(["Alpha"]);
    expect(await names("search=about%20b")).toEqual(["beta"]);
    expect(await names("search=news@")).toHaveLength(3);
    expect(await names("search=0%25")).toEqual(["gamma_100%"]);
    expect(await names("search=_")).toEqual(["gamma_100%"]);
    expect((await list("search=alpha")).total).toBe(1);
  });

  test("filters by status; an unknown one is 400", async () => {
    const { status, body } = await call("GET", "/campaigns?status=LOST", undefined, lists.secret);

    expect([status, body.error.code, body.error.errors[0].field]).toEqual([400, "BAD_REQUEST", "status"]);
    expect(await names("status=DRAFT")).toHaveLength(3);
    expect(await names("status=SENT")).toEqual([]);
  });
});

describe("GET /campaigns with fields", () => {
  test("answers these alone, with the id; a name that is no field is 400 and says which are", async () => {
    const { id, body: html } = await create({ name: "Some fields" });
    const asked = await call("GET", "/campaigns?search=some%20fields&fields=name,status,openedCount");
    expect(asked.body.data).toEqual([{ id, name: "Some fields", status: "DRAFT", openedCount: 0 }]);
    const whole = await call("GET", "/campaigns?search=some%20fields");
    expect(whole.body.data[0].body).toBe(html);
    const wrong = await call("GET", "/campaigns?fields=name,colour");
    expect([wrong.status, wrong.body.error.code]).toEqual([400, "BAD_REQUEST"]);
    expect(wrong.body.error.message).toContain("colour");
  });
});

describe("one campaign", () => {
  test("an id that is no UUID is 422 with the field id, one that is unknown or another project's 404", async () => {
    const theirs = await create({}, other.secret);
    const calls: [string, string, object?][] = [
      ["GET", ""],
      ["PUT", "", draft],
      ["DELETE", ""],
      ["POST", "/duplicate"],
      ["POST", "/send", {}],
      ["POST", "/unschedule"],
      ["POST", "/cancel"],
      ["POST", "/test", { email: "a@b.io" }],
      ["GET", "/stats"],
      ["POST", "/preview", {}],
    ];
    for (const [method, path, body] of calls) {
      const malformed = await call(method, `/campaigns/nope${path}`, body);
      expect([path, malformed.status, fields(malformed.body)]).toEqual([path, 422, ["id invalid_string"]]);
      for (const id of [crypto.randomUUID(), theirs.id]) {
        const { status, body: answer } = await call(method, `/campaigns/${id}${path}`, body);
        expect([path, status, answer.error.code]).toEqual([path, 404, "CAMPAIGN_NOT_FOUND"]);
      }
    }
    expect((await call("GET", `/campaigns/${theirs.id}`, undefined, other.secret)).body.status).toBe("DRAFT");
  });

  test("PATCH counts where the audience changes, and compiles where the body does; else both stay as they are", async () => {
    const mjml =
      "<mjml><mj-body><mj-section><mj-column><mj-text>Hi</mj-text></mj-column></mj-section></mj-body></mjml>";
    const { id } = await create({ body: mjml });
    const patch = async (change: object) => (await call("PATCH", `/campaigns/${id}`, change)).body;
    const stored = async () => {
      const [row] =
        await service.pool`select html, total_recipients as total from campaigns where id = ${id}`;
      return [row!.html, row!.total];
    };
    await service.pool`update campaigns set html = 'compiled', total_recipients = 777 where id = ${id}`;
    expect((await patch({ subject: "Another" })).subject).toBe("Another");
    expect(await stored()).toEqual(["compiled", 777]);
    await patch({ type: "HEADLESS" });
    const [html, recipients] = await stored();
    expect([html, recipients === 777]).toEqual(["compiled", false]);
    await patch({ body: mjml.replace("Hi", "Ho") });
    expect((await stored())[0]).toContain("Ho</div>");
  });

  test("PUT replaces it: what is left out becomes empty", async () => {
    const { id } = await create({ description: "d", fromName: "Shop", replyTo: "a@b.io", type: "HEADLESS" });
    const { status, body } = await call("PUT", `/campaigns/${id}`, { ...draft, name: "New" });

    expect(status).toBe(200);
    expect(body).toMatchObject({
      id,
      name: "New",
      description: null,
      fromName: null,
      replyTo: null,
      type: "MARKETING",
    });
    expect((await call("PUT", `/campaigns/${id}`, { name: "x" })).status).toBe(422);
    expect((await call("GET", `/campaigns/${id}`)).body).toMatchObject({
      name: "New",
      subject: draft.subject,
    });
  });

  test("a copy is a new draft; the original stays as it is", async () => {
    const original = await create({ fromName: "Shop" });
    const { status, body } = await call("POST", `/campaigns/${original.id}/duplicate`);

    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: "Spring (Copy)",
      status: "DRAFT",
      fromName: "Shop",
      subject: original.subject,
    });
    expect(body.id).not.toBe(original.id);
    expect((await call("GET", `/campaigns/${original.id}`)).body).toEqual(original);
  });

  test("the copy of a name of full length still fits", async () => {
    const { id } = await create({ name: "n".repeat(255) });
    const { body } = await call("POST", `/campaigns/${id}/duplicate`);

    expect(body.name).toHaveLength(255);
    expect(body.name).toEndWith(" (Copy)");
  });

  test("DELETE removes a draft", async () => {
    const { id } = await create();

    expect((await call("DELETE", `/campaigns/${id}`)).status).toBe(204);
    expect((await call("GET", `/campaigns/${id}`)).status).toBe(404);
  });

  test("stats of a draft are zeros, and divide by nothing", async () => {
    const { id } = await create();

    expect((await call("GET", `/campaigns/${id}/stats`)).body).toEqual({
      totalRecipients: 0,
      sentCount: 0,
      deliveredCount: 0,
      openedCount: 0,
      clickedCount: 0,
      bouncedCount: 0,
      complainedCount: 0,
      unsubscribedCount: 0,
      failedCount: 0,
      capturedCount: 0,
      processedCount: 0,
      openRate: 0,
      clickRate: 0,
      bounceRate: 0,
      deliveryRate: 0,
      complaintRate: 0,
      unsubscribeRate: 0,
    });
  });

  test("a preview is rendered with the data of a contact, and says what has no value", async () => {
    const { id } = await create({ body: "<p>{{firstName}} {{city}}</p>" });
    const contact = await call("POST", "/contacts", { email: "pre@example.com", data: { firstName: "Ada" } });
    const { status, body } = await call("POST", `/campaigns/${id}/preview`, { contactId: contact.body.id });

    expect(status).toBe(200);
    expect(body).toMatchObject({ subject: "Hello Ada", missing: ["city"] });
    expect(body.html).toContain("<p>Ada </p>");
  });
});
