// The question that is asked now. `confirm.tsx` shows it.
import { type ReactNode, useSyncExternalStore } from "react";

/** What is about to happen. */
export interface Question {
  /** `Delete 3 contacts?` */
  title: string;
  /** What it touches, with the counts, and what stays. */
  children: ReactNode;
  /** The word on the button: `Delete`. Left out where it cannot be done: then the dialog says why. */
  action?: string;
  /** The word on the other one. Left out: `Cancel`. */
  stay?: string;
  /** Whether something is lost by it, which the button's colour says. Left out: it is. */
  isDestructive?: boolean;
  /** What has to be typed first, for what takes a lot along: the name of the thing. */
  typed?: string;
  /** Does it. The dialog stays open, with the reason, where it is refused. */
  act?: () => Promise<unknown>;
}

/** On which page something is asked: its path. */
export interface AskedQuestion extends Question {
  at: string;
}

let asked: AskedQuestion | null = null;
const listeners = new Set<() => void>();

/** Asks something, or, with null, nothing any more. */
export function ask(question: Question | null): void {
  asked = question && { ...question, at: window.location.pathname };
  for (const listener of listeners) listener();
}

/** Asks before something is destroyed: `confirm({ title: "Delete 3 contacts?", children: …, action: "Delete", act })`. */
export const confirm = (question: Question) => ask(question);

/** What is asked now; null: nothing. */
export function useQuestion(): AskedQuestion | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => asked,
  );
}
