// Values for requests that nobody means: what a schema allows, and what breaks careless code.

/** A source of random numbers that a seed repeats. */
export interface Dice {
  /** A whole number from 0 up to, but not including, `below`. */
  roll(below: number): number;
  /** True in `percent` of 100 cases. */
  chance(percent: number): boolean;
  pick<T>(from: readonly T[]): T;
}

/** A JSON schema, as far as the document uses it. */
export interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  examples?: unknown[];
  example?: unknown;
  default?: unknown;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  minimum?: number;
  maximum?: number;
  additionalProperties?: boolean | Schema;
  $ref?: string;
}

/** Where a value of a schema comes from, beside the schema. */
export interface Surroundings {
  dice: Dice;
  /** Ids of things that exist, of any kind. */
  ids: readonly string[];
  /** Addresses of contacts that exist. */
  emails: readonly string[];
  resolve(ref: string): Schema;
}

/** Dice after mulberry32: the same seed, the same numbers. */
export function diceOf(seed: number): Dice {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const roll = (below: number) => Math.floor(next() * below);
  return { roll, chance: (percent) => next() * 100 < percent, pick: (from) => from[roll(from.length)]! };
}

const DATES = [
  "2026-01-31T23:59:59.999Z",
  "2020-02-29",
  "+275760-09-13T00:00:00.000Z",
  "-271821-04-20T00:00:00.000Z",
  "-000001-01-01T00:00:00Z",
  "0000-01-01T00:00:00Z",
  "294277-01-01T00:00:00Z",
  "9999-12-31T23:59:60Z",
  "2026-02-30T25:61:61Z",
  "2026-03-29T02:30:00+18:00",
];

const ADDRESSES = [
  " Ada@Example.COM ",
  "a@müller.de",
  "ä@example.com",
  `a@${"b".repeat(64)}.test`,
  `${"a".repeat(65)}@example.com`,
  `a@${"b.".repeat(130)}test`,
  "a@b",
  "a@@b.test",
  "a b@c.test",
  '"a b"@c.test',
  "a@[127.0.0.1]",
  "a@xn--.test",
  "a@-b-.test",
  "a@b..test",
  "a@b.test\r\nbcc: c@d.test",
  "a@\u202eb.test",
];

/** Words with a meaning somewhere: to Postgres, JavaScript, templates, spreadsheets, regular expressions or addresses. */
const TEXTS = [
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "\udfff\ud800",
  "\ufffe\uffff",
  "👩‍👩‍👧‍👦".repeat(5),
  "__proto__",
  "constructor",
  "toString",
  "data.__proto__.x",
  "data.",
  "data..a",
  "null",
  "NaN",
  "-0",
  "1e400",
  "99999999999999999999",
  "'; drop table contacts; --",
  "%",
  "%00",
  "%ff%fe",
  "_%\\",
  "\\",
  "{{",
  "{{#each x}}{{/each}}",
  "{{{{raw}}}}",
  "{{a.b.[c]}}",
  '{{#if (eq a "b")}}',
  "<mjml><mj-body><mj-section>",
  "<mjml><mj-body><mj-section><mj-column><mj-text>{{x}}</mj-text></mj-column></mj-section></mj-body></mjml>",
  "<a href='javascript:alert(1)'>",
  "=1+1",
  "(a+)+$",
  "../../etc/passwd",
  "http://127.0.0.1:1/",
  "http://169.254.169.254/latest",
  "https://[::1]/",
  "//x",
  "\r\nx: y",
  "Europe/Atlantis",
  "eyJhbGciOiJub25lIn0.e30.",
  "x".repeat(300),
  "x".repeat(5_000),
  "é".repeat(70_000),
];

const NUMBERS = [
  0, -0, -1, 1, 0.5, 2_147_483_647, 2_147_483_648, -2_147_483_649, 9_007_199_254_740_992, 1e19, 1e308, 5e-324,
];

/** A value of any type that is seldom meant. */
export function oddValue(around: Surroundings): unknown {
  const { dice } = around;
  const kinds = [
    () => null,
    () => dice.pick(TEXTS),
    () => dice.pick(TEXTS),
    () => dice.pick(ADDRESSES),
    () => dice.pick(DATES),
    () => dice.pick(NUMBERS),
    () => dice.chance(50),
    () => [],
    () => ({}),
    () => Array.from({ length: dice.pick([1, 2, 200, 1_001]) }, () => dice.pick<unknown>([1, "a", null, {}])),
    () => nested(dice.pick([3, 65, 500]), dice.chance(50)),
    () => Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`key ${i}`, i])),
    () =>
      JSON.parse('{"__proto__": {"x": 1}, "constructor": 1, "toString": null, "": "", "a.b": 1}') as unknown,
    () => ({ value: dice.pick(TEXTS), persistent: dice.pick<unknown>([true, false, "x"]) }),
    () => dice.pick(around.ids),
    () => crypto.randomUUID(),
  ];
  return dice.pick(kinds)();
}

/** Text for a path or query that is seldom meant. */
export function oddText({ dice, ids }: Surroundings): string {
  return String(
    dice.pick<unknown>([
      ...TEXTS.filter((text) => text.length < 1_000),
      ...DATES,
      ...ADDRESSES,
      ...NUMBERS,
      dice.pick(ids),
      "00000000-0000-0000-0000-000000000000",
      "1".repeat(80),
    ]),
  );
}

function nested(levels: number, inLists: boolean): unknown {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = inLists ? [value] : { a: value };
  return value;
}

/** A value that the schema allows, or nearly: patterns are not solved, and rules between fields are not known. */
export function valueOf(given: Schema, around: Surroundings, depth = 0): unknown {
  const { dice } = around;
  const schema = given.$ref ? around.resolve(given.$ref) : given;
  const examples = schema.examples ?? (schema.example === undefined ? [] : [schema.example]);
  if (examples.length > 0 && dice.chance(50)) return dice.pick(examples);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return dice.pick(schema.enum);
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches) return valueOf(dice.pick(branches), around, depth);
  if (schema.allOf) {
    return Object.assign({}, ...schema.allOf.map((part) => valueOf(part, around, depth) as object));
  }
  switch ([schema.type].flat()[0]) {
    case "object":
      return objectOf(schema, around, depth);
    case "array": {
      const length = Math.max(schema.minItems ?? 0, dice.roll(4));
      return Array.from({ length }, () => valueOf(schema.items ?? {}, around, depth + 1));
    }
    case "integer":
    case "number":
      return Math.min(schema.maximum ?? 1_000, Math.max(schema.minimum ?? 0, dice.roll(100)));
    case "boolean":
      return dice.chance(50);
    case "null":
      return null;
    case "string":
      return textOf(schema, around);
    default:
      return depth > 4 ? 1 : freeValue(around);
  }
}

function objectOf(schema: Schema, around: Surroundings, depth: number): Record<string, unknown> {
  const { dice } = around;
  const needed = new Set(schema.required);
  const entries = Object.entries(schema.properties ?? {})
    .filter(([name]) => needed.has(name) || dice.chance(depth > 4 ? 10 : 50))
    .map(([name, inner]) => [name, valueOf(inner, around, depth + 1)]);
  const free = schema.properties
    ? []
    : [
        ["plan", "pro"],
        ["age", 42],
        ["firstName", "Ada"],
      ];
  return Object.fromEntries([...entries, ...free.filter(() => dice.chance(60))]) as Record<string, unknown>;
}

function textOf(schema: Schema, { dice, ids, emails }: Surroundings): string {
  switch (schema.format) {
    case "uuid":
      return dice.chance(90) ? dice.pick(ids) : crypto.randomUUID();
    case "date-time":
      return dice.chance(80)
        ? new Date(Date.UTC(2026, dice.roll(24), dice.roll(28))).toISOString()
        : DATES[0]!;
    case "uri":
      return "https://example.com/x";
  }
  if (/mail/.test(schema.format ?? "")) return dice.chance(70) ? dice.pick(emails) : dice.pick(ADDRESSES);
  const text = dice.pick([
    "Ada",
    "hello@shop.example",
    "signed up",
    "data.plan",
    "equals",
    "Hello {{firstName}}",
    dice.pick(ids),
  ]);
  return text.padEnd(schema.minLength ?? 0, "x").slice(0, schema.maxLength ?? 1_000);
}

function freeValue({ dice }: Surroundings): unknown {
  return dice.pick<unknown>(["pro", 42, true, null, ["a"], { a: 1 }]);
}

/** The same value with one to three places changed. */
export function mutated(value: unknown, around: Surroundings): unknown {
  let changed = value;
  for (let i = 0; i <= around.dice.roll(3); i++) changed = changedOnce(changed, around);
  return changed;
}

function changedOnce(value: unknown, around: Surroundings): unknown {
  const { dice } = around;
  if (typeof value !== "object" || value === null || dice.chance(8)) return oddValue(around);
  if (Array.isArray(value)) {
    if (value.length === 0) return [oddValue(around)];
    const at = dice.roll(value.length);
    return value.with(at, changedOnce(value[at], around));
  }
  const keys = Object.keys(value);
  if (keys.length === 0 || dice.chance(10)) return { ...value, [String(dice.pick(TEXTS))]: oddValue(around) };
  const key = dice.pick(keys);
  const rest = Object.entries(value).filter(([name]) => name !== key);
  if (dice.chance(15)) return Object.fromEntries(rest);
  const inner = (value as Record<string, unknown>)[key];
  return Object.fromEntries([
    ...rest,
    [key, dice.chance(50) ? oddValue(around) : changedOnce(inner, around)],
  ]);
}
