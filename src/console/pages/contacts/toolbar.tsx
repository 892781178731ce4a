// What narrows the list: a part of the address, the subscription, a segment, a field, a condition.
import { Button, Select, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";
import { CloseIcon, SearchIcon } from "../../parts/icons.tsx";
import { useShortcut } from "../../parts/shortcuts.ts";
import { useApi } from "../../queries.ts";
import { type ChosenColumns, ColumnsMenu } from "./columns.tsx";
import { ConditionFilter } from "./condition_filter.tsx";
import { FieldFilter } from "./field_filter.tsx";
import { CLEARED, type Filters, isFiltered, type SetFilters } from "./filters.ts";
import { Jump, OrderMenu } from "./order.tsx";
import classes from "./contacts.module.css";

const TYPING_MS = 200;
const SUBSCRIPTIONS = [
  { value: "true", label: "Subscribed" },
  { value: "false", label: "Unsubscribed" },
];

interface Props {
  filters: Filters;
  set: SetFilters;
  columns: ChosenColumns;
}

export function Toolbar({ filters, set, columns }: Props) {
  const segments = useApi("GET /segments", {}).data ?? [];
  return (
    <div className={classes.toolbar} role="search" aria-label="Contacts">
      <SearchField
        value={filters.search}
        onChange={(search) => set({ search, from: "" }, { replace: true })}
      />
      <div className={classes.tools}>
        <Select
          className={classes.select!}
          size="xs"
          aria-label="Subscription"
          placeholder="Any state"
          data={SUBSCRIPTIONS}
          value={filters.subscribed || null}
          onChange={(subscribed) => set({ subscribed: subscribed ?? "" })}
          clearable
          clearButtonProps={{ "aria-label": "Any state" }}
        />
        <Select
          className={classes.select!}
          size="xs"
          aria-label="Segment"
          placeholder="Any segment"
          nothingFoundMessage={
            segments.length === 0 ? "There are no segments yet" : "No segment is called so"
          }
          data={segments.map(({ id, name }) => ({ value: id, label: name }))}
          value={filters.segment || null}
          onChange={(segment) => set({ segment: segment ?? "" })}
          searchable
          clearable
          clearButtonProps={{ "aria-label": "Any segment" }}
          comboboxProps={{ width: 240, position: "bottom-start" }}
        />
        <FieldFilter filters={filters} set={set} />
        <ConditionFilter filters={filters} set={set} />
        {isFiltered(filters) && (
          <Button
            variant="subtle"
            color="gray"
            size="xs"
            leftSection={<CloseIcon size={13} />}
            onClick={() => set(CLEARED)}
          >
            Clear
          </Button>
        )}
        <span className={classes.order}>
          <OrderMenu filters={filters} set={set} />
          <Jump filters={filters} set={set} />
          <ColumnsMenu {...columns} />
        </span>
      </div>
    </div>
  );
}

/** `/` leads here, Escape empties it. The address follows when the typing pauses. */
function SearchField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const [text, setText] = useState(value);
  const field = useRef<HTMLInputElement>(null);
  const tell = useDebouncedCallback(onChange, TYPING_MS);
  const isTyping = useRef(false);
  // Back, a link, or "Clear": the field follows the address.
  useEffect(() => {
    if (!isTyping.current || value === "") setText(value);
    isTyping.current = false;
  }, [value]);
  useShortcut("/", "Search contacts", () => field.current?.focus());
  const type = (next: string) => {
    isTyping.current = true;
    setText(next);
    tell(next.trim());
  };
  return (
    <TextInput
      ref={field}
      className={classes.searchField!}
      size="xs"
      type="search"
      aria-label="Search by address"
      aria-keyshortcuts="/"
      placeholder="Search by address"
      leftSection={<SearchIcon size={14} />}
      maxLength={254}
      value={text}
      onChange={(event) => type(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        if (text) type("");
        else event.currentTarget.blur();
      }}
    />
  );
}
