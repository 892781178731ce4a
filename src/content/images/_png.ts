// A PNG is unpacked and packed again without loss: the colours of a logo must stay what they are. Not by way of
// Bun.Image, which makes four bytes of every pixel, and so several times as much of an image with a palette.
import { crc32, deflateSync, inflateSync } from "node:zlib";
import { assertSize, refuseBroken } from "./_faults.ts";

const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
/** What belongs to the picture; of the rest, colour profiles and texts, nothing is kept. */
const KEPT = new Set(["PLTE", "tRNS"]);
/** The first letter of a chunk that nobody may pass over is a capital. */
const ESSENTIAL = new Set(["IHDR", "PLTE", "IDAT", "IEND"]);
/** Values of a pixel, by colour type, and how many bits each may have. */
const COLOUR_TYPES: Record<number, { values: number; bits: number[] }> = {
  0: { values: 1, bits: [1, 2, 4, 8, 16] },
  2: { values: 3, bits: [8, 16] },
  3: { values: 1, bits: [1, 2, 4, 8] },
  4: { values: 2, bits: [8, 16] },
  6: { values: 4, bits: [8, 16] },
};
const PALETTE = 3;
/** The seven pictures that an interlaced one consists of: where each begins, and its steps, across and down. */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

interface Chunk {
  type: string;
  data: Buffer;
}

/** The same picture in a new file. Throws by `refuseBroken`; an animated one is refused, since it would stand still. */
export function cleanPng(file: Buffer): Buffer {
  const chunks = chunksOf(file);
  const header = chunks[0]?.type === "IHDR" ? chunks[0].data : refuseBroken("it has no header");
  const rows = rowsOf(header);
  if (chunks.some(({ type }) => type === "acTL")) {
    refuseBroken("it is an animated PNG, which few mail programs show: make a GIF of it");
  }
  const kept = chunks.filter(({ type }) => KEPT.has(type));
  assertPalette(header, kept);
  const packed = chunks.filter(({ type }) => type === "IDAT").map(({ data }) => data);
  return Buffer.concat([
    SIGNATURE,
    ...toBytes("IHDR", header),
    ...kept.flatMap(({ type, data }) => toBytes(type, data)),
    ...toBytes("IDAT", deflateSync(unpack(Buffer.concat(packed), rows))),
    ...toBytes("IEND", Buffer.alloc(0)),
  ]);
}

/** The chunks up to the end of the picture; what follows is left out. */
function chunksOf(file: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE.length; at + 12 <= file.length;) {
    const end = at + 12 + file.readUInt32BE(at);
    if (end > file.length) break;
    const type = file.toString("latin1", at + 4, at + 8);
    if (crc32(file.subarray(at + 4, end - 4)) !== file.readUInt32BE(end - 4)) {
      refuseBroken("its checksums are wrong");
    }
    if (/^[A-Z]/.test(type) && !ESSENTIAL.has(type)) refuseBroken("it holds what no PNG has");
    chunks.push({ type, data: file.subarray(at + 8, end - 4) });
    if (type === "IEND") return chunks;
    at = end;
  }
  return refuseBroken("it ends before the picture does");
}

/** How long each of its rows is, in bytes, with the byte before it that says how it is stored. */
function rowsOf(header: Buffer): { length: number; count: number }[] {
  if (header.length !== 13) refuseBroken("its header is damaged");
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [bits, colourType, compression, filter, interlaced] = header.subarray(8);
  const type = COLOUR_TYPES[colourType!];
  if (!type?.bits.includes(bits!) || compression !== 0 || filter !== 0 || interlaced! > 1) {
    return refuseBroken("its header is damaged");
  }
  assertSize(width, height);
  const rows = (interlaced === 1 ? PASSES : [[0, 0, 1, 1] as const])
    .map(([left, top, across, down]) => ({
      pixels: Math.max(0, Math.ceil((width - left) / across)),
      count: Math.max(0, Math.ceil((height - top) / down)),
    }))
    .filter(({ pixels, count }) => pixels > 0 && count > 0);
  return rows.map(({ pixels, count }) => ({
    length: 1 + Math.ceil((pixels * type.values * bits!) / 8),
    count,
  }));
}

function assertPalette(header: Buffer, kept: Chunk[]): void {
  const palettes = kept.filter(({ type }) => type === "PLTE");
  const isFit = palettes.every(({ data }) => data.length % 3 === 0 && data.length <= 768 && data.length > 0);
  const isNeeded = header[9] === PALETTE;
  const isFew = kept.length - palettes.length <= 1 && palettes.length <= 1;
  const isSmall = kept.every(({ data }) => data.length <= 768);
  if (!isFit || !isFew || !isSmall || (isNeeded && palettes.length === 0)) {
    refuseBroken("its colours are damaged");
  }
}

function unpack(packed: Buffer, rows: { length: number; count: number }[]): Buffer {
  const size = rows.reduce((sum, { length, count }) => sum + length * count, 0);
  let raw: Buffer;
  try {
    raw = inflateSync(packed, { maxOutputLength: size });
  } catch {
    return refuseBroken("its pixels are damaged");
  }
  if (raw.length !== size) refuseBroken("it ends before the picture does");
  let at = 0;
  for (const { length, count } of rows) {
    for (let row = 0; row < count; row++, at += length) {
      if (raw[at]! > 4) refuseBroken("its pixels are damaged");
    }
  }
  return raw;
}

function toBytes(type: string, data: Buffer): Buffer[] {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return [length, body, checksum];
}
