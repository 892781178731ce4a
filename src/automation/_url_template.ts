// The URL of a webhook is a template whose values cannot change where it leads.
import { compileTemplate, type Scope } from "../content/render.ts";

/** Stands around what an expression has printed. Nobody else knows it, so no value can hold it. */
const MARK = `\u{E000}${Bun.randomUUIDv7("hex")}\u{E000}`;
const PRINTED = new RegExp(`${MARK}(.*?)${MARK}`, "gs");

/** `{{name}}`, but no block, no comment, and not `{{{name}}}` or `{{&name}}`, which say that a value is a piece of URL. */
const EXPRESSION = /(?<![\\{])\{\{~?\s*(?![#/^!&>~\s]|else\b)(?:"[^"]*"|'[^']*'|[^{}"'])*\}\}(?!\})/g;

/** A part of a path that leads up, or nowhere: however it is written, a server would not be asked for it. */
const DOT_SEGMENT = /[/\\](?:\.|%2e){1,2}(?=[/\\?#]|$)/i;

/**
 * Fills in the variables of a URL, each percent-encoded: none of them can add a part to the path or to the query.
 * Null where a value makes `.` or `..` of a part of the path, which would lead out of the one around it.
 */
export function renderUrl(template: string, scope: Scope): string | null {
  const marked = template.trim().replace(EXPRESSION, (expression) => MARK + expression + MARK);
  const text = compileTemplate(marked, "text")(scope);
  const url = text.replace(PRINTED, (_, value: string) => encodeURIComponent(value.toWellFormed()));
  return DOT_SEGMENT.test(url.split(/[?#]/, 1)[0]!.replace(/^https?:\/\//i, "")) ? null : url;
}
