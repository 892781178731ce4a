// Bodies that are as bad as they can be for their size: deep, wide, long, full of keys and of errors.
import { MAX_EXPRESSION_CHARS } from "../../src/content/handlebars/syntax.ts";

/** A body of a kind, of about so many bytes. Where a field is given it stands there, else it is the body itself. */
export interface WorstBody {
  shape: string;
  json(bytes: number): string;
}

const times = (count: number, of: (i: number) => string) =>
  Array.from({ length: Math.max(1, Math.floor(count)) }, (_, i) => of(i)).join();
const filled = (bytes: number, text: string) => text.repeat(Math.max(1, Math.floor(bytes / text.length)));
/** Joined by commas. */
const repeated = (count: number, item: string) =>
  `${item},`.repeat(Math.max(1, Math.floor(count))).slice(0, -1);
const list = (bytes: number, item: string) => `[${repeated(bytes / (item.length + 1), item)}]`;
/** Stands in each text for the number of the attempt: what was seen before may cost less. */
export const ATTEMPT = "@@";
const text = (bytes: number, part: string) => `"${ATTEMPT}${filled(bytes, part)}"`;
/** As long as the expressions of a template may be. */
const expressions = (part: string) => text(MAX_EXPRESSION_CHARS - part.length, part);

/** Every shape of a value. */
export const VALUES: WorstBody[] = [
  { shape: "deep lists", json: (n) => filled(n / 2, "[") + filled(n / 2, "]") },
  { shape: "deep lists that are not closed", json: (n) => filled(n, "[") },
  { shape: "deep objects", json: (n) => `${filled(n / 6, '{"a":')}1${filled(n / 30, "}")}` },
  { shape: "64 levels, over and over", json: (n) => list(n, `${"[".repeat(60)}${"]".repeat(60)}`) },
  { shape: "numbers", json: (n) => list(n, "1") },
  { shape: "numbers that are too large", json: (n) => list(n, "1e999") },
  { shape: "one long number", json: (n) => filled(n, "1") },
  { shape: "empty lists", json: (n) => list(n, "[]") },
  { shape: "empty objects", json: (n) => list(n, "{}") },
  { shape: "empty texts", json: (n) => list(n, '""') },
  { shape: "nulls", json: (n) => list(n, "null") },
  { shape: "addresses", json: (n) => list(n, '"a@b.io"') },
  { shape: "addresses that are none", json: (n) => list(n, '"a@@b"') },
  { shape: "ids", json: (n) => list(n, '"0190aaaa-0000-7000-8000-000000000000"') },
  { shape: "mailboxes without anything", json: (n) => list(n, '{"email":1,"name":1}') },
  { shape: "objects that all differ", json: (n) => `[${times(n / 14, (i) => `{"k${i}":${i}}`)}]` },
  { shape: "many keys", json: (n) => `{${times(n / 12, (i) => `"k${i}":${i}`)}}` },
  { shape: "many keys that are numbers", json: (n) => `{${times(n / 14, (i) => `"${i * 7919}":1`)}}` },
  { shape: "many long keys", json: (n) => `{${times(n / 160, (i) => `"${"k".repeat(140)}${i}":1e999`)}}` },
  {
    shape: "many keys for wrapped values",
    json: (n) => `{${times(n / 40, (i) => `"k${i}":{"value":1e999,"persistent":true}`)}}`,
  },
  { shape: "one key over and over", json: (n) => `{${repeated(n / 10, '"email":1')}}` },
  { shape: "__proto__ over and over", json: (n) => `{${repeated(n / 18, '"__proto__":{}')}}` },
  {
    shape: "__proto__ within itself",
    json: (n) => `${filled(Math.min(n, 900), '{"__proto__":')}1${filled(Math.min(n, 900) / 13, "}")}`,
  },
  {
    shape: "constructor and toString",
    json: (n) => `{${repeated(n / 60, '"constructor":{"prototype":{}},"toString":1,"toJSON":1')}}`,
  },
  { shape: "one long text", json: (n) => text(n, "x") },
  { shape: "spaces", json: (n) => text(n, " ") },
  { shape: "dots", json: (n) => text(n, "a.") },
  { shape: "signs of addresses", json: (n) => text(n, "a@") },
  { shape: "brackets", json: (n) => text(n, "<") },
  { shape: "quotes", json: (n) => text(n, '\\"') },
  { shape: "backslashes", json: (n) => text(n, "\\\\") },
  { shape: "escapes", json: (n) => text(n, "\\u00e9") },
  { shape: "NUL", json: (n) => text(n, "\\u0000") },
  { shape: "many texts with NUL", json: (n) => list(n, '"\\u0000"') },
  { shape: "many keys with half a character", json: (n) => `{${times(n / 16, (i) => `"\\ud800${i}":1`)}}` },
  { shape: "characters of three bytes", json: (n) => text(n / 3, "\u4e2d") },
  { shape: "a mailbox with a long name", json: (n) => `"\\"${filled(n, "\\\\a")} <a@b.io>"` },
  { shape: "an address with a long domain", json: (n) => `"a@${filled(n, "b")}.test"` },
  { shape: "an address with many labels", json: (n) => `"a@${filled(n, "b.")}test"` },
  { shape: "tags that are never closed", json: (n) => text(n, "<b>") },
  { shape: "ends of a body that are none", json: (n) => text(n, "</body") },
  { shape: "links", json: (n) => text(n, "<a href='http://a.io/?b'>c</a>") },
  { shape: "links without an end", json: (n) => text(n, "<a href='http://a.io/") },
  { shape: "comments without an end", json: (n) => text(n, "<!--") },
  { shape: "variables", json: (n) => text(n, "{{a}}") },
  { shape: "short expressions, as many as are allowed", json: () => expressions("{{a}}") },
  {
    shape: "long expressions, as many as are allowed",
    json: () => expressions("{{a ?? 'b'}}{{(c.d ?? e)}}"),
  },
  { shape: "blocks, as many as are allowed", json: () => expressions("{{#if a}}b{{else}}c{{/if}}") },
  { shape: "blocks without an end", json: (n) => text(n, "{{#if a}}") },
  { shape: "a comment with many lines", json: (n) => `"{{!${filled(n, "\\n")}}}"` },
  { shape: "many comments", json: (n) => text(n, "{{!}}\\n") },
  { shape: "expressions without an end", json: (n) => text(n, "{{a ?? ") },
  { shape: "braces", json: (n) => text(n, "{") },
  {
    shape: "a condition with many filters",
    json: (n) => condition(n, '{"field":"data.x","operator":"equals","value":[1,2,3]}'),
  },
  { shape: "a condition with faults", json: (n) => condition(n, "{}") },
  {
    shape: "a condition with many groups",
    json: (n) => `{"logic":"AND","groups":${list(n, '{"filters":[]}')}}`,
  },
  {
    shape: "a condition of conditions",
    json: (n) =>
      `${filled(Math.min(n, 700), '{"logic":"OR","groups":[{"conditions":')}1${filled(Math.min(n, 700) / 13, "}]}")}`,
  },
];

function condition(bytes: number, filter: string): string {
  return `{"logic":"AND","groups":[{"filters":${list(bytes, filter)}}]}`;
}

/** Shapes of a whole body that is no JSON, or no object. */
export const BODIES: WorstBody[] = [
  { shape: "nothing but spaces", json: (n) => filled(n, " ") },
  { shape: "no JSON", json: (n) => filled(n, "a") },
  { shape: "commas", json: (n) => filled(n, ",") },
  { shape: "a text without an end", json: (n) => `{"a":"${filled(n, "x")}` },
  { shape: "an escape without an end", json: (n) => `{"a":"${filled(n, "\\")}` },
  { shape: "closing brackets", json: (n) => filled(n, "]}") },
  ...VALUES,
];
