// One JSON line per request and job. No addresses, keys or bodies.

const LEVELS = ["debug", "info", "warn", "error"] as const;

/** How much is written: lines below this level are left out. */
export type LogLevel = (typeof LEVELS)[number];

/** Writes one line. `message` says what happened in a word or two, `fields` the particulars. */
export type Log = {
  readonly [Level in LogLevel]: (message: string, fields?: Record<string, unknown>) => void;
};

/** A log on standard output, or wherever `write` puts its lines. */
export function createLog(level: LogLevel, write: (line: string) => void = toStdout): Log {
  const lowest = LEVELS.indexOf(level);
  const at =
    (name: LogLevel) =>
    (message: string, fields: Record<string, unknown> = {}) => {
      if (LEVELS.indexOf(name) < lowest) return;
      write(JSON.stringify({ time: new Date().toISOString(), level: name, message, ...fields }));
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** What may be logged of an error: its name, message and place, without the values of a statement. */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error) };
  return { error: `${error.name}: ${error.message}`, at: error.stack?.split("\n")[1]?.trim() };
}

/** For a command whose standard output is its answer. */
export function toStderr(line: string): void {
  process.stderr.write(`${line}\n`);
}

function toStdout(line: string): void {
  process.stdout.write(`${isForEyes() ? dimmed(line) : line}\n`);
}

/** A terminal with colours, where log lines appear among text for people. */
function isForEyes(): boolean {
  return process.stdout.isTTY === true && Bun.enableANSIColors;
}

function dimmed(line: string): string {
  return `\u001B[2m${line}\u001B[22m`;
}
