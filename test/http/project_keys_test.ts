// Keys of a project beside its pair: who may make them, what they open, and what of them is kept.
import { describe, expect, test } from "bun:test";
import { OPERATOR } from "../../src/accounts/audit.ts";
import { MAX_KEYS } from "../../src/accounts/projects/named_keys.ts";
import { requestDeletion, requestReset } from "../../src/accounts/projects/removal.ts";
import { join, signUp } from "../support/accounts.ts";
import {
  FORBIDDEN,
  IN,
  MADE,
  READS,
  REFUSED,
  SENDS,
  TRACKS,
  useKeys,
  WRITES,
} from "../support/project_keys.ts";
import { useService } from "../support/service.ts";

const service = useService();
const { stage, keysPath, make, listed, outcome } = useKeys(service);

describe("a new key", () => {
  test("is shown once, works at once, and is listed without itself", async () => {
    const made = await make(["send"], { name: "Orders", expiresAt: "2100-01-31" });
    const { key, ...rest } = made;

    expect(made).toEqual({
      id: expect.any(String),
      name: "Orders",
      key: expect.stringMatching(/^sk_[0-9a-f]{48}$/),
      kind: "secret",
      scopes: ["send"],
      hint: key.slice(-4),
      createdBy: stage.admin.email,
      createdAt: expect.any(String),
      expiresAt: "2100-01-31T00:00:00.000Z",
      lastUsedAt: null,
    });
    expect(await listed()).toEqual([rest]);
    expect(await outcome(key, ...SENDS)).toEqual(IN);
  });

  test("is nowhere in the database: only its SHA-256 and its end", async () => {
    const { key } = await make(["all"]);
    const [row] =
      await service.pool`select to_jsonb(k)::text as text from project_keys k where project_id = ${stage.project.id}`;
    const [line] =
      await service.pool`select to_jsonb(a)::text as text from audit a where project_id = ${stage.project.id} and action = 'keys.created'`;

    for (const { text } of [row!, line!]) expect(text).not.toContain(key.slice(3, -4));
    expect(row!.text).toContain(new Bun.CryptoHasher("sha256").update(key).digest("hex"));
  });

  test("that may only track begins with pk_; with anything else, with sk_", async () => {
    const kinds = await Promise.all(
      [["track"], ["track", "track"], ["track", "send"], ["read"], ["all"]].map(async (scopes) => {
        const { key, kind } = await make(scopes);
        return `${key.slice(0, 3)} ${kind}`;
      }),
    );

    expect(kinds).toEqual(["pk_ public", "pk_ public", "sk_ secret", "sk_ secret", "sk_ secret"]);
  });

  test("keeps each scope once, in one order", async () => {
    expect((await make(["all", "send", "all"])).scopes).toEqual(["send", "all"]);
  });

  test.each([
    [{}, ["name required", "scopes required"]],
    [{ name: " ", scopes: ["all"] }, ["name too_small"]],
    [{ name: "x".repeat(101), scopes: ["all"] }, ["name too_big"]],
    [{ name: "two\nlines", scopes: ["all"] }, ["name invalid_string"]],
    [{ name: "see https://evil.example", scopes: ["all"] }, ["name invalid_string"]],
    [{ name: 5, scopes: ["all"] }, ["name invalid_type"]],
    [{ name: "Shop", scopes: [] }, ["scopes too_small"]],
    [{ name: "Shop", scopes: ["deploy"] }, ["scopes.0 invalid_enum_value"]],
    [{ name: "Shop", scopes: "all" }, ["scopes invalid_type"]],
    [{ name: "Shop", scopes: Array(6).fill("all") }, ["scopes too_big"]],
    [{ name: "Shop", scopes: ["all"], expiresAt: "tomorrow" }, ["expiresAt invalid_string"]],
    [{ name: "Shop", scopes: ["all"], expiresAt: "2020-01-01" }, ["expiresAt invalid_string"]],
    [{ name: "Shop", scopes: ["all"], expiresAt: "2100-02-30" }, ["expiresAt invalid_string"]],
    [{ name: "Shop", scopes: ["all"], expiresAt: 4102444800000 }, ["expiresAt invalid_type"]],
    [{ name: "", scopes: ["nothing"], expiresAt: "" }, ["name", "scopes.0", "expiresAt"]],
  ])("%j is refused, with every fault, and none is made", async (body, faults) => {
    const { status, body: answer } = await stage.admin.request("POST", keysPath(), body);
    const found = (answer.error?.errors ?? []).map((error: { field: string; code: string }) =>
      faults[0]!.includes(" ") ? `${error.field} ${error.code}` : error.field,
    );

    expect([status, found.sort()]).toEqual([422, [...faults].sort()]);
    expect(await listed()).toEqual([]);
  });

  test(`is the last one after ${MAX_KEYS}, also when many are made at once`, async () => {
    const answers = await Promise.all(
      Array.from({ length: MAX_KEYS + 5 }, () =>
        stage.admin.request("POST", keysPath(), { name: "Shop", scopes: ["read"] }),
      ),
    );
    const statuses = answers.map(({ status }) => status);

    expect(statuses.filter((status) => status === 201)).toHaveLength(MAX_KEYS);
    expect(statuses.filter((status) => status === 409)).toHaveLength(5);
    expect(await listed()).toHaveLength(MAX_KEYS);
  });
});

describe("a change of a key", () => {
  test("holds for the very next request", async () => {
    const { id, key } = await make(["send"]);
    const { status, body } = await stage.admin.request("PATCH", keysPath(id), {
      scopes: ["read"],
      name: "Reports",
    });

    expect([status, body.name, body.scopes, body.key]).toEqual([200, "Reports", ["read"], undefined]);
    expect(await outcome(key, ...READS)).toEqual(IN);
    expect(await outcome(key, ...SENDS)).toEqual(FORBIDDEN);
  });

  test("changes only what is given, and nothing where that is nothing", async () => {
    const { id } = await make(["send"], { expiresAt: "2100-01-01" });
    const before = await listed();
    await stage.admin.request("PATCH", keysPath(id), {});

    expect(await listed()).toEqual(before);
    await stage.admin.request("PATCH", keysPath(id), { expiresAt: null });
    expect(await listed()).toEqual([{ ...before[0]!, expiresAt: null }]);
  });

  test("cannot give more than tracking to a key that may be part of a web page, nor can the database", async () => {
    const { id, key } = await make(["track"]);
    const { status, body } = await stage.admin.request("PATCH", keysPath(id), { scopes: ["track", "read"] });

    expect([status, body.error.errors]).toEqual([422, [expect.objectContaining({ field: "scopes" })]]);
    expect(await outcome(key, ...READS)).toEqual(REFUSED);
    expect(await outcome(key, ...TRACKS)).toEqual(IN);
    const forced = service.pool`update project_keys set scopes = '{all}' where id = ${id}`.execute();
    expect(forced).rejects.toThrow("project_keys_public_track");
    await forced.catch(() => {});
  });

  test("can take everything but tracking from a secret one: it stays one", async () => {
    const { id, key } = await make(["all"]);
    await stage.admin.request("PATCH", keysPath(id), { scopes: ["track"] });

    expect(await outcome(key, ...TRACKS)).toEqual(IN);
    expect(await outcome(key, ...READS)).toEqual(FORBIDDEN);
    expect((await stage.admin.request("PATCH", keysPath(id), { scopes: ["all"] })).status).toBe(200);
  });

  test("and its making and end stand in the audit, with what it was before", async () => {
    const { id, hint } = await make(["send"], { name: "Orders" });
    await stage.admin.request("PATCH", keysPath(id), { scopes: ["read"] });
    await stage.admin.request("PATCH", keysPath(id), { scopes: ["read"] });
    await stage.admin.request("DELETE", keysPath(id));
    const { body } = await stage.admin.request("GET", `/projects/${stage.project.id}/audit`);
    const lines = body.data.filter(({ action }: { action: string }) => action.startsWith("keys."));

    expect(lines.map((line: Record<string, unknown>) => [line.action, line.subject, line.details])).toEqual([
      ["keys.revoked", "Orders", expect.objectContaining({ hint })],
      ["keys.updated", "Orders", expect.objectContaining({ hint, scopes: { from: ["send"], to: ["read"] } })],
      ["keys.created", "Orders", expect.objectContaining({ hint, scopes: ["send"], expiresAt: null })],
    ]);
  });

  test("what somebody did with a key bears its name and its end", async () => {
    const { key, hint } = await make(["all"], { name: "Robot" });
    await service.request("POST", "/domains", { key, body: { domain: "robot.example" } });
    const { body } = await stage.admin.request("GET", `/projects/${stage.project.id}/audit`);

    expect(body.data[0]).toMatchObject({
      action: "domain.added",
      actor: { kind: "KEY", userId: null, name: `Robot …${hint}` },
    });
  });
});

describe("a key ends", () => {
  test("when it is revoked: the next request is refused", async () => {
    const { id, key } = await make(["all"]);
    expect(await outcome(key, ...READS)).toEqual(IN);
    const { status } = await stage.admin.request("DELETE", keysPath(id));

    expect(status).toBe(204);
    expect(await outcome(key, ...READS)).toEqual(REFUSED);
    expect(await listed()).toEqual([]);
    expect((await stage.admin.request("DELETE", keysPath(id))).status).toBe(404);
    expect((await stage.admin.request("PATCH", keysPath(id), { name: "x" })).status).toBe(404);
  });

  test("when its time has come, says so, and goes on when it is given more", async () => {
    const { id, key } = await make(["read"], {
      name: "Audit",
      expiresAt: new Date(Date.now() + 60_000).toISOString(),
    });
    expect(await outcome(key, ...READS)).toEqual(IN);
    service.setNow(new Date(Date.now() + 60_001));
    const { status, body } = await service.request("GET", "/contacts", { key });

    expect([status, body.error.code, body.error.message]).toEqual([
      401,
      "INVALID_API_KEY",
      'Cannot authenticate: the key "Audit" has expired',
    ]);
    expect(await listed()).toHaveLength(1);
    await stage.admin.request("PATCH", keysPath(id), { expiresAt: null });
    expect(await outcome(key, ...READS)).toEqual(IN);
  });

  test("with its project, but not when that is reset or its pair is regenerated", async () => {
    const { key } = await make(["read"]);
    await join(service, stage.admin, stage.project.id, "OWNER");
    await stage.admin.request("POST", `/users/@me/projects/${stage.project.id}/regenerate-keys`);
    await requestReset(service, stage.project.id, OPERATOR);
    await service.runJobs();
    expect(await outcome(key, ...READS)).toEqual(IN);
    await requestDeletion(service, stage.project.id, OPERATOR);

    expect(await outcome(key, ...READS)).toEqual(REFUSED);
    await service.runJobs();
    const rows = await service.pool`select from project_keys where project_id = ${stage.project.id}`;
    expect(rows).toHaveLength(0);
  });
});

describe("keys are made by people", () => {
  const REQUESTS = (id: string) =>
    [
      ["GET", keysPath()],
      ["POST", keysPath(), { name: "More", scopes: ["all"] }],
      ["PATCH", keysPath(id), { scopes: ["all"] }],
      ["DELETE", keysPath(id)],
      ["GET", `/projects/${stage.project.id}/webhook-secret`],
      ["POST", `/projects/${stage.project.id}/webhook-secret/rotate`],
    ] as const;

  test("no key makes, shows, changes or revokes one, nor the secret of webhooks", async () => {
    const { id, key } = await make(["all"]);
    const before = await listed();
    for (const [method, path, body] of REQUESTS(id)) {
      for (const asked of [key, stage.project.secret, stage.project.public]) {
        expect([method, path, await outcome(asked, method, path, body)]).toEqual([method, path, REFUSED]);
      }
    }
    const after = (await listed()).map((one) => ({ ...one, lastUsedAt: before[0]!.lastUsedAt }));

    expect(after).toEqual(before);
  });

  test("a member sees them, and only an admin changes them", async () => {
    const { id } = await make(["send"]);
    const member = await signUp(service);
    await join(service, member, stage.project.id, "MEMBER");
    const statuses: number[] = [];
    for (const [method, path, body] of REQUESTS(id)) {
      statuses.push((await member.request(method, path, body)).status);
    }

    expect(statuses).toEqual([200, 403, 403, 403, 200, 403]);
    expect(await listed()).toHaveLength(1);
  });

  test("the id of a key is of no use in another project of the same admin", async () => {
    const { id, key } = await make(["all"]);
    const other = await service.createProject();
    await join(service, stage.admin, other.id, "OWNER");
    const patched = await stage.admin.request("PATCH", keysPath(id, other.id), { scopes: ["read"] });
    const removed = await stage.admin.request("DELETE", keysPath(id, other.id));

    expect([patched.status, removed.status]).toEqual([404, 404]);
    expect((await stage.admin.request("GET", keysPath("", other.id))).body).toEqual({ keys: [] });
    expect(await outcome(key, ...WRITES)).toEqual(MADE);
  });

  test("an id that can be none is not found", async () => {
    for (const id of ["x", "%00", crypto.randomUUID()]) {
      expect([id, (await stage.admin.request("DELETE", keysPath(id))).status]).toEqual([
        id,
        id === "%00" ? 400 : 404,
      ]);
    }
  });
});
