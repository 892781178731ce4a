// Something that several people may be writing in at once: how it is read, and how it is saved only over what was seen.
import type { CallOptions } from "../../api.ts";

/** A thing as it was read, with its `etag`. */
export interface Stored<T> {
  answer: T;
  etag: string | undefined;
}

/** What somebody else has saved since. */
export interface Other<T> extends Stored<T> {
  by: string;
  at: string;
}

/** What is written of a thing: texts, by field. */
export type Words<W> = { [K in keyof W]: string };

/** A field of these words. */
export type Field<W> = keyof W & string;

/** A kind of thing that people write in. */
export interface Edited<T extends { id: string }, W extends Words<W>> {
  /** What it is called: `template`. */
  noun: string;
  /** What of it is written; what is not there is empty. */
  wordsOf: (thing: T) => W;
  /** What the fields are called. */
  labels: Record<Field<W>, string>;
  /** What is in a field, as people read it. Left out: as it is. */
  shown?: (field: Field<W>, words: W) => string;
  /** The key under which its page reads it. */
  keyOf: (projectId: string, id: string) => readonly unknown[];
  read: (id: string, options: CallOptions) => Promise<Stored<T>>;
  /** Changes these fields and no others: what somebody else has written in them stays. */
  write: (id: string, words: W, fields: Field<W>[], options: CallOptions) => Promise<Stored<T>>;
  /** Whether it can be saved at all. Left out: always. */
  isWhole?: (words: W) => boolean;
  /** What is read again when it has been saved. */
  reads: string[];
}

/** Which fields differ. */
export const changedIn = <W extends Words<W>>(before: W, after: W): Field<W>[] =>
  (Object.keys(before) as Field<W>[]).filter((field) => before[field] !== after[field]);

/** These fields alone. */
export const partOf = <W extends Words<W>>(words: W, fields: Field<W>[]): Partial<W> =>
  Object.fromEntries(fields.map((field) => [field, words[field]])) as Partial<W>;
