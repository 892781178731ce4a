// The blocks in an element, in their order, with what surrounds some of them: `{{#if paid}}`.
import { Fragment } from "react";
import { itemsOf, type Path } from "../../../parts/mjml/edit.ts";
import type { MjmlNode } from "../../../parts/mjml/tree.ts";
import { AddBlock } from "./add.tsx";
import classes from "./blocks.module.css";
import { Block } from "./block.tsx";
import { useBlocks } from "./context.ts";
import { placeIn } from "./kinds.ts";

interface Props {
  parent: MjmlNode;
  path: Path;
  label?: string;
}

/** The list. */
export function Items({ parent, path, label }: Props) {
  const { text } = useBlocks();
  const items = itemsOf(parent);
  return (
    <>
      <ul className={classes.items} aria-label={label}>
        {items.map((item, place) =>
          item.node ? (
            <Block
              key={item.index}
              node={item.node}
              path={[...path, item.index]}
              place={place}
              count={items.length}
            />
          ) : (
            <Fragment key={`at ${item.span.start}`}>
              <li className={classes.expression}>
                <code>{text.slice(item.span.start, item.span.end)}</code>
              </li>
            </Fragment>
          ),
        )}
      </ul>
      {placeIn(parent) === "block" && <AddBlock parent={parent} path={path} />}
    </>
  );
}
