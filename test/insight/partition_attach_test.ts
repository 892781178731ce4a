// Whoever comes while a partition is being attached waits for a moment, and then finds everything: as if it had come later.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { recordEvents } from "../../src/audience/events.ts";
import { eventCountFaults } from "../../src/insight/counts/events.ts";
import { recountProject } from "../../src/insight/counts/audit.ts";
import { monthStart } from "../../src/insight/partitions.ts";
import { untilBlocked } from "../support/locks.ts";
import { useService } from "../support/service.ts";

const service = useService();
const EVENTS = 5;
/** So often is a statement run that Postgres keeps its plan, on each of several connections. */
const OFTEN = 12;
let used = 0;
let project: NewProject;

beforeEach(async () => {
  project = await service.createProject();
  // A month that has no partition yet: its events are in the default one.
  service.setNow(new Date(monthStart(new Date(), (used += 6)).getTime() + 9 * 86_400_000));
  service.lines.length = 0;
});

afterEach(async () => {
  service.setNow(new Date());
  await service.dropJobs();
});

const call = (method: string, path: string, body?: unknown) =>
  service.request(method, path, { key: project.secret, ...(body !== undefined && { body }) });

const record = () =>
  recordEvents(
    service,
    Array.from({ length: EVENTS }, () => ({ projectId: project.id, contactId: null, name: "bought" })),
  );

const partitions = async () =>
  (
    await service.pool`
      select distinct tableoid::regclass::text as partition from events where project_id = ${project.id}`
  ).map((row) => row.partition as string);

/** The partition of this month, as it will be called. */
const partition = () => `events_${service.now().toISOString().slice(0, 7).replace("-", "_")}`;

const waiting = async () =>
  Number(
    (
      await service.pool`
        select count(distinct pid) as n from pg_locks
        where not granted and locktype = 'relation'
          and database = (select oid from pg_database where datname = current_database())`
    )[0]!.n,
  );

/** What these come to that begin when the partition is all but attached, and wait for it. */
async function duringAttach<T>(works: (() => Promise<T>)[]): Promise<T[]> {
  const { begun } = await service.pool.begin(async (sql) => {
    await sql`select make_events_partition(${monthStart(service.now())}::date)`;
    const answers = works.map((work) => work());
    while ((await waiting()) < works.length) await Bun.sleep(5);
    // In an object, because a promise would be waited for.
    return { begun: answers };
  });
  return await Promise.all(begun);
}

describe("while a partition is being attached", () => {
  test.each([0, OFTEN])(
    "readers see every event, also by plans that were kept (%p times before)",
    async (times) => {
      await record();
      const works = [
        async () => (await call("GET", "/events")).body.events.length as number,
        async () => (await call("GET", "/events?eventName=bought")).body.events.length as number,
        async () => (await call("GET", "/activity")).body.data.length as number,
      ];
      for (let n = 0; n < times; n++) await Promise.all(works.map((work) => work()));
      const seen = await duringAttach(works);

      expect(seen).toEqual([EVENTS, EVENTS, EVENTS]);
      expect(await partitions()).toEqual([partition()]);
    },
  );

  test.each([0, OFTEN])("writers are not refused, and lose nothing (%p times before)", async (times) => {
    const works = [
      async () => (await call("POST", "/events/track", { name: "bought" })).status,
      async () => (await call("POST", "/events/track", { email: "ada@example.com", event: "bought" })).status,
      async () =>
        (
          await service.request("POST", "/v1/track", {
            key: project.public,
            body: { email: "bob@example.com", event: "bought" },
          })
        ).status,
    ];
    for (let n = 0; n < times; n++) await Promise.all(works.map((work) => work()));
    await record();
    const statuses = await duringAttach(works);
    const listed = await service.pool`
      select from events where project_id = ${project.id} and name = 'bought'`;

    expect(statuses).toEqual([201, 200, 200]);
    expect(listed).toHaveLength(3 * times + EVENTS + 3);
    expect(await partitions()).toEqual([partition()]);
    expect(await eventCountFaults(service, project.id, { limit: 10 })).toEqual([]);
  });

  test("a segment is computed from all events: nobody leaves it or comes into it", async () => {
    for (let n = 0; n < EVENTS; n++) {
      await call("POST", "/events/track", { email: `c${n}@example.com`, event: "bought" });
    }
    const filters = [{ field: "event.bought", operator: "triggered" }];
    const { id } = (
      await call("POST", "/segments", {
        name: "S",
        trackMembership: true,
        condition: { logic: "AND", groups: [{ filters }] },
      })
    ).body;
    await service.runJobs();
    await call("POST", `/segments/${id}/compute`);
    await service.runJobs();
    const turns = async () =>
      (
        await service.pool`
          select name from events where project_id = ${project.id} and name like 'segment.%' order by id`
      ).map((row) => row.name as string);
    const before = await turns();
    const [computed] = await duringAttach([() => call("POST", `/segments/${id}/compute`)]);
    await service.runJobs();

    expect(computed!.body).toMatchObject({ added: 0, removed: 0, total: EVENTS });
    expect(await turns()).toEqual(before);
    expect((await call("GET", `/segments/${id}`)).body.memberCount).toBe(EVENTS);
  });

  test.each([0, OFTEN])(
    "a recount that has begun finds all events, and changes nothing (%p times before)",
    async (times) => {
      await record();
      for (let n = 0; n < times; n++) await recountProject(service, project.id);
      const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>();
      const { promise: isHeld, resolve: held } = Promise.withResolvers<void>();
      const holder = service.pool.begin(async (sql) => {
        await sql`select pg_advisory_xact_lock(recounting(${project.id}, 'events'))`;
        held();
        await mayGoOn;
      });
      await isHeld;
      const recounting = recountProject(service, project.id);
      await untilBlocked(service.pool, { lock: "advisory" });
      const [recount] = await duringAttach([
        async () => {
          goOn();
          return await recounting;
        },
      ]);
      await holder;

      expect(recount!.events).toBe(0);
      expect((await call("GET", "/events/stats")).body).toEqual([{ name: "bought", count: EVENTS }]);
    },
  );

  test("a deletion finds all that it is to delete, of a contact and of a name", async () => {
    const { contact } = (await call("POST", "/events/track", { email: "ada@example.com", event: "visited" }))
      .body.data;
    await record();
    const answers = await duringAttach([
      () => call("DELETE", `/contacts/${contact}`),
      () => call("DELETE", "/events/bought"),
    ]);
    const left = await service.pool`
      select name from events where project_id = ${project.id} and name in ('visited', 'bought')`;

    expect(answers.map(({ status }) => status)).toEqual([204, 200]);
    expect(answers[1]!.body).toEqual({ deletedCount: EVENTS });
    expect(left).toHaveLength(0);
    expect(await eventCountFaults(service, project.id, { limit: 10 })).toEqual([]);
  });

  test("a reader that holds one month for long lets the attaching come again later", async () => {
    await record();
    const [since, until] = [monthStart(new Date()), monthStart(new Date(), 1)];
    const { code, locked } = await service.pool.begin(async (sql) => {
      await sql`
        select from events
        where project_id = ${project.id} and id >= first_id_at(${since}) and id < first_id_at(${until})`;
      const locks = await sql`
        select relation::regclass::text as name from pg_locks where pid = pg_backend_pid() and locktype = 'relation'`;
      await Bun.sleep(300);
      const refusal =
        await service.pool`select make_events_partition(${monthStart(service.now())}::date)`.then(
          () => null,
          (error: { code: string }) => error.code,
        );
      return { code: refusal, locked: locks.map((row) => row.name as string) };
    });

    expect(locked).toContain("events");
    expect(locked).not.toContain("events_default");
    expect(code).toBe("55P03");
    await service.pool`select make_events_partition(${monthStart(service.now())}::date)`;
    expect(await partitions()).toEqual([partition()]);
  });
});
