// What the driver does when its connection is lost or silent. It holds with `src/db/postgres@3.4.9.patch` alone.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type postgres from "postgres";
import { openPool } from "../../src/db/pool.ts";
import { databaseUrl, dropDatabase, newDatabase } from "../support/postgres.ts";
import { until } from "../support/process.ts";
import { startProxy } from "../support/proxy.ts";

let database: string;
let killer: postgres.Sql;
const opened: postgres.Sql[] = [];

const open = (max: number, url = databaseUrl(database), silenceS?: number) => {
  const pool = openPool(url, { max, ...(silenceS && { silenceS }) });
  opened.push(pool);
  return pool;
};
const pidOf = async (sql: postgres.Sql | postgres.TransactionSql) =>
  (await sql`select pg_backend_pid() as pid`)[0]!.pid as number;
const terminate = async (pid: number) => {
  await killer`select pg_terminate_backend(${pid})`;
  await until("the backend is gone", async () => {
    return (await killer`select from pg_stat_activity where pid = ${pid}`).length === 0;
  });
};
const outcome = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    (error: { code?: string }) => error.code ?? String(error),
  );

beforeAll(async () => {
  database = await newDatabase();
  killer = open(1);
  await killer`create table notes (text text primary key)`;
});

afterAll(async () => {
  for (const pool of opened) await pool.end({ timeout: 1 });
  await dropDatabase(database);
});

/** Runs what would end this process if the driver threw from a timer. */
async function inChild(source: string): Promise<{ code: number; output: string }> {
  const child = Bun.spawn([process.execPath, "-e", source], {
    cwd: `${import.meta.dir}/../..`,
    env: { ...process.env, URL_OF_TEST: databaseUrl(database) },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, output: out + err };
}

describe("a connection whose backend has ended", () => {
  test("refuses what is asked of it afterwards, and the process lives", async () => {
    const { code, output } = await inChild(`
      import { openPool } from "./src/db/pool.ts";
      const sql = openPool(process.env.URL_OF_TEST, { max: 2 });
      const killer = openPool(process.env.URL_OF_TEST, { max: 1 });
      const held = await sql.reserve();
      const [{ pid }] = await held\`select pg_backend_pid() as pid\`;
      await killer\`select pg_terminate_backend(\${pid})\`;
      const first = await held\`select 1\`.catch((error) => error.code);
      const second = await held\`select 1\`.catch((error) => error.code);
      const [{ one }] = await sql\`select 1 as one\`;
      console.log(JSON.stringify([first !== undefined, second, one]));
      process.exit(0);
    `);

    expect(output).toBe('[true,"CONNECTION_CLOSED",1]\n');
    expect(code).toBe(0);
  });

  test("in the middle of 20 transactions at once, again and again, leaves a pool that works", async () => {
    const pool = open(4);
    const killing = Array.from({ length: 20 }, async (_each, round) => {
      const work = Array.from({ length: 20 }, (_one, i) =>
        outcome(
          pool.begin(async (tx) => {
            await tx`insert into notes (text) values (${`${round} ${i}`}) on conflict do nothing`;
            await tx`select pg_sleep(0.01)`;
          }),
        ),
      );
      await Bun.sleep(round * 10);
      await killer`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`;
      return await Promise.all(work);
    });
    const ended = (await Promise.all(killing)).flat();

    expect(ended).toHaveLength(400);
    expect(ended.filter((code) => !/^(done|CONNECTION_|57P01|EPIPE|ECONNRESET)/.test(code))).toEqual([]);
    expect(await outcome(pool`select 1`)).toBe("done");
  });

  test("takes its transaction with it: what that one still wants to do is refused, and hits no other one", async () => {
    const pool = open(1);
    let goOn = () => {};
    const waits = new Promise<void>((resolve) => (goOn = resolve));
    let late = "";
    const lost = pool.begin(async (tx) => {
      await terminate(await pidOf(tx));
      await waits;
      late = await outcome(tx`insert into notes (text) values ('of the lost one')`);
    });
    const lostOutcome = outcome(lost);
    // The one connection of the pool is made again for the next transaction.
    const kept = pool.begin(async (tx) => {
      await tx`insert into notes (text) values ('of the next one')`;
      goOn();
      await until("the lost one has tried to go on", () => late !== "");
      // Its rollback would come now.
      await Bun.sleep(50);
      await tx`insert into notes (text) values ('of the next one, later')`;
    });

    expect(await lostOutcome).toMatch(/^(CONNECTION_CLOSED|57P01)/);
    expect(await outcome(kept)).toBe("done");
    expect(late).toMatch(/^(CONNECTION_CLOSED|57P01)/);
    const rows = await killer`select text from notes where text like 'of the %' order by text`;
    expect(rows.map((row) => row.text)).toEqual(["of the next one", "of the next one, later"]);
  });
});

describe("a connection that says nothing", () => {
  test("is ended after its time, and the pool works when the way is free again", async () => {
    const proxy = await startProxy(databaseUrl(database));
    const pool = open(2, proxy.url, 1);
    await Promise.all([pool`select pg_sleep(0.1)`, pool`select pg_sleep(0.1)`]);
    proxy.freeze();
    const codes = await Promise.all([outcome(pool`select 1`), outcome(pool.begin((tx) => tx`select 1`))]);
    proxy.thaw();

    expect(codes).toEqual(["CONNECTION_SILENT", "CONNECTION_SILENT"]);
    expect(await outcome(pool`select 1`)).toBe("done");
    await pool.end({ timeout: 1 });
    await proxy.stop();
  });

  test("is left alone where the statement may take its time, and where nothing was asked", async () => {
    const pool = open(1, databaseUrl(database), 1);
    const pid = await pidOf(pool);
    await Bun.sleep(1_500);
    const slow = pool`select pg_sleep(1.5)`;
    Object.assign(slow, { options: { patient: true } });

    expect(await outcome(slow)).toBe("done");
    expect(await pidOf(pool)).toBe(pid);
  });

  test("and is closed before it has said a word, is lost at once, and tried again without haste", async () => {
    const proxy = await startProxy(databaseUrl(database));
    proxy.cut({ refuse: true });
    const pool = open(1, proxy.url);
    const codes = await Promise.all(Array.from({ length: 4 }, () => outcome(pool`select 1`)));
    const attempts = proxy.attempts();
    proxy.admit();

    expect(codes.filter((code) => !/^(ECONNRESET|CONNECTION_CLOSED)$/.test(code))).toEqual([]);
    expect(attempts).toBe(4);
    expect(await outcome(pool`select 1`)).toBe("done");
    await pool.end({ timeout: 1 });
    await proxy.stop();
  });
});
