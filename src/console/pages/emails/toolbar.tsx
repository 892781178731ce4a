// What narrows the list of mails: a search, or what they have in common.
import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { ContactPicker } from "../../parts/contact_picker.tsx";
import { formatDay } from "../../parts/format.ts";
import { FilterIcon } from "../../parts/icons.tsx";
import { ListSearch } from "../../parts/list_search.tsx";
import { ClearFilters, FilterSelect } from "../../parts/list_tools.tsx";
import { CampaignPicker, TemplatePicker, WorkflowPicker } from "../../parts/name_picker.tsx";
import { wordOf } from "../../parts/status.tsx";
import {
  changeOf,
  dayBefore,
  type FilterName,
  type Filters,
  FILTERS,
  isFiltered,
  isPartOfTag,
  isTooShort,
  MIN_SEARCH,
  PERIODS,
  type SetFilters,
  SOURCES,
  STATUSES,
} from "./filters.ts";
import classes from "./emails.module.css";

const MORE = "more-filters";
const LOOKED_UP = ["contact", "campaign", "template", "workflow", "tag"] as const;

interface Props {
  filters: Filters;
  set: SetFilters;
}

export function Toolbar({ filters, set }: Props) {
  const [dropped, setDropped] = useState<string[]>([]);
  const change: SetFilters = (given, options) => {
    const after = changeOf(filters, given);
    setDropped(after.dropped);
    set(after.patch, options);
  };
  const { search, status, source } = filters;
  const count = LOOKED_UP.filter((name) => filters[name] !== "").length;
  // Who comes by a link sees what the list is narrowed to.
  const [isOpen, setOpen] = useState(count > 0);
  return (
    <div className={classes.filters} role="search" aria-label="Sent mails">
      <div className={classes.toolbar}>
        <ListSearch
          className={classes.search!}
          size="xs"
          label="Search address or subject"
          value={search}
          onChange={(text) => change({ search: text }, { replace: true })}
        />
        <div className={classes.tools}>
          <FilterSelect
            className={classes.select!}
            size="xs"
            label="Status"
            any="Any status"
            data={STATUSES.map((value) => ({ value, label: wordOf(value) }))}
            value={status}
            onChange={(value) => change({ status: value })}
            maxDropdownHeight={360}
          />
          <FilterSelect
            className={classes.select!}
            size="xs"
            label="Sent by"
            any="Any source"
            data={Object.entries(SOURCES).map(([value, label]) => ({ value, label }))}
            value={source}
            onChange={(value) => change({ source: value })}
          />
          <Period filters={filters} change={change} />
          <Button
            variant={count > 0 ? "light" : "default"}
            size="xs"
            leftSection={<FilterIcon size={14} />}
            aria-label={count > 0 ? `More filters, ${count} in use` : "More filters"}
            aria-expanded={isOpen}
            aria-controls={MORE}
            onClick={() => setOpen(!isOpen)}
          >
            {count > 0 ? `More · ${count}` : "More"}
          </Button>
          {isFiltered(filters) && <ClearFilters onClick={() => change(FILTERS)} />}
        </div>
      </div>
      {isOpen && <MoreFilters filters={filters} change={change} />}
      <p className={classes.note} role="status">
        {isTooShort(filters)
          ? `Type ${MIN_SEARCH} letters or more of an address or a subject.`
          : isPartOfTag(filters)
            ? "Type the name and the value of a tag, such as category:receipt."
            : dropped.length > 0 &&
              `Without ${dropped.join(" and ")}: several of these filters can only be combined for the mails of one contact.`}
      </p>
    </div>
  );
}

interface FilterProps {
  filters: Filters;
  change: SetFilters;
}

const CHOSEN = "chosen";

function Period({ filters: { from, until }, change }: FilterProps) {
  const preset = until === "" ? PERIODS.find(({ days }) => dayBefore(days) === from) : undefined;
  const isChosen = !preset && (from !== "" || until !== "");
  const value = preset ? String(preset.days) : isChosen ? CHOSEN : "";
  const days = [from, until].map((day) => (day ? formatDay(`${day}T12:00:00Z`) : "…"));
  return (
    <FilterSelect
      className={classes.select!}
      size="xs"
      label="Period"
      any="Any time"
      data={[
        ...PERIODS.map((period) => ({ value: String(period.days), label: period.label })),
        ...(isChosen ? [{ value: CHOSEN, label: days.join(" – ") }] : []),
      ]}
      value={value}
      onChange={(chosen) => {
        if (chosen === CHOSEN) return;
        change({ from: chosen === "" ? "" : dayBefore(Number(chosen)), until: "" });
      }}
    />
  );
}

/** Pickers that have something to look up: shown when they are asked for, in a line of their own. */
function MoreFilters({ filters, change }: FilterProps) {
  const { from, until } = filters;
  const pick = (name: FilterName) => ({
    size: "xs" as const,
    value: filters[name],
    onChange: (id: string) => change({ [name]: id }),
  });
  return (
    <div className={classes.more} id={MORE}>
      <ContactPicker {...pick("contact")} placeholder="Any contact" />
      <CampaignPicker {...pick("campaign")} />
      <TemplatePicker {...pick("template")} />
      <WorkflowPicker {...pick("workflow")} />
      <TextInput
        size="xs"
        label="Tag"
        placeholder="name:value"
        value={filters.tag}
        onChange={(event) => change({ tag: event.currentTarget.value.trim() }, { replace: true })}
      />
      <div className={classes.days}>
        <TextInput
          type="date"
          size="xs"
          label="From (UTC)"
          value={from}
          max={until || undefined}
          onChange={(event) => change({ from: event.currentTarget.value })}
        />
        <TextInput
          type="date"
          size="xs"
          label="Until"
          value={until}
          min={from || undefined}
          onChange={(event) => change({ until: event.currentTarget.value })}
        />
      </div>
    </div>
  );
}
