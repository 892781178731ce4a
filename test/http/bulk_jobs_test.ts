import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { runBulkJob } from "../../src/audience/bulk_jobs.ts";
import { killBlocked, untilBlocked } from "../support/locks.ts";
import { IMPATIENT, startProcess, type ServiceProcess, until } from "../support/process.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService();
const SECRET_KEY = "a secret that only the tests know, 32+";
const OPERATIONS = ["subscribe", "unsubscribe", "delete"] as const;
type Operation = (typeof OPERATIONS)[number];
let project: NewProject;

beforeEach(async () => {
  project = await service.createProject();
});

const post = (operation: Operation, body: unknown, key = project.secret) =>
  service.request("POST", `/contacts/bulk-${operation}`, { key, body });

const poll = (jobId: string, key = project.secret) =>
  service.request("GET", `/contacts/bulk/${jobId}`, { key });

/** Enqueues, lets the job run, and answers the report. */
const bulk = async (operation: Operation, body: unknown) => {
  const { status, body: answer } = await post(operation, body);
  expect(status).toBe(202);
  await service.runJobs();
  return (await poll(answer.jobId)).body;
};

const addContacts = async (names: string[], { subscribed = true, projectId = project.id } = {}) => {
  const emails = names.map((name) => `${name}@example.com`);
  const rows = await service.pool`
    insert into contacts (project_id, email, subscribed)
    select ${projectId}, email, ${subscribed}
    from unnest(${emails}::text[]) with ordinality as given (email, n)
    order by n
    returning id
  `;
  return rows.map((row) => row.id as string);
};

const contactOf = async (id: string) => {
  const [row] = await service.pool`
    select subscribed, was_subscribed, opted_out_at from contacts where id = ${id}
  `;
  return row;
};

const eventNames = async (contactId: string) => {
  const rows = await service.pool`select name from events where contact_id = ${contactId} order by id`;
  return rows.map((row) => row.name as string);
};

const eventTotal = async (name: string) => {
  const [row] = await service.pool`
    select count(*)::int as total, count(distinct contact_id)::int as contacts
    from events
    where project_id = ${project.id} and name = ${name}
  `;
  return row;
};

describe("POST /contacts/bulk-subscribe and -unsubscribe", () => {
  test("change those that are not so yet, tell each change once, and name who is not there", async () => {
    const [ada, bob] = await addContacts(["ada", "bob"]);
    const [lin] = await addContacts(["lin"], { subscribed: false });
    const stranger = crypto.randomUUID();
    const queued = await post("unsubscribe", { contactIds: [ada, lin, bob, stranger, ada] });
    const waiting = await poll(queued.body.jobId);
    await service.runJobs();
    const done = await poll(queued.body.jobId);
    const back = await bulk("subscribe", { mode: "ids", contactIds: [ada] });

    expect(queued.status).toBe(202);
    expect(queued.body).toEqual({ jobId: expect.any(String), message: expect.any(String) });
    expect(waiting.body).toMatchObject({ state: "waiting", progress: 0, finishedAt: null });
    expect(done.body).toEqual({
      id: queued.body.jobId,
      state: "completed",
      progress: 100,
      result: {
        operation: "unsubscribe",
        totalRequested: 4,
        successCount: 2,
        unchangedCount: 1,
        failureCount: 1,
        errors: [{ contactId: stranger, error: "There is no such contact" }],
      },
      createdAt: expect.any(String),
      finishedAt: expect.any(String),
    });
    expect(back.result).toMatchObject({ operation: "subscribe", successCount: 1, unchangedCount: 0 });
    expect(await contactOf(bob!)).toEqual({
      subscribed: false,
      wasSubscribed: true,
      optedOutAt: expect.any(Date),
    });
    expect(await contactOf(ada!)).toEqual({ subscribed: true, wasSubscribed: false, optedOutAt: null });
    expect(await contactOf(lin!)).toEqual({ subscribed: false, wasSubscribed: null, optedOutAt: null });
    expect(await eventNames(ada!)).toEqual(["contact.unsubscribed", "contact.subscribed"]);
    expect(await eventNames(lin!)).toEqual([]);
  });

  test("meeting each other and tracked events tell every change once, and get in nobody's way", async () => {
    const ids = await addContacts(Array.from({ length: 1_000 }, (_, i) => `many${i}`));
    const jobs = await Promise.all([
      post("unsubscribe", { contactIds: ids }),
      post("unsubscribe", { contactIds: ids.toReversed() }),
      post("unsubscribe", { mode: "query", filter: {} }),
    ]);
    const tracks = Array.from({ length: 300 }, (_, i) =>
      service.request("POST", "/v1/track", {
        key: project.public,
        body: { email: `many${(i * 7) % 1_000}@example.com`, event: "e", data: { i } },
      }),
    );
    await Promise.all([service.runJobs(), ...tracks]);
    const reports = await Promise.all(jobs.map(async ({ body }) => (await poll(body.jobId)).body.result));

    expect((await Promise.all(tracks)).map((answer) => answer.status)).toEqual(Array(300).fill(200));
    const sum = (key: string) => reports.reduce((total, result) => total + result[key], 0);
    expect([sum("successCount"), sum("unchangedCount"), sum("failureCount")]).toEqual([1_000, 2_000, 0]);
    expect(await eventTotal("contact.unsubscribed")).toEqual({ total: 1_000, contacts: 1_000 });
  });
});

describe("POST /contacts/bulk-delete", () => {
  test("forgets the contact and keeps the ledger: address hashed, waiting mail suppressed, counts as they were", async () => {
    const send = async (to: string) => {
      const { body } = await service.request("POST", "/v1/send", {
        key: project.secret,
        body: { to: { email: to, name: "Ada L." }, from: `a@${DOMAIN}`, subject: "s", body: "b" },
      });
      return body.data.emails[0] as { email: string; contact: { id: string } };
    };
    const sent = await send("gone@example.com");
    await service.runJobs();
    const other = await send("stays@example.com");
    const [pending] = await service.pool`
      insert into emails (project_id, contact_id, address, to_name, source_type, due_at, queued_at)
      values (
        ${project.id}, ${sent.contact.id}, 'gone@example.com', 'Ada L.', 'TRANSACTIONAL', now() + '1 day', now()
      )
      returning id
    `;
    const report = await bulk("delete", { contactIds: [sent.contact.id, crypto.randomUUID()] });

    expect(report.result).toMatchObject({ operation: "delete", successCount: 1, failureCount: 1 });
    const rows = await service.pool`
      select id, contact_id, address, to_name, status, error from emails where project_id = ${project.id} order by id
    `;
    const hash = rows[0]!.address as string;
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect([...rows]).toEqual([
      { id: sent.email, contactId: null, address: hash, toName: null, status: "SENT", error: null },
      expect.objectContaining({
        id: other.email,
        contactId: other.contact.id,
        address: "stays@example.com",
        status: "SENT",
      }),
      {
        id: pending!.id,
        contactId: null,
        address: hash,
        toName: null,
        status: "SUPPRESSED",
        error: "The contact was deleted",
      },
    ]);
    expect(service.smtp.received.filter((mail) => mail.to[0] === "gone@example.com")).toHaveLength(1);
    expect(await contactOf(sent.contact.id)).toBeUndefined();
    expect(await service.pool`select from events where contact_id = ${sent.contact.id}`).toHaveLength(0);
    expect(
      (await service.request("GET", `/emails/${sent.email}`, { key: project.secret })).body,
    ).toMatchObject({
      contactId: null,
      status: "SENT",
    });
  });

  test("of the same address in another project has another hash", async () => {
    const other = await service.createProject();
    for (const { id, secret } of [project, other]) {
      const [contactId] = await addContacts(["same"], { projectId: id });
      const [email] = await service.pool`
        insert into emails (project_id, contact_id, address, source_type, due_at, queued_at)
        values (${id}, ${contactId!}, 'same@example.com', 'TRANSACTIONAL', now() + '1 day', now())
        returning id
      `;
      await post("delete", { contactIds: [contactId] }, secret);
      await service.runJobs();
      expect(email).toBeDefined();
    }
    const rows = await service.pool`
      select distinct address from emails where project_id in (${project.id}, ${other.id})
    `;

    expect(rows).toHaveLength(2);
  });
});

describe("the mode query", () => {
  test.each([
    ["everyone", {}, ["kim", "lea", "mia", "noa"]],
    ["a part of the address, in any case", { search: " LEA" }, ["lea"]],
    ["no wildcards", { search: "%" }, []],
    ["those who are subscribed", { subscribed: true }, ["kim", "lea"]],
    ["what is both", { search: "A@example", subscribed: false }, ["mia", "noa"]],
  ])("takes %s", async (_, filter, expected) => {
    await addContacts(["kim", "lea"]);
    await addContacts(["mia", "noa"], { subscribed: false });
    const report = await bulk("delete", { mode: "query", filter });
    const left = await service.pool`select email from contacts where project_id = ${project.id}`;

    const gone = ["kim", "lea", "mia", "noa"].filter(
      (name) => !left.some((row) => row.email.startsWith(name)),
    );
    expect(gone).toEqual(expected);
    expect(report.result).toMatchObject({ totalRequested: expected.length, successCount: expected.length });
  });

  test("leaves out the excluded, those of other projects, and those that came later", async () => {
    const other = await service.createProject();
    const [strangerId] = await addContacts(["stranger"], { projectId: other.id });
    const [keep, go] = await addContacts(["keep", "go"]);
    const queued = await post("unsubscribe", {
      mode: "query",
      filter: { subscribed: true },
      excludeIds: [keep],
    });
    const [late] = await addContacts(["late"]);
    await service.runJobs();
    const report = (await poll(queued.body.jobId)).body;

    expect(report.result).toMatchObject({
      totalRequested: 1,
      successCount: 1,
      unchangedCount: 0,
      failureCount: 0,
    });
    const states = await Promise.all([keep, go, late, strangerId].map((id) => contactOf(id!)));
    expect(states.map((contact) => contact!.subscribed)).toEqual([true, false, true, true]);
  });

  test("takes the members of a segment, static or dynamic, as they are then", async () => {
    const segment = async (input: object) => {
      const { status, body } = await service.request("POST", "/segments", {
        key: project.secret,
        body: input,
      });
      expect(status).toBe(201);
      return body.id as string;
    };
    const [ada, bob, lin] = await addContacts(["ada", "bob", "lin"]);
    const fixed = await segment({ name: "Fixed", type: "STATIC" });
    await service.request("POST", `/segments/${fixed}/members`, {
      key: project.secret,
      body: { emails: ["ada@example.com", "lin@example.com"] },
    });
    const filters = [{ field: "subscribed", operator: "equals", value: true }];
    const moving = await segment({ name: "Moving", condition: { logic: "AND", groups: [{ filters }] } });
    const first = await bulk("unsubscribe", { mode: "query", filter: { segmentId: fixed, search: "LIN" } });
    const second = await bulk("delete", {
      mode: "query",
      filter: { segmentId: moving },
      excludeIds: [bob!.toUpperCase()],
    });

    expect(first.result).toMatchObject({ totalRequested: 1, successCount: 1 });
    expect(second.result).toMatchObject({ totalRequested: 1, successCount: 1 });
    const left = await Promise.all([ada, bob, lin].map((id) => contactOf(id!)));
    expect(left.map((contact) => contact?.subscribed)).toEqual([undefined, true, false]);
  });

  test("of a segment that is not there, or another project's, is refused; of one that goes meanwhile, fails", async () => {
    const other = await service.createProject();
    const make = async (key: string) =>
      (await service.request("POST", "/segments", { key, body: { name: "S", type: "STATIC" } })).body
        .id as string;
    const [own, theirs] = [await make(project.secret), await make(other.secret)];
    for (const segmentId of [theirs, crypto.randomUUID()]) {
      const { status, body } = await post("delete", { mode: "query", filter: { segmentId } });

      expect([status, body.error.code]).toEqual([404, "SEGMENT_NOT_FOUND"]);
    }
    const queued = await post("delete", { mode: "query", filter: { segmentId: own } });
    await service.request("DELETE", `/segments/${own}`, { key: project.secret });
    await service.runJobs();

    expect((await poll(queued.body.jobId)).body).toMatchObject({
      state: "failed",
      failedReason: "Cannot find this segment",
    });
  });

  test("gives way to others after a while, shows how far it is, and is done once by however many", async () => {
    await addContacts(Array.from({ length: 4_500 }, (_, i) => `slice${i}`));
    const queued = await post("unsubscribe", { mode: "query", filter: {} });
    const run = (sliceMs?: number) =>
      runBulkJob(service, project.id, queued.body.jobId, sliceMs === undefined ? {} : { sliceMs });
    await run(0);
    const first = (await poll(queued.body.jobId)).body;
    await Promise.all([run(), run(), run()]);
    await service.runJobs();
    const report = (await poll(queued.body.jobId)).body;

    expect(first).toMatchObject({ state: "active", progress: 22 });
    expect(report.result).toMatchObject({ totalRequested: 4_500, successCount: 4_500, unchangedCount: 0 });
    expect(await eventTotal("contact.unsubscribed")).toEqual({ total: 4_500, contacts: 4_500 });
  });

  test("with nobody to take is done at once", async () => {
    const report = await bulk("delete", { mode: "query", filter: { search: "nobody" } });

    expect(report).toMatchObject({ state: "completed", progress: 100, result: { totalRequested: 0 } });
  });
});

describe("what is refused", () => {
  const id = crypto.randomUUID();

  test.each([
    ["nothing", {}, "contactIds", "required"],
    ["no ids", { contactIds: [] }, "contactIds", "too_small"],
    ["too many ids", { contactIds: Array(1_001).fill(id) }, "contactIds", "too_big"],
    ["an id that is none", { contactIds: [id, "x"] }, "contactIds.1", "invalid_string"],
    ["ids that are no list", { contactIds: id }, "contactIds", "invalid_type"],
    ["a mode that is none", { mode: "all", contactIds: [id] }, "mode", "invalid_enum_value"],
    ["the mode ids without ids", { mode: "ids", filter: {} }, "contactIds", "required"],
    ["the mode query without a filter", { mode: "query", contactIds: [id] }, "filter", "required"],
    [
      "a filter with a wrong value",
      { mode: "query", filter: { subscribed: "yes" } },
      "filter.subscribed",
      "invalid_type",
    ],
    ["a filter that is none", { mode: "query", filter: { segmentID: id } }, "filter.segmentID", "custom"],
    [
      "an excluded id that is none",
      { mode: "query", filter: {}, excludeIds: ["x"] },
      "excludeIds.0",
      "invalid_string",
    ],
  ])("%s", async (_, body, field, code) => {
    for (const operation of OPERATIONS) {
      const { status, body: answer } = await post(operation, body);

      expect([status, answer.error.code]).toEqual([422, "VALIDATION_ERROR"]);
      expect(answer.error.errors).toContainEqual(expect.objectContaining({ field, code }));
    }
  });

  test("a job of another project, of none, and of what is no id is 404", async () => {
    const other = await service.createProject();
    const { body } = await post("subscribe", { contactIds: [id] });
    const answers = await Promise.all([
      poll(body.jobId, other.secret),
      poll(crypto.randomUUID()),
      poll("nonsense"),
    ]);

    expect(answers.map((answer) => [answer.status, answer.body.error.code])).toEqual(
      Array(3).fill([404, "RESOURCE_NOT_FOUND"]),
    );
  });

  test("contacts of another project are not there, whatever the operation", async () => {
    const other = await service.createProject();
    const [contactId] = await addContacts(["theirs"], { projectId: other.id });
    for (const operation of OPERATIONS) {
      const report = await bulk(operation, { contactIds: [contactId] });

      expect(report.result).toMatchObject({ totalRequested: 1, successCount: 0, failureCount: 1 });
      expect(report.result.errors).toEqual([{ contactId, error: "There is no such contact" }]);
    }
    expect(await contactOf(contactId!)).toMatchObject({ subscribed: true, wasSubscribed: null });
  });
});

describe("a process that is killed in the middle of a bulk job", () => {
  const running = new Set<ServiceProcess>();

  afterEach(async () => {
    for (const started of running) await started.end("SIGKILL");
    running.clear();
  });

  test("leaves it to the next one, which goes on where it was: every change once", async () => {
    const total = 6_000;
    await service.pool`
      insert into contacts (project_id, email, subscribed)
      select ${project.id}, 'kill' || n || '@example.com', n % 4 <> 0
      from generate_series(1, ${total}::int) n
    `;
    const start = async () => {
      const started = await startProcess(
        {
          SECRET_KEY,
          RATE_LIMIT_PER_MINUTE: "0",
          DATABASE_URL: service.databaseUrl,
          MODE: "worker",
        },
        { preload: IMPATIENT },
      );
      running.add(started);
      return started;
    };
    const first = await start();
    let jobId = "";
    const report = async () => (await poll(jobId)).body;
    let killedAt = 0;
    // Its third chunk needs a contact that somebody else has: so it is killed within a chunk.
    await service.pool.begin(async (sql) => {
      await sql`
        select from contacts where id = (
          select id from contacts where project_id = ${project.id} and subscribed order by id offset 1800 limit 1)
        for update`;
      jobId = (await post("unsubscribe", { mode: "query", filter: {} })).body.jobId;
      await untilBlocked(service.pool);
      killedAt = (await report()).progress;
      await killBlocked(service.pool, first);
    });
    await start();
    await until("the end of the job", async () => (await report()).state === "completed");

    expect(killedAt).toBe(33);
    expect((await report()).result).toEqual({
      operation: "unsubscribe",
      totalRequested: total,
      successCount: total * 0.75,
      unchangedCount: total * 0.25,
      failureCount: 0,
      errors: [],
    });
    expect(await eventTotal("contact.unsubscribed")).toEqual({ total: total * 0.75, contacts: total * 0.75 });
  }, 300_000);
});

describe("a filter", () => {
  test.each([[null], [[]], [{ search: "" }], [{ search: "  " }], ["x"], [{ segmentID: "5" }]])(
    "that is %j does not mean everyone: 422",
    async (filter: unknown) => {
      const { status, body } = await service.request("POST", "/contacts/bulk-delete", {
        key: (await service.createProject()).secret,
        body: { mode: "query", filter },
      });

      expect(status).toBe(422);
      expect(body.error.errors[0].field).toStartWith("filter");
    },
  );
});
