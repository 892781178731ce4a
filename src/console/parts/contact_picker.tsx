// A contact, found by part of the address.
import { Select, type SelectProps } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { useApi } from "../queries.ts";

const TYPING_MS = 150;

interface Props extends Pick<
  SelectProps,
  "className" | "mb" | "label" | "size" | "placeholder" | "aria-label" | "comboboxProps" | "openOnFocus"
> {
  /** The id of the contact; empty: nobody. */
  value: string;
  onChange: (id: string) => void;
}

/** Chooses one contact by its address. */
export function ContactPicker({ value, onChange, ...others }: Props) {
  const [text, setText] = useState("");
  const [search] = useDebouncedValue(text, TYPING_MS);
  const chosen = useApi("GET /contacts/{id}", { path: { id: value } }, { enabled: value !== "" });
  const found = useApi(
    "GET /contacts",
    { query: { limit: 10, ...(search && search !== chosen.data?.email && { search }) } },
    { placeholderData: (before) => before },
  );
  const options = new Map((found.data?.data ?? []).map(({ id, email }) => [id, email]));
  if (chosen.data) options.set(chosen.data.id, chosen.data.email);
  return (
    <Select
      label={others["aria-label"] ? undefined : "Contact"}
      placeholder="Search an address"
      {...others}
      searchable
      data={[...options].map(([id, email]) => ({ value: id, label: email }))}
      value={value || null}
      onChange={(id) => onChange(id ?? "")}
      onSearchChange={setText}
      // The service has searched already.
      filter={({ options: all }) => all}
      nothingFoundMessage="No contact has this address"
      clearable
      clearButtonProps={{ "aria-label": "Choose nobody" }}
    />
  );
}
