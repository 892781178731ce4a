import { expect, test } from "bun:test";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

/** What the registry of formats holds with the shapes of bodies alone, and which are others once all is loaded. */
const COMPARE = `
import { FormatRegistry, TypeRegistry } from "@sinclair/typebox";
await import("./src/http/entry/schemas.ts");
const registered = () => new Map([...FormatRegistry.Entries(), ...TypeRegistry.Entries()]);
const ours = registered();
for (const path of PATHS) await import(path);
const all = registered();
const changed = [...ours.keys()].filter((name) => all.get(name) !== ours.get(name));
console.log(JSON.stringify({ names: [...ours.keys()], changed }));
process.exit(0);
`;

/** In a process of its own: what is loaded first, and what is loaded at all, is not for other tests to say. */
async function registryAfter(paths: string[]): Promise<{ names: string[]; changed: string[] }> {
  const script = COMPARE.replace("PATHS", JSON.stringify(paths));
  const child = Bun.spawn([process.execPath, "-e", script], { cwd: ROOT, stderr: "inherit" });
  return JSON.parse(await new Response(child.stdout).text());
}

test("no import changes how a format is checked", async () => {
  const { names, changed } = await registryAfter([
    "./src/http/mod.ts",
    "./src/service/mod.ts",
    "./src/worker/mod.ts",
    "./src/doctor/mod.ts",
    "./src/sending/feedback/bounce_mails.ts",
    "./tasks/mod.ts",
  ]);

  expect(names).toEqual(expect.arrayContaining(["email", "email-or-empty", "mailbox", "uuid", "date-time"]));
  expect(changed).toEqual([]);
});

test("and one that does is noticed", async () => {
  const { changed } = await registryAfter(["@elysiajs/openapi"]);
  expect(changed).toContain("email");
});
