// The program of `bun run admin`, command after command in one process, as `admin.ts` asks for them: a line of JSON on
// standard input for each, and one on standard output for what became of it.
import { format } from "node:util";
import type { AdminRun } from "./admin.ts";

/** A command, and the settings that it finds in its environment. */
export interface AdminCommand {
  words: string[];
  settings: Record<string, string>;
}

async function run({ words, settings }: AdminCommand, copy: number): Promise<AdminRun> {
  const { log, error } = console;
  const { PATH = "", HOME = "" } = process.env;
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, { PATH, HOME, ...settings });
  const said = { out: "", err: "" };
  console.log = (...parts) => (said.out += `${format(...parts)}\n`);
  console.error = (...parts) => (said.err += `${format(...parts)}\n`);
  process.argv = [process.argv[0]!, "admin.ts", ...words];
  process.exitCode = 0;
  // Another name is another copy, which runs from its first line.
  await import(`../../src/admin.ts?${copy}`);
  Object.assign(console, { log, error });
  return { ...said, exitCode: Number(process.exitCode) };
}

let copies = 0;
for await (const line of console) {
  // The end of the input comes as an empty line.
  if (line === "") break;
  console.log(JSON.stringify(await run(JSON.parse(line) as AdminCommand, ++copies)));
}
process.exitCode = 0;
