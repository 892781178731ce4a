// What every block of the list knows: the text, and how to change it.
import { createContext, useContext } from "react";
import type { Path } from "../../mjml/edit.ts";
import type { MjmlNode } from "../../mjml/tree.ts";

/** The text as blocks. */
export interface Blocks {
  text: string;
  root: MjmlNode;
  /** Changes the text. `about`: edits about the same thing that follow each other are undone together. Null if it was done; otherwise why it was not. */
  edit: (next: string, about?: string) => string | null;
  /** Whose form is open; null: none. */
  open: Path | null;
  setOpen: (path: Path | null) => void;
  /** Gives the focus to a block once it is there. */
  focus: (path: Path) => void;
  /** What is dragged. */
  dragged: Path | null;
  setDragged: (path: Path | null) => void;
  /** The fields of contacts. */
  fields: string[];
  /** Leads to the element in the code. */
  showCode: (at: number) => void;
}

export const BlocksContext = createContext<Blocks | null>(null);

/** What every block knows. */
export function useBlocks(): Blocks {
  return useContext(BlocksContext)!;
}

/** A path as a word. */
export const keyOf = (path: Path): string => path.join(".");
