// The body as blocks. They are no format of their own: every edit changes the letters of the MJML that it is about, and what
// the blocks do not know stays as it is.
import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { announce } from "../../announce.ts";
import { RedoIcon } from "../../editor_icons.tsx";
import { UndoIcon } from "../../icons.tsx";
import { nodeOf, type Path } from "../../mjml/edit.ts";
import { bodyOf, MjmlFault, type MjmlNode, parseMjml } from "../../mjml/tree.ts";
import { Empty } from "../../states.tsx";
import { AddSection } from "./add.tsx";
import classes from "./blocks.module.css";
import { type Blocks, BlocksContext, keyOf } from "./context.ts";
import type { useHistory } from "./history.ts";
import { Items } from "./items.tsx";

interface Props {
  value: string;
  history: ReturnType<typeof useHistory>;
  /** Stands before the tools. */
  head: ReactNode;
  /** The fields of contacts. */
  fields: string[];
  /** Leads to a place in the code. */
  showCode: (at: number) => void;
}

/** The list of blocks. The form of a block opens below it. */
export default function BlockEditor({ value, history, head, fields, showCode }: Props) {
  const { edit: write, undo, redo, canUndo, canRedo } = history;
  const holder = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<Path | null>(null);
  const [wanted, focus] = useState<Path | null>(null);
  const [dragged, setDragged] = useState<Path | null>(null);
  useEffect(() => {
    if (wanted === null) return;
    // A column that is alone is not shown: its section is.
    const ways = wanted.map((_, n) => wanted.slice(0, wanted.length - n));
    const rows = ways.map((path) =>
      holder.current?.querySelector<HTMLElement>(`[data-path="${keyOf(path)}"]`),
    );
    const row = rows.find(Boolean);
    row?.focus();
    row?.scrollIntoView({ block: "nearest" });
    focus(null);
  }, [wanted]);

  const read = readBlocks(value);
  if (!read.root) {
    return (
      <div className={classes.blocks}>
        <div className={classes.tools}>{head}</div>
        <NoBlocks reason={read.reason} showCode={() => showCode(read.at)} />
      </div>
    );
  }
  const { root, body, bodyPath } = read;
  const blocks: Blocks = {
    text: value,
    root,
    edit(next, about) {
      const reason = whyNot(root, next, about !== undefined);
      if (reason === null) write(next, about);
      return reason;
    },
    open: open && isThere(root, open) ? open : null,
    setOpen,
    focus,
    dragged,
    setDragged,
    fields,
    showCode,
  };
  const step = (take: () => void, word: string) => {
    take();
    announce(word);
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    if (key === "y" || event.shiftKey) step(redo, "Done again");
    else step(undo, "Undone");
  };
  return (
    <BlocksContext value={blocks}>
      <div ref={holder} className={classes.blocks} onKeyDown={onKeyDown}>
        <div className={classes.tools}>
          {head}
          <Tooltip label="Undo (Ctrl+Z)">
            <ActionIcon aria-label="Undo" disabled={!canUndo} onClick={() => step(undo, "Undone")}>
              <UndoIcon size={16} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label="Redo (Ctrl+Shift+Z)">
            <ActionIcon aria-label="Redo" disabled={!canRedo} onClick={() => step(redo, "Done again")}>
              <RedoIcon size={16} />
            </ActionIcon>
          </Tooltip>
        </div>
        <div className={classes.list}>
          <Items parent={body} path={bodyPath} label="Blocks of the mail" />
          <AddSection bodyPath={bodyPath} body={body} />
        </div>
      </div>
    </BlocksContext>
  );
}

type Read = { root: MjmlNode; body: MjmlNode; bodyPath: Path } | { root: null; reason: string; at: number };

/** The text as a tree, or why it is none. */
function readBlocks(text: string): Read {
  try {
    const root = parseMjml(text);
    const body = bodyOf(root);
    if (!body) return { root: null, reason: "It has no <mj-body>.", at: 0 };
    const top = root.children.findIndex(({ tag }) => tag === "mjml");
    return { root, body, bodyPath: [top, root.children[top]!.children.indexOf(body)] };
  } catch (error) {
    if (!(error instanceof MjmlFault)) throw error;
    return { root: null, reason: `${error.message}.`, at: error.at };
  }
}

/** Why a text cannot come in place of the one before; null if it can. What a field writes makes no other elements. */
function whyNot(root: MjmlNode, next: string, isOfField: boolean): string | null {
  try {
    const after = parseMjml(next);
    if (isOfField && shapeOf(after) !== shapeOf(root)) return "This would end the block: write &lt; for <";
    return null;
  } catch (error) {
    if (!(error instanceof MjmlFault)) throw error;
    return error.message;
  }
}

const shapeOf = (node: MjmlNode): string => `${node.tag}(${node.children.map(shapeOf).join()})`;

function isThere(root: MjmlNode, path: Path): boolean {
  try {
    return nodeOf(root, path) !== undefined;
  } catch {
    return false;
  }
}

function NoBlocks({ reason, showCode }: { reason: string; showCode: () => void }) {
  return (
    <Empty
      title="This mail cannot be shown as blocks"
      action={
        <Button variant="default" onClick={showCode}>
          Show it in the code
        </Button>
      }
    >
      {reason} Fix it in the code, and the blocks come back.
    </Empty>
  );
}
