// What stands above a list: its search, what narrows it, and its order.
import { Button, Select, type SelectProps } from "@mantine/core";
import type { ReactNode } from "react";
import { CloseIcon } from "./icons.tsx";
import { ListSearch } from "./list_search.tsx";
import classes from "./list_tools.module.css";

/** How things with a name are ordered, and what the API calls it. */
const ORDERS = {
  changed: { label: "Last changed", sort: "updatedAt", dir: "desc" },
  newest: { label: "Newest", sort: "createdAt", dir: "desc" },
  name: { label: "Name", sort: "name", dir: "asc" },
} as const;

type OrderName = keyof typeof ORDERS;

/** The order that a list has at first. */
export const FIRST_ORDER: OrderName = "changed";

const isOrder = (order: string): order is OrderName => Object.hasOwn(ORDERS, order);

/** The order of that name, as a query takes it. */
export function sortOf(order: string) {
  const { sort, dir } = ORDERS[isOrder(order) ? order : FIRST_ORDER];
  return { sort, dir };
}

/** What the address says of a list. */
interface ListState {
  search: string;
  /** One of {@linkcode sortOf}. Left out: the list has one order. */
  order?: string;
}

interface Props<State extends ListState> {
  /** What the list has: `templates`. */
  of: string;
  state: State;
  set: (patch: Partial<State>, options?: { replace?: boolean }) => void;
  /** What else narrows it: {@linkcode FilterSelect}. */
  children?: ReactNode;
}

/** The tools of a list of things with names. */
export function ListTools<State extends ListState>({ of, state, set, children }: Props<State>) {
  const { search, order } = state;
  return (
    <div className={classes.tools}>
      <ListSearch
        className={classes.search!}
        label={`Search ${of}`}
        value={search}
        onChange={(next) => set({ search: next } as Partial<State>, { replace: true })}
      />
      {children}
      {order !== undefined && (
        <Select
          className={classes.order!}
          aria-label="Order"
          data={Object.entries(ORDERS).map(([value, { label }]) => ({ value, label }))}
          value={isOrder(order) ? order : FIRST_ORDER}
          onChange={(next) => next && set({ order: next } as Partial<State>)}
          allowDeselect={false}
        />
      )}
    </div>
  );
}

interface FilterSelectProps extends Pick<
  SelectProps,
  | "size"
  | "className"
  | "data"
  | "searchable"
  | "limit"
  | "nothingFoundMessage"
  | "comboboxProps"
  | "maxDropdownHeight"
  | "onDropdownOpen"
> {
  label: string;
  /** What is shown if nothing is chosen, and what the button says that clears it: `Any state`. */
  any: string;
  /** Empty: nothing is chosen. */
  value: string;
  onChange: (value: string) => void;
}

/** Narrows a list to one of a few things. */
export function FilterSelect({ label, any, value, onChange, ...others }: FilterSelectProps) {
  return (
    <Select
      className={classes.filter!}
      {...others}
      aria-label={label}
      placeholder={any}
      value={value || null}
      onChange={(next) => onChange(next ?? "")}
      clearable
      clearButtonProps={{ "aria-label": any }}
    />
  );
}

/** Takes all filters away. */
export function ClearFilters({ onClick }: { onClick: () => void }) {
  return (
    <Button variant="subtle" color="gray" size="xs" leftSection={<CloseIcon size={13} />} onClick={onClick}>
      Clear
    </Button>
  );
}
