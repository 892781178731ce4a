// Processes that die while they take a project apart: at every point of it, one after another. What is left is found by the
// next one, until nothing is. `bun run test:removal` is the long one: in one go, too, they die at every single statement, and
// workers are killed three times over 10,000 contacts.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type postgres from "postgres";
import { OPERATOR } from "../../src/accounts/audit.ts";
import { requestDeletion, requestReset } from "../../src/accounts/projects/removal.ts";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import type { Context } from "../../src/context.ts";
import { KEPT } from "../../src/removal/_steps.ts";
import { deleteProject, type RemovalPace, resetProject } from "../../src/removal/mod.ts";
import { IMPATIENT, killUnseen, startProcess, until } from "../support/process.ts";
import { useService } from "../support/service.ts";
import { countsOf, fillProject, rowsOf } from "../support/whole_project.ts";

const isLong = process.env.REMOVAL_TEST === "long";

const service = useService();
let project: NewProject;
let other: NewProject;

beforeEach(async () => {
  project = await service.createProject();
  other = await service.createProject();
  await fillProject(service.pool, project.id, 120);
  await fillProject(service.pool, other.id);
  await service.pool`delete from resets`;
});

afterEach(async () => {
  await service.dropJobs();
});

/**
 * A process that dies at a point of its life: at its n-th statement or commit, right before or after it. From then
 * on nothing of it reaches the database.
 */
function mortal(point: number, side: "before" | "after"): Context & { isDead: () => boolean } {
  let steps = 0;
  let isDead = false;
  const die = () => {
    isDead = true;
    throw Object.assign(new Error("dead"), { code: "CONNECTION_DESTROYED" });
  };
  const isPoint = () => {
    if (isDead) die();
    return ++steps === point;
  };
  // oxlint-disable-next-line typescript/no-explicit-any
  const statement = (target: any, self: unknown, args: unknown[]) => {
    if (!(args[0] as { raw?: string[] })?.raw) return Reflect.apply(target as never, self, args) as unknown;
    const isHere = isPoint();
    if (isHere && side === "before") die();
    const query = Reflect.apply(target as never, self, args) as Promise<unknown>;
    return isHere ? query.then(die) : query;
  };
  const pool: postgres.Sql = new Proxy(service.pool, {
    apply: statement,
    get: (target, name) =>
      name !== "begin"
        ? Reflect.get(target, name)
        : async (work: (sql: unknown) => unknown) => {
            let isHere = false;
            const result = await target.begin(async (sql: postgres.TransactionSql) => {
              const done = await work(new Proxy(sql, { apply: statement }));
              isHere = isPoint();
              if (isHere && side === "before") die();
              return done;
            });
            if (isHere) die();
            return result;
          },
  });
  return { ...service, pool, sql: pool, isDead: () => isDead };
}

/** What the job in the queue says, as the next process gets it. */
async function payloadOf(key: string): Promise<{ projectId: string }> {
  const job = (await service.jobs()).find((one) => one.key === key);
  return job!.payload as { projectId: string };
}

/**
 * How far apart the deaths of a deletion are. By jobs of one batch each every statement has its turn; in one go each
 * process begins with the first table again, so there it is every seventh one: a batch has fewer, so each kind of them is
 * met in some table.
 */
const strideOf = ({ sliceMs }: RemovalPace) => (sliceMs === 0 || isLong ? 1 : 7);

/** Lets one process after another die, each a little later in its life, until one comes to the end. Answers how many. */
async function survive(
  key: string,
  stride: number,
  run: (ctx: Context, payload: { projectId: string }) => Promise<void>,
): Promise<number> {
  for (let point = 1, died = 0; ; point += stride, died++) {
    for (const side of ["before", "after"] as const) {
      const ctx = mortal(point, side);
      await run(ctx, await payloadOf(key)).catch((error: Error) => expect(error.message).toBe("dead"));
      if (!ctx.isDead()) return died;
    }
  }
}

describe("a deletion whose processes die at every point", () => {
  // In one go, and by jobs that do one batch each.
  test.each([[{ sliceMs: 60_000 }], [{ sliceMs: 0 }]] as [RemovalPace][])(
    "comes to its end, with %j",
    async (pace) => {
      const others = await rowsOf(service.pool, other.id);
      await requestDeletion(service, project.id, OPERATOR);
      const key = `delete_project:${project.id}`;
      let isGone = false;
      let died = 0;
      while (!isGone) {
        died += await survive(key, strideOf(pace), (ctx, job) =>
          deleteProject(ctx, job, { ...pace, graceMs: 0 }),
        );
        isGone = !(await service.pool`select from projects where id = ${project.id}`).length;
      }

      expect(died).toBeGreaterThan(10);
      expect(await countsOf(service.pool, project.id)).toEqual({});
      expect(await rowsOf(service.pool, other.id)).toEqual(others);
    },
    240_000,
  );
});

describe("a reset whose processes die at every point", () => {
  test.each([[{ sliceMs: 60_000 }], [{ sliceMs: 0 }]] as [RemovalPace][])(
    "comes to its end, with %j",
    async (pace) => {
      const others = await rowsOf(service.pool, other.id);
      const own = await rowsOf(service.pool, project.id);
      await requestReset(service, project.id, OPERATOR);
      const [later] = await service.pool`
      insert into contacts (project_id, email, subscribed) values (${project.id}, 'later@example.com', true) returning id`;
      const key = `reset_project:${project.id}`;
      let isDone = false;
      let died = 0;
      while (!isDone) {
        died += await survive(key, 1, (ctx, job) => resetProject(ctx, job, pace));
        isDone = !(await service.pool`select from resets where project_id = ${project.id}`).length;
      }
      const left = await rowsOf(service.pool, project.id);
      const isKept = (table: string) =>
        KEPT.includes(table) || table === "projects" || table === "send_rates";

      expect(died).toBeGreaterThan(10);
      expect(Object.keys(left).filter((table) => !isKept(table) && left[table]!.length > 0)).toEqual([
        "contacts",
      ]);
      expect(left.contacts!.map((row) => row.includes(later!.id as string))).toEqual([true]);
      for (const table of ["memberships", "domains", "usage_months", "reputations", "projects"])
        expect(left[table]).toEqual(own[table]!);
      expect(await rowsOf(service.pool, other.id)).toEqual(others);
    },
    240_000,
  );
});

describe("workers that are killed", () => {
  test("take a large project apart all the same, and nothing of another one", async () => {
    const dir = mkdtempSync(join(tmpdir(), "postrider-removal-"));
    const settings = {
      DATABASE_URL: service.databaseUrl,
      SECRET_KEY: service.config.SECRET_KEY!,
      SMTP_URL: service.smtp.url,
      DATA_DIR: dir,
      MODE: "worker",
    };
    await fillProject(service.pool, project.id, isLong ? 10_000 : 2_000);
    await fillProject(service.pool, other.id, isLong ? 10_000 : 2_000);
    await service.pool`delete from resets`;
    const left = async () =>
      Number(
        (
          await service.pool`
          select (select count(*) from contacts where project_id in (${project.id}, ${other.id}))
            + (select count(*) from emails where project_id in (${project.id}, ${other.id})) as rows`
        )[0]!.rows,
      );
    const all = await left();
    const shares = isLong ? [0.8, 0.5, 0.2] : [0.6];
    let worker = await startProcess(settings, { preload: IMPATIENT });
    let kills = 0;
    try {
      // So nobody has to wait for the end of requests of before.
      service.setNow(new Date(Date.now() - 15_000));
      await requestDeletion(service, project.id, OPERATOR);
      await requestReset(service, other.id, OPERATOR);
      for (const share of shares) {
        await until("some rows gone", async () => (await left()) < all * share, 180_000);
        await killUnseen(service.pool, worker);
        kills++;
        worker = await startProcess(settings, { preload: IMPATIENT });
      }
      await until(
        "everything gone",
        async () =>
          (await service.pool`select from projects where id = ${project.id}`).length === 0 &&
          (await service.pool`select from resets`).length === 0,
        240_000,
      );
    } finally {
      await worker.end("SIGKILL");
      service.setNow(new Date());
      rmSync(dir, { recursive: true, force: true });
    }
    const rest = await countsOf(service.pool, other.id);

    expect(kills).toBe(shares.length);
    expect(await countsOf(service.pool, project.id)).toEqual({});
    for (const table of ["contacts", "emails", "events", "executions", "contents", "segments"])
      expect([table, rest[table]]).toEqual([table, undefined]);
    expect(rest).toMatchObject({ projects: 1, memberships: 2 });
  }, 400_000);
});
