// What nothing uses is not there: icons, parts and helpers of the console that were made for something that went another way.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const EXPORT = /^export (?:async )?(?:function|const|class) (\w+)/gm;

type Sources = Map<string, string>;

async function read(pattern: string): Promise<Sources> {
  const files = [...new Bun.Glob(pattern).scanSync({ cwd: ROOT })];
  return new Map(
    await Promise.all(files.map(async (file) => [file, await Bun.file(join(ROOT, file)).text()] as const)),
  );
}

const shown = await read("src/console/**/*.{ts,tsx}");
/** They use some of it alone. */
const tests = await read("test/{console,guides}/*_test.ts");

/** Exported names that stand in no file but their own. */
function unused(all: Sources): string[] {
  const files = new Map<string, number>();
  for (const source of [...all.values(), ...tests.values()]) {
    for (const word of new Set(source.match(/\w+/g))) files.set(word, (files.get(word) ?? 0) + 1);
  }
  return [...all]
    .filter(([file]) => !file.endsWith(".gen.ts"))
    .flatMap(([file, source]) => [...source.matchAll(EXPORT)].map(([, name]) => [file, name!] as const))
    .filter(([, name]) => files.get(name) === 1)
    .map(([file, name]) => `${file}: ${name}`);
}

describe("what a file of the console exports", () => {
  test("is used by another one", () => {
    expect(unused(shown)).toEqual([]);
  });

  test("and is not, is found", () => {
    // A word that no file has, this one neither.
    const name = `Icon${crypto.randomUUID().slice(0, 8)}`;
    const file = "src/console/parts/odd.tsx";

    expect(unused(new Map([...shown, [file, `export const ${name} = 1;`]]))).toEqual([`${file}: ${name}`]);
  });
});
