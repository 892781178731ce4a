// The image formats accepted, recognised by their first bytes.

/** A kind of image, as its key ends. */
export type ImageKind = "jpg" | "png" | "gif" | "webp";

export const CONTENT_TYPES: Readonly<Record<ImageKind, string>> = {
  jpg: "image/jpeg",
  png: "image/png",
  gif: "image/gif",
  webp: "image/webp",
};

/** Bytes, with dots for any. */
const BEGINNINGS: [ImageKind, string][] = [
  ["jpg", "ff d8 ff"],
  ["png", "89 50 4e 47 0d 0a 1a 0a"],
  ["gif", "47 49 46 38 37 61"],
  ["gif", "47 49 46 38 39 61"],
  ["webp", "52 49 46 46 .. .. .. .. 57 45 42 50 56 50 38 20"],
  ["webp", "52 49 46 46 .. .. .. .. 57 45 42 50 56 50 38 4c"],
  ["webp", "52 49 46 46 .. .. .. .. 57 45 42 50 56 50 38 58"],
];

/** The format of an image file, whatever it is called; null for anything else. */
export function imageKindOf(file: Uint8Array): ImageKind | null {
  const found = BEGINNINGS.find(([, pattern]) =>
    pattern.split(" ").every((byte, i) => byte === ".." || file[i] === parseInt(byte, 16)),
  );
  return found?.[0] ?? null;
}
