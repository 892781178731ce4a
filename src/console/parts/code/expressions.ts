// What is offered after `{{`: the fields of contacts, the names that are always there, helpers and blocks.
import {
  type Completion,
  CompletionContext,
  type CompletionResult,
  type CompletionSource,
  snippetCompletion,
} from "@codemirror/autocomplete";
import { forceParsing } from "@codemirror/language";
import { ALWAYS, BLOCKS, HELPERS, writtenName } from "./names.ts";

/** For how long the text is parsed before what was typed meanwhile has its turn, in milliseconds. */
const SLICE = 50;

/** Completes within `{{…}}`; elsewhere what the language of the place does: tags, attributes, styles. */
export function completeCode(fields: () => string[]): CompletionSource {
  const within = completeExpressions(fields);
  return async (context) => {
    const found = within(context);
    if (found) return found;
    const read = await readUpToPlace(context);
    if (!read) return null;
    for (const source of read.state.languageDataAt<CompletionSource>("autocomplete", read.pos)) {
      const other = await source(read);
      if (other) return other;
    }
    return null;
  };
}

/**
 * The place, in a text that is parsed as far as that; null where it was changed meanwhile. An editor parses for 20 ms after a
 * change and goes on when it is idle; what it has not come to would be completed as if the text ended there.
 */
async function readUpToPlace({ state, pos, explicit, view }: CompletionContext) {
  while (view?.state.doc === state.doc) {
    if (forceParsing(view, pos, SLICE)) return new CompletionContext(view.state, pos, explicit, view);
    await new Promise((done) => setTimeout(done));
  }
  return null;
}

/** Completes within `{{…}}`. `fields` are those of contacts, such as `firstName`. */
function completeExpressions(fields: () => string[]) {
  return (context: CompletionContext): CompletionResult | null => {
    const open = context.matchBefore(/\{\{[^{}\n]*/);
    if (!open) return null;
    const word = /[#/]?[\w.]*$/.exec(open.text)![0];
    const before = open.text.slice(2, open.text.length - word.length).trim();
    const from = context.pos - word.length;
    const isClosed = context.state.sliceDoc(context.pos, context.pos + 2) === "}}";
    return { from, options: optionsOf(fields(), before, isClosed), validFor: /^[#/]?[\w.]*$/ };
  };
}

function optionsOf(fields: string[], before: string, isClosed: boolean): Completion[] {
  const isFirst = before === "" || before === "{";
  const end = isClosed || !isFirst ? "" : "}}";
  const values = [
    ...fields.map((name) => ({ name, detail: "field of contacts", boost: 2 })),
    ...Object.entries(ALWAYS)
      .filter(([name]) => !fields.includes(name))
      .map(([name, detail]) => ({ name, detail, boost: 1 })),
  ].map(({ name, detail, boost }): Completion => ({
    label: name,
    detail,
    boost,
    type: "variable",
    apply: writtenName(name) + end,
  }));
  const isCall = isFirst || before.endsWith("(");
  const helpers = !isCall
    ? []
    : Object.entries(HELPERS).map(([label, [written, detail]]) =>
        snippetCompletion(written + end, { label, detail, type: "function" }),
      );
  const blocks = !isFirst
    ? []
    : Object.entries(BLOCKS).map(([label, [written, detail]]) =>
        snippetCompletion(isClosed ? written.replace(/\}\}$/, "") : written, {
          label,
          detail,
          type: "keyword",
        }),
      );
  return [...values, ...helpers, ...blocks];
}
