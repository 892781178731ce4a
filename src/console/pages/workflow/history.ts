// What can be taken back of the changes to something, and done again: whole states, of which the parts that did not change are
// shared.

/** A state with those before it, and those that were taken back. */
export interface History<T> {
  past: T[];
  present: T;
  future: T[];
  /** What was changed last: the next change of the same belongs to it. Null: nothing does. */
  last: string | null;
}

const KEPT = 200;

/** Begins. */
export const begun = <T>(present: T): History<T> => ({ past: [], present, future: [], last: null });

/**
 * With another state. Changes with the same `key`, such as the letters of a field, are taken back together; without one each is
 * apart.
 */
export function changedTo<T>(history: History<T>, next: T, key: string | null = null): History<T> {
  if (next === history.present) return history;
  const isSame = key !== null && key === history.last && history.past.length > 0;
  const past = isSame ? history.past : [...history.past, history.present].slice(-KEPT);
  return { past, present: next, future: [], last: key };
}

/** A step back; the same if there is none. */
export function undone<T>({ past, present, future, last }: History<T>): History<T> {
  const before = past.at(-1);
  if (before === undefined) return { past, present, future, last };
  return { past: past.slice(0, -1), present: before, future: [present, ...future], last: null };
}

/** A step on again; the same if there is none. */
export function redone<T>({ past, present, future, last }: History<T>): History<T> {
  const [next, ...rest] = future;
  if (next === undefined) return { past, present, future, last };
  return { past: [...past, present], present: next, future: rest, last: null };
}
