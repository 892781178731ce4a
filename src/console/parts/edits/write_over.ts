// Saving over what was seen, and over nothing else.
import { Refusal } from "../../api.ts";
import type { Edited, Field, Other, Stored, Words } from "./edited.ts";

interface Written<W> {
  words: W;
  fields: Field<W>[];
  /** The tag of what was seen. */
  ifMatch: string | undefined;
  /** Whether these words are no news: what was seen, or what was sent from here. */
  known: (theirs: W) => boolean;
}

/**
 * Saves it. Answers what somebody else has saved in the meantime, where that is so. It is nobody else where only what is not written
 * here is another, or where the answer to a save of our own was lost. Throws any other refusal.
 */
export async function writeOver<T extends { id: string }, W extends Words<W>>(
  kind: Pick<Edited<T, W>, "wordsOf" | "read" | "write">,
  id: string,
  { words, fields, ifMatch, known }: Written<W>,
  projectId: string,
): Promise<{ saved: Stored<T>; other?: undefined } | { saved?: undefined; other: Other<T> }> {
  try {
    return { saved: await kind.write(id, words, fields, { projectId, ifMatch }) };
  } catch (refusal) {
    if (!(refusal instanceof Refusal && refusal.status === 412)) throw refusal;
    const now = await kind.read(id, { projectId });
    if (known(kind.wordsOf(now.answer))) {
      return { saved: await kind.write(id, words, fields, { projectId, ifMatch: now.etag }) };
    }
    const { editedBy, editedAt } = refusal.details;
    return { other: { ...now, by: String(editedBy || "Somebody"), at: String(editedAt) } };
  }
}
