// POST /contacts/imports: files as they come, tried before they count, and taken back.
import { beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { purgeImports, runImport, uploadImport } from "../../src/audience/contacts/imports.ts";
import { runUndo } from "../../src/audience/contacts/import_undo.ts";
import { useService } from "../support/service.ts";

const service = useService();
let project: NewProject;

beforeEach(async () => {
  project = await service.createProject();
});

const call = (method: string, path: string, body?: unknown) =>
  service.request(method, path, { key: project.secret, ...(body !== undefined && { body }) });
const upload = (text: string | Uint8Array<ArrayBuffer>, query = "", type = "text/csv") =>
  service.request("POST", `/contacts/imports?${query}`, {
    key: project.secret,
    raw: typeof text === "string" ? new TextEncoder().encode(text) : text,
    headers: { "content-type": type },
  });
const report = async (id: string) => (await call("GET", `/contacts/imports/${id}`)).body;
const imported = async (text: string, query = "") => {
  const { status, body } = await upload(text, query);
  expect([status, body.error]).toEqual([202, undefined]);
  await service.runJobs();
  return await report(body.jobId);
};
const contacts = async () =>
  Object.fromEntries(
    (await call("GET", "/contacts?sort=email&dir=asc&limit=100")).body.data.map(
      ({ email, subscribed, data }: { email: string; subscribed: boolean; data: object }) => [
        email.split("@")[0],
        { subscribed, ...data },
      ],
    ),
  );
const undo = async (id: string) => {
  const answer = await call("POST", `/contacts/imports/${id}/undo`);
  await service.runJobs();
  return { status: answer.status, code: answer.body.error?.code, undo: (await report(id)).undo };
};

describe("POST /contacts/imports", () => {
  test("maps columns to fields, leaves some out, and subscribes as it is told", async () => {
    const mapping = JSON.stringify({ "E-Post": "email", Vorname: "data.firstName", Notiz: null });
    const { state, result, fileName, dryRun } = await imported(
      "E-Post;Vorname;Notiz;plan\r\nada@example.com;Ada;secret;pro\r\nbob@example.com;Bob;;7\r\n",
      `subscribed=false&fileName=people.csv&mapping=${encodeURIComponent(mapping)}`,
    );

    expect([state, fileName, dryRun, result.createdCount]).toEqual(["completed", "people.csv", false, 2]);
    expect(await contacts()).toEqual({
      ada: { subscribed: false, firstName: "Ada", plan: "pro" },
      bob: { subscribed: false, firstName: "Bob", plan: 7 },
    });
  });

  test("a column subscribed goes before the default, also under another name", async () => {
    await imported(
      "email,opt in\nada@example.com,yes\nbob@example.com,\n",
      `subscribed=false&mapping=${encodeURIComponent('{"opt in": "subscribed"}')}`,
    );

    expect(await contacts()).toEqual({ ada: { subscribed: true }, bob: { subscribed: false } });
  });

  test("a dry run shows what would become of the first 20, and changes nothing", async () => {
    await imported("email,plan\nada@example.com,free\nbob@example.com,pro\n");
    const before = await contacts();
    const rows = Array.from({ length: 30 }, (_, n) => `new${n}@example.com,pro`);
    const { result, undo: none } = await imported(
      `email,plan\nada@example.com,pro\nbob@example.com,pro\nnonsense,x\n${rows.join("\n")}\n`,
      "dryRun=true",
    );

    expect(result).toMatchObject({ createdCount: 30, updatedCount: 2, failureCount: 1 });
    expect(result.examples).toHaveLength(20);
    expect(result.examples.slice(0, 3)).toEqual([
      {
        row: 2,
        email: "ada@example.com",
        action: "update",
        subscribed: true,
        data: { plan: "pro" },
        before: { plan: "free" },
      },
      {
        row: 3,
        email: "bob@example.com",
        action: "none",
        subscribed: true,
        data: { plan: "pro" },
        before: {},
      },
      {
        row: 5,
        email: "new0@example.com",
        action: "create",
        subscribed: true,
        data: { plan: "pro" },
        before: null,
      },
    ]);
    expect(await contacts()).toEqual(before);
    expect(none).toBeNull();
  });

  test.each([
    ["mapping=nonsense", "email\na@example.com\n", "text/csv", 400],
    ["mapping=[]", "email\na@example.com\n", "text/csv", 400],
    ['mapping={"email":5}', "email\na@example.com\n", "text/csv", 400],
    ["subscribed=perhaps", "email\na@example.com\n", "text/csv", 400],
    ["", "", "text/csv", 400],
    ["", "{}", "application/json", 415],
    ["", "PK\u0003\u0004 and so on", "text/csv", 415],
  ])("%s with %p as %s is refused", async (query, text, type, status) => {
    expect((await upload(text, query, type)).status).toBe(status);
    expect((await call("GET", "/contacts/imports")).body.data).toEqual([]);
  });

  test("a column that the mapping names and the file has not fails the import, and says so", async () => {
    const { state, failedReason } = await imported(
      "email\na@example.com\n",
      `mapping=${encodeURIComponent('{"Plan": "plan"}')}`,
    );

    expect([state, failedReason]).toEqual([
      "failed",
      "Cannot read the file: its first row has no column Plan",
    ]);
  });

  test("five files of a project may be on their way, and one that breaks off leaves nothing", async () => {
    const broken = uploadImport(
      service,
      project.id,
      (async function* () {
        yield new TextEncoder().encode("email\na@example.com\n".repeat(10_000));
        throw new Error("The line is dead");
      })(),
      { dryRun: false, fileName: null, mapping: {}, subscribes: true, createdBy: null },
    );
    await expect(broken).rejects.toThrow("The line is dead");
    expect((await call("GET", "/contacts/imports")).body.data).toEqual([]);
    for (let n = 0; n < 5; n++) expect((await upload(`email\nc${n}@example.com\n`)).status).toBe(202);
    expect((await upload("email\nlate@example.com\n")).status).toBe(429);
    await service.runJobs();
    expect((await upload("email\nlate@example.com\n")).status).toBe(202);
    await service.runJobs();
    const { body } = await call("GET", "/contacts/imports?limit=4");
    const { body: rest } = await call("GET", `/contacts/imports?limit=4&cursor=${body.cursor}`);
    expect([body.data.length, rest.data.length, rest.hasMore]).toEqual([4, 2, false]);
    expect(body.total).toBe(6);
    expect(body.data[0]).toMatchObject({
      state: "completed",
      createdBy: expect.stringContaining("secret key"),
    });
  });

  test("goes on where it was in the file, with the right numbers of rows, however often it is interrupted", async () => {
    const rows = Array.from({ length: 2_600 }, (_, n) =>
      n % 700 === 50 ? `\r\nbroken ${n},"a\r\nb"` : `c${n}@example.com,"Zeile\r\n${n} ü"`,
    );
    const text = `\uFEFFemail,note\r\n${rows.join("\r\n")}\r\n`;
    const { body } = await upload(text);
    await service.dropJobs(({ key }) => key === null);
    let state = "waiting";
    for (let round = 0; round < 20 && state !== "completed"; round++) {
      await runImport(service, project.id, body.jobId, { sliceMs: 0 });
      state = (await report(body.jobId)).state;
    }
    const { result } = await report(body.jobId);
    const whole = await service.createProject();
    const { body: other } = await service.request("POST", "/contacts/imports", {
      key: whole.secret,
      raw: new TextEncoder().encode(text),
      headers: { "content-type": "text/csv" },
    });
    await service.runJobs();
    const expected = (await service.request("GET", `/contacts/imports/${other.jobId}`, { key: whole.secret }))
      .body;

    expect(state).toBe("completed");
    expect(result).toEqual(expected.result);
    expect(result).toMatchObject({ totalRows: 2_600, createdCount: 2_596, failureCount: 4 });
    const [sum] = await service.pool`
      select count(*)::int as n, count(distinct data ->> 'note')::int as notes from contacts where project_id = ${project.id}`;
    expect(sum).toEqual({ n: 2_596, notes: 2_596 });
  });
});

test("an export comes back as it was", async () => {
  const data = {
    formula: "=1+1",
    phone: "+47 123",
    minus: "-5",
    quoted: "'x",
    lines: 'a\r\nb, "c"',
    list: [1],
  };
  await call("POST", "/contacts", { email: "ada@example.com", data });
  const headers = { authorization: `Bearer ${project.secret}` };
  const exported = await service.app.handle(new Request("http://localhost/contacts/export", { headers }));
  const text = await exported.text();
  project = await service.createProject();
  await imported(text, `mapping=${encodeURIComponent('{"createdAt": null, "updatedAt": null}')}`);

  expect(await contacts()).toEqual({ ada: { subscribed: true, ...data, minus: -5, list: "[1]" } });
});

describe("POST /contacts/imports/:jobId/undo", () => {
  test("takes back what is still the import's, and leaves what somebody has touched", async () => {
    await call("POST", "/contacts", { email: "old@example.com", data: { plan: "free", city: "Oslo" } });
    await call("POST", "/contacts", { email: "gone@example.com", subscribed: true });
    const { id } = await imported(
      "email,plan,city,new,subscribed\nold@example.com,pro,Bergen,1,\ngone@example.com,,,,no\n" +
        "made@example.com,pro,,,\ntouched@example.com,pro,,,\nactive@example.com,pro,,,\n",
    );
    const { body: found } = await call("GET", "/contacts?search=touched@");
    await call("PATCH", `/contacts/${found.data[0].id}`, { data: { plan: "team" } });
    await call("POST", "/events/track", { event: "came", email: "active@example.com" });
    const { body: old } = await call("GET", "/contacts?search=old@");
    await call("PATCH", `/contacts/${old.data[0].id}`, { data: { city: "Trondheim" } });
    const answer = await undo(id);

    expect(answer.status).toBe(202);
    expect(answer.undo).toMatchObject({
      state: "completed",
      deletedCount: 1,
      restoredCount: 2,
      keptCount: 2,
    });
    expect(await contacts()).toEqual({
      active: { subscribed: true, plan: "pro" },
      gone: { subscribed: true },
      old: { subscribed: true, plan: "free", city: "Trondheim" },
      touched: { subscribed: true, plan: "team" },
    });
    const [left] =
      await service.pool`select count(*)::int as n from contact_import_changes where import_id = ${id}`;
    expect(left!.n).toBe(0);
    expect((await undo(id)).code).toBe("CONFLICT");
  });

  test("of one that failed half-way takes back what it had done, as its text says", async () => {
    await call("POST", "/contacts", { email: "ada@example.com", data: { plan: "free" } });
    const rows = Array.from({ length: 6_000 }, (_, n) => `c${n}@example.com,x`);
    const { body } = await upload(`email,plan\nada@example.com,pro\n${rows.join("\n")}\n`);
    await service.pool`delete from graphile_worker._private_jobs where key is null`;
    await runImport(service, project.id, body.jobId, { sliceMs: 0 });
    const spoilt = Bun.deflateSync(new Uint8Array(100).fill(0xff));
    await service.pool`
      update contact_import_pieces set deflated = ${spoilt} where import_id = ${body.jobId} and position > 0`;
    await service.runJobs();
    const failed = await report(body.jobId);
    const { total: made } = (await call("GET", "/contacts?limit=1")).body;
    const answer = await undo(body.jobId);
    const again = await call("POST", `/contacts/imports/${body.jobId}/undo`);

    expect([failed.state, failed.failedReason]).toEqual(["failed", expect.stringContaining("UTF-8")]);
    expect(failed.undo).toMatchObject({ state: null, until: expect.any(String) });
    expect(made).toBeGreaterThan(1);
    expect(answer.status).toBe(202);
    expect(answer.undo).toMatchObject({ state: "completed", deletedCount: made - 1, restoredCount: 1 });
    expect(await contacts()).toEqual({ ada: { subscribed: true, plan: "free" } });
    expect([again.status, again.body.error.suggestion]).toEqual([
      409,
      expect.stringContaining("completed or failed"),
    ]);
  });

  test("of a file that names somebody twice gives back what was there before it", async () => {
    await call("POST", "/contacts", { email: "ada@example.com", data: { plan: "free" } });
    const rows = Array.from({ length: 600 }, (_, n) => `c${n}@example.com,x`);
    const { id } = await imported(
      `email,plan\nada@example.com,one\n${rows.join("\n")}\nada@example.com,two\n`,
    );
    const answer = await undo(id);

    expect(answer.undo).toMatchObject({ deletedCount: 600, restoredCount: 1, keptCount: 0 });
    expect(await contacts()).toEqual({ ada: { subscribed: true, plan: "free" } });
  });

  test("goes on after an interruption, is refused for a dry run and after 7 days, and forgets then", async () => {
    const rows = Array.from({ length: 1_200 }, (_, n) => `c${n}@example.com`);
    const { id } = await imported(`email\n${rows.join("\n")}\n`);
    const dry = await imported("email\nx@example.com\n", "dryRun=true");
    expect((await undo(dry.id)).code).toBe("CONFLICT");
    await call("POST", `/contacts/imports/${id}/undo`);
    await service.dropJobs(({ key }) => key === null);
    for (let round = 0; round < 5; round++) await runUndo(service, project.id, id, { sliceMs: 0 });
    expect((await report(id)).undo).toMatchObject({ state: "completed", deletedCount: 1_200 });

    const late = await imported("email\ny@example.com\n");
    service.setNow(new Date(Date.now() + 8 * 86_400_000));
    const refused = await call("POST", `/contacts/imports/${late.id}/undo`);
    await purgeImports(service);
    service.setNow(new Date());
    const [left] = await service.pool`select count(*)::int as n from contact_import_changes`;
    expect([refused.status, left!.n]).toEqual([409, 0]);
  });
});
