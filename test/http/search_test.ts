// One box over the nouns of a project: what begins with the text first, five of each, and no other project's.
import { beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService();
let project: NewProject;
const call = (method: string, path: string, body?: unknown) =>
  service.request(method, path, { key: project.secret, ...(body !== undefined && { body }) });
const search = async (q: string) => (await call("GET", `/search?q=${encodeURIComponent(q)}`)).body;
const emails = async (q: string) => (await search(q)).contacts.map(({ email }: { email: string }) => email);

const template = (name: string) =>
  call("POST", "/templates", { name, subject: "s", body: "<p>b</p>", from: `a@${DOMAIN}` });
const campaign = (name: string, subject: string) =>
  call("POST", "/campaigns", { name, subject, body: "<p>b</p>", from: `a@${DOMAIN}`, audienceType: "ALL" });

beforeAll(async () => {
  await service.createProject();
  project = await service.createProject();
  for (const email of ["adam@x.test", "adele@x.test", "nada@x.test", "o_o@x.test", "oxo@x.test"])
    await call("POST", "/contacts", { email });
  for (const name of ["All of Ada's", "Ada's welcome", "100 %", "1000"]) await template(name);
  await campaign("Spring", "For adults");
  await call("POST", "/segments", { name: "ADA and friends", type: "STATIC" });
  await call("POST", "/workflows", { name: "Adaptation", eventName: "e" });
  await call("POST", "/events/track", { event: "adapted", email: "adam@x.test" });
  await call("POST", "/events/track", { event: "unadapted", email: "adam@x.test" });
  await call("POST", "/events/track", { event: "unadapted", email: "adam@x.test" });
});

describe("GET /search", () => {
  test("finds each noun by a part of its name in any case, what begins with it first", async () => {
    const found = await search(" aDa ");

    expect(found.contacts.map(({ email }: { email: string }) => email)).toEqual([
      "adam@x.test",
      "nada@x.test",
    ]);
    expect(found.templates.map(({ name }: { name: string }) => name)).toEqual([
      "Ada's welcome",
      "All of Ada's",
    ]);
    expect(found.segments).toMatchObject([{ name: "ADA and friends", type: "STATIC" }]);
    expect(found.workflows).toMatchObject([{ name: "Adaptation", enabled: false }]);
    expect(found.events).toEqual([
      { name: "adapted", count: 1 },
      { name: "unadapted", count: 2 },
    ]);
    expect(found.incomplete).toEqual([]);
  });

  test("finds a campaign by its subject, too", async () => {
    expect((await search("adults")).campaigns).toMatchObject([{ name: "Spring", status: "DRAFT" }]);
  });

  test("takes one or two letters as the beginning of an address", async () => {
    expect(await emails("ad")).toEqual(["adam@x.test", "adele@x.test"]);
    expect(await emails("N")).toEqual(["nada@x.test"]);
  });

  test("takes what is written as far as the @ as the beginning of an address, where there is one", async () => {
    expect(await emails("o_o@")).toEqual(["o_o@x.test"]);
    expect(await emails("Ada@x")).toEqual(["nada@x.test"]);
    await call("POST", "/contacts", { email: "ada@x.test" });
    expect(await emails("Ada@x")).toEqual(["ada@x.test"]);
    await service.pool`delete from contacts where email = 'ada@x.test'`;
  });

  test("takes the wildcards of LIKE as ordinary characters", async () => {
    expect(await emails("o_o")).toEqual(["o_o@x.test"]);
    expect((await search("100 %")).templates).toMatchObject([{ name: "100 %" }]);
  });

  test("gives five of each at most, and nothing for nothing", async () => {
    expect(await emails("x.test")).toHaveLength(5);
    expect(await search(" ")).toEqual({
      contacts: [],
      templates: [],
      campaigns: [],
      segments: [],
      workflows: [],
      events: [],
      incomplete: [],
    });
  });

  test("finds nothing of another project", async () => {
    const other = await service.createProject();
    const { body } = await service.request("GET", "/search?q=ada", { key: other.secret });

    expect(Object.values(body).flat()).toEqual([]);
  });

  test("is 400 without a text", async () => {
    expect((await call("GET", "/search")).status).toBe(400);
  });
});
