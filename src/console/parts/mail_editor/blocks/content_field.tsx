// The words of a text or a button: with a few buttons for what HTML is needed for, and as HTML if there is more in it.
import { ActionIcon, Menu, Popover, Textarea, TextInput, Tooltip, Button } from "@mantine/core";
import { useRef, useState } from "react";
import { ALWAYS, writtenName } from "../../code/names.ts";
import { BoldIcon, CodeIcon, ItalicIcon, LinkIcon } from "../../editor_icons.tsx";
import { contentOf, nodeOf, type Path, setContent } from "../../mjml/edit.ts";
import { keyOf, useBlocks } from "./context.ts";
import { isPlain, toHtml, toLines } from "./lines.ts";
import classes from "./blocks.module.css";

interface Props {
  path: Path;
  label: string;
  /** Line breaks can be in it. */
  isLong?: boolean;
}

/** The field, which changes what is between the tags. */
export function ContentField({ path, label, isLong = false }: Props) {
  const { text, root, edit } = useBlocks();
  const field = useRef<HTMLTextAreaElement>(null);
  const [refused, setRefused] = useState<{ value: string; reason: string } | null>(null);
  const content = contentOf(text, nodeOf(root, path));
  const plain = isPlain(content);
  const value = refused?.value ?? (plain ? toLines(content) : content);
  const set = (next: string) => {
    const written = plain ? toHtml(next) : next;
    const reason = edit(setContent(text, path, written), `${keyOf(path)} content`);
    setRefused(reason === null ? null : { value: next, reason });
  };
  /** Puts words around what is marked, and marks it again. */
  const wrap = (before: string, after: string) => {
    const { selectionStart: from, selectionEnd: to } = field.current!;
    set(value.slice(0, from) + before + value.slice(from, to) + after + value.slice(to));
    requestAnimationFrame(() => {
      field.current?.focus();
      field.current?.setSelectionRange(from + before.length, to + before.length);
    });
  };
  return (
    <div>
      <div className={classes.words}>
        <Tool label="Bold" icon={BoldIcon} act={() => wrap("<b>", "</b>")} />
        <Tool label="Italic" icon={ItalicIcon} act={() => wrap("<i>", "</i>")} />
        {isLong && <LinkTool insert={(href) => wrap(`<a href="${href}">`, "</a>")} />}
        <FieldMenu insert={(name) => wrap(`{{${name}}}`, "")} />
      </div>
      <Textarea
        ref={field}
        size="xs"
        aria-label={label}
        autosize
        minRows={isLong ? 3 : 1}
        maxRows={16}
        classNames={plain ? {} : { input: classes.code! }}
        description={plain ? undefined : "It contains more than plain text: this is its HTML."}
        value={value}
        error={refused?.reason}
        onChange={(event) => set(event.currentTarget.value)}
      />
    </div>
  );
}

function Tool({ label, icon: Shape, act }: { label: string; icon: typeof BoldIcon; act: () => void }) {
  return (
    <Tooltip label={label}>
      <ActionIcon size={24} aria-label={label} onClick={act}>
        <Shape size={15} />
      </ActionIcon>
    </Tooltip>
  );
}

function LinkTool({ insert }: { insert: (href: string) => void }) {
  const [isOpen, setOpen] = useState(false);
  const [href, setHref] = useState("https://");
  return (
    <Popover opened={isOpen} onChange={setOpen} trapFocus position="bottom-start" shadow="md">
      <Popover.Target>
        <ActionIcon size={24} aria-label="Link" onClick={() => setOpen(!isOpen)}>
          <LinkIcon size={15} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          className={classes.words}
          onSubmit={(event) => {
            event.preventDefault();
            setOpen(false);
            insert(href.replaceAll('"', "%22"));
          }}
        >
          <TextInput
            size="xs"
            aria-label="Address of the link"
            value={href}
            onChange={(event) => setHref(event.currentTarget.value)}
          />
          <Button size="xs" type="submit">
            Link the selection
          </Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}

/** The fields of contacts, to be put where the cursor is. */
function FieldMenu({ insert }: { insert: (name: string) => void }) {
  const { fields } = useBlocks();
  const names = [...new Set([...fields, ...Object.keys(ALWAYS)])];
  return (
    <Menu position="bottom-start" returnFocus={false}>
      <Menu.Target>
        <ActionIcon size={24} aria-label="Insert a field">
          <CodeIcon size={15} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown className={classes.fieldMenu!}>
        {names.map((name) => (
          <Menu.Item key={name} onClick={() => insert(writtenName(name))}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
