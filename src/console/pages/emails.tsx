// The ledger: every mail of the project, with what happened to it.
import { useLocation } from "wouter";
import type { Email } from "../api.gen.ts";
import { formatNumber } from "../parts/format.ts";
import { PageHeader } from "../parts/page_header.tsx";
import { useRefresh } from "../parts/refresh.ts";
import { Failed, NoMatch } from "../parts/states.tsx";
import { Status } from "../parts/status.tsx";
import { Time } from "../parts/time.tsx";
import { type Column, VirtualTable } from "../parts/virtual_table.tsx";
import { useUrlState } from "../place.ts";
import { useApiPages } from "../queries.ts";
import { FILTERS, isFiltered, listQueryOf } from "./emails/filters.ts";
import { FirstMail } from "./emails/first_mail.tsx";
import { Toolbar } from "./emails/toolbar.tsx";
import classes from "./emails/emails.module.css";

/** While a mail is on its way, its state changes within moments. */
const SOON_MS = 3_000;
const LATER_MS = 15_000;
const ROW_HEIGHT = 52;

const times = (count: number) =>
  count > 0 ? `${formatNumber(count)}×` : <span className={classes.none}>–</span>;

const COLUMNS: Column<Email>[] = [
  {
    key: "to",
    header: "To",
    width: "minmax(0, 3fr)",
    cell: ({ to, subject, queuedAt }) => (
      <>
        <span className={classes.address}>
          {to ?? <span className={classes.none}>A deleted contact</span>}
        </span>
        <span className={classes.below}>
          <Time at={queuedAt} /> · {subject || "(no subject)"}
        </span>
      </>
    ),
  },
  {
    key: "subject",
    header: "Subject",
    width: "minmax(0, 3fr)",
    isWideOnly: true,
    cell: ({ subject }) => <span className={classes.subject}>{subject || "(no subject)"}</span>,
  },
  {
    key: "status",
    header: "Status",
    width: "7.5rem",
    cell: ({ status }) => <Status status={status} />,
  },
  {
    key: "opens",
    header: "Opened",
    width: "4.5rem",
    align: "right",
    isWideOnly: true,
    cell: ({ opens }) => times(opens),
  },
  {
    key: "clicks",
    header: "Clicked",
    width: "4.5rem",
    align: "right",
    isWideOnly: true,
    cell: ({ clicks }) => times(clicks),
  },
  {
    key: "time",
    header: "Time",
    width: "8.5rem",
    align: "right",
    isWideOnly: true,
    cell: ({ queuedAt }) => <Time at={queuedAt} />,
  },
];

const isUnderWay = ({ status }: Email) => status === "PENDING" || status === "SENDING";

/** `/emails`. */
export default function EmailsPage() {
  const [filters, set] = useUrlState(FILTERS);
  const [, navigate] = useLocation();
  const query = listQueryOf(filters);
  const list = useApiPages("GET /emails", { query }, { keepsPrevious: true });
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const { total, estimated = false } = list.data?.pages[0] ?? {};
  useRefresh(list, rows.slice(0, 100).some(isUnderWay) ? SOON_MS : LATER_MS);
  const isEmpty = list.isSuccess && !list.isPlaceholderData && rows.length === 0;
  const isUnused = isEmpty && !isFiltered(filters);
  // The number of results of a search is unknown.
  const count = query.search === undefined || !estimated ? total : undefined;
  return (
    <div className={classes.page}>
      <PageHeader title="Sent mails" count={count} isAtLeast={estimated} />
      {!isUnused && <Toolbar filters={filters} set={set} />}
      {list.isError && rows.length === 0 && <Failed error={list.error} retry={list.refetch} />}
      {isUnused && <FirstMail />}
      {isEmpty && !isUnused && (
        <NoMatch title="No mail matches" all="Show all mails" clear={() => set(FILTERS)}>
          Change a filter, or show all mails. The search finds part of an address or a subject.
        </NoMatch>
      )}
      {!isEmpty && (rows.length > 0 || !list.isError) && (
        <VirtualTable
          key={JSON.stringify(query)}
          label="Sent mails"
          columns={COLUMNS}
          rows={rows}
          idOf={({ id }) => id}
          nameOf={({ to, subject }) => `${subject ?? ""} to ${to ?? "a deleted contact"}`}
          total={estimated ? undefined : total}
          rowHeight={ROW_HEIGHT}
          hasMore={list.isPending || list.hasNextPage}
          isLoadingMore={list.isFetching}
          loadMore={list.fetchNextPage}
          open={({ id }) => navigate(`/emails/${id}`)}
        />
      )}
    </div>
  );
}
