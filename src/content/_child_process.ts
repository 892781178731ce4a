// Programs of our own that read what strangers have made. Each run is a process of its own, without an environment and
// without a connection: one that hangs, or takes all memory, or is led astray by what it reads, is not the service, and
// its memory is given back.
import { problems } from "../problem.ts";

/** How a program is run. */
export interface ProgramOptions {
  /** Its path. */
  script: string;
  /** What it does to something, for the refusal when too many wait: `compile this body`. */
  task: string;
  /** Of the clock, and of the processor. */
  timeLimitMs: number;
  maxAnswerBytes: number;
  /** Each takes a core and its memory. */
  maxAtOnce: number;
  maxWaiting: number;
}

/**
 * Runs a program over `input`, and answers what it said. Null where it was ended, because it took too long or too much
 * memory. Throws 503 when too many others are waiting.
 */
export type Program = (
  input: string | Uint8Array<ArrayBuffer>,
  timeLimitMs?: number,
) => Promise<Buffer<ArrayBuffer> | null>;

// It may outlive a service that is killed, but not its time; where memory runs out, it is the one to go, and where
// processors do, it comes last. It has no folder of ours to look into.
const START =
  '{ ulimit -t "$0"; echo 1000 > /proc/self/oom_score_adj; renice -n 10 -p $$; } >/dev/null 2>&1; exec "$@"';

/** A program, and the line of those who wait for it. */
export function newProgram(options: ProgramOptions): Program {
  const inTurn = newLine(options);
  return async (input, timeLimitMs = options.timeLimitMs) =>
    await inTurn(() => run(options, input, timeLimitMs));
}

async function run(
  { script, timeLimitMs, maxAnswerBytes }: ProgramOptions,
  input: string | Uint8Array<ArrayBuffer>,
  timeout: number,
): Promise<Buffer<ArrayBuffer> | null> {
  const seconds = String(timeLimitMs / 1000);
  const child = Bun.spawn(["/bin/sh", "-c", START, seconds, process.execPath, "--smol", script], {
    cwd: "/",
    env: {},
    stdin: new Blob([input]),
    stdout: "pipe",
    stderr: "pipe",
    timeout,
    killSignal: "SIGKILL",
    maxBuffer: maxAnswerBytes,
  });
  const [answer, complaint] = await Promise.all([
    new Response(child.stdout).arrayBuffer(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (child.signalCode !== null) return null;
  if (child.exitCode !== 0) throw new Error(`${script} has failed: ${complaint.slice(0, 1000)}`);
  return Buffer.from(answer);
}

/** Does each `work` when its turn has come. Throws 503 when too many are waiting. */
function newLine({ task, maxAtOnce, maxWaiting }: ProgramOptions) {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running < maxAtOnce) running += 1;
    else if (waiting.length >= maxWaiting) throw problems.busy(task);
    else await new Promise<void>((go) => waiting.push(go));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
