// The activity as it happens, and searched.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { endWatching } from "../../src/insight/activity/live.ts";
import { STREAMS_OF_MEMBER, STREAMS_OF_PROJECT } from "../../src/http/entry/event_stream.ts";
import { join, signUp } from "../support/accounts.ts";
import { untilBlocked } from "../support/locks.ts";
import { StreamReader } from "../support/stream_reader.ts";
import { useService } from "../support/service.ts";

const service = useService();
let project: NewProject;
const open: StreamReader[] = [];
beforeEach(async () => {
  project = await service.createProject();
});
afterEach(async () => {
  for (const reader of open.splice(0)) await reader.leave();
});

const stream = async (query = "", headers: Record<string, string> = {}) => {
  const response = await service.app.handle(
    new Request(`http://localhost/activity/stream?${query}`, {
      headers: headers.cookie ? headers : { authorization: `Bearer ${project.secret}`, ...headers },
    }),
  );
  const reader = new StreamReader(response);
  open.push(reader);
  return reader;
};
const track = async (event: string, email = "ada@x.test", { secret } = project) => {
  const answer = await service.request("POST", "/events/track", { key: secret, body: { event, email } });
  expect(answer.status).toBe(200);
};

describe("GET /activity/stream", () => {
  test("tells what happens from now on, once, in the order in which it happened", async () => {
    await track("before");
    const reader = await stream("types=event.triggered");
    for (const name of ["one", "two", "three"]) await track(name);

    expect(reader.response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(await reader.names(3)).toEqual(["one", "two", "three"]);
    await track("four");
    expect(await reader.names(1)).toEqual(["four"]);
  });

  test("tells what happens while the past is read", async () => {
    await track("before", "ada@x.test");
    const [contact] = await service.pool`select id from contacts where project_id = ${project.id}`;
    let reader!: StreamReader;
    await service.pool.begin(async (held) => {
      await held`lock table events in access exclusive mode`;
      reader = await stream("types=event.triggered");
      await untilBlocked(service.pool, { lock: "relation" });
      await held`
        insert into events (project_id, id, contact_id, name, created_at)
        values (${project.id}, ${Bun.randomUUIDv7()}, ${contact!.id}, 'meanwhile', now())`;
    });

    expect(await reader.names(1)).toEqual(["meanwhile"]);
  });

  test("tells items as the list has them", async () => {
    const reader = await stream("types=event.triggered");
    await track("ordered");
    const { data } = (await reader.next())!;
    const list = await service.request("GET", "/activity?types=event.triggered", { key: project.secret });

    expect(data).toEqual(list.body.data[0]);
  });

  test("goes on where a reader was that comes back", async () => {
    const reader = await stream("types=event.triggered");
    await track("one");
    const { id } = (await reader.next())!;
    await reader.leave();
    await track("two");
    await track("three");
    const again = await stream("types=event.triggered", { "last-event-id": id! });
    await track("four");

    // The last seconds before it come again.
    expect((await again.names(4)).toSorted()).toEqual(["four", "one", "three", "two"]);
  });

  test("tells those of one contact, and of the types that are asked for, alone", async () => {
    const ada = await service.request("POST", "/contacts", {
      key: project.secret,
      body: { email: "ada@x.test" },
    });
    const [hers, subscriptions] = [
      await stream(`types=event.triggered&contactId=${ada.body.id}`),
      await stream("types=contact.unsubscribed"),
    ];
    await track("his", "bob@x.test");
    await track("hers");
    await service.request("PATCH", `/contacts/${ada.body.id}`, {
      key: project.secret,
      body: { subscribed: false },
    });

    expect(await hers.names(1)).toEqual(["hers"]);
    expect((await subscriptions.next())!.data.type).toBe("contact.unsubscribed");
  });

  test("tells the events of one name alone, those of the service too", async () => {
    const [orders, subscriptions] = [
      await stream("eventName=ordered"),
      await stream("eventName=contact.unsubscribed"),
    ];
    await track("paid");
    await track("ordered");
    const [{ id }] = (await service.request("GET", "/contacts", { key: project.secret })).body.data;
    await service.request("PATCH", `/contacts/${id}`, { key: project.secret, body: { subscribed: false } });

    expect(await orders.names(1)).toEqual(["ordered"]);
    expect(await subscriptions.names(1)).toEqual(["contact.unsubscribed"]);
  });

  test("says where more happened than it tells", async () => {
    const reader = await stream();
    await service.pool`
      insert into events (project_id, id, name, data)
      select ${project.id}, uuid_v7(), 'many', '{}' from generate_series(1, 501)`;

    expect(await reader.next()).toMatchObject({ event: "cut" });
    expect((await reader.next())!.data.metadata.eventName).toBe("many");
  });

  test("tells nothing of another project", async () => {
    const other = await service.createProject();
    const reader = await stream("types=event.triggered");
    await track("theirs", "ada@x.test", other);
    await track("mine");

    expect(await reader.names(1)).toEqual(["mine"]);
  });

  test("is open to a session, with the project in the query", async () => {
    const person = await signUp(service);
    await join(service, person, project.id, "MEMBER");
    const ask = (query: string) =>
      service.app.handle(
        new Request(`http://localhost/activity/stream${query}`, { headers: { cookie: person.cookie } }),
      );
    const reader = new StreamReader(await ask(`?projectId=${project.id}&types=event.triggered`));
    open.push(reader);
    await track("seen");

    expect(await reader.names(1)).toEqual(["seen"]);
    expect((await ask("")).status).toBe(400);
    expect((await ask(`?projectId=${(await service.createProject()).id}`)).status).toBe(403);
  });

  test("of one project are a hundred at a time, and one that is left makes room", async () => {
    const readers = [];
    for (let i = 0; i < STREAMS_OF_PROJECT; i++) readers.push(await stream());
    const refused = await service.request("GET", "/activity/stream", { key: project.secret });
    await readers[0]!.leave();

    expect([refused.status, refused.body.error.code]).toEqual([429, "RATE_LIMIT_EXCEEDED"]);
    expect(refused.body.error.message).toContain("100 of this project are open");
    expect((await stream()).response.status).toBe(200);
  });

  test("of one member are ten at a time, and others still get theirs", async () => {
    const [ada, bob] = [await signUp(service), await signUp(service)];
    for (const person of [ada, bob]) await join(service, person, project.id, "MEMBER");
    const watch = (cookie: string) => stream("", { cookie, "x-project-id": project.id });
    for (let i = 0; i < STREAMS_OF_MEMBER; i++) expect((await watch(ada.cookie)).response.status).toBe(200);
    const refused = await ada.request("GET", "/activity/stream", undefined, { projectId: project.id });

    expect([refused.status, refused.body.error.details.limit]).toEqual([429, STREAMS_OF_MEMBER]);
    expect(refused.body.error.message).toContain("10 of yours");
    expect((await watch(bob.cookie)).response.status).toBe(200);
    expect((await stream()).response.status).toBe(200);
  });

  test("ends when the service stops", async () => {
    const reader = await stream("types=event.triggered");
    await track("last");
    expect(await reader.names(1)).toEqual(["last"]);
    endWatching(service);

    expect(await reader.next()).toBeNull();
  });

  test.each(["types=nonsense", "since=1"])("refuses %s", async (query) => {
    const { status } = await service.request("GET", `/activity/stream?${query}`, { key: project.secret });

    expect(status).toBe(400);
  });

  test("has no body for HEAD, and neither have exports", async () => {
    for (const path of ["/activity/stream", "/contacts/export", "/suppressions/export"]) {
      const { status, body } = await service.request("HEAD", path, { key: project.secret });
      expect([path, status, body]).toEqual([path, 200, ""]);
    }
  });

  test("refuses a Last-Event-ID that is none", async () => {
    expect((await stream("", { "last-event-id": "7" })).response.status).toBe(400);
  });
});

describe("GET /activity?search=", () => {
  const search = async (query: string) =>
    await service.request("GET", `/activity?types=event.triggered&${query}`, { key: project.secret });
  const told = ({ body }: { body: any }) =>
    body.data.map((item: any) => `${item.metadata.eventName} of ${item.contactEmail}`);

  test("finds by address and by the name of events, in one order, page by page", async () => {
    await track("ordered", "ada@x.test");
    await track("Left", "bob@x.test");
    await track("ordered", "bob@x.test");
    await track("opened", "adam@x.test");

    expect(told(await search("search=ADA"))).toEqual(["opened of adam@x.test", "ordered of ada@x.test"]);
    expect(told(await search("search=left"))).toEqual(["Left of bob@x.test"]);
    expect(told(await search("search=ordered"))).toEqual(["ordered of bob@x.test", "ordered of ada@x.test"]);
    const first = await search("search=x.test&limit=3");
    const second = await search(`search=x.test&limit=3&cursor=${first.body.cursor}`);
    expect([...told(first), ...told(second)]).toEqual([
      "opened of adam@x.test",
      "ordered of bob@x.test",
      "Left of bob@x.test",
      "ordered of ada@x.test",
    ]);
    expect([first.body.hasMore, second.body.hasMore]).toEqual([true, false]);
  });

  test("refuses what is too short, or too common", async () => {
    for (let i = 0; i < 11; i++) await track("e", `many${i}@x.test`);

    expect((await search("search=ab")).body.error.message).toContain("3 characters");
    expect((await search("search=many")).body.error.message).toContain("more than 10");
    expect((await search("search=many10")).status).toBe(200);
  });
});
