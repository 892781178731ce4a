// What is being written, kept in this browser until it is saved: a window that closes, a crash or a lost connection loses
// nothing. Kept by user, so that nobody finds the words of another.

const START = "postrider.draft.";
const KEPT_DRAFTS = 20;
const KEPT_MS = 30 * 86_400_000;

/** A draft, with the time when it was written. */
export interface KeptDraft<T> {
  value: T;
  /** Milliseconds since 1970. */
  at: number;
}

/** The draft of this name, such as `<user>.<project>.template.<id>`; null if there is none. */
export function keptDraft<T>(name: string): KeptDraft<T> | null {
  try {
    return JSON.parse(localStorage.getItem(START + name) ?? "null") as KeptDraft<T> | null;
  } catch {
    return null;
  }
}

/** Keeps it. Where the browser has no room the oldest ones go first, unless that does not help: it is false then. */
export function keepDraft(name: string, value: unknown): boolean {
  const text = JSON.stringify({ value, at: Date.now() });
  const others = othersOf(name);
  while (others.length >= KEPT_DRAFTS || isOld(others[0])) drop(others);
  const dropped: [key: string, text: string][] = [];
  for (;;) {
    try {
      localStorage.setItem(START + name, text);
      return true;
    } catch {
      if (others.length === 0) break;
      dropped.push([others[0]!.key, localStorage.getItem(others[0]!.key)!]);
      drop(others);
    }
  }
  // It is too long for this browser: the others stay, and what was kept of this one before.
  for (const [key, was] of dropped) localStorage.setItem(key, was);
  return false;
}

/** It was saved, or nobody wants it. */
export function forgetDraft(name: string): void {
  try {
    localStorage.removeItem(START + name);
  } catch {
    // A browser without storage has kept nothing.
  }
}

interface Other {
  key: string;
  at: number;
}

/** The oldest first. */
function othersOf(name: string): Other[] {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(START) && key !== START + name);
  return keys
    .map((key) => ({ key, at: keptDraft(key.slice(START.length))?.at ?? 0 }))
    .toSorted((a, b) => a.at - b.at);
}

const isOld = (other: Other | undefined) => other !== undefined && Date.now() - other.at > KEPT_MS;

function drop(others: Other[]): void {
  localStorage.removeItem(others.shift()!.key);
}
