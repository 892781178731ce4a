// Text to take along.
import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { announce } from "./announce.ts";
import { CheckIcon, CopyIcon } from "./icons.tsx";
import classes from "./copy.module.css";

interface Props {
  /** What is copied. */
  value: string;
  /** What it is, such as `public key`: the button is called `Copy public key`. */
  label: string;
}

/** A small button that copies, and says so. */
export function CopyButton({ value, label }: Props) {
  const { copied, copy } = useCopy(value);
  return (
    <Tooltip label={copied ? "Copied" : `Copy ${label}`}>
      <ActionIcon size="sm" aria-label={`Copy ${label}`} onClick={copy}>
        {copied ? <CheckIcon size={15} color="var(--fine)" /> : <CopyIcon size={15} />}
      </ActionIcon>
    </Tooltip>
  );
}

/** A button with words that copies. */
export function CopyTextButton({ value, label }: Props) {
  const { copied, copy } = useCopy(value);
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={copied ? <CheckIcon size={14} color="var(--fine)" /> : <CopyIcon size={14} />}
      onClick={copy}
    >
      {copied ? "Copied" : `Copy ${label}`}
    </Button>
  );
}

/** A value in a frame, with a button that copies it: keys, records, addresses. */
export function Copyable({ value, label }: Props) {
  return (
    <span className={classes.copyable}>
      <code>{value}</code>
      <CopyButton value={value} label={label} />
    </span>
  );
}

function useCopy(value: string) {
  const { copied, copy } = useClipboard({ timeout: 1500 });
  return {
    copied,
    copy: () => {
      copy(value);
      announce("Copied");
    },
  };
}
