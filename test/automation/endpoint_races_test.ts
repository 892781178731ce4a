// Endpoints and what they are told of, while both change.
import { describe, expect, test } from "bun:test";
import { untilBlocked } from "../support/locks.ts";
import { until } from "../support/process.ts";
import { useService } from "../support/service.ts";
import { endpointStage } from "./endpoint_stage.ts";
import { reply, useHookServers } from "./hook_server.ts";

const service = useService({ ALLOW_PRIVATE_WEBHOOKS: "true" });
const stage = endpointStage(service);
const serve = useHookServers();

const names = (server: { heard: { body: string }[] }) =>
  server.heard.map(({ body }) => JSON.parse(body).data.name).toSorted();
const notes = async () =>
  (await service.pool`select ids from webhook_notes where project_id = ${stage.project.id} order by id`).map(
    ({ ids }) => ids as string[],
  );

describe("an endpoint whose URL changes while it is called", () => {
  test.each([
    [410, null],
    [500, "3600"],
  ])("is not judged by the old one (%d), and the new one gets at once what failed", async (status, later) => {
    const answers: (() => void)[] = [];
    const old = await serve((socket, heard) =>
      answers.push(() => void reply(status, "", later ? { "Retry-After": later } : {})(socket, heard)),
    );
    const fresh = await serve(reply(200));
    const { id } = await stage.make(old.port, ["event.tracked"]);
    for (const name of ["one", "two"]) await stage.track(name);
    await stage.fanOut();
    const first = stage.deliver(id);
    await until("both are called", () => answers.length === 2);
    const url = `http://127.0.0.1:${fresh.port}/hook`;
    expect((await stage.call("PATCH", `/webhooks/${id}`, { url })).status).toBe(200);
    for (const answer of answers) answer();
    await first;
    const between = await stage.state(id);
    await stage.deliver(id);

    expect(between).toMatchObject({ enabled: true, pauseReason: null, failingSince: null, pending: 2 });
    expect(names(fresh)).toEqual(["one", "two"]);
    expect(await stage.deliveries(id)).toMatchObject([
      { status: "DELIVERED", attempts: 2 },
      { status: "DELIVERED", attempts: 2 },
    ]);
  });
});

describe("a line that is given back while its next delivery comes", () => {
  test("is called: who has found it taken waits until it is free", async () => {
    const server = await serve(reply(200));
    const { id } = await stage.make(server.port, ["event.tracked"]);
    const lease = { lease_id: Bun.randomUUIDv7(), lease_until: new Date(Date.now() + 60_000) };
    await service.pool`update webhooks set ${service.pool(lease)} where id = ${id}`;
    let found: Promise<void> | undefined;
    await service.pool.begin(async (holder) => {
      // It has looked, and nothing was due.
      await holder`update webhooks set lease_id = null, lease_until = null where id = ${id}`;
      await stage.track("late");
      await stage.fanOut();
      await service.dropJobs();
      found = stage.deliver(id);
      await untilBlocked(service.pool, {}, found);
    });
    await found;

    expect(await service.jobs("deliver_webhooks")).toHaveLength(1);
  });
});

describe("a contact who is being deleted", () => {
  test.each([
    [true, ["fine"]],
    [false, ["fine", "held"]],
  ])(
    "holds up nobody else, and is told of if that comes to nothing: is deleted: %p",
    async (isGone, heard) => {
      const server = await serve(reply(200));
      const { id } = await stage.make(server.port, ["event.tracked", "contact.created"]);
      const { body } = await stage.track("held", {}, "held@example.com");
      await stage.track("fine");
      const { promise: isDeleted, resolve: deleted } = Promise.withResolvers<void>();
      const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
      const deletion = service.pool
        .begin(async (sql) => {
          await sql`delete from contacts where project_id = ${stage.project.id} and id = ${body.data.contact}`;
          deleted();
          await mayEnd;
          if (!isGone) throw new Error("undone");
        })
        .catch(() => {});
      await isDeleted;
      await service.dropJobs();
      await stage.fanOut();
      const meanwhile = (await stage.deliveries(id)).map(({ type }) => type).toSorted();
      const again = await service.jobs("fan_out_webhooks");
      end();
      await deletion;
      await stage.fanOut();
      await stage.deliver(id);
      const told = server.heard.map(({ body: text }) => JSON.parse(text).data);

      expect(meanwhile).toEqual(["contact.created", "event.tracked"]);
      expect(again).toHaveLength(1);
      expect(told.flatMap(({ name }) => name ?? []).toSorted()).toEqual(heard);
      expect(new Set(told.map(({ contact }) => contact.email)).size).toBe(isGone ? 1 : 2);
      expect(await notes()).toEqual([]);
    },
  );
});

describe("the notes of a statement", () => {
  test("hold at most 500 events each, all that somebody wants and no others, of each project its own", async () => {
    const other = await service.createProject();
    await service.pool`
      insert into webhooks (project_id, url, events, event_names, secret, created_by)
      values
        (${stage.project.id}, 'https://example.com/', '{event.tracked}', '{wanted}', 'x', 'x'),
        (${stage.project.id}, 'https://example.com/', '{email.bounced}', null, 'x', 'x'),
        (${other.id}, 'https://example.com/', '{*}', null, 'x', 'x')`;
    const added = await service.pool`
      insert into events (project_id, name)
      select p.id, n.name
      from unnest(${[stage.project.id, other.id]}::uuid[]) as p (id)
      cross join (values ('wanted', 700), ('unwanted', 600), ('email.bounce', 1), ('email.open', 1)) as n (name, count)
      cross join generate_series(1, n.count)
      returning project_id, id, name`;
    const own = added.filter(({ projectId }) => projectId === stage.project.id);
    const wanted = own.filter(({ name }) => name === "wanted" || name === "email.bounce").map(({ id }) => id);
    const noted = await notes();
    const [others] = await service.pool`
      select sum(cardinality(ids))::int as ids, max(cardinality(ids)) as most
      from webhook_notes where project_id = ${other.id}`;

    expect(noted.map((ids) => ids.length)).toEqual([500, 201]);
    expect(noted.flat().toSorted()).toEqual(wanted.toSorted());
    expect(others).toMatchObject({ ids: 1302, most: 500 });
    expect(await service.jobs("fan_out_webhooks")).toHaveLength(1);
  });
});
