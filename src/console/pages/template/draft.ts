// What is being written of a template: kept in this browser until it is saved, and saved only over what was seen.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Template } from "../../api.gen.ts";
import { callForVersion, type FieldFault, Refusal } from "../../api.ts";
import { keptDraft } from "../../parts/kept_drafts.ts";
import { toast } from "../../parts/toast.tsx";
import { useUnsaved } from "../../parts/unsaved.ts";
import { useKept } from "../../parts/use_kept.ts";
import { useProjectId } from "../../place.ts";
import { keyOf, readAgain } from "../../queries.ts";
import { useSession } from "../../session.ts";
import { changedIn, type Field, patchOf, type Words, wordsOf } from "./words.ts";

/** A template with its `etag`. */
export interface Stored {
  answer: Template;
  etag: string | undefined;
}

/** What somebody else has saved since. */
export interface Other extends Stored {
  by: string;
  at: string;
}

/** What is kept in the browser. */
interface Kept {
  words: Words;
  /** What was there when the writing began. */
  base: Words;
  etag: string | undefined;
}

/** A template as somebody is changing it. */
export interface TemplateDraft {
  words: Words;
  /** What was there when the writing began. */
  base: Words;
  set: (patch: Partial<Words>) => void;
  /** What differs from what was there. */
  changed: Field[];
  isSaving: boolean;
  save: () => Promise<void>;
  /** Back to what is stored. */
  discard: () => void;
  /** Begins again from this. */
  begin: (stored: Stored) => void;
  /** What is wrong with what was sent. */
  faults: FieldFault[];
  error: unknown;
  /** When what was found in this browser was written: milliseconds since 1970. Null: nothing was found. */
  restoredAt: number | null;
  other: Other | null;
  /** Saves what was written here over what the other has saved; what only the other has changed stays. */
  keepMine: () => Promise<void>;
  /** Shows what the other has saved. What was written here can be brought back. */
  takeOther: () => void;
}

/** The key under which the template is read. */
export const templateKey = (projectId: string, id: string) =>
  [...keyOf(projectId, "GET /templates/{id}", { path: { id } }), "version"] as const;

/** What is written of a template. */
export function useTemplateDraft(stored: Stored): TemplateDraft {
  const { answer: template, etag } = stored;
  const projectId = useProjectId();
  const userId = useSession().data?.user?.id ?? "";
  const name = `${userId}.${projectId}.template.${template.id}`;
  const cache = useQueryClient();
  const [found] = useState(() => foundIn(name, stored));
  const [begun, setBegun] = useState(found ?? { base: wordsOf(template), etag });
  const [words, setWords] = useState(found?.words ?? begun.base);
  const [restoredAt, setRestoredAt] = useState(found?.at ?? null);
  const [faults, setFaults] = useState<FieldFault[]>([]);
  const [error, setError] = useState<unknown>(null);
  const [isSaving, setSaving] = useState(false);
  const [other, setOther] = useState<Other | null>(null);
  const changed = changedIn(begun.base, words);
  const isChanged = changed.length > 0;
  const forget = useKept<Kept>(name, isChanged ? { words, ...begun } : null, words);
  useUnsaved(isChanged, forget);

  const begin = (next: Stored) => {
    setBegun({ base: wordsOf(next.answer), etag: next.etag });
    setWords(wordsOf(next.answer));
    setFaults([]);
    setError(null);
    setRestoredAt(null);
    setOther(null);
  };
  // Somebody else has changed it while nothing was written here.
  const [seen, setSeen] = useState(etag);
  if (etag !== seen) {
    setSeen(etag);
    if (etag !== begun.etag && !isChanged && !isSaving) begin(stored);
  }

  const save = async (ifMatch: string | undefined) => {
    setSaving(true);
    setError(null);
    const path = { id: template.id };
    try {
      const body = patchOf(words, changed);
      const saved = await callForVersion("PATCH /templates/{id}", { path, body }, { projectId, ifMatch });
      cache.setQueryData(templateKey(projectId, template.id), saved);
      begin(saved);
      forget();
      toast.done("Saved");
      await readAgain(cache, projectId, ["GET /templates"]);
    } catch (refusal) {
      if (refusal instanceof Refusal && refusal.status === 412) {
        const now = await callForVersion("GET /templates/{id}", { path }, { projectId }).catch(setError);
        const { editedBy, editedAt } = refusal.details;
        if (now) setOther({ ...now, by: String(editedBy || "Somebody"), at: String(editedAt) });
      } else {
        setFaults(refusal instanceof Refusal ? refusal.fields : []);
        setError(refusal);
      }
    } finally {
      setSaving(false);
    }
  };
  return {
    words,
    base: begun.base,
    set(patch) {
      setWords((before) => ({ ...before, ...patch }));
      setFaults((before) => before.filter(({ field }) => !(field in patch)));
    },
    changed,
    isSaving,
    save: () => save(begun.etag),
    discard() {
      begin(stored);
      forget();
    },
    begin(next) {
      begin(next);
      forget();
    },
    faults,
    error,
    restoredAt: isChanged ? restoredAt : null,
    other,
    keepMine: () => save(other?.etag),
    takeOther() {
      if (!other) return;
      const mine = { words, begun };
      begin(other);
      cache.setQueryData(templateKey(projectId, template.id), { answer: other.answer, etag: other.etag });
      const undo = () => {
        setBegun(mine.begun);
        setWords(mine.words);
      };
      toast.done("This is the version of the other", { undo });
    },
  };
}

/** What was written here before and not saved, unless it is what is stored by now. */
function foundIn(name: string, { answer }: Stored): (Kept & { at: number }) | null {
  const kept = keptDraft<Kept>(name);
  if (!kept || changedIn(wordsOf(answer), kept.value.words).length === 0) return null;
  return { ...kept.value, at: kept.at };
}
