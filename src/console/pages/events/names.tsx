// Events by name: how many, which way they go, and when each was last seen.
import { Button, SegmentedControl } from "@mantine/core";
import { useMemo } from "react";
import { Link, useLocation } from "wouter";
import type { EventCountsOfName } from "../../api.gen.ts";
import { BASE } from "../../api.ts";
import { formatNumber } from "../../parts/format.ts";
import { EventsIcon, SearchIcon } from "../../parts/icons.tsx";
import { ListSearch } from "../../parts/list_search.tsx";
import { type Period, PeriodPicker, usePeriod } from "../../parts/period.tsx";
import { Sparkline } from "../../parts/sparkline.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { type Column, VirtualTable } from "../../parts/virtual_table.tsx";
import { useUrlState } from "../../place.ts";
import { useApi } from "../../queries.ts";
import { isOfService } from "./reserved.ts";
import classes from "./events.module.css";

/** As many names the service tells at most. */
const MAX_NAMES = 1_000;

export function Names() {
  const [period, choose] = usePeriod();
  const { startDate, endDate } = period;
  const daily = useApi("GET /events/daily", { query: { startDate, endDate } });
  return (
    <Loaded query={daily}>
      {({ events }) =>
        events.length === 0 ? <NoEvents /> : <List events={events} period={period} choose={choose} />
      }
    </Loaded>
  );
}

interface Props {
  events: EventCountsOfName[];
  period: Period;
  choose: ReturnType<typeof usePeriod>[1];
}

function List({ events, period, choose }: Props) {
  const [{ search, whose }, set] = useUrlState({ search: "", whose: "all" });
  const [, navigate] = useLocation();
  const columns = useMemo(() => columnsOf(period), [period]);
  const shown = events.filter(
    ({ name }) =>
      name.toLowerCase().includes(search.toLowerCase()) &&
      (whose === "all" || isOfService(name) === (whose === "service")),
  );
  const clear = () => set({ search: "", whose: "all" });
  return (
    <>
      <div className={classes.filters} role="search" aria-label="Events">
        <ListSearch
          size="xs"
          label="Search events"
          value={search}
          onChange={(next) => set({ search: next }, { replace: true })}
        />
        <SegmentedControl
          size="xs"
          aria-label="Whose events"
          value={whose}
          onChange={(next) => set({ whose: next }, { replace: true })}
          data={[
            { value: "all", label: "All" },
            { value: "yours", label: "Tracked" },
            { value: "service", label: "Automatic" },
          ]}
        />
        <PeriodPicker value={period} onChange={choose} />
      </div>
      {shown.length === 0 ? (
        <Empty
          icon={SearchIcon}
          title="No event matches"
          action={
            <Button variant="default" onClick={clear}>
              Show all
            </Button>
          }
        >
          {search ? `No event has “${search}” in its name here.` : "There are none of this kind yet."}
        </Empty>
      ) : (
        <VirtualTable
          label="Events by name"
          columns={columns}
          rows={shown}
          idOf={({ name }) => name}
          total={shown.length}
          open={({ name }) => navigate(placeOfName(name))}
        />
      )}
      {events.length >= MAX_NAMES && (
        <p className={classes.faded}>The {formatNumber(MAX_NAMES)} most frequent names are shown.</p>
      )}
    </>
  );
}

/** Where the page of an event stands, below the project. */
const placeOfName = (name: string) => `/events?name=${encodeURIComponent(name)}`;

const sum = (counts: number[]) => counts.reduce((all, count) => all + count, 0);

function columnsOf({ days }: Period): Column<EventCountsOfName>[] {
  return [
    {
      key: "name",
      header: "Event",
      width: "minmax(0, 3fr)",
      cell: ({ name }) => (
        <Link href={placeOfName(name)} className={classes.name!} title={name}>
          {name}
        </Link>
      ),
    },
    {
      key: "days",
      header: `Last ${days} days`,
      width: "7rem",
      isWideOnly: true,
      cell: ({ counts }) => <Sparkline values={counts} label="Events a day" period={`${days} days`} />,
    },
    {
      key: "count",
      header: `In ${days} days`,
      width: "6.5rem",
      align: "right",
      cell: ({ counts }) => formatNumber(sum(counts)),
    },
    {
      key: "total",
      header: "In all",
      width: "6.5rem",
      align: "right",
      isWideOnly: true,
      cell: ({ total }) => formatNumber(total),
    },
    {
      key: "seen",
      header: "Last seen",
      width: "8rem",
      align: "right",
      isWideOnly: true,
      cell: ({ lastSeenAt }) => (
        <span className={classes.faded}>
          <Time at={lastSeenAt} />
        </span>
      ),
    },
  ];
}

function NoEvents() {
  return (
    <Empty
      icon={EventsIcon}
      title="No events yet"
      action={
        <Button component="a" href={`${BASE}/docs/guides/events`} target="_blank" rel="noreferrer">
          How to track events
        </Button>
      }
    >
      Track what people do in your application, such as “signed up” or “ordered”, to start workflows and build
      segments.
    </Empty>
  );
}
