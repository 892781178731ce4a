import { beforeEach, describe, expect, test } from "bun:test";
import { rotateWebhookSecret, webhookSecretsOf } from "../../src/accounts/projects/webhook_secrets.ts";
import { useAdmin } from "../support/admin.ts";
import { useService } from "../support/service.ts";

const service = useService();
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;
let projectId: string;

beforeEach(async () => {
  projectId = (await service.createProject()).id;
});

const stored = async (id = projectId) => {
  const [row] = await service.pool`select webhook_secret as sealed from projects where id = ${id}`;
  return row!.sealed as Uint8Array | null;
};

const { admin } = useAdmin(service);
const secret = async (...words: string[]) => await admin("project", "webhook-secret", ...words);

describe("the webhook secret of a project", () => {
  test("is made when it is first asked for, and stays", async () => {
    const before = await stored();
    const first = await webhookSecretsOf(service, projectId);
    const second = await webhookSecretsOf(service, projectId);

    expect(before).toBeNull();
    expect(first).toEqual({ secret: expect.stringMatching(SECRET), previous: null });
    expect(second).toEqual(first);
  });

  test("is one, however many ask for it first", async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => webhookSecretsOf(service, projectId)));
    expect(new Set(all.map((secrets) => secrets!.secret)).size).toBe(1);
  });

  test("is another one for each project, and sealed for it", async () => {
    const { id: otherId } = await service.createProject();
    const [one, other] = await Promise.all([projectId, otherId].map((id) => webhookSecretsOf(service, id)));
    const sealed = (await stored())!;
    await service.pool`update projects set webhook_secret = ${sealed} where id = ${otherId}`;

    expect(one!.secret).not.toBe(other!.secret);
    expect(Buffer.from(sealed).toString("latin1")).not.toContain(one!.secret.slice(6, 20));
    expect(await webhookSecretsOf(service, otherId)).toBeNull();
  });

  test("does not open with another SECRET_KEY, and is not replaced on that account", async () => {
    await webhookSecretsOf(service, projectId);
    const sealed = await stored();
    const pool = new Proxy(service.pool, {});
    const stranger = {
      ...service,
      pool,
      sql: pool,
      config: { ...service.config, SECRET_KEY: "x".repeat(32) },
    };

    expect(await webhookSecretsOf(stranger, projectId)).toBeNull();
    expect(await stored()).toEqual(sealed);
  });

  test("has the one before beside it for a day after it was replaced, and not the one before that", async () => {
    const now = new Date();
    service.setNow(now);
    const first = (await webhookSecretsOf(service, projectId))!;
    const second = await rotateWebhookSecret(service, projectId);
    const third = await rotateWebhookSecret(service, projectId);
    const soon = await webhookSecretsOf(service, projectId);
    service.setNow(new Date(now.getTime() + 24 * 3_600_000 + 60_000));
    const later = await webhookSecretsOf(service, projectId);
    service.setNow(new Date());

    expect(new Set([first.secret, second.secret, third.secret]).size).toBe(3);
    expect(second.previous?.secret).toBe(first.secret);
    expect(soon).toEqual({
      secret: third.secret,
      previous: { secret: second.secret, until: expect.any(Date) },
    });
    expect(later).toEqual({ secret: third.secret, previous: null });
  });

  test("of no project is not found", async () => {
    const unknown = Bun.randomUUIDv7();

    await expect(webhookSecretsOf(service, unknown)).rejects.toThrow("Cannot find this project");
    await expect(rotateWebhookSecret(service, unknown)).rejects.toThrow("Cannot find this project");
  });

  test("is shown and replaced by the operator", async () => {
    const shown = JSON.parse((await secret(projectId)).out);
    const rotated = JSON.parse((await secret(projectId, "--rotate")).out);
    const again = JSON.parse((await secret(projectId)).out);

    expect(shown).toEqual({ id: projectId, secret: expect.stringMatching(SECRET), previous: null });
    expect(rotated.previous.secret).toBe(shown.secret);
    expect(again).toEqual(rotated);
    expect((await secret(Bun.randomUUIDv7())).err).toContain("Cannot find this project");
  });
});
