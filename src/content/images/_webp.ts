// A WebP is decoded and encoded again, frame by frame where it is animated. Of what the encoder writes only the picture
// is kept: it copies the colour profile, in which anything can stand.
import { assertSize, MAX_FRAMES, MAX_PIXELS, refuseBroken } from "./_faults.ts";

const QUALITY = 85;

/** Bits of the header of a file with more than one chunk. */
const HAS_ALPHA = 0x10;
const IS_ANIMATED = 0x02;
const FRAME_HEADER_BYTES = 16;
/** A picture, and the transparency of one that cannot hold it itself. */
const PICTURE = new Set(["ALPH", "VP8 ", "VP8L"]);

interface Chunk {
  type: string;
  data: Buffer;
}

/** The same pictures in a new file. Throws by `refuseBroken`. */
export async function cleanWebp(file: Buffer): Promise<Buffer> {
  const size = 8 + file.readUInt32LE(4);
  if (size > file.length) refuseBroken("it ends before the picture does");
  const chunks = chunksOf(file.subarray(12, size));
  const header = chunks.find(({ type }) => type === "VP8X")?.data;
  if (header && header.length < 10) refuseBroken("its header is damaged");
  if (header && (header[0]! & IS_ANIMATED) !== 0) return await cleanAnimation(header, chunks);
  const picture = await encodeAgain(chunks);
  return picture.length === 1 ? toFile(picture) : toFile([extendedHeader(picture), ...picture]);
}

async function cleanAnimation(header: Buffer, chunks: Chunk[]): Promise<Buffer> {
  const [width, height] = [header.readUIntLE(4, 3) + 1, header.readUIntLE(7, 3) + 1];
  const frames = chunks.filter(({ type }) => type === "ANMF");
  if (frames.length === 0) refuseBroken("there is no picture in it");
  assertSize(width, height, Math.min(frames.length, MAX_FRAMES + 1));
  const background = chunks.find(({ type }) => type === "ANIM")?.data.subarray(0, 6);
  if (background?.length !== 6) return refuseBroken("its header is damaged");
  const flags = Buffer.alloc(4);
  flags[0] = IS_ANIMATED | (header[0]! & HAS_ALPHA);
  const made: Chunk[] = [
    { type: "VP8X", data: Buffer.concat([flags, header.subarray(4, 10)]) },
    { type: "ANIM", data: background },
  ];
  for (const { data } of frames) made.push({ type: "ANMF", data: await cleanFrame(data, width, height) });
  return toFile(made);
}

/** A frame: its place, its size, its time, how it goes over the one before it, and its picture. */
async function cleanFrame(frame: Buffer, width: number, height: number): Promise<Buffer> {
  if (frame.length < FRAME_HEADER_BYTES) refuseBroken("it ends before the picture does");
  const [left, top] = [2 * frame.readUIntLE(0, 3), 2 * frame.readUIntLE(3, 3)];
  const [across, down] = [frame.readUIntLE(6, 3) + 1, frame.readUIntLE(9, 3) + 1];
  if (left + across > width || top + down > height) refuseBroken("one of its frames is too large");
  const picture = await encodeAgain(chunksOf(frame.subarray(FRAME_HEADER_BYTES)), [across, down]);
  const head = Buffer.from(frame.subarray(0, FRAME_HEADER_BYTES));
  head[15]! &= 0x03;
  return Buffer.concat([head, ...picture.flatMap(toBytes)]);
}

/** One picture, with its transparency before it. Refuses one that is not as large as it has to be. */
async function encodeAgain(chunks: Chunk[], expected?: [width: number, height: number]): Promise<Chunk[]> {
  const given = chunks.filter(({ type }) => PICTURE.has(type));
  const isLossless = given.some(({ type }) => type === "VP8L");
  const parts = given.length > 1 ? [extendedHeader(given), ...given] : given;
  const image = new Bun.Image(toFile(parts), { maxPixels: MAX_PIXELS });
  const { width, height } = await image.metadata();
  assertSize(width, height);
  if (expected && (width !== expected[0] || height !== expected[1])) {
    refuseBroken("one of its frames has another size than it says");
  }
  const made = await image.webp(isLossless ? { lossless: true } : { quality: QUALITY }).bytes();
  return chunksOf(Buffer.from(made).subarray(12)).filter(({ type }) => PICTURE.has(type));
}

/** The header that a picture with transparency beside it needs: with its size, which it says itself. */
function extendedHeader(picture: Chunk[]): Chunk {
  const lossy = picture.find(({ type }) => type === "VP8 ")?.data;
  if (!lossy || lossy.length < 10) return refuseBroken("its header is damaged");
  const data = Buffer.alloc(10);
  data[0] = HAS_ALPHA;
  data.writeUIntLE((lossy.readUInt16LE(6) & 0x3fff) - 1, 4, 3);
  data.writeUIntLE((lossy.readUInt16LE(8) & 0x3fff) - 1, 7, 3);
  return { type: "VP8X", data };
}

function chunksOf(bytes: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = 0; at < bytes.length;) {
    if (at + 8 > bytes.length) refuseBroken("it ends before the picture does");
    const end = at + 8 + bytes.readUInt32LE(at + 4);
    if (end > bytes.length) refuseBroken("it ends before the picture does");
    chunks.push({ type: bytes.toString("latin1", at, at + 4), data: bytes.subarray(at + 8, end) });
    at = end + (end % 2 === at % 2 ? 0 : 1);
  }
  return chunks;
}

function toFile(chunks: Chunk[]): Buffer {
  const body = Buffer.concat([Buffer.from("WEBP", "latin1"), ...chunks.flatMap(toBytes)]);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(body.length);
  return Buffer.concat([Buffer.from("RIFF", "latin1"), size, body]);
}

function toBytes({ type, data }: Chunk): Buffer[] {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(data.length);
  return [Buffer.from(type, "latin1"), length, data, Buffer.alloc(data.length % 2)];
}
