// What the owner of a project does with mails that were captured: sends them, or gives them up.
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { join, type Person, signUp } from "../support/accounts.ts";
import { DOMAIN, useService } from "../support/service.ts";

/** With a mail server: what was captured before there was one can be released. */
const service = useService();
let project: NewProject;
let owner: Person;

beforeAll(async () => {
  owner = await signUp(service);
});

beforeEach(async () => {
  service.smtp.received.length = 0;
  project = await service.createProject();
  await join(service, owner, project.id, "OWNER");
});

const call = (verb: "release" | "discard", body: object, person = owner, { id } = project) =>
  person.request("POST", `/projects/${id}/captured-mails/${verb}`, body, { projectId: id });

/** Mails as they are in the ledger after they were captured, one a second; returns their ids. */
async function captured(count: number, { id } = project): Promise<string[]> {
  const [content] = await service.pool`
    insert into contents (project_id, subject, html, from_email, shared)
    values (${id}, 'Hi', '<p>Hi</p>', ${`hello@${DOMAIN}`}, true) returning id`;
  const rows = await service.pool`
    insert into emails (project_id, address, content_id, source_type, status, due_at, queued_at, captured_at)
    select ${id}, n || '@many.example', ${content!.id}, 'TRANSACTIONAL', 'CAPTURED', '2026-01-01', '2026-01-01',
      '2026-01-01'::timestamptz + n * interval '1 second'
    from generate_series(1, ${count}::int) as n
    returning id`;
  return rows.map((row) => row.id as string);
}

const statuses = async () => {
  const rows = await service.pool`
    select status, count(*)::int as count from emails where project_id = ${project.id} group by status order by 1`;
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
};

const audit = async () => (await owner.request("GET", `/projects/${project.id}/audit`, undefined)).body.data;

describe("POST /projects/:id/captured-mails/release", () => {
  test("sends what was captured, of this project alone, and the log says who did it", async () => {
    const other = await service.createProject();
    await captured(2, other);
    await captured(3);
    const dry = await call("release", { all: true, dryRun: true });
    const { status, body } = await call("release", { all: true });
    await service.runJobs();

    expect(dry.body).toMatchObject({ captured: 3, released: 3, cursor: null });
    expect([status, body]).toEqual([
      200,
      { captured: 3, released: 3, refused: {}, skipped: {}, overLimit: 0, cursor: null },
    ]);
    expect(service.smtp.received.flatMap(({ to }) => to).toSorted()).toEqual([
      "1@many.example",
      "2@many.example",
      "3@many.example",
    ]);
    expect((await audit())[0]).toMatchObject({ action: "captured.released", details: { mails: 3 } });
    expect((await call("release", { all: true })).body).toMatchObject({ captured: 0, released: 0 });
  });

  test("takes ids or a time, and refuses what says neither, or both", async () => {
    const ids = await captured(4);
    const foreign = await captured(1, await service.createProject());
    const one = await call("release", { ids: [ids[0], ...foreign] });
    const late = await call("release", { since: "2026-01-01T00:00:03Z" });

    expect(one.body).toMatchObject({ captured: 1, released: 1 });
    expect(Object.values(one.body.skipped)).toEqual([1]);
    expect(late.body).toMatchObject({ captured: 2, released: 2 });
    for (const body of [{}, { ids, all: true }, { since: "then" }, { ids: [] }, { all: false }])
      expect([body, (await call("release", body)).status]).toEqual([body, 422]);
    expect((await call("release", { all: true, cursor: "x" })).status).toBe(400);
    expect(await statuses()).toEqual({ PENDING: 3, CAPTURED: 1 });
  });

  test("checks again what speaks against a mail", async () => {
    await captured(2);
    await service.request("POST", "/suppressions", {
      key: project.secret,
      body: { email: "1@many.example" },
    });
    const { body } = await call("release", { all: true });

    expect([body.released, Object.values(body.refused)]).toEqual([1, [1]]);
    expect(await statuses()).toEqual({ PENDING: 1, SUPPRESSED: 1 });
  });

  test("goes on by its cursor where there are thousands", async () => {
    await captured(5_200);
    const first = await call("release", { all: true });
    const rest = await call("release", { all: true, cursor: first.body.cursor });

    expect([first.body.released, rest.body.released, rest.body.cursor]).toEqual([5_000, 200, null]);
  }, 120_000);

  test("is refused while a process would capture them again, and changes nothing", async () => {
    await captured(1);
    await service.pool`
      insert into workers (id, host, pid, captures, seen_at)
      values (${crypto.randomUUID()}, 'secret-host', 1, true, now())`;
    const refused = await call("release", { all: true });
    await service.pool`delete from workers where host = 'secret-host'`;

    expect([refused.status, refused.body.error.code]).toEqual([409, "CONFLICT"]);
    expect(JSON.stringify(refused.body)).not.toContain("secret-host");
    expect(await statuses()).toEqual({ CAPTURED: 1 });
  });
});

describe("POST /projects/:id/captured-mails/discard", () => {
  test("gives them up for good", async () => {
    const [first] = await captured(2);
    const { status, body } = await call("discard", { ids: [first] });

    expect([status, body]).toEqual([200, { captured: 1, discarded: 1, skipped: 0, cursor: null }]);
    expect(await statuses()).toEqual({ CAPTURED: 1, SUPPRESSED: 1 });
    expect((await audit())[0]).toMatchObject({ action: "captured.discarded", details: { mails: 1 } });
    const { body: mail } = await service.request("GET", `/emails/${first}`, { key: project.secret });
    expect(mail.error).toBe("Discarded by an owner of the project");
  });
});

describe("without a mail server", () => {
  const capturing = useService({ SMTP_URL: "" });

  test("nothing is released, and the refusal says what is missing", async () => {
    const own = await capturing.createProject();
    const person = await signUp(capturing);
    await join(capturing, person, own.id, "OWNER");
    const path = `/projects/${own.id}/captured-mails`;
    const refused = await person.request("POST", `${path}/release`, { all: true });

    expect([refused.status, refused.body.error.code]).toEqual([501, "NOT_CONFIGURED"]);
    expect(refused.body.error.suggestion).toContain("SMTP_URL");
    expect((await person.request("POST", `${path}/discard`, { all: true })).status).toBe(200);
  });

  test("a captured mail has its time line, and its copy goes with its contact", async () => {
    const own = await capturing.createProject();
    const api = (method: string, path: string, body?: unknown) =>
      capturing.request(method, path, { key: own.secret, body });
    const message = { from: `hello@${DOMAIN}`, subject: "Secret", body: "<p>Between us</p>" };
    const sent = await api("POST", "/v1/send", { to: ["ada@x.test", "bob@x.test"], ...message });
    await capturing.runJobs();
    const [{ email, contact }] = sent.body.data.emails;
    const { body: events } = await api("GET", `/emails/${email}/events`);
    const copies = async () =>
      (await capturing.pool`select to_address from captured_mails where project_id = ${own.id}`).map(
        (row) => row.toAddress as string,
      );

    expect(events.map(({ name }: { name: string }) => name)).toEqual(["email.queued", "email.captured"]);
    expect((await copies()).toSorted()).toEqual(["ada@x.test", "bob@x.test"]);
    expect((await api("DELETE", `/contacts/${contact.id}`)).status).toBe(204);
    expect(await copies()).toEqual(["bob@x.test"]);
  });
});
