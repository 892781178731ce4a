// What strangers call an image is read by a process of its own: decoders are where programs are broken into, and
// pixels take time and memory.
import { join } from "node:path";
import { problems } from "../problem.ts";
import { newProgram } from "./_child_process.ts";
import { MAX_CLEAN_BYTES } from "./_image_faults.ts";

/** What the process says before the new file. */
export type ImageVerdict = { refusal: null } | { refusal: "broken" | "too large"; reason: string };

const cleaner = newProgram({
  script: join(import.meta.dir, "_image_child.ts"),
  task: "take this image",
  timeLimitMs: 20_000,
  maxAnswerBytes: 2 * MAX_CLEAN_BYTES,
  maxAtOnce: 2,
  maxWaiting: 20,
});

/**
 * The image as a new file of the same kind, which holds its pixels and nothing else. Throws 422 for one that cannot be
 * read, 413 for one that is too large, 503 when too many others are waiting.
 */
export async function cleanImage(file: Uint8Array<ArrayBuffer>): Promise<Buffer<ArrayBuffer>> {
  const answer = await cleaner(file);
  if (answer === null) throw problems.imageTooLarge("it takes too long to be read, or too much memory");
  const end = answer.indexOf("\n");
  const verdict = JSON.parse(answer.toString("utf8", 0, end)) as ImageVerdict;
  if (verdict.refusal === "broken") throw problems.unreadableFile(verdict.reason);
  if (verdict.refusal === "too large") throw problems.imageTooLarge(verdict.reason);
  return answer.subarray(end + 1);
}
