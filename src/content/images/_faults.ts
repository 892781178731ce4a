// Why an image is not taken, and how large one may be.

/** Either side of an image, in pixels. */
export const MAX_SIDE = 10_000;
/** Of one picture; 4 bytes each while it is worked on. */
export const MAX_PIXELS = 50_000_000;
/** Of an animation: its pictures, each as large as all of it. */
export const MAX_ANIMATED_PIXELS = 100_000_000;
export const MAX_FRAMES = 1_000;
/** Of the result, which may be larger than the input. */
export const MAX_CLEAN_BYTES = 20 * 1_048_576;

/** What the refusal is about: a file that cannot be read, or one that is too large. */
export interface ImageFault {
  refusal: "broken" | "too large";
}

/** Refuses a file that is not what it seems. */
export function refuseBroken(reason: string): never {
  throw new Error(reason, { cause: { refusal: "broken" } satisfies ImageFault });
}

/** Refuses an image that would take too much to be shown, before anything is unpacked. */
export function assertImageSize(width: number, height: number, frames = 1): void {
  if (width < 1 || height < 1) refuseBroken("it has no pixels");
  if (width > MAX_SIDE || height > MAX_SIDE) {
    refuseLarge(`it is ${width} × ${height}, and a side may have up to ${MAX_SIDE} pixels`);
  }
  if (width * height > MAX_PIXELS) {
    refuseLarge(`it is ${width} × ${height}, and ${MAX_PIXELS / 1e6} million pixels are allowed`);
  }
  if (frames > MAX_FRAMES) refuseLarge(`it has more than ${MAX_FRAMES} frames`);
  if (frames > 1 && width * height * frames > MAX_ANIMATED_PIXELS) {
    refuseLarge(
      `its ${frames} frames of ${width} × ${height} are more than ${MAX_ANIMATED_PIXELS / 1e6} million pixels`,
    );
  }
}

/** Refuses a result with more bytes than are stored. */
export function assertBytes(image: Buffer): void {
  if (image.length <= MAX_CLEAN_BYTES) return;
  refuseLarge(`encoded again it has more than ${MAX_CLEAN_BYTES / 1_048_576} MB`);
}

function refuseLarge(reason: string): never {
  throw new Error(reason, { cause: { refusal: "too large" } satisfies ImageFault });
}
