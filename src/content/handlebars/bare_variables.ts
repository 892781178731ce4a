// The variables that leave a gap in a mail where a contact has no value for them.
import { compile } from "./_compile.ts";
import { type Expression, readSyntax } from "./syntax.ts";

/** An expression that says what to show instead. */
const HAS_FALLBACK = /\?\?|[({\s]default\s/;

/**
 * The paths that a template shows as they are: without a fallback, outside of blocks that test them, and outside of
 * lists, whose items are not the contact's. In the order of their first appearance. Never throws.
 */
export function bareVariables(source: string): string[] {
  try {
    return [...findBare(source, readSyntax(source).expressions)];
  } catch {
    return [];
  }
}

function findBare(source: string, expressions: readonly Expression[]): Set<string> {
  const found = new Set<string>();
  /** What each open block tests; null: inside of it names mean something else. */
  const blocks: (readonly string[] | null)[] = [];
  for (const { at, end, sign } of expressions) {
    const text = source.slice(at, end);
    if (sign === "#") blocks.push(testedBy(text));
    else if (sign === "/") blocks.pop();
    else if (sign !== "^" && !/^\{\{~?\s*else\b/.test(text)) {
      if (blocks.includes(null) || HAS_FALLBACK.test(text)) continue;
      for (const path of variablesOf(text))
        if (!blocks.some((tested) => tested!.includes(path))) found.add(path);
    } else {
      // Behind an else, whatever the block tests so far may be missing or not: all of it counts as tested.
      const tested = blocks.at(-1);
      const more = /^\{\{~?\s*else\s+(if|unless)\b/.test(text) ? variablesOf(asBlock(text)) : [];
      if (tested) blocks[blocks.length - 1] = [...tested, ...more];
    }
  }
  return found;
}

function testedBy(opening: string): readonly string[] | null {
  const name = /^\{\{~?#\s*(\w+)/.exec(opening)?.[1];
  return name === "if" || name === "unless" ? variablesOf(`${opening}{{/${name}}}`) : null;
}

/** `{{else if a}}` as a block of its own. */
function asBlock(text: string): string {
  const name = /else\s+(\w+)/.exec(text)![1]!;
  return `${text.replace(/else\s+/, "#")}{{/${name}}}`;
}

function variablesOf(source: string): readonly string[] {
  try {
    return compile(source, null).variables;
  } catch {
    return [];
  }
}
