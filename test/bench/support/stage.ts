// What a bench plays on: a durable Postgres of its own, a project, and the real service as a process of its own.
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createProject, type NewProject } from "../../../src/accounts/projects/mod.ts";
import { loadConfig } from "../../../src/config/mod.ts";
import type { Context } from "../../../src/context.ts";
import { startEmbedded } from "../../../src/embedded/mod.ts";
import { addVerifiedDomain } from "../../../src/accounts/projects/domains.ts";
import { openService } from "../../../src/service/mod.ts";
import { buildService } from "../../../src/service_build.ts";
import { HEAP_SETTINGS } from "../../support/heap_settings.ts";

/** The sources as one program, as the image runs them. */
const PROGRAM = "program";
const START_MS = 30_000;
const STOP_MS = 40_000;
/** The unit of `/proc/<pid>/stat`: the same on every Linux there is. */
const TICKS_A_SECOND = 100;

/** The domain that the project may send from. */
export const DOMAIN = "shop.example";

/** A database with a project in it. */
export interface Stage {
  /** Our own way in, without the service. */
  ctx: Context;
  databaseUrl: string;
  project: NewProject;
  /** Starts the service, and waits until it says so. */
  startService(settings: Record<string, string>): Promise<ServiceProcess>;
}

/** The service, running. */
export interface ServiceProcess {
  port: number;
  /** Resident memory in MB. */
  resident(): number;
  /** Processor time since its start, in seconds. */
  processorTime(): number;
  /** Rejects when it ends without having been told to. */
  died: Promise<never>;
  /** Tells it to stop, and waits until it has. */
  stop(): Promise<void>;
  /** Ends it at once. */
  kill(): Promise<void>;
}

/** Sets a stage, plays on it, and takes everything down again, however it went. */
export async function onStage<T>(play: (stage: Stage) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), "postrider-bench-"));
  // As a deployment has it: the defaults of the service, with every commit on the disk.
  const postgres = await startEmbedded({ dir: join(dir, "postgres") });
  const children = new Set<Bun.Subprocess>();
  const tearDown = () => {
    for (const child of children) child.kill("SIGKILL");
    postgres.stopNow();
    rmSync(dir, { recursive: true, force: true });
  };
  process.on("exit", tearDown);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, interrupted);
  try {
    return await withProject(dir, postgres.url, children, play);
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, interrupted);
    process.off("exit", tearDown);
    await Promise.all([...children].map((child) => stop(child)));
    await postgres.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function withProject<T>(
  dir: string,
  databaseUrl: string,
  children: Set<Bun.Subprocess>,
  play: (stage: Stage) => Promise<T>,
): Promise<T> {
  const environment = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: join(dir, "data"),
    SECRET_KEY: "a secret that only the benches know, 32+",
    RATE_LIMIT_PER_MINUTE: "0",
    LOG_LEVEL: "info",
    HOST: "127.0.0.1",
    PORT: "0",
    // The load comes as from many networks.
    TRUSTED_PROXIES: "127.0.0.1",
  };
  mkdirSync(environment.DATA_DIR);
  await buildService(join(dir, PROGRAM));
  const service = await openService(loadConfig(environment));
  try {
    const project = await createProject(service.ctx, "Bench");
    await addVerifiedDomain(service.ctx, project.id, DOMAIN);
    return await play({
      ctx: service.ctx,
      databaseUrl,
      project,
      startService: (settings) => start(dir, { ...environment, ...settings }, children),
    });
  } finally {
    await service.close();
  }
}

async function start(
  dir: string,
  environment: Record<string, string>,
  children: Set<Bun.Subprocess>,
): Promise<ServiceProcess> {
  const log = join(dir, `service-${children.size}.log`);
  const file = openSync(log, "a");
  const { PATH = "", HOME = "" } = process.env;
  const child = Bun.spawn([process.execPath, ...profilerOf(environment), join(dir, PROGRAM, "main.js")], {
    cwd: dir,
    env: { PATH, HOME, NODE_ENV: "production", ...HEAP_SETTINGS, ...environment },
    stdio: ["ignore", file, file],
  });
  closeSync(file);
  children.add(child);
  let isWanted = true;
  const died = child.exited.then((code): Promise<never> => {
    if (!isWanted) return new Promise(() => {});
    throw new Error(
      `Cannot go on: the service ended with ${code}: ${readFileSync(log, "utf8").slice(-2000)}`,
    );
  });
  died.catch(() => {});
  return {
    port: await portOf(child, log),
    resident: () => residentMegabytes(child.pid),
    processorTime: () => processorSeconds(child.pid),
    died,
    async stop() {
      isWanted = false;
      await stop(child);
    },
    async kill() {
      isWanted = false;
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

/** BENCH_PROFILE is a folder: every process of the service leaves a CPU profile there. */
function profilerOf({ MODE = "all" }: Record<string, string>): string[] {
  const folder = process.env.BENCH_PROFILE;
  if (!folder) return [];
  return ["--cpu-prof", `--cpu-prof-dir=${folder}`, `--cpu-prof-name=${MODE}-${Date.now()}.cpuprofile`];
}

/** The port is in the line that says that the service has started; 0 where it has none. */
async function portOf(child: Bun.Subprocess, log: string): Promise<number> {
  const deadline = Date.now() + START_MS;
  while (Date.now() < deadline && child.exitCode === null && child.signalCode === null) {
    const line = readFileSync(log, "utf8")
      .split("\n")
      .find((text) => text.includes('"message":"started"') && text.endsWith("}"));
    if (line) return (JSON.parse(line) as { port?: number }).port ?? 0;
    await Bun.sleep(10);
  }
  throw new Error(`Cannot start the service: ${readFileSync(log, "utf8").slice(-2000)}`);
}

async function stop(child: Bun.Subprocess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  await child.exited;
  clearTimeout(timer);
}

function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)![1]) / 1024;
}

function processorSeconds(pid: number): number {
  // The name in brackets may hold anything; behind it, the 12th and 13th are user and system time.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

function interrupted(): void {
  process.exit(130);
}
