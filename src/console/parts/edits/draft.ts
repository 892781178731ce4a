// What is being written of something: kept in this browser until it is saved, and saved only over what was seen.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { type FieldFault, Refusal } from "../../api.ts";
import { useProjectId } from "../../place.ts";
import { readAgain } from "../../queries.ts";
import { useSession } from "../../session.ts";
import { toast } from "../toast.tsx";
import { useUnsaved } from "../unsaved.ts";
import { useKept } from "../use_kept.ts";
import { useSavingItself } from "./autosave.ts";
import { changedIn, type Edited, type Field, type Other, partOf, type Stored, type Words } from "./edited.ts";
import { draftName, foundIn, isOurs, type Kept } from "./kept.ts";
import { writeOver } from "./write_over.ts";

/** A thing as somebody is changing it. */
export interface Draft<T, W> {
  words: W;
  /** What was there when the writing began. */
  base: W;
  set: (patch: Partial<W>) => void;
  /** What differs from what was there. */
  changed: Field<W>[];
  isSaving: boolean;
  /** `isQuiet`: where nobody has asked for it. */
  save: (options?: { isQuiet?: boolean }) => Promise<void>;
  /** Back to what is stored. */
  discard: () => void;
  /** Begins again from this. */
  begin: (stored: Stored<T>) => void;
  /** How often it has begun again: what was written elsewhere has to be shown then. */
  round: number;
  /** What is wrong with what was sent. */
  faults: FieldFault[];
  error: unknown;
  /** Whether exactly this was refused, or cannot be saved: it is not sent by itself. */
  isHeld: boolean;
  /** When what was found in this browser was written: milliseconds since 1970. Null: nothing was found. */
  restoredAt: number | null;
  other: Other<T> | null;
  /** Saves what was written here over what the other has saved; what only the other has changed stays. */
  keepMine: () => Promise<void>;
  /** Shows what the other has saved. What was written here can be brought back. */
  takeOther: () => void;
}

/** As many as may be stored without an answer that says so are remembered. */
const MAX_UNANSWERED = 2;

interface Options {
  /** Saves when the typing pauses, and when the page is left. */
  savesItself?: boolean;
}

/** What is written of a thing. */
export function useDraft<T extends { id: string }, W extends Words<W>>(
  kind: Edited<T, W>,
  stored: Stored<T>,
  { savesItself = false }: Options = {},
): Draft<T, W> {
  const { answer: thing, etag } = stored;
  const projectId = useProjectId();
  const { data: session } = useSession();
  // Whose words these are stays so when the session ends.
  const [userId] = useState(session?.user?.id ?? "");
  const name = draftName(userId, projectId, kind.noun, thing.id);
  const cache = useQueryClient();
  const [found] = useState(() => foundIn(name, kind.wordsOf(thing), etag));
  const [begun, setBegun] = useState<Pick<Kept<W>, "base" | "etag">>(
    found ?? { base: kind.wordsOf(thing), etag },
  );
  const [words, setWords] = useState(found?.words ?? begun.base);
  const [round, setRound] = useState(0);
  const [restoredAt, setRestoredAt] = useState(found?.at ?? null);
  const [faults, setFaults] = useState<FieldFault[]>([]);
  const [error, setError] = useState<unknown>(null);
  const [refused, setRefused] = useState<W | null>(null);
  const [isSaving, setSaving] = useState(false);
  const [other, setOther] = useState<Other<T> | null>(null);
  const [sent, setSent] = useState<Partial<W>[]>(found?.sent ?? []);
  const underWay = useRef<Promise<Stored<T> | null> | null>(null);
  const changed = changedIn(begun.base, words);
  const isChanged = changed.length > 0;
  const isHeld = isChanged && (refused === words || kind.isWhole?.(words) === false);
  const forget = useKept<Kept<W>>(name, isChanged ? { words, ...begun, sent } : null, words);
  useUnsaved(isChanged && (!savesItself || isHeld || other !== null), forget);

  const latest = useRef(words);
  useEffect(() => void (latest.current = words));
  const clear = () => {
    setFaults([]);
    setError(null);
    setRestoredAt(null);
    setOther(null);
    setSent([]);
  };
  const begin = (next: Stored<T>) => {
    setBegun({ base: kind.wordsOf(next.answer), etag: next.etag });
    setWords(kind.wordsOf(next.answer));
    setRound((before) => before + 1);
    clear();
  };
  /** It is saved as it was sent; what was written meanwhile stays. */
  const take = (saved: Stored<T>, written: W, fields: Field<W>[]) => {
    const base = { ...kind.wordsOf(saved.answer), ...partOf(written, fields) };
    setBegun({ base, etag: saved.etag });
    setWords((now) => ({ ...base, ...partOf(now, changedIn(written, now)) }));
    clear();
  };
  // Somebody else has changed it while nothing was written here, or what is written here has been saved.
  const [seen, setSeen] = useState(etag);
  if (etag !== seen) {
    setSeen(etag);
    const isTheSame = changedIn(kind.wordsOf(thing), words).length === 0;
    if (etag !== begun.etag && (!isChanged || isTheSame) && !isSaving) begin(stored);
  }

  const key = kind.keyOf(projectId, thing.id);
  const save = async (ifMatch: string | undefined, { isQuiet = false } = {}) => {
    setSaving(true);
    setError(null);
    setSent((before) => [partOf(words, changed), ...before].slice(0, MAX_UNANSWERED));
    const known = ifMatch === begun.etag ? (theirs: W) => isOurs(theirs, begun.base, sent) : () => false;
    const writing = writeOver(kind, thing.id, { words, fields: changed, ifMatch, known }, projectId);
    underWay.current = writing.then(
      ({ saved }) => saved ?? null,
      () => null,
    );
    try {
      const { saved, other: theirs } = await writing;
      if (theirs) return setOther(theirs);
      cache.setQueryData(key, saved);
      take(saved, words, changed);
      if (latest.current === words) forget();
      // What somebody else has changed besides is shown, too.
      if (ifMatch !== begun.etag) setRound((before) => before + 1);
      if (!isQuiet) toast.done("Saved");
      await readAgain(cache, projectId, kind.reads);
    } catch (refusal) {
      setFaults(refusal instanceof Refusal ? refusal.fields : []);
      setError(refusal);
      if (refusal instanceof Refusal) setRefused(words);
      // It cannot be changed any more: it has been sent, for one.
      if (refusal instanceof Refusal && refusal.status === 409) {
        await readAgain(cache, projectId, kind.reads);
      }
    } finally {
      setSaving(false);
    }
  };
  const isOwed = isChanged && !isHeld && other === null;
  useSavingItself({
    isOn: savesItself,
    isDue: isOwed && !isSaving,
    isOwed,
    name,
    kept:
      isChanged && other === null
        ? { words, ...begun, sent: [partOf(words, changed), ...sent].slice(0, MAX_UNANSWERED) }
        : null,
    save: () => save(begun.etag, { isQuiet: true }),
    async saveOnTheWayOut() {
      // What is on its way comes first; the rest goes over it.
      const before = isSaving ? await underWay.current : null;
      const base = before ? kind.wordsOf(before.answer) : begun.base;
      const fields = changedIn(base, words);
      if (fields.length === 0) return;
      const ifMatch = before ? before.etag : begun.etag;
      const saved = await kind.write(thing.id, words, fields, { projectId, ifMatch });
      cache.setQueryData(key, saved);
      await readAgain(cache, projectId, kind.reads);
    },
  });
  return {
    words,
    base: begun.base,
    set(patch) {
      setWords((before) => ({ ...before, ...patch }));
      setFaults((before) => before.filter(({ field }) => !(field in patch)));
    },
    changed,
    isSaving,
    save: (options) => save(begun.etag, options),
    discard() {
      begin(stored);
      forget();
    },
    begin(next) {
      begin(next);
      forget();
    },
    round,
    faults,
    error,
    isHeld,
    restoredAt: isChanged ? restoredAt : null,
    other,
    keepMine: () => save(other?.etag),
    takeOther() {
      if (!other) return;
      const mine = { words, begun };
      begin(other);
      cache.setQueryData(key, { answer: other.answer, etag: other.etag });
      const undo = () => {
        setBegun(mine.begun);
        setWords(mine.words);
        setRound((before) => before + 1);
      };
      toast.done("This is the version of the other", { undo });
    },
  };
}
