// The look at the bytes of a body before it is parsed.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { assertWithin, type JsonLimits } from "../../src/http/entry/json_scan.ts";
import { Problem } from "../../src/problem/mod.ts";

const LARGE: JsonLimits = { values: 1_000_000, levels: 1_000 };

async function refusalOf(json: string, limits: JsonLimits): Promise<Problem | null> {
  const refused: unknown = await assertWithin(new TextEncoder().encode(json), limits).catch((error) => error);
  return refused instanceof Problem ? refused : null;
}

/** How many values there are, the outermost one among them. */
function valuesOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, inner) => sum + valuesOf(inner), 1);
}

function levelsOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(levelsOf));
}

describe("what a body holds", () => {
  test("is counted as a parser would: every value, and how many stand within each other", async () => {
    const json = fc.jsonValue({ maxDepth: 6, noUnicodeString: false });
    await fc.assert(
      fc.asyncProperty(json, fc.constantFrom(undefined, 2), async (given, spaces) => {
        const text = JSON.stringify(given, null, spaces);
        // As a parser sees it: of two keys that are the same one is left.
        const value: unknown = JSON.parse(text);
        const limits = { values: valuesOf(value), levels: levelsOf(value) };

        expect(await refusalOf(text, limits)).toBeNull();
        expect((await refusalOf(text, { ...limits, values: limits.values - 1 }))?.status).toBe(
          limits.values === 1 ? undefined : 413,
        );
        expect((await refusalOf(text, { ...limits, levels: limits.levels - 1 }))?.status).toBe(
          limits.levels === 0 ? undefined : 422,
        );
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ["quotes that are escaped", '["\\"[,,,[", 1]', 3],
    ["backslashes before a quote", '["\\\\", "\\\\\\"[,", 2]', 4],
    ["empty lists and objects", "[[], {}, [ ], {\n}]", 5],
    ["keys that look like JSON", '{"[,{": 1, ",": 2}', 3],
  ])("is counted past %s", async (_what, json, values) => {
    expect(await refusalOf(json, { ...LARGE, values })).toBeNull();
    expect((await refusalOf(json, { ...LARGE, values: values - 1 }))?.status).toBe(413);
  });

  test.each([
    ["a field", `{"event": {"x": 1}, "email": ${"[".repeat(9)}`, "email"],
    ["a key of data", `{"data": {"a": [1], "b": ${"[".repeat(9)}`, "data.b"],
    ["the data itself", `{"data": ${"[".repeat(9)}`, "data"],
    ["the body", "[".repeat(9), ""],
  ])("and nested too deeply is refused at %s", async (_what, json, field) => {
    const refused = await refusalOf(json, { ...LARGE, levels: 5 });

    expect([refused?.status, refused?.extras.errors]).toMatchObject([422, [{ field, code: "custom" }]]);
  });

  test.each([
    ["nothing", ""],
    ["an end that is missing", '{"a": "b'],
    ["a backslash at the end", '"\\'],
    ["more closed than opened", "]]]]}}}}"],
    ["no JSON", "a, b: c"],
  ])("is looked at without harm where there is %s", async (_what, text) => {
    expect(await refusalOf(text, LARGE)).toBeNull();
  });

  test("is refused where more is escaped than a parser can read at once", async () => {
    const escaped = (times: number, sign: string) => `{"a": "${sign.repeat(times)}", "b": "\\\\"}`;

    expect(await refusalOf(escaped(1_249_999, "\\u0434"), LARGE)).toBeNull();
    expect(await refusalOf(escaped(1_250_000, "\\/"), LARGE)).toMatchObject({ status: 413 });
    expect(await refusalOf(escaped(1_250_000, "\\\\"), LARGE)).toMatchObject({ status: 413 });
  });

  test("and lets others have their turn, however long it is and whatever is in it", async () => {
    for (const text of [
      `"${'\\"'.repeat(1_200_000)}"`,
      `[${'"",'.repeat(2_000_000)}1]`,
      " ".repeat(6_000_000),
    ]) {
      let turns = 0;
      let done = false;
      const others = (async () => {
        for (; !done; turns++) await new Promise(setImmediate);
      })();
      await refusalOf(text, { values: Infinity, levels: 100 });
      done = true;
      await others;

      expect(turns).toBeGreaterThan(3);
    }
  });
});
