// The search field above a list.
import { TextInput, type TextInputProps } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";
import { SearchIcon } from "./icons.tsx";
import { useShortcut } from "./shortcuts.ts";
import { enterTable } from "./virtual_table.tsx";

const TYPING_MS = 200;
const MAX_LENGTH = 254;

interface Props extends Pick<TextInputProps, "size" | "className"> {
  /** What is searched: `Search contacts`. */
  label: string;
  /** As the address has it. */
  value: string;
  /** Told when the typing pauses. */
  onChange: (value: string) => void;
}

/** `/` leads here, Enter or the arrow down into the list, and Escape empties it. The address follows when the typing pauses. */
export function ListSearch({ label, value, onChange, ...others }: Props) {
  const [text, setText] = useState(value);
  const field = useRef<HTMLInputElement>(null);
  const tell = useDebouncedCallback(onChange, TYPING_MS);
  const isTyping = useRef(false);
  // Back, a link, or "Clear": the field follows the address.
  useEffect(() => {
    if (!isTyping.current || value === "") setText(value);
    isTyping.current = false;
  }, [value]);
  useShortcut("/", label, () => field.current?.focus());
  const type = (next: string) => {
    isTyping.current = true;
    setText(next);
    tell(next.trim());
  };
  const onKeyDown = (event: React.KeyboardEvent<HTMLInputElement>) => {
    if (event.key === "Escape") {
      if (text) type("");
      else event.currentTarget.blur();
    }
    if (event.key !== "Enter" && event.key !== "ArrowDown") return;
    event.preventDefault();
    tell.flush();
    enterTable();
  };
  return (
    <TextInput
      {...others}
      ref={field}
      type="search"
      aria-label={label}
      aria-keyshortcuts="/"
      placeholder={label}
      leftSection={<SearchIcon size={14} />}
      maxLength={MAX_LENGTH}
      value={text}
      onChange={(event) => type(event.currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  );
}
