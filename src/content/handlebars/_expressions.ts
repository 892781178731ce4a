// The expressions of a template as functions that read a value: paths, keys with spaces, literals and helpers.
import { type Escaping, isBlank, own, type Frame, type Rendering } from "./_rendering.ts";
import { BLOCKS, refuse } from "./syntax.ts";
import { helpers, type Helper } from "./_helpers.ts";
import type { SyntaxTree } from "./tree.ts";

/** Reads a value while rendering. */
export type Read = (run: Rendering, frame: Frame) => unknown;

/** A template on its way to being compiled. */
export interface Build {
  tree: SyntaxTree;
  /** Null: values are written as they are. */
  escaping: Escaping | null;
  /** The paths it reads, from the top of the scope. */
  variables: Set<string>;
  /** Those that were read since somebody took them, in their order. */
  reading: string[];
}

/** The position of an expression. Names are paths from the top of the scope, or null if that is unknown. */
export interface ExpressionPlace {
  outer: ExpressionPlace | null;
  /** The path of `this`: "" at the top. */
  name: string | null;
  /** What `as |a b|` names, and the paths of that. */
  params: readonly string[];
  paramNames: readonly (string | null)[];
}

/** A value that a block is about, and its path. */
export interface Subject {
  read: Read;
  name: string | null;
}

interface HelperCall {
  path: hbs.AST.PathExpression | hbs.AST.Literal;
  params: hbs.AST.Expression[];
  hash?: hbs.AST.Hash | undefined;
  loc: hbs.AST.SourceLocation;
}

type Path = Pick<hbs.AST.PathExpression, "data" | "depth" | "parts" | "original">;

/** Reads what is between the braces, or the parentheses: a variable, a key with spaces or a helper with values. */
export function readCall(build: Build, place: ExpressionPlace, call: HelperCall): Read {
  const path = pathOf(call.path);
  if (call.params.length === 0 && !call.hash) return readPath(build, place, path).read;
  const words = wordsOf(build, call.path, call.params, call.hash);
  const helper = call.path.type === "PathExpression" ? helpers.get(path.original) : undefined;
  if (helper) {
    const result = readHelper(build, place, call, helper);
    if (!words) return result;
    // "date of birth" is a key when the scope has it, and otherwise the helper `date`.
    return (run, frame) => {
      const found = own(frame.value, words.parts[0]!);
      return words.parts.length === 1 && found !== undefined ? found : result(run, frame);
    };
  }
  const at = build.tree.offsetOf(call.path.loc.start);
  if (BLOCKS.has(path.original))
    return refuse(`"${path.original}" opens a block: "{{#${path.original} …}}"`, at);
  if (words) return readPath(build, place, words).read;
  return refuse(`"${path.original}" is unknown: the helpers are ${[...helpers.keys()].join(", ")}`, at);
}

/** Reads the one value that a block is about. */
export function readSubject(build: Build, place: ExpressionPlace, block: hbs.AST.BlockStatement): Subject {
  const [first, ...rest] = block.params;
  if (first && rest.length === 0) return readExpression(build, place, first);
  const words =
    first?.type === "PathExpression" && wordsOf(build, first as hbs.AST.PathExpression, rest, undefined);
  if (words) return readPath(build, place, words);
  return refuse(`"{{#${block.path.original}}}" takes one value`, build.tree.offsetOf(block.loc.start));
}

function readExpression(build: Build, place: ExpressionPlace, node: hbs.AST.Expression): Subject {
  switch (node.type) {
    case "PathExpression":
      return readPath(build, place, node as hbs.AST.PathExpression);
    case "SubExpression":
      return { read: readInner(build, place, node as hbs.AST.SubExpression), name: null };
    default: {
      const { value } = node as hbs.AST.Literal & { value?: unknown };
      return { read: () => value, name: null };
    }
  }
}

function readInner(build: Build, place: ExpressionPlace, node: hbs.AST.SubExpression): Read {
  const read = readCall(build, place, node);
  const at = build.tree.offsetOf(node.loc.start);
  const fallback = build.tree.syntax.fallbacks.get(at);
  if (fallback === undefined) return read;
  build.tree.syntax.fallbacks.delete(at);
  return (run, frame) => {
    const value = read(run, frame);
    return isBlank(value) ? fallback : value;
  };
}

function readHelper(build: Build, place: ExpressionPlace, call: HelperCall, helper: Helper): Read {
  const name = pathOf(call.path).original;
  const at = build.tree.offsetOf(call.path.loc.start);
  const { least, most } = helper;
  if (call.params.length < least || call.params.length > most) {
    const count = least === most ? `${least}` : `${least} to ${most}`;
    const hint = `a key with spaces is written "(first name)" or "[first name]"`;
    return refuse(`"${name}" takes ${count} value${most === 1 ? "" : "s"}: ${hint}`, at);
  }
  const reads = call.params.map((param) => readExpression(build, place, param).read);
  const pairs = (call.hash?.pairs ?? []).map((pair) => {
    const known = helper.named.includes(pair.key);
    if (!known) refuse(`"${name}" has no option "${pair.key}"`, build.tree.offsetOf(pair.loc.start));
    return [pair.key, readExpression(build, place, pair.value).read] as const;
  });
  return (run, frame) => {
    run.steps -= 2 + reads.length;
    if (run.steps < 0) return undefined;
    const values = reads.map((read) => read(run, frame));
    const named = Object.fromEntries(pairs.map(([key, read]) => [key, read(run, frame)]));
    return helper.call(run, values, named);
  };
}

/** A literal at the place of a variable is a key: `{{"first name"}}`, `{{12}}`. */
function pathOf(path: HelperCall["path"]): Path {
  if (path.type === "PathExpression") return path as hbs.AST.PathExpression;
  const key = String((path as hbs.AST.Literal & { original?: unknown }).original);
  return { data: false, depth: 0, parts: [key], original: key };
}

/** `first name` and `data.first name` as a path whose key has spaces; null when not every word is a plain one. */
function wordsOf(
  build: Build,
  first: HelperCall["path"],
  rest: HelperCall["params"],
  hash: HelperCall["hash"],
): Path | null {
  const last = rest.at(-1);
  if (hash || !last || first.type !== "PathExpression") return null;
  const { text } = build.tree.syntax;
  const from = build.tree.offsetOf(first.loc.start);
  const to = build.tree.offsetOf(last.loc.end);
  if (/["'()[\]=|@]/.test(text.slice(from, to))) return null;
  const path = first as hbs.AST.PathExpression;
  const words = text.slice(build.tree.offsetOf(first.loc.end), to).replace(/\s+/g, " ");
  const parts = [...path.parts.slice(0, -1), ...`${path.parts.at(-1) ?? ""}${words}`.trim().split(".")];
  return { data: false, depth: path.depth, parts, original: `${path.original}${words}` };
}

function readPath(build: Build, place: ExpressionPlace, path: Path): Subject {
  const found = path.data ? readLoop(path) : (findParam(place, path) ?? readVariable(place, path));
  if (found.name) {
    build.variables.add(found.name);
    build.reading.push(found.name);
  }
  return found;
}

function readVariable(place: ExpressionPlace, path: Path): Subject {
  const name = join(placeAt(place, path.depth)?.name, path.parts);
  const [key, ...deeper] = path.parts;
  if (path.depth === 0 && key !== undefined && deeper.length === 0) {
    return { read: (_, frame) => own(frame.value, key), name };
  }
  const { depth, parts } = path;
  return { read: (run, frame) => walk(run, frameAt(frame, depth)?.value, parts), name };
}

/** `@root`, and `@index @key @first @last` of the loop around, or of the one around that: `@../index`. */
function readLoop({ depth, parts: [key = "", ...deeper] }: Path): Subject {
  if (key === "root") return { read: (run) => walk(run, run.root, deeper), name: join("", deeper) };
  const read: Read = (run, frame) => {
    let hops = depth;
    for (let at: Frame | null = frame; at; at = at.outer) {
      if (at.loop && hops-- <= 0) return walk(run, own(at.loop, key), deeper);
    }
    return undefined;
  };
  return { read, name: null };
}

/** What a block around has named `as |item|`. */
function findParam(
  place: ExpressionPlace,
  { depth, original, parts: [key = "", ...deeper] }: Path,
): Subject | null {
  if (depth > 0 || /^(\.|this\b)/.test(original)) return null;
  let hops = 0;
  for (let at: ExpressionPlace | null = place; at; at = at.outer, hops++) {
    const index = at.params.indexOf(key);
    if (index === -1) continue;
    const up = hops;
    const read: Read = (run, frame) => walk(run, frameAt(frame, up)?.named[index], deeper);
    return { read, name: join(at.paramNames[index], deeper) };
  }
  return null;
}

function placeAt(place: ExpressionPlace, depth: number): ExpressionPlace | null {
  let at: ExpressionPlace | null = place;
  for (let left = depth; left > 0 && at; left--) at = at.outer;
  return at;
}

function frameAt(frame: Frame, depth: number): Frame | null {
  let at: Frame | null = frame;
  for (let left = depth; left > 0 && at; left--) at = at.outer;
  return at;
}

function walk(run: Rendering, value: unknown, parts: readonly string[]): unknown {
  let at = value;
  for (const part of parts) {
    run.steps -= 1;
    at = own(at, part);
    if (at === undefined) return undefined;
  }
  return at;
}

function join(base: string | null | undefined, parts: readonly string[]): string | null {
  if (base === null || base === undefined) return null;
  return (base ? [base, ...parts] : parts).join(".");
}
