// `bun run admin`: its words, and what it is as a process, against a database of its own.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { type AdminRun, runAdmin, settingsOf, useAdmin } from "./support/admin.ts";
import { startProcess } from "./support/process.ts";
import { useService } from "./support/service.ts";

const service = useService();
const { admin } = useAdmin(service);

const ROOT = join(import.meta.dir, "..");
const UNKNOWN = "01920000-0000-7000-8000-000000000000";
const folders: string[] = [];

/** What is refused: the words, the exit code, and a word of the reason. */
const REFUSED: [string[], number, string][] = [
  [["project", "create"], 1, "--name"],
  [["project", "create", "--name", ""], 1, "1 to 100 characters"],
  [["project", "create", "--name", "X", "--domain", "not a domain", "--verified"], 1, "domain"],
  [["project", "create", "--name", "X", "--domain", "x.example"], 1, "--verified"],
  [["project", "disable", "5"], 1, "id"],
  [["project", "disable", UNKNOWN], 1, "Cannot find this project"],
  [["project", "enable", UNKNOWN], 1, "Cannot find this project"],
  [["domain", "add", UNKNOWN, "x.example", "--verified"], 1, "Cannot find this project"],
  [["project", "set", UNKNOWN, "--language", "de"], 1, "Cannot find this project"],
  [["project", "set", "5", "--language", "de"], 1, "id"],
  [["project", "set", "--language", "de"], 1, "id"],
  [["project", "set", UNKNOWN], 1, "--send-rate"],
  [["project", "set", UNKNOWN, "--tracking", "SOMETIMES", "--language", "xx"], 1, "tracking"],
  [["project", "set", UNKNOWN, "--tracking", "SOMETIMES", "--language", "xx"], 1, "language"],
  [["project", "set", UNKNOWN, "--language", "DE"], 1, "Expected one of en, nl"],
  [["project", "set", UNKNOWN, "--send-rate", "0"], 1, "sendRate"],
  [["project", "set", UNKNOWN, "--send-rate", "9999999"], 1, "sendRate"],
  [["project", "set", UNKNOWN, "--send-rate=-5"], 1, "--send-rate"],
  [["project", "set", UNKNOWN, "--send-rate", "fast"], 1, "--send-rate"],
  [["project", "set", UNKNOWN, "--send-rate", ""], 1, "--send-rate"],
  [["nonsense"], 2, "Usage"],
  [["constructor"], 2, "Usage"],
  [["toString"], 2, "Usage"],
  [[], 2, "Usage"],
  [["--unknown"], 2, "unknown"],
  [["doctor", "--unknown"], 2, "unknown"],
  [["project", "list", "--name"], 2, "--name"],
  [["domain", "rekey", UNKNOWN, "x.example"], 1, "Cannot find this project"],
  [["user", "create"], 1, "--email"],
  [["user", "create", "--email", "nobody"], 1, '"nobody" is not an email address'],
  [["project", "frobnicate"], 2, 'There is no command "project frobnicate"'],
  [["member", "list", UNKNOWN], 1, "Cannot find this project"],
  [["member", "add", UNKNOWN, "--email", "a@b.io"], 1, "Cannot find this project"],
  [["member", "add", "5", "--email", "a@b.io"], 1, "id"],
  [["member", "remove", UNKNOWN, "--email", "a@b.io"], 1, "Cannot find this project"],
  [["campaign", "list", UNKNOWN], 1, "Cannot find this project"],
  [["campaign", "cancel", UNKNOWN, UNKNOWN], 1, "Cannot find this project"],
  [["release", "--all"], 1, "without SMTP_URL: set it"],
  [["release", "--yes"], 1, "without knowing which. Add --yes"],
  [["release", "--discard", "--yes"], 1, "Cannot discard mails without knowing which. Add --yes"],
  [["release", "5", "--yes"], 1, "id"],
  [["release", "--since", "yesterday", "--yes"], 1, "--since"],
  [["release", "--project", UNKNOWN, "--yes"], 1, "Cannot find this project"],
];

const folder = () => {
  const dir = mkdtempSync(join(tmpdir(), "postrider-admin-"));
  folders.push(dir);
  return dir;
};

afterAll(() => {
  for (const dir of folders) {
    chmodSync(dir, 0o755);
    rmSync(dir, { recursive: true, force: true });
  }
});

describe("bun run admin", () => {
  describe("words that are wrong", () => {
    const runs: AdminRun[] = [];
    let [before, after] = [0, 0];

    beforeAll(async () => {
      const count = async () => (await service.pool`select count(*)::int as n from projects`)[0]!.n as number;
      before = await count();
      for (const [words] of REFUSED) runs.push(await admin(...words));
      after = await count();
    });

    test.each(REFUSED.map((refused, n) => [...refused, n] as const))(
      "%j are refused with a clear word",
      (_words, code, word, n) => {
        const { out, err, exitCode } = runs[n]!;

        expect([exitCode, err, out]).toEqual([code, expect.stringContaining(word), ""]);
        expect(err).not.toContain("foreign key");
      },
    );

    test("change nothing", () => expect(after).toBe(before));

    test("end the process with the exit code of the refusal", () => {
      const ends = [["project", "create"], ["nonsense"]].map((words) => runAdmin(settingsOf(service), words));

      expect(ends.map(({ exitCode }) => exitCode)).toEqual([1, 2]);
    });
  });

  test("--help lists every command", async () => {
    const { out, exitCode } = await admin("--help");

    expect(exitCode).toBe(0);
    for (const command of [
      "project create",
      "project list",
      "project set",
      "project disable",
      "project enable",
      "domain add",
      "domain rekey",
      "user create",
      "user list",
      "member list",
      "member add",
      "member set-role",
      "member remove",
      "release",
      "campaign list",
      "campaign cancel",
      "migrate",
      "doctor",
    ]) {
      expect(out).toContain(command);
    }
  });
});

describe("bun run admin with the embedded Postgres", () => {
  test("answers with nothing but JSON; a running service keeps its Postgres, and the last to go stops it", async () => {
    const DATA_DIR = folder();
    const pid = () => readPid(DATA_DIR);
    const alone = runAdmin({ DATA_DIR }, ["project", "create", "--name", "Alone"]);
    const afterAlone = await pid();
    const running = await startProcess({ DATA_DIR });
    const whileRunning = await pid();
    const beside = runAdmin({ DATA_DIR }, ["project", "list"]);
    const ready = (await fetch(`${running.url}/ready`)).status;
    const kept = await pid();
    const code = await running.end("SIGTERM");

    expect([alone.exitCode, JSON.parse(alone.out).name]).toEqual([0, "Alone"]);
    expect(alone.err).toContain('"level":"info","message":"embedded Postgres started');
    expect(afterAlone).toBe("");
    expect([beside.exitCode, JSON.parse(beside.out)]).toEqual([
      0,
      [expect.objectContaining({ name: "Alone" })],
    ]);
    expect(whileRunning).not.toBe("");
    expect([ready, kept, code]).toEqual([200, whileRunning, 0]);
    expect(await pid()).toBe("");
    expect(running.output()).not.toContain("embedded Postgres is gone");
  }, 240_000);
});

describe("in production", () => {
  test.each(["start", "admin", "migrate"])(
    "bun run %s installs nothing: the folder belongs to somebody else",
    (script) => {
      const { dir, bun, user } = foreignFolder();
      const { stdout, stderr, exitCode } = Bun.spawnSync([bun, "run", script, "project", "list"], {
        cwd: dir,
        env: { PATH: `${dirname(bun)}:/usr/bin:/bin`, HOME: dir, NODE_ENV: "production" },
        ...user,
      });

      expect([exitCode, stderr.toString()]).toEqual([0, expect.not.stringContaining("EACCES")]);
      expect(stdout.toString()).toBe("ran project list\n");
    },
  );
});

/** A checkout without anything installed, in which we may not write; and the Bun and the user to run it with. */
function foreignFolder() {
  const dir = folder();
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? { uid: 65_534, gid: 65_534 } : {};
  mkdirSync(join(dir, "src"));
  for (const file of ["package.json", "bun.lock"]) cpSync(join(ROOT, file), join(dir, file));
  for (const file of ["admin.ts", "main.ts"]) {
    const words = 'process.argv.slice(2).filter((word) => word !== "migrate").join(" ")';
    writeFileSync(join(dir, "src", file), `console.log("ran", ${words})`);
  }
  // Ours may lie in a folder only root can enter.
  const reachable = Bun.spawnSync(["test", "-x", process.execPath], user).success;
  const bun = reachable && process.execPath.endsWith("/bun") ? process.execPath : join(dir, "bun");
  if (bun !== process.execPath) cpSync(process.execPath, bun, { dereference: true });
  if (bun !== process.execPath) chmodSync(bun, 0o755);
  chmodSync(dir, 0o555);
  return { dir, bun, user };
}

async function readPid(dataDir: string): Promise<string> {
  const { place } = await Bun.file(join(dataDir, "postgres/connection.json")).json();
  const file = Bun.file(join(resolve(dataDir, "postgres", place), "data/postmaster.pid"));
  return (await file.exists()) ? (await file.text()).split("\n")[0]! : "";
}
