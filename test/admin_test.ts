// `bun run admin`, as a process, against a database of its own.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { useService } from "./support/service.ts";

const service = useService();

const admin = (...args: string[]) => {
  const { PATH = "", HOME = "" } = process.env;
  const { stdout, stderr, exitCode } = Bun.spawnSync(
    [process.execPath, join(import.meta.dir, "../src/admin.ts"), ...args],
    {
      env: {
        PATH,
        HOME,
        DATABASE_URL: service.databaseUrl,
        SECRET_KEY: "a secret that only the tests know, 32+",
      },
    },
  );
  return { out: stdout.toString(), err: stderr.toString(), exitCode };
};

describe("bun run admin", () => {
  test("project create prints a project with its keys, which can send at once", async () => {
    const { out, exitCode } = admin(
      "project",
      "create",
      "--name",
      "Shop",
      "--domain",
      "Shop.Example",
      "--verified",
    );
    const project = JSON.parse(out);
    const sent = await service.request("POST", "/v1/send", {
      key: project.secret,
      body: { to: "a@b.io", from: "x@shop.example", subject: "s", body: "b" },
    });

    expect(exitCode).toBe(0);
    expect(project).toMatchObject({
      name: "Shop",
      domain: "shop.example",
      public: expect.stringMatching(/^pk_[0-9a-f]{48}$/),
    });
    expect(sent.status).toBe(200);
  });

  test("project disable and enable take effect at once, and say whether anything changed", async () => {
    const project = await service.createProject();
    const statusOf = async () => (await service.request("GET", "/emails", { key: project.secret })).status;
    const disabled = admin("project", "disable", project.id, "--reason", "unpaid");
    const refused = await statusOf();
    const again = admin("project", "disable", project.id);
    admin("project", "enable", project.id);

    expect(JSON.parse(disabled.out)).toEqual({ id: project.id, disabled: true, changed: true });
    expect(JSON.parse(again.out).changed).toBe(false);
    expect([refused, await statusOf()]).toEqual([403, 200]);
    expect(admin("project", "list").out).not.toContain(project.secret);
  });

  test.each([
    [["project", "create"], 1, "--name"],
    [["project", "create", "--name", ""], 1, "1 to 100 characters"],
    [["project", "create", "--name", "X", "--domain", "not a domain", "--verified"], 1, "domain"],
    [["project", "create", "--name", "X", "--domain", "x.example"], 1, "--verified"],
    [["project", "disable", "5"], 1, "id"],
    [["nonsense"], 2, "Usage"],
    [[], 2, "Usage"],
    [["--unknown"], 1, "unknown"],
  ])("%j is refused with a clear word, and changes nothing", async (args, code, word) => {
    const count = async () => (await service.pool`select count(*)::int as n from projects`)[0]!.n as number;
    const before = await count();
    const { err, exitCode } = admin(...args);

    expect([exitCode, err]).toEqual([code, expect.stringContaining(word)]);
    expect(await count()).toBe(before);
  });

  test("--help lists every command", () => {
    const { out, exitCode } = admin("--help");

    expect(exitCode).toBe(0);
    for (const command of [
      "project create",
      "project list",
      "project disable",
      "project enable",
      "domain add",
      "migrate",
    ]) {
      expect(out).toContain(command);
    }
  });
});
