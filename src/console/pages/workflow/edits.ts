// What can be done with the graph, from the canvas, the list and the forms alike.
import type { Place, StepType } from "../../parts/canvas/graph.ts";
import { STEP_KINDS } from "../../parts/canvas/step_types.tsx";
import { announce } from "../../parts/announce.ts";
import { toast } from "../../parts/toast.tsx";
import type { WorkflowDraft } from "./draft.ts";
import {
  added,
  afterRemoval,
  changed,
  connected,
  cut,
  doubled,
  moved,
  newStep,
  removed,
  type Step,
  stepOf,
  tidied,
  type Trigger,
  type Where,
  whyNot,
} from "./model.ts";

/** The edits, each of which can be taken back. */
export interface Edits {
  /** Adds a step of this type there, and opens it. `place`: where it was put. */
  add: (type: StepType, where: Where, place?: Place) => void;
  /** Offers the types at a button. */
  grow: (where: Exclude<Where, null>, anchor: HTMLElement) => void;
  change: (id: string, patch: Partial<Omit<Step, "id" | "type">>, key: string) => void;
  setTrigger: (patch: Partial<Trigger>, key: string) => void;
  connect: (from: string, branch: string | null, to: string) => void;
  cut: (way: string) => void;
  remove: (id: string) => void;
  double: (id: string) => void;
  move: (places: Map<string, Place>) => void;
  tidy: () => void;
}

/** `open` shows a step; null: none. */
export function editsOf(
  { model, edit }: WorkflowDraft,
  { open, grow }: { open: (id: string | null) => void; grow: Edits["grow"] },
): Edits {
  return {
    grow,
    add(type, where, place) {
      const id = crypto.randomUUID();
      const { label } = STEP_KINDS[type];
      edit((now) => added(now, { ...newStep(now, type, id, label), place: place ?? null }, where));
      open(id);
    },
    change: (id, patch, key) => edit((now) => changed(now, id, patch), `${id} ${key}`),
    setTrigger: (patch, key) =>
      edit((now) => ({ ...now, trigger: { ...now.trigger, ...patch } }), `trigger ${key}`),
    connect(from, branch, to) {
      const reason = whyNot(model, { from, branch, to });
      if (reason) toast.failed(new Error(reason));
      else edit((now) => connected(now, { from, branch, to }));
    },
    cut: (way) => edit((now) => cut(now, way)),
    remove(id) {
      const step = stepOf(model, id);
      if (!step || step.type === "TRIGGER") return;
      announce(`${step.name} was deleted. ${afterRemoval(model, id)}`);
      edit((now) => removed(now, id));
      open(null);
    },
    double(id) {
      const copy = crypto.randomUUID();
      edit((now) => doubled(now, id, copy));
      open(copy);
    },
    move: (places) => edit((now) => moved(now, places)),
    tidy: () => edit(tidied),
  };
}
