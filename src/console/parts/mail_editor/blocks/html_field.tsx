// HTML that is in a mail as it is.
import { Textarea } from "@mantine/core";
import { useState } from "react";
import { contentOf, nodeOf, type Path, setContent } from "../../mjml/edit.ts";
import classes from "./blocks.module.css";
import { keyOf, useBlocks } from "./context.ts";

/** What is between the tags, letter by letter. */
export function HtmlField({ path }: { path: Path }) {
  const { text, root, edit } = useBlocks();
  const [refused, setRefused] = useState<{ value: string; reason: string } | null>(null);
  const set = (value: string) => {
    const reason = edit(setContent(text, path, value), `${keyOf(path)} content`);
    setRefused(reason === null ? null : { value, reason });
  };
  return (
    <Textarea
      size="xs"
      label="HTML"
      autosize
      minRows={4}
      maxRows={20}
      spellCheck={false}
      classNames={{ input: classes.code! }}
      value={refused?.value ?? contentOf(text, nodeOf(root, path))}
      error={refused?.reason}
      onChange={(event) => set(event.currentTarget.value)}
    />
  );
}
