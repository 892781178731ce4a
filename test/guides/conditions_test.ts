import { beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { ACTIVITY_FIELDS, fieldOf, operatorNames, OPERATORS } from "../../src/audience/conditions/fields.ts";
import { recordEvents } from "../../src/audience/events.ts";
import { codesIn, markedBlock, markedBlocks, readGuide, tablesOf } from "../support/guides.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService();
const guide = readGuide("segments");
const DAY_MS = 86_400_000;

interface Filter {
  field: string;
  operator: string;
}

const rows = tablesOf(guide)
  .filter(({ head }) => head.at(-1) === "Who is in")
  .flatMap((table) => table.rows);
const examples = rows.map(([operator, example, members]) => ({
  operator: codesIn(operator!)[0]!,
  example: example!.slice(1, -1),
  members: members!,
}));
const trees = markedBlocks(guide, "in:").map(({ mark, code }) => [mark.slice("in: ".length), code] as const);

let project: NewProject;
let staticId: string;
let campaignId: string;
let otherId: string;

beforeAll(async () => {
  project = await service.createProject();
  const ids = await makeContacts();
  await track(ids.ada!, "ordered", 1);
  campaignId = await newCampaign();
  otherId = await newCampaign();
  await track(ids.ada!, "email.open", 1, { campaignId });
  await track(ids.bob!, "ordered", 90);
  await track(ids.bob!, "ordered", 60);
  await track(ids.cy!, "signed up", 1);
  service.setNow(new Date());
  const { body } = await post("/segments", { name: "Static", type: "STATIC" });
  staticId = body.id;
  await post(`/segments/${staticId}/members`, { emails: ["ada@example.com", "eve@example.org"] });
});

const post = async (path: string, body: unknown) =>
  await service.request("POST", path, { key: project.secret, body });

/** The contacts of the guide, by the name before the @. */
async function makeContacts(): Promise<Record<string, string>> {
  const text = markedBlock(guide, "contacts")
    .replace("<yesterday>", new Date(Date.now() - DAY_MS).toISOString())
    .replace("<90 days ago>", new Date(Date.now() - 90 * DAY_MS).toISOString());
  const ids: Record<string, string> = {};
  for (const contact of JSON.parse(text) as { email: string }[]) {
    ids[contact.email.split("@")[0]!] = (await post("/contacts", contact)).body.id;
  }
  return ids;
}

async function newCampaign(): Promise<string> {
  const content = { subject: "Hello", body: "<p>Hello</p>", from: `hello@${DOMAIN}` };
  return (await post("/campaigns", { name: "Sale", audienceType: "ALL", ...content })).body.data.id;
}

async function track(
  contactId: string,
  name: string,
  daysAgo: number,
  data: Record<string, string> = {},
): Promise<void> {
  service.setNow(new Date(Date.now() - daysAgo * DAY_MS));
  await recordEvents(service, [{ projectId: project.id, contactId, name, data }]);
}

/** Who is in, as the guide says it. */
async function membersOf(condition: unknown): Promise<string> {
  const created = await post("/segments", { name: `Example ${crypto.randomUUID()}`, condition });
  expect([created.status, created.body.error]).toEqual([201, undefined]);
  const { body } = await service.request("GET", `/segments/${created.body.id}/contacts`, {
    key: project.secret,
  });
  const names = (body.data as { email: string }[]).map(({ email }) => email.split("@")[0]!).toSorted();
  return names.join(", ") || "nobody";
}

const read = (text: string) => {
  const ids = { "<id>": staticId, "<campaign>": campaignId, "<other>": otherId };
  return JSON.parse(
    text.replace(/<(id|campaign|other)>/g, (name) => ids[name as keyof typeof ids]),
  ) as Filter;
};

describe("the guide on segments", () => {
  test.each(examples)("$example: $members", async ({ operator, example, members }) => {
    const filter = read(example);

    expect(filter.operator).toBe(operator);
    expect(await membersOf({ logic: "AND", groups: [{ filters: [filter] }] })).toBe(members);
  });

  test.each(trees)("a whole tree: %s", async (members, tree) => {
    expect(await membersOf(read(tree))).toBe(members);
  });

  test("has an example of every operator of every kind of field", () => {
    const told = Map.groupBy(examples, ({ example }) => fieldOf(read(example).field)!.kind);

    expect([...told.keys()].toSorted()).toEqual(Object.keys(OPERATORS).toSorted() as never);
    for (const [kind, all] of told) {
      const known = operatorNames(fieldOf(read(all[0]!.example).field)!);
      expect([kind, [...new Set(all.map(({ operator }) => operator))].toSorted()]).toEqual([
        kind,
        known.toSorted(),
      ]);
    }
  });

  test("names every activity of mails and every unit", () => {
    for (const field of ACTIVITY_FIELDS) expect(guide).toContain(`\`${field.slice("email.".length)}\``);
    for (const unit of ["minutes", "hours", "days", "weeks", "months"])
      expect(guide).toContain(`\`${unit}\``);
  });

  test("takes two halves of all contacts for an operator and its opposite", async () => {
    const everybody = "ada, bob, cy, eve";
    for (const { example, members } of examples.filter(({ operator }) => operator.startsWith("not"))) {
      const { operator, ...filter } = read(example);
      const asked = { ...filter, operator: operator[3]!.toLowerCase() + operator.slice(4) };
      const others = await membersOf({ logic: "AND", groups: [{ filters: [asked] }] });
      const both = `${members}, ${others}`.split(", ").filter((name) => name !== "nobody");
      expect(both.toSorted().join(", ")).toBe(everybody);
    }
  });
});
