// The body of a message becomes what is rendered: HTML stays as it is, MJML is compiled once, when it is saved.
//
// The compiler takes 70 MB to be loaded and 100 to 500 for a large body, which would stay with the service; it is
// JavaScript that nothing can interrupt, and regular expressions that take as long as they like. So each body is
// compiled by a process of its own, of which nothing remains. A worker thread gives the memory back too, but where it
// hangs or runs out of memory, the service does with it.
import { join } from "node:path";
import { type FieldError, problems } from "../problem.ts";
import { type MjmlSource, readMjml } from "./_mjml_source.ts";
import { refuse } from "./_syntax.ts";
import { positionAt } from "./_tree.ts";
import { checkTemplate, type TemplateError } from "./render.ts";
import { templateErrors, toFieldError } from "./template_errors.ts";

/** What the process says: without HTML where there is too much of it. */
export interface MjmlResult {
  html: string | null;
  complaints: Complaint[];
}

interface Complaint {
  line: number;
  tagName: string;
  message: string;
}

/** As much as a template may have. */
const MAX_HTML_CHARS = 1_000_000;
const MAX_ERRORS = 20;
const TIME_LIMIT_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1_048_576;
/** Each takes a core and its memory. */
const MAX_AT_ONCE = 2;
const MAX_WAITING = 100;

// It may outlive a service that is killed, but not its time; and where memory runs out, it is the one to go. It has no
// environment, and no folder of ours to look into.
const COMMAND = [
  "/bin/sh",
  "-c",
  `{ ulimit -t ${TIME_LIMIT_MS / 1000}; echo 1000 > /proc/self/oom_score_adj; } 2>/dev/null; exec "$@"`,
  "mjml",
  process.execPath,
  "--smol",
  join(import.meta.dir, "_mjml_child.ts"),
];

/** True for a body that is compiled: it starts with `<mjml>`, but for blanks and comments. */
export function isMjml(body: string): boolean {
  let start = body.trimStart();
  while (start.startsWith("<!--")) {
    const end = start.indexOf("-->");
    if (end === -1) return false;
    start = start.slice(end + 3).trimStart();
  }
  return /^<mjml[\s/>]/i.test(start);
}

/**
 * What is rendered of a body: itself, or the HTML that its MJML is compiled to. Throws 422 with the errors of the field
 * `body`, each with its line and column, behind `alsoWrong`, which is what is wrong with other fields.
 */
export async function compileBody(body: string, alsoWrong: readonly FieldError[] = []): Promise<string> {
  const errors = [...alsoWrong, ...templateErrors("body", body)];
  const isReadable = errors.length === alsoWrong.length;
  const compiled = isReadable && isMjml(body) ? await compileMjml(body) : { html: body, errors: [] };
  errors.push(...compiled.errors.map((error) => toFieldError("body", error)));
  if (errors.length > 0) throw problems.invalid(errors);
  return compiled.html;
}

interface Compiled {
  html: string;
  errors: TemplateError[];
}

async function compileMjml(body: string): Promise<Compiled> {
  try {
    const source = readMjml(body);
    const { html, complaints } = await inTurn(() => runCompiler(source.text));
    const errors = complaints
      .filter((complaint) => isFault(source, complaint))
      .slice(0, MAX_ERRORS)
      .map((complaint) => toError(body, source, complaint));
    if (errors.length > 0) return { html: "", errors };
    return checkCompiled(body, source, html);
  } catch (error) {
    const at = (error as { cause?: { at?: number } }).cause?.at;
    if (at === undefined) throw error;
    return { html: "", errors: [{ message: (error as Error).message, ...positionAt(body, at) }] };
  }
}

/** MJML calculates with lengths and numbers. Any other value of an attribute may come from an expression. */
function isFault(source: MjmlSource, { message }: Complaint): boolean {
  const [, value, type] = / has invalid value: ([^]*) for type (\w+)/.exec(message) ?? [];
  return value === undefined || /^(Unit|NInteger)$/.test(type!) || !source.hasExpression(value);
}

function toError(body: string, source: MjmlSource, { line, tagName, message }: Complaint): TemplateError {
  const attributes = /^Attributes? (.*?) (?:is|are|has) /.exec(message)?.[1]?.split(", ") ?? [];
  const at = source.placeOf(tagName, line, attributes);
  return { message: `<${tagName}>: ${source.restore(message).trim()}`, ...positionAt(body, at) };
}

function checkCompiled(body: string, source: MjmlSource, made: string | null): Compiled {
  const lost = made === null ? null : source.lostBlock(made);
  const html = made === null ? null : source.restore(made);
  const failed = (message: string, at: number) => ({
    html: "",
    errors: [{ message, ...positionAt(body, at) }],
  });
  if (html === null || html.length > MAX_HTML_CHARS) {
    return failed(`The compiled HTML has more than ${MAX_HTML_CHARS} characters`, 0);
  }
  if (lost !== null) return failed("MJML drops this block: no mail would have it", lost);
  const error = checkTemplate(html);
  return error
    ? failed(`In the compiled HTML: ${error.message}`, placeInSource(body, html, error))
    : { html, errors: [] };
}

/** Where the expression that is wrong in the HTML stands in the source, as far as that can be said. */
function placeInSource(body: string, html: string, { line, column }: TemplateError): number {
  const behind = html
    .split(/\r\n?|\n/)
    .slice(line - 1)
    .join("\n")
    .slice(column - 1);
  const expression = /^\{\{[^]*?\}\}/.exec(behind)?.[0];
  return Math.max(0, expression === undefined ? 0 : body.indexOf(expression));
}

async function runCompiler(source: string): Promise<MjmlResult> {
  const child = Bun.spawn(COMMAND, {
    cwd: "/",
    env: {},
    stdin: new Blob([source]),
    stdout: "pipe",
    stderr: "pipe",
    timeout: TIME_LIMIT_MS,
    killSignal: "SIGKILL",
    maxBuffer: MAX_ANSWER_BYTES,
  });
  const [answer, complaint] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (child.signalCode !== null) refuse("This MJML takes too long to be compiled, or too much memory", 0);
  if (child.exitCode !== 0) throw new Error(`The compiler of MJML has failed: ${complaint.slice(0, 1000)}`);
  return JSON.parse(answer) as MjmlResult;
}

let running = 0;
const waiting: (() => void)[] = [];

/** Does `work` when its turn has come. Throws 503 when too many are waiting. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running < MAX_AT_ONCE) running += 1;
  else if (waiting.length >= MAX_WAITING) throw problems.busy();
  else await new Promise<void>((go) => waiting.push(go));
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}
