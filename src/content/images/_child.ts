// A program of its own, started by `_process.ts` for each image: the file comes on standard input, the answer goes to
// standard output.
import { assertBytes, type ImageFault } from "./_faults.ts";
import type { ImageVerdict } from "./_process.ts";

/** A line of JSON that says what happened to a file, and after it the new file. */
export async function answerTo(file: Buffer): Promise<Buffer<ArrayBuffer>> {
  const { verdict, made = Buffer.alloc(0) } = await encode(file);
  return Buffer.concat([Buffer.from(`${JSON.stringify(verdict)}\n`), made]);
}

async function encode(file: Buffer): Promise<{ verdict: ImageVerdict; made?: Buffer }> {
  // The encoder comes in a package for each platform, which an installation may have left out.
  const encoder = await import("./_encode.ts").catch(() => null);
  if (!encoder) return { verdict: { refusal: "no encoder" } };
  try {
    const made = await encoder.encodeAgain(file);
    assertBytes(made);
    return { verdict: { refusal: null }, made };
  } catch (error) {
    return { verdict: verdictOf(error as Error) };
  }
}

/** What our own checks said; whatever else is thrown comes from a decoder, which says no more than that it failed. */
function verdictOf({ cause, message }: Error): ImageVerdict {
  const fault = cause as ImageFault | undefined;
  if (fault?.refusal) return { ...fault, reason: message };
  return { refusal: "broken", reason: "it is damaged, or was cut short" };
}

if (import.meta.main) {
  await Bun.write(Bun.stdout, await answerTo(Buffer.from(await Bun.stdin.arrayBuffer())));
}
