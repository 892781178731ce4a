// Ctrl+S, or ⌘S: browsers would save the page as a file.
import { useEffect, useEffectEvent } from "react";

/** Listens as long as the page is shown. */
export function useSaveKey(save: () => void): void {
  const act = useEffectEvent((event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
    // The editor has saved already.
    if (event.defaultPrevented) return;
    event.preventDefault();
    save();
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => act(event);
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}
