// The URL of a webhook is a template whose values cannot change where it leads.
import { type Budget, compileTemplate, type Scope } from "../../content/handlebars/mod.ts";
import { fillText, Unfillable } from "../../content/handlebars/filled.ts";

const MAX_URL_CHARS = 8_192;

/** What a reader of URLs drops: these wherever they stand, and blanks and control characters at both ends. */
const DROPPED = /[\t\r\n]+|^[\0- ]+|[\0- ]+$/g;

/** A part of a path that leads up, or nowhere: however it is written, a server would not be asked for it. */
const DOT_SEGMENT = /[/\\](?:\.|%2e){1,2}(?=[/\\?#]|$)/i;

/**
 * Fills in the variables of a URL, each percent-encoded: none of them can add a part to the path or to the query.
 * `{{{name}}}` and `{{&name}}` say that a value is a piece of URL. Null if a value makes `.` or `..` of a part of the
 * path, which would lead out of the one around it. Throws {@linkcode Unfillable}, also for a URL that is too long.
 */
export function renderUrl(template: string, scope: Scope, budget: Budget): string | null {
  const text = fillText(compileTemplate(template, "url"), scope, budget);
  if (text.length > MAX_URL_CHARS) {
    throw new Unfillable(`its URL has more than ${MAX_URL_CHARS.toLocaleString("en")} characters`);
  }
  const url = text.replace(DROPPED, "");
  return DOT_SEGMENT.test(url.split(/[?#]/, 1)[0]!.replace(/^https?:\/\//i, "")) ? null : url;
}
