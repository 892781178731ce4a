// How code looks: the colours of the console, in both schemes.
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, MatchDecorator, ViewPlugin } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** Colours that both schemes have. */
const COLOURS = HighlightStyle.define([
  { tag: [tags.tagName, tags.keyword], color: "light-dark(#1f6070, #7cc3d1)" },
  { tag: [tags.attributeName, tags.propertyName], color: "light-dark(#6a4a86, #c3a5e0)" },
  { tag: [tags.string, tags.attributeValue], color: "light-dark(#6d5410, #d9b65c)" },
  { tag: [tags.number, tags.bool, tags.null, tags.unit, tags.color], color: "light-dark(#2f6b3f, #8fcf9f)" },
  { tag: [tags.comment, tags.angleBracket, tags.definitionOperator], color: "var(--faded)" },
]);

const EXPRESSION = Decoration.mark({ class: "cm-expression" });
const marker = new MatchDecorator({ regexp: /\{\{\{?[^{}]*\}?\}\}/g, decoration: EXPRESSION });

/** `{{…}}` stands out wherever it is. */
const expressions = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = marker.createDeco(view);
    }
    update(update: Parameters<typeof marker.updateDeco>[0]) {
      this.decorations = marker.updateDeco(update, this.decorations);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

const LOOK = EditorView.theme({
  "&": { height: "100%", fontSize: "13px", backgroundColor: "var(--sheet)", color: "var(--ink)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { overflow: "auto", fontFamily: "var(--mono)", lineHeight: "1.6" },
  ".cm-content": { caretColor: "var(--ink)", padding: "0.6rem 0" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--sheet)", color: "var(--faded)", border: "0" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--hover)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "light-dark(#ead9d0, #4a342d)",
  },
  ".cm-matchingBracket": { backgroundColor: "var(--tint)", color: "inherit" },
  ".cm-expression, .cm-expression span": { color: "var(--accent)" },
  ".cm-tooltip": {
    border: "1px solid var(--line)",
    borderRadius: "0.5rem",
    backgroundColor: "var(--raised)",
    color: "var(--ink)",
    overflow: "hidden",
  },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--tint)",
    color: "var(--ink)",
  },
  ".cm-tooltip-autocomplete > ul > li": { padding: "3px 8px" },
  ".cm-completionDetail": { color: "var(--faded)", fontStyle: "normal", marginLeft: "1em" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "650", color: "var(--accent)" },
  ".cm-panels": { backgroundColor: "var(--paper)", color: "var(--ink)" },
  ".cm-diagnostic": { padding: "6px 10px" },
  ".cm-collapsedLines": {
    background: "var(--hover)",
    color: "var(--faded)",
    padding: "4px 12px",
  },
  ".cm-changedLine, &.cm-merge-b .cm-changedLine": { backgroundColor: "var(--fine-tint)" },
  ".cm-deletedChunk": { backgroundColor: "var(--bad-tint)" },
});

/** The look of every editor. `nonce` is what the policy of the page lets styles in by. */
export const codeLook = (nonce: string): Extension => [
  EditorView.cspNonce.of(nonce),
  syntaxHighlighting(COLOURS),
  expressions,
  LOOK,
];
