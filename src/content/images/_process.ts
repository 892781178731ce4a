// Untrusted images are read by a separate process: decoders are a common target of attacks, and pixels take time and
// memory.
import { join } from "node:path";
import { problems } from "../../problem/mod.ts";
import { newProgram, type Program } from "../child_process.ts";
import { MAX_CLEAN_BYTES } from "./_faults.ts";

/** What the process says before the new file. */
export type ImageVerdict =
  { refusal: null } | { refusal: "no encoder" } | { refusal: "broken" | "too large"; reason: string };

const cleaner = newProgram({
  script: join(import.meta.dir, "_child.ts"),
  task: "take this image",
  // An animation of as many pixels as are accepted takes 12.
  processorSeconds: 40,
  patienceMs: 120_000,
  maxAnswerBytes: 2 * MAX_CLEAN_BYTES,
  maxAtOnce: 2,
  // Each holds a file of up to 10 MB.
  maxWaiting: 30,
  maxWaitingOfOne: 15,
});

/**
 * The image as a new file of the same kind, which holds its pixels and nothing else. Owners take turns. Throws 422 for
 * one that cannot be read, 413 for one that is too large, 429 when too many of the owner are waiting, 503 when too many
 * others are, and 501 where the encoder is not installed.
 */
export async function cleanImage(
  owner: string,
  file: Uint8Array<ArrayBuffer>,
  program: Program = cleaner,
): Promise<Buffer<ArrayBuffer>> {
  const answer = await program(owner, file);
  if (answer === null) throw problems.imageTooLarge("reading it takes too long or too much memory");
  const end = answer.indexOf("\n");
  const verdict = JSON.parse(answer.toString("utf8", 0, end)) as ImageVerdict;
  if (verdict.refusal === "no encoder") {
    throw problems.notConfigured(
      "image encoder",
      "Install the packages again, with the optional ones: bun install",
    );
  }
  if (verdict.refusal === "broken") throw problems.unreadableFile(verdict.reason);
  if (verdict.refusal === "too large") throw problems.imageTooLarge(verdict.reason);
  return answer.subarray(end + 1);
}
