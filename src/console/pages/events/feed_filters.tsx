// What the feed is narrowed to, in the address.
import { useDeferredValue } from "react";
import { ContactPicker } from "../../parts/contact_picker.tsx";
import { ClearFilters, FilterSelect } from "../../parts/list_tools.tsx";
import { useApi } from "../../queries.ts";
import { CHOICES } from "./kinds.ts";
import classes from "./events.module.css";

/** Everything. */
export const NO_FILTER = { types: "", event: "", contact: "" };

interface Props {
  value: typeof NO_FILTER;
  set: (patch: Partial<typeof NO_FILTER>) => void;
}

/** A project may have thousands of names. */
const MAX_OPTIONS = 50;

export function FeedFilters(props: Props) {
  // The feed is seen first, and what narrows it comes in the time that is left.
  const isDrawn = useDeferredValue(true, false);
  return (
    <div className={classes.filters} role="search" aria-label="Activity">
      {isDrawn && <Pickers {...props} />}
    </div>
  );
}

function Pickers({ value: { types, event, contact }, set }: Props) {
  const list = useApi("GET /events/names", {});
  const names = list.data?.eventNames ?? [];
  const known = event === "" || names.includes(event) ? names : [event, ...names];
  return (
    <>
      <FilterSelect
        size="xs"
        label="Kind"
        any="Everything"
        data={CHOICES}
        value={types}
        onChange={(next) => set({ types: next })}
      />
      <FilterSelect
        size="xs"
        label="Event"
        any="Any event"
        data={known}
        value={event}
        onChange={(next) => set({ event: next })}
        searchable
        // Names that are new have just been seen in the feed.
        onDropdownOpen={() => void list.refetch()}
        limit={MAX_OPTIONS}
        nothingFoundMessage="No event has this name"
      />
      <ContactPicker
        size="xs"
        aria-label="Contact"
        placeholder="Anybody"
        value={contact}
        onChange={(next) => set({ contact: next })}
      />
      {(types || event || contact) && <ClearFilters onClick={() => set(NO_FILTER)} />}
    </>
  );
}
