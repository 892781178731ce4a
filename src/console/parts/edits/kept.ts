// What is being written, kept in this browser until it is saved.
import { keptDraft } from "../kept_drafts.ts";
import { changedIn, type Words } from "./edited.ts";

/** What is kept. */
export interface Kept<W> {
  words: W;
  /** What was there when the writing began. */
  base: W;
  etag: string | undefined;
}

/** What was written here before and not saved, unless it is what is stored by now. */
export function foundIn<W extends Words<W>>(name: string, stored: W): (Kept<W> & { at: number }) | null {
  const kept = keptDraft<Kept<W>>(name);
  if (!kept || changedIn(stored, kept.value.words).length === 0) return null;
  return { ...kept.value, at: kept.at };
}
