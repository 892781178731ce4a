// A campaign, a template or a workflow, found by a part of its name.
import { Select, type SelectProps } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { useApi } from "../queries.ts";

const TYPING_MS = 150;
const SHOWN = 10;

interface Props extends Pick<SelectProps, "size" | "className" | "comboboxProps" | "openOnFocus" | "error"> {
  /** The id of the chosen one; empty: none. */
  value: string;
  onChange: (id: string) => void;
  /** Part of a line, which has no room for a label, and in which one has to be chosen. */
  isBare?: boolean;
}

interface Named {
  id: string;
  name: string;
}

interface PickerProps extends Props {
  label: string;
  found: Partial<Named>[] | undefined;
  chosen: Named | undefined;
  search: string;
  onSearch: (text: string) => void;
}

/** Chooses a campaign. */
export function CampaignPicker(props: Props) {
  const { text, setText, query } = useTyped();
  const found = useApi("GET /campaigns", { query }, { placeholderData: (before) => before });
  const chosen = useApi(
    "GET /campaigns/{id}",
    { path: { id: props.value } },
    { enabled: props.value !== "" },
  );
  return (
    <Picker
      {...props}
      label="Campaign"
      found={found.data?.data}
      chosen={chosen.data}
      search={text}
      onSearch={setText}
    />
  );
}

/** Chooses a template. */
export function TemplatePicker(props: Props) {
  const { text, setText, query } = useTyped();
  const found = useApi("GET /templates", { query }, { placeholderData: (before) => before });
  const chosen = useApi(
    "GET /templates/{id}",
    { path: { id: props.value } },
    { enabled: props.value !== "" },
  );
  return (
    <Picker
      {...props}
      label="Template"
      found={found.data?.data}
      chosen={chosen.data}
      search={text}
      onSearch={setText}
    />
  );
}

/** Chooses a workflow. */
export function WorkflowPicker(props: Props) {
  const { text, setText, query } = useTyped();
  const found = useApi("GET /workflows", { query }, { placeholderData: (before) => before });
  const chosen = useApi(
    "GET /workflows/{id}",
    { path: { id: props.value } },
    { enabled: props.value !== "" },
  );
  return (
    <Picker
      {...props}
      label="Workflow"
      found={found.data?.data}
      chosen={chosen.data}
      search={text}
      onSearch={setText}
    />
  );
}

/** What is typed, and the page of a list that has it. */
function useTyped() {
  const [text, setText] = useState("");
  const [search] = useDebouncedValue(text, TYPING_MS);
  return { text, setText, query: { pageSize: SHOWN, ...(search && { search }) } };
}

function Picker({ label, found, chosen, search, onSearch, value, onChange, isBare, ...others }: PickerProps) {
  const options = new Map((found ?? []).map(({ id = "", name = "" }) => [id, name]));
  if (chosen) options.set(chosen.id, chosen.name);
  return (
    <Select
      {...others}
      {...(isBare ? { "aria-label": label } : { label })}
      placeholder={isBare ? `Choose a ${label.toLowerCase()}` : `Any ${label.toLowerCase()}`}
      searchable
      clearable={!isBare}
      clearButtonProps={{ "aria-label": `Any ${label.toLowerCase()}` }}
      data={[...options].map(([id, name]) => ({ value: id, label: name }))}
      value={value || null}
      onChange={(id) => onChange(id ?? "")}
      // What is shown while nothing is typed is the name of the chosen one.
      onSearchChange={(text) => onSearch(text === chosen?.name ? "" : text)}
      filter={({ options: all }) => all}
      nothingFoundMessage={
        search ? `No ${label.toLowerCase()} is called so` : `No ${label.toLowerCase()}s yet`
      }
    />
  );
}
