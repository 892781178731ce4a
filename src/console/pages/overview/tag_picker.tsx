// Narrows the figures of mails to those with one tag. The tags are counted once somebody opens the list, because that may take
// a second or two.
import { Select } from "@mantine/core";
import { useState } from "react";
import type { Period } from "../../parts/period.tsx";
import { useApi } from "../../queries.ts";

const SHOWN = 100;

interface Props {
  period: Period;
  /** `name:value`; empty: all mails. */
  value: string;
  onChange: (tag: string) => void;
}

export default function TagPicker({ period: { startDate, endDate }, value, onChange }: Props) {
  const [isOpen, setOpen] = useState(false);
  const tags = useApi(
    "GET /analytics/tags",
    { query: { startDate, endDate, limit: SHOWN } },
    { enabled: isOpen },
  );
  const found = (tags.data ?? []).map((tag) => `${tag.name}:${tag.value}`);
  const shown = value === "" || found.includes(value) ? found : [value, ...found];
  return (
    <Select
      size="xs"
      w={{ base: 130, xs: 190 }}
      aria-label="Tag"
      placeholder="All mails"
      searchable
      clearable
      clearButtonProps={{ "aria-label": "Figures of all mails" }}
      comboboxProps={{ width: 260, position: "bottom-end" }}
      data={shown.map((tag) => ({ value: tag, label: tag.replace(":", ": ") }))}
      value={value || null}
      onChange={(tag) => onChange(tag ?? "")}
      onDropdownOpen={() => setOpen(true)}
      nothingFoundMessage={
        tags.isError
          ? tags.error.message
          : tags.isFetching
            ? "Counting…"
            : found.length === 0
              ? "No mail of these days has a tag"
              : "No tag matches"
      }
    />
  );
}
