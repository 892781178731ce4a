// MJML is compiled by a separate process for each body. The compiler takes 70 MB to load and 100 to 500 for a large
// body, which the service would keep; it is JavaScript that nothing can interrupt, with regular expressions of
// unbounded time. A worker thread gives the memory back too, but where it hangs or runs out of memory, so does the
// service.
import { join } from "node:path";
import type { Context } from "../../context.ts";
import { newProgram } from "../child_process.ts";
import { refuse } from "../handlebars/syntax.ts";

/** The output of the process: without HTML where that is too long. */
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

/** Each body in a process of its own. */
export const compiler = newProgram({
  script: join(import.meta.dir, "_child.ts"),
  task: "compile this body",
  processorSeconds: 10,
  patienceMs: 120_000,
  maxAnswerBytes: 64 * 1_048_576,
  maxAtOnce: 2,
  maxWaiting: 100,
  maxWaitingOfOne: 40,
});

/**
 * Compiles MJML by a program in the turn of `owner`. Throws by `refuse` when it takes too long or too much memory, 429 when too many
 * of the owner are waiting, and 503 when too many others are.
 */
export async function runMjml(
  owner: string,
  source: string,
  program: NonNullable<Context["mjml"]>,
): Promise<MjmlResult> {
  const answer = await program(owner, source);
  if (answer === null) return refuse("Compiling this MJML takes too long or too much memory", 0);
  return JSON.parse(answer.toString()) as MjmlResult;
}
