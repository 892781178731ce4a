// Undo and redo of a text, no matter who changed it: each step is the old text and the new one.
import { useState } from "react";
import { changeBetween } from "../../code/change_between.ts";

/** One step. */
interface Step {
  from: number;
  removed: string;
  inserted: string;
  /** What it was about: steps about the same thing that follow each other are one. */
  about: string;
  at: number;
}

/** The steps of a text. */
export interface TextHistory {
  past: Step[];
  future: Step[];
  /** The text after the last step. */
  text: string;
}

const MAX_STEPS = 500;
/** Typing that pauses for longer begins a new step. */
const PAUSE_MS = 1_000;

/** A history that begins with a text. */
export const newHistory = (text: string): TextHistory => ({ past: [], future: [], text });

/** Notes that the text is another one. */
export function record(history: TextHistory, text: string, about = "", now = Date.now()): void {
  const last = history.past.at(-1);
  const goesOn = last !== undefined && about !== "" && last.about === about && now - last.at < PAUSE_MS;
  const before = goesOn ? takenBack(history.text, history.past.pop()!) : history.text;
  const change = changeBetween(before, text);
  history.future = [];
  history.text = text;
  if (!change) return;
  const { from, to, insert } = change;
  history.past.push({ from, removed: before.slice(from, to), inserted: insert, about, at: now });
  if (history.past.length > MAX_STEPS) history.past.shift();
}

/** The text before the last step; null if there is none. */
export function undo(history: TextHistory): string | null {
  const step = history.past.pop();
  if (!step) return null;
  history.future.push(step);
  return (history.text = takenBack(history.text, step));
}

/** The text after the step that was taken back last; null if there is none. */
export function redo(history: TextHistory): string | null {
  const step = history.future.pop();
  if (!step) return null;
  // What follows is a step of its own.
  history.past.push({ ...step, at: 0 });
  const { from, removed, inserted } = step;
  return (history.text = history.text.slice(0, from) + inserted + history.text.slice(from + removed.length));
}

function takenBack(text: string, { from, removed, inserted }: Step): string {
  return text.slice(0, from) + removed + text.slice(from + inserted.length);
}

/** The history of a text that is changed here by `change`, and elsewhere without it: that is one step, too. */
export function useHistory(text: string, change: (text: string) => void) {
  const [history] = useState(() => newHistory(text));
  if (history.text !== text) record(history, text, "elsewhere");
  const step = (take: (history: TextHistory) => string | null) => {
    const next = take(history);
    if (next !== null) change(next);
  };
  return {
    edit(next: string, about?: string) {
      record(history, next, about);
      change(next);
    },
    undo: () => step(undo),
    redo: () => step(redo),
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
  };
}
