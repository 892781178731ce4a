// Which columns the list has: chosen for each project, and kept in this browser.
import { ActionIcon, Menu, Tooltip } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { useMemo } from "react";
import type { ContactField, ListedContact } from "../../api.gen.ts";
import { CheckIcon, ColumnsIcon } from "../../parts/icons.tsx";
import { MenuButton } from "../../parts/menu_button.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import type { Column } from "../../parts/virtual_table.tsx";
import { useProjectId } from "../../place.ts";
import { useApi } from "../../queries.ts";
import { fieldName, FieldValue } from "../../parts/field_value.tsx";
import classes from "./contacts.module.css";

/** More do not fit side by side. */
const MAX_COLUMNS = 7;
/** Fields that are shown before somebody chooses: those that most contacts have. */
const FIELDS_AT_FIRST = 2;
const NO_FIELDS: ContactField[] = [];

type ContactColumn = Column<ListedContact> & { key: string; header: string };

const EMAIL: ContactColumn = {
  key: "email",
  header: "Address",
  width: "minmax(10rem, 2.2fr)",
  cell: ({ email }) => (
    <span className={classes.address} title={email}>
      {email}
    </span>
  ),
};

const STANDARD: ContactColumn[] = [
  {
    key: "subscribed",
    header: "State",
    width: "var(--state-width)",
    cell: ({ subscribed }) => (
      <span className={classes.state}>
        <Status status={subscribed ? "subscribed" : "unsubscribed"} />
      </span>
    ),
  },
  { ...timeColumn("createdAt", "Added"), cell: ({ createdAt }) => <Time at={createdAt} /> },
  { ...timeColumn("updatedAt", "Changed"), cell: ({ updatedAt }) => <Time at={updatedAt} /> },
];

/** Only while the list is sorted by it: the service knows it then. */
const ACTIVE: ContactColumn = {
  ...timeColumn("lastActivityAt", "Last active"),
  cell: ({ lastActivityAt }) => <Time at={lastActivityAt} />,
};

/** What can be chosen, and what is: the address is first, and always. */
export interface ChosenColumns {
  columns: ContactColumn[];
  choices: { key: string; label: string; isChosen: boolean; isDisabled: boolean }[];
  toggle: (key: string) => void;
  reset: () => void;
}

/** The columns of the list of this project: the same ones until something of them changes. */
export function useColumns(sort: string): ChosenColumns {
  const fields = useApi("GET /contacts/fields", {}).data?.fields ?? NO_FIELDS;
  const [stored, store, forget] = useLocalStorage<string[] | null>({
    key: `postrider.contact-columns.${useProjectId()}`,
    defaultValue: null,
  });
  return useMemo(() => {
    const custom = fields.filter(({ field }) => field.startsWith("data."));
    const all = [STANDARD[0]!, ...custom.map(fieldColumn), ...STANDARD.slice(1)];
    const byCoverage = custom.toSorted((a, b) => b.coverage - a.coverage);
    const atFirst = byCoverage.slice(0, FIELDS_AT_FIRST).map(({ field }) => field);
    const keys = new Set(stored ?? ["subscribed", ...atFirst, "createdAt"]);
    const chosen = all.filter(({ key }) => keys.has(key));
    const isFull = chosen.length >= MAX_COLUMNS;
    return {
      columns: [EMAIL, ...chosen, ...(sort === "lastActivity" ? [ACTIVE] : [])],
      choices: all.map(({ key, header }) => ({
        key,
        label: header,
        isChosen: keys.has(key),
        isDisabled: isFull && !keys.has(key),
      })),
      toggle: (key) => {
        const after = new Set(chosen.map((column) => column.key));
        if (!after.delete(key)) after.add(key);
        store([...after]);
      },
      reset: forget,
    };
  }, [fields, stored, sort, store, forget]);
}

/** The menu that chooses. It stays open: most people choose several. */
export function ColumnsMenu({ choices, toggle, reset }: ChosenColumns) {
  return (
    <MenuButton
      closeOnItemClick={false}
      className={classes.columns}
      button={(opener) => (
        <Tooltip label="Columns">
          <ActionIcon {...opener} variant="default" size="input-xs" aria-label="Columns">
            <ColumnsIcon size={15} />
          </ActionIcon>
        </Tooltip>
      )}
    >
      <Menu.Label>At most {MAX_COLUMNS} beside the address</Menu.Label>
      {choices.map(({ key, label, isChosen, isDisabled }) => (
        <Menu.CheckboxItem
          key={key}
          checked={isChosen}
          disabled={isDisabled}
          checkIcon={<CheckIcon size={14} />}
          onChange={() => toggle(key)}
        >
          {label}
        </Menu.CheckboxItem>
      ))}
      <Menu.Divider />
      <Menu.Item onClick={reset}>Reset the columns</Menu.Item>
    </MenuButton>
  );
}

function timeColumn(key: string, header: string) {
  return { key, header, width: "8rem", align: "right", isWideOnly: true } as const;
}

function fieldColumn({ field, type }: ContactField): ContactColumn {
  const key = field.slice("data.".length);
  return {
    key: field,
    header: fieldName(key),
    width: "minmax(5rem, 1fr)",
    isWideOnly: true,
    ...(type === "number" && { align: "right" as const }),
    cell: ({ data }) => <FieldValue value={data[key]} />,
  };
}
