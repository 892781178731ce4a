// A field for HTML and MJML. It comes as a chunk of its own: load it with `lazyPage`.
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { html } from "@codemirror/lang-html";
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { useMantineStyleNonce } from "@mantine/core";
import { useEffect, useEffectEvent, useRef } from "react";
import { changeBetween } from "./change_between.ts";
import { completeCode } from "./expressions.ts";
import { codeLook } from "./look.ts";
import { MJML_TAGS } from "./mjml_tags.ts";

/** What is wrong at a place, from 1. Without a line it is about the whole. */
export interface Mark {
  line?: number | undefined;
  column?: number | undefined;
  /** How many letters it is about. Left out: the rest of the line. */
  length?: number;
  severity: "error" | "warning";
  message: string;
}

interface Props {
  /** For screen readers. */
  label: string;
  value: string;
  onChange: (value: string) => void;
  language: "html" | "mjml";
  /** The fields of contacts, offered after `{{`. */
  fields: string[];
  marks: Mark[];
  /** What Ctrl+S does. */
  save: () => void;
  /** What there is to take back, and to do again, from before the editor was there. */
  undo: () => void;
  redo: () => void;
  /** Where the cursor goes; null: nowhere. */
  place?: number | null;
  isReadOnly?: boolean;
}

const LANGUAGES = {
  html: html({ matchClosingTags: false }),
  mjml: html({ matchClosingTags: false, selfClosingTags: true, extraTags: MJML_TAGS }),
};

/**
 * The field. It fills its container. Tab indents; Escape and then Tab leads on. What is given as `value` replaces the text
 * where it differs, and can be undone.
 */
export default function CodeEditor(props: Props) {
  const { label, value, language, marks, isReadOnly = false } = props;
  const holder = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const spoken = useRef(new Compartment());
  const nonce = useMantineStyleNonce()?.() ?? "";
  const changed = useEffectEvent((text: string) => props.onChange(text));
  const save = useEffectEvent(() => props.save());
  const undo = useEffectEvent(() => props.undo());
  const redo = useEffectEvent(() => props.redo());
  const fields = useEffectEvent(() => props.fields);

  const make = useEffectEvent(() => {
    const saving = { key: "Mod-s", preventDefault: true, run: () => (save(), true) };
    // After those of the editor: they come when it has nothing to take back.
    const further = [
      { key: "Mod-z", preventDefault: true, run: () => (undo(), true) },
      { key: "Mod-y", mac: "Mod-Shift-z", preventDefault: true, run: () => (redo(), true) },
    ];
    return new EditorView({
      parent: holder.current!,
      state: EditorState.create({
        doc: value,
        extensions: [
          lineNumbers(),
          foldGutter(),
          lintGutter(),
          history(),
          drawSelection(),
          highlightActiveLine(),
          highlightActiveLineGutter(),
          highlightSelectionMatches(),
          bracketMatching(),
          closeBrackets(),
          indentOnInput(),
          indentUnit.of("  "),
          search({ top: true }),
          autocompletion({ override: [completeCode(() => fields())] }),
          spoken.current.of(LANGUAGES[language]),
          keymap.of([
            saving,
            ...closeBracketsKeymap,
            ...defaultKeymap,
            ...searchKeymap,
            ...historyKeymap,
            ...further,
            ...foldKeymap,
            ...completionKeymap,
            ...lintKeymap,
            indentWithTab,
          ]),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
          EditorState.readOnly.of(isReadOnly),
          // Otherwise the editor would make one kind of line ends of all, before anything is written.
          EditorState.lineSeparator.of(value.includes("\r\n") ? "\r\n" : "\n"),
          codeLook(nonce),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed(update.state.sliceDoc());
          }),
        ],
      }),
    });
  });

  useEffect(() => {
    const made = make();
    view.current = made;
    return () => made.destroy();
  }, [label, isReadOnly]);
  useEffect(() => {
    view.current?.dispatch({ effects: spoken.current.reconfigure(LANGUAGES[language]) });
  }, [language]);
  useEffect(() => {
    const now = view.current!;
    if (now.state.sliceDoc() !== value) now.dispatch({ changes: replacement(now.state, value) });
  }, [value]);
  useEffect(() => {
    const now = view.current!;
    now.dispatch(
      setDiagnostics(
        now.state,
        marks.map((mark) => diagnosticOf(now.state, mark)),
      ),
    );
  }, [marks]);

  const { place = null } = props;
  useEffect(() => {
    const now = view.current!;
    if (place === null) return;
    const at = Math.min(place, now.state.doc.length);
    now.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
    now.focus();
  }, [place]);

  return <div ref={holder} style={{ height: "100%", minHeight: 0 }} />;
}

/** As little as possible is replaced, so that the cursor stays where it is; places count every line end as one letter. */
function replacement(state: EditorState, value: string) {
  if (value.includes("\r")) return { from: 0, to: state.doc.length, insert: state.toText(value) };
  return changeBetween(state.doc.toString(), value) ?? [];
}

function diagnosticOf(
  { doc }: EditorState,
  { line = 1, column = 1, length, severity, message }: Mark,
): Diagnostic {
  const { from: start, to: end } = doc.line(Math.min(Math.max(line, 1), doc.lines));
  const from = Math.min(start + column - 1, end);
  const to = length === undefined ? end : Math.min(from + length, doc.length);
  // A fault at the end of a line is shown at its last letter.
  return { from: from === to ? Math.max(start, from - 1) : from, to, severity, message };
}
