// The addresses that get no mail.
import { Button, FileButton, Menu, Modal, Select } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Suppression } from "../api.gen.ts";
import { call, linkTo } from "../api.ts";
import { confirm } from "../parts/confirm.tsx";
import { FormDialog } from "../parts/form_dialog.tsx";
import { AddIcon, DownloadIcon, SuppressionsIcon, UploadIcon } from "../parts/icons.tsx";
import { MenuButton } from "../parts/menu_button.tsx";
import { ListSearch } from "../parts/list_search.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { Empty, Failed, LoadingPage } from "../parts/states.tsx";
import { Status, type Tone } from "../parts/status.tsx";
import { Time } from "../parts/time.tsx";
import { toast } from "../parts/toast.tsx";
import { type Column, VirtualTable } from "../parts/virtual_table.tsx";
import { useProjectId, useUrlState } from "../place.ts";
import { readAgain, useApiPages } from "../queries.ts";
import { AddSuppressions } from "./add_suppressions.tsx";
import { ImportReport } from "./suppression_report.tsx";
import classes from "./suppressions.module.css";

type Reason = Suppression["reason"];

const REASONS: Record<Reason, { word: string; tone: Tone }> = {
  BOUNCE: { word: "Bounced", tone: "bad" },
  COMPLAINT: { word: "Complained", tone: "bad" },
  MANUAL: { word: "Added by hand", tone: "quiet" },
};

/** `/suppressions`. */
export default function SuppressionsPage() {
  const [{ search, reason }, set] = useUrlState({ search: "", reason: "" });
  const query = { limit: 100, ...(search && { search }), ...(reason && { reason: reason as Reason }) };
  const list = useApiPages("GET /suppressions", { query });
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const total = list.data?.pages[0]?.total;
  const [isAdding, setAdding] = useState(false);
  const isFiltered = search !== "" || reason !== "";
  return (
    <div className={classes.page}>
      <PageHeader
        title="Suppressions"
        count={total}
        about="Addresses that get no mail from this project: they bounced, complained, or were added by hand."
        actions={<Actions add={() => setAdding(true)} />}
      />
      <div className={classes.filters}>
        <ListSearch
          label="Search addresses"
          value={search}
          onChange={(text) => set({ search: text }, { replace: true })}
        />
        <Select
          aria-label="Reason"
          placeholder="Any reason"
          clearable
          data={Object.entries(REASONS).map(([value, { word }]) => ({ value, label: word }))}
          value={reason || null}
          onChange={(value) => set({ reason: value ?? "" })}
        />
      </div>
      {list.isPending && <LoadingPage />}
      {list.isError && rows.length === 0 && <Failed error={list.error} retry={list.refetch} />}
      {list.isSuccess && rows.length === 0 && (
        <Empty
          icon={SuppressionsIcon}
          title={isFiltered ? "No address matches" : "Nobody is suppressed"}
          action={
            isFiltered ? (
              <Button variant="default" onClick={() => set({ search: "", reason: "" })}>
                Show all
              </Button>
            ) : (
              <Button onClick={() => setAdding(true)}>Add addresses</Button>
            )
          }
        >
          {isFiltered
            ? "Try part of the address, or another reason."
            : "Addresses that bounce permanently or complain are added automatically. Add those that another service has suppressed before you write to them."}
        </Empty>
      )}
      {rows.length > 0 && <List list={rows} total={total} more={list} />}
      <FormDialog opened={isAdding} onClose={() => setAdding(false)} title="Suppress addresses">
        <AddSuppressions done={() => setAdding(false)} />
      </FormDialog>
    </div>
  );
}

interface ListProps {
  list: Suppression[];
  total: number | undefined;
  more: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
}

function List({ list, total, more }: ListProps) {
  const remove = useRemove();
  const columns: Column<Suppression>[] = [
    {
      key: "email",
      header: "Address",
      width: "minmax(0, 2fr)",
      cell: ({ email, reason }) => (
        <>
          <span className={classes.address}>{email}</span>
          <span className={classes.narrowReason}>{REASONS[reason].word}</span>
        </>
      ),
    },
    {
      key: "reason",
      header: "Reason",
      width: "9rem",
      isWideOnly: true,
      cell: ({ reason }) => (
        <Status status={reason} tone={REASONS[reason].tone}>
          {REASONS[reason].word}
        </Status>
      ),
    },
    {
      key: "createdAt",
      header: "Since",
      width: "9rem",
      isWideOnly: true,
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
    {
      key: "remove",
      header: "",
      width: "6.5rem",
      align: "right",
      cell: (row) => (
        <Button variant="subtle" color="gray" size="compact-sm" onClick={() => remove(row)}>
          Remove
        </Button>
      ),
    },
  ];
  return (
    <VirtualTable
      label="Suppressed addresses"
      columns={columns}
      rows={list}
      idOf={({ id }) => id}
      total={total}
      rowHeight={48}
      hasMore={more.hasNextPage}
      isLoadingMore={more.isFetchingNextPage}
      loadMore={more.fetchNextPage}
    />
  );
}

function useRemove() {
  const projectId = useProjectId();
  const cache = useQueryClient();
  return ({ email, reason }: Suppression) =>
    confirm({
      title: `Write to ${email} again?`,
      action: "Remove from the list",
      children:
        reason === "MANUAL" ? (
          <>Mail is sent to this address again. If it is a contact, its subscription stays as it is.</>
        ) : (
          <>
            This address {reason === "BOUNCE" ? "could not be reached" : "reported your mail as unwanted"}.
            Mail that bounces or is reported again harms the reputation of your domain: remove it only if you
            know that this has changed.
          </>
        ),
      act: async () => {
        await call("DELETE /suppressions", { body: { email } }, { projectId });
        await readAgain(cache, projectId, ["GET /suppressions"]);
        toast.done(`${email} gets mail again`, {
          undo: async () => {
            await call("POST /suppressions", { body: { email, reason } }, { projectId });
            await readAgain(cache, projectId, ["GET /suppressions"]);
          },
        });
      },
    });
}

function Actions({ add }: { add: () => void }) {
  const projectId = useProjectId();
  const [report, setReport] = useState<React.ComponentProps<typeof ImportReport>["report"] | null>(null);
  const [isSending, setSending] = useState(false);
  const cache = useQueryClient();
  const send = async (file: File | null) => {
    if (!file) return;
    setSending(true);
    try {
      const body = file.slice(0, file.size, "text/csv");
      setReport(await call("POST /suppressions/import", { body }, { projectId }));
      await readAgain(cache, projectId, ["GET /suppressions"]);
    } catch (error) {
      toast.failed(error);
    } finally {
      setSending(false);
    }
  };
  return (
    <>
      {/* Around the menu: what is in it goes away with it, and the choice of a file too. */}
      <FileButton onChange={send} accept=".csv,text/csv,text/plain">
        {({ onClick }) => (
          <MenuButton
            button={(opener) => (
              <Button {...opener} variant="default" loading={isSending}>
                Import and export
              </Button>
            )}
          >
            <Menu.Item leftSection={<UploadIcon size={15} />} onClick={onClick}>
              Import a CSV file
            </Menu.Item>
            <Menu.Item
              component="a"
              href={linkTo("GET /suppressions/export", {}, projectId)}
              download
              leftSection={<DownloadIcon size={15} />}
            >
              Export all as CSV
            </Menu.Item>
          </MenuButton>
        )}
      </FileButton>
      <Button leftSection={<AddIcon size={16} />} onClick={add}>
        Add addresses
      </Button>
      <Modal opened={report !== null} onClose={() => setReport(null)} title="The file was read">
        {report && <ImportReport report={report} />}
      </Modal>
    </>
  );
}
