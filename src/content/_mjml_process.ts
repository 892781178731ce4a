// MJML is compiled by a process of its own for each body. The compiler takes 70 MB to be loaded and 100 to 500 for a
// large body, which would stay with the service; it is JavaScript that nothing can interrupt, and regular expressions
// that take as long as they like. A worker thread gives the memory back too, but where it hangs or runs out of memory,
// so does the service.
import { join } from "node:path";
import { problems } from "../problem.ts";
import { refuse } from "./_syntax.ts";

/** What the process says: without HTML where there is too much of it. */
export interface MjmlResult {
  html: string | null;
  complaints: Complaint[];
}

/** What is wrong in a line, by the validator of MJML. */
export interface Complaint {
  line: number;
  tagName: string;
  message: string;
}

const TIME_LIMIT_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1_048_576;
/** Each takes a core and its memory. */
const MAX_AT_ONCE = 2;
const MAX_WAITING = 100;

// It may outlive a service that is killed, but not its time; and where memory runs out, it is the one to go. It has no
// environment, and no folder of ours to look into.
const COMMAND = [
  "/bin/sh",
  "-c",
  `{ ulimit -t ${TIME_LIMIT_MS / 1000}; echo 1000 > /proc/self/oom_score_adj; } 2>/dev/null; exec "$@"`,
  "mjml",
  process.execPath,
  "--smol",
  join(import.meta.dir, "_mjml_child.ts"),
];

/**
 * Compiles MJML. Throws by `refuse` when it takes too long or too much memory, and 503 when too many others are waiting.
 */
export async function runMjml(source: string, timeLimitMs = TIME_LIMIT_MS): Promise<MjmlResult> {
  return await inTurn(() => runCompiler(source, timeLimitMs));
}

async function runCompiler(source: string, timeout: number): Promise<MjmlResult> {
  const child = Bun.spawn(COMMAND, {
    cwd: "/",
    env: {},
    stdin: new Blob([source]),
    stdout: "pipe",
    stderr: "pipe",
    timeout,
    killSignal: "SIGKILL",
    maxBuffer: MAX_ANSWER_BYTES,
  });
  const [answer, complaint] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (child.signalCode !== null) refuse("This MJML takes too long to be compiled, or too much memory", 0);
  if (child.exitCode !== 0) throw new Error(`The compiler of MJML has failed: ${complaint.slice(0, 1000)}`);
  return JSON.parse(answer) as MjmlResult;
}

let running = 0;
const waiting: (() => void)[] = [];

/** Does `work` when its turn has come. Throws 503 when too many are waiting. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running < MAX_AT_ONCE) running += 1;
  else if (waiting.length >= MAX_WAITING) throw problems.busy();
  else await new Promise<void>((go) => waiting.push(go));
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}
