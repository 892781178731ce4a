// The live feed: what happens in the project, about a second later. It pauses while somebody reads.
import { Button } from "@mantine/core";
import { useRef, useState } from "react";
import type { Activity } from "../../api.gen.ts";
import type { StreamState } from "../../parts/activity/stream.ts";
import { formatNumber } from "../../parts/format.ts";
import { EventsIcon, PauseIcon, PlayIcon, UpIcon } from "../../parts/icons.tsx";
import { useShortcut } from "../../parts/shortcuts.ts";
import { Empty, Failed, NoMatch, SkeletonLines } from "../../parts/states.tsx";
import { VirtualTable } from "../../parts/virtual_table.tsx";
import { useUrlState } from "../../place.ts";
import { useChange } from "../../queries.ts";
import { FEED_COLUMNS } from "./feed_columns.tsx";
import { FeedFilters, NO_FILTER } from "./feed_filters.tsx";
import { MAX_TOLD, rowsOf } from "./feed_state.ts";
import { ItemDrawer } from "./item_drawer.tsx";
import { type FeedFilter, useFeed } from "./use_feed.ts";
import classes from "./events.module.css";

/** Scrolled less than this, the feed continues. */
const AT_THE_TOP = 8;

export function Feed() {
  const [{ types, event, contact }, set] = useUrlState(NO_FILTER);
  const [isPaused, setPaused] = useState(false);
  const filter: FeedFilter = {
    ...(types && { types }),
    ...(event && { eventName: event }),
    ...(contact && { contactId: contact }),
  };
  return (
    <>
      <FeedFilters value={{ types, event, contact }} set={set} />
      <Followed
        key={JSON.stringify(filter)}
        filter={filter}
        isPaused={isPaused}
        setPaused={setPaused}
        clear={() => set(NO_FILTER)}
      />
    </>
  );
}

interface Props {
  filter: FeedFilter;
  isPaused: boolean;
  setPaused: (isPaused: boolean) => void;
  clear: () => void;
}

function Followed({ filter, isPaused, setPaused, clear }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const [isScrolled, setScrolled] = useState(false);
  const [isAtRow, setAtRow] = useState(false);
  const [open, setOpen] = useState<Activity | null>(null);
  const isHeld = isPaused || isScrolled || isAtRow || open !== null;
  const { feed, first, state, isLoadingMore, loadMore } = useFeed(filter, isHeld);
  const rows = rowsOf(feed);
  useShortcut("p", isPaused ? "Go on" : "Pause", () => setPaused(!isPaused));
  const goOn = () => {
    setPaused(false);
    setAtRow(false);
    setScrolled(false);
    frame.current?.querySelector("[role=table]")?.scrollTo({ top: 0 });
  };
  return (
    <>
      <div className={classes.state}>
        <FeedState state={state} isHeld={isHeld} />
        {feed.waiting.length > 0 && (
          <Button variant="light" size="compact-sm" leftSection={<UpIcon size={14} />} onClick={goOn}>
            Show {newOnes(feed.waiting.length)}
          </Button>
        )}
        <Button
          className={classes.pause!}
          variant="default"
          size="xs"
          leftSection={isPaused ? <PlayIcon size={14} /> : <PauseIcon size={14} />}
          aria-keyshortcuts="p"
          onClick={() => (isPaused ? goOn() : setPaused(true))}
        >
          {isPaused ? "Go on" : "Pause"}
        </Button>
      </div>
      {first.isError && rows.length === 0 && <Failed error={first.error} retry={first.refetch} />}
      {first.isPending && <SkeletonLines count={8} height={22} />}
      {first.isSuccess && rows.length === 0 && (
        <Nothing
          isFiltered={"types" in filter || "eventName" in filter || "contactId" in filter}
          clear={clear}
        />
      )}
      {rows.length > 0 && (
        <div
          ref={frame}
          className={classes.fill}
          onScrollCapture={({ target }) => setScrolled((target as HTMLElement).scrollTop > AT_THE_TOP)}
          // Who steps from row to row by keyboard would lose the place.
          onFocus={({ target }) => setAtRow(target.matches("[data-index]:focus-visible"))}
          onBlur={() => setAtRow(false)}
        >
          <VirtualTable
            label="Activity"
            columns={FEED_COLUMNS}
            rows={rows}
            idOf={({ id }) => id}
            open={setOpen}
            hasMore={feed.next !== null}
            isLoadingMore={isLoadingMore}
            loadMore={loadMore}
          />
        </div>
      )}
      <ItemDrawer item={open} close={() => setOpen(null)} />
    </>
  );
}

const newOnes = (count: number) =>
  count >= MAX_TOLD ? `more than ${formatNumber(MAX_TOLD)} new` : `${formatNumber(count)} new`;

function FeedState({ state, isHeld }: { state: StreamState; isHeld: boolean }) {
  const words =
    state === "live" ? (isHeld ? "Paused" : "Live") : state === "away" ? "Not connected" : "Connecting";
  return (
    <span className={classes.sign} data-state={state === "live" && isHeld ? "held" : state} role="status">
      {words}
    </span>
  );
}

function Nothing({ isFiltered, clear }: { isFiltered: boolean; clear: () => void }) {
  const track = useChange("POST /events/track", { reads: ["GET /events"] });
  if (isFiltered) {
    return (
      <NoMatch title="Nothing so far" all="Show everything" clear={clear}>
        Nothing matches so far. New activity appears here within a second.
      </NoMatch>
    );
  }
  return (
    <Empty
      icon={EventsIcon}
      title="Nothing has happened yet"
      action={
        <Button
          loading={track.isPending}
          onClick={() => track.mutate({ body: { name: "test event", data: { from: "console" } } })}
        >
          Track a test event
        </Button>
      }
    >
      Events of your application, mails, opens, clicks and subscriptions appear here within a second.
    </Empty>
  );
}
