// The keys of the canvas: along the ways from step to step.
import type { ReactFlowInstance } from "@xyflow/react";
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from "react";
import type { CanvasActions, Growth } from "./context.ts";
import { type DrawnStep, type DrawnWay, type Place, wayId } from "./graph.ts";
import { STEP_HEIGHT, STEP_WIDTH } from "./layout.ts";
import type { StepNode, WayEdge } from "./nodes.ts";

interface Options {
  holder: RefObject<HTMLDivElement | null>;
  flow: ReactFlowInstance<StepNode, WayEdge> | null;
  /** Set where the canvas is moved: from then on it stays where it is. */
  isMoved: RefObject<boolean>;
  /** Another text where the canvas has another size. */
  size: string;
  steps: DrawnStep[];
  ways: DrawnWay[];
  places: ReadonlyMap<string, Place>;
  chosen: string | null;
  choose: ((stepId: string | null) => void) | undefined;
  edits: { remove: (stepId: string) => void; grow: CanvasActions["grow"] } | undefined;
}

/** How often the canvas is searched for a step that comes into sight. */
const LOOKS = 20;

/** The step that the keys are at, and what they do. */
export function useSteps(options: Options) {
  const { holder, flow, isMoved, size, steps, ways, places, chosen, choose, edits } = options;
  const [at, setAt] = useState<string | null>(null);
  const known = (id: string | null) => (id !== null && steps.some((step) => step.id === id) ? id : null);
  const current = known(at) ?? known(chosen) ?? steps[0]?.id ?? null;

  const reveal = useEffectEvent((id: string) => {
    const place = places.get(id);
    if (!place || !flow || !holder.current || isInSight(place, flow, holder.current)) return;
    isMoved.current = true;
    const { zoom } = flow.getViewport();
    void flow.setCenter(place.x + STEP_WIDTH / 2, place.y + STEP_HEIGHT / 2, { zoom });
  });
  // One that is chosen elsewhere, or was just added, comes into sight; after the room for its form was taken.
  useEffect(() => {
    if (!flow || chosen === null) return;
    const frame = requestAnimationFrame(() => reveal(chosen));
    return () => cancelAnimationFrame(frame);
  }, [flow, chosen, size]);
  const focused = useRef<string | null>(null);
  const go = (id: string) => {
    setAt(id);
    focused.current = id;
    setWanted((before) => before + 1);
  };
  const [wanted, setWanted] = useState(0);
  useEffect(() => {
    if (focused.current === null) return;
    reveal(focused.current);
    focusOn(holder, focused.current, LOOKS);
  }, [wanted, holder]);
  const onKeyDown = (event: React.KeyboardEvent) => {
    const card = (event.target as HTMLElement).closest<HTMLElement>("[data-step]");
    const id = card?.dataset.step;
    if (!id || event.ctrlKey || event.metaKey || event.altKey) return;
    const next = nextOf(event.key, id, { ways, places });
    if (next !== undefined) {
      event.preventDefault();
      if (next) go(next);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      setAt(id);
      choose?.(id);
    } else if ((event.key === "Delete" || event.key === "Backspace") && edits) {
      event.preventDefault();
      edits.remove(id);
    } else if (event.key === "+" && edits) {
      event.preventDefault();
      const where = growthOf(id, steps, ways);
      if (where) edits.grow(where, card);
    } else if (event.key === "Home" && steps[0]) {
      event.preventDefault();
      go(steps[0].id);
    }
  };
  return { current, onKeyDown };
}

/** Behind a step: where it leads nowhere yet, or else into its way. */
function growthOf(id: string, steps: DrawnStep[], ways: DrawnWay[]): Growth | null {
  const [branch] = steps.find((step) => step.id === id)?.openEnds ?? [];
  if (branch !== undefined) return { after: id, branch };
  const way = ways.find(({ from }) => from === id);
  return way ? { into: wayId(way) } : null;
}

interface Around {
  ways: DrawnWay[];
  places: ReadonlyMap<string, Place>;
}

/** Where an arrow leads: down along the ways, up against them, sideways to those at the same height. Undefined: no arrow. */
function nextOf(key: string, id: string, { ways, places }: Around): string | null | undefined {
  const here = places.get(id)!;
  const nearest = (ids: string[]) =>
    ids.toSorted((a, b) => Math.abs(places.get(a)!.x - here.x) - Math.abs(places.get(b)!.x - here.x))[0] ??
    null;
  const beside = (sign: 1 | -1) =>
    nearest(
      [...places].flatMap(([other, { x, y }]) =>
        other !== id && Math.abs(y - here.y) < STEP_HEIGHT && (x - here.x) * sign > 0 ? [other] : [],
      ),
    );
  switch (key) {
    case "ArrowDown":
      return nearest(ways.flatMap(({ from, to }) => (from === id ? [to] : [])));
    case "ArrowUp":
      return nearest(ways.flatMap(({ from, to }) => (to === id ? [from] : [])));
    case "ArrowRight":
      return beside(1);
    case "ArrowLeft":
      return beside(-1);
    default:
      return undefined;
  }
}

function isInSight(
  place: Place,
  flow: ReactFlowInstance<StepNode, WayEdge>,
  { clientWidth, clientHeight }: HTMLElement,
): boolean {
  const { x, y, zoom } = flow.getViewport();
  const [left, top] = [place.x * zoom + x, place.y * zoom + y];
  return (
    left >= 0 &&
    top >= 0 &&
    left + STEP_WIDTH * zoom <= clientWidth &&
    top + STEP_HEIGHT * zoom <= clientHeight
  );
}

/** A step that was out of sight is in the document a paint or two later. */
function focusOn(holder: RefObject<HTMLDivElement | null>, id: string, looks: number): void {
  const card = holder.current?.querySelector<HTMLElement>(`[data-step="${id}"]`);
  if (card) card.focus({ preventScroll: true });
  else if (looks > 0) requestAnimationFrame(() => focusOn(holder, id, looks - 1));
}
