// A block on its way: up and down, into the next column, elsewhere by drag, twice, or away.
import { announce } from "../../announce.ts";
import {
  duplicateNode,
  itemsOf,
  type Moved,
  moveTo,
  nodeOf,
  type Path,
  removeNode,
} from "../../mjml/edit.ts";
import type { MjmlNode } from "../../mjml/tree.ts";
import { useBlocks } from "./context.ts";
import { kindOf, type Place, placeIn } from "./kinds.ts";

/** What can be done with the block at a path, the `place`th of what is next to it. */
export function useMoves(node: MjmlNode, path: Path, place: number) {
  const { text, root, edit, setOpen, focus, open, setDragged } = useBlocks();
  const parentPath = path.slice(0, -1);
  const parent = nodeOf(root, parentPath);
  const { label } = kindOf(node);
  const up = targetOf(root, path, place, -1);
  const down = targetOf(root, path, place, 1);

  const arrive = (moved: Moved | null, word: string) => {
    if (!moved || edit(moved.text) !== null) return;
    if (open) setOpen(null);
    focus(moved.path);
    announce(`${label} ${word}`);
  };
  const step = (by: 1 | -1) => {
    const target = by === 1 ? down : up;
    if (target) arrive(moveTo(text, path, target.parent, target.place), by === 1 ? "moved down" : "moved up");
  };
  const remove = () => {
    if (edit(removeNode(text, path)) !== null) return;
    setOpen(null);
    const index = path.at(-1)!;
    const next = index < parent.children.length - 1 ? index : index - 1;
    focus(next < 0 ? parentPath : [...parentPath, next]);
    announce(`${label} removed`);
  };
  const duplicate = () => {
    if (edit(duplicateNode(text, path)) !== null) return;
    setOpen(null);
    focus([...parentPath, path.at(-1)! + 1]);
    announce(`${label} duplicated`);
  };
  const onKeyDown = (event: React.KeyboardEvent<HTMLElement>) => {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : null;
    if (event.key === "Delete") remove();
    else if (by !== null && event.altKey) step(by);
    else if (by !== null) focusNeighbour(event.currentTarget, by);
    else return;
    event.preventDefault();
  };
  return {
    canGoUp: up !== null,
    canGoDown: down !== null,
    step,
    remove,
    duplicate,
    onKeyDown,
    /** Whether what is dragged can be next to this block. */
    takes: (dragged: Path) => {
      const other = nodeOf(root, dragged.slice(0, -1));
      return placeIn(other) === placeIn(parent) && !isNested(nodeOf(root, dragged), parent);
    },
    drop(dragged: Path, at: number) {
      setDragged(null);
      arrive(moveTo(text, dragged, parentPath, at), "moved");
    },
  };
}

/** What cannot be in one of its own kind. */
const isNested = (node: MjmlNode, parent: MjmlNode) =>
  (node.tag === "mj-wrapper" || node.tag === "mj-group") && node.tag === parent.tag;

interface Target {
  parent: Path;
  place: number;
}

/** Where one step leads: past what is next to it, or into the next element that takes it. */
function targetOf(root: MjmlNode, path: Path, place: number, by: 1 | -1): Target | null {
  const parentPath = path.slice(0, -1);
  const parent = nodeOf(root, parentPath);
  const last = itemsOf(parent).length - 1;
  if (by === -1 && place > 0) return { parent: parentPath, place: place - 1 };
  if (by === 1 && place < last) return { parent: parentPath, place: place + 2 };
  const kind = placeIn(parent);
  if (kind === "section" || kind === undefined) return null;
  const all = containersOf(root, kind);
  const at = all.findIndex((one) => one.join() === parentPath.join());
  const next = all[at + by];
  if (!next) return null;
  return { parent: next, place: by === 1 ? 0 : itemsOf(nodeOf(root, next)).length };
}

/** Every element that takes blocks of a kind, in the order of the text. */
function containersOf(root: MjmlNode, kind: Place): Path[] {
  const below = (node: MjmlNode, path: Path): Path[] => [
    ...(placeIn(node) === kind && !node.isSelfClosed ? [path] : []),
    ...node.children.flatMap((child, n) => below(child, [...path, n])),
  ];
  return below(root, []);
}

/** The block above or below in the list, wherever it stands. */
function focusNeighbour(from: HTMLElement, by: 1 | -1): void {
  const all = [...document.querySelectorAll<HTMLElement>("[data-path]")];
  all[all.indexOf(from) + by]?.focus();
}
