// Who got it, by what happened to each mail.
import { Select } from "@mantine/core";
import { Link } from "wouter";
import type { Campaign, Email } from "../../../api.gen.ts";
import { formatCount } from "../../../parts/format.ts";
import { MailIcon } from "../../../parts/icons.tsx";
import { Empty, Failed, LoadingPage } from "../../../parts/states.tsx";
import { Status } from "../../../parts/status.tsx";
import { Time } from "../../../parts/time.tsx";
import { type Column, VirtualTable } from "../../../parts/virtual_table.tsx";
import { useUrlState } from "../../../place.ts";
import { useApiPages } from "../../../queries.ts";
import { MailDrawer } from "../../contact/mail_drawer.tsx";
import { outcomeNamed, OUTCOMES } from "./outcomes.ts";
import classes from "./report.module.css";

const PAGE_SIZE = 100;
const CHOICES = Object.entries(OUTCOMES).map(([value, { label }]) => ({ value, label }));

export function Recipients({ campaign: { id, status } }: { campaign: Campaign }) {
  const [state, set] = useUrlState({ outcome: "all", mail: "", tab: "overview" });
  const outcome = outcomeNamed(state.outcome);
  const { query, none } = OUTCOMES[outcome];
  const list = useApiPages("GET /campaigns/{id}/recipients", {
    path: { id },
    query: { ...query, limit: PAGE_SIZE },
  });
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const [first] = list.data?.pages ?? [];
  return (
    <>
      <div className={classes.tools}>
        <Select
          aria-label="Outcome"
          className={classes.outcome!}
          data={CHOICES}
          value={outcome}
          allowDeselect={false}
          onChange={(value) => set({ outcome: value ?? "all" })}
        />
        {first && rows.length > 0 && (
          <span className={classes.faded} role="status">
            {first.estimated ? "More than " : ""}
            {formatCount(first.total, "recipient")}
          </span>
        )}
      </div>
      {list.isPending && <LoadingPage />}
      {list.isError && rows.length === 0 && <Failed error={list.error} retry={list.refetch} />}
      {list.isSuccess && rows.length === 0 && (
        <Empty icon={MailIcon} title={none}>
          {status === "SENDING"
            ? "It is still being sent: check again in a moment."
            : "Choose another outcome to see who got it."}
        </Empty>
      )}
      {rows.length > 0 && (
        <VirtualTable
          key={outcome}
          label="Recipients"
          columns={COLUMNS}
          rows={rows}
          idOf={(mail) => mail.id}
          nameOf={({ to }) => to ?? "a contact that was deleted"}
          total={first?.total}
          hasMore={list.hasNextPage}
          isLoadingMore={list.isFetchingNextPage}
          loadMore={list.fetchNextPage}
          open={(mail) => set({ mail: mail.id })}
        />
      )}
      <MailDrawer id={state.mail} close={() => set({ mail: "" })} />
    </>
  );
}

const COLUMNS: Column<Email>[] = [
  {
    key: "to",
    header: "Recipient",
    width: "minmax(0, 2.5fr)",
    cell: ({ to, contactId }) =>
      contactId ? (
        <Link href={`/contacts/${contactId}`} className={classes.address!}>
          {to}
        </Link>
      ) : (
        <span className={classes.faded}>{to ?? "Deleted contact"}</span>
      ),
  },
  { key: "status", header: "State", width: "8rem", cell: ({ status }) => <Status status={status} /> },
  {
    key: "sent",
    header: "Sent",
    width: "8rem",
    isWideOnly: true,
    cell: ({ sentAt }) => <Time at={sentAt} />,
  },
  {
    key: "opened",
    header: "Opened",
    width: "8rem",
    isWideOnly: true,
    cell: ({ openedAt }) => <Time at={openedAt} />,
  },
  {
    key: "clicked",
    header: "Clicked",
    width: "8rem",
    isWideOnly: true,
    cell: ({ clickedAt }) => <Time at={clickedAt} />,
  },
  {
    key: "reason",
    header: "Reason",
    width: "minmax(0, 1.5fr)",
    isWideOnly: true,
    cell: ({ error }) => (
      <span className={classes.why} title={error ?? ""}>
        {error}
      </span>
    ),
  },
];
