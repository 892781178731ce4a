// What a project is set to: shown as a whole, and decided by those whose it is.
import { beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { webhookSecretsOf } from "../../src/accounts/projects/webhook_secrets.ts";
import { addVerifiedDomain } from "../../src/accounts/projects/domains.ts";
import { makeDkimKey } from "../../src/sending/dkim_keys.ts";
import { join, type Person, signUp } from "../support/accounts.ts";
import { useService } from "../support/service.ts";

const service = useService();

let project: NewProject;
let owner: Person;
let admin: Person;

beforeEach(async () => {
  project = await service.createProject();
  [owner, admin] = [await signUp(service), await signUp(service)];
  await join(service, owner, project.id, "OWNER");
  await join(service, admin, project.id, "ADMIN");
});

const settings = async () => (await admin.request("GET", `/projects/${project.id}`)).body;
const patch = (body: object, person = owner) =>
  person.request("PATCH", `/users/@me/projects/${project.id}`, body);
const actions = async () => {
  const { body } = await owner.request("GET", `/projects/${project.id}/audit`);
  return body.data as { action: string; subject: string | null; details: object; actor: { name: string } }[];
};

describe("GET /projects/:id", () => {
  test("has every setting, for its members and its key", async () => {
    const all = {
      tracking: "ENABLED",
      language: "en",
      timezone: "UTC",
      resendInDoubt: ["TRANSACTIONAL"],
      sendRate: null,
      postalAddress: null,
      requiresTwoFactor: false,
      webhookSecretHint: null,
      secretHint: project.secret.slice(-4),
      public: project.public,
    };
    const byKey = (await service.request("GET", `/projects/${project.id}`, { key: project.secret })).body;

    expect(await settings()).toMatchObject({ ...all, role: "ADMIN" });
    expect(byKey).toMatchObject({ ...all, role: null });
    expect(JSON.stringify(byKey)).not.toContain(project.secret);
  });

  test("shows the end of the secret of webhooks and makes none: reading changes nothing", async () => {
    const hint = async () => (await settings()).webhookSecretHint as string | null;
    expect(await hint()).toBeNull();
    const [row] = await service.pool`select webhook_secret from projects where id = ${project.id}`;
    expect(row!.webhookSecret).toBeNull();
    const secrets = await webhookSecretsOf(service, project.id);

    expect(await hint()).toBe(secrets!.secret.slice(-4));
    await service.pool`update projects set webhook_secret = ${Buffer.from("sealed with another key")} where id = ${project.id}`;
    expect(await hint()).toBeNull();
  });
});

describe("the secret of webhooks", () => {
  test("is made again by an admin, shown once, and the one before signs for a day", async () => {
    const path = `/projects/${project.id}/webhook-secret`;
    const first = (await admin.request("POST", `${path}/rotate`)).body;
    const second = (await admin.request("POST", `${path}/rotate`)).body;
    const seen = (await admin.request("GET", path)).body;
    const secrets = await webhookSecretsOf(service, project.id);

    expect(first).toEqual({ secret: expect.stringMatching(/^whsec_/), previousUntil: null });
    expect(secrets).toMatchObject({ secret: second.secret, previous: { secret: first.secret } });
    expect(seen).toEqual({ hint: second.secret.slice(-4), previousUntil: second.previousUntil });
    expect((await actions())[0]).toMatchObject({
      action: "webhook_secret.rotated",
      actor: { name: admin.email },
    });
    service.setNow(new Date(Date.now() + 25 * 3_600_000));
    expect((await admin.request("GET", path)).body.previousUntil).toBeNull();
    service.setNow(new Date());
  });
});

describe("the postal address", () => {
  test("is kept as its lines, and taken away by null or nothing", async () => {
    const { status, body } = await patch({
      postalAddress: "  Fjord & Finch \r\n\n Strandgade 1\r\n1401 København  ",
    });

    expect([status, body.postalAddress]).toEqual([200, "Fjord & Finch\nStrandgade 1\n1401 København"]);
    expect((await patch({ name: "Fjord" })).body.postalAddress).toBe(body.postalAddress);
    expect((await patch({ postalAddress: " \n" })).body.postalAddress).toBeNull();
    await patch({ postalAddress: "Strandgade 1" });
    expect((await patch({ postalAddress: null })).body.postalAddress).toBeNull();
    expect((await actions())[0]!.details).toMatchObject({
      postalAddress: { from: "Strandgade 1", to: null },
    });
  });

  test.each([
    ["a\u0000b", 422],
    ["a\u202Eb", 422],
    ["a\u2028b", 422],
    ["x".repeat(501), 422],
    [Array(11).fill("x").join("\n"), 422],
    [5, 422],
  ])("%j is refused", async (postalAddress, status) => {
    const answer = await patch({ postalAddress });

    expect([answer.status, answer.body.error?.errors?.[0]?.field]).toEqual([status, "postalAddress"]);
    expect((await settings()).postalAddress).toBeNull();
  });
});

describe("two-factor log-in", () => {
  test("is asked of members by an owner, not by an admin, who can change the rest", async () => {
    const refused = await patch({ requiresTwoFactor: true, name: "Mine" }, admin);

    expect([refused.status, refused.body.error.details]).toEqual([403, { role: "ADMIN", needed: "OWNER" }]);
    expect(await settings()).toMatchObject({ requiresTwoFactor: false, name: "Test" });
    expect((await patch({ name: "Ours" }, admin)).status).toBe(200);
    expect((await patch({ requiresTwoFactor: "yes" })).status).toBe(422);
  });
});

describe("POST /domains/rekey", () => {
  test("replaces a DKIM key that was lost, and no other; it stands in the audit", async () => {
    const { domainId } = await addVerifiedDomain(service, project.id, "keys.example");
    await makeDkimKey(service, project.id, domainId);
    const rekey = () =>
      admin.request("POST", "/domains/rekey", { domain: "Keys.example" }, { projectId: project.id });
    const kept = (await rekey()).body;
    await service.pool`update domains set dkim_private_key = ${Buffer.from("sealed with another key")} where id = ${domainId}`;
    const made = (await rekey()).body;
    const record = ({ records }: { records: { type: string; name: string }[] }) =>
      records.find(({ name }) => name.includes("_domainkey"))!.name;

    expect([kept.changed, made.changed, made.domain]).toEqual([false, true, "keys.example"]);
    expect(record(made)).not.toBe(record(kept));
    expect((await rekey()).body.changed).toBe(false);
    const other = await service.createProject();
    await join(service, admin, other.id, "OWNER");
    const elsewhere = { projectId: other.id };
    const body = { domain: "keys.example" };
    expect((await admin.request("POST", "/domains/rekey", body, elsewhere)).status).toBe(404);
    expect((await actions())[0]).toMatchObject({
      action: "domain.rekeyed",
      subject: "keys.example",
      actor: { name: admin.email },
    });
  });
});
