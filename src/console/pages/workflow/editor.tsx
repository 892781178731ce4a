// The graph of a workflow with all that changes it: the canvas or the list, and the form of the step that is open.
import { Drawer } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useMemo, useState } from "react";
import type { CanvasEdits } from "../../parts/canvas/canvas.tsx";
import { type KnownNames, useNames } from "../../parts/canvas/drawn.ts";
import { branchNamesOf, type DrawnStep, type Marks, type StepMark } from "../../parts/canvas/graph.ts";
import { STEP_KINDS } from "../../parts/canvas/step_types.tsx";
import { aboutOf } from "../../parts/canvas/words.ts";
import { lazyPage } from "../../parts/lazy_page.tsx";
import { useUrlState } from "../../place.ts";
import { AddMenu, type Growing } from "./add_menu.tsx";
import type { WorkflowDraft } from "./draft.ts";
import { editsOf } from "./edits.ts";
import type { Fault } from "./faults.ts";
import { type Model, openEndsOf, reachedIn, stepOf, type Where, whyNot } from "./model.ts";
import { Outline } from "./outline.tsx";
import { Palette } from "./palette.tsx";
import { StepPanel } from "./step_panel.tsx";
import { Toolbar, type View } from "./toolbar.tsx";
import { useUndoKeys } from "./undo_keys.ts";
import classes from "./workflow.module.css";

const Canvas = lazyPage(() => import("../../parts/canvas/canvas.tsx"), null);

interface Props {
  name: string;
  draft: WorkflowDraft;
  faults: Fault[];
}

/** `?step=` is the step that is open, `?view=list` shows the list. */
export function Editor({ name, draft, faults }: Props) {
  const { model } = draft;
  const [{ step: asked, view }, set] = useUrlState({ step: "", view: "canvas" });
  const [growing, setGrowing] = useState<Growing | null>(null);
  const names = useNames(model.steps);
  const isNarrow = useMediaQuery("(max-width: 62em)") ?? false;
  const shown = stepOf(model, asked);
  const open = (id: string | null) => set({ step: id ?? "" }, { replace: true });
  const close = () => {
    open(null);
    // Back to where one came from.
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-step="${asked}"]`)?.focus());
  };
  const edits = editsOf(draft, {
    open,
    grow(where, anchor) {
      const { left, bottom, width } = anchor.getBoundingClientRect();
      setGrowing({ where, at: { left: left + width / 2, top: bottom } });
    },
  });
  useUndoKeys(draft.undo, draft.redo);
  const panel = shown && (
    <StepPanel
      key={`${shown.id} ${draft.turn}`}
      {...{ model, names, faults, edits }}
      step={shown}
      isInDrawer={isNarrow}
      close={close}
    />
  );
  return (
    <div className={classes.editor}>
      <Toolbar
        {...{ draft, faults, open }}
        view={view as View}
        setView={(next) => set({ view: next })}
        tidy={edits.tidy}
      />
      <div className={classes.halves}>
        {view === "list" ? (
          <Outline {...{ model, names, faults, open, edits }} chosen={shown?.id ?? null} />
        ) : (
          <Drawn {...{ name, model, names, faults, open, edits }} chosen={shown?.id ?? null} />
        )}
        {panel && !isNarrow && (
          <aside
            className={classes.side}
            aria-label="Step"
            onKeyDown={(event) => event.key === "Escape" && !isChoosing(event.target) && close()}
          >
            {panel}
          </aside>
        )}
      </div>
      <Drawer
        opened={panel !== undefined && isNarrow}
        onClose={() => open(null)}
        position="right"
        size="min(26rem, 100vw)"
        title={shown && STEP_KINDS[shown.type].label}
      >
        {isNarrow && panel}
      </Drawer>
      <AddMenu growing={growing} add={edits.add} close={() => setGrowing(null)} />
    </div>
  );
}

/** Whether the key closes a list of choices first. */
const isChoosing = (target: EventTarget) => (target as Element).getAttribute("aria-expanded") === "true";

interface DrawnProps {
  name: string;
  model: Model;
  names: KnownNames;
  faults: Fault[];
  chosen: string | null;
  open: (id: string | null) => void;
  edits: ReturnType<typeof editsOf>;
}

function Drawn({ name, model, names, faults, chosen, open, edits }: DrawnProps) {
  const steps = useMemo(() => drawnOf(model, names), [model, names]);
  const marks = useMemo(() => marksOf(faults), [faults]);
  const canvasEdits = useCanvasEdits({ model, edits });
  return (
    <div className={classes.canvas}>
      <Palette add={(type) => edits.add(type, endOf(model, chosen))} />
      <Canvas
        label={`Canvas of ${name}`}
        steps={steps}
        ways={model.ways}
        marks={marks}
        chosen={chosen}
        choose={open}
        edits={canvasEdits}
      />
    </div>
  );
}

function useCanvasEdits({ model, edits }: { model: Model; edits: ReturnType<typeof editsOf> }): CanvasEdits {
  return {
    grow: edits.grow,
    cut: edits.cut,
    move: edits.move,
    connect: edits.connect,
    remove: edits.remove,
    canConnect: (from, branch, to) => whyNot(model, { from, branch, to }) === null,
    drop: (type, { way, place }) => (way ? edits.add(type, { into: way }) : edits.add(type, null, place)),
  };
}

/** The graph as it is drawn. A step that says the same is the same object: it is not drawn again. */
function drawnOf(model: Model, names: KnownNames): DrawnStep[] {
  const leaving = new Set(model.ways.map(({ from }) => from));
  return model.steps.map((step) => ({
    id: step.id,
    type: step.type,
    name: step.name,
    about: aboutOf(step, names, model.trigger),
    place: step.place,
    openEnds: openEndsOf(model, step),
    leadsOn: leaving.has(step.id),
    branchNames: branchNamesOf(step),
  }));
}

/** A sign at each step that something is wrong with. */
function marksOf(faults: Fault[]): Marks {
  const steps = new Map<string, StepMark>();
  for (const [stepId, own] of Map.groupBy(faults, (fault) => fault.stepId)) {
    if (stepId === null) continue;
    const isSerious = own.some(({ level }) => level !== "warning");
    const tone = isSerious ? "bad" : "warn";
    steps.set(stepId, {
      tone,
      badges: [{ label: "!", tone, title: own.map(({ message }) => message).join(". ") }],
    });
  }
  return { steps };
}

/** Where a step of the palette goes: behind the one that is open, or behind the last one. Null: nowhere in particular. */
function endOf(model: Model, openId: string | null): Where {
  const reached = reachedIn(model);
  const open = openId === null ? undefined : stepOf(model, openId);
  const candidates = [open, ...model.steps.toReversed().filter(({ id }) => reached.has(id))];
  for (const step of candidates) {
    const [branch] = step ? openEndsOf(model, step) : [];
    if (step && branch !== undefined) return { after: step.id, branch };
  }
  return null;
}
