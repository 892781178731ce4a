// Words that are not saved yet. A form says so here; the console asks before they are lost.
import { createContext, useContext, useLayoutEffect, useRef } from "react";
import { addDraft, type Draft } from "../leaving.ts";

/** The dialog that something is written in. */
export interface FormScope {
  /** What is being written in it. */
  drafts: Set<Draft>;
  /** Whether the address opens it: the back button closes it, then. */
  isInAddress: boolean;
}

/** Set by `FormDialog`, which asks before it is closed. Null: on a page. */
export const FormScopeContext = createContext<FormScope | null>(null);

/**
 * Has the console ask before the page, or the dialog, is left while this is true: `useUnsaved(draft.isChanged)`. A function is
 * called when somebody leaves. `discard` is called when they have chosen to lose it.
 */
export function useUnsaved(isUnsaved: boolean | (() => boolean), discard?: () => void): void {
  // Not an event of effects: it is asked while something is rendered, too.
  const latest = useRef({ isUnsaved, discard });
  useLayoutEffect(() => void (latest.current = { isUnsaved, discard }));
  const dialog = useContext(FormScopeContext);
  // Over before the next page is shown, and not after it: what is gone keeps nobody back.
  useLayoutEffect(() => {
    const draft: Draft = {
      isUnsaved() {
        const { isUnsaved: now } = latest.current;
        return typeof now === "function" ? now() : now;
      },
      isInAddress: dialog?.isInAddress ?? false,
      discard: () => latest.current.discard?.(),
    };
    const remove = addDraft(draft);
    dialog?.drafts.add(draft);
    return () => {
      remove();
      dialog?.drafts.delete(draft);
    };
  }, [dialog]);
}
