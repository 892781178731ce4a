// Moving in by the API: from servers on loopback and from files, with a dry run first, in slices, killed in the middle, and from
// servers that mean harm.
import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { OPERATOR } from "../../src/accounts/audit.ts";
import { createSandbox } from "../../src/accounts/projects/sandbox.ts";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { runMove } from "../../src/moving/move_run.ts";
import { killBlocked } from "../support/locks.ts";
import { IMPATIENT, type ServiceProcess, startProcess, until } from "../support/process.ts";
import { DOMAIN, useService } from "../support/service.ts";
import { zipOf } from "../support/zip.ts";

const service = useService({ ALLOW_PRIVATE_WEBHOOKS: "true" });
const servers: { stop(force: boolean): unknown }[] = [];
const running = new Set<ServiceProcess>();
let project: NewProject;

beforeEach(async () => {
  project = await service.createProject();
  service.setNow(new Date());
});

afterEach(async () => {
  for (const started of running) await started.end("SIGKILL");
  running.clear();
  await service.dropJobs();
});

afterAll(() => servers.forEach((server) => void server.stop(true)));

const call = async (method: string, path: string, body?: unknown) =>
  await service.request(method, path, { key: project.secret, ...(body !== undefined && { body }) });
const begin = async (body: object) => {
  const { status, body: move } = await call("POST", "/moves", body);
  expect([status, move.error]).toEqual([201, undefined]);
  return move.id as string;
};
const moveAt = async (id: string) => (await call("GET", `/moves/${id}`)).body;
const upload = (id: string, name: string, raw: string | Uint8Array<ArrayBuffer>) =>
  service.request("POST", `/moves/${id}/files?fileName=${name}`, { key: project.secret, raw });
const leftOut = async (id: string): Promise<string[]> => {
  const { data } = (await call("GET", `/moves/${id}/left-out?limit=1000`)).body;
  return data.map(({ what, why }: { what: string; why: string }) => `${what}: ${why}`);
};
/** How the other service is read is gone, and so are the files. */
const kept = async (id: string) => {
  const [row] = await service.pool`
    select
      (select access is not null from moves where id = ${id}) as key,
      (select count(*)::int from move_file_pieces where move_id = ${id}) as pieces,
      (select count(*)::int from move_ids where move_id = ${id}) as ids`;
  return row;
};
const contactsHere = async () => {
  const rows = await service.pool`
    select email, subscribed, data from contacts where project_id = ${project.id} order by email`;
  return new Map(rows.map(({ email, ...row }) => [email as string, row]));
};

type Answering = (url: URL, request: Request) => unknown;

/** A server on loopback. What is no Response is JSON. */
function serve(answer: Answering): string {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const body = await answer(new URL(request.url), request);
      return body instanceof Response ? body : Response.json(body);
    },
  });
  servers.push(server);
  return `http://127.0.0.1:${server.port}`;
}

/** A Plunk with some contacts in pages of a hundred, and what else is given by its path. */
function plunk(total: number, more: Record<string, Answering> = {}): Answering {
  return (url, request) => {
    if (request.headers.get("authorization") !== "Bearer sk_there") return new Response("", { status: 401 });
    const other = more[url.pathname];
    if (other) return other(url, request);
    if (url.pathname === "/segments") return [];
    if (url.pathname !== "/contacts") return { data: [], totalPages: 0, hasMore: false, cursor: null };
    const from = Number(url.searchParams.get("cursor") ?? 0);
    const upTo = Math.min(total, from + 100);
    const data = Array.from({ length: upTo - from }, (_, n) => ({
      email: `p${from + n}@example.com`,
      subscribed: (from + n) % 10 > 0,
      data: { n: from + n },
    }));
    return { data, hasMore: upTo < total, cursor: upTo < total ? String(upTo) : null };
  };
}

describe("from a service with an API", () => {
  const mail = { subject: "Hi", body: "<p>Hi</p>", from: `hello@${DOMAIN}` };
  const ID = "0a8f5f0e-0000-4000-8000-000000000001";
  const all = (data: unknown[]) => () => ({ data, totalPages: 1 });

  test("a dry run says what would come; then it comes, unsubscribed ones unsubscribed, and the key is forgotten", async () => {
    const url = serve(
      plunk(250, {
        "/segments": () => [
          { id: ID, name: "VIPs", type: "STATIC" },
          { id: "s2", name: "x".repeat(101), type: "STATIC" },
        ],
        [`/segments/${ID}/contacts`]: all([{ email: "p1@example.com" }, { email: "p2@example.com" }]),
        "/suppressions": () => ({ data: [{ email: "p1@example.com", reason: "COMPLAINT" }], hasMore: false }),
        "/templates": all([
          { id: "t1", name: "Welcome", ...mail },
          { id: "t2", name: "Odd", ...mail, body: 5 },
        ]),
        "/campaigns": all([{ id: "c1", name: "News", ...mail, audienceType: "SEGMENT", segmentId: ID }]),
      }),
    );
    const id = await begin({ from: "plunk", url: `${url}/`, key: "sk_there" });
    const sealed = await kept(id);
    const second = await call("POST", "/moves", { from: "brevo" });
    const early = await call("POST", `/moves/${id}/start`);
    await service.runJobs();
    const ready = await moveAt(id);
    const foreseen = await leftOut(id);
    const untouched = (await contactsHere()).size;
    const started = await call("POST", `/moves/${id}/start`);
    await service.runJobs();
    const done = await moveAt(id);
    const here = await contactsHere();
    const [made] = await service.pool`
      select
        (select member_count from segments where project_id = ${project.id} and name = 'VIPs') as vips,
        (select s.name from campaigns c join segments s on s.id = c.segment_id where c.project_id = ${project.id}) as audience,
        (select reason from suppressions where project_id = ${project.id}) as reason,
        (select array_agg(action order by id) from audit where project_id = ${project.id} and action ~ 'move|received') as audit,
        (select count(*)::int from events where project_id = ${project.id}) as events`;

    expect([sealed?.key, second.status, second.body.error.details, early.status]).toEqual([
      true,
      409,
      { id },
      409,
    ]);
    expect(ready).toMatchObject({
      state: "READY",
      url,
      found: {
        contacts: { read: 250, created: 250, unsubscribed: 25 },
        suppressions: 1,
        segments: { created: 1 },
        templates: { created: 1 },
        campaigns: { created: 1 },
      },
      moved: null,
      leftOutTotal: 3,
    });
    expect(foreseen).toEqual([
      "events and mails: the history of an account stays where it is",
      `segment ${"x".repeat(101)}: its name has more than 100 characters`,
      "template Odd: body is not what was expected",
    ]);
    expect([untouched, started.status, started.body.state]).toEqual([0, 202, "RUNNING"]);
    expect(done).toMatchObject({ state: "DONE", found: ready.found, step: null, failedReason: null });
    expect(done.moved).toMatchObject({
      contacts: { read: 250, created: 250, refused: 0 },
      campaigns: { created: 1 },
    });
    expect(await leftOut(id)).toEqual(foreseen);
    expect([here.size, here.get("p10@example.com"), here.get("p3@example.com")]).toEqual([
      250,
      { subscribed: false, data: { n: 10 } },
      { subscribed: true, data: { n: 3 } },
    ]);
    expect(made).toEqual({
      vips: 2,
      audience: "VIPs",
      reason: "COMPLAINT",
      audit: ["move.created", "move.started", "project.received"],
      events: 0,
    });
    expect(await kept(id)).toEqual({ key: false, pieces: 0, ids: 0 });
    expect((await call("POST", `/moves/${id}/cancel`)).status).toBe(409);
  });

  test("in test mode it comes into the sandbox, from any sender, and the project stays as it was", async () => {
    const url = serve(
      plunk(30, {
        "/suppressions": () => ({ data: [{ email: "p1@example.com", reason: "COMPLAINT" }], hasMore: false }),
        "/templates": all([{ id: "t1", name: "Welcome", ...mail, from: "hello@nobody.example" }]),
        "/campaigns": all([{ id: "c1", name: "News", ...mail, audienceType: "ALL" }]),
      }),
    );
    const live = project;
    const sandbox = await createSandbox(service, live.id, OPERATOR);
    project = { ...live, ...sandbox };
    const id = await begin({ from: "plunk", url, key: "sk_there" });
    await service.runJobs();
    expect(await moveAt(id)).toMatchObject({ state: "READY", found: { templates: { created: 1 } } });
    await call("POST", `/moves/${id}/start`);
    await service.runJobs();
    const done = await moveAt(id);
    const here = await contactsHere();
    const [template] = (await call("GET", "/templates")).body.data;
    // A move of the project itself is another one.
    const { body: others } = await service.request("GET", "/moves", { key: live.secret });
    const [left] = await service.pool`
      select
        (select count(*)::int from contacts where project_id = ${live.id}) as contacts,
        (select count(*)::int from templates where project_id = ${live.id}) as templates,
        (select count(*)::int from suppressions where project_id = ${live.id}) as suppressions,
        (select count(*)::int from emails where project_id in (${live.id}, ${sandbox.id})) as mails`;

    expect(done).toMatchObject({
      state: "DONE",
      moved: {
        contacts: { created: 30, unsubscribed: 3 },
        suppressions: 1,
        templates: { created: 1 },
        campaigns: { created: 1 },
      },
    });
    expect(await leftOut(id)).toEqual(["events and mails: the history of an account stays where it is"]);
    expect([here.size, here.get("p10@example.com")?.subscribed, template.from]).toEqual([
      30,
      false,
      "hello@nobody.example",
    ]);
    expect([others.data, left]).toEqual([[], { contacts: 0, templates: 0, suppressions: 0, mails: 0 }]);
  });

  test("work in slices asks for each page once, and a cancelled move stops at once", async () => {
    const asked: string[] = [];
    const url = serve((at, request) => {
      asked.push(at.pathname + at.search);
      return plunk(1_000)(at, request);
    });
    const id = await begin({ from: "postrider", url, key: "sk_there" });
    await service.runJobs();
    await call("POST", `/moves/${id}/start`);
    asked.length = 0;
    const slice = () => runMove(service, project.id, id, { sliceMs: 0 });
    for (let slices = 0; (await moveAt(id)).moved.contacts.read < 500 && slices < 50; slices++) await slice();
    const half = await moveAt(id);
    const pages = asked.filter((path) => path.startsWith("/contacts"));
    const cancelled = await call("POST", `/moves/${id}/cancel`);
    await slice();
    await service.runJobs();

    expect(half.moved.contacts).toMatchObject({ read: 500, created: 500 });
    expect([pages.length, new Set(pages).size, half.step]).toEqual([5, 5, "contacts"]);
    expect([cancelled.status, cancelled.body.state, (await contactsHere()).size]).toEqual([
      200,
      "CANCELLED",
      500,
    ]);
    expect(asked.filter((path) => path.startsWith("/contacts")).length).toBe(5);
    expect(await kept(id)).toMatchObject({ key: false });

    // Another one goes on with the rest, and brings nothing twice.
    const next = await begin({ from: "postrider", url, key: "sk_there" });
    await service.runJobs();
    await call("POST", `/moves/${next}/start`);
    await service.runJobs();
    expect((await moveAt(next)).moved.contacts).toMatchObject({ read: 1_000, created: 500, changed: 0 });
  });

  test("a process that is killed leaves it to the next one: nothing is lost, and nothing counted twice", async () => {
    const url = serve(plunk(600));
    const start = async () => {
      const settings = {
        SECRET_KEY: service.config.SECRET_KEY,
        DATABASE_URL: service.databaseUrl,
        ALLOW_PRIVATE_WEBHOOKS: "true",
        MODE: "worker",
      };
      const started = await startProcess(settings, { preload: IMPATIENT });
      running.add(started);
      return started;
    };
    await service.pool`
      insert into contacts (project_id, email, subscribed) values (${project.id}, 'p350@example.com', false)`;
    const id = await begin({ from: "plunk", url, key: "sk_there" });
    await service.runJobs();
    await call("POST", `/moves/${id}/start`);
    await service.pool.begin(async (sql) => {
      await sql`select from contacts where project_id = ${project.id} and email = 'p350@example.com' for update`;
      await killBlocked(service.pool, await start());
    });
    const stopped = await moveAt(id);
    await start();
    await until("the end of the move", async () => (await moveAt(id)).state === "DONE");
    const { moved } = await moveAt(id);
    const here = await contactsHere();

    expect([stopped.state, stopped.moved.contacts.read]).toEqual(["RUNNING", 300]);
    expect(moved.contacts).toEqual({ read: 600, created: 599, changed: 1, unsubscribed: 60, refused: 0 });
    expect([here.size, here.get("p350@example.com")]).toEqual([600, { subscribed: false, data: { n: 350 } }]);
  });
});

describe("from files", () => {
  test("files that do not say who is subscribed are asked about, and kept; a zip of several MB is read where it lies", async () => {
    const id = await begin({ from: "mailchimp" });
    const none = await call("POST", `/moves/${id}/check`, {});
    const rows = Array.from(
      { length: 3_000 },
      (_, n) => `c${n}@example.com,C${n},"""VIP""",${"x".repeat(60)}`,
    );
    const columns = "Email Address,First Name,TAGS,Note";
    const zip = zipOf({
      "a/people.csv": `${columns}\r\n${rows.join("\r\n")}\r\nno address,,,\r\n`,
      "a/cleaned_1.csv": `${columns},CLEAN_TIME\r\ngone@example.com,,,,2022-01-01 00:00:00\r\n`,
    });
    const uploaded = await upload(id, "export.zip", zip as Uint8Array<ArrayBuffer>);
    const unwanted = await upload(id, "more.csv", "Email Address\nmore@example.com\n");
    const workbook = await upload(id, "book.xlsx", zip as Uint8Array<ArrayBuffer>);
    const lying = await upload(id, "lie.zip", "no zip");
    const empty = await upload(id, "empty.csv", "");
    const removed = await call("DELETE", `/moves/${id}/files/${unwanted.body.id}`);
    await call("POST", `/moves/${id}/check`, {});
    await service.runJobs();
    const asking = await moveAt(id);
    await call("POST", `/moves/${id}/check`, { as: "subscribed" });
    const late = await upload(id, "late.csv", "EMAIL\n");
    await service.runJobs();
    const ready = await moveAt(id);
    await call("POST", `/moves/${id}/start`);
    // In slices, so that every one of them finds its place in the file again.
    for (let slices = 0; (await moveAt(id)).state === "RUNNING" && slices < 200; slices++)
      await runMove(service, project.id, id, { sliceMs: 0 });
    const done = await moveAt(id);
    const here = await contactsHere();
    const [made] = await service.pool`
      select
        (select member_count from segments where project_id = ${project.id} and name = 'VIP') as vips,
        (select reason from suppressions where project_id = ${project.id}) as reason`;

    expect([none.status, uploaded.status, removed.status, late.status]).toEqual([409, 201, 204, 409]);
    expect([workbook.status, lying.status, empty.status]).toEqual([415, 415, 400]);
    expect(lying.body.error.message).toMatch(/^Cannot read .+\.zip: it is no zip/);
    expect(asking).toMatchObject({
      state: "UPLOADING",
      failedReason: expect.stringContaining("does not say whether its contacts are subscribed"),
      files: [{ name: "export.zip" }],
    });
    expect(ready).toMatchObject({ state: "READY", as: "subscribed", failedReason: null });
    expect(ready.found.contacts).toMatchObject({ read: 3_002, created: 3_001, refused: 1 });
    expect(done.state).toBe("DONE");
    expect(done.moved).toEqual(ready.found);
    expect([
      here.size,
      here.get("c2999@example.com")!.subscribed,
      here.get("gone@example.com")!.subscribed,
    ]).toEqual([3_001, true, false]);
    expect(made).toEqual({ vips: 3_000, reason: "BOUNCE" });
    expect(await kept(id)).toEqual({ key: false, pieces: 0, ids: 0 });
  }, 60_000);

  test("uploads at the same time have 400 MB together", async () => {
    const id = await begin({ from: "brevo" });
    const csv = "EMAIL\nada@example.com\n";
    const first = await upload(id, "first.csv", csv);
    // Another one, which has not ended: the place of its last piece says how much has come.
    await service.pool`
      with file as (
        insert into move_files (project_id, move_id, id, name)
        values (${project.id}, ${id}, uuid_v7(), 'large.csv')
        returning id
      )
      insert into move_file_pieces (project_id, move_id, file_id, position, deflated)
      select ${project.id}, ${id}, id, ${(400 * 1_048_576) / 65_536 + 18}, ''::bytea from file`;
    const full = await upload(id, "second.csv", csv);

    expect([first.status, full.status]).toEqual([201, 409]);
    expect(full.body.error.message).toContain("it may have 400 MB in all");
    expect((await moveAt(id)).files).toHaveLength(1);
  });

  test("one that nobody goes on with is cancelled after a week, with its files", async () => {
    const id = await begin({ from: "brevo" });
    await upload(id, "contacts.csv", "EMAIL\nada@example.com\n");
    const { purgeMoves } = await import("../../src/moving/moves.ts");
    await purgeMoves(service);
    const before = (await moveAt(id)).state;
    service.setNow(new Date(Date.now() + 8 * 86_400_000));
    await purgeMoves(service);

    expect([before, (await moveAt(id)).state, await kept(id)]).toEqual([
      "UPLOADING",
      "CANCELLED",
      { key: false, pieces: 0, ids: 0 },
    ]);
  });
});

describe("from a server that means harm, or none of it", () => {
  const check = async (answer: Answering, more: Parameters<typeof runMove>[3] = {}) => {
    const id = await begin({ from: "plunk", url: serve(answer), key: "sk_there" });
    await runMove(service, project.id, id, more);
    const move = await moveAt(id);
    await call("POST", `/moves/${id}/cancel`);
    return move;
  };

  test("a wrong key, other JSON, the same page for ever and a huge answer end it in words", async () => {
    const wrong = await check(() => new Response("", { status: 403 }));
    const other = await check(plunk(1, { "/contacts": () => ({ people: [] }) }));
    const endless = await check(
      plunk(1, { "/contacts": () => ({ data: [], hasMore: true, cursor: "again" }) }),
    );
    const huge = await check(
      plunk(1, { "/segments": () => new Response(Buffer.alloc(17 * 1_048_576, "[")) }),
    );

    const many = await check(plunk(1, { "/contacts": () => ({ data: Array(10_001).fill({}) }) }));

    expect([wrong, other, endless, huge, many].map(({ state }) => state)).toEqual(Array(5).fill("FAILED"));
    expect(many.failedReason).toContain("its response is not what was expected (at /data)");
    expect(wrong.failedReason).toContain("it refused the credentials (403)");
    expect(other.failedReason).toContain("its response is not what was expected (at /data)");
    expect(endless.failedReason).toContain("the same page of contacts comes again and again");
    expect(huge.failedReason).toContain("larger than 16 MB");
    expect((await contactsHere()).size).toBe(0);
  });

  test("two that go on for ever leave a third project its turn", async () => {
    const gate = Promise.withResolvers<void>();
    let asked = 0;
    const slow = serve(async (url, request) => {
      asked += 1;
      await gate.promise;
      return await plunk(1_000)(url, request);
    });
    const moves: { projectId: string; id: string }[] = [];
    for (const url of [slow, slow, serve(plunk(1))]) {
      project = await service.createProject();
      moves.push({ projectId: project.id, id: await begin({ from: "plunk", url, key: "sk_there" }) });
    }
    await service.dropJobs();
    const run = async ({ projectId, id }: (typeof moves)[number]) =>
      await runMove(service, projectId, id, { sliceMs: 0 });
    const long = moves.slice(0, 2).map(run);
    await until("both are at work", () => asked === 2);
    await run(moves[2]!);
    gate.resolve();
    await Promise.all(long);
    const jobs =
      await service.pool`select key from graphile_worker.jobs where key like 'move:%' order by run_at`;

    expect(jobs.map(({ key }) => key as string)[0]).toBe(`move:${moves[2]!.id}`);
    expect(jobs).toHaveLength(3);
  });

  test("a key goes to its own host only, and no private address is called where that is not allowed", async () => {
    const seen: (string | null)[] = [];
    const elsewhere = serve((_, request) => {
      seen.push(request.headers.get("authorization"));
      return [];
    });
    await check((url) => Response.redirect(elsewhere + url.pathname, 302));
    const { reasonAgainstAddress } = await import("../../src/net/public_address.ts");
    const guard = {
      dns: service.dns,
      reasonAgainst: (address: string) => reasonAgainstAddress(address, false),
    };
    const refused = await check(plunk(1), { reading: { guard } });

    expect(seen.length).toBeGreaterThan(0);
    expect(new Set(seen)).toEqual(new Set([null]));
    expect([refused.state, refused.failedReason]).toEqual([
      "FAILED",
      expect.stringContaining("private address"),
    ]);
  });

  test("items of other shapes are left out one by one, whatever is in them", async () => {
    const people = [
      { email: "good@example.com", subscribed: true, data: { a: 1 } },
      { email: "nul@example.com", subscribed: true, data: { a: "\0" } },
      { email: 5 },
      null,
      { email: "no address", subscribed: true },
    ];
    const condition = { logic: "AND", groups: [{ filters: [{ field: { deep: [] }, operator: 7 }] }] };
    const url = serve(
      plunk(1, {
        "/contacts": () => ({ data: people, hasMore: false, cursor: null }),
        "/segments": () => [{ id: "s", name: "Odd", type: "DYNAMIC", condition }],
        "/workflows": () => ({ data: [{ id: "w" }] }),
        "/workflows/w": () => ({
          name: "Odd",
          triggerConfig: { eventName: "e" },
          steps: [{ id: "a", type: "__proto__", name: "x", config: { toString: 1 } }],
        }),
      }),
    );
    const id = await begin({ from: "plunk", url, key: "sk_there" });
    await service.runJobs();
    await call("POST", `/moves/${id}/start`);
    await service.runJobs();
    const { state, moved } = await moveAt(id);
    const left = await leftOut(id);

    expect([state, [...(await contactsHere()).keys()]]).toEqual(["DONE", ["good@example.com"]]);
    expect(moved).toMatchObject({ segments: { created: 0 }, workflows: { created: 0 } });
    for (const what of [
      "contact nul@example.com",
      "contact without a name",
      "contact no address",
      "segment Odd",
      "workflow Odd",
    ])
      expect(left).toContainEqual(expect.stringContaining(what));
  });

  test("one that is busy is asked later, without a job that waits for it, and given up in the end", async () => {
    let isBusy = true;
    const busy: Answering = (url, request) =>
      isBusy ? new Response("", { status: 429, headers: { "retry-after": "120" } }) : plunk(3)(url, request);
    const id = await begin({ from: "plunk", url: serve(busy), key: "sk_there" });
    await service.runJobs();
    const waiting = await moveAt(id);
    const [job] = await service.jobs("run_move");
    isBusy = false;
    service.setNow(new Date(Date.now() + 121_000));
    await service.runJobs();
    const ready = await moveAt(id);
    await call("POST", `/moves/${id}/cancel`);

    expect([waiting.state, waiting.isWaiting, waiting.failedReason]).toEqual(["CHECKING", true, null]);
    expect(job!.runAt.getTime() - Date.now()).toBeWithin(100_000, 121_000);
    expect([ready.state, ready.isWaiting, ready.found.contacts.read]).toEqual(["READY", false, 3]);

    isBusy = true;
    const gone = await begin({ from: "plunk", url: serve(busy), key: "sk_there" });
    for (let tries = 0; tries < 11; tries++) await runMove(service, project.id, gone);
    expect(await moveAt(gone)).toMatchObject({
      state: "FAILED",
      failedReason: expect.stringContaining("429"),
    });
  });

  test("a project that tracks segments, and a body that does not fit the service, are refused", async () => {
    const bodies = [
      { from: "plunk", key: "k" },
      { from: "brevo", key: "k" },
      { from: "listmonk", url: "https://a.example", key: "k" },
      { from: "plunk", url: "ftp://a.example", key: "k" },
      { from: "elsewhere" },
    ];
    const refused = [];
    for (const body of bodies) refused.push(await call("POST", "/moves", body));
    await service.pool`
      insert into segments (project_id, name, slug, condition, track_membership)
      values (${project.id}, 'T', 't', '{"logic": "AND", "groups": []}', true)`;
    const tracked = await call("POST", "/moves", { from: "brevo" });

    expect(
      refused.map(({ status, body }) => [status, body.error.errors.map((e: { field: string }) => e.field)]),
    ).toEqual([
      [422, ["url"]],
      [422, ["key"]],
      [422, ["user", "password", "key"]],
      [422, ["url"]],
      [422, ["from"]],
    ]);
    expect([tracked.status, tracked.body.error.message]).toEqual([
      409,
      expect.stringContaining("tracks the membership"),
    ]);
  });
});
