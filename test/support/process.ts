// The service as a process of its own, as it runs in a container: to be killed.
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import type postgres from "postgres";

const ROOT = join(import.meta.dir, "../..");

/** To be preloaded by a worker that takes over from one that a test has killed. */
export const IMPATIENT = join(import.meta.dir, "impatient.ts");

/** A first start makes a Postgres: some seconds, or a minute on a busy machine. Longer is a fault. */
const START_MS = 180_000;

/** A running service. */
export interface ServiceProcess {
  pid: number;
  /** Where it listens; a worker answers `/health` and `/ready` only. */
  url: string;
  /** Everything it has written so far. */
  output(): string;
  /** Waits for the end; answers the exit code, null when a signal ended it. */
  ended(): Promise<number | null>;
  /** Sends a signal and waits for the end; answers the exit code, null when a signal ended it. */
  end(signal: "SIGKILL" | "SIGTERM"): Promise<number | null>;
}

/**
 * Starts `src/main.ts`, or another `program`, and waits until it says that it has started. Nothing of our own environment but
 * PATH and HOME is passed on. `preload` is a script that runs in it before anything else.
 */
export async function startProcess(
  settings: Record<string, string>,
  { cwd = ROOT, preload = "", program = join(cwd, "src/main.ts") } = {},
): Promise<ServiceProcess> {
  const { PATH = "", HOME = "" } = process.env;
  const before = preload === "" ? [] : ["--preload", preload];
  const child = Bun.spawn([process.execPath, ...before, program], {
    cwd,
    env: { PATH, HOME, PORT: "0", ...settings },
    stdout: "pipe",
    stderr: "pipe",
  });
  let output = "";
  const read = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) output += decoder.decode(chunk, { stream: true });
  };
  const reading = Promise.all([read(child.stdout), read(child.stderr)]);
  const deadline = Date.now() + START_MS;
  while (!output.includes('"message":"started"')) {
    if (child.exitCode !== null || Date.now() > deadline) {
      const reason = child.exitCode === null ? "it takes too long" : `it ended with ${child.exitCode}`;
      child.kill("SIGKILL");
      await reading;
      throw new Error(`Cannot start the service because ${reason}:\n${output}`);
    }
    await Bun.sleep(20);
  }
  const started = output.split("\n").find((line) => line.includes('"message":"started"'))!;
  const { port } = JSON.parse(started) as { port: number };
  const ended = async () => {
    await child.exited;
    return child.signalCode ? null : child.exitCode;
  };
  return {
    pid: child.pid,
    url: `http://127.0.0.1:${port}`,
    output: () => output,
    ended,
    async end(signal) {
      child.kill(signal);
      return await ended();
    },
  };
}

/**
 * Kills a service, and lets its last heartbeat look old: whoever beats next reaps it, instead of one of those that come
 * 10 s later. That the dead are noticed in time is the promise of main_test.ts.
 */
export async function killUnseen(sql: postgres.Sql, service: ServiceProcess): Promise<void> {
  await service.end("SIGKILL");
  await sql`update workers set seen_at = now() - interval '11 seconds' where pid = ${service.pid}`;
}

/** Waits until `condition` holds; throws after `timeoutMs`, saying what was waited for. */
export async function until(
  what: string,
  condition: () => Promise<boolean> | boolean,
  timeoutMs = 280_000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  // Most of what is waited for comes at once.
  for (let pauseMs = 5; !(await condition()); pauseMs = Math.min(50, pauseMs * 2)) {
    if (Date.now() > deadline) throw new Error(`Cannot see, within ${timeoutMs / 1000} s: ${what}`);
    await Bun.sleep(pauseMs);
  }
}

/** A port of loopback that nobody listened on a moment ago. */
export async function unusedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
