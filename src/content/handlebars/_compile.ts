// A template's tree as functions that write its text. Handlebars itself would make JavaScript of it, whose work and
// output nothing bounds; here its tree is walked once, and what remains counts its steps.
import { readCall, readSubject, type Build, type ExpressionPlace } from "./_expressions.ts";
import {
  type Escaping,
  isBlank,
  isTruthy,
  noteShown,
  own,
  textOf,
  write,
  type Frame,
  type Rendering,
} from "./_rendering.ts";
import { refuse, TEXT_BRACE } from "./syntax.ts";
import { parseTree } from "./tree.ts";

/** What begins a round of a loop takes as long as that many steps. */
const STEPS_PER_ROUND = 4;

/** Writes a part of a template. */
export type Write = (run: Rendering, frame: Frame) => void;

/** A template that is ready to be rendered. */
export interface Compiled {
  write: Write;
  variables: readonly string[];
  /** What it is the size of. */
  expressionChars: number;
}

/** Compiles a template; without escaping its values are written as they are. Throws by `refuse`. */
export function compile(source: string, escaping: Escaping | null): Compiled {
  const build: Build = { tree: parseTree(source), variables: new Set(), reading: [], escaping };
  const top: ExpressionPlace = { outer: null, name: "", params: [], paramNames: [] };
  const compiled = compileProgram(build, top, build.tree.program);
  for (const at of build.tree.syntax.fallbacks.keys()) refuse('"??" is not possible here', at);
  const { expressionChars } = build.tree.syntax;
  return { write: compiled, variables: [...build.variables], expressionChars };
}

function compileProgram(build: Build, place: ExpressionPlace, program: hbs.AST.Program | undefined): Write {
  const writes = (program?.body ?? []).flatMap(
    (statement) => compileStatement(build, place, statement) ?? [],
  );
  return (run, frame) => {
    for (const each of writes) {
      if ((run.steps -= 1) < 0) return;
      each(run, frame);
    }
  };
}

function compileStatement(build: Build, place: ExpressionPlace, statement: hbs.AST.Statement): Write | null {
  switch (statement.type) {
    case "ContentStatement": {
      const text = (statement as hbs.AST.ContentStatement).value.replaceAll(TEXT_BRACE, "}");
      return text === "" ? null : (run) => write(run, text);
    }
    case "CommentStatement":
      return null;
    case "MustacheStatement":
      return compileMustache(build, place, statement as hbs.AST.MustacheStatement);
    case "BlockStatement":
      return compileBlock(build, place, statement as hbs.AST.BlockStatement);
    default:
      return refuse("This is not supported", build.tree.offsetOf(statement.loc.start));
  }
}

function compileMustache(build: Build, place: ExpressionPlace, statement: hbs.AST.MustacheStatement): Write {
  const read = readCall(build, place, statement);
  const names = taken(build);
  const escaping = statement.escaped ? build.escaping : null;
  const at = build.tree.offsetOf(statement.loc.start);
  const fallback = build.tree.syntax.fallbacks.get(at);
  if (fallback === undefined) {
    return (run, frame) => {
      if (run.shown) noteShown(run, names);
      print(run, read(run, frame), escaping);
    };
  }
  build.tree.syntax.fallbacks.delete(at);
  const literal = escaping ? escaping.literal(fallback) : fallback;
  return (run, frame) => {
    if (run.shown) noteShown(run, names);
    const value = read(run, frame);
    if (isBlank(value)) write(run, literal);
    else print(run, value, escaping);
  };
}

/** What was read since then. */
function taken({ reading }: Build): string[] {
  return reading.splice(0);
}

function print(run: Rendering, value: unknown, escaping: Escaping | null): void {
  const text = textOf(run, value);
  if (!escaping) return write(run, text);
  // Escaping only lengthens: what does not fit now need not be escaped.
  write(run, escaping.value(text.length > run.room + 1 ? text.slice(0, run.room + 1) : text));
}

function compileBlock(build: Build, place: ExpressionPlace, block: hbs.AST.BlockStatement): Write {
  switch (block.path.original) {
    case "if":
      return compileIf(build, place, block, true);
    case "unless":
      return compileIf(build, place, block, false);
    case "each":
      return compileEach(build, place, block);
    default:
      return compileWith(build, place, block);
  }
}

function compileIf(
  build: Build,
  place: ExpressionPlace,
  block: hbs.AST.BlockStatement,
  wanted: boolean,
): Write {
  refuseParams(build, block);
  const zeroIsTrue = readIncludeZero(build, block);
  const { read, name } = readSubject(build, place, block);
  const names = taken(build);
  // Whether there is a value is what is asked: one that is not there is no fault. What a helper compares should be there.
  const compared = name === null ? names : [];
  const main = compileProgram(build, place, block.program);
  const other = compileProgram(build, place, block.inverse);
  return (run, frame) => {
    if (run.shown) noteShown(run, compared);
    const value = read(run, frame);
    const holds = isTruthy(value) || (zeroIsTrue && value === 0);
    (holds === wanted ? main : other)(run, frame);
  };
}

function compileWith(build: Build, place: ExpressionPlace, block: hbs.AST.BlockStatement): Write {
  refuseHash(build, block);
  const { read, name } = readSubject(build, place, block);
  const names = taken(build);
  const main = compileProgram(build, placeWithin(place, block, name, null), block.program);
  const other = compileProgram(build, place, block.inverse);
  return (run, frame) => {
    if (run.shown) noteShown(run, names);
    const value = read(run, frame);
    if (!isTruthy(value) && value !== 0) return other(run, frame);
    main(run, { value, outer: frame, named: [value], loop: null });
  };
}

/** Paths of what is read inside are given without an index: `items.price`. */
function compileEach(build: Build, place: ExpressionPlace, block: hbs.AST.BlockStatement): Write {
  refuseHash(build, block);
  const { read, name } = readSubject(build, place, block);
  const names = taken(build);
  const main = compileProgram(build, placeWithin(place, block, name, null), block.program);
  const other = compileProgram(build, place, block.inverse);
  return (run, frame) => {
    if (run.shown) noteShown(run, names);
    const list = read(run, frame);
    const keys = Array.isArray(list) ? null : keysOf(run, list);
    const count = keys ? keys.length : (list as unknown[]).length;
    if (count === 0) return other(run, frame);
    for (let index = 0; index < count; index++) {
      if (run.steps < 0 || run.rounds <= 0) return;
      run.rounds -= 1;
      run.steps -= STEPS_PER_ROUND;
      const key = keys ? keys[index]! : index;
      const value = own(list, String(key));
      const loop = { index, key, first: index === 0, last: index === count - 1 };
      main(run, { value, outer: frame, named: [value, key], loop });
    }
  };
}

function keysOf(run: Rendering, value: unknown): string[] {
  const keys = typeof value === "object" && value !== null ? Object.keys(value) : [];
  run.steps -= keys.length;
  return keys;
}

function placeWithin(
  outer: ExpressionPlace,
  block: hbs.AST.BlockStatement,
  name: string | null,
  key: string | null,
): ExpressionPlace {
  const params = block.program?.blockParams ?? [];
  return { outer, name, params, paramNames: [name, key] };
}

function refuseParams(build: Build, block: hbs.AST.BlockStatement): void {
  if (!block.program?.blockParams?.length) return;
  refuse('"as |…|" is possible in each and with only', build.tree.offsetOf(block.loc.start));
}

function refuseHash(build: Build, block: hbs.AST.BlockStatement): void {
  const [pair] = block.hash?.pairs ?? [];
  if (!pair) return;
  refuse(`"${block.path.original}" has no option "${pair.key}"`, build.tree.offsetOf(pair.loc.start));
}

/** The one option of the blocks in Handlebars: `{{#if stock includeZero=true}}`. */
function readIncludeZero(build: Build, block: hbs.AST.BlockStatement): boolean {
  const [pair, ...more] = block.hash?.pairs ?? [];
  if (pair?.key !== "includeZero" || more.length > 0) return (refuseHash(build, block), false);
  return (pair.value as hbs.AST.BooleanLiteral).value === true;
}
