// A JPEG is decoded and encoded again, the right way up. Of what the encoder writes, only what belongs to the picture is
// kept: it copies the colour profile, in which anything can stand.
import { assertSize, MAX_PIXELS, refuseBroken } from "./_faults.ts";

const QUALITY = 85;

const END = 0xd9;
const SCAN = 0xda;
const COMMENT = 0xfe;

/** The same picture in a new file. Throws by `refuseBroken`, also for one that was cut off. */
export async function cleanJpeg(file: Buffer): Promise<Buffer> {
  // The decoder fills up with grey what is missing.
  if (segmentsOf(file).at(-1)?.marker !== END) refuseBroken("it ends before the picture does");
  const image = new Bun.Image(file, { maxPixels: MAX_PIXELS });
  const { width, height } = await image.metadata();
  assertSize(width, height);
  const made = Buffer.from(await image.jpeg({ quality: QUALITY }).bytes());
  const kept = segmentsOf(made).filter(({ marker }) => !isAside(marker));
  return Buffer.concat([made.subarray(0, 2), ...kept.map(({ at, end }) => made.subarray(at, end))]);
}

/** Comments and application data, where EXIF and colour profiles are. Its first kind (E0) is the header of JFIF. */
function isAside(marker: number): boolean {
  return (marker >= 0xe1 && marker <= 0xef) || marker === COMMENT;
}

interface Segment {
  marker: number;
  at: number;
  end: number;
}

/** What a JPEG consists of, as far as it can be read: up to its end, if it has one. A scan goes with its data. */
function segmentsOf(jpeg: Buffer): Segment[] {
  const segments: Segment[] = [];
  for (let at = jpeg.indexOf(0xff, 2); at !== -1; at = jpeg.indexOf(0xff, at)) {
    while (jpeg[at + 1] === 0xff) at += 1;
    const marker = jpeg[at + 1];
    if (marker === undefined) break;
    if (marker === END) return [...segments, { marker, at, end: at + 2 }];
    if (standsAlone(marker)) {
      at += 2;
      continue;
    }
    if (at + 4 > jpeg.length) break;
    let end = at + 2 + jpeg.readUInt16BE(at + 2);
    if (marker === SCAN) end = endOfScan(jpeg, end);
    segments.push({ marker, at, end });
    at = end;
  }
  return segments;
}

/** Where the next marker stands that is no part of the data. */
function endOfScan(jpeg: Buffer, from: number): number {
  let at = jpeg.indexOf(0xff, from);
  while (at !== -1 && standsAlone(jpeg[at + 1]!)) at = jpeg.indexOf(0xff, at + 2);
  return at === -1 ? jpeg.length : at;
}

/** An escaped byte of data (00), a start of image, or a mark between intervals (D0 to D7). */
function standsAlone(marker: number): boolean {
  return marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8);
}
