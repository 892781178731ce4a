// The state of a condition builder: what is written, what of it counts, and what is wrong.
import { useMemo, useState } from "react";
import type { Condition } from "../../api.gen.ts";
import { type FieldFault, Refusal } from "../../api.ts";
import { toast } from "../toast.tsx";
import {
  conditionOf,
  type DraftCondition,
  type DraftFilter,
  draftOf,
  type LineFaults,
  newCondition,
  newFilter,
  newGroup,
  placedFaults,
} from "./draft.ts";
import { useVocabulary, type Vocabulary } from "./vocabulary.ts";

/** What {@linkcode useConditions} gives: hand it to `ConditionBuilder`, and read what has been written. */
export interface Conditions {
  /** Null until the catalogue of the service is there. */
  vocabulary: Vocabulary | null;
  /** Why it cannot be read. */
  error: Error | null;
  draft: DraftCondition;
  /** The finished part; null if there is none yet. The same object as long as it says the same. */
  condition: Condition | null;
  /** Whether there is something, and nothing in it is missing. */
  isFinished: boolean;
  /** Whether it says something else than at the beginning, or than what `reset` was given. */
  isChanged: boolean;
  /** Whether anything was written in it, finished or not: for `useUnsaved`. */
  isTouched: boolean;
  faults: ReadonlyMap<string, LineFaults>;
  /** The line that is to take the focus. */
  focused: { id: string } | null;
  edit: Edits;
  /** For saving: the whole condition. Where something is missing, marks it, leads there, and returns null. */
  check: () => Condition | null;
  /**
   * Marks the faults of a refusal at their lines, and returns those that belong elsewhere. `root` is what the condition is
   * called in the request, such as `audienceCondition`. `isQuiet`, while somebody types: the focus stays where it is.
   */
  refuse: (refusal: unknown, options?: { root?: string; isQuiet?: boolean }) => FieldFault[];
  /** Begins again with this condition; null: with an empty line. */
  reset: (condition: Condition | null) => void;
}

/** What can be done with the lines. */
export interface Edits {
  change: (id: string, patch: Partial<DraftFilter>) => void;
  addLine: (groupId: string, afterId?: string) => void;
  removeLine: (id: string) => void;
  addGroup: (conditionId: string) => void;
  removeGroup: (id: string) => void;
  nest: (groupId: string) => void;
  setLogic: (conditionId: string, logic: Condition["logic"]) => void;
}

/**
 * A condition that is being written: `const conditions = useConditions(segment.condition)`. See `builder.tsx` for an example.
 * What it is given counts at the beginning only; later `reset` does. `unfinished`: lines that were begun before, in place of its
 * own.
 */
export function useConditions(initial: Condition | null = null, unfinished?: DraftCondition): Conditions {
  const [saved, setSaved] = useState(() => JSON.stringify(initial));
  const [draft, setDraft] = useState(() => unfinished ?? beginOf(initial));
  const { vocabulary, error } = useVocabulary(draft);
  const [begin, setBegin] = useState(() => contentOf(draft));
  const [faults, setFaults] = useState<ReadonlyMap<string, LineFaults>>(new Map());
  const [focused, setFocused] = useState<{ id: string } | null>(null);
  const catalogue = vocabulary?.catalogue;
  const written = useMemo(() => (catalogue ? conditionOf(catalogue, draft) : null), [catalogue, draft]);
  const said = JSON.stringify(written?.condition ?? null);
  const condition = useMemo(() => JSON.parse(said) as Condition | null, [said]);

  const produce = (act: (copy: DraftCondition) => string | void) => {
    const copy = structuredClone(draft);
    const next = act(copy);
    setDraft(copy);
    if (next) setFocused({ id: next });
  };
  const forget = (id: string) => {
    if (faults.has(id)) setFaults(new Map([...faults].filter(([line]) => line !== id)));
  };
  return {
    vocabulary,
    error,
    draft,
    condition,
    isFinished: condition !== null && written?.missing.size === 0,
    isChanged: written !== null && said !== normalised(saved),
    isTouched: contentOf(draft) !== begin,
    faults,
    focused,
    edit: editsOf(produce, forget, setDraft),
    check() {
      if (!written) return null;
      setFaults(written.missing);
      const [first] = written.missing.keys();
      if (first) setFocused({ id: first });
      return first ? null : written.condition;
    },
    refuse(refusal, { root = "condition", isQuiet = false } = {}) {
      if (!(refusal instanceof Refusal) || !written) return [];
      const { lines, others } = placedFaults(refusal.fields, written.places, root);
      setFaults(lines);
      const [first] = lines.keys();
      if (first && !isQuiet) setFocused({ id: first });
      return others;
    },
    reset(next) {
      const fresh = beginOf(next);
      setSaved(JSON.stringify(next));
      setDraft(fresh);
      setBegin(contentOf(fresh));
      setFaults(new Map());
    },
  };
}

const beginOf = (condition: Condition | null) => (condition ? draftOf(condition) : newCondition());

/** All that is in the lines. */
const contentOf = (draft: DraftCondition) =>
  JSON.stringify(draft, (key, value: unknown) => (key === "id" ? undefined : value));

/** Written as drafts are, so that the order of keys and empty lists make no difference. */
function normalised(saved: string): string {
  const order = (node: Condition): unknown => ({
    logic: node.logic,
    groups: node.groups.map(({ filters, conditions }) => ({
      ...(filters && filters.length > 0 && { filters: filters.map(ordered) }),
      ...(conditions && { conditions: order(conditions) }),
    })),
  });
  const parsed = JSON.parse(saved) as Condition | null;
  return JSON.stringify(parsed && order(parsed));
}

function ordered(filter: object): object {
  const { field, operator, count, value, unit, campaignId, templateId } = filter as Record<string, unknown>;
  const sources = { campaignId: campaignId ?? undefined, templateId: templateId ?? undefined };
  return { field, operator, count, value, unit, ...sources };
}

function editsOf(
  produce: (act: (copy: DraftCondition) => string | void) => void,
  forget: (id: string) => void,
  setDraft: (change: (now: DraftCondition) => DraftCondition) => void,
): Edits {
  return {
    change(id, patch) {
      forget(id);
      produce((copy) => void Object.assign(lineIn(copy, id)?.line ?? {}, patch));
    },
    addLine: (groupId, afterId) =>
      produce((copy) => {
        const line = newFilter();
        const lines = groupIn(copy, groupId)!.group.filters;
        const after = lines.findIndex(({ id }) => id === afterId);
        lines.splice(after === -1 ? lines.length : after + 1, 0, line);
        return line.id;
      }),
    removeLine: (id) =>
      produce((copy) => {
        const { group, index, line } = lineIn(copy, id)!;
        group.filters.splice(index, 1);
        if (line.field) offerUndo(setDraft, line, group.id, index);
        const next = group.filters[Math.max(0, index - 1)];
        tidy(copy);
        return next?.id ?? linesOf(copy)[0]?.id;
      }),
    addGroup: (conditionId) =>
      produce((copy) => {
        const group = newGroup();
        conditionIn(copy, conditionId)!.groups.push(group);
        return group.filters[0]!.id;
      }),
    removeGroup: (id) =>
      produce((copy) => {
        const { condition, index } = groupIn(copy, id)!;
        condition.groups.splice(index, 1);
        tidy(copy);
        return linesOf(copy)[0]?.id;
      }),
    nest: (groupId) =>
      produce((copy) => {
        const nested = newCondition("OR");
        nested.groups.push(newGroup());
        groupIn(copy, groupId)!.group.nested = nested;
        return nested.groups[0]!.filters[0]!.id;
      }),
    setLogic: (conditionId, logic) =>
      produce((copy) => void Object.assign(conditionIn(copy, conditionId)!, { logic })),
  };
}

/** Puts a line back where it was, whatever was changed since. */
function offerUndo(
  setDraft: (change: (now: DraftCondition) => DraftCondition) => void,
  line: DraftFilter,
  groupId: string,
  index: number,
): void {
  const undo = () =>
    setDraft((now) => {
      const copy = structuredClone(now);
      const group = groupIn(copy, groupId)?.group;
      if (group) group.filters.splice(index, 0, line);
      else copy.groups.push({ id: groupId, filters: [line], nested: null });
      return copy;
    });
  toast.done("The filter was removed", { undo });
}

/** Takes away what is empty; at least one line stays. */
function tidy(root: DraftCondition): void {
  const clean = (condition: DraftCondition) => {
    for (const group of condition.groups) {
      if (!group.nested) continue;
      clean(group.nested);
      if (group.nested.groups.length === 0) group.nested = null;
    }
    condition.groups = condition.groups.filter(({ filters, nested }) => filters.length > 0 || nested);
  };
  clean(root);
  if (root.groups.length === 0) root.groups.push(newGroup());
}

function* conditionsOf(condition: DraftCondition): Generator<DraftCondition> {
  yield condition;
  for (const { nested } of condition.groups) if (nested) yield* conditionsOf(nested);
}

const conditionIn = (root: DraftCondition, id: string) =>
  [...conditionsOf(root)].find((condition) => condition.id === id);

function groupIn(root: DraftCondition, id: string) {
  for (const condition of conditionsOf(root)) {
    const index = condition.groups.findIndex((group) => group.id === id);
    if (index !== -1) return { condition, index, group: condition.groups[index]! };
  }
  return null;
}

function lineIn(root: DraftCondition, id: string) {
  for (const { groups } of conditionsOf(root)) {
    for (const group of groups) {
      const index = group.filters.findIndex((line) => line.id === id);
      if (index !== -1) return { group, index, line: group.filters[index]! };
    }
  }
  return null;
}

const linesOf = (root: DraftCondition) =>
  [...conditionsOf(root)].flatMap(({ groups }) => groups.flatMap(({ filters }) => filters));
