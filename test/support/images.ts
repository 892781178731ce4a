// Images for tests, made byte by byte, so that anything can be put into them.
import { crc32, deflateSync, inflateSync } from "node:zlib";

/** What every scanner and every interpreter would notice. */
export const PAYLOAD = "<?php system($_GET[0]); ?><script>alert(1)</script>";

type Pixel = (x: number, y: number) => number[];

/** A chunk of a PNG. */
export function pngChunk(type: string, data: Uint8Array | string): Buffer {
  const body = Buffer.concat([Buffer.from(type), Buffer.from(data as string)]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length - 4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

/** How a PNG differs from a plain one. */
export interface PngOptions {
  /** 2 is RGB, 3 has a palette, 6 is RGBA. */
  colourType?: 2 | 3 | 6;
  interlaced?: boolean;
  /** Chunks before the pixels. */
  chunks?: Buffer[];
  /** Instead of pixels: rows as they are stored. */
  raw?: Buffer;
}

/** A PNG of 8 bits. */
export function png(width: number, height: number, pixel: Pixel = shade, options: PngOptions = {}): Buffer {
  const { colourType = 2, interlaced = false, chunks = [], raw } = options;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, colourType, 0, 0, interlaced ? 1 : 0], 8);
  const rows = () =>
    Array.from({ length: height }, (_, y) => [
      0,
      ...Array.from({ length: width }, (_each, x) => pixel(x, y)).flat(),
    ]);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    pngChunk("IHDR", header),
    ...chunks,
    pngChunk("IDAT", deflateSync(raw ?? Buffer.from(rows().flat()))),
    pngChunk("IEND", ""),
  ]);
}

function shade(x: number, y: number): number[] {
  return [(x * 7) & 255, (y * 5) & 255, (x + y) & 255];
}

/** A picture as it was decoded by the runtime: four bytes a pixel. */
export interface Decoded {
  width: number;
  height: number;
  rgba: Buffer;
  at(x: number, y: number): number[];
}

/** Decodes a picture: by way of a PNG, whose rows are taken apart here. */
export async function decode(image: Uint8Array): Promise<Decoded> {
  const file = Buffer.from(await new Bun.Image(image).png({ compressionLevel: 1 }).bytes());
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  const packed: Buffer[] = [];
  for (let at = 8; at < file.length; at += 12 + file.readUInt32BE(at)) {
    if (file.toString("latin1", at + 4, at + 8) === "IDAT") {
      packed.push(file.subarray(at + 8, at + 8 + file.readUInt32BE(at)));
    }
  }
  const rgba = unfilter(inflateSync(Buffer.concat(packed)), width * 4, height);
  return {
    width,
    height,
    rgba,
    at: (x, y) => [...rgba.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)],
  };
}

function unfilter(raw: Buffer, length: number, rows: number): Buffer {
  const out = Buffer.alloc(length * rows);
  for (let y = 0; y < rows; y++) {
    const filter = raw[y * (length + 1)]!;
    for (let i = 0; i < length; i++) {
      const at = y * length + i;
      const left = i < 4 ? 0 : out[at - 4]!;
      const up = y === 0 ? 0 : out[at - length]!;
      const corner = i < 4 || y === 0 ? 0 : out[at - length - 4]!;
      const estimates = [0, left, up, (left + up) >> 1, paeth(left, up, corner)];
      out[at] = raw[y * (length + 1) + 1 + i]! + estimates[filter]!;
    }
  }
  return out;
}

function paeth(left: number, up: number, corner: number): number {
  const [a, b, c] = [up - corner, left - corner, left + up - 2 * corner].map(Math.abs) as [
    number,
    number,
    number,
  ];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

/** A JPEG of the picture that `png` draws. */
export async function jpeg(width: number, height: number, pixel?: Pixel): Promise<Buffer> {
  return Buffer.from(await new Bun.Image(png(width, height, pixel)).jpeg({ quality: 95 }).bytes());
}

/** A segment of a JPEG. */
export function jpegSegment(marker: number, data: Uint8Array | string): Buffer {
  const body = Buffer.from(data as string);
  return Buffer.concat([Buffer.of(0xff, marker, (body.length + 2) >> 8, (body.length + 2) & 255), body]);
}

/** EXIF with an orientation, and with the words of {@linkcode PAYLOAD} where a camera says where it was. */
export function exif(orientation: number): Buffer {
  const tiff = Buffer.alloc(26);
  tiff.write("MM\0*", "latin1");
  tiff.writeUInt32BE(8, 4);
  tiff.writeUInt16BE(1, 8);
  tiff.writeUInt16BE(0x0112, 10);
  tiff.writeUInt16BE(3, 12);
  tiff.writeUInt32BE(1, 14);
  tiff.writeUInt16BE(orientation, 18);
  return Buffer.concat([Buffer.from("Exif\0\0"), tiff, Buffer.from(`GPS 59.9139 N 10.7522 E ${PAYLOAD}`)]);
}

/** Puts segments behind the start of a JPEG. */
export function withSegments(image: Buffer, ...segments: Buffer[]): Buffer {
  return Buffer.concat([image.subarray(0, 2), ...segments, image.subarray(2)]);
}

/** A JPEG of one colour in CMYK, as printers want it: 8 × 8 pixels with the four values as they are stored. */
export function cmykJpeg(values: [number, number, number, number]): Buffer {
  // A table of one code for each size of a difference: the code is the size, in four bits.
  const differences = [0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ...Array(12).keys()];
  const ends = [1, ...Array<number>(15).fill(0), 0];
  let bits = "";
  for (const value of values) {
    // Quantised by 8: the mean of the block, times 8.
    const difference = value - 128;
    const size = difference === 0 ? 0 : Math.floor(Math.log2(Math.abs(difference))) + 1;
    const code = difference < 0 ? difference + (1 << size) - 1 : difference;
    bits += size.toString(2).padStart(4, "0");
    bits += size === 0 ? "" : code.toString(2).padStart(size, "0");
    bits += "0";
  }
  bits = bits.padEnd(Math.ceil(bits.length / 8) * 8, "1");
  const data = bits.match(/.{8}/g)!.flatMap((byte) => {
    const value = parseInt(byte, 2);
    return value === 255 ? [255, 0] : [value];
  });
  const components = [1, 2, 3, 4];
  return Buffer.concat([
    Buffer.of(0xff, 0xd8),
    jpegSegment(0xee, Buffer.from("Adobe\0\x64\0\0\0\0\0", "latin1")),
    jpegSegment(0xdb, Buffer.of(0, ...Array<number>(64).fill(8))),
    jpegSegment(0xc0, Buffer.of(8, 0, 8, 0, 8, 4, ...components.flatMap((id) => [id, 0x11, 0]))),
    jpegSegment(0xc4, Buffer.of(0x00, ...differences)),
    jpegSegment(0xc4, Buffer.of(0x10, ...ends)),
    jpegSegment(0xda, Buffer.of(4, ...components.flatMap((id) => [id, 0x00]), 0, 63, 0)),
    Buffer.from(data),
    Buffer.of(0xff, 0xd9),
  ]);
}

/** One frame of a GIF, of one colour. */
export interface GifFrame {
  width: number;
  height: number;
  left?: number;
  top?: number;
  /** Index of its colour, of four. */
  colour: number;
  /** In hundredths of a second. */
  delay?: number;
  /** Palette of its own. */
  colours?: number[];
}

const GIF_COLOURS = [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255];

/** A GIF; `extras` are blocks before the first frame. */
export function gif(width: number, height: number, frames: GifFrame[], extras: Buffer[] = []): Buffer {
  const header = Buffer.alloc(13);
  header.write("GIF89a");
  header.writeUInt16LE(width, 6);
  header.writeUInt16LE(height, 8);
  header[10] = 0x91;
  return Buffer.concat([
    header,
    Buffer.from(GIF_COLOURS),
    ...extras,
    ...frames.map(gifFrame),
    Buffer.of(0x3b),
  ]);
}

/** A block of a GIF that says something of a kind. */
export function gifExtension(label: number, data: string): Buffer {
  const blocks = data.match(/[^]{1,255}/g)!.map((part) => [part.length, ...Buffer.from(part, "latin1")]);
  return Buffer.of(0x21, label, ...blocks.flat(), 0);
}

/** Says that a GIF is repeated 7 times. */
export const GIF_LOOPS = Buffer.from("!\xff\x0bNETSCAPE2.0\x03\x01\x07\0\0", "latin1");

function gifFrame({ width, height, left = 0, top = 0, colour, delay = 10, colours = [] }: GifFrame): Buffer {
  const head = Buffer.alloc(10);
  head[0] = 0x2c;
  for (const [i, value] of [left, top, width, height].entries()) head.writeUInt16LE(value, 1 + 2 * i);
  if (colours.length > 0) head[9] = 0x81;
  const pixels = Buffer.from(oneColour(colour, width * height));
  const blocks: Buffer[] = [];
  for (let at = 0; at < pixels.length; at += 255) {
    const block = pixels.subarray(at, at + 255);
    blocks.push(Buffer.of(block.length), block);
  }
  const control = Buffer.of(0x21, 0xf9, 4, 0x04, delay & 255, delay >> 8, 0, 0);
  return Buffer.concat([control, head, Buffer.from(colours), Buffer.of(2), ...blocks, Buffer.of(0)]);
}

/** The codes of an area of one colour: each stands for one pixel more than the one before it. */
function oneColour(colour: number, count: number): number[] {
  const [bytes, clear] = [[] as number[], 4];
  let [held, filled, width, next, left] = [0, 0, 3, clear + 2, count];
  const put = (code: number) => {
    held |= code << filled;
    for (filled += width; filled >= 8; filled -= 8) {
      bytes.push(held & 255);
      held >>>= 8;
    }
  };
  put(clear);
  put(colour);
  left -= 1;
  for (let length = 2; left > 0; length++) {
    if (left < length) length = left;
    if (length === 1) put(colour);
    else put(clear + 2 + length - 2);
    left -= length;
    if (next < 4096) next += 1;
    if (next === 1 << width && width < 12) width += 1;
    if (next === 4096 && left > 0) {
      put(clear);
      [width, next, length] = [3, clear + 2, 1];
      put(colour);
      left -= 1;
    }
  }
  put(clear + 1);
  if (filled > 0) bytes.push(held);
  return bytes;
}

/** A chunk of a WebP. */
export function webpChunk(type: string, data: Uint8Array | string): Buffer {
  const body = Buffer.from(data as string);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.length);
  return Buffer.concat([Buffer.from(type), length, body, Buffer.alloc(body.length % 2)]);
}

/** A WebP of these chunks. */
export function webpFile(...chunks: Buffer[]): Buffer {
  return Buffer.concat([webpChunk("RIFF", Buffer.concat([Buffer.from("WEBP"), ...chunks]))]);
}

/** An animated WebP of 16 × 16 pixels: for each colour a frame of 8 × 8, each further to the right and lower. */
export async function animatedWebp(colours: number[][], ...extras: Buffer[]): Promise<Buffer> {
  const frames: Buffer[] = [];
  for (const [i, colour] of colours.entries()) {
    const picture = await new Bun.Image(png(8, 8, () => colour)).webp({ lossless: true }).bytes();
    const head = Buffer.alloc(16);
    for (const [field, value] of [i, i, 7, 7, 100].entries()) head.writeUIntLE(value, 3 * field, 3);
    frames.push(webpChunk("ANMF", Buffer.concat([head, picture.subarray(12)])));
  }
  const header = Buffer.from([0x02, 0, 0, 0, 15, 0, 0, 15, 0, 0]);
  return webpFile(webpChunk("VP8X", header), webpChunk("ANIM", Buffer.alloc(6)), ...frames, ...extras);
}
