// A GIF, animated or not, is unpacked and packed again without loss. Kept are its size, its colours, the times and ways
// of its frames, and how often they are repeated; comments, other extensions and whatever follows its end are left out.
import { assertSize, MAX_FRAMES, refuseBroken } from "./_faults.ts";
import { packLzw, unpackLzw } from "./_lzw.ts";

const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
const CONTROL = 0xf9;
const APPLICATION = 0xff;
const MAX_BLOCK = 255;

interface Frame {
  /** Times, transparency, and what becomes of it: 4 bytes, or none. */
  control: Buffer | null;
  left: number;
  top: number;
  width: number;
  height: number;
  interlaced: boolean;
  /** Of its own, else empty. */
  colours: Buffer;
  depth: number;
  packed: Buffer;
}

interface Gif {
  width: number;
  height: number;
  colours: Buffer;
  /** How often it is repeated, 0 without end; null for once. */
  loops: number | null;
  frames: Frame[];
}

/** The same pictures in a new file. Throws by `refuseBroken`. */
export function cleanGif(file: Buffer): Buffer {
  const gif = readGif(file);
  const parts = [headerOf(gif)];
  if (gif.loops !== null) parts.push(loopsOf(gif.loops));
  for (const frame of gif.frames) parts.push(...partsOf(frame));
  return Buffer.concat([...parts, Buffer.of(TRAILER)]);
}

/** Takes a file apart; nothing is unpacked yet. */
function readGif(file: Buffer): Gif {
  const read = newReader(file, 6);
  const [width, height, flags] = [read.word(), read.word(), read.byte()];
  read.bytes(2);
  const gif: Gif = { width, height, colours: coloursOf(read, flags), loops: null, frames: [] };
  let control: Buffer | null = null;
  for (;;) {
    const kind = read.byte();
    if (kind === TRAILER) break;
    if (kind === IMAGE) {
      gif.frames.push(readFrame(read, control));
      if (gif.frames.length > MAX_FRAMES) assertSize(width, height, gif.frames.length);
      control = null;
    } else if (kind === EXTENSION) {
      const label = read.byte();
      const data = read.blocks();
      if (label === CONTROL && data.length === 4) control = data;
      else if (label === APPLICATION) gif.loops ??= loopsIn(data);
    } else refuseBroken("its structure is damaged");
  }
  if (gif.frames.length === 0) refuseBroken("there is no picture in it");
  assertFrames(gif);
  return gif;
}

function readFrame(read: Reader, control: Buffer | null): Frame {
  const [left, top, width, height] = [read.word(), read.word(), read.word(), read.word()];
  const flags = read.byte();
  const colours = coloursOf(read, flags);
  const depth = read.byte();
  if (depth < 2 || depth > 8) refuseBroken("its pixels are damaged");
  const interlaced = (flags & 0x40) !== 0;
  return { control, left, top, width, height, interlaced, colours, depth, packed: read.blocks() };
}

/** Frames may reach beyond the picture, as little as that makes sense: so they count as much as they take. */
function assertFrames({ width, height, colours, frames }: Gif): void {
  assertSize(width, height, frames.length);
  const right = Math.max(width, ...frames.map((frame) => frame.left + frame.width));
  const bottom = Math.max(height, ...frames.map((frame) => frame.top + frame.height));
  assertSize(right, bottom, frames.length);
  for (const frame of frames) {
    if (frame.width < 1 || frame.height < 1) refuseBroken("one of its frames has no pixels");
    if (colours.length + frame.colours.length === 0) refuseBroken("it has no colours");
  }
}

function headerOf({ width, height, colours }: Gif): Buffer {
  const header = Buffer.alloc(13);
  header.write("GIF89a", "latin1");
  header.writeUInt16LE(width, 6);
  header.writeUInt16LE(height, 8);
  // 8 bits for each of the three colours.
  header[10] = 0x70 | tableFlags(colours);
  return Buffer.concat([header, colours]);
}

function loopsOf(loops: number): Buffer {
  const count = Buffer.alloc(2);
  count.writeUInt16LE(loops);
  const name = Buffer.from("NETSCAPE2.0", "latin1");
  return Buffer.concat([Buffer.of(EXTENSION, APPLICATION, 11), name, Buffer.of(3, 1), count, Buffer.of(0)]);
}

function loopsIn(data: Buffer): number | null {
  const name = data.toString("latin1", 0, 11);
  const isLoop = (name === "NETSCAPE2.0" || name === "ANIMEXTS1.0") && data.length >= 14 && data[11] === 1;
  return isLoop ? data.readUInt16LE(12) : null;
}

function partsOf({ control, left, top, width, height, interlaced, colours, depth, packed }: Frame): Buffer[] {
  const head = Buffer.alloc(10);
  head[0] = IMAGE;
  for (const [i, value] of [left, top, width, height].entries()) head.writeUInt16LE(value, 1 + 2 * i);
  head[9] = tableFlags(colours) | (interlaced ? 0x40 : 0);
  const pixels = packLzw(unpackLzw(packed, depth, width * height), depth);
  return [
    ...(control ? [controlOf(control)] : []),
    head,
    colours,
    Buffer.of(depth),
    ...inBlocks(pixels),
    Buffer.of(0),
  ];
}

/** What is kept of it: disposal, whether there is a transparent colour, the time, and that colour. */
function controlOf(control: Buffer): Buffer {
  return Buffer.concat([
    Buffer.of(EXTENSION, CONTROL, 4, control[0]! & 0x1d),
    control.subarray(1, 4),
    Buffer.of(0),
  ]);
}

function* inBlocks(data: Uint8Array): Generator<Buffer> {
  for (let at = 0; at < data.length; at += MAX_BLOCK) {
    const block = data.subarray(at, at + MAX_BLOCK);
    yield Buffer.of(block.length);
    yield Buffer.from(block.buffer, block.byteOffset, block.length);
  }
}

function tableFlags(colours: Buffer): number {
  return colours.length === 0 ? 0 : 0x80 | (Math.log2(colours.length / 3) - 1);
}

function coloursOf(read: Reader, flags: number): Buffer {
  return read.bytes((flags & 0x80) === 0 ? 0 : 3 << ((flags & 0x07) + 1));
}

type Reader = ReturnType<typeof newReader>;

/** Reads one thing after another. Refuses a file that ends in the middle. */
function newReader(file: Buffer, from: number) {
  let at = from;
  const bytes = (count: number): Buffer => {
    if (at + count > file.length) refuseBroken("it ends before the picture does");
    return file.subarray(at, (at += count));
  };
  const byte = () => bytes(1)[0]!;
  return {
    bytes,
    byte,
    word: () => bytes(2).readUInt16LE(),
    /** Blocks up to the empty one, together. */
    blocks(): Buffer {
      const parts: Buffer[] = [];
      for (let length = byte(); length > 0; length = byte()) parts.push(bytes(length));
      return Buffer.concat(parts);
    },
  };
}
