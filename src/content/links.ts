// The links of an HTML template. They are found and rewritten once, so that each mail only fills in its own part. The
// placeholder for that contains a secret of this process: no data of a contact can imitate it, so that no address is
// signed that the template does not link to.
import { randomBytes } from "node:crypto";
import { findHrefs } from "./_hrefs.ts";
import { createCache } from "../cache.ts";
import { type Expression, readSyntax } from "./handlebars/syntax.ts";
import { readTemplate } from "./handlebars/mod.ts";

const MAX_CACHED_TEMPLATES = 200;
const MAX_CACHED_BYTES = 20_000_000;
/**
 * No mail has this many links that anybody follows; signing 100,000 would take 0.6 s in one piece. The rest are not
 * tracked.
 */
const MAX_LINKS = 2_000;
/** From this size on, a template that has grown by its links is checked again, because there is a limit. */
const LARGE_CHARS = 500_000;

/** How a link is followed. */
export interface LinkSigner {
  /** What the address of every followed link begins with; the token of the mail, a dot and that of the link come next. */
  prefix: string;
  /** The token of a link of a project to this address; null if it is not to be followed. */
  sign(target: string, projectId: string): string | null;
}

/** Follows the links of templates. */
export interface LinkFollower {
  /** The template of a project with its links rewritten; unchanged where it cannot be read. Never throws. */
  rewrite(html: string, projectId: string): string;
  /** What was rendered from a rewritten template, with the token of the mail, and its own links signed. */
  complete(rendered: string, mailToken: string, projectId: string): string;
}

/** The same for one project. */
interface Signer {
  prefix: string;
  sign(target: string): string | null;
}

/** A follower of links. Templates that were rewritten last are kept. */
export function createLinkFollower({ prefix, sign }: LinkSigner): LinkFollower {
  // Tokens are letters and digits: nothing else of an address has to be escaped.
  const signerOf = (projectId: string): Signer => ({
    prefix: Bun.escapeHTML(prefix),
    sign: (target) => sign(target, projectId),
  });
  const rewritten = createCache<string>({
    maxEntries: MAX_CACHED_TEMPLATES,
    maxBytes: MAX_CACHED_BYTES,
  });
  return {
    rewrite(html, projectId) {
      const key = `${projectId} ${html}`;
      const known = rewritten.get(key);
      if (known !== undefined) return known;
      const made = rewriteOrLeave(html, signerOf(projectId));
      rewritten.set(key, made, (key.length + made.length) * 2);
      return made;
    },
    complete: (rendered, mailToken, projectId) => complete(rendered, mailToken, signerOf(projectId)),
  };
}

// ASCII, because one other letter doubles the memory of a mail; 128 bits, as hard to guess as a key.
const SECRET = randomBytes(16).toString("hex");
/** What comes behind the secret: the token of the mail goes here, a value begins (in such quotes), it ends. */
const TOKEN = "t";
const OPEN = { '"': "d", "'": "s", "": "u" } as const;
const CLOSE = "c";
/** What ends the value of an attribute in such quotes: with it in a value, the link is another one than it seems. */
const ENDS: Record<string, RegExp> = { d: /"/, s: /'/, u: /[\s>]/ };
/** A part of the secret that would say too much. */
const HEAD = SECRET.slice(0, 8);

/** The pages of a contact are its own: tracking them would give away who wants to unsubscribe. */
export const OWN_PAGE = /\b(?:unsubscribe|subscribe|manage)Url\b/;

function rewriteOrLeave(html: string, signer: Signer): string {
  if (!/\bhref\b/i.test(html)) return html;
  try {
    const made = rewrite(html, signer);
    return made.length > LARGE_CHARS && readTemplate(made, "html") === null ? html : made;
  } catch {
    return html;
  }
}

function rewrite(html: string, signer: Signer): string {
  const { text, expressions } = readSyntax(html);
  let out = "";
  let copied = 0;
  let next = 0;
  for (const { from, to, quote } of findHrefs(mask(text, expressions)).slice(0, MAX_LINKS)) {
    while (next < expressions.length && expressions[next]!.at < from) next += 1;
    const first = next;
    while (next < expressions.length && expressions[next]!.end <= to) next += 1;
    const value = html.slice(from, to);
    // Without quotes, a value ends for the browser where for us a block begins.
    const isPart = quote === "" && (html.startsWith("{{", to) || html.endsWith("}}", from));
    if (isPart || OWN_PAGE.test(value)) continue;
    const link = value.includes("{{")
      ? wrap(value, quote, text, expressions.slice(first, next))
      : follow(value, SECRET + TOKEN, signer);
    if (link === null) continue;
    out += html.slice(copied, from) + link;
    copied = to;
  }
  return out + html.slice(copied);
}

/** What `readSyntax` leaves of a comment. */
const EMPTY_COMMENT = /\{\{~?!\s*~?\}\}/g;

/** The template with its expressions hidden, nothing moved: what makes text is letters, and all else blanks. */
function mask(text: string, expressions: readonly Expression[]): string {
  let masked = "";
  let copied = 0;
  for (const expression of expressions) {
    const { at, end } = expression;
    masked += text.slice(copied, at) + (kindOf(text, expression) === "value" ? "x" : " ").repeat(end - at);
    copied = end;
  }
  return (masked + text.slice(copied)).replace(EMPTY_COMMENT, (comment) => " ".repeat(comment.length));
}

function kindOf(text: string, { at, end, sign }: Expression): "value" | "open" | "else" | "close" {
  if (sign === "#") return "open";
  if (sign === "/") return "close";
  return sign === "^" || /^\{\{~?\s*else\b/.test(text.slice(at, end)) ? "else" : "value";
}

/** A value that is known when it is rendered; null if a block begins in it and ends elsewhere, or the reverse. */
function wrap(
  value: string,
  quote: keyof typeof OPEN,
  text: string,
  inside: readonly Expression[],
): string | null {
  let depth = 0;
  for (const expression of inside) {
    const kind = kindOf(text, expression);
    if (depth === 0 && (kind === "else" || kind === "close")) return null;
    if (kind === "open") depth += 1;
    else if (kind === "close") depth -= 1;
  }
  return depth === 0 ? SECRET + OPEN[quote] + value + SECRET + CLOSE : null;
}

/** The address through which a link is tracked, as HTML (as is the prefix); null if it stays unchanged. */
function follow(value: string, mailToken: string, signer: Signer): string | null {
  const target = targetOf(value);
  const token = target === null ? null : signer.sign(target);
  return token === null ? null : `${signer.prefix}${mailToken}.${token}`;
}

/** The address that a browser would open, as written; null if it is not a web address. */
export function targetOf(value: string): string | null {
  const text = decodeReferences(value);
  const target = text === null ? "" : withoutBlanks(text);
  if (!/^https?:/i.test(target) || /\p{Cc}/u.test(target)) return null;
  return URL.canParse(target) ? target.toWellFormed() : null;
}

/** Removes what every browser removes from an address: surrounding blanks, and line breaks and tabs in it. */
function withoutBlanks(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && text.charCodeAt(from) <= 0x20) from += 1;
  while (to > from && text.charCodeAt(to - 1) <= 0x20) to -= 1;
  return text.slice(from, to).replace(/[\t\n\r]+/g, "");
}

/** References for characters of addresses; `&eacute;` and the like do not belong in one. */
const REFERENCES = new Map(
  Object.entries({
    amp: "&",
    lt: "<",
    gt: ">",
    quot: '"',
    apos: "'",
    equals: "=",
    quest: "?",
    num: "#",
    sol: "/",
    colon: ":",
    semi: ";",
    comma: ",",
    period: ".",
    plus: "+",
    percnt: "%",
    lowbar: "_",
    commat: "@",
    excl: "!",
    ast: "*",
    dollar: "$",
    lpar: "(",
    rpar: ")",
    lsqb: "[",
    rsqb: "]",
  }),
);

/** The text of an attribute. Null with a reference that is not known here. */
function decodeReferences(value: string): string | null {
  if (!value.includes("&")) return value;
  let isKnown = true;
  // Without a semicolon a name is one only where nothing follows that could belong to it: `?a=1&lt=2` is plain text.
  const pattern = /&(?:#(\d+);?|#[xX]([\da-fA-F]+);?|(\w+);|(amp|lt|gt|quot)(?![\w=]))/g;
  const text = value.replace(pattern, (_, decimal?: string, hex?: string, name?: string, bare?: string) => {
    const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : null;
    const char = code === null ? REFERENCES.get((name ?? bare)!) : charOf(code);
    isKnown &&= char !== undefined;
    return char ?? "";
  });
  return isKnown ? text : null;
}

function charOf(code: number): string | undefined {
  // From 128 to 159 browsers see another character.
  const isChar = code > 0 && (code < 0x80 || code > 0x9f) && code <= 0x10ffff && (code & ~0x7ff) !== 0xd800;
  return isChar ? String.fromCodePoint(code) : undefined;
}

function complete(rendered: string, mailToken: string, signer: Signer): string {
  const [start, ...pieces] = rendered.split(SECRET);
  let out = start!;
  let links = 0;
  for (let i = 0; i < pieces.length; i++) {
    const kind = pieces[i]![0] ?? "";
    const rest = pieces[i]!.slice(1);
    if (kind === TOKEN) out += mailToken;
    if (!(kind in ENDS) || pieces[i + 1]?.[0] !== CLOSE) {
      out += rest;
      continue;
    }
    const isFollowed = (links += 1) <= MAX_LINKS && !ENDS[kind]!.test(rest);
    out += (isFollowed ? follow(rest, mailToken, signer) : null) ?? rest;
    i += 1;
    out += pieces[i]!.slice(1);
  }
  return withoutRest(out);
}

/** A mail of more than 5 MB is cut off, and that may be in the middle of the secret. */
function withoutRest(text: string): string {
  const at = text.indexOf(HEAD, Math.max(0, text.length - SECRET.length));
  return at !== -1 && SECRET.startsWith(text.slice(at)) ? text.slice(0, at) : text;
}
