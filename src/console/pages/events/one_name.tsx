// All events of one name: how many there were day by day, what refers to the name, and the events themselves.
import { Button } from "@mantine/core";
import { useState } from "react";
import { useLocation } from "wouter";
import type { Activity, EventUsage, ListedEvent } from "../../api.gen.ts";
import { confirm } from "../../parts/confirm.tsx";
import { formatCount, formatDay, formatNumber } from "../../parts/format.ts";
import { DeleteIcon, EventsIcon } from "../../parts/icons.tsx";
import { PageHeader } from "../../parts/page_header.tsx";
import { PeriodPicker, usePeriod } from "../../parts/period.tsx";
import { Empty, Failed, SkeletonLines } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { toast } from "../../parts/toast.tsx";
import { type Column, VirtualTable } from "../../parts/virtual_table.tsx";
import { useHasPage } from "../../place.ts";
import { useApi, useApiPages, useChange } from "../../queries.ts";
import { ContactLink, dataLine, Moment } from "./feed_columns.tsx";
import { ItemDrawer, MaybeLink } from "./item_drawer.tsx";
import { isOfService } from "./reserved.ts";
import classes from "./events.module.css";

const BACK = { label: "Events", to: "/events?tab=names" };

const COLUMNS: Column<ListedEvent>[] = [
  {
    key: "who",
    header: "Contact",
    width: "minmax(0, 2fr)",
    cell: ({ contact, data }) => (
      <span className={classes.words}>
        <ContactLink id={contact?.id} email={contact?.email} />
        <span className={classes.narrow}>{dataLine(data)}</span>
      </span>
    ),
  },
  {
    key: "data",
    header: "Data",
    width: "minmax(0, 3fr)",
    isWideOnly: true,
    cell: ({ data }) => <span className={classes.faded}>{dataLine(data) || "–"}</span>,
  },
  {
    key: "when",
    header: "Time",
    width: "6.5rem",
    align: "right",
    cell: ({ createdAt }) => <Moment at={createdAt} />,
  },
];

export function OneName({ name }: { name: string }) {
  const usage = useApi("GET /events/{eventName}/usage", { path: { eventName: name } });
  const list = useApiPages("GET /events", { query: { eventName: name, limit: 50 } });
  const [open, setOpen] = useState<ListedEvent | null>(null);
  const rows = list.data?.pages.flatMap(({ events }) => events) ?? [];
  return (
    <div className={classes.page}>
      <PageHeader
        title={name}
        count={usage.data?.totalCount}
        back={BACK}
        about={isOfService(name) ? "Recorded by Postrider itself." : "Tracked by your application."}
        actions={
          usage.data &&
          usage.data.totalCount > 0 &&
          !isOfService(name) && <Delete name={name} usage={usage.data} />
        }
      />
      <Days name={name} />
      {usage.data && <Used usage={usage.data} />}
      {list.isPending && <SkeletonLines count={6} height={22} />}
      {list.isError && rows.length === 0 && <Failed error={list.error} retry={list.refetch} />}
      {list.isSuccess && rows.length === 0 && (
        <Empty icon={EventsIcon} title="No events">
          There is no event called “{name}”, or none is kept any more.
        </Empty>
      )}
      {rows.length > 0 && (
        <VirtualTable
          label={`Events ${name}`}
          columns={COLUMNS}
          rows={rows}
          idOf={({ id }) => id}
          total={list.hasNextPage ? undefined : rows.length}
          open={setOpen}
          hasMore={list.hasNextPage}
          isLoadingMore={list.isFetchingNextPage}
          loadMore={list.fetchNextPage}
        />
      )}
      <ItemDrawer item={open && toActivity(open)} close={() => setOpen(null)} />
    </div>
  );
}

/** As the feed has it. */
function toActivity({ id, name, data, contact, emailId, createdAt }: ListedEvent): Activity {
  return {
    id,
    type: "event.triggered",
    timestamp: createdAt,
    ...(contact && { contactId: contact.id, contactEmail: contact.email }),
    metadata: { eventName: name, eventData: data, ...(emailId && { emailId }) },
  };
}

/** A bar for each day. */
function Days({ name }: { name: string }) {
  const [period, choose] = usePeriod();
  const { startDate, endDate } = period;
  const daily = useApi("GET /events/daily", { query: { startDate, endDate } });
  const found = daily.data?.events.find((event) => event.name === name);
  if (!daily.data || !found) return null;
  const most = Math.max(1, ...found.counts);
  const all = found.counts.reduce((sum, count) => sum + count, 0);
  return (
    <section className={classes.days} aria-label="Day by day">
      <div className={classes.daysHead}>
        <span>
          <strong>{formatNumber(all)}</strong> in {period.days} days
          {found.lastSeenAt && (
            <span className={classes.faded}>
              , last seen <Time at={found.lastSeenAt} />
            </span>
          )}
        </span>
        <PeriodPicker value={period} onChange={choose} />
      </div>
      <div
        className={classes.bars}
        role="img"
        aria-label={`${formatCount(all, "event")} in ${period.days} days, at most ${formatNumber(most)} a day`}
      >
        {found.counts.map((count, at) => (
          <span
            key={daily.data.dates[at]}
            title={`${formatDay(daily.data.dates[at]!)}: ${formatNumber(count)}`}
          >
            <span style={{ height: `${(count / most) * 100}%` }} />
          </span>
        ))}
      </div>
    </section>
  );
}

const USES = [
  ["usedInSegments", "segments"],
  ["usedInCampaigns", "campaigns"],
  ["usedInWorkflows", "workflows"],
] as const;

function Used({ usage }: { usage: EventUsage }) {
  const uses = USES.flatMap(([key, kind]) => usage[key].map((use) => ({ ...use, kind })));
  return (
    <p className={classes.used}>
      {formatCount(usage.uniqueContacts, "contact")}
      {usage.totalCount > MOST_TOLD_APART && " among the newest 20,000"}.{" "}
      {uses.length === 0 ? "No segment, campaign or workflow refers to it." : "Used in "}
      {uses.map((use, at) => (
        <span key={use.id}>
          {at > 0 && ", "}
          <Use {...use} />
        </span>
      ))}
    </p>
  );
}

/** Of so many events the contacts are told apart. */
const MOST_TOLD_APART = 20_000;

function Use({ kind, id, name }: { kind: string; id: string; name: string }) {
  const hasPage = useHasPage(`/${kind}/:id`);
  return <MaybeLink href={hasPage ? `/${kind}/${id}` : undefined}>{name}</MaybeLink>;
}

function Delete({ name, usage }: { name: string; usage: EventUsage }) {
  const [, navigate] = useLocation();
  const remove = useChange("DELETE /events/{eventName}", {
    reads: ["GET /events", "GET /activity"],
    showsErrors: true,
  });
  const uses = USES.flatMap(([key]) => usage[key].map((use) => `“${use.name}”`));
  const ask = () => {
    if (!usage.canDelete) {
      return confirm({
        title: `“${name}” is in use`,
        children: `${uses.join(", ")} ${uses.length === 1 ? "refers" : "refer"} to it. Change that first: then its events can be deleted.`,
      });
    }
    confirm({
      title: `Delete all events “${name}”?`,
      children: `${formatCount(usage.totalCount, "event")} of ${formatCount(usage.uniqueContacts, "contact")} ${usage.totalCount === 1 ? "is" : "are"} deleted. Contacts keep their fields, and workflows that ran stay as they are. New events of this name are recorded as before. This cannot be undone.`,
      action: "Delete",
      act: async () => {
        const { deletedCount } = await remove.mutateAsync({ path: { eventName: name } });
        navigate(BACK.to);
        toast.done(`${formatCount(deletedCount, "event")} “${name}” deleted`);
      },
    });
  };
  return (
    <Button variant="default" leftSection={<DeleteIcon size={15} />} onClick={ask}>
      Delete…
    </Button>
  );
}
