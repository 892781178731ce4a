// Contacts that have a field, or have a certain value in it.
import { Autocomplete, Button, Group, Select, Stack } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { TAKES_FIRST_MATCH } from "../../parts/first_match.ts";
import { CloseIcon, FilterIcon } from "../../parts/icons.tsx";
import { BoxButton } from "../../parts/menu_button.tsx";
import { useApi } from "../../queries.ts";
import { fieldName } from "../../parts/field_value.tsx";
import type { Filters, SetFilters } from "./filters.ts";

const TYPING_MS = 150;

interface Props {
  filters: Pick<Filters, "field" | "value">;
  set: SetFilters;
}

export function FieldFilter({ filters: { field, value }, set }: Props) {
  const [isOpen, setOpen] = useState(false);
  const words = field && (value ? `${fieldName(field)} is ${value}` : `Has ${fieldName(field)}`);
  return (
    <BoxButton
      label="Filter by a field"
      isOpen={isOpen}
      setOpen={setOpen}
      position="bottom-start"
      width={280}
      button={(opener) => (
        <Button
          {...opener}
          variant={field ? "light" : "default"}
          size="xs"
          leftSection={<FilterIcon size={13} />}
        >
          {words || "Field"}
        </Button>
      )}
    >
      <FieldForm
        key={`${field}=${value}`}
        field={field}
        value={value}
        apply={(next) => {
          set(next);
          setOpen(false);
        }}
      />
    </BoxButton>
  );
}

interface FormProps {
  field: string;
  value: string;
  apply: (next: { field: string; value: string }) => void;
}

function FieldForm({ field, value, apply }: FormProps) {
  const [key, setKey] = useState<string | null>(field || null);
  const [text, setText] = useState(value);
  const fields = useApi("GET /contacts/fields", {}).data?.fields ?? [];
  const custom = fields
    .filter((one) => one.field.startsWith("data."))
    .map((one) => one.field.slice("data.".length));
  const values = useValues(key, text);
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    if (key) apply({ field: key, value: text.trim() });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Select
          size="xs"
          label="Field"
          placeholder={custom.length === 0 ? "No contact has a field yet" : "Choose a field"}
          data={custom.map((one) => ({ value: one, label: fieldName(one) }))}
          value={key}
          onChange={(next) => {
            setKey(next);
            setText("");
          }}
          searchable
          {...TAKES_FIRST_MATCH}
          data-autofocus
          comboboxProps={{ withinPortal: false }}
        />
        <Autocomplete
          size="xs"
          label="Value"
          description="Leave it empty for all that have the field"
          disabled={!key}
          data={values}
          filter={({ options }) => options}
          value={text}
          onChange={setText}
          maxLength={1_000}
          comboboxProps={{ withinPortal: false }}
        />
        <Group justify="flex-end" gap="xs">
          {field && (
            <Button
              variant="subtle"
              color="gray"
              size="xs"
              leftSection={<CloseIcon size={12} />}
              onClick={() => apply({ field: "", value: "" })}
            >
              Remove
            </Button>
          )}
          <Button type="submit" size="xs" disabled={!key}>
            Show
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Values that contacts have in the field, most frequent first. */
function useValues(key: string | null, typed: string): string[] {
  const [search] = useDebouncedValue(typed, TYPING_MS);
  const { data } = useApi(
    "GET /contacts/fields/{field}/values",
    { path: { field: `data.${key}` }, query: { search, limit: 20 } },
    { enabled: key !== null },
  );
  const texts = data?.values.filter((value) => typeof value !== "object").map(String) ?? [];
  return [...new Set(texts)].filter((text) => text !== "");
}
