// The body of a message becomes what is rendered: HTML stays as it is, MJML is compiled once, when it is saved.
import { type FieldError, problems } from "../../problem/mod.ts";
import type { Context } from "../../context.ts";
import { type Complaint, compiler, runMjml } from "./_process.ts";
import { type MjmlSource, readMjml } from "./_source.ts";
import { refuse } from "../handlebars/syntax.ts";
import { positionAt } from "../handlebars/tree.ts";
import { checkTemplate, type TemplateError } from "../handlebars/mod.ts";
import { templateErrors, toFieldError } from "../handlebars/errors.ts";

type Mjml = NonNullable<Context["mjml"]>;

/** As much as a template may have. */
const MAX_HTML_CHARS = 1_000_000;
const MAX_ERRORS = 20;
/** Of one error: it may quote what the author wrote. */
const MAX_MESSAGE_CHARS = 500;

/** True for a body that is compiled: it starts with `<mjml>`, after blanks and comments. */
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
 * What is rendered for a body: itself, or the HTML that its MJML compiles to, queued for `owner`. Throws 422 with the
 * errors of the field `body`, each with its line and column, after `alsoWrong`, the errors of other fields.
 */
export async function compileBody(
  { mjml: program = compiler }: Pick<Context, "mjml">,
  owner: string,
  body: string,
  alsoWrong: readonly FieldError[] = [],
): Promise<string> {
  const errors = [...alsoWrong, ...templateErrors("body", body)];
  const isReadable = errors.length === alsoWrong.length;
  const compiled =
    isReadable && isMjml(body) ? await compileMjml(owner, body, program) : { html: body, errors: [] };
  errors.push(...compiled.errors.map((error) => toFieldError("body", error)));
  if (errors.length > 0) throw problems.invalid(errors);
  return compiled.html;
}

interface Compiled {
  html: string;
  errors: TemplateError[];
}

async function compileMjml(owner: string, body: string, program: Mjml): Promise<Compiled> {
  try {
    const source = readMjml(body);
    const { html, complaints } = await runMjml(owner, source.text, program);
    const errors = complaints
      .filter((complaint) => isFault(source, complaint))
      .slice(0, MAX_ERRORS)
      .map((complaint) => toError(body, source, complaint))
      .sort((a, b) => a.line - b.line || a.column - b.column);
    return errors.length > 0 ? { html: "", errors } : checkCompiled(body, source, html);
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
  const restored = source.restore(`<${tagName}>: ${message}`).trim();
  return { message: restored.slice(0, MAX_MESSAGE_CHARS), ...positionAt(body, at) };
}

function checkCompiled(body: string, source: MjmlSource, made: string | null): Compiled {
  const html = made === null ? "" : source.restore(made);
  if (made === null || html.length > MAX_HTML_CHARS) {
    return refuse(`The compiled HTML has more than ${MAX_HTML_CHARS} characters`, 0);
  }
  const lost = source.lostBlock(made);
  if (lost !== null) refuse("MJML drops this block: it would be in no mail", lost);
  const error = checkTemplate(html);
  if (error) refuse(`In the compiled HTML: ${error.message}`, placeInSource(body, html, error));
  return { html, errors: [] };
}

/** The place in the source of an expression that is wrong in the HTML, as far as it is known. */
function placeInSource(body: string, html: string, { line, column }: TemplateError): number {
  const behind = html
    .split(/\r\n?|\n/)
    .slice(line - 1)
    .join("\n")
    .slice(column - 1);
  const expression = /^\{\{[^]*?\}\}/.exec(behind)?.[0];
  return Math.max(0, expression === undefined ? 0 : body.indexOf(expression));
}
