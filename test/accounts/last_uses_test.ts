// When a key was last used is written off the request's way: a database that is away costs a minute of it, and nothing else.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { createUseNotes } from "../../src/accounts/last_uses.ts";
import type { Context } from "../../src/context.ts";
import { openPool } from "../../src/db/pool.ts";
import { q } from "../../src/db/queries.ts";
import { join, signUp } from "../support/accounts.ts";
import { until } from "../support/process.ts";
import { startProxy, type TestProxy } from "../support/proxy.ts";
import { useService } from "../support/service.ts";

const service = useService();
let project: NewProject;
let keyId: string;
let key: string;
let proxy: TestProxy;
let ctx: Context;
const lost: unknown[] = [];
const note = (error: unknown) => lost.push(error);

beforeAll(async () => {
  process.on("unhandledRejection", note);
  project = await service.createProject();
  const owner = await signUp(service);
  await join(service, owner, project.id, "OWNER");
  const made = await owner.request("POST", `/projects/${project.id}/keys`, {
    name: "Shop",
    scopes: ["read"],
  });
  ({ id: keyId, key } = made.body);
  proxy = await startProxy(service.databaseUrl);
  const pool = openPool(proxy.url, { max: 1, silenceS: 3 });
  ctx = { ...service, pool, sql: pool };
});

afterAll(async () => {
  process.off("unhandledRejection", note);
  await ctx.pool.end({ timeout: 1 });
  await proxy.stop();
});

const lastUsedAt = async () => {
  const [row] = await service.pool`select last_used_at from project_keys where id = ${keyId}`;
  return row!.lastUsedAt as Date | null;
};

test("a use that cannot be written harms nothing, and the next one is written", async () => {
  let tried = 0;
  let failed = 0;
  const noteUse = createUseNotes(ctx, async (keys: { id: string; lastUsedAt: Date | null }[], now) => {
    tried++;
    try {
      await q.projectKeys.noteUse(ctx, {
        projectIds: keys.map(() => project.id),
        ids: keys.map(({ id }) => id),
        now,
      });
    } catch (error) {
      failed++;
      throw error;
    }
  });
  await ctx.pool`select 1`;
  proxy.cut({ refuse: true });
  // Nothing is waited for: it returns at once.
  expect(noteUse({ id: keyId, lastUsedAt: null })).toBeUndefined();
  await until("the write has failed, or waits for the database", () => tried === 1);
  proxy.admit();
  await until("it is written", async () => {
    noteUse({ id: keyId, lastUsedAt: null });
    return (await lastUsedAt()) !== null;
  });

  expect(lost).toEqual([]);
  expect(failed).toBeLessThanOrEqual(tried);
});

test("a key is taken while the write of its last use waits for somebody", async () => {
  const statuses = await service.pool.begin(async (sql) => {
    await sql`update project_keys set last_used_at = null where id = ${keyId}`;
    const answers = [1, 2, 3].map(() => service.request("GET", "/contacts", { key }));
    return (await Promise.all(answers)).map(({ status }) => status);
  });

  expect(statuses).toEqual([200, 200, 200]);
});
