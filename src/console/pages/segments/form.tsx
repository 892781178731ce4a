// What is written of a segment: its name, who is in it, and whether joining and leaving are recorded.
import { SegmentedControl, Switch, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Segment } from "../../api.gen.ts";
import { type FieldFault, Refusal } from "../../api.ts";
import { ConditionBuilder, type Conditions, useConditions } from "../../parts/conditions/builder.tsx";
import { FormError } from "../../parts/form.tsx";
import { Preview } from "./preview.tsx";
import classes from "./segments.module.css";

/** The fields besides the condition. */
export interface Words {
  name: string;
  description: string;
  type: Segment["type"];
  trackMembership: boolean;
}

/** What is being written, and what is wrong with it. */
export interface SegmentDraft {
  words: Words;
  setWords: (patch: Partial<Words>) => void;
  conditions: Conditions;
  isChanged: boolean;
  /** Whether anything was written, finished or not. */
  isUnsaved: boolean;
  /** What is wrong, by the name of the field. */
  faults: Record<string, string>;
  error: unknown;
  /** Shows a refusal: at its fields and lines, or above the button. Null: none. */
  refuse: (refusal: unknown) => void;
  /** Begins again from what is stored. */
  reset: (segment: Segment) => void;
}

/** The fields of a segment. */
export const wordsOf = ({ name, description, type, trackMembership }: Segment): Words => ({
  name,
  description: description ?? "",
  type,
  trackMembership,
});

/** What is written of a segment, beginning with these words and this condition. */
export function useSegmentDraft(initial: Words, condition: Segment["condition"]): SegmentDraft {
  const [saved, setSaved] = useState(initial);
  const [words, setWords] = useState(initial);
  const [faults, setFaults] = useState<Record<string, string>>({});
  const [error, setError] = useState<unknown>(null);
  const conditions = useConditions(condition);
  const areWordsChanged = JSON.stringify(words) !== JSON.stringify(saved);
  const isDynamic = words.type === "DYNAMIC";
  return {
    words,
    setWords(patch) {
      setWords((before) => ({ ...before, ...patch }));
      setFaults((before) => Object.fromEntries(Object.entries(before).filter(([name]) => !(name in patch))));
    },
    conditions,
    isChanged: areWordsChanged || (isDynamic && conditions.isChanged),
    isUnsaved: areWordsChanged || (isDynamic && conditions.isTouched),
    faults,
    error,
    refuse(refusal) {
      const loose = refusal instanceof Refusal ? conditions.refuse(refusal) : [];
      const known = Object.fromEntries(loose.filter(isOfForm).map(({ field, message }) => [field, message]));
      setFaults(known);
      const isShown = refusal instanceof Refusal && refusal.fields.length > 0 && loose.every(isOfForm);
      setError(isShown ? null : refusal);
    },
    reset(segment) {
      setSaved(wordsOf(segment));
      setWords(wordsOf(segment));
      setFaults({});
      setError(null);
      conditions.reset(segment.condition);
    },
  };
}

const isOfForm = ({ field }: FieldFault) => field === "name" || field === "description";

/** The fields. The kind can be chosen of new segments only. */
export function SegmentForm({ draft, isNew = false }: { draft: SegmentDraft; isNew?: boolean }) {
  const { words, setWords, conditions, faults, error } = draft;
  return (
    <div className={words.type === "DYNAMIC" ? classes.form : undefined}>
      <div className={classes.fields}>
        <TextInput
          className={classes.short!}
          label="Name"
          placeholder="Regular customers"
          maxLength={100}
          value={words.name}
          onChange={(event) => setWords({ name: event.currentTarget.value })}
          error={faults.name}
          data-autofocus={isNew || undefined}
        />
        <TextInput
          className={classes.short!}
          label="Description"
          placeholder="What it is for (optional)"
          maxLength={500}
          value={words.description}
          onChange={(event) => setWords({ description: event.currentTarget.value })}
          error={faults.description}
        />
        {isNew && <Kind value={words.type} change={(type) => setWords({ type })} />}
        {words.type === "DYNAMIC" && (
          <section aria-label="Condition">
            <h2 className={classes.heading}>Who belongs to it</h2>
            <ConditionBuilder conditions={conditions} />
          </section>
        )}
        <Switch
          label="Record who joins and leaves"
          description="Records an event each time, which can start workflows."
          checked={words.trackMembership}
          onChange={(event) => setWords({ trackMembership: event.currentTarget.checked })}
        />
        <FormError error={error} />
      </div>
      {words.type === "DYNAMIC" && <Preview conditions={conditions} />}
    </div>
  );
}

function Kind({ value, change }: { value: Segment["type"]; change: (type: Segment["type"]) => void }) {
  return (
    <div>
      <h2 className={classes.heading}>Kind</h2>
      <SegmentedControl
        aria-label="Kind"
        data={[
          { value: "DYNAMIC", label: "By a condition" },
          { value: "STATIC", label: "A list that you manage" },
        ]}
        value={value}
        onChange={(type) => change(type)}
      />
      <p className={classes.quiet}>
        {value === "DYNAMIC"
          ? "Contacts are members as long as they match it."
          : "You add and remove the members. Once it is created, you can paste addresses."}
      </p>
    </div>
  );
}
