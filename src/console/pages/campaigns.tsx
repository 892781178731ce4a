// The campaigns of a project: what they became, and what will be sent.
import { Button } from "@mantine/core";
import { useMemo } from "react";
import { Link, useLocation } from "wouter";
import { AddIcon, CampaignsIcon } from "../parts/icons.tsx";
import { FilterSelect, ListTools } from "../parts/list_tools.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { useShortcut } from "../parts/shortcuts.ts";
import { Empty, Failed, LoadingPage, NoMatch } from "../parts/states.tsx";
import { VirtualTable } from "../parts/virtual_table.tsx";
import { useUrlState } from "../place.ts";
import { useApi } from "../queries.ts";
import classes from "./campaigns/campaigns.module.css";
import { columnsOf } from "./campaigns/columns.tsx";
import { useCampaigns } from "./campaigns/list.ts";
import { STATUSES, wordOfStatus } from "./campaigns/words.ts";

const NEW = "/campaigns/new";
const ROW_HEIGHT = 60;

/** `/campaigns`. */
export default function CampaignsPage() {
  const [state, set] = useUrlState({ search: "", status: "" });
  const [, navigate] = useLocation();
  const { list, campaigns, total } = useCampaigns(state);
  const { data: segments } = useApi("GET /segments", {}, { staleTime: 60_000 });
  const columns = useMemo(() => columnsOf(new Map(segments?.map(({ id, name }) => [id, name]))), [segments]);
  useShortcut("n", "New campaign", () => navigate(NEW));
  const isFiltered = state.search !== "" || state.status !== "";
  const hasSome = campaigns.length > 0 || isFiltered;
  const create = (
    <Button component={Link} href={NEW} leftSection={<AddIcon size={16} />}>
      New campaign
    </Button>
  );
  return (
    <div className={classes.page}>
      <PageHeader
        title="Campaigns"
        count={total}
        about="One message to many contacts, now or at a time you choose."
        actions={hasSome ? create : null}
      />
      {hasSome && (
        <ListTools of="campaigns" state={state} set={set}>
          <FilterSelect
            label="State"
            any="Any state"
            data={STATUSES.map((value) => ({ value, label: wordOfStatus(value) }))}
            value={state.status}
            onChange={(status) => set({ status })}
          />
        </ListTools>
      )}
      {list.isPending && <LoadingPage />}
      {list.isError && campaigns.length === 0 && <Failed error={list.error} retry={list.refetch} />}
      {list.isSuccess && !hasSome && (
        <Empty icon={CampaignsIcon} title="No campaigns yet" action={create}>
          Write a mail, choose who gets it, and check it before it is sent. Nothing is sent until you confirm.
        </Empty>
      )}
      {list.isSuccess && hasSome && campaigns.length === 0 && (
        <NoMatch title="No campaign matches" clear={() => set({ search: "", status: "" }, { replace: true })}>
          {state.search
            ? `None has “${state.search}” in its name, subject or sender.`
            : `None is ${wordOfStatus(state.status).toLowerCase()} right now.`}
        </NoMatch>
      )}
      {campaigns.length > 0 && (
        <VirtualTable
          label="Campaigns"
          columns={columns}
          rows={campaigns}
          idOf={({ id }) => id}
          nameOf={({ name }) => name}
          total={total}
          hasMore={list.hasNextPage}
          isLoadingMore={list.isFetchingNextPage}
          loadMore={list.fetchNextPage}
          rowHeight={ROW_HEIGHT}
          open={({ id }) => navigate(`/campaigns/${id}`)}
        />
      )}
    </div>
  );
}
