// A program of its own, started by `_image_process.ts` for each image: the file comes on standard input. On standard
// output goes a line of JSON that says what became of it, and behind it the new file.
import { cleanGif } from "./_gif.ts";
import { assertBytes, type ImageFault, MAX_PIXELS } from "./_faults.ts";
import { cleanJpeg } from "./_jpeg.ts";
import { type ImageKind, imageKindOf } from "./_kinds.ts";
import { cleanPng } from "./_png.ts";
import type { ImageVerdict } from "./_process.ts";
import { cleanWebp } from "./_webp.ts";

const CLEANERS: Record<ImageKind, (file: Buffer) => Buffer | Promise<Buffer>> = {
  jpg: cleanJpeg,
  png: cleanPng,
  gif: cleanGif,
  webp: cleanWebp,
};

async function clean(file: Buffer): Promise<{ verdict: ImageVerdict; made?: Buffer }> {
  try {
    const made = await CLEANERS[imageKindOf(file)!](file);
    assertBytes(made);
    return { verdict: { refusal: null }, made };
  } catch (error) {
    return { verdict: verdictOf(error as Error & { code?: string }) };
  }
}

/** What our own checks said, or the decoder, which says no more than that it failed. */
function verdictOf({ cause, code, message, stack }: Error & { code?: string }): ImageVerdict {
  const fault = cause as ImageFault | undefined;
  if (fault?.refusal) return { ...fault, reason: message };
  if (code === "ERR_IMAGE_TOO_MANY_PIXELS") {
    return { refusal: "too large", reason: `more than ${MAX_PIXELS / 1e6} million pixels are not allowed` };
  }
  if (code?.startsWith("ERR_IMAGE_")) return { refusal: "broken", reason: "its pixels are damaged" };
  throw new Error(`Cannot clean an image: ${stack ?? message}`);
}

const { verdict, made = Buffer.alloc(0) } = await clean(Buffer.from(await Bun.stdin.arrayBuffer()));
await Bun.write(Bun.stdout, Buffer.concat([Buffer.from(`${JSON.stringify(verdict)}\n`), made]));
