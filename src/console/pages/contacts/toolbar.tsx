// What narrows the list: part of the address, the subscription, a segment, a field, a condition.
import { memo, useDeferredValue } from "react";
import { ListSearch } from "../../parts/list_search.tsx";
import { ClearFilters, FilterSelect } from "../../parts/list_tools.tsx";
import { useApi } from "../../queries.ts";
import { type ChosenColumns, ColumnsMenu } from "./columns.tsx";
import { ConditionFilter } from "./condition_filter.tsx";
import { FieldFilter } from "./field_filter.tsx";
import { CLEARED, type Filters, isFiltered, type SetFilters } from "./filters.ts";
import { Jump, type Jumping, OrderMenu, useJumping } from "./order.tsx";
import classes from "./contacts.module.css";

const SUBSCRIPTIONS = [
  { value: "true", label: "Subscribed" },
  { value: "false", label: "Unsubscribed" },
];

interface Props {
  filters: Filters;
  set: SetFilters;
  columns: ChosenColumns;
}

/** Drawn again for other filters and columns only, not with each page of the list that is read. */
export const Toolbar = memo(function Toolbar(props: Props) {
  const { filters, set } = props;
  const jumping = useJumping(filters);
  // The seven tools cost more than the whole list: it is seen first, and they come in the time that is left.
  const hasTools = useDeferredValue(true, false);
  return (
    <div className={classes.toolbar} role="search" aria-label="Contacts">
      <ListSearch
        className={classes.searchField!}
        size="xs"
        label="Search by address"
        value={filters.search}
        onChange={(search) => set({ search, from: "" }, { replace: true })}
      />
      <div className={classes.tools}>{hasTools && <Tools {...props} jumping={jumping} />}</div>
    </div>
  );
});

function Tools({ filters, set, columns, jumping }: Props & { jumping: Jumping }) {
  const segments = useApi("GET /segments", {}).data ?? [];
  return (
    <>
      <FilterSelect
        className={classes.select!}
        size="xs"
        label="Subscription"
        any="Any state"
        data={SUBSCRIPTIONS}
        value={filters.subscribed}
        onChange={(subscribed) => set({ subscribed })}
      />
      <FilterSelect
        className={classes.select!}
        size="xs"
        label="Segment"
        any="Any segment"
        nothingFoundMessage={segments.length === 0 ? "There are no segments yet" : "No segment has this name"}
        data={segments.map(({ id, name }) => ({ value: id, label: name }))}
        value={filters.segment}
        onChange={(segment) => set({ segment })}
        searchable
        comboboxProps={{ width: 240, position: "bottom-start" }}
      />
      <FieldFilter filters={filters} set={set} />
      <ConditionFilter filters={filters} set={set} />
      {isFiltered(filters) && <ClearFilters onClick={() => set(CLEARED)} />}
      <span className={classes.order}>
        <OrderMenu filters={filters} set={set} />
        <Jump filters={filters} set={set} jumping={jumping} />
        <ColumnsMenu {...columns} />
      </span>
    </>
  );
}
