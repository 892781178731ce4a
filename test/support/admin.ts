// `bun run admin`, as tests run it.
import { afterAll } from "bun:test";
import { join } from "node:path";
import type { AdminCommand } from "./admin_program.ts";
import type { TestService } from "./service.ts";

/** What a command said, and its exit code. */
export interface AdminRun {
  out: string;
  err: string;
  exitCode: number;
}

const ROOT = join(import.meta.dir, "../..");

/** The settings with which a command finds the database of a service, and its secrets. */
export const settingsOf = ({ databaseUrl, config }: TestService): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  SECRET_KEY: config.SECRET_KEY!,
});

/** Runs a command as a process of its own, with this on its standard input. */
export function runAdmin(settings: Record<string, string>, words: string[], input = ""): AdminRun {
  const { PATH = "", HOME = "" } = process.env;
  const { stdout, stderr, exitCode } = Bun.spawnSync(
    [process.execPath, join(ROOT, "src/admin.ts"), ...words],
    { env: { PATH, HOME, ...settings }, stdin: Buffer.from(input) },
  );
  return { out: stdout.toString(), err: stderr.toString(), exitCode };
}

/**
 * Runs commands on the database of a service, one after the other in one process, which ends with the file: a start of
 * its own costs ten times what a command does. Neither `doctor`, which ends its process, nor what reads standard input.
 */
export function useAdmin(service: TestService) {
  let child: ReturnType<typeof spawnProgram> | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  afterAll(async () => {
    await child?.stdin.end();
    await child?.exited;
  });

  const ask = async (command: AdminCommand): Promise<AdminRun> => {
    child ??= spawnProgram();
    child.stdin.write(`${JSON.stringify(command)}\n`);
    await child.stdin.flush();
    const { value } = await child.answers.next();
    if (value === undefined) throw new Error(`Cannot see the end of admin ${command.words.join(" ")}`);
    return JSON.parse(value) as AdminRun;
  };

  /** With these settings instead of those of the service. */
  const adminWith = async (settings: Record<string, string>, ...words: string[]): Promise<AdminRun> => {
    const asked = turn.then(() => ask({ words, settings }));
    turn = asked.catch(() => {});
    return await asked;
  };
  return { admin: (...words: string[]) => adminWith(settingsOf(service), ...words), adminWith };
}

function spawnProgram() {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "admin_program.ts")], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  return { stdin: child.stdin, exited: child.exited, answers: lines(child.stdout) };
}

async function* lines(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string, undefined> {
  let rest = "";
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop()!;
    yield* parts;
  }
}
