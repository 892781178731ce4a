// What is not saved yet can be looked at: whom a condition matches, and what a message looks like.
import { beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { conditionCatalogue, type Operand } from "../../src/audience/conditions/catalogue.ts";
import { conditionErrors } from "../../src/audience/conditions/tree.ts";
import { previewSegment } from "../../src/audience/segment_preview.ts";
import { mjmlHere } from "../../src/content/mjml/in_process.ts";
import { useService } from "../support/service.ts";

const service = useService({}, { mjml: mjmlHere });
const PEOPLE = 40_000;
let project: NewProject;
const api = (method: string, path: string, body?: unknown) =>
  service.request(method, path, { key: project.secret, ...(body !== undefined && { body }) });

const tree = (filter: object) => ({ logic: "AND", groups: [{ filters: [filter] }] });

beforeAll(async () => {
  project = await service.createProject();
  await service.pool`
    insert into contacts (project_id, email, subscribed, data)
    select ${project.id}, 'p' || n || '@example.com', n % 4 <> 0, jsonb_build_object('half', n % 2)
    from generate_series(1, ${PEOPLE}::int) as n`;
});

describe("POST /segments/preview", () => {
  const half = tree({ field: "data.half", operator: "equals", value: 1 });

  test("counts whom a condition matches, and those who are subscribed, and shows five", async () => {
    const { status, body } = await api("POST", "/segments/preview", { condition: half });

    expect(status).toBe(200);
    expect(body.sample).toHaveLength(5);
    expect(body.sample.every((contact: { data: { half: number } }) => contact.data.half === 1)).toBe(true);
    // A busy machine may have to estimate.
    if (!body.estimated) expect([body.count, body.reachable]).toEqual([PEOPLE / 2, PEOPLE / 2]);
  });

  test("estimates where counting takes longer than somebody waits", async () => {
    const found = await previewSegment(service, project.id, half, { patienceMs: 1 });

    expect(found.estimated).toBe(true);
    expect(found.count / (PEOPLE / 2)).toBeWithin(0.8, 1.2);
    expect(found.reachable / (PEOPLE / 2)).toBeWithin(0.8, 1.2);
    expect(found.sample).toHaveLength(5);
    expect(found.sample.map(({ data }) => data)).toEqual(Array(5).fill({ half: 1 }));
  });

  test("saves nothing, and refuses what saving would refuse", async () => {
    const faulty = await api("POST", "/segments/preview", {
      condition: tree({ field: "email", operator: "like" }),
    });
    const unknown = await api("POST", "/segments/preview", {
      condition: tree({ field: `segment.${crypto.randomUUID()}`, operator: "memberOfSegment" }),
    });

    expect([faulty.status, faulty.body.error.errors[0].field]).toEqual([
      422,
      "condition.groups.0.filters.0.operator",
    ]);
    expect(unknown.status).toBe(422);
    expect((await api("GET", "/segments")).body).toEqual([]);
  });
});

describe("GET /segments/operators", () => {
  const NAMES: Record<string, string> = {
    "data.<key>": "data.plan",
    "event.<name>": "event.ordered",
    "segment.<id>": `segment.${crypto.randomUUID()}`,
  };
  const OPERANDS: Record<Operand, object> = {
    none: {},
    text: { value: "x" },
    boolean: { value: true },
    time: { value: "2026-01-31" },
    json: { value: { any: ["thing"] } },
    ordered: { value: 3 },
    amount: { value: 3, unit: "days" },
    count: { count: 3, value: 30, unit: "days" },
  };
  const { fields } = conditionCatalogue();
  const all = fields.flatMap(({ field, activities, operators }) => {
    const names = activities ? activities.map((activity) => `email.${activity}`) : [NAMES[field] ?? field];
    return names.flatMap((name) =>
      operators.map(({ operator, operand }) => [name, operator, operand] as const),
    );
  });

  test.each(all)("%s %s is taken as the catalogue says it", (field, operator, operand) => {
    expect(conditionErrors(tree({ field, operator, ...OPERANDS[operand] }))).toEqual([]);
  });

  test("an operand that the catalogue asks for is missed where it is left out", () => {
    const asking = all.filter(([, , operand]) => operand !== "none");
    const lenient = asking.filter(
      ([field, operator]) => conditionErrors(tree({ field, operator })).length === 0,
    );

    expect(lenient).toEqual([]);
  });

  test("is what the endpoint answers", async () => {
    expect((await api("GET", "/segments/operators")).body).toEqual(conditionCatalogue());
  });
});

describe.each(["/templates/preview", "/campaigns/preview"])("POST %s", (path) => {
  test("renders what is not saved, and names what has no value", async () => {
    const { status, body } = await api("POST", path, {
      subject: "Hello {{firstName}}",
      body: "<p>You are on {{plan}}.</p><img src='https://example.com/a.png'>",
      data: { firstName: "Ada" },
    });

    expect(status).toBe(200);
    expect(body).toMatchObject({ subject: "Hello Ada", missing: ["plan"] });
    expect(body.html).toContain("You are on ");
    expect(body.warnings).toEqual(["1 of 1 images have no alt text"]);
  });

  test("compiles MJML, and refuses what saving refuses, with the line", async () => {
    const mjml =
      "<mjml><mj-body><mj-section><mj-column><mj-text>Hi</mj-text></mj-column></mj-section></mj-body></mjml>";
    const good = await api("POST", path, { subject: "S", body: mjml });
    const bad = await api("POST", path, { subject: "{{#if}}", body: "<p>\n{{#each}}</p>" });

    expect(good.body.html).toContain("Hi");
    expect(bad.status).toBe(422);
    expect(bad.body.error.errors.map(({ field }: { field: string }) => field).sort()).toEqual([
      "body",
      "subject",
    ]);
    expect(JSON.stringify(bad.body.error.errors)).toContain("line 2");
  });

  test("says that Gmail will cut it off", async () => {
    const { body } = await api("POST", path, { subject: "S", body: `<p>${"x".repeat(110_000)}</p>` });

    expect(body.warnings.join()).toContain("102 KB");
  });
});
