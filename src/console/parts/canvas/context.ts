// What steps and ways on the canvas can do, for the parts within it.
import { createContext } from "react";

/** From where a step is added: behind a step by one of its branches, or into a way. */
export type Growth = { after: string; branch: string | null } | { into: string };

/** What the buttons on the canvas do. */
export interface CanvasActions {
  /** Offers the types of steps to be added there. `anchor` is the button. */
  grow: (where: Growth, anchor: HTMLElement) => void;
  /** Takes a way away. */
  cut: (way: string) => void;
}

/** Null: the graph is read-only. */
export const CanvasContext = createContext<CanvasActions | null>(null);
