// `bun run admin`, as a process, against a database of its own.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { Secret, TOTP } from "otpauth";
import { disableProject, LANGUAGES } from "../src/accounts/projects/mod.ts";
import { PHRASES } from "../src/content/languages/mod.ts";
import { securityOf } from "../src/sending/feedback/reputation.ts";
import type { AdminRun } from "./support/admin_words.ts";
import { campaignsOf } from "./support/campaign.ts";
import { PASSWORD, signUp } from "./support/accounts.ts";
import { startProcess } from "./support/process.ts";
import { useService } from "./support/service.ts";

const service = useService();

const ROOT = join(import.meta.dir, "..");
const UNKNOWN = "01920000-0000-7000-8000-000000000000";
const SECRET_KEY = "a secret that only the tests know, 32+";
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

const admin = (...args: string[]) => adminWith({ DATABASE_URL: service.databaseUrl, SECRET_KEY }, ...args);

const adminWith = (settings: Record<string, string>, ...args: string[]) => run(settings, args);

/** With this on its standard input. */
const adminReading = (input: string, ...args: string[]) =>
  run({ DATABASE_URL: service.databaseUrl, SECRET_KEY }, args, input);

const run = (settings: Record<string, string>, args: string[], input?: string) => {
  const { PATH = "", HOME = "" } = process.env;
  const { stdout, stderr, exitCode } = Bun.spawnSync(
    [process.execPath, join(ROOT, "src/admin.ts"), ...args],
    {
      env: { PATH, HOME, ...settings },
      ...(input !== undefined && { stdin: Buffer.from(input) }),
    },
  );
  return { out: stdout.toString(), err: stderr.toString(), exitCode };
};

/** Several commands, one after the other, in one process. */
const adminRuns = (all: string[][]) => {
  const { PATH = "", HOME = "" } = process.env;
  const { stdout } = Bun.spawnSync([process.execPath, join(ROOT, "test/support/admin_words.ts")], {
    env: { PATH, HOME, DATABASE_URL: service.databaseUrl, SECRET_KEY },
    stdin: Buffer.from(JSON.stringify(all)),
  });
  return JSON.parse(stdout.toString()) as AdminRun[];
};

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
  test("project create takes no name that could lead people astray, as everywhere", () => {
    const { err, exitCode } = admin("project", "create", "--name", "Shop\nSee https://evil.example");

    expect([exitCode, err]).toEqual([1, expect.stringContaining("name")]);
    expect(admin("project", "list").out).not.toContain("evil");
  });

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
    const enabled = admin("project", "enable", project.id);

    expect(JSON.parse(enabled.out)).toEqual({
      id: project.id,
      disabled: false,
      changed: true,
      campaignsUnderWay: [],
    });
    expect(JSON.parse(disabled.out)).toEqual({ id: project.id, disabled: true, changed: true });
    expect(JSON.parse(again.out).changed).toBe(false);
    expect([refused, await statusOf()]).toEqual([403, 200]);
    expect(admin("project", "list").out).not.toContain(project.secret);
  });

  describe("words that are wrong", () => {
    let runs: AdminRun[];
    let [before, after] = [0, 0];

    beforeAll(async () => {
      const count = async () => (await service.pool`select count(*)::int as n from projects`)[0]!.n as number;
      before = await count();
      runs = adminRuns(REFUSED.map(([words]) => words));
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
      expect([admin("project", "create").exitCode, admin("nonsense").exitCode]).toEqual([1, 2]);
    });
  });

  test("project set changes what it names and nothing else, and project list shows it", async () => {
    const [project, other] = [await service.createProject(), await service.createProject()];
    const { id } = project;
    const set = (...args: string[]) => JSON.parse(admin("project", "set", id.toUpperCase(), ...args).out);
    const initial = {
      id,
      name: "Test",
      tracking: "ENABLED",
      language: "en",
      timezone: "UTC",
      sendRate: null,
      resendInDoubt: ["TRANSACTIONAL"],
      postalAddress: null,
      requiresTwoFactor: false,
    };
    const first = set("--tracking", "MARKETING_ONLY", "--language", "pt", "--send-rate", "2.5");
    const slower = set("--send-rate", "0.5");
    const unlimited = set("--send-rate", "none", "--tracking", "DISABLED");
    const german = set("--language", "de", "--resend", "campaign,TRANSACTIONAL");
    const careful = set("--resend", "none");
    const listed = JSON.parse(admin("project", "list").out) as Record<string, unknown>[];
    const shown = (wanted: string) => listed.find((row) => row.id === wanted);

    expect(first).toEqual({ ...initial, tracking: "MARKETING_ONLY", language: "pt", sendRate: 2.5 });
    expect(slower).toEqual({ ...first, sendRate: 0.5 });
    expect(unlimited).toEqual({ ...first, sendRate: null, tracking: "DISABLED" });
    expect(german).toEqual({
      ...unlimited,
      language: "de",
      resendInDoubt: ["TRANSACTIONAL", "CAMPAIGN"],
    });
    expect(careful).toEqual({ ...german, resendInDoubt: [] });
    expect(shown(id)).toMatchObject(careful);
    expect(shown(other.id)).toMatchObject({ ...initial, id: other.id });
  });

  test("project set takes exactly the languages that we speak", () => {
    expect(LANGUAGES.toSorted()).toEqual(Object.keys(PHRASES).toSorted() as (typeof LANGUAGES)[number][]);
  });

  test("a look whether a project is there leaves it as it was, with the reason", async () => {
    const project = await service.createProject();
    admin("project", "disable", project.id, "--reason", "unpaid");
    admin("domain", "add", project.id, "late.example", "--verified");
    const again = admin("project", "disable", project.id.toUpperCase(), "--reason", "other");
    const listed = JSON.parse(admin("project", "list").out) as Record<string, unknown>[];

    expect(JSON.parse(again.out)).toEqual({ id: project.id, disabled: true, changed: false });
    expect(listed.find(({ id }) => id === project.id)).toMatchObject({ disabledReason: "unpaid" });
  });

  test("project enable lifts a suspension for reputation, which starts afresh", async () => {
    const { id } = await service.createProject();
    await service.pool`insert into reputation_days values (${id}, current_date, 200, 100, 0)`;
    await disableProject(service, id, "EMAIL_REPUTATION");
    const before = (await securityOf(service, id)).status.sevenDay;
    admin("project", "enable", id);
    const { status, isDisabled, suspensions } = await securityOf(service, id);

    expect([before.bounceRate, status.sevenDay.bounceRate, isDisabled]).toEqual([50, 0, false]);
    expect(suspensions).toEqual([
      { at: expect.any(Date), reason: "EMAIL_REPUTATION", liftedAt: expect.any(Date) },
    ]);
  });

  test("campaign cancel ends a campaign of a disabled project, so that enabling does not send it", async () => {
    const project = await service.createProject();
    await service.pool`
      insert into contacts (project_id, email, subscribed) values (${project.id}, 'ada@example.com', true)`;
    const { call, create, send, get } = campaignsOf(service, () => project);
    const [bad, good, other] = [
      await create({ name: "Bad" }),
      await create({ name: "Good" }),
      await create(),
    ];
    for (const id of [bad, good]) expect((await send(id)).status).toBe(200);
    admin("project", "disable", project.id);
    const listed = JSON.parse(admin("campaign", "list", project.id).out);
    const cancelled = admin("campaign", "cancel", project.id, bad);
    const refused = [
      admin("campaign", "cancel", project.id, other),
      admin("campaign", "cancel", project.id, "5"),
    ];
    const enabled = JSON.parse(admin("project", "enable", project.id).out);
    await service.runJobs();

    const shown = (id: string, name: string) => ({ id, name, status: "SENDING" });
    expect(listed).toEqual([shown(bad, "Bad"), shown(good, "Good")]);
    expect(JSON.parse(cancelled.out)).toEqual({ id: bad, name: "Bad", status: "CANCELLED" });
    expect(refused.map(({ exitCode, err }) => [exitCode, err.trim()])).toEqual([
      [1, expect.stringContaining("DRAFT")],
      [1, 'Cannot find a campaign: "5" is not an id of one'],
    ]);
    expect(enabled.campaignsUnderWay).toEqual([shown(good, "Good")]);
    expect((await get(bad)).status).toBe("CANCELLED");
    expect((await call("GET", "/emails")).body.data.map((row: { status: string }) => row.status)).toEqual([
      "SENT",
    ]);
  });

  test("domain rekey makes a new key where the old one does not open, and shows the record to publish", async () => {
    const project = await service.createProject();
    const first = JSON.parse(admin("domain", "add", project.id, "rekey.example", "--verified").out);
    const kept = JSON.parse(admin("domain", "rekey", project.id, "Rekey.Example").out);
    const settings = { DATABASE_URL: service.databaseUrl, SECRET_KEY: "another secret, of 32 characters" };
    const made = JSON.parse(adminWith(settings, "domain", "rekey", project.id, "rekey.example").out);
    const dkim = ({ records }: { records: { purpose: string; name: string }[] }) =>
      records.find(({ purpose }) => purpose === "DKIM")!.name;

    expect([kept.changed, dkim(kept)]).toEqual([false, dkim(first)]);
    expect(made).toMatchObject({ domain: "rekey.example", status: "VERIFIED", changed: true });
    expect(dkim(made)).not.toBe(dkim(first));
  });

  test("user create makes an account that can log in, without the password on the command line", async () => {
    const words = ["user", "create", "--email", " Grace@People.Example", "--password-from-stdin"];
    const { out, exitCode } = adminReading("a password of grace\n", ...words);
    const logIn = (password: string) =>
      service.request("POST", "/auth/login", { body: { email: "grace@people.example", password } });
    const listed = JSON.parse(admin("user", "list").out) as Record<string, unknown>[];

    expect([exitCode, JSON.parse(out)]).toEqual([
      0,
      { id: expect.any(String), email: "grace@people.example", emailVerified: true },
    ]);
    expect([(await logIn("a password of grace")).status, (await logIn("another password")).status]).toEqual([
      200, 401,
    ]);
    expect(listed.find(({ email }) => email === "grace@people.example")).toEqual({
      id: JSON.parse(out).id,
      email: "grace@people.example",
      emailVerified: true,
      createdAt: expect.any(String),
      projects: 0,
    });
    expect(out).not.toContain("argon2");
  });

  test("member add, set-role and remove say who looks after a project, down to the last owner", async () => {
    const { id } = await service.createProject();
    for (const name of ["alan", "barbara"]) admin("user", "create", "--email", `${name}@people.example`);
    const member = (word: string, name: string, ...more: string[]) =>
      admin("member", word, id, "--email", `${name}@people.example`, ...more);
    const added = member("add", "alan", "--role", "owner");
    const unknown = member("add", "nobody");
    const twice = member("add", "alan");
    member("add", "barbara");
    const last = [member("set-role", "alan", "--role", "MEMBER"), member("remove", "alan")];
    const raised = member("set-role", "barbara", "--role", "OWNER");
    const removed = member("remove", "alan");
    const left = JSON.parse(admin("member", "list", id).out);
    const audited = await service.pool`
      select action, actor_kind, subject from audit where project_id = ${id} and action ^@ 'members.' order by id`;

    expect(JSON.parse(added.out)).toMatchObject({
      email: "alan@people.example",
      role: "OWNER",
      status: "ACTIVE",
    });
    expect([unknown.exitCode, unknown.err]).toEqual([1, expect.stringContaining("user create")]);
    expect([twice.exitCode, twice.err]).toEqual([1, expect.stringContaining("already a member")]);
    expect(last.map(({ exitCode, err }) => [exitCode, err.trim()])).toEqual(
      Array(2).fill([1, "Cannot leave the project without an owner"]),
    );
    expect([raised.exitCode, JSON.parse(removed.out).removed]).toEqual([0, true]);
    expect(left).toMatchObject([{ email: "barbara@people.example", role: "OWNER", status: "ACTIVE" }]);
    expect(audited.map(({ action, actorKind, subject }) => [action, actorKind, subject])).toEqual([
      ["members.added", "OPERATOR", "alan@people.example"],
      ["members.added", "OPERATOR", "barbara@people.example"],
      ["members.role_changed", "OPERATOR", "barbara@people.example"],
      ["members.removed", "OPERATOR", "alan@people.example"],
    ]);
    expect((await service.pool`select from invitations where project_id = ${id}`).length).toBe(0);
  });

  test.each(["", "short", "two\nlines of it", `${"x".repeat(129)}`])(
    "%j is no password",
    async (password) => {
      const { err, exitCode } = adminReading(
        password,
        "user",
        "create",
        "--email",
        "no@people.example",
        "--password-from-stdin",
      );

      expect([exitCode, err]).toEqual([1, expect.stringContaining("8 to 128 characters")]);
      expect((await service.pool`select from users where email = 'no@people.example'`).length).toBe(0);
    },
  );

  test("release counts what was captured, and sends it when it is told which", async () => {
    const project = await service.createProject();
    const settings = { DATABASE_URL: service.databaseUrl, SECRET_KEY, SMTP_URL: service.smtp.url };
    const [content] = await service.pool`
      insert into contents ${service.pool({ project_id: project.id, subject: "Hi", html: "<p>Hi</p>", from_email: "hello@shop.example" })}
      returning id`;
    await service.pool`
      insert into emails (project_id, address, content_id, source_type, status, due_at, queued_at, captured_at)
      values (${project.id}, 'ada@example.com', ${content!.id}, 'TRANSACTIONAL', 'CAPTURED', now(), now(), now() - interval '1 hour')`;
    const counted = adminWith(settings, "release", "--project", project.id);
    const later = adminWith(settings, "release", "--since", new Date().toISOString(), "--yes");
    const done = adminWith(settings, "release", "--all", "--yes");
    service.smtp.received.length = 0;
    await service.runJobs();

    const one = { captured: 1, released: 1, refused: {}, skipped: {}, overLimit: 0 };
    expect(JSON.parse(counted.out)).toEqual({ wouldBe: one, toRelease: expect.stringContaining("--yes") });
    expect(JSON.parse(later.out)).toMatchObject({ captured: 0 });
    expect(JSON.parse(done.out)).toEqual(one);
    expect(service.smtp.received.map(({ to }) => to)).toEqual([["ada@example.com"]]);
  }, 240_000);

  test("release --discard says what it would do, and gives mails up also without an SMTP server", async () => {
    const project = await service.createProject();
    const settings = { DATABASE_URL: service.databaseUrl, SECRET_KEY };
    const [mail] = await service.pool`
      insert into emails (project_id, address, source_type, status, due_at, queued_at, captured_at)
      values (${project.id}, 'ada@example.com', 'TRANSACTIONAL', 'CAPTURED', now(), now(), now() - interval '1 hour')
      returning id`;
    const scope = ["release", "--discard", "--project", project.id];
    const counted = adminWith(settings, ...scope);
    const done = adminWith(settings, ...scope, "--yes");
    const [row] = await service.pool`select status, error from emails where id = ${mail!.id}`;

    const one = { captured: 1, discarded: 1, skipped: 0 };
    expect(JSON.parse(counted.out)).toEqual({ wouldBe: one, toDiscard: expect.stringContaining("--yes") });
    expect(JSON.parse(done.out)).toEqual(one);
    expect(row).toEqual({ status: "SUPPRESSED", error: "Discarded by the operator" });
  }, 240_000);

  test("--help lists every command", () => {
    const { out, exitCode } = admin("--help");

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
    const alone = adminWith({ DATA_DIR }, "project", "create", "--name", "Alone");
    const afterAlone = await pid();
    const running = await startProcess({ DATA_DIR });
    const whileRunning = await pid();
    const beside = adminWith({ DATA_DIR }, "project", "list");
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

describe("partitions", () => {
  test("shows the months of events and what else grows, each with rows and bytes; --move makes what is missing", async () => {
    const { id } = await service.createProject();
    const thisMonth = new Date().toISOString().slice(0, 7);
    const partition = `events_${thisMonth.replace("-", "_")}`;
    await service.pool.unsafe(`drop table ${partition}`);
    await service.pool`
      insert into events (project_id, name) select ${id}, 'bought' from generate_series(1, 1000)`;
    const before = JSON.parse(admin("partitions").out).tables as Record<string, unknown>[];
    const moved = JSON.parse(admin("partitions", "--move").out);
    await service.pool.unsafe(`analyze ${partition}`);
    const { tables } = JSON.parse(admin("partitions").out);

    expect(before.some(({ month }) => month === thisMonth)).toBe(false);
    expect(moved).toMatchObject({ made: [thisMonth], notMade: [] });
    expect(tables).toContainEqual({
      table: partition,
      month: thisMonth,
      rows: 1000,
      bytes: expect.any(Number),
    });
    expect(tables.map(({ table }: { table: string }) => table)).toEqual(
      expect.arrayContaining(["events_default", "emails", "contents", "event_counts", "mail_counts"]),
    );
    expect(tables.every(({ bytes }: { bytes: number }) => bytes > 0)).toBe(true);
  });
});

describe("recount", () => {
  test("mends the counters of a project, or of all, and says how many were wrong", async () => {
    const [one, other] = [await service.createProject(), await service.createProject()];
    await service.pool`
      insert into event_counts (project_id, day, name, count)
      select id, '2026-01-01', 'never', 3 from projects where id in (${one.id}, ${other.id})`;
    const never = async ({ id }: { id: string }) => {
      const [row] = await service.pool`
        select sum(count)::int as n from event_counts_of(${id}, '2026-01-01', '2026-01-01')`;
      return row!.n as number;
    };
    const { out } = admin("recount", one.id);
    const afterOne = [await never(one), await never(other)];
    const all = admin("recount");

    expect(JSON.parse(out)).toMatchObject({ projectId: one.id, mails: 0 });
    expect(JSON.parse(out).events).toBeGreaterThan(0);
    expect(afterOne).toEqual([0, 3]);
    expect(all.exitCode).toBe(0);
    expect(JSON.parse(all.out).map(({ projectId }: { projectId: string }) => projectId)).toContain(other.id);
    expect([await never(one), await never(other)]).toEqual([0, 0]);
    expect(admin("recount", UNKNOWN).exitCode).toBe(1);
  });
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

describe("bun run admin user two-factor-off", () => {
  test("lets somebody in again who has lost every factor, and says so when there was nothing to do", async () => {
    const person = await signUp(service);
    await service.pool`update users set email_verified_at = now() where id = ${person.userId}`;
    const { body } = await person.request("POST", "/users/@me/two-factor/totp");
    const code = new TOTP({ secret: Secret.fromBase32(body.secret) }).generate();
    await person.request("POST", "/users/@me/two-factor/totp/confirm", { code });
    const logIn = async () => {
      const credentials = { email: person.email, password: PASSWORD };
      const { status, body: answer } = await service.request("POST", "/auth/login", { body: credentials });
      return [status, answer.error?.code];
    };
    const before = await logIn();
    const { out, exitCode } = admin("user", "two-factor-off", "--email", person.email);
    const again = admin("user", "two-factor-off", "--email", person.email);
    const unknown = admin("user", "two-factor-off", "--email", "nobody@example.com");

    expect(before).toEqual([401, "TWO_FACTOR_REQUIRED"]);
    expect([exitCode, JSON.parse(out)]).toMatchObject([0, { changed: true, twoFactor: false }]);
    expect(JSON.parse(again.out)).toMatchObject({ changed: false });
    expect([unknown.exitCode, unknown.err]).toEqual([1, expect.stringContaining("nobody@example.com")]);
    expect((await person.request("GET", "/users/@me")).status).toBe(401);
    expect(await logIn()).toEqual([200, undefined]);
  }, 60_000);
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
