// The order of the list, and where in it one looks: nobody scrolls through two million rows.
import { Button, Menu, Stack, Text, TextInput, Tooltip } from "@mantine/core";
import { useState } from "react";
import { formatDay } from "../../parts/format.ts";
import { CheckIcon, CloseIcon, DownIcon, SortIcon } from "../../parts/icons.tsx";
import { BoxButton, MenuButton } from "../../parts/menu_button.tsx";
import { useShortcut } from "../../parts/shortcuts.ts";
import { type Filters, ORDERS, orderOf, type SetFilters } from "./filters.ts";
import classes from "./contacts.module.css";

const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];
const DAY_MS = 86_400_000;
const AGO = [
  { label: "A week ago", days: 7 },
  { label: "A month ago", days: 30 },
  { label: "A year ago", days: 365 },
];

interface Props {
  filters: Filters;
  set: SetFilters;
}

/** Chooses the order. */
export function OrderMenu({ filters, set }: Props) {
  const chosen = orderOf(filters);
  return (
    <MenuButton
      button={(opener) => (
        <Button
          {...opener}
          variant="default"
          size="xs"
          leftSection={<SortIcon size={14} />}
          aria-label={`Order: ${chosen.label}`}
        >
          {chosen.label}
        </Button>
      )}
    >
      {ORDERS.map((order) => (
        <Menu.RadioItem
          key={order.label}
          value={order.label}
          checked={order === chosen}
          checkIcon={<CheckIcon size={14} />}
          closeMenuOnClick
          onChange={() => set({ sort: order.sort, dir: order.dir, from: "" })}
        >
          {order.label}
        </Menu.RadioItem>
      ))}
    </MenuButton>
  );
}

/** Whether one is about to jump: a key does that, also before the button is there. */
export interface Jumping {
  isOpen: boolean;
  setOpen: (isOpen: boolean) => void;
  /** Sorting by last activity has no positions to jump to. */
  isBlocked: boolean;
}

/** For {@linkcode Jump}. */
export function useJumping(filters: Filters): Jumping {
  const [isOpen, setOpen] = useState(false);
  const isBlocked = orderOf(filters).sort === "lastActivity";
  useShortcut("t", "Jump to a letter or a day", () => setOpen(!isBlocked));
  return { isOpen, setOpen, isBlocked };
}

/** Goes to a letter or a day of the order. */
export function Jump({
  filters,
  set,
  jumping: { isOpen, setOpen, isBlocked },
}: Props & { jumping: Jumping }) {
  const { sort } = orderOf(filters);
  const go = (from: string) => {
    set({ from });
    setOpen(false);
  };
  return (
    <BoxButton
      label="Jump to"
      isOpen={isOpen}
      setOpen={setOpen}
      position="bottom-end"
      width={248}
      button={(opener) => {
        const button = (
          <Button
            {...opener}
            variant="default"
            size="xs"
            rightSection={<DownIcon size={13} />}
            data-disabled={isBlocked}
            aria-disabled={isBlocked}
            onClick={() => !isBlocked && opener.onClick()}
          >
            Jump to
          </Button>
        );
        if (!isBlocked) return button;
        return <Tooltip label="Sorting by last activity has no positions to jump to">{button}</Tooltip>;
      }}
    >
      {sort === "email" ? <JumpToLetter go={go} /> : <JumpToDay go={go} />}
    </BoxButton>
  );
}

function JumpToLetter({ go }: { go: (from: string) => void }) {
  const [text, setText] = useState("");
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    if (text.trim()) go(text.trim().toLowerCase());
  };
  return (
    <Stack gap="sm">
      <form onSubmit={submit}>
        <TextInput
          size="xs"
          label="Address begins with"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          maxLength={200}
          data-autofocus
        />
      </form>
      <div className={classes.letters} role="group" aria-label="Letters">
        {LETTERS.map((letter) => (
          <button key={letter} type="button" className={classes.letter} onClick={() => go(letter)}>
            {letter.toUpperCase()}
          </button>
        ))}
      </div>
    </Stack>
  );
}

function JumpToDay({ go }: { go: (from: string) => void }) {
  const [day, setDay] = useState("");
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    if (day) go(day);
  };
  return (
    <Stack gap="xs">
      <form onSubmit={submit}>
        <TextInput
          size="xs"
          type="date"
          label="Day"
          value={day}
          onChange={(event) => setDay(event.currentTarget.value)}
          max={dayBefore(0)}
          data-autofocus
          rightSectionWidth={52}
          rightSection={
            <Button type="submit" size="compact-xs" disabled={!day}>
              Go
            </Button>
          }
        />
      </form>
      {AGO.map(({ label, days }) => (
        <Button
          key={days}
          variant="subtle"
          color="gray"
          size="compact-sm"
          justify="start"
          onClick={() => go(dayBefore(days))}
        >
          {label}
        </Button>
      ))}
    </Stack>
  );
}

/** Says from where on the list is shown, and leads back to its begin. */
export function JumpedTo({ filters, set }: Props) {
  if (!filters.from) return null;
  const { sort } = orderOf(filters);
  const place = sort === "email" ? `“${filters.from}”` : formatDay(filters.from);
  return (
    <div className={classes.jumped}>
      <Text size="sm" component="span">
        From {place} on
      </Text>
      <Button
        variant="subtle"
        size="compact-xs"
        leftSection={<CloseIcon size={12} />}
        onClick={() => set({ from: "" })}
      >
        Back to the start
      </Button>
    </div>
  );
}

const dayBefore = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
