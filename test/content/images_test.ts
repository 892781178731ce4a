import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import type { Program } from "../../src/content/child_process.ts";
import { answerTo } from "../../src/content/images/_child.ts";
import { cleanImage } from "../../src/content/images/_process.ts";
import { imageKindOf } from "../../src/content/images/_kinds.ts";
import { Problem } from "../../src/problem/mod.ts";
import { CHROMIUM, noChromium } from "../support/chromium.ts";
import {
  animatedWebp,
  cmykJpeg,
  decode,
  exif,
  gif,
  GIF_LOOPS,
  gifExtension,
  jpeg,
  jpegSegment,
  PAYLOAD,
  png,
  pngChunk,
  webpChunk,
  webpFile,
  withSegments,
} from "../support/images.ts";
import { startImageDecoder } from "../support/image_decoder.ts";

type File = Buffer<ArrayBuffer>;
const ZIP = Buffer.from(`PK\x03\x04 a.php ${PAYLOAD} PK\x05\x06`, "latin1");
const ICC = profile();

/** By a process of its own, as the service does. */
const clean = (file: Buffer) => cleanImage("project", file as File);
/** The program in this process: what takes time is the start of another one. */
const here: Program = async (_owner, file) => await answerTo(Buffer.from(file as File));
const cleanHere = (file: Buffer) => cleanImage("project", file as File, here);

/** The status of the refusal, and what it says. */
const refusal = async (file: Buffer, by = clean): Promise<[number, string]> => {
  const problem = await by(file).then(
    () => null,
    (error: unknown) => error,
  );
  expect(problem).toBeInstanceOf(Problem);
  return [(problem as Problem).status, (problem as Problem).message];
};

/** A colour profile that is sound as far as decoders look, and has something else in it. */
function profile(): Buffer {
  const data = Buffer.alloc(200);
  data.writeUInt32BE(data.length);
  for (const [at, text] of [
    [12, "mntrRGB XYZ "],
    [36, "acsp"],
    [130, PAYLOAD],
  ] as const)
    data.write(text, at);
  return data;
}

const webp = async (options: { quality: number } | { lossless: true }, image = png(40, 20)) =>
  Buffer.from(await new Bun.Image(image).webp(options).bytes());

/** The same picture as each kind of file, with everything in it that does not belong to the picture. */
const stuffed: Record<string, () => Promise<Buffer>> = {
  JPEG: async () =>
    Buffer.concat([
      withSegments(
        await jpeg(40, 20),
        jpegSegment(0xe1, exif(1)),
        jpegSegment(0xe1, `http://ns.adobe.com/xap/1.0/\0${PAYLOAD}`),
        jpegSegment(0xe2, Buffer.concat([Buffer.from("ICC_PROFILE\0\x01\x01"), ICC])),
        jpegSegment(0xed, `Photoshop 3.0\0${PAYLOAD}`),
        jpegSegment(0xfe, PAYLOAD),
      ),
      ZIP,
    ]),
  PNG: async () =>
    Buffer.concat([
      png(40, 20, undefined, {
        chunks: [
          pngChunk("iCCP", Buffer.concat([Buffer.from("x\0\0"), deflateSync(ICC)])),
          pngChunk("tEXt", `Comment\0${PAYLOAD}`),
          pngChunk("eXIf", exif(1).subarray(6)),
          pngChunk("prVt", PAYLOAD),
        ],
      }),
      ZIP,
    ]),
  GIF: async () =>
    Buffer.concat([
      gif(
        40,
        20,
        [{ width: 40, height: 20, colour: 2 }],
        [
          gifExtension(0xfe, `*/=1;alert(1);/*${PAYLOAD}`),
          gifExtension(0x01, PAYLOAD),
          gifExtension(0xff, `XMP DataXMP${PAYLOAD}`),
        ],
      ),
      ZIP,
    ]),
  WebP: async () => {
    const [header, picture] = [Buffer.from([0x2c, 0, 0, 0, 39, 0, 0, 19, 0, 0]), await webp({ quality: 90 })];
    return Buffer.concat([
      webpFile(
        webpChunk("VP8X", header),
        webpChunk("ICCP", ICC),
        picture.subarray(12),
        webpChunk("EXIF", exif(1).subarray(6)),
        webpChunk("XMP ", PAYLOAD),
        webpChunk("PHP!", PAYLOAD),
      ),
      ZIP,
    ]);
  },
};

describe("an image", () => {
  test.each(Object.entries(stuffed))(
    "%s keeps its picture, and loses whatever else was in the file",
    async (_, make) => {
      const file = await make();
      const made = await clean(file);
      const { width, height } = await new Bun.Image(made).metadata();

      expect(file.includes("<?php")).toBe(true);
      expect(imageKindOf(made)).toBe(imageKindOf(file)!);
      expect([width, height]).toEqual([40, 20]);
      for (const trace of [
        "php",
        "script",
        "alert",
        "GPS",
        "Exif",
        "PK\x03\x04",
        "ICC",
        "iCCP",
        "XMP",
        "Adobe",
      ]) {
        expect([trace, made.includes(trace)]).toEqual([trace, false]);
      }
      // Nothing is left that it would lose when it is uploaded again.
      expect((await cleanHere(made)).length).toBeLessThanOrEqual(made.length + 64);
    },
  );

  test.each(Object.entries(stuffed))(
    "%s that was cut off is refused, wherever it ends",
    async (kind, make) => {
      const file = (await make()).subarray(0, -ZIP.length);
      const whole = kind === "WebP" ? file.length : file.length - (kind === "PNG" ? 12 : 1);
      for (const part of [0.1, 0.5, 0.8, 0.99]) {
        const cut = file.subarray(0, Math.max(20, Math.floor(whole * part)));
        const [status, message] = await refusal(cut, cleanHere);
        expect([part, status, message]).toEqual([
          part,
          422,
          expect.stringMatching(/^Cannot read the file: it /),
        ]);
      }
    },
  );

  test.each([
    ["PNG", async () => png(50_000, 50_000, undefined, { raw: Buffer.alloc(1000) }), "50000 × 50000"],
    [
      "PNG of a long line",
      async () => png(1_000_000, 1, undefined, { raw: Buffer.alloc(1000) }),
      "1000000 × 1",
    ],
    [
      "PNG of 64 million pixels",
      async () => png(8000, 8000, undefined, { raw: Buffer.alloc(1000) }),
      "50 million",
    ],
    ["JPEG", async () => resized(await jpeg(40, 20), 65_000), "65000 × 65000"],
    ["WebP", async () => resizedWebp(await webp({ quality: 90 })), "16383 × 16383"],
    ["GIF", async () => gif(60_000, 60_000, [{ width: 1, height: 1, colour: 1 }]), "60000 × 60000"],
    ["GIF by its frame", async () => gif(1, 1, [{ width: 30_000, height: 1, colour: 1 }]), "30000 × 1"],
    ["GIF of thousands of frames", async () => gif(9, 9, frames(5_000)), "more than 1000 frames"],
    ["GIF of large frames", async () => gif(1_000, 1_000, frames(200)), "100 million pixels"],
    ["WebP of large frames", async () => largeAnimation(), "100 million pixels"],
  ])("that is a bomb is refused before it is unpacked: %s", async (_, make, words) => {
    expect(await refusal(await make())).toEqual([413, expect.stringContaining(words)]);
  });

  test("that holds more pixels than its header says gets no larger by them", async () => {
    const made = await clean(png(10, 10, undefined, { raw: Buffer.alloc(300_000_000) }));

    expect(await new Bun.Image(made).metadata()).toMatchObject({ width: 10, height: 10 });
    expect(made.length).toBeLessThan(1_000);
  });

  test.each([
    ["a PNG without pixels", () => png(10, 10, undefined, { raw: Buffer.alloc(10) })],
    ["a PNG of no width", () => png(0, 10)],
    ["a PNG with a palette that is not there", () => png(4, 4, () => [0], { colourType: 3 })],
    ["a PNG with a wrong checksum", () => flipped(png(10, 10), 40)],
    ["an animated PNG", () => png(4, 4, undefined, { chunks: [pngChunk("acTL", Buffer.alloc(8))] })],
    ["a GIF without frames", () => gif(4, 4, [])],
    ["a WebP without a picture", () => webpFile(webpChunk("VP8L", Buffer.alloc(20)))],
    ["a JPEG of nothing", () => Buffer.concat([Buffer.of(0xff, 0xd8, 0xff, 0xd9), Buffer.alloc(20)])],
  ])("that is damaged is refused: %s", async (_, make) => {
    const expected = [422, expect.stringMatching(/^Cannot read the file: \w/)];
    expect(await refusal(make(), cleanHere)).toEqual(expected as never);
  });

  test("never ends in anything but an image or a refusal, whatever its bytes are", async () => {
    let seed = 7;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const ends = { clean: 0, refused: 0 };
    for (const make of [...Object.values(stuffed), () => animatedWebp([[9, 9, 9]])]) {
      const file = await make();
      for (let round = 0; round < 6; round++) {
        const changed = Buffer.from(file);
        for (let i = 0; i < 3; i++) changed[16 + random(changed.length - 16)] = random(256);
        const end = await (round === 0 ? clean : cleanHere)(changed).catch((error: unknown) => error);
        if (end instanceof Problem) ends.refused += 1;
        else if (imageKindOf(end as Buffer) === imageKindOf(file)) ends.clean += 1;
        else throw end;
      }
    }

    expect(ends.clean + ends.refused).toBe(30);
    expect(ends.clean).toBeGreaterThan(0);
  }, 240_000);
});

function flipped(file: Buffer, at: number): Buffer {
  file[at]! ^= 1;
  return file;
}

function frames(count: number) {
  return Array.from({ length: count }, () => ({ width: 9, height: 9, colour: 1 }));
}

/** Says another size in its header. */
function resized(image: Buffer, side: number): Buffer {
  const at = image.indexOf(Buffer.of(0xff, 0xc0));
  image.writeUInt16BE(side, at + 5);
  image.writeUInt16BE(side, at + 7);
  return image;
}

function resizedWebp(image: Buffer): Buffer {
  image.writeUInt16LE(16_383, 26);
  image.writeUInt16LE(16_383, 28);
  return image;
}

/** 200 frames of a megapixel of one colour each. */
async function largeAnimation(): Promise<Buffer> {
  const picture = await webp(
    { lossless: true },
    png(1_000, 1_000, () => [9, 9, 9]),
  );
  const header = Buffer.alloc(10);
  header[0] = 2;
  header.writeUIntLE(999, 4, 3);
  header.writeUIntLE(999, 7, 3);
  const place = Buffer.alloc(16);
  place.writeUIntLE(999, 6, 3);
  place.writeUIntLE(999, 9, 3);
  const frame = webpChunk("ANMF", Buffer.concat([place, picture.subarray(12)]));
  return webpFile(
    webpChunk("VP8X", header),
    webpChunk("ANIM", Buffer.alloc(6)),
    ...Array<Buffer>(200).fill(frame),
  );
}

test("without the encoder's package nothing is encoded, and the reason is told", async () => {
  const folder = mkdtempSync(join(tmpdir(), "postrider-images-"));
  cpSync(new URL("../../src/content/images", import.meta.url).pathname, folder, { recursive: true });
  const program = Bun.spawn([process.execPath, "--no-install", join(folder, "_child.ts")], {
    cwd: "/",
    env: {},
    stdin: new Blob([png(4, 4) as File]),
    stdout: "pipe",
  });
  const answer = await new Response(program.stdout).text();
  rmSync(folder, { recursive: true });

  expect(answer).toBe('{"refusal":"no encoder"}\n');
});

describe("a JPEG", () => {
  // Left red, right blue: where the camera was held otherwise, the red side is elsewhere.
  test.each<[number, number, number, [number, number], [number, number]]>([
    [1, 32, 16, [2, 8], [29, 8]],
    [3, 32, 16, [29, 8], [2, 8]],
    [6, 16, 32, [8, 2], [8, 29]],
    [8, 16, 32, [8, 29], [8, 2]],
  ])(
    "with the orientation %i in its EXIF is the right way up without it",
    async (orientation, ...expected) => {
      const [width, height, red, blue] = expected;
      const upright = await jpeg(32, 16, (x) => (x < 16 ? [255, 0, 0] : [0, 0, 255]));
      const made = await cleanHere(withSegments(upright, jpegSegment(0xe1, exif(orientation))));

      expect(made.includes("Exif")).toBe(false);
      expect(await new Bun.Image(made).metadata()).toMatchObject({ width, height });
      expect(await colourAt(made, ...red)).toEqual("red");
      expect(await colourAt(made, ...blue)).toEqual("blue");
    },
  );

  test.each([
    ["white", [255, 255, 255, 255], [255, 255, 255]],
    ["red", [255, 0, 0, 255], [232, 0, 0]],
    ["blue", [0, 0, 255, 255], [32, 6, 116]],
    ["black", [0, 0, 0, 0], [0, 0, 0]],
  ] as const)(
    "in CMYK becomes one that every mail program shows: %s, as ink has it",
    async (_, ink, light) => {
      const made = await cleanHere(cmykJpeg([...ink]));
      const shown = (await decode(made)).at(4, 4);

      for (const [i, value] of light.entries()) expect(Math.abs(shown[i]! - value)).toBeLessThan(12);
      // Three values a pixel: luminance and colour.
      expect(made[made.indexOf(Buffer.of(0xff, 0xc0)) + 9]).toBe(3);
    },
  );
});

/** The name of the colour that is nearest to the one at a place. */
async function colourAt(image: Buffer, x: number, y: number): Promise<string> {
  const found = (await decode(image)).at(x, y);
  const distance = (rgb: number[]) => rgb.reduce((sum, value, i) => sum + Math.abs(value - found[i]!), 0);
  const names = Object.entries({ red: [255, 0, 0], blue: [0, 0, 255] });
  return names.toSorted(([, a], [, b]) => distance(a) - distance(b))[0]![0];
}

/** The pixels of a picture, those that cannot be seen without a colour. */
async function seenPixels(image: Buffer): Promise<Buffer> {
  const { rgba } = await decode(image);
  for (let at = 0; at < rgba.length; at += 4) if (rgba[at + 3] === 0) rgba.fill(0, at, at + 3);
  return rgba;
}

describe("a PNG", () => {
  const colours = (seed: number) => Array.from({ length: 768 }, (_, i) => ((i + seed) * (37 + seed)) & 255);
  const paletteOf = (seed: number) => pngChunk("PLTE", Buffer.from(colours(seed)));
  const palette = paletteOf(0);
  const alpha = pngChunk("tRNS", Buffer.from(Array.from({ length: 256 }, (_, i) => 255 - i)));
  const indexed = (seed: number, ...chunks: Buffer[]) =>
    png(70, 30, (x, y) => [(x * y + seed * x) & 255], {
      colourType: 3,
      chunks: [paletteOf(seed), ...chunks],
    });

  test.each([
    ["of 16 million colours", () => png(70, 30)],
    ["with transparency", () => png(70, 30, (x, y) => [x, y, 9, (x * y) & 255], { colourType: 6 })],
    ...[0, 1, 2, 3, 4].map((seed) => [`with palette ${seed}`, () => indexed(seed)] as const),
    ...[0, 1, 2, 3, 4].map(
      (seed) => [`with palette ${seed} and transparency`, () => indexed(seed, alpha)] as const,
    ),
  ])("%s looks the very same afterwards", async (_, make) => {
    const made = await cleanHere(make());

    expect((await seenPixels(made)).equals(await seenPixels(make()))).toBe(true);
  });

  test("with a palette stays as small as it was", async () => {
    const file = png(200, 200, (x, y) => [((x * y) >> 3) & 255], { colourType: 3, chunks: [palette] });

    expect((await cleanHere(file)).length).toBeLessThanOrEqual(file.length * 1.05);
  });

  test("that is interlaced stays interlaced, every pass of it", async () => {
    // Of 5 × 3 pixels: its passes are 1 × 1, 1 × 1, nothing, 1 × 1, 3 × 1, 2 × 2 and 5 × 1.
    const rows = [1, 1, 1, 3, 2, 2, 5].map((pixels) => [0, ...Array<number>(pixels * 3).fill(pixels * 40)]);
    const file = png(5, 3, undefined, { interlaced: true, raw: Buffer.from(rows.flat()) });
    const made = await cleanHere(file);

    expect(made[28]).toBe(1);
    expect((await decode(made)).rgba.equals((await decode(file)).rgba)).toBe(true);
  });
});

describe("a WebP", () => {
  test("without losses has the very same pixels afterwards", async () => {
    const file = await webp({ lossless: true });

    expect((await decode(await cleanHere(file))).rgba.equals((await decode(file)).rgba)).toBe(true);
  });

  test("with transparency keeps it", async () => {
    const image = png(40, 20, (x) => [200, 100, 50, x < 20 ? 255 : 0], { colourType: 6 });
    const made = await decode(await cleanHere(await webp({ quality: 90 }, image)));

    expect([made.at(2, 10)[3], made.at(38, 10)[3]]).toEqual([255, 0]);
  });
});

describe.skipIf(!CHROMIUM)(`an animation, as a browser shows it,${noChromium}`, () => {
  let decoder: Awaited<ReturnType<typeof startImageDecoder>>;

  beforeAll(async () => {
    decoder = await startImageDecoder();
  });

  afterAll(async () => {
    await decoder?.stop();
  });

  const places: [number, number][] = [
    [0, 0],
    [3, 3],
    [6, 6],
    [12, 12],
    [15, 15],
  ];

  test("is the same after it was made again: a GIF, with its times, its places and its repetitions", async () => {
    const colours = [9, 9, 9, 200, 100, 0, 0, 0, 90, 7, 7, 7];
    const file = gif(
      16,
      16,
      [
        { width: 16, height: 16, colour: 1, delay: 20 },
        { width: 8, height: 8, left: 2, top: 2, colour: 2, delay: 5 },
        { width: 4, height: 4, left: 10, top: 11, colour: 1, delay: 300, colours },
      ],
      [gifExtension(0xfe, PAYLOAD), GIF_LOOPS],
    );
    const shown = await decoder.show(await clean(file), "image/gif", places);

    expect(shown).toEqual(await decoder.show(file, "image/gif", places));
    expect(shown.frames.map(({ duration }) => duration)).toEqual([200, 50, 3000]);
    expect(shown.repetitions).toBe(7);
    expect(shown.frames[2]!.pixels[3]).toEqual([200, 100, 0, 255]);
  });

  test("is the same after it was made again: a WebP, frame by frame", async () => {
    const colours = [
      [250, 0, 0],
      [0, 250, 0],
      [0, 0, 250],
    ];
    const file = await animatedWebp(colours, webpChunk("EXIF", exif(1)), webpChunk("XMP ", PAYLOAD));
    const made = await clean(Buffer.concat([file, ZIP]));
    const shown = await decoder.show(made, "image/webp", places);

    expect(made.includes("php")).toBe(false);
    expect(shown).toEqual(await decoder.show(file, "image/webp", places));
    expect(shown.frames.map(({ pixels }) => pixels[2]!.slice(0, 3))).toEqual(colours);
  });
});
