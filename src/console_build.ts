// Builds what the browser loads of the console. A checkout builds it at the first need, into its data folder, and again only
// when something has changed; an image ships it, compressed: `bun src/console_build.ts` writes it to `dist/console`.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const ROOT = join(import.meta.dir, "..");
const SOURCES = join(import.meta.dir, "console");
const SHIPPED = join(ROOT, "dist/console");

const NAMES = "[name]-[hash].[ext]";

// Smaller ones fit into one packet as they are.
const COMPRESSED_FROM_BYTES = 1024;

/** Builds of other sources that are kept: another process may still serve one. */
const KEPT_BUILDS = 4;

/** Which files the page names. */
export interface Manifest {
  /** Of what it was built: {@linkcode stateOfSources}. */
  state: string;
  script: string;
  /** In this order. */
  styles: string[];
}

/** A folder of built files. */
export interface BuiltConsole {
  folder: string;
  manifest: Manifest;
}

/**
 * The console: what the image ships, or what was built from these very sources before, or just now, within a second; to
 * `compress` it takes some more. Throws if it cannot be built: an installation without development packages and without
 * `dist/console`.
 */
export async function builtConsole(dataDir: string, { compress = false } = {}): Promise<BuiltConsole> {
  const state = await stateOfSources();
  const shipped = open(SHIPPED);
  if (shipped?.manifest.state === state) return shipped;
  const builds = join(dataDir, "console");
  const folder = join(builds, state);
  const built = open(folder);
  if (built) return built;
  await buildConsole(folder, state, { compress });
  await removeOldBuilds(builds, state);
  return open(folder)!;
}

/** Null if no build was finished. */
function open(folder: string): BuiltConsole | null {
  const path = join(folder, "manifest.json");
  return existsSync(path) ? { folder, manifest: JSON.parse(readFileSync(path, "utf8")) as Manifest } : null;
}

/** Writes the console to `folder`: all of it or nothing, also when another process does the same at that moment. */
async function buildConsole(folder: string, state: string, { compress = false } = {}): Promise<void> {
  const made = `${folder}.${process.pid}`;
  await rm(made, { recursive: true, force: true });
  await mkdir(made, { recursive: true });
  const { outputs: own, modules } = await bundleOwn();
  const vendor = await bundleVendorStyles(modules);
  for (const output of [...own, ...vendor]) {
    const bytes = new Uint8Array(await output.arrayBuffer());
    await write(join(made, basename(output.path)), bytes, compress);
  }
  const manifest: Manifest = {
    state,
    script: nameOf(own, "entry-point", ".js"),
    // The styles of every lazy page are in that of the entry too: nothing would load them there (oven-sh/bun#38319).
    styles: [basename(vendor[0]!.path), nameOf(own, "asset", ".css")],
  };
  await Bun.write(join(made, "manifest.json"), JSON.stringify(manifest));
  await rename(made, folder).catch(async (error) => {
    await rm(made, { recursive: true, force: true });
    // Somebody else was faster, with the same result.
    if (!existsSync(join(folder, "manifest.json"))) throw error;
  });
}

/** Our own code with all that it imports, and the paths of the modules of which something is left. */
async function bundleOwn(): Promise<{ outputs: Bun.BuildArtifact[]; modules: string[] }> {
  const { outputs, metafile } = await Bun.build({
    entrypoints: [join(SOURCES, "main.tsx")],
    target: "browser",
    format: "esm",
    splitting: true,
    minify: true,
    naming: { entry: NAMES, chunk: NAMES, asset: NAMES },
    define: { "process.env.NODE_ENV": '"production"' },
    metafile: true,
  });
  const modules = Object.values(metafile!.outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((path) => inputs[path]!.bytesInOutput > 0),
  );
  return { outputs, modules };
}

/**
 * The styles of packages, apart: for browsers Bun rewrites logical properties for those of 2018, half a megabyte for Mantine,
 * and `light-dark()` so that it follows the system only. For itself it does neither.
 */
async function bundleVendorStyles(modules: string[]): Promise<Bun.BuildArtifact[]> {
  const { outputs } = await Bun.build({
    entrypoints: [join(SOURCES, "vendor.css")],
    target: "bun",
    minify: true,
    naming: NAMES,
    plugins: [
      {
        name: "styles of components in use",
        setup(build) {
          build.onLoad({ filter: /@mantine[\\/]core[\\/]styles\.css$/ }, async ({ path }) => ({
            contents: await withoutUnusedComponents(path, modules),
            loader: "css",
          }));
        },
      },
    ],
  });
  return outputs;
}

/**
 * `styles.css` of Mantine is that of each component, one after another, which `styles/` has as files too. Those of
 * components that are not in the bundle are half of it.
 */
async function withoutUnusedComponents(path: string, modules: string[]): Promise<string> {
  const used = new Set(modules.map((module) => /@mantine\/core\/.*\/(\w+)\.module\.mjs$/.exec(module)?.[1]));
  const folder = path.replace(/\.css$/, "");
  let styles = readFileSync(path, "utf8");
  for (const file of await readdir(folder)) {
    // Names of components begin with a capital; the others are for every page, or the same once more as a layer.
    const component = /^([A-Z]\w*)\.css$/.exec(file)?.[1];
    if (component === undefined || used.has(component)) continue;
    styles = styles.replace(readFileSync(join(folder, file), "utf8").trim(), () => "");
  }
  return styles;
}

/** A file of the entry, which is called `main`. */
function nameOf(outputs: Bun.BuildArtifact[], kind: Bun.BuildArtifact["kind"], end: string): string {
  const names = outputs.filter((output) => output.kind === kind).map(({ path }) => basename(path));
  const name = names.find((one) => one.startsWith("main-") && one.endsWith(end));
  if (name === undefined) throw new Error(`Cannot find the ${kind} main-*${end} in the build of the console`);
  return name;
}

async function write(path: string, bytes: Uint8Array<ArrayBuffer>, compress: boolean): Promise<void> {
  await Bun.write(path, bytes);
  if (!compress || bytes.length < COMPRESSED_FROM_BYTES) return;
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  await Bun.write(`${path}.br`, brotliCompressSync(bytes, { params }));
  await Bun.write(`${path}.gz`, gzipSync(bytes, { level: 9 }));
}

/** A name for the sources, the packages and the bundler as they are. */
async function stateOfSources(): Promise<string> {
  const hash = createHash("sha256").update(Bun.version);
  const files = (await readdir(SOURCES, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".md"))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  for (const file of [join(ROOT, "bun.lock"), import.meta.path, ...files]) {
    hash.update(relative(ROOT, file)).update(readFileSync(file));
  }
  return hash.digest("hex").slice(0, 16);
}

async function removeOldBuilds(builds: string, current: string): Promise<void> {
  const names = (await readdir(builds)).filter((name) => name !== current);
  const ages = await Promise.all(
    names.map(async (name) => ({
      name,
      at: (await stat(join(builds, name)).catch(() => null))?.mtimeMs ?? 0,
    })),
  );
  for (const { name } of ages.toSorted((a, b) => b.at - a.at).slice(KEPT_BUILDS)) {
    await rm(join(builds, name), { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const begun = performance.now();
  await rm(SHIPPED, { recursive: true, force: true });
  await buildConsole(SHIPPED, await stateOfSources(), { compress: true });
  console.log(`Built the console in ${Math.round(performance.now() - begun)} ms`);
}
