// Answers that go on, while the database goes away under them: whoever reads is told, comes back, and misses nothing; and
// nothing is left of those that ended.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import type { Context } from "../../src/context.ts";
import { openPool, poolUse } from "../../src/db/pool.ts";
import { createApp } from "../../src/http/mod.ts";
import { until } from "../support/process.ts";
import { startProxy, type TestProxy } from "../support/proxy.ts";
import { StreamReader } from "../support/stream_reader.ts";
import { useService } from "../support/service.ts";

const service = useService();
const CONTACTS = 3_500;
let project: NewProject;
let proxy: TestProxy;
let pool: ReturnType<typeof openPool>;
let app: ReturnType<typeof createApp>;

beforeAll(async () => {
  project = await service.createProject();
  await service.pool`
    insert into contacts (project_id, email, subscribed, was_subscribed, data)
    select ${project.id}, 'c' || n || '@example.com', true, true, '{"plan": "pro"}'
    from generate_series(1, ${CONTACTS}::int) as n`;
  proxy = await startProxy(service.databaseUrl);
  pool = openPool(proxy.url, { max: 10, silenceS: 3 });
  app = createApp({ ...service, pool, sql: pool, patienceMs: 1_000 } as Context);
});

afterAll(async () => {
  await pool.end({ timeout: 1 });
  await proxy.stop();
});

const ask = (path: string, headers: Record<string, string> = {}) =>
  app.handle(
    new Request(`http://localhost${path}`, {
      headers: { authorization: `Bearer ${project.secret}`, ...headers },
    }),
  );
/** Past what is blocked. */
const track = async (event: string) => {
  const body = { event, email: "ada@x.test" };
  const { status } = await service.request("POST", "/events/track", { key: project.secret, body });
  expect(status).toBe(200);
};
const answers = async () => (await ask("/contacts?limit=1")).status === 200;

describe("GET /activity/stream", () => {
  const watch = async (headers: Record<string, string> = {}) =>
    new StreamReader(await ask("/activity/stream?types=event.triggered", headers));

  test("goes on when the database comes back, and tells what happened meanwhile", async () => {
    const reader = await watch();
    await track("before");
    expect(await reader.names(1)).toEqual(["before"]);
    const wasTold = () => service.lines.filter(({ message }) => message === "activity cannot be watched");
    const told = wasTold().length;
    proxy.cut({ refuse: true });
    await track("meanwhile");
    await until("it finds nobody there", () => wasTold().length > told);
    const refused = await ask("/activity/stream");
    // Once for all looks that fail until it is back; a slow one later is another time.
    const times = wasTold().length - told;
    proxy.admit();

    expect(refused.status).toBe(503);
    expect(times).toBe(1);
    expect(await reader.names(1)).toEqual(["meanwhile"]);
    await track("after");
    expect(await reader.names(1)).toEqual(["after"]);
    await reader.leave();
  }, 240_000);

  test("goes on when the database answers again that was frozen", async () => {
    const reader = await watch();
    await track("warm");
    expect(await reader.names(1)).toEqual(["warm"]);
    proxy.freeze();
    await track("frozen");
    proxy.thaw();

    expect(await reader.names(1)).toEqual(["frozen"]);
    await reader.leave();
  }, 240_000);

  test("ends for all who began while it went away; they come back, and miss nothing", async () => {
    const first = await watch();
    await track("seen");
    const { id } = (await first.next())!;
    await first.leave();
    await until("nobody watches", async () => poolUse(pool).underway === 0);
    const readers = await service.pool.begin(async (held) => {
      await held`lock table events in access exclusive mode`;
      // The first one looks at what there is; the others wait for what it finds.
      const begun = [await watch(), await watch(), await watch()];
      const waits = async () =>
        (await held`select from pg_locks where relation = 'events'::regclass and not granted`).length > 0;
      await until("a look is under way", waits);
      proxy.cut({ refuse: true });
      const ends = await Promise.all(begun.map((reader) => reader.next()));
      expect(ends).toEqual([null, null, null]);
      return begun;
    });
    proxy.admit();
    await track("missed");
    await until("the database is back", answers);
    const again = await watch({ "last-event-id": id! });

    expect(readers).toHaveLength(3);
    // The last seconds before it come again.
    const told: string[] = [];
    while (!told.includes("missed")) told.push(...(await again.names(1)));
    expect(told.filter((name) => name === "missed")).toHaveLength(1);
    await again.leave();
    await until("nothing is under way", () => poolUse(pool).underway === 0);
  }, 240_000);
});

describe("GET /contacts/export", () => {
  const read = async (response: Response, isEnough: (text: string) => boolean = () => false) => {
    const body = response.body!.getReader();
    let text = "";
    for (;;) {
      const { done, value } = await body.read();
      if (done) return { text, body };
      text += new TextDecoder().decode(value);
      if (isEnough(text)) return { text, body };
    }
  };
  // With the one that tracked events.
  const contacts = async () =>
    (await service.pool`select from contacts where project_id = ${project.id}`).length;
  const linesOf = (text: string) => text.trimEnd().split("\n");

  test.each(["csv", "ndjson"])(
    "as %s is broken off and not ended, three times in a row; then a whole one is there",
    async (format) => {
      const header = format === "csv" ? 1 : 0;
      for (let round = 0; round < 3; round++) {
        await until("the database answers", answers);
        const response = await ask(`/contacts/export?format=${format}`);
        const { text, body } = await read(response, (soFar) => linesOf(soFar).length > 900);
        proxy.cut({ refuse: true });
        const rest = async () => {
          for (;;) if ((await body.read()).done) return "ended";
        };

        expect([response.status, linesOf(text).length < CONTACTS]).toEqual([200, true]);
        expect(await rest().catch((error: unknown) => (error ? "broken off" : "?"))).toBe("broken off");
        proxy.admit();
      }
      await until("the database answers", answers);
      const { text } = await read(await ask(`/contacts/export?format=${format}`));

      expect(linesOf(text)).toHaveLength((await contacts()) + header);
      expect(poolUse(pool).underway).toBe(0);
    },
    240_000,
  );

  test("that nobody reads holds no connection, and gives its place back when the reader leaves", async () => {
    const [one, two] = [await ask("/contacts/export"), await ask("/contacts/export")];
    const refused = await ask("/contacts/export");
    await until("nothing is under way", () => poolUse(pool).underway === 0);
    const open = await service.pool`
      select from pg_stat_activity
      where datname = current_database() and state = 'idle in transaction'`;
    await Promise.all([one.body!.cancel(), two.body!.cancel()]);

    expect([one.status, two.status, refused.status, open.length]).toEqual([200, 200, 429, 0]);
    const { text } = await read(await ask("/contacts/export?format=ndjson"));
    expect(linesOf(text)).toHaveLength(await contacts());
  });
});
