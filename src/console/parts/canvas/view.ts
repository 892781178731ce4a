// What of the canvas is shown first.
import type { Viewport } from "@xyflow/react";
import type { Place } from "./graph.ts";
import { ENDS_HEIGHT, STEP_HEIGHT, STEP_WIDTH } from "./layout.ts";

const MARGIN = 32;
/** Smaller than this nobody reads it. */
const READABLE = 0.72;

/** Whether a part of any step is in sight. */
export function isAnySeen(
  places: ReadonlyMap<string, Place>,
  { x, y, zoom }: Viewport,
  { clientWidth, clientHeight }: Pick<HTMLElement, "clientWidth" | "clientHeight">,
): boolean {
  return [...places.values()].some((place) => {
    const [left, top] = [x + place.x * zoom, y + place.y * zoom];
    const [right, bottom] = [left + STEP_WIDTH * zoom, top + STEP_HEIGHT * zoom];
    return right > 0 && bottom > 0 && left < clientWidth && top < clientHeight;
  });
}

/** All of it where it can be read, and else its begin. */
export function firstView(
  places: ReadonlyMap<string, Place>,
  first: string | undefined,
  { clientWidth: width, clientHeight: height }: Pick<HTMLElement, "clientWidth" | "clientHeight">,
): Viewport {
  const all = [...places.values()];
  if (all.length === 0) return { x: 0, y: 0, zoom: 1 };
  const left = Math.min(...all.map(({ x }) => x));
  const right = Math.max(...all.map(({ x }) => x)) + STEP_WIDTH;
  const top = Math.min(...all.map(({ y }) => y));
  const bottom = Math.max(...all.map(({ y }) => y)) + STEP_HEIGHT + ENDS_HEIGHT;
  const fits = Math.min((width - 2 * MARGIN) / (right - left), (height - 2 * MARGIN) / (bottom - top));
  if (fits >= READABLE) {
    const zoom = Math.min(1, fits);
    return { x: (width - (left + right) * zoom) / 2, y: MARGIN - top * zoom, zoom };
  }
  const begin = (first === undefined ? undefined : places.get(first)) ?? all[0]!;
  // Where it is only too high, its middle stays in the middle.
  const isNarrow = (right - left) * READABLE <= width - 2 * MARGIN;
  const middle = isNarrow ? (left + right) / 2 : begin.x + STEP_WIDTH / 2;
  return { x: width / 2 - middle * READABLE, y: MARGIN - begin.y * READABLE, zoom: READABLE };
}
