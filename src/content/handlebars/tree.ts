// From a template's source to Handlebars' syntax tree, with every complaint at an offset of the source.
import Handlebars from "handlebars";
import { readSyntax, refuse, type Syntax } from "./syntax.ts";

/** A template as a tree, with what is needed to report where something in it is. */
export interface SyntaxTree {
  program: hbs.AST.Program;
  syntax: Syntax;
  /** The offset of a place of the tree. */
  offsetOf(place: hbs.AST.Position): number;
}

/** Parses a template. Throws by `refuse`. */
export function parseTree(source: string): SyntaxTree {
  const syntax = readSyntax(source);
  const offsetOf = offsets(syntax.text);
  try {
    return { program: Handlebars.parse(syntax.text), syntax, offsetOf };
  } catch (error) {
    return refuseParsing(error, offsetOf);
  }
}

/** What the place is for a reader: the line and the column, from 1. */
export function positionAt(source: string, at: number): { line: number; column: number } {
  const lines = source.slice(0, at).split(/\r\n?|\n/);
  return { line: lines.length, column: lines.at(-1)!.length + 1 };
}

function offsets(text: string): SyntaxTree["offsetOf"] {
  let starts: number[] | null = null;
  return ({ line, column }) => {
    starts ??= [0, ...text.matchAll(/\r\n?|\n/g).map((end) => end.index + end[0].length)];
    return (starts[line - 1] ?? text.length) + column;
  };
}

interface Lexer {
  match: string;
  yylloc: { first_line: number; first_column: number };
}

/** Handlebars has the place either in the error or, when its grammar is broken, only in the state of its lexer. */
function refuseParsing(error: unknown, offsetOf: SyntaxTree["offsetOf"]): never {
  const { lineNumber, column, message } = error as { lineNumber?: number; column?: number; message: string };
  if (lineNumber !== undefined) {
    const at = offsetOf({ line: lineNumber, column: column ?? 0 });
    return refuse(message.replace(/ - \d+:\d+$/, ""), at);
  }
  const { lexer } = (Handlebars as unknown as { Parser: { lexer: Lexer } }).Parser;
  const at = offsetOf({ line: lexer.yylloc.first_line, column: lexer.yylloc.first_column });
  return refuse(`Unexpected ${JSON.stringify(lexer.match.slice(0, 20))} in an expression`, at);
}
