// What can happen to a Postgres: done to the embedded one of a test, by the ids of its own processes.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const FAULTS = ["fast restart", "immediate stop", "kill -9", "terminate all", "freeze"] as const;

/** One of them. */
export type Fault = (typeof FAULTS)[number];

/** The main process of the embedded server of a folder, or undefined while there is none. */
export function postmasterOf(dir: string): number | undefined {
  // Its data may be elsewhere, where its account can enter.
  const { place } = JSON.parse(read(join(dir, "connection.json"))) as { place: string };
  const pid = Number(read(join(resolve(dir, place), "data/postmaster.pid")).split("\n")[0]);
  return commandOf(pid) === undefined ? undefined : pid;
}

/**
 * Lets it happen, and answers when it is over: what is stopped is started again by its supervisor, what is frozen goes on
 * after `freezeMs`.
 */
export async function inflict(
  fault: Fault,
  dir: string,
  { freezeMs, terminateAll }: { freezeMs: number; terminateAll: () => Promise<void> },
): Promise<void> {
  const postmaster = postmasterOf(dir);
  if (postmaster === undefined) throw new Error("Cannot harm a Postgres that does not run");
  if (fault === "terminate all") return await terminateAll();
  if (fault === "kill -9") {
    // A backend of the service, and not one of the server's own processes.
    const backends = childrenOf(postmaster).filter((pid) =>
      /postgres: \S+ \S+ 127\.0\.0\.1/.test(commandOf(pid) ?? ""),
    );
    return void process.kill(backends[Math.floor(Math.random() * backends.length)]!, "SIGKILL");
  }
  if (fault === "freeze") {
    const all = [postmaster, ...childrenOf(postmaster)];
    for (const pid of all) signal(pid, "SIGSTOP");
    await Bun.sleep(freezeMs);
    for (const pid of all.toReversed()) signal(pid, "SIGCONT");
    return;
  }
  process.kill(postmaster, fault === "fast restart" ? "SIGINT" : "SIGQUIT");
  while (postmasterOf(dir) === postmaster || postmasterOf(dir) === undefined) await Bun.sleep(20);
}

/** A process may have ended meanwhile. */
function signal(pid: number, name: "SIGSTOP" | "SIGCONT"): void {
  try {
    process.kill(pid, name);
  } catch {
    // It is gone.
  }
}

function childrenOf(parent: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => Number(/^\d+ \(.*\) \S (\d+)/s.exec(read(`/proc/${pid}/stat`))?.[1]) === parent);
}

function commandOf(pid: number): string | undefined {
  // A process that has ended and was not yet missed has no command.
  return read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim() || undefined;
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
