// Programs of our own that read untrusted input. Each run is a separate process, without an environment and without a
// connection: one that hangs, takes all memory or is exploited is not the service, and its memory is given back.
import { problems } from "../problem/mod.ts";
import { type LineLimits, newFairLine } from "../fair_line.ts";

/** How a program is run. Each takes a core and its memory: {@linkcode LineLimits} say how many. */
export interface ProgramOptions extends LineLimits {
  /** Its path. */
  script: string;
  /** What it does to something, for the refusal when too many wait: `compile this body`. */
  task: string;
  /** Of a processor: a busy machine takes nothing from it. */
  processorSeconds: number;
  /** By the clock, for one that does nothing at all; nobody would wait longer. */
  patienceMs: number;
  maxAnswerBytes: number;
}

/**
 * Runs a program over `input`, queued for `owner` (a project), and returns its output. Null if it was ended because
 * it took too much processor time or memory. Throws 429 when too many of the owner are waiting, and 503 when too many
 * others are, or the machine had no time for it.
 */
export type Program = (
  owner: string,
  input: string | Uint8Array<ArrayBuffer>,
) => Promise<Buffer<ArrayBuffer> | null>;

// It may outlive a killed service, but not its time limit; when memory runs out it is the first to be killed, and it
// has the lowest priority. Its working folder is not ours.
const START =
  '{ ulimit -t "$0"; echo 1000 > /proc/self/oom_score_adj; renice -n 10 -p $$; } >/dev/null 2>&1; exec "$@"';

/** A program, and the queue of those who wait for it. */
export function newProgram(options: ProgramOptions): Program {
  const { task } = options;
  const inTurn = newFairLine(options, {
    ofAll: () => problems.busy(task),
    ofOne: () => problems.busy(task, "of yours"),
  });
  return async (owner, input) => await inTurn(owner, () => run(options, input));
}

async function run(
  { script, task, processorSeconds, patienceMs, maxAnswerBytes }: ProgramOptions,
  input: string | Uint8Array<ArrayBuffer>,
): Promise<Buffer<ArrayBuffer> | null> {
  const command = [
    "/bin/sh",
    "-c",
    START,
    String(processorSeconds),
    process.execPath,
    "--smol",
    "--no-install",
    script,
  ];
  const child = Bun.spawn(command, {
    cwd: "/",
    env: {},
    stdin: new Blob([input]),
    stdout: "pipe",
    stderr: "pipe",
    killSignal: "SIGKILL",
    maxBuffer: maxAnswerBytes,
  });
  let isOverdue = false;
  const patience = setTimeout(() => {
    isOverdue = true;
    child.kill("SIGKILL");
  }, patienceMs);
  const [answer, complaint] = await Promise.all([
    new Response(child.stdout).arrayBuffer(),
    new Response(child.stderr).text(),
    child.exited,
  ]).finally(() => clearTimeout(patience));
  if (isOverdue) throw problems.busy(task);
  if (child.signalCode !== null) return null;
  if (child.exitCode !== 0) throw new Error(`${script} has failed: ${complaint.slice(0, 1000)}`);
  return Buffer.from(answer);
}
