// POST /contacts/imports/:jobId/cancel: an import ends where it is, and what it has written can be taken back.
import { beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { runImport, uploadImport } from "../../src/audience/contacts/imports.ts";
import { useService } from "../support/service.ts";

const service = useService();
let project: NewProject;

beforeEach(async () => {
  project = await service.createProject();
});

const call = (method: string, path: string) => service.request(method, path, { key: project.secret });
const upload = async (text: string): Promise<string> =>
  (
    await service.request("POST", "/contacts/imports", {
      key: project.secret,
      raw: new TextEncoder().encode(text),
      headers: { "content-type": "text/csv" },
    })
  ).body.jobId;
const report = async (id: string) => (await call("GET", `/contacts/imports/${id}`)).body;

describe("POST /contacts/imports/:jobId/cancel", () => {
  const cancel = (id: string) => call("POST", `/contacts/imports/${id}/cancel`);

  test("ends one that is under way: no more rows are written, and what was written can be undone", async () => {
    const rows = Array.from({ length: 6_000 }, (_, n) => `c${n}@example.com,x`);
    const id = await upload(`email,plan\n${rows.join("\n")}\n`);
    await service.dropJobs();
    await runImport(service, project.id, id, { sliceMs: 0 });
    const under = await report(id);
    const answers = [await cancel(id), await cancel(id)];
    await service.runJobs();
    await runImport(service, project.id, id);
    const ended = await report(id);
    const { total: made } = (await call("GET", "/contacts?limit=1")).body;
    const pieces = await service.pool`select from contact_import_pieces where import_id = ${id}`;

    expect(under.state).toBe("active");
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect([ended.state, ended.failedReason, ended.result.createdCount]).toEqual([
      "failed",
      "Cancelled",
      made,
    ]);
    expect(made).toBeGreaterThan(0);
    expect(made).toBeLessThan(6_000);
    expect(pieces).toHaveLength(0);
    await call("POST", `/contacts/imports/${id}/undo`);
    await service.runJobs();
    expect((await report(id)).undo).toMatchObject({ state: "completed", deletedCount: made });
  });

  test("ends an upload that is on its way at once, which leaves nothing", async () => {
    const goOn = Promise.withResolvers<void>();
    const MANY = 100;
    let blocks = 0;
    const pieces = async function* () {
      yield new TextEncoder().encode("email\n");
      await goOn.promise;
      for (; blocks < MANY; blocks++) yield new Uint8Array(1_000_000);
    };
    const options = { dryRun: false, fileName: null, mapping: {}, subscribes: true, createdBy: null };
    const uploading = uploadImport(service, project.id, pieces(), options);
    const list = async () => (await call("GET", "/contacts/imports")).body.data;
    while ((await list()).length === 0) await Bun.sleep(5);
    await cancel((await list())[0].id);
    goOn.resolve();

    await expect(uploading).rejects.toThrow("cancelled during the upload");
    expect(blocks).toBeLessThan(MANY);
    expect(await list()).toEqual([]);
  });

  test("is refused for one that has ended, and for one that is not there", async () => {
    const id = await upload("email\nada@example.com\n");
    await service.runJobs();
    const done = await cancel(id);

    expect([done.status, done.body.error.code]).toEqual([409, "CONFLICT"]);
    expect((await report(id)).state).toBe("completed");
    expect((await cancel(crypto.randomUUID())).status).toBe(404);
  });
});
