// Makes one program of the service and of the packages that it imports, for the image: `bun src/service_build.ts` writes it to
// `dist/service`. A thousand modules less to keep apart take 15 MB less memory at rest. A checkout runs the sources.
import { rm } from "node:fs/promises";
import { createRequire, isBuiltin } from "node:module";
import { dirname, join, relative } from "node:path";

const ROOT = join(import.meta.dir, "..");
const ENTRY = join(ROOT, "src/main.ts");
const SHIPPED = join(ROOT, "dist/service");

/** Packages ask for these on another platform, for a driver in C, and for settings that are written in TypeScript. */
const UNUSED = new Set(["pg-cloudflare", "pg-native", "typescript"]);

/**
 * Writes the program to `folder`, as `main.js` and what it loads later, and answers its path. It needs none of the packages,
 * but the sources, where they are now as seen from the folder: what it reads and the programs that it starts are there.
 *
 * It is not minified: the log names functions and lines of it. Maps of the sources would take 8 MB, as they are read at the
 * first error.
 */
export async function buildService(folder: string): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  await Bun.build({
    entrypoints: [ENTRY],
    outdir: folder,
    target: "bun",
    splitting: true,
    naming: { entry: "main.js", chunk: "[name]-[hash].js" },
    plugins: [
      {
        name: "as a checkout runs it",
        setup(build) {
          build.onResolve({ filter: /^[@\w]/ }, packageOf);
          build.onLoad({ filter: /\.ts$/ }, async ({ path }) =>
            path.includes("/node_modules/")
              ? undefined
              : { contents: await placed(path, folder), loader: "ts" },
          );
        },
      },
    ],
  });
  return join(folder, "main.js");
}

/** What the runtime would take of a package. A bundler prefers another build of some, which no test would ever have run. */
function packageOf({ path, importer, kind }: Bun.OnResolveArgs): Bun.OnResolveResult | undefined {
  if (isBuiltin(path) || path === "bun") return undefined;
  if (UNUSED.has(path)) return { path, external: true };
  const isRequired = kind.startsWith("require");
  return {
    path: isRequired ? createRequire(importer).resolve(path) : Bun.resolveSync(path, dirname(importer)),
  };
}

/** A module whose `import.meta` tells where its source is, as seen from the folder of the program, and not where that is. */
async function placed(path: string, folder: string): Promise<string> {
  const url = (to: string) => `new URL(${JSON.stringify(relative(folder, to))}, import.meta.url)`;
  const places: Record<string, string> = {
    main: String(path === ENTRY),
    url: `${url(path)}.href`,
    path: `Bun.fileURLToPath(${url(path)})`,
    dir: `Bun.fileURLToPath(${url(dirname(path))})`,
  };
  return (await Bun.file(path).text()).replaceAll(/\bimport\.meta\b(?:\.(\w+))?/g, (asked, name = "") => {
    const place = places[name as string];
    if (place === undefined) throw new Error(`Cannot build ${path}: the program would not know ${asked}`);
    return place;
  });
}

if (import.meta.main) {
  const begun = performance.now();
  await buildService(SHIPPED);
  console.log(`Built the service in ${Math.round(performance.now() - begun)} ms`);
}
