// What somebody is changing of a workflow: kept in this browser until it is saved, taken back step by step, and saved only over what
// was seen.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { GraphDocument, WorkflowGraph, WorkflowPatch } from "../../api.gen.ts";
import { call, callForVersion, Refusal } from "../../api.ts";
import { keptDraft } from "../../parts/kept_drafts.ts";
import { toast } from "../../parts/toast.tsx";
import { useUnsaved } from "../../parts/unsaved.ts";
import { useKept } from "../../parts/use_kept.ts";
import { useProjectId } from "../../place.ts";
import { keyOf, readAgain } from "../../queries.ts";
import { useSession } from "../../session.ts";
import { type Fault, faultsOfRefusal } from "./faults.ts";
import { begun, changedTo, type History, redone, undone } from "./history.ts";
import { areSame, bodyOf, hasSameGraph, hasSameTrigger, type Model, modelOf } from "./model.ts";

/** A workflow with its graph. */
export interface Stored {
  workflow: WorkflowGraph;
  graph: GraphDocument;
}

/** What somebody else has saved since. */
export interface Other extends Stored {
  by: string;
  at: string;
}

/** What was there when the changes began. */
interface Base {
  model: Model;
  version: string;
}

interface Kept {
  model: Model;
  base: Base;
}

/** A workflow as somebody is changing it. */
export interface WorkflowDraft {
  model: Model;
  /** What was there when the changes began. */
  base: Model;
  isChanged: boolean;
  isSaving: boolean;
  canUndo: boolean;
  canRedo: boolean;
  /** Changes it. With the same `key` as the change before, both are taken back together. */
  edit: (change: (model: Model) => Model, key?: string) => void;
  undo: () => void;
  redo: () => void;
  /** Grows with each step back or on, and whenever all is another: forms begin again then. */
  turn: number;
  /** Saves it, and says whether that was done. */
  save: () => Promise<boolean>;
  /** Back to what is stored. */
  discard: () => void;
  /** What was refused, at its steps. */
  refused: Fault[];
  error: unknown;
  /** When what was found in this browser was written: milliseconds since 1970. Null: nothing was found. */
  restoredAt: number | null;
  other: Other | null;
  /** Saves what was made here over what the other has saved. */
  keepMine: () => Promise<boolean>;
  /** Shows what the other has saved. What was made here can be brought back. */
  takeOther: () => void;
}

/** What is changed of a workflow. */
export function useWorkflowDraft(stored: Stored): WorkflowDraft {
  const projectId = useProjectId();
  const { data: session } = useSession();
  // Whose words these are stays so when the session ends.
  const [userId] = useState(session?.user?.id ?? "");
  const { id } = stored.workflow;
  const name = `${userId}.${projectId}.workflow.${id}`;
  const cache = useQueryClient();
  const [found] = useState(() => foundIn(name, stored));
  const [base, setBase] = useState(found?.base ?? baseOf(stored));
  const [history, setHistory] = useState<History<Model>>(() => begun(found?.model ?? base.model));
  const [turn, setTurn] = useState(0);
  const [restoredAt, setRestoredAt] = useState(found?.at ?? null);
  const [refused, setRefused] = useState<Fault[]>([]);
  const [error, setError] = useState<unknown>(null);
  const [isSaving, setSaving] = useState(false);
  const [other, setOther] = useState<Other | null>(null);
  const model = history.present;
  const isChanged = !areSame(base.model, model);
  const forget = useKept<Kept>(name, isChanged ? { model, base } : null, model);
  useUnsaved(isChanged, forget);

  const begin = (next: Base, present = next.model) => {
    setBase(next);
    setHistory(begun(present));
    setTurn((before) => before + 1);
    setRefused([]);
    setError(null);
    setRestoredAt(null);
    setOther(null);
  };
  // Somebody else has changed it while nothing was changed here.
  const now = baseOf(stored);
  const [seen, setSeen] = useState(now);
  if (now.version !== seen.version || !hasSameTrigger(now.model, seen.model)) {
    setSeen(now);
    if (!isChanged && !isSaving && !areSame(now.model, base.model)) begin(now);
  }

  const save = async (over: Base): Promise<boolean> => {
    setSaving(true);
    setError(null);
    try {
      const saved = await store(projectId, id, model, over);
      cache.setQueryData(keyOf(projectId, "GET /workflows/{id}/graph", { path: { id } }), saved.graph);
      await readAgain(cache, projectId, ["GET /workflows"]);
      // What can be taken back stays: it is changed again then.
      setBase({ model: saved.model, version: saved.graph.version });
      setHistory((before) =>
        before.present === model ? { ...before, present: saved.model, last: null } : before,
      );
      setRefused([]);
      setRestoredAt(null);
      setOther(null);
      forget();
      toast.done("Saved");
      return true;
    } catch (refusal) {
      if (refusal instanceof Refusal && refusal.status === 412) await showOther(refusal.details);
      else if (refusal instanceof OtherTrigger) await showOther({});
      else {
        const fields = refusal instanceof Refusal ? refusal.fields : [];
        setRefused(faultsOfRefusal(model, fields));
        setError(fields.length > 0 ? null : refusal);
      }
      return false;
    } finally {
      setSaving(false);
    }
  };
  const showOther = async ({ editedBy, editedAt }: Record<string, unknown>) => {
    const current = await read(projectId, id).catch(setError);
    if (!current) return;
    const theirs = baseOf(current);
    // The answer to a save of one's own was lost: it is stored.
    if (areSame(theirs.model, model)) return begin(theirs);
    setOther({
      ...current,
      by: String(editedBy || "Somebody"),
      at: String(editedAt || current.workflow.updatedAt),
    });
  };
  const go = (step: (now: History<Model>) => History<Model>) => {
    setHistory(step);
    setTurn((before) => before + 1);
    setRefused([]);
  };
  return {
    model,
    base: base.model,
    isChanged,
    isSaving,
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    edit(change, key) {
      setHistory((before) => changedTo(before, change(before.present), key));
      setRefused([]);
    },
    undo: () => go(undone),
    redo: () => go(redone),
    turn,
    save: () => save(base),
    discard() {
      begin(baseOf(stored));
      forget();
    },
    refused,
    error,
    restoredAt: isChanged ? restoredAt : null,
    other,
    keepMine: () => save(other ? baseOf(other) : base),
    takeOther() {
      if (!other) return;
      const mine = { base, model };
      begin(baseOf(other));
      const undo = () => begin(mine.base, mine.model);
      toast.done("This is the version of the other", { undo });
    },
  };
}

const baseOf = ({ workflow, graph }: Stored): Base => ({
  model: modelOf(workflow, graph),
  version: graph.version,
});

async function read(projectId: string, id: string): Promise<Stored> {
  const path = { id };
  const [workflow, graph] = await Promise.all([
    call("GET /workflows/{id}", { path }, { projectId }),
    call("GET /workflows/{id}/graph", { path }, { projectId }),
  ]);
  return { workflow, graph };
}

/** Somebody else has changed the trigger. */
class OtherTrigger extends Error {}

/** Saves what differs: the trigger, which belongs to the workflow, and then the graph. */
async function store(projectId: string, id: string, model: Model, base: Base) {
  const path = { id };
  let trigger = base.model.trigger;
  if (!hasSameTrigger(model, base.model)) {
    // Its tag is that of the name and the state, too, which may be others by now.
    const now = await callForVersion("GET /workflows/{id}", { path }, { projectId });
    const theirs = { ...model, trigger: triggerOf(now.answer) };
    trigger = now.answer;
    // It is ours already where it was saved before, and the graph was refused.
    if (!hasSameTrigger(theirs, model)) {
      if (!hasSameTrigger(theirs, base.model)) throw new OtherTrigger();
      const body = model.trigger as WorkflowPatch;
      trigger = await call("PATCH /workflows/{id}", { path, body }, { projectId, ifMatch: now.etag });
    }
  }
  const graph = hasSameGraph(model, base.model)
    ? await call("GET /workflows/{id}/graph", { path }, { projectId })
    : await call("PUT /workflows/{id}/graph", { path, body: bodyOf(model, base.version) }, { projectId });
  return { graph, model: modelOf(trigger, graph) };
}

const triggerOf = ({ triggerType, triggerConfig, allowReentry }: WorkflowGraph): Model["trigger"] => ({
  triggerType,
  triggerConfig,
  allowReentry,
});

/** What was made here before and not saved, unless it is what is stored by now. */
function foundIn(name: string, stored: Stored): (Kept & { at: number }) | null {
  const kept = keptDraft<Kept>(name);
  if (!kept?.value.model?.steps || areSame(modelOf(stored.workflow, stored.graph), kept.value.model))
    return null;
  return { ...kept.value, at: kept.at };
}
