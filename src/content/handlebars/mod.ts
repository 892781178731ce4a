// The language of templates (guides/templates.md). Handlebars reads them; what they may do is decided here:
//
//   {{name}} {{data.plan}} {{first name}} {{[odd = key]}}    a value; nothing when there is none
//   {{plan ?? Free trial}} {{plan ?? "Free"}}                a literal for what is missing, null, false or ""
//   {{{html}}} {{& html}}                                    not escaped
//   {{#if a}} {{else if b}} {{else}} {{/if}} {{#unless a}}   0, "" and empty lists are false
//   {{#each items as |item|}} {{#with customer}}             with @index @key @first @last @root, this and ../
//   eq ne gt lt and or not default                           {{#if (and paid (gt total 100))}}
//   upper lower   truncate text 80 "…"   number n 2 locale="de"
//   date when "d MMMM yyyy" locale="de" timeZone="Europe/Oslo"   or short medium long full time datetime
//
// Dates and numbers are English and in UTC unless the template says otherwise (`locale=locale` follows the contact). A
// literal in HTML may contain character references. A helper's name without values is a variable.
import { compile, type Compiled } from "./_compile.ts";
import { type Cache, createCache } from "../../cache.ts";
import { type Budget, type Escaping, HTML, newBudget, newRendering, URL_PART, write } from "./_rendering.ts";
import { MAX_EXPRESSION_CHARS, readSyntax } from "./syntax.ts";
import { positionAt } from "./tree.ts";

export { type Budget, newBudget } from "./_rendering.ts";
export { plainText } from "../plain_text.ts";

const MAX_CACHED_TEMPLATES = 200;
/** For each kind; more than the largest possible template, which would else be compiled for every mail. */
const MAX_CACHED_BYTES = 40_000_000;
/** What a character of an expression takes when it is compiled (measured). */
const BYTES_PER_EXPRESSION_CHAR = 160;
/** A subject is cut here, whatever the values are. */
const MAX_SUBJECT_CHARS = 998;
const PLAIN_VARIABLE = /^\s*(?!else\b)[\w.]+\s*$/;

/** What is wrong with a template, and where; line and column count from 1. */
export interface TemplateError {
  message: string;
  line: number;
  column: number;
}

/** What a template can see. */
export interface Scope {
  [name: string]: unknown;
}

/** `html` escapes values and `url` percent-encodes them; `text` does neither; `subject` is text in one line. */
export type TemplateKind = "html" | "text" | "subject" | "url";

/**
 * A compiled template. It never throws. A rendering is cut off after 5 MB of output or some 0.1 s of work, or when the
 * budget is spent that it has with others; and loops end after 10,000 rounds in all. A source that `checkTemplate`
 * refuses has its plain variables filled in and every other expression left out.
 */
export interface CompiledTemplate {
  (scope: Scope, budget?: Budget): string;
  /** The paths of the variables it reads, in order of first appearance. */
  readonly variables: readonly string[];
}

/** Finds what is wrong with a template that is to be saved or sent, or null. */
export function checkTemplate(source: string): TemplateError | null {
  if (!source.includes("{{")) return null;
  try {
    readSyntax(source, MAX_EXPRESSION_CHARS);
    const known = caches.html.get(source);
    if (known && !mended.has(known)) return null;
    const compiled = compile(source, HTML);
    // A template that was checked is usually needed next. A small one is compiled as quickly as it is looked up.
    if (compiled.expressionChars > WORTH_KEEPING_CHARS) keep(source, "html", compiled);
    return null;
  } catch (error) {
    const { message, cause } = error as { message: string; cause?: { at?: number } };
    const at = cause?.at;
    // Without a place it is an error of the parser itself, and its message is not for readers.
    if (at === undefined) return { message: "The template cannot be read", line: 1, column: 1 };
    return { message, ...positionAt(source, at) };
  }
}

const caches: Record<TemplateKind, Cache<CompiledTemplate>> = {
  html: newCache(),
  text: newCache(),
  subject: newCache(),
  url: newCache(),
};

function newCache(): Cache<CompiledTemplate> {
  return createCache({ maxEntries: MAX_CACHED_TEMPLATES, maxBytes: MAX_CACHED_BYTES });
}

const WORTH_KEEPING_CHARS = 500;

/** Templates that cannot be read as they are. */
const mended = new WeakSet<CompiledTemplate>();

const ESCAPINGS: Record<TemplateKind, Escaping | null> = {
  html: HTML,
  text: null,
  subject: null,
  url: URL_PART,
};

/** Compiles a template, or takes it from the ones used last. */
export function compileTemplate(source: string, kind: TemplateKind): CompiledTemplate {
  const whole = readTemplate(source, kind);
  if (whole !== null) return whole;
  const known = caches[kind].get(source);
  if (known) return known;
  const template = keep(source, kind, compileMended(source, ESCAPINGS[kind]));
  mended.add(template);
  return template;
}

/** Compiles a template, or takes it from the cache. Null if it cannot be read. */
export function readTemplate(source: string, kind: TemplateKind): CompiledTemplate | null {
  if (!source.includes("{{")) {
    const text = kind === "subject" ? oneLine(source) : source;
    return Object.assign(() => text, { variables: [] });
  }
  const known = caches[kind].get(source);
  if (known) return mended.has(known) ? null : known;
  try {
    return keep(source, kind, compile(source, ESCAPINGS[kind]));
  } catch {
    return null;
  }
}

function keep(source: string, kind: TemplateKind, compiled: Compiled): CompiledTemplate {
  const template = toTemplate(compiled, kind);
  const bytes = source.length * 2 + compiled.expressionChars * BYTES_PER_EXPRESSION_CHAR;
  caches[kind].set(source, template, bytes);
  return template;
}

function toTemplate(compiled: Compiled, kind: TemplateKind): CompiledTemplate {
  const render = (scope: Scope, budget: Budget = newBudget()): string => {
    const run = newRendering(scope, budget);
    try {
      compiled.write(run, { value: scope, outer: null, named: [], loop: null });
    } catch {
      // Nothing here should throw, but if it does the mail is still sent with what was written so far.
    }
    budget.steps = run.steps;
    budget.room = run.room;
    return kind === "subject" ? oneLine(run.out) : run.out;
  };
  return Object.assign(render, { variables: compiled.variables });
}

/** Content that was never checked, or by an older version: only its plain variables are filled in. */
function compileMended(source: string, escaping: Escaping | null): Compiled {
  const rest = source
    .replace(/\{\{([^{}]*)\}\}/g, (found, inside: string) => (PLAIN_VARIABLE.test(inside) ? found : ""))
    .replace(/\\{0,9}\{\{(?!\{?[^{}]*\}\})/g, "\\{{"); // what is left open is text
  try {
    return compile(rest, escaping);
  } catch {
    return { write: (run) => write(run, rest), variables: [], expressionChars: 0 };
  }
}

function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .trim()
    .slice(0, MAX_SUBJECT_CHARS)
    .toWellFormed();
}

/** What `mailScope` is made of. */
export interface MailScopeInput {
  contact: { id: string | null; email: string; subscribed: boolean; data: Record<string, unknown> };
  /** The data of the request, which goes over that of the contact. */
  data?: Record<string, unknown> | null;
  urls: { unsubscribeUrl: string; subscribeUrl: string; manageUrl: string };
  /** What started a workflow. */
  event?: unknown;
}

/** The scope of one mail: the data at the top, and over it the reserved names, which no data can take. */
export function mailScope({ contact, data, urls, event }: MailScopeInput): Scope {
  const merged: Record<string, unknown> = { ...contact.data, ...data };
  const scope: Scope = {
    ...merged,
    id: contact.id,
    email: contact.email,
    subscribed: contact.subscribed,
    locale: typeof merged.locale === "string" ? merged.locale : null,
    data: merged,
    unsubscribeUrl: urls.unsubscribeUrl,
    subscribeUrl: urls.subscribeUrl,
    manageUrl: urls.manageUrl,
  };
  return event === undefined ? scope : { ...scope, event };
}
