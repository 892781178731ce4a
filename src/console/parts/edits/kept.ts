// What is being written, kept in this browser until it is saved.
import { keptDraft } from "../kept_drafts.ts";
import { changedIn, type Words } from "./edited.ts";

/** What is kept. */
export interface Kept<W> {
  words: W;
  /** What was there when the writing began. */
  base: W;
  etag: string | undefined;
  /** What was sent over `base` without an answer so far, newest first: it may be stored. */
  sent?: Partial<W>[];
}

/** Under which name that is kept. */
export const draftName = (userId: string, projectId: string, noun: string, id: string): string =>
  `${userId}.${projectId}.${noun}.${id}`;

/** Whether what is stored is what was seen, or what was sent over it from here: nobody else has written in it. */
export const isOurs = <W extends Words<W>>(stored: W, base: W, sent: Partial<W>[] = []): boolean =>
  [{}, ...sent].some((part) => changedIn(stored, { ...base, ...part }).length === 0);

/** What was written here before and not saved, unless it is what is stored by now. */
export function foundIn<W extends Words<W>>(
  name: string,
  stored: W,
  etag: string | undefined,
): (Kept<W> & { at: number }) | null {
  const kept = keptDraft<Kept<W>>(name);
  if (!kept || changedIn(stored, kept.value.words).length === 0) return null;
  const { words, base, sent } = kept.value;
  const begun = isOurs(stored, base, sent) ? { words, base: stored, etag } : kept.value;
  return { ...begun, at: kept.at };
}
