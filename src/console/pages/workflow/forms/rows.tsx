// Names with a text each, such as headers.
import { ActionIcon, Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { AddIcon, CloseIcon } from "../../../parts/icons.tsx";
import classes from "./forms.module.css";

interface Row {
  key: string;
  name: string;
  value: string;
}

interface Props {
  /** What one is: `header`. */
  noun: string;
  /** Label and placeholder of the name. */
  first: [label: string, placeholder: string];
  second: [label: string, placeholder: string];
  /** Counts at the beginning. */
  value: Record<string, string>;
  /** Told those that have a name; of two with the same name the later one counts. */
  onChange: (value: Record<string, string>) => void;
  errorOf: (name: string) => string | undefined;
}

export function Rows({ noun, first, second, value, onChange, errorOf }: Props) {
  const [rows, setRows] = useState<Row[]>(() =>
    Object.entries(value).map(([name, text]) => ({ key: crypto.randomUUID(), name, value: text })),
  );
  const write = (next: Row[]) => {
    setRows(next);
    onChange(
      Object.fromEntries(
        next.filter(({ name }) => name.trim() !== "").map((row) => [row.name.trim(), row.value]),
      ),
    );
  };
  const change = (key: string, patch: Partial<Row>) =>
    write(rows.map((row) => (row.key === key ? { ...row, ...patch } : row)));
  return (
    <div className={classes.rows}>
      {rows.map(({ key, name, value: text }) => (
        <div key={key} className={classes.row}>
          <TextInput
            aria-label={first[0]}
            placeholder={first[1]}
            value={name}
            onChange={(event) => change(key, { name: event.currentTarget.value })}
            error={errorOf(name)}
          />
          <TextInput
            aria-label={second[0]}
            placeholder={second[1]}
            value={text}
            onChange={(event) => change(key, { value: event.currentTarget.value })}
          />
          <ActionIcon
            size="lg"
            aria-label={`Remove the ${noun} ${name}`}
            onClick={() => write(rows.filter((row) => row.key !== key))}
          >
            <CloseIcon size={15} />
          </ActionIcon>
        </div>
      ))}
      <div>
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<AddIcon size={14} />}
          onClick={() => write([...rows, { key: crypto.randomUUID(), name: "", value: "" }])}
        >
          Add a {noun}
        </Button>
      </div>
    </div>
  );
}
