// Who did what to a project.
import type { AuditLine } from "../api.gen.ts";
import { AuditIcon } from "../parts/icons.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { Empty, Failed, LoadingPage } from "../parts/states.tsx";
import { Time } from "../parts/time.tsx";
import { type Column, VirtualTable } from "../parts/virtual_table.tsx";
import { useProjectId } from "../place.ts";
import { useApiPages } from "../queries.ts";
import { actorOf, deedOf, detailsOf } from "./audit_words.ts";
import classes from "./audit.module.css";

const COLUMNS: Column<AuditLine>[] = [
  {
    key: "what",
    header: "What",
    width: "minmax(0, 2fr)",
    cell: (line) => (
      <>
        <span className={classes.deed}>{deedOf(line)}</span>
        <span className={classes.narrow}>
          <Time at={line.at} /> · {actorOf(line)}
        </span>
        <span className={classes.details}>{detailsOf(line)}</span>
      </>
    ),
  },
  {
    key: "who",
    header: "Who",
    isWideOnly: true,
    cell: (line) => <span className={classes.who}>{actorOf(line)}</span>,
  },
  { key: "when", header: "When", width: "9rem", isWideOnly: true, cell: ({ at }) => <Time at={at} /> },
];

/** `/audit`. */
export default function AuditPage() {
  const id = useProjectId();
  const list = useApiPages("GET /projects/{id}/audit", { path: { id }, query: { limit: 100 } });
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const total = list.data?.pages[0]?.total;
  return (
    <div className={classes.page}>
      <PageHeader
        title="Audit log"
        count={total}
        about="Changes to settings, members, keys, domains and campaigns, newest first."
      />
      {list.isPending && <LoadingPage />}
      {list.isError && rows.length === 0 && <Failed error={list.error} retry={list.refetch} />}
      {list.isSuccess && rows.length === 0 && (
        <Empty icon={AuditIcon} title="Nothing yet">
          Every change in this project is recorded here, with who made it.
        </Empty>
      )}
      {rows.length > 0 && (
        <VirtualTable
          label="Audit log"
          columns={COLUMNS}
          rows={rows}
          idOf={(line) => line.id}
          total={total}
          rowHeight={60}
          hasMore={list.hasNextPage}
          isLoadingMore={list.isFetchingNextPage}
          loadMore={list.fetchNextPage}
        />
      )}
    </div>
  );
}
