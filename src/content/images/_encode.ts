// Decodes an image and encodes its pixels again, with sharp (libvips). It writes no metadata unless it is asked to: no
// EXIF, no colour profile (colours are converted to sRGB), no comment, and nothing of what follows the end of the file.
// Imported by the child process only: importing it takes 30 MB and, the first time, half a second.
import sharp, { type Metadata, type Sharp } from "sharp";
import { assertImageSize, MAX_ANIMATED_PIXELS, MAX_PIXELS, refuseBroken } from "./_faults.ts";
import { type ImageKind, imageKindOf } from "./_kinds.ts";

const QUALITY = 85;
/** Warnings are no reason to refuse: photos of many phones have stray bytes, which every program ignores. */
const READING = { animated: true, failOn: "error", sequentialRead: true } as const;

// A process makes one image: there is nothing to cache, and one core is its share.
sharp.cache(false);
sharp.concurrency(1);
// libvips reads dozens of formats, some by large libraries. Files get to these loaders and to no other.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({
  operation: ["Jpeg", "Png", "Nsgif", "Webp"].map((loader) => `VipsForeignLoad${loader}Buffer`),
});

/** An image as it came. */
interface Original {
  file: Buffer;
  header: Metadata;
}

const ENCODERS: Record<ImageKind, (image: Sharp, original: Original) => Sharp> = {
  jpg: (image) => image.autoOrient().jpeg({ quality: QUALITY }),
  // With at most as many colours as a palette has, quantising loses nothing.
  png: (image, { header }) =>
    image.png({ progressive: header.isProgressive, ...(header.isPalette && { palette: true, dither: 0 }) }),
  gif: (image) => image.gif({ dither: 0, effort: 4 }),
  webp: (image, { file }) => image.webp(isLossless(file) ? { lossless: true } : { quality: QUALITY }),
};

/**
 * The same picture, or the same animation, in a new file of the same kind. Throws by `assertSize` before anything is
 * unpacked, by `refuseBroken`, and whatever a decoder throws.
 */
export async function encodeAgain(file: Buffer): Promise<Buffer> {
  const kind = imageKindOf(file)!;
  // Browsers show the screen that a GIF declares, where libvips is content with its frames.
  if (kind === "gif") assertImageSize(file.readUInt16LE(6), file.readUInt16LE(8));
  if (kind === "png") refuseAnimation(file);
  const header = await sharp(file, { ...READING, limitInputPixels: false }).metadata();
  const frames = header.pages ?? 1;
  assertImageSize(header.width, header.pageHeight ?? header.height, frames);
  const image = sharp(file, {
    ...READING,
    limitInputPixels: frames > 1 ? MAX_ANIMATED_PIXELS : MAX_PIXELS,
  });
  return await ENCODERS[kind](image, { file, header }).toBuffer();
}

/** It would not move: libvips reads the first picture only. Its first chunk is before the pixels. */
function refuseAnimation(png: Buffer): void {
  if (png.subarray(0, png.indexOf("IDAT")).includes("acTL"))
    refuseBroken("it is an animated PNG, which few mail programs show: convert it to a GIF");
}

const FRAME_HEADER_BYTES = 16;

/** Whether the pictures of a WebP are stored without loss; libvips does not say. */
function isLossless(webp: Buffer, from = 12, to = webp.length): boolean {
  for (let at = from; at + 8 <= to;) {
    const [type, size] = [webp.toString("latin1", at, at + 4), webp.readUInt32LE(at + 4)];
    const end = at + 8 + size;
    if (type === "VP8L" || (type === "ANMF" && isLossless(webp, at + 8 + FRAME_HEADER_BYTES, end)))
      return true;
    at = end + (size % 2);
  }
  return false;
}
