// Ctrl+Z and Ctrl+Shift+Z, or Ctrl+Y, outside of fields: within one they take back its letters.
import { useEffect, useEffectEvent } from "react";

/** Listens as long as the page is shown. */
export function useUndoKeys(undo: () => void, redo: () => void): void {
  const act = useEffectEvent((event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || isField(event.target)) return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    if (key === "y" || event.shiftKey) redo();
    else undo();
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => act(event);
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}

const isField = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  target.closest("input:not([type=radio], [type=checkbox]), textarea, [contenteditable=true]") !== null;
