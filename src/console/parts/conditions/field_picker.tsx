// What a filter is about: fields, events and segments that exist, found by typing; and any other name that is typed.
import { type ComboboxItem, type ComboboxItemGroup, Select } from "@mantine/core";
import { useState } from "react";
import { TAKES_FIRST_MATCH } from "../first_match.ts";
import classes from "./conditions.module.css";
import { nameIn } from "./catalogue.ts";
import type { Vocabulary } from "./vocabulary.ts";
import { ACTIVITIES, fieldName } from "./words.ts";

const MAX_SHOWN = 200;

interface Props {
  vocabulary: Vocabulary;
  value: string;
  onChange: (field: string) => void;
  error?: string | undefined;
}

/** A field with everything that can be chosen. */
export function FieldPicker({ vocabulary, value, onChange, error }: Props) {
  const [search, setSearch] = useState(() => (value ? labelOf(vocabulary, value) : ""));
  const groups = withTyped(groupsOf(vocabulary, value), search.trim());
  return (
    <Select
      size="sm"
      aria-label="Field"
      placeholder="Choose a field"
      data={groups}
      value={value || null}
      onChange={(field) => field && onChange(field)}
      searchable
      {...TAKES_FIRST_MATCH}
      searchValue={search}
      onSearchChange={setSearch}
      filter={({ options, search: typed }) => matching(options as Group[], typed, labelOf(vocabulary, value))}
      limit={MAX_SHOWN}
      withScrollArea={false}
      classNames={{ options: classes.options! }}
      nothingFoundMessage="Nothing has this name"
      allowDeselect={false}
      withCheckIcon={false}
      error={error}
      comboboxProps={{ width: "max-content", position: "bottom-start", shadow: "md" }}
    />
  );
}

const labelOf = ({ kindOf, segments }: Vocabulary, field: string) =>
  field ? fieldName(field, kindOf(field), segments) : "";

type Group = ComboboxItemGroup<ComboboxItem>;

function groupsOf(vocabulary: Vocabulary, value: string): Group[] {
  const { catalogue, fields, events, segments } = vocabulary;
  const offer = (field: string): ComboboxItem => ({ value: field, label: labelOf(vocabulary, field) });
  const standard = catalogue.fields.map(({ field }) => field).filter((field) => !field.includes("<"));
  const activities = catalogue.fields.flatMap((entry) => entry.activities ?? []);
  const known: Group[] = [
    { group: "Contact", items: standard.map(offer) },
    { group: "Fields of your own", items: fields.map(({ field }) => offer(field)) },
    {
      group: "Mails",
      items: activities.filter((name) => ACTIVITIES[name]).map((name) => offer(`email.${name}`)),
    },
    {
      group: "Events",
      // Those of mails are offered in words above.
      items: events.filter((name) => !name.startsWith("email.")).map((name) => offer(`event.${name}`)),
    },
    { group: "Segments", items: [...segments.keys()].map((id) => offer(`segment.${id}`)) },
  ];
  const isKnown = known.some(({ items }) => items.some((item) => item.value === value));
  if (value && !isKnown) known.push({ group: "Chosen", items: [offer(value)] });
  return known.filter(({ items }) => items.length > 0);
}

/** A key that no contact has yet, or an event that has not happened yet, can be meant, too. */
function withTyped(groups: Group[], typed: string): Group[] {
  const isThere = (field: string) => groups.some(({ items }) => items.some(({ value }) => value === field));
  const isLabel = groups.some(({ items }) => items.some(({ label }) => label === typed));
  if (typed === "" || isLabel) return groups;
  const name = nameIn(typed.replace(/^(event|field)\s+/i, ""));
  const items = [
    { value: `data.${name}`, label: `${name} (new field)` },
    { value: `event.${name}`, label: `Event ${name} (new)` },
  ].filter(({ value }) => !isThere(value));
  return items.length > 0 ? [...groups, { group: "Not there yet", items }] : groups;
}

/** Every word that was typed is in the name. Of a name that is chosen, nothing has been typed. */
function matching(groups: Group[], typed: string, chosen: string): Group[] {
  const words = typed === chosen ? [] : typed.toLowerCase().split(/\s+/).filter(Boolean);
  const isFound = ({ label }: ComboboxItem) => words.every((word) => label.toLowerCase().includes(word));
  return groups
    .map(({ group, items }) => ({
      group,
      items: group === "Not there yet" ? items : items.filter(isFound),
    }))
    .filter(({ items }) => items.length > 0);
}
