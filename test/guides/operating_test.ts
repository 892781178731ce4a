// What the guides on operating and on settings say, as far as it can be tried without a container.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Settings } from "../../src/config/mod.ts";
import { codesIn, markedBlock, readGuide, runScript, tablesOf } from "../support/guides.ts";
import { HEAP_SETTINGS, heapSettingsIn } from "../support/heap_settings.ts";
import { HAS_POSTGRES_15, POSTGRES_15_BIN, startPostgres15 } from "../support/postgres15.ts";
import { runAdmin } from "../support/admin.ts";
import { type ServiceProcess, startProcess, until } from "../support/process.ts";
import { useService } from "../support/service.ts";
import { settingsTable } from "../support/settings_table.ts";

const service = useService();
const guide = readGuide("operating");
const ROOT = new URL("../../", import.meta.url).pathname;
const SECRET_KEY = "a secret that only the tests know, 32+";
const DOMAIN = "shop.example";
const SETTINGS = new Set(Object.keys(Settings.properties));
/** Of Postgres, Compose and the examples. */
const NOT_OURS = /^(POSTGRES_(USER|PASSWORD|DB)|NEW_DATABASE_URL|ALTER_ROLE)$/;

interface Compose {
  services: Record<
    string,
    {
      environment: Record<string, string>;
      healthcheck: { test: string[] };
      stop_grace_period?: string;
      depends_on?: Record<string, { condition: string }>;
      volumes?: string[];
    }
  >;
  volumes: Record<string, unknown>;
}

describe("the settings", () => {
  test("stand in their guide as the schema has them", () => {
    expect(readGuide("settings")).toContain(settingsTable());
  });

  test.each(["operating", "domains", "limits", "errors", "sending", "reliability", "settings"])(
    "that the guide %s names are settings",
    (name) => {
      const named = codesIn(readGuide(name)).flatMap(
        (code) => code.match(/^[A-Z][A-Z0-9]+(_[A-Z0-9]+)+/g) ?? [],
      );
      const codes = new Set(tablesOf(readGuide("errors")).map(({ heading }) => heading));
      const words = /^(SENDER_DOMAIN_NOT_VERIFIED|MARKETING_ONLY|IN_DOUBT|RETURN_PATH|WAIT_FOR_EVENT)$/;
      const unknown = named.filter(
        (word) => !SETTINGS.has(word) && !NOT_OURS.test(word) && !codes.has(word) && !words.test(word),
      );

      expect(unknown).toEqual([]);
    },
  );
});

describe("the compose file", () => {
  const compose = Bun.YAML.parse(markedBlock(guide, "compose")) as Compose;
  const { postgres, postrider } = compose.services;

  test("gives settings that there are, and all that production needs", () => {
    expect(Object.keys(postrider!.environment).filter((name) => !SETTINGS.has(name))).toEqual([]);
    expect(Object.keys(postrider!.environment)).toEqual(
      expect.arrayContaining(["DATABASE_URL", "SECRET_KEY", "BASE_URL", "SMTP_URL"]),
    );
  });

  test("waits for Postgres, keeps its data, and gives the service its 25 seconds", () => {
    expect(postrider!.depends_on).toEqual({ postgres: { condition: "service_healthy" } });
    expect(postgres!.volumes).toEqual([expect.stringMatching(/^postgres:/)]);
    expect(compose.volumes).toHaveProperty("postgres");
    expect(Number.parseInt(postrider!.stop_grace_period!, 10)).toBeGreaterThanOrEqual(30);
    expect(guide).toContain("--stop-timeout 30");
  });

  test("names in the text every variable that it takes from outside", () => {
    const taken = markedBlock(guide, "compose").matchAll(/\$\{(\w+):\?\}/g);
    const [, told] = /^This file runs the service with its Postgres\. Put (.*?) into a file/ms.exec(guide)!;

    expect(codesIn(told!).toSorted()).toEqual([...new Set([...taken].map((match) => match[1]!))].toSorted());
  });

  test("asks /ready, and hears whether it can do its work", async () => {
    const [kind, program, ...args] = postrider!.healthcheck.test;
    const running = await startProcess({ DATABASE_URL: service.databaseUrl, SECRET_KEY });
    const ask = async (url: string) =>
      await Bun.spawn([process.execPath, ...args.map((arg) => arg.replace("http://127.0.0.1:3000", url))])
        .exited;
    try {
      expect([kind, program]).toEqual(["CMD", "bun"]);
      expect(await ask(running.url)).toBe(0);
      expect(await ask("http://127.0.0.1:9")).toBe(1);
    } finally {
      await running.end("SIGTERM");
    }
  });
});

describe("the heap", () => {
  test("has the settings of the image wherever the service is started as documented", async () => {
    const { scripts } = (await Bun.file(join(ROOT, "package.json")).json()) as {
      scripts: Record<string, string>;
    };

    expect(Object.keys(HEAP_SETTINGS)).not.toEqual([]);
    for (const text of [scripts.start!, markedBlock(guide, "systemd"), markedBlock(guide, "run: modes")])
      expect(heapSettingsIn(text)).toEqual(HEAP_SETTINGS);
  });

  test("has settings that this Bun knows: it would not start with others", () => {
    const { stderr, exitCode } = Bun.spawnSync([process.execPath, "-e", "0"], {
      env: { ...HEAP_SETTINGS, BUN_JSC_dumpOptions: "1" },
    });
    const taken = Object.entries(HEAP_SETTINGS).map(
      ([name, value]) => `${name.replace("BUN_JSC_", "")}=${value} (default: `,
    );

    expect(exitCode).toBe(0);
    for (const option of taken) expect(stderr.toString()).toContain(option);
  });
});

describe("the unit for systemd", () => {
  const lines = markedBlock(guide, "systemd")
    .split("\n")
    .filter((line) => line.includes("="));
  const unit = Object.fromEntries(
    lines.map((line) => [line.split("=", 1)[0]!, line.slice(line.indexOf("=") + 1)]),
  );

  test("starts the sources, which are there in no other version, and gives them their 25 seconds", () => {
    const [program, ...args] = unit.ExecStart!.split(" ");

    expect([program!.split("/").at(-1), ...args]).toEqual(["bun", "src/main.ts"]);
    expect(Number(unit.TimeoutStopSec)).toBeGreaterThanOrEqual(30);
    expect(lines).toContain("Environment=NODE_ENV=production");
  });

  const hasSystemd = Bun.which("systemd-analyze") !== null;
  const orSkipped = hasSystemd ? "" : " (skipped: there is no systemd-analyze here)";
  test.skipIf(!hasSystemd)(`is understood by systemd${orSkipped}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), "postrider-unit-"));
    const file = join(folder, "postrider.service");
    // The program and the user are those of the machine that it is for.
    await Bun.write(
      file,
      markedBlock(guide, "systemd")
        .replace("/usr/local/bin/bun", process.execPath)
        .replace(/^User=.*$/m, ""),
    );
    const { stderr } = Bun.spawnSync(["systemd-analyze", "verify", file]);
    rmSync(folder, { recursive: true });

    expect(
      stderr
        .toString()
        .split("\n")
        .filter((line) => line.includes("postrider.service")),
    ).toEqual([]);
  });
});

describe("the commands", () => {
  const folder = mkdtempSync(join(tmpdir(), "postrider-operating-"));

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("make a project and say how the installation is", async () => {
    const variables = { DATABASE_URL: service.databaseUrl, SECRET_KEY, NODE_ENV: "production" };
    // It says on the other stream what it runs.
    const script = `bun() { command bun "$@" 2>&1; }\n${markedBlock(guide, "run: admin")}`;
    const printed = await runScript(script, { cwd: ROOT, variables });

    expect(printed).toContain("sk_");
    expect(printed).toContain("shop.example");
  });

  test("tell the secret of webhooks, and make another one", async () => {
    const { id } = await service.createProject();
    const variables = { DATABASE_URL: service.databaseUrl, SECRET_KEY, PROJECT_ID: id };
    const script = `bun() { command bun "$@" 2>&1; }\n${markedBlock(readGuide("webhooks"), "run: secret")}`;
    const printed = await runScript(script, { cwd: ROOT, variables });

    expect(new Set(printed.match(/whsec_[A-Za-z0-9+/=]+/g)).size).toBe(2);
  });

  test("start a process for requests and one for jobs", async () => {
    const variables = { DATABASE_URL: service.databaseUrl, SECRET_KEY };
    const http = freePort();
    const worker = freePort();
    const script = markedBlock(guide, "run: modes")
      .replace("3100", String(http))
      .replace("3101", String(worker));
    const shell = Bun.spawn(["bash", "-c", `${script}\ntrap 'kill $HTTP $WORKER' TERM; wait; wait`], {
      cwd: ROOT,
      env: { ...process.env, ...variables, PATH: `${join(process.execPath, "..")}:${process.env.PATH}` },
      stdout: "ignore",
      stderr: "ignore",
    });
    const status = async (port: number, path: string) =>
      (await fetch(`http://127.0.0.1:${port}${path}`).catch(() => null))?.status;
    try {
      // For a moment a process is ready, and answers nothing else yet.
      const states = async () => [
        await status(http, "/ready"),
        await status(http, "/docs"),
        await status(worker, "/ready"),
        await status(worker, "/docs"),
      ];
      await until("both", async () => Bun.deepEquals(await states(), [200, 200, 200, 404]));
    } finally {
      shell.kill("SIGTERM");
      await shell.exited;
    }
  });
});

describe.skipIf(!HAS_POSTGRES_15)(`a backup${HAS_POSTGRES_15 ? "" : " (skipped: no Postgres 15)"}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "postrider-backup-"));
  const started: ServiceProcess[] = [];
  let server: Awaited<ReturnType<typeof startPostgres15>>;

  beforeAll(async () => {
    chmodSync(folder, 0o777);
    server = await startPostgres15();
  });

  afterAll(async () => {
    for (const running of started) await running.end("SIGKILL");
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const start = async (settings: Record<string, string>) => {
    const running = await startProcess({ SECRET_KEY, ...settings });
    started.push(running);
    return running;
  };

  /** The secret key of a new project. */
  const makeProject = async () => {
    const words = `project create --name Shop --domain ${DOMAIN} --verified`.split(" ");
    const env = { ...process.env, DATABASE_URL: server.url, SECRET_KEY };
    const made = Bun.spawn([process.execPath, "src/admin.ts", ...words], { cwd: ROOT, env });
    return /sk_[0-9a-f]+/.exec(await new Response(made.stdout).text())![0];
  };

  test("is taken while the service runs, and restored: keys work, and what waited goes again", async () => {
    const restoredUrl = server.url.replace(/postgres$/, "restored");
    const variables = {
      DATABASE_URL: server.url,
      NEW_DATABASE_URL: restoredUrl,
      SECRET_KEY,
      PATH: `${POSTGRES_15_BIN}:${join(process.execPath, "..")}:${process.env.PATH}`,
    };
    // The commands are run in the folder of the repository; their file is not for it.
    const commandsOf = (mark: string) =>
      `cd ${ROOT}\n${markedBlock(guide, mark).replace("postrider.dump", join(folder, "postrider.dump"))}`.replaceAll(
        "bun run admin",
        "bun src/admin.ts",
      );
    // Nobody listens there: what is sent waits.
    const before = await start({ DATABASE_URL: server.url, SMTP_URL: "smtp://127.0.0.1:9" });
    const key = await makeProject();
    const ask = async (url: string, path: string, body?: object) => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const post = body && { method: "POST", body: JSON.stringify(body) };
      const answer = await fetch(`${url}${path}`, { headers, ...post });
      // oxlint-disable-next-line typescript/no-explicit-any
      return (await answer.json()) as any;
    };
    const mail = { to: "ada@example.com", from: `a@${DOMAIN}`, subject: "Kept", body: "<p>Kept</p>" };
    const { data } = await ask(before.url, "/v1/send", mail);
    const path = `/emails/${data.emails[0].email}`;
    await runScript(commandsOf("run: backup"), { cwd: folder, variables });
    const { status } = await ask(before.url, path);
    await before.end("SIGTERM");

    const script = `createdb ${connectionOf(server.url)} restored\n${commandsOf("run: restore")}`;
    await runScript(script, { cwd: folder, variables });
    // Where something is, nothing is restored over it.
    const again = runAdmin({ DATABASE_URL: restoredUrl, SECRET_KEY }, [
      "restore",
      join(folder, "postrider.dump"),
    ]);
    const after = await start({ DATABASE_URL: restoredUrl });

    expect([again.exitCode, again.err]).toEqual([1, expect.stringContaining("already exists")]);

    expect(["PENDING", "SENDING"]).toContain(status);
    await until("the mail", async () => (await ask(after.url, path)).status === "CAPTURED");
  });
});

function connectionOf(url: string): string {
  const { hostname, port, username } = new URL(url);
  return `-h ${hostname} -p ${port} -U ${username}`;
}

function freePort(): number {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port } = server;
  void server.stop(true);
  return port!;
}
