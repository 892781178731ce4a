// The audience: a list of any length, with what can be done with many contacts at once.
import { Button, Menu } from "@mantine/core";
import { memo, useCallback, useMemo } from "react";
import { Link, useLocation } from "wouter";
import type { ListedContact } from "../api.gen.ts";
import { linkTo } from "../api.ts";
import { AddIcon, ContactsIcon, DownloadIcon, UploadIcon } from "../parts/icons.tsx";
import { MenuButton } from "../parts/menu_button.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { useShortcut } from "../parts/shortcuts.ts";
import { Empty, Failed, NoMatch } from "../parts/states.tsx";
import { VirtualTable } from "../parts/virtual_table.tsx";
import { useProjectId, useUrlState } from "../place.ts";
import { useApiPages } from "../queries.ts";
import { useRole } from "../session.ts";
import { BulkBar } from "./contacts/bulk_bar.tsx";
import { BulkProgress } from "./contacts/bulk_progress.tsx";
import { useColumns } from "./contacts/columns.tsx";
import {
  CLEARED,
  exportQueryOf,
  FILTERS,
  type Filters,
  filtersOf,
  isFiltered,
  listQueryOf,
} from "./contacts/filters.ts";
import { NewContact } from "./contacts/new_contact.tsx";
import { JumpedTo } from "./contacts/order.tsx";
import { Toolbar } from "./contacts/toolbar.tsx";
import { useBulk } from "./contacts/use_bulk.ts";
import classes from "./contacts/contacts.module.css";

const idOf = ({ id }: ListedContact) => id;
const nameOf = ({ email }: ListedContact) => email;

/** `/contacts`. */
export default function ContactsPage() {
  const [place, set] = useUrlState({ ...FILTERS, new: "" });
  const filters = useMemo(() => filtersOf(place), [place]);
  const [, navigate] = useLocation();
  const list = useApiPages("GET /contacts", { query: listQueryOf(filters) }, { keepsPrevious: true });
  const rows = useMemo(() => list.data?.pages.flatMap(({ data }) => data) ?? [], [list.data]);
  const total = list.data?.pages[0]?.total;
  const columns = useColumns(filters.sort);
  const bulk = useBulk(filters, rows, total ?? 0);
  const openNew = useCallback(() => set({ new: "1" }), [set]);
  useShortcut("n", "New contact", openNew);
  const isEmpty = list.isSuccess && rows.length === 0 && !list.hasNextPage;
  const isUnused = isEmpty && !isFiltered(filters) && !filters.from && filters.sort !== "lastActivity";
  return (
    <div className={classes.page}>
      <PageHeader
        title="Contacts"
        count={total}
        actions={<Actions filters={filters} openNew={openNew} isUnused={isUnused} />}
      />
      {!isUnused && <Toolbar filters={filters} set={set} columns={columns} />}
      <JumpedTo filters={filters} set={set} />
      {bulk.jobIds.length > 0 && <BulkProgress key={bulk.jobIds.join()} {...bulk.progress} />}
      {bulk.count > 0 && <BulkBar {...bulk.bar} isFiltered={isFiltered(filters)} />}
      {list.isError && !list.data && <Failed error={list.error} retry={list.refetch} />}
      {isUnused && <NoContacts openNew={openNew} />}
      {isEmpty && !isUnused && <NothingFound filters={filters} clear={() => set(CLEARED)} />}
      {!isEmpty && (list.data || list.isPending) && (
        <VirtualTable
          key={JSON.stringify(listQueryOf(filters))}
          label="Contacts"
          columns={columns.columns}
          rows={rows}
          idOf={idOf}
          nameOf={nameOf}
          total={total}
          hasMore={list.isPending || list.hasNextPage}
          isLoadingMore={list.isFetching}
          loadMore={list.fetchNextPage}
          open={({ id }) => navigate(`/contacts/${id}`)}
          selection={bulk.selection}
        />
      )}
      <NewContact isOpen={place.new !== ""} close={() => set({ new: "" }, { replace: true })} />
    </div>
  );
}

interface ActionsProps {
  filters: Filters;
  openNew: () => void;
  isUnused: boolean;
}

/** As the tools: drawn again for other filters only. */
const Actions = memo(function Actions({ filters, openNew, isUnused }: ActionsProps) {
  return (
    <>
      <Button component={Link} href="/imports" variant="default" leftSection={<UploadIcon size={15} />}>
        Import
      </Button>
      {!isUnused && <ExportMenu filters={filters} />}
      <Button leftSection={<AddIcon size={15} />} onClick={openNew}>
        New contact
      </Button>
    </>
  );
});

/** What is shown is what is exported, in all of its length. */
function ExportMenu({ filters }: { filters: Filters }) {
  const projectId = useProjectId();
  const link = (format: "csv" | "ndjson") =>
    linkTo("GET /contacts/export", { query: { ...exportQueryOf(filters), format } }, projectId);
  return (
    <MenuButton
      button={(opener) => (
        <Button {...opener} variant="default" leftSection={<DownloadIcon size={15} />}>
          Export
        </Button>
      )}
    >
      <Menu.Label>{isFiltered(filters) ? "All that match the filter" : "All contacts"}</Menu.Label>
      <Menu.Item component="a" href={link("csv")} download>
        CSV, for spreadsheets
      </Menu.Item>
      <Menu.Item component="a" href={link("ndjson")} download>
        NDJSON, for programs
      </Menu.Item>
    </MenuButton>
  );
}

function NoContacts({ openNew }: { openNew: () => void }) {
  const { isAllowed: isAdmin } = useRole("ADMIN");
  return (
    <Empty
      icon={ContactsIcon}
      title="No contacts yet"
      action={
        <>
          <Button component={Link} href="/imports" leftSection={<UploadIcon size={15} />}>
            Import a file
          </Button>
          <Button variant="default" onClick={openNew}>
            Add one
          </Button>
        </>
      }
    >
      Contacts are the people you write to. Import a CSV file, add one by hand, or use the API: tracking an
      event creates its contact.{" "}
      {isAdmin && (
        <>
          Do you have them elsewhere? <Link href="/move-in">Move in from another service</Link>.
        </>
      )}
    </Empty>
  );
}

function NothingFound({ filters, clear }: { filters: Filters; clear: () => void }) {
  return (
    <NoMatch
      title={filters.search ? `No contact has “${filters.search}” in its address` : "No contact matches"}
      all="Show all contacts"
      clear={clear}
    >
      {filters.search
        ? "The search looks at addresses. For names and other values use the filter for fields."
        : "Change a filter, or show all contacts."}
    </NoMatch>
  );
}
