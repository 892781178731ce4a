// Keeps what is being written in this browser, as long as it is not saved.
import { useCallback, useEffect, useRef } from "react";
import { forgetDraft, keepDraft } from "./kept_drafts.ts";

/** How long the typing pauses before it is kept. */
const PAUSE_MS = 400;

/**
 * Keeps a value under a name as long as it is not null, when the typing pauses and when the page or the window goes. `written` is that part of
 * it which is another object after each change. Returns what forgets it.
 */
export function useKept<T>(name: string, value: T | null, written: unknown): () => void {
  const latest = useRef({ value, written });
  const isKept = useRef(value !== null);
  // The page is there for a moment longer than what somebody has thrown away.
  const dropped = useRef<unknown>(null);
  useEffect(() => {
    const isDropped = value !== null && written === dropped.current;
    latest.current = { value: isDropped ? null : value, written };
    const write = () => {
      if (value !== null && written === dropped.current) return;
      if (value !== null) isKept.current = keepDraft(name, value);
      else if (isKept.current) {
        forgetDraft(name);
        isKept.current = false;
      }
    };
    const timer = setTimeout(write, PAUSE_MS);
    return () => clearTimeout(timer);
  });
  useEffect(() => {
    const write = () => void (latest.current.value !== null && keepDraft(name, latest.current.value));
    window.addEventListener("pagehide", write);
    document.addEventListener("visibilitychange", write);
    return () => {
      window.removeEventListener("pagehide", write);
      document.removeEventListener("visibilitychange", write);
      // The page may go before the typing pauses, by the end of the session for one.
      write();
    };
  }, [name]);
  return useCallback(() => {
    dropped.current = latest.current.value === null ? null : latest.current.written;
    latest.current = { value: null, written: null };
    isKept.current = false;
    forgetDraft(name);
  }, [name]);
}
