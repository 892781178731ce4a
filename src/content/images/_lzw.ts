// The compression of GIF (Lempel, Ziv, Welch), both ways.
import { refuseBroken } from "./_faults.ts";

const MAX_CODES = 4096;
const NOTHING = 0xffff;

/** The `count` indices that are packed in `data`; what follows on them is left out. */
export function unpackLzw(data: Uint8Array, depth: number, count: number): Uint8Array {
  const clear = 1 << depth;
  const out = new Uint8Array(count);
  // A code stands for bytes that were written before: where they begin, and how many they are.
  const starts = new Uint32Array(MAX_CODES);
  const lengths = new Uint32Array(MAX_CODES);
  let [written, next, width, at, bits, held] = [0, clear + 2, depth + 1, 0, 0, 0];
  let before = -1;
  let beforeLength = 0;
  while (written < count) {
    while (bits < width) {
      if (at === data.length) refuseBroken("it ends before the picture does");
      held |= data[at++]! << bits;
      bits += 8;
    }
    const code = held & ((1 << width) - 1);
    held >>>= width;
    bits -= width;
    if (code === clear) {
      [next, width, before] = [clear + 2, depth + 1, -1];
      continue;
    }
    if (code === clear + 1) refuseBroken("it ends before the picture does");
    if (code > clear && before === -1) refuseBroken("its pixels are damaged");
    if (before !== -1 && next < MAX_CODES) {
      starts[next] = before;
      lengths[next] = beforeLength + 1;
      next += 1;
      if (next === 1 << width && width < 12) width += 1;
    }
    if (code >= next) refuseBroken("its pixels are damaged");
    before = written;
    if (code < clear) {
      out[written++] = code;
      beforeLength = 1;
      continue;
    }
    beforeLength = lengths[code]!;
    const from = starts[code]!;
    const end = Math.min(written + beforeLength, count);
    // Byte by byte: the last one may be the first one of what is being written.
    for (let i = from; written < end;) out[written++] = out[i++]!;
  }
  return out;
}

/** Packs indices that have `depth` bits each. */
export function packLzw(indices: Uint8Array, depth: number): Uint8Array {
  const clear = 1 << depth;
  // The code for what a code stands for and one index more.
  const codes = new Uint16Array(MAX_CODES << depth).fill(NOTHING);
  const bits = newBits(indices.length);
  let next = clear + 2;
  let width = depth + 1;
  bits.write(clear, width);
  let code = indices[0]!;
  for (let i = 1; i < indices.length; i++) {
    const place = (code << depth) | indices[i]!;
    if (codes[place] !== NOTHING) {
      code = codes[place]!;
      continue;
    }
    bits.write(code, width);
    code = indices[i]!;
    if (next < MAX_CODES) {
      codes[place] = next;
      if (next === 1 << width) width += 1;
      next += 1;
      continue;
    }
    bits.write(clear, width);
    codes.fill(NOTHING);
    [next, width] = [clear + 2, depth + 1];
  }
  bits.write(code, width);
  if (next === 1 << width && width < 12) width += 1;
  bits.write(clear + 1, width);
  return bits.end();
}

/** Takes codes, lowest bit first. */
function newBits(expected: number) {
  let out = new Uint8Array(Math.max(64, expected >> 1));
  let [length, held, count] = [0, 0, 0];
  const put = (byte: number) => {
    if (length === out.length) {
      const larger = new Uint8Array(out.length * 2);
      larger.set(out);
      out = larger;
    }
    out[length++] = byte;
  };
  return {
    write(code: number, width: number) {
      held |= code << count;
      for (count += width; count >= 8; count -= 8) {
        put(held & 0xff);
        held >>>= 8;
      }
    },
    end() {
      if (count > 0) put(held);
      return out.subarray(0, length);
    },
  };
}
