// How large a body can be that its schema lets through: nothing beyond is read, parsed or walked through.
import { Kind, type TSchema } from "@sinclair/typebox";
import type { JsonLimits } from "./json_scan.ts";

/** How large the JSON of a value can be, as it comes in a request. */
export interface Bounds extends JsonLimits {
  bytes: number;
}

/** A `\u00e9` for each: there is no longer way to write what counts as one character or byte. */
const BYTES_A_CHARACTER = 6;
/** Quotes and commas, and the spaces of a body that is indented. */
const BYTES_AROUND_VALUE = 32;
/** For fields that no schema knows: they are ignored, wherever they come from. */
const UNKNOWN: Bounds = { bytes: 8_192, values: 1_000, levels: 64 };
/** No body holds more, whatever its schema says: processing a value takes about a microsecond. */
const MAX_VALUES = 50_000;
const STEP_BYTES = 4_096;
const BYTES_OF_NUMBER = 32;

/** Formats that limit the length by themselves, with room for spaces around them. */
const FORMAT_LENGTHS: Record<string, number> = {
  uuid: 36,
  email: 320,
  "email-or-empty": 320,
  mailbox: 1_000,
};

const BOUNDS = Symbol("bounds");

/**
 * Sets the maximum size of a value whose schema does not give one. `bytes` are those of its shortest JSON, and `values`
 * as many as that can hold, unless given; `escape` is how much longer it can be written.
 */
export function bounded<T extends TSchema>(
  schema: T,
  size: { bytes: number; values?: number; levels?: number; escape?: number },
): T {
  const { bytes, values = bytes / 2, levels = 1, escape = BYTES_A_CHARACTER } = size;
  const bounds: Bounds = { bytes: bytes * escape, values, levels };
  return Object.assign({}, schema, { [BOUNDS]: bounds });
}

/** Text whose length is checked later, with a message of its own. */
export function boundedText<T extends TSchema>(schema: T, characters: number): T {
  return bounded(schema, { bytes: characters, values: 1, levels: 0 });
}

/** A condition tree: 200 filters with any JSON to compare with, which may be nested like that of a contact. */
export const CONDITION_SIZE = { bytes: 786_432, values: 50_000, levels: 100 };

/** The limits of a body that is not used. */
export const IGNORED_BODY: Bounds = { ...UNKNOWN, bytes: 65_536 };

/** The limits of a body with this schema. Throws if it leaves open how large a value may be. */
export function bodyBounds(schema: TSchema): Bounds {
  const known = boundsOf(schema, "body");
  return {
    bytes: Math.ceil((known.bytes + UNKNOWN.bytes) / STEP_BYTES) * STEP_BYTES,
    values: Math.min(Math.ceil(known.values + UNKNOWN.values), MAX_VALUES),
    levels: Math.max(known.levels, UNKNOWN.levels),
  };
}

function boundsOf(schema: TSchema, at: string): Bounds {
  const given = (schema as { [BOUNDS]?: Bounds })[BOUNDS];
  if (given) return given;
  switch (schema[Kind]) {
    case "Object":
      return objectBounds(schema.properties as Record<string, TSchema>, at);
    case "Array": {
      const { bytes, values, levels } = boundsOf(schema.items as TSchema, `${at}[]`);
      const count = numberOf(schema.maxItems, at);
      return { bytes: count * (bytes + BYTES_AROUND_VALUE), values: count * values + 1, levels: levels + 1 };
    }
    case "Union":
      return largest((schema.anyOf as TSchema[]).map((branch) => boundsOf(branch, at)));
    case "String":
      return textBounds(numberOf(schema.maxLength ?? FORMAT_LENGTHS[String(schema.format)], at));
    case "Text":
      // In code points, of which one may be written as two escapes.
      return textBounds(2 * numberOf(schema.maxLength, at));
    case "Words":
      return textBounds(Math.max(...(schema.enum as string[]).map((word) => word.length)));
    case "Boolean":
    case "Integer":
    case "Number":
    case "Null":
      return { bytes: BYTES_OF_NUMBER, values: 1, levels: 0 };
    default:
      throw unbounded(at);
  }
}

function objectBounds(properties: Record<string, TSchema>, at: string): Bounds {
  const total = { bytes: 0, values: 1, levels: 1 };
  for (const [name, property] of Object.entries(properties)) {
    const { bytes, values, levels } = boundsOf(property, `${at}.${name}`);
    total.bytes += name.length * BYTES_A_CHARACTER + bytes + BYTES_AROUND_VALUE;
    total.values += values;
    total.levels = Math.max(total.levels, levels + 1);
  }
  return total;
}

function largest(branches: Bounds[]): Bounds {
  const max = (of: (bounds: Bounds) => number) => Math.max(...branches.map(of));
  return {
    bytes: max(({ bytes }) => bytes),
    values: max(({ values }) => values),
    levels: max((b) => b.levels),
  };
}

function textBounds(characters: number): Bounds {
  return { bytes: characters * BYTES_A_CHARACTER, values: 1, levels: 0 };
}

function numberOf(maximum: unknown, at: string): number {
  if (typeof maximum !== "number") throw unbounded(at);
  return maximum;
}

function unbounded(at: string): Error {
  return new Error(`Cannot tell how large ${at} may be: give its schema a maximum, or say it with bounded()`);
}
