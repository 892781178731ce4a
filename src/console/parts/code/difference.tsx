// What differs between two texts, with the lines around it. It comes as a chunk of its own: load it with `lazyPage`.
import { html } from "@codemirror/lang-html";
import { unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import { useMantineStyleNonce } from "@mantine/core";
import { useEffect, useRef } from "react";
import { codeLook } from "./look.ts";

interface Props {
  before: string;
  after: string;
  /** For screen readers. */
  label: string;
}

/** Lines around a change, and how many that are the same are folded. */
const AROUND = { margin: 3, minSize: 6 };
/** How long is looked for the best comparison of large texts. */
const LOOKING = { scanLimit: 500, timeout: 500 };

/** The new text, with what was taken away above what came in its place. */
export default function Difference({ before, after, label }: Props) {
  const holder = useRef<HTMLDivElement>(null);
  const nonce = useMantineStyleNonce()?.() ?? "";
  useEffect(() => {
    const view = new EditorView({
      parent: holder.current!,
      state: EditorState.create({
        doc: after,
        extensions: [
          codeLook(nonce),
          lineNumbers(),
          html({ matchClosingTags: false }),
          EditorState.readOnly.of(true),
          EditorView.editable.of(false),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
          unifiedMergeView({
            original: before,
            mergeControls: false,
            gutter: true,
            collapseUnchanged: AROUND,
            diffConfig: LOOKING,
          }),
        ],
      }),
    });
    return () => view.destroy();
  }, [before, after, label, nonce]);
  return <div ref={holder} />;
}
