// New blocks and sections.
import { Button, Menu } from "@mantine/core";
import { announce } from "../../announce.ts";
import { AddIcon, ColumnsIcon } from "../../icons.tsx";
import { addColumn, insertNode, itemsOf, type Path } from "../../mjml/edit.ts";
import type { MjmlNode } from "../../mjml/tree.ts";
import classes from "./blocks.module.css";
import { useBlocks } from "./context.ts";
import { NEW_BLOCKS, NEW_SECTIONS, NEW_TEXT } from "./kinds.ts";

/** Puts a block at the end of a column, and opens its form. */
export function AddBlock({ parent, path }: { parent: MjmlNode; path: Path }) {
  const { text, edit, setOpen, focus } = useBlocks();
  const add = (element: string) => {
    if (edit(insertNode(text, path, itemsOf(parent).length, element)) !== null) return;
    const added = [...path, parent.children.length];
    setOpen(added);
    focus(added);
  };
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          size="compact-xs"
          leftSection={<AddIcon size={13} />}
          className={classes.add!}
        >
          Add a block
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {NEW_BLOCKS.map(({ label, icon: Shape, text: element }) => (
          <Menu.Item key={label} leftSection={<Shape size={15} />} onClick={() => add(element)}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Puts a column beside those of a section. */
export function AddColumn({ section, path }: { section: MjmlNode; path: Path }) {
  const { text, edit, focus } = useBlocks();
  const add = () => {
    if (edit(addColumn(text, path, NEW_TEXT)) !== null) return;
    focus([...path, section.children.length]);
    announce("Column added");
  };
  return (
    <Button
      variant="subtle"
      color="gray"
      size="compact-xs"
      leftSection={<ColumnsIcon size={13} />}
      className={classes.add!}
      onClick={add}
    >
      Add a column
    </Button>
  );
}

/** Puts a section at the end of the mail. */
export function AddSection({ bodyPath, body }: { bodyPath: Path; body: MjmlNode }) {
  const { text, edit, focus } = useBlocks();
  const add = (element: string) => {
    if (edit(insertNode(text, bodyPath, itemsOf(body).length, element)) !== null) return;
    focus([...bodyPath, body.children.length]);
  };
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button
          variant="default"
          size="xs"
          leftSection={<AddIcon size={14} />}
          className={classes.addSection!}
        >
          Add a section
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {NEW_SECTIONS.map(({ label, text: element }) => (
          <Menu.Item key={label} onClick={() => add(element)}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
