// The expressions of MJML are taken out before it is compiled and brought back afterwards: its compiler knows nothing
// of them, and would split, escape or drop them.
import { type Expression, readSyntax } from "../handlebars/syntax.ts";

/** A part of the source that the compiler does not see. A comment becomes nothing. */
export interface Piece {
  at: number;
  end: number;
  kind: "value" | "block" | "comment";
}

/** What an expression is replaced by, with its number: a word that is nowhere else. */
export interface Placeholders {
  of(index: number): [begin: string, end: string];
  /** The numbers of the expressions whose words are in a text. */
  in(text: string): Set<number>;
  /** Replaces every word by what `sourceOf` returns for it. */
  replace(text: string, sourceOf: (index: number) => string): string;
}

/** The expressions and comments of a source that can be read, in their order. */
export function piecesOf(body: string): Piece[] {
  if (!body.includes("{{")) return [];
  const { text, expressions } = readSyntax(body);
  const pieces = expressions.map((expression): Piece => {
    return { at: expression.at, end: expression.end, kind: isBlock(body, expression) ? "block" : "value" };
  });
  let next = 0;
  // In this text every comment is an empty one; what looks like one in an expression is a part of it.
  for (const { index: at, 0: comment } of text.matchAll(/(?<!(?<!\\)\\)\{\{~?!\s*~?\}\}/g)) {
    while (next < expressions.length && expressions[next]!.end <= at) next += 1;
    if ((expressions[next]?.at ?? Infinity) <= at) continue;
    pieces.push({ at, end: at + comment.length, kind: "comment" });
  }
  return pieces.sort((a, b) => a.at - b.at);
}

function isBlock(body: string, { at, end, sign }: Expression): boolean {
  return /^[#/^]$/.test(sign) || /^\{\{~?\s*else\b/.test(body.slice(at, end));
}

/** The source in its full length with a letter for each of an expression, and blanks for comments. */
export function blankOut(body: string, pieces: readonly Piece[]): string {
  return rewrite(body, pieces, ({ at, end, kind }) =>
    body.slice(at, end).replace(/[^\n]/g, kind === "comment" ? " " : "x"),
  );
}

/** The source with words for expressions, and nothing for comments. Every line is still the same line. */
export function putWords(
  body: string,
  pieces: readonly Piece[],
  words: Placeholders,
  around: { before(piece: Piece): string; behind(piece: Piece): string },
): string {
  return rewrite(body, pieces, (piece, index) => {
    const lines = body.slice(piece.at, piece.end).replace(/[^\n]/g, "");
    if (piece.kind === "comment") return lines;
    const [begin, end] = words.of(index);
    return around.before(piece) + begin + lines + end + around.behind(piece);
  });
}

function rewrite(
  body: string,
  pieces: readonly Piece[],
  make: (piece: Piece, index: number) => string,
): string {
  let made = "";
  let copied = 0;
  pieces.forEach((piece, index) => {
    made += body.slice(copied, piece.at) + make(piece, index);
    copied = piece.end;
  });
  return made + body.slice(copied);
}

/** Words that `body` does not hold. Letters and digits, so that they may stand wherever an expression may. */
export function newWords(body: string): Placeholders {
  let stem: string;
  do stem = `q${crypto.randomUUID().slice(0, 8)}x`;
  while (body.includes(stem));
  const words = new RegExp(`${stem}(\\d+)\\s*z`, "g");
  return {
    of: (index) => [`${stem}${index}`, "z"],
    in: (text) => new Set([...text.matchAll(words)].map(([, index]) => Number(index))),
    replace: (text, sourceOf) => text.replace(words, (_, index: string) => sourceOf(Number(index))),
  };
}
