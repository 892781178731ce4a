// `bun run admin project delete` and `reset`.
import { describe, expect, test } from "bun:test";
import { useAdmin } from "../support/admin.ts";
import { useService } from "../support/service.ts";
import { countsOf, fillProject } from "../support/whole_project.ts";

const service = useService();
const { admin } = useAdmin(service);

describe("bun run admin project", () => {
  test.each(["delete", "reset"])("%s does nothing without --yes, and says so", async (command) => {
    const { id } = await service.createProject();
    await fillProject(service.pool, id, 5);
    const before = await countsOf(service.pool, id);
    const { err, exitCode } = await admin("project", command, id);

    expect([exitCode, err]).toEqual([
      1,
      expect.stringContaining(`Cannot ${command} a project without --yes`),
    ]);
    expect(await countsOf(service.pool, id)).toEqual(before);
  });

  test("delete and reset know no project that there is not", async () => {
    const unknown = await admin("project", "delete", "01920000-0000-7000-8000-000000000000", "--yes");
    const nonsense = await admin("project", "reset", "everything", "--yes");

    expect([unknown.exitCode, nonsense.exitCode]).toEqual([1, 1]);
    expect(nonsense.err).toContain("Cannot find a project: ");
  });

  test("reset takes away what it holds, by a job of the service, and tells the audit", async () => {
    const project = await service.createProject();
    await fillProject(service.pool, project.id, 5);
    const { out, exitCode } = await admin("project", "reset", project.id, "--yes");
    await service.runJobs();
    const [line] = await service.pool`
      select actor_kind from audit where project_id = ${project.id} and action = 'project.reset'`;
    const { status, body } = await service.request("GET", "/contacts", { key: project.secret });

    expect([exitCode, JSON.parse(out)]).toEqual([0, { id: project.id, reset: true }]);
    expect([status, body.total, line?.actorKind]).toEqual([200, 0, "OPERATOR"]);
  });

  test("delete takes it away altogether: nobody finds it any more", async () => {
    const project = await service.createProject();
    const { out, exitCode } = await admin("project", "delete", project.id, "--yes");
    const again = await admin("project", "delete", project.id, "--yes");
    const list = await admin("project", "list");
    const { status } = await service.request("GET", "/contacts", { key: project.secret });

    expect([exitCode, JSON.parse(out)]).toEqual([0, { id: project.id, deleted: true }]);
    expect([again.exitCode, status]).toEqual([1, 401]);
    expect(list.out).not.toContain(project.id);
  });
});
