// The JSON of the guides, sent as it is printed, and the words of their tables beside those of the code.
import { beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { addVerifiedDomain } from "../../src/accounts/projects/domains.ts";
import { isReservedEvent } from "../../src/audience/events.ts";
import { STEP_TYPES } from "../../src/automation/steps/mod.ts";
import { ROLES } from "../../src/accounts/projects/roles.ts";
import { ACTIVITY_TYPES } from "../../src/insight/activity/types.ts";
import { signatureHeaders } from "../../src/automation/webhooks/signature.ts";
import { TRIGGER_TYPES } from "../../src/automation/workflows/trigger.ts";
import { codesIn, GUIDE_NAMES, markedBlock, markedBlocks, readGuide, tableBelow } from "../support/guides.ts";
import { useService } from "../support/service.ts";
import { withoutReferences } from "../support/openapi.ts";

const service = useService();
let project: NewProject;
let templateId: string;

beforeAll(async () => {
  project = await service.createProject();
  await addVerifiedDomain(service, project.id, "sandbox.example");
  const { body } = await post("/templates", {
    name: "Welcome",
    subject: "Welcome",
    body: "<p>Hello</p>",
    from: "hello@sandbox.example",
  });
  templateId = body.id;
});

const post = async (path: string, body: unknown) =>
  await service.request("POST", path, { key: project.secret, body });

const fill = (json: string) => JSON.parse(json.replaceAll("<template id>", templateId)) as object;

const firstCodes = (guide: string, heading: string) =>
  tableBelow(readGuide(guide), heading).rows.map(([cell]) => codesIn(cell!)[0]!);

/** The words that a field of an answer may be, by the OpenAPI document. */
async function wordsOf(path: string, field: string): Promise<string[]> {
  const body = withoutReferences((await service.request("GET", "/openapi.json")).body);
  const { schema } = body.paths[path].get.responses["200"].content["application/json"];
  return schema.properties[field].enum as string[];
}

describe("the examples", () => {
  const requests = GUIDE_NAMES.flatMap((name) =>
    markedBlocks(readGuide(name), "POST").map(({ mark, code }) => [name, mark, code] as const),
  );

  test.each(requests)("of %s: %s is accepted as it is printed", async (_name, mark, code) => {
    const { status, body } = await post(mark.slice("POST ".length), fill(code));

    expect([status < 300, body.error]).toEqual([true, undefined]);
  });

  test("of every guide are JSON where they say so", () => {
    for (const name of GUIDE_NAMES) {
      const blocks = readGuide(name).matchAll(/^```json\n([\s\S]*?)^```/gm);
      for (const [, code] of blocks) expect(() => JSON.parse(code!)).not.toThrow();
    }
  });
});

describe("the guide on workflows", () => {
  const guide = readGuide("workflows");
  const steps = markedBlocks(guide, "step").map(({ code }) => {
    const { type, name } = JSON.parse(code) as { type: string; name: string };
    return { type, name, code };
  });

  test.each(steps)("has a step that is accepted: $type, $name", async ({ code }) => {
    const workflow = await post("/workflows", { name: "Example", eventName: "signed up" });
    const { status, body } = await post(`/workflows/${workflow.body.id}/steps`, fill(code));

    expect([status, body.error]).toEqual([201, undefined]);
  });

  test("has every type of step, each with an example", () => {
    const shown = new Set(steps.map(({ type }) => type));

    expect(firstCodes("workflows", "Steps")).toEqual([...STEP_TYPES]);
    expect([...shown, "TRIGGER"].toSorted()).toEqual([...STEP_TYPES].toSorted());
  });

  test("has every trigger and every status", async () => {
    const statuses = await wordsOf("/workflows/{id}/executions/{executionId}", "status");

    expect(firstCodes("workflows", "Triggers").toSorted()).toEqual([...TRIGGER_TYPES].toSorted());
    expect(firstCodes("workflows", "Executions").toSorted()).toEqual(statuses.toSorted());
  });
});

describe("the words of the guides", () => {
  test("on sending are the states of the ledger", async () => {
    const statuses = await wordsOf("/emails/{id}", "status");

    expect(firstCodes("sending", "The status of a mail").toSorted()).toEqual(statuses.toSorted());
  });

  test("on campaigns are their states and their counters", async () => {
    const body = withoutReferences((await service.request("GET", "/openapi.json")).body);
    const { schema } = body.paths["/campaigns/{id}/stats"].get.responses["200"].content["application/json"];
    const counters = Object.keys(schema.properties).filter((name) => !name.endsWith("Rate"));

    expect(firstCodes("campaigns", "Status").toSorted()).toEqual(
      (await wordsOf("/campaigns/{id}", "status")).toSorted(),
    );
    expect(firstCodes("campaigns", "Statistics").toSorted()).toEqual(counters.toSorted());
  });

  test("on events are reserved, those that the service records", () => {
    const names = firstCodes("events", "Reserved names");

    expect(names.length).toBeGreaterThan(10);
    for (const name of names) expect([name, isReservedEvent(name)]).toEqual([name, true]);
  });

  test("on the feed are its types", () => {
    expect(firstCodes("events", "The feed")).toEqual([...ACTIVITY_TYPES]);
  });

  test("on the API are the roles", () => {
    expect(firstCodes("api", "Roles")).toEqual([...ROLES]);
  });

  test("on contacts are the keys that are dropped", async () => {
    const [, keys] = /The keys ([^.]*?) are dropped/s.exec(readGuide("contacts"))!;
    const data = Object.fromEntries(codesIn(keys!).map((key) => [key, "x"]));
    const { body } = await post("/contacts", { email: "cy@example.com", data: { ...data, kept: 1 } });

    expect(codesIn(keys!)).toHaveLength(7);
    expect(body.data).toEqual({ kept: 1 });
  });
});

describe("the guide on webhooks", () => {
  test("has a function that takes a call of ours for genuine, and no other", async () => {
    const dir = mkdtempSync(join(tmpdir(), "postrider-webhook-"));
    writeFileSync(join(dir, "verify.mjs"), markedBlock(readGuide("webhooks"), "verify"));
    const { isGenuine } = (await import(join(dir, "verify.mjs"))) as {
      isGenuine(secret: string, headers: Record<string, string>, body: string): boolean;
    };
    rmSync(dir, { recursive: true });
    const secret = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;
    const other = `whsec_${Buffer.from("another key of thirty-two bytes.").toString("base64")}`;
    const call = (secrets: string[], ageMs = 0) => {
      const at = new Date(Date.now() - ageMs);
      return signatureHeaders({ body: "{}" }, { id: "a", at, secrets });
    };

    expect(isGenuine(secret, call([secret]), "{}")).toBe(true);
    expect(isGenuine(secret, call([other, secret]), "{}")).toBe(true);
    expect(isGenuine(secret, call([secret]), "[]")).toBe(false);
    expect(isGenuine(secret, call([other]), "{}")).toBe(false);
    expect(isGenuine(secret, call([secret], 600_000), "{}")).toBe(false);
  });
});
