// Two people who edit the same thing: nobody's change is lost, and a template remembers what it was.
import { beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { join, type Person, signUp } from "../support/accounts.ts";
import { DRAFT } from "../support/campaign.ts";
import { readMail } from "../support/received_mail.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService();
let project: NewProject;
let ada: Person;
const api = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  service.request(method, path, { key: project.secret, headers, ...(body !== undefined && { body }) });
const asAda = (method: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
  ada.request(method, path, body, { projectId: project.id, headers });

const TEMPLATE = { name: "Hello", subject: "Hello", body: "<p>Hello</p>", from: `a@${DOMAIN}` };
const condition = (value: string) => ({
  logic: "AND",
  groups: [{ filters: [{ field: "data.plan", operator: "equals", value }] }],
});

beforeAll(async () => {
  project = await service.createProject();
  ada = await signUp(service);
  await join(service, ada, project.id, "MEMBER");
});

/** What makes each. */
const BODIES: Record<string, object> = {
  template: TEMPLATE,
  campaign: DRAFT,
  segment: { name: "Pros", condition: condition("pro") },
  workflow: { name: "Flow", eventName: "ordered" },
};

interface Thing {
  path: string;
  /** What is made, and where its id stands. */
  make(): Promise<string>;
  change: object;
}

const THINGS: Record<string, Thing> = {
  template: {
    path: "/templates",
    make: async () => (await api("POST", "/templates", TEMPLATE)).body.id,
    change: { subject: "Good day" },
  },
  campaign: {
    path: "/campaigns",
    make: async () => (await api("POST", "/campaigns", DRAFT)).body.data.id,
    change: { subject: "Good day" },
  },
  segment: {
    path: "/segments",
    make: async () => (await api("POST", "/segments", { name: "Pros", condition: condition("pro") })).body.id,
    change: { condition: condition("team") },
  },
  workflow: {
    path: "/workflows",
    make: async () => (await api("POST", "/workflows", { name: "Flow", eventName: "ordered" })).body.id,
    change: { name: "Other" },
  },
};

describe.each(Object.entries(THINGS))("of a %s", (kind, { path, make, change }) => {
  test("the tag is that of what people edit, and a change with the right one is made", async () => {
    const id = await make();
    const { headers } = await api("GET", `${path}/${id}`);
    const tag = headers.get("etag")!;

    expect(tag).toMatch(/^"[\w-]{22}"$/);
    expect((await api("GET", `${path}/${id}`)).headers.get("etag")).toBe(tag);
    const changed = await api("PATCH", `${path}/${id}`, change, { "if-match": `W/${tag}` });
    expect([changed.status, changed.headers.get("etag")]).toEqual([200, expect.not.stringContaining(tag)]);
    expect((await api("GET", `${path}/${id}`)).headers.get("etag")).toBe(changed.headers.get("etag"));
  });

  test("the second of two with If-Match is told who was first, and nothing is lost", async () => {
    const id = await make();
    const tag = (await api("GET", `${path}/${id}`)).headers.get("etag")!;
    await asAda("PATCH", `${path}/${id}`, change);
    const late = await api("PATCH", `${path}/${id}`, { name: "Lost" }, { "if-match": tag });

    expect([late.status, late.body.error.code]).toEqual([412, "PRECONDITION_FAILED"]);
    expect(late.body.error.message).toContain(`${kind}: ${ada.email}`);
    expect(late.body.error.details).toMatchObject({ editedBy: ada.email, editedAt: expect.any(String) });
    const { body, headers } = await api("GET", `${path}/${id}`);
    expect([body.name === "Lost", headers.get("etag")]).toEqual([false, late.body.error.details.etag]);
  });

  test("without If-Match, or with a star, the last one wins, as ever", async () => {
    const id = await make();
    await asAda("PATCH", `${path}/${id}`, change);

    expect((await api("PATCH", `${path}/${id}`, { name: "Last" })).status).toBe(200);
    expect((await api("PATCH", `${path}/${id}`, { name: "Star" }, { "if-match": "*" })).status).toBe(200);
    expect((await api("GET", `${path}/${id}`)).body.name).toBe("Star");
  });

  test("of many who change the same state at once, one succeeds", async () => {
    const id = await make();
    const tag = (await api("GET", `${path}/${id}`)).headers.get("etag")!;
    const answers = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((n) => api("PATCH", `${path}/${id}`, { name: `N${n}` }, { "if-match": tag })),
    );

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412, 412, 412, 412, 412]);
  });
});

describe.each(Object.entries(THINGS))("a %s", (kind, { path, make, change }) => {
  test("that somebody has edited since is not deleted, and one as it was read is", async () => {
    const id = await make();
    const tag = (await api("GET", `${path}/${id}`)).headers.get("etag")!;
    await asAda("PATCH", `${path}/${id}`, change);
    const late = await api("DELETE", `${path}/${id}`, undefined, { "if-match": tag });

    expect([late.status, late.body.error.details.editedBy]).toEqual([412, ada.email]);
    expect(late.body.error.message).toBe(
      `Cannot delete this ${kind}: ${ada.email} has changed it since you read it`,
    );
    const now = (await api("GET", `${path}/${id}`)).headers.get("etag")!;
    expect((await api("DELETE", `${path}/${id}`, undefined, { "if-match": now })).status).toBe(204);
    expect((await api("DELETE", `${path}/${id}`, undefined, { "if-match": now })).status).toBe(404);
  });

  test("is made, copied and read with the same tag", async () => {
    const made = await api("POST", path, BODIES[kind]);
    const id = (made.body.data ?? made.body).id;
    const tag = (await api("GET", `${path}/${id}`)).headers.get("etag");

    expect([made.status, made.headers.get("etag")]).toEqual([201, tag]);
    if (kind === "segment") return;
    const copy = await api("POST", `${path}/${id}/duplicate`);
    const read = await api("GET", `${path}/${copy.body.id}`);
    expect([copy.status, copy.headers.get("etag")]).toEqual([201, read.headers.get("etag")]);
  });
});

describe("the tag of a template", () => {
  test("is that of its preheader, too", async () => {
    const id = await THINGS.template!.make();
    const tag = (await api("GET", `/templates/${id}`)).headers.get("etag")!;
    await asAda("PATCH", `/templates/${id}`, { preheader: "Seen beside the subject" });
    const late = await api("PATCH", `/templates/${id}`, { preheader: "Lost" }, { "if-match": tag });

    expect(late.status).toBe(412);
  });
});

describe("the graph of a workflow", () => {
  test("is not saved where `If-Match` names another one than `version`", async () => {
    const path = `/workflows/${await THINGS.workflow!.make()}/graph`;
    const { body: graph } = await api("GET", path);
    const body = { version: graph.version, steps: graph.steps, transitions: graph.transitions };

    expect((await api("PUT", path, body, { "if-match": '"another"' })).status).toBe(412);
    expect((await api("PUT", path, body, { "if-match": graph.version })).status).toBe(200);
  });
});

describe("a campaign", () => {
  test("that somebody has edited since it was seen is neither sent nor scheduled, and one as it was seen is", async () => {
    const { path, make, change } = THINGS["campaign"]!;
    await api("POST", "/contacts", { email: "reader@example.com" });
    const id = await make();
    const tag = (await api("GET", `${path}/${id}`)).headers.get("etag")!;
    await asAda("PATCH", `${path}/${id}`, change);
    const send = (body: object, seen: string) =>
      api("POST", `${path}/${id}/send`, body, { "if-match": seen });
    const at = { scheduledFor: new Date(Date.now() + 86_400_000).toISOString() };
    const late = [await send({}, tag), await send(at, tag)];
    const { body, headers } = await api("GET", `${path}/${id}`);

    expect(late.map(({ status }) => status)).toEqual([412, 412]);
    expect(late[0]!.body.error.message).toStartWith(`Cannot send this campaign: ${ada.email}`);
    expect([body.status, body.scheduledFor]).toEqual(["DRAFT", null]);
    expect((await send(at, headers.get("etag")!)).status).toBe(200);
  });
});

describe("the counters of a campaign and a segment", () => {
  test("do not change the tag", async () => {
    const id = await THINGS.segment!.make();
    const tag = (await api("GET", `/segments/${id}`)).headers.get("etag");
    await api("POST", "/contacts", { email: "pro@example.com", data: { plan: "pro" } });
    await api("POST", `/segments/${id}/refresh`);
    const { body, headers } = await api("GET", `/segments/${id}`);

    expect([body.memberCount, headers.get("etag")]).toEqual([1, tag]);
  });
});

describe("/templates/:id/versions", () => {
  test("lists who made it what, and brings any of it back", async () => {
    const { body: made } = await api("POST", "/templates", { ...TEMPLATE, preheader: "First" });
    const path = `/templates/${made.id}`;
    await asAda("PATCH", path, { subject: "Second", preheader: null });
    await api("PATCH", path, { subject: "Second" });
    const versions = async () => (await api("GET", `${path}/versions`)).body;

    expect(await versions()).toMatchObject([
      { version: 2, subject: "Second", createdBy: ada.email },
      { version: 1, subject: "Hello", createdBy: expect.stringMatching(/^secret key …/) },
    ]);
    expect((await api("GET", `${path}/versions/1`)).body).toMatchObject({
      subject: "Hello",
      preheader: "First",
      body: TEMPLATE.body,
      from: TEMPLATE.from,
    });
    const restored = await api("POST", `${path}/versions/1/restore`);
    expect([restored.status, restored.body.subject, restored.body.preheader]).toEqual([
      200,
      "Hello",
      "First",
    ]);
    expect((await versions()).map(({ version }: { version: number }) => version)).toEqual([3, 2, 1]);
    expect((await api("GET", `${path}/versions/7`)).status).toBe(404);
    expect((await api("POST", `${path}/versions/x/restore`)).status).toBe(404);
  });

  test("keeps a hundred", async () => {
    const id = await THINGS.template!.make();
    for (let n = 0; n < 104; n++) {
      await service.pool`update templates set subject = ${`S${n}`} where id = ${id}`;
    }
    const { body } = await api("GET", `/templates/${id}/versions`);

    expect([body.length, body[0].version, body.at(-1).version]).toEqual([100, 105, 6]);
  });
});

describe("a preheader", () => {
  test("is hidden at the start of the body, escaped and filled in, and in no text part", async () => {
    const { body } = await api("POST", "/templates/preview", {
      subject: "Hi",
      preheader: "For {{name}} & <b>",
      body: '<!-- <body> --><html><body class="a>b"><p>Text</p></body></html>',
      data: { name: "<Ada>" },
    });

    expect(body.html).toMatch(/<body class="a>b"><div style="display:none[^>]+>For &lt;Ada&gt; & <b>/);
    expect(body.text).not.toContain("For");
  });

  test("goes with campaigns and with mails of a template, and null takes it away", async () => {
    const { body: template } = await api("POST", "/templates", { ...TEMPLATE, preheader: "Look {{n}}" });
    await api("POST", "/v1/send", { to: "ada@example.com", template: template.id, data: { n: 7 } });
    await service.runJobs();
    const { html } = await readMail(service.smtp.received.at(-1)!.source);
    expect(html).toContain("Look 7");
    const { body: campaign } = await api("POST", "/campaigns", {
      ...DRAFT,
      subject: null,
      body: null,
      templateId: template.id,
    });
    expect(campaign.data.preheader).toBe("Look {{n}}");
    expect((await api("POST", `/campaigns/${campaign.data.id}/preview`)).body.html).toContain("Look ");
    const { body: bare } = await api("PATCH", `/campaigns/${campaign.data.id}`, { preheader: null });
    expect(bare.preheader).toBeNull();
    expect((await api("POST", `/campaigns/${campaign.data.id}/preview`)).body.html).not.toContain("Look ");
  });

  test("with an error is refused by its field", async () => {
    const { status, body } = await api("POST", "/templates", { ...TEMPLATE, preheader: "{{#if}" });

    expect([status, body.error.errors[0].field]).toEqual([422, "preheader"]);
  });
});

describe("GET /templates", () => {
  test("answers the fields that are asked for, and bodies only then", async () => {
    const { body } = await api("GET", "/templates?fields=name,updatedAt&pageSize=1");

    expect(Object.keys(body.data[0]).toSorted()).toEqual(["id", "name", "updatedAt"]);
    expect((await api("GET", "/templates?pageSize=1")).body.data[0].body).toBeString();
    expect((await api("GET", "/templates?fields=name,html")).body.error.suggestion).toContain("preheader");
  });

  test("is walked by cursor as by page", async () => {
    const ids: string[] = [];
    let cursor: string | null = "";
    do {
      const { body }: { body: { data: { id: string }[]; cursor: string | null } } = await api(
        "GET",
        `/templates?pageSize=2&fields=id&cursor=${cursor}`,
      );
      ids.push(...body.data.map(({ id }) => id));
      cursor = body.cursor;
    } while (cursor !== null);
    const { body: all } = await api("GET", "/templates?pageSize=100&fields=id");

    expect(ids).toEqual(all.data.map(({ id }: { id: string }) => id));
    expect((await api("GET", "/templates?sort=name&cursor=x")).status).toBe(400);
  });

  test("usage says what became of the newest mails", async () => {
    const [{ id }] = (await api("GET", "/templates?search=Hello&fields=id")).body.data;
    const { body } = await api("GET", `/templates/${id}/usage`);

    expect(Object.keys(body.outcomes)).toContain("clicked");
  });
});
