// Who is in a segment. Members of a list are added and removed here.
import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import type { Contact, Segment } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { formatCount } from "../../parts/format.ts";
import { AddIcon, CloseIcon, ContactsIcon } from "../../parts/icons.tsx";
import { ListSearch } from "../../parts/list_search.tsx";
import { Empty, Failed, LoadingPage } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { toast } from "../../parts/toast.tsx";
import { type Column, VirtualTable } from "../../parts/virtual_table.tsx";
import { useProjectId, useUrlState } from "../../place.ts";
import { readAgain, useApiPages } from "../../queries.ts";
import { AddMembers } from "./add_members.tsx";
import { changeMembers } from "./change_members.ts";
import classes from "./segments.module.css";

const PAGE_SIZE = 100;

/** The members, newest contacts first. A row leads to why the contact is in. */
export function Members({ segment }: { segment: Segment }) {
  const { id, type } = segment;
  const isList = type === "STATIC";
  const [{ search }, set] = useUrlState({ search: "", tab: "members", contact: "" });
  const [, navigate] = useLocation();
  const query = { pageSize: PAGE_SIZE, ...(search && { search }) };
  const list = useApiPages("GET /segments/{id}/contacts", { path: { id }, query });
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [isAdding, setAdding] = useState(false);
  const remove = useRemoveMembers(segment);
  const picked = rows.filter((row) => chosen.has(row.id)).map(({ email }) => email);
  const add = (
    <Button leftSection={<AddIcon size={16} />} onClick={() => setAdding(true)}>
      Add contacts
    </Button>
  );
  return (
    <>
      <div className={classes.bar}>
        <ListSearch
          label="Search members"
          value={search}
          onChange={(text) => set({ search: text }, { replace: true })}
        />
        {isList && rows.length > 0 && add}
        {picked.length > 0 && (
          <Button
            variant="default"
            leftSection={<CloseIcon size={15} />}
            onClick={() => void remove(picked).then(() => setChosen(new Set()))}
          >
            Remove {formatCount(picked.length, "contact")} from the list
          </Button>
        )}
      </div>
      {list.isPending && <LoadingPage />}
      {list.isError && rows.length === 0 && <Failed error={list.error} retry={list.refetch} />}
      {list.isSuccess && rows.length === 0 && (
        <Empty
          icon={ContactsIcon}
          title={search ? "No member matches" : "No members"}
          action={isList && !search ? add : undefined}
        >
          {search
            ? "Try part of the address."
            : isList
              ? "Paste the addresses of its members."
              : "Nobody matches the condition right now."}
        </Empty>
      )}
      {rows.length > 0 && (
        <VirtualTable
          label="Members"
          columns={COLUMNS}
          rows={rows}
          idOf={(row) => row.id}
          total={list.data?.pages[0]?.total}
          hasMore={list.hasNextPage}
          isLoadingMore={list.isFetchingNextPage}
          loadMore={list.fetchNextPage}
          open={(row) => navigate(`/segments/${id}?tab=why&contact=${row.id}`)}
          {...(isList && { selection: { ids: chosen, change: setChosen } })}
        />
      )}
      <AddMembers segment={segment} isOpen={isAdding} close={() => setAdding(false)} />
    </>
  );
}

const COLUMNS: Column<Contact>[] = [
  { key: "email", header: "Address", width: "minmax(0, 2fr)", cell: ({ email }) => email },
  {
    key: "state",
    header: "State",
    width: "8rem",
    isWideOnly: true,
    cell: ({ subscribed }) => <Status status={subscribed ? "subscribed" : "unsubscribed"} />,
  },
  {
    key: "created",
    header: "Contact since",
    width: "8rem",
    isWideOnly: true,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
];

/** Takes contacts off the list; it can be undone. */
function useRemoveMembers({ id, name }: Segment) {
  const projectId = useProjectId();
  const cache = useQueryClient();
  return async (emails: string[]) => {
    try {
      const removed = await changeMembers(emails, async (some) => {
        const input = { path: { id }, body: { emails: some } };
        return (await call("DELETE /segments/{id}/members", input, { projectId })).removed;
      });
      const count = removed.reduce((sum, one) => sum + one, 0);
      const undo = async () => {
        await changeMembers(emails, (some) =>
          call("POST /segments/{id}/members", { path: { id }, body: { emails: some } }, { projectId }),
        );
        await readAgain(cache, projectId, ["GET /segments"]);
      };
      toast.done(`${formatCount(count, "contact")} removed from ${name}`, { undo });
    } catch (error) {
      toast.failed(error);
    }
    await readAgain(cache, projectId, ["GET /segments"]);
  };
}
