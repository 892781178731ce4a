// `bun run client`: packs the client, as one JavaScript module with its declarations beside it, into `dist/client` or the
// folder that is given.
import { copyFile, mkdir, readdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";

const HERE = import.meta.dir;
const ROOT = join(HERE, "../..");
const folder = resolve(process.argv[2] ?? join(ROOT, "dist/client"));
const built = join(folder, "dist");

await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
for (const name of ["package.json", "README.md"]) await copyFile(join(HERE, name), join(folder, name));
await Bun.build({ entrypoints: [join(HERE, "mod.ts")], outdir: built, target: "browser", format: "esm" });
await run(join(ROOT, "node_modules/.bin/tsc"), "-p", HERE, "--outDir", built);

// A declaration that names a `.ts` file sends the reader to a source that is not in the package.
for (const name of (await readdir(built)).filter((file) => file.endsWith(".d.ts"))) {
  const path = join(built, name);
  const text = await Bun.file(path).text();
  await Bun.write(path, text.replace(/(from "\.\/[\w.]+)\.ts"/g, '$1.js"'));
}
await run(process.execPath, "pm", "pack", "--quiet");

async function run(...command: string[]): Promise<void> {
  const child = Bun.spawn(command, { cwd: folder, stdout: "inherit", stderr: "inherit" });
  if ((await child.exited) !== 0) throw new Error(`Cannot pack the client: ${command.join(" ")} has failed`);
}
