// The blocks in an element, in their order: each with its name, what can be done with it, its form, and the blocks in it.
import { useState } from "react";
import { GripIcon } from "../../editor_icons.tsx";
import { dragByTouch } from "../../touch_drag.ts";
import { itemsOf, type Path } from "../../mjml/edit.ts";
import type { MjmlNode } from "../../mjml/tree.ts";
import classes from "./blocks.module.css";
import { keyOf, useBlocks } from "./context.ts";
import { AddBlock, AddColumn } from "./add.tsx";
import { BlockActions } from "./block_actions.tsx";
import { BlockForm } from "./forms.tsx";
import { kindOf, nameOf, placeIn } from "./kinds.ts";
import { useMoves } from "./moves.ts";

interface ItemsProps {
  parent: MjmlNode;
  path: Path;
  label?: string;
}

/** The list. */
export function Items({ parent, path, label }: ItemsProps) {
  const { text } = useBlocks();
  const items = itemsOf(parent);
  return (
    <>
      <ul className={classes.items} aria-label={label}>
        {items.map((item, place) =>
          item.node ? (
            <Block key={item.index} node={item.node} path={[...path, item.index]} place={place} />
          ) : (
            <li key={`at ${item.span.start}`} className={classes.expression}>
              <code>{text.slice(item.span.start, item.span.end)}</code>
            </li>
          ),
        )}
      </ul>
      {placeIn(parent) === "block" && <AddBlock parent={parent} path={path} />}
    </>
  );
}

interface Props {
  node: MjmlNode;
  path: Path;
  /** Its number among what is next to it. */
  place: number;
}

/** A block. Enter opens its form, Alt with the arrows moves it, Delete removes it. */
function Block({ node, path, place }: Props) {
  const { text, open, setOpen, dragged, setDragged } = useBlocks();
  const moves = useMoves(node, path, place);
  const [side, setSide] = useState<"before" | "after" | null>(null);
  const key = keyOf(path);
  const isOpen = open !== null && keyOf(open) === key;
  const { label, icon: Shape, summary } = kindOf(node);
  const only = onlyColumn(node);
  const inner = only ?? node;
  const canDrop = dragged !== null && moves.takes(dragged);
  const onDragOver = (event: React.DragEvent) => {
    if (!canDrop) return;
    event.preventDefault();
    event.stopPropagation();
    const { top, height } = event.currentTarget.getBoundingClientRect();
    setSide(event.clientY < top + height / 2 ? "before" : "after");
  };
  return (
    <li className={classes.item} data-place={placeIn(node) === undefined ? undefined : node.tag}>
      <div
        className={classes.row}
        data-open={isOpen || undefined}
        data-drop={(canDrop && side) || undefined}
        data-dragged={(dragged !== null && keyOf(dragged) === key) || undefined}
        draggable
        onDragStart={(event) => {
          event.stopPropagation();
          event.dataTransfer.effectAllowed = "move";
          event.dataTransfer.setData("text/plain", label);
          setDragged(path);
        }}
        onDragEnd={() => setDragged(null)}
        onDragOver={onDragOver}
        onDragLeave={() => setSide(null)}
        onDrop={(event) => {
          if (!canDrop) return;
          event.preventDefault();
          event.stopPropagation();
          setSide(null);
          moves.drop(dragged, side === "after" ? place + 1 : place);
        }}
      >
        <span
          className={classes.grip}
          aria-hidden="true"
          data-grip
          onPointerDown={(event) =>
            dragByTouch(event, { begin: () => setDragged(path), end: () => setDragged(null) })
          }
        >
          <GripIcon size={14} />
        </span>
        <button
          type="button"
          className={classes.name}
          data-path={key}
          aria-expanded={isOpen}
          aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown Delete"
          onClick={() => setOpen(isOpen ? null : path)}
          onKeyDown={moves.onKeyDown}
        >
          <Shape size={15} />
          <span className={classes.label}>{label}</span>
          <span className={classes.summary}>{summary?.(text, node)}</span>
        </button>
        <BlockActions
          moves={moves}
          name={nameOf(text, node)}
          isFirst={!moves.canGoUp}
          isLast={!moves.canGoDown}
        />
      </div>
      {isOpen && (
        <div className={classes.form} role="group" aria-label={`${label}: settings`}>
          <BlockForm node={node} path={path} />
        </div>
      )}
      {placeIn(inner) !== undefined && (
        <div className={classes.inner}>
          <Items parent={inner} path={only ? [...path, 0] : path} />
          {placeIn(node) === "column" && <AddColumn section={node} path={path} />}
        </div>
      )}
    </li>
  );
}

/** A section with one column that says nothing of itself is shown without it. */
function onlyColumn(node: MjmlNode): MjmlNode | null {
  const [first, ...more] = node.children;
  const isAlone = node.tag === "mj-section" && first?.tag === "mj-column" && more.length === 0;
  return isAlone && first.attributes.length === 0 && node.expressions.length === 0 ? first : null;
}
