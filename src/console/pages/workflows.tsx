// The workflows of a project.
import { ActionIcon, Button, Menu, Select, Switch } from "@mantine/core";
import { useMemo } from "react";
import { Link, useLocation } from "wouter";
import type { CountedWorkflow } from "../api.gen.ts";
import { triggerWords } from "../parts/canvas/words.ts";
import { useVocabulary, type Vocabulary } from "../parts/conditions/vocabulary.ts";
import { formatCount, formatNumber } from "../parts/format.ts";
import {
  AddIcon,
  CopyIcon,
  DeleteIcon,
  EditIcon,
  MoreIcon,
  SearchIcon,
  WorkflowsIcon,
} from "../parts/icons.tsx";
import { ListSearch } from "../parts/list_search.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { useShortcut } from "../parts/shortcuts.ts";
import { Empty, Failed, LoadingPage } from "../parts/states.tsx";
import { Time } from "../parts/time.tsx";
import { type Column, VirtualTable } from "../parts/virtual_table.tsx";
import { useUrlState } from "../place.ts";
import { useDuplicateWorkflow, useRemoveWorkflow } from "./workflows/actions.tsx";
import { useEnable } from "./workflows/enable.tsx";
import { type ListState, ORDERS, STATES, useWorkflows } from "./workflows/list.ts";
import classes from "./workflows/workflows.module.css";

const ROW_HEIGHT = 60;
const NEW = "/workflows/new";

/** `/workflows`. */
export default function WorkflowsPage() {
  const [state, set] = useUrlState({ search: "", status: "", order: "changed" });
  const [, navigate] = useLocation();
  const list = useWorkflows(state);
  useShortcut("n", "New workflow", () => navigate(NEW));
  const rows = useMemo(() => list.data?.pages.flatMap(({ data }) => data) ?? [], [list.data]);
  const total = list.data?.pages[0]?.total;
  const isFiltered = state.search !== "" || state.status !== "";
  const hasSome = rows.length > 0 || isFiltered;
  const create = (
    <Button component={Link} href={NEW} leftSection={<AddIcon size={16} />}>
      New workflow
    </Button>
  );
  return (
    <div className={classes.list}>
      <PageHeader
        title="Workflows"
        count={total}
        about="Automated series of mails, waits and decisions."
        actions={hasSome ? create : null}
      />
      {hasSome && <Tools state={state} set={set} />}
      {list.isPending && <LoadingPage />}
      {list.isError && rows.length === 0 && <Failed error={list.error} retry={list.refetch} />}
      {list.isSuccess && !hasSome && (
        <Empty icon={WorkflowsIcon} title="No workflows yet" action={create}>
          Start from a ready-made one, such as a welcome series or a cart reminder, and make it yours.
        </Empty>
      )}
      {list.isSuccess && hasSome && rows.length === 0 && <NoneMatches {...state} set={set} />}
      {rows.length > 0 && (
        <Table
          rows={rows}
          total={total}
          hasMore={list.hasNextPage}
          isLoadingMore={list.isFetchingNextPage}
          loadMore={list.fetchNextPage}
        />
      )}
    </div>
  );
}

type Set = (patch: Partial<ListState>, options?: { replace?: boolean }) => void;

function Tools({ state: { search, status, order }, set }: { state: ListState; set: Set }) {
  return (
    <div className={classes.tools}>
      <ListSearch
        className={classes.search!}
        label="Search workflows"
        value={search}
        onChange={(next) => set({ search: next }, { replace: true })}
      />
      <Select
        className={classes.state!}
        aria-label="State"
        placeholder="Any state"
        data={STATES}
        value={status || null}
        onChange={(next) => set({ status: next ?? "" })}
        clearable
        clearButtonProps={{ "aria-label": "Show every state" }}
      />
      <Select
        className={classes.order!}
        aria-label="Order"
        data={Object.entries(ORDERS).map(([value, { label }]) => ({ value, label }))}
        value={order in ORDERS ? order : "changed"}
        onChange={(next) => next && set({ order: next })}
        allowDeselect={false}
      />
    </div>
  );
}

function NoneMatches({ search, set }: ListState & { set: Set }) {
  return (
    <Empty
      icon={SearchIcon}
      title="No workflow matches"
      action={
        <Button variant="default" onClick={() => set({ search: "", status: "" }, { replace: true })}>
          Show all
        </Button>
      }
    >
      {search ? `None has “${search}” in its name or description.` : "None has this status."}
    </Empty>
  );
}

interface TableProps {
  rows: CountedWorkflow[];
  total: number | undefined;
  hasMore: boolean;
  isLoadingMore: boolean;
  loadMore: () => unknown;
}

function Table(props: TableProps) {
  const [, navigate] = useLocation();
  const { vocabulary } = useVocabulary();
  const columns = useMemo(() => columnsOf(vocabulary), [vocabulary]);
  return (
    <VirtualTable
      {...props}
      label="Workflows"
      columns={columns}
      idOf={({ id }) => id}
      nameOf={({ name }) => name}
      rowHeight={ROW_HEIGHT}
      open={({ id }) => navigate(`/workflows/${id}`)}
    />
  );
}

function columnsOf(vocabulary: Vocabulary | null): Column<CountedWorkflow>[] {
  return [
    {
      key: "name",
      header: "Workflow",
      width: "minmax(0, 3fr)",
      cell: (workflow) => (
        <>
          <Link href={`/workflows/${workflow.id}`} className={classes.name!}>
            {workflow.name}
          </Link>
          <span className={classes.second}>{triggerWords(workflow, vocabulary ?? {})}</span>
        </>
      ),
    },
    {
      key: "steps",
      header: "Steps",
      width: "4rem",
      align: "right",
      isWideOnly: true,
      cell: ({ _count: { steps } }) => (
        <span aria-label={formatCount(steps, "step")}>{formatNumber(steps)}</span>
      ),
    },
    {
      key: "active",
      header: "In it now",
      width: "5.5rem",
      align: "right",
      isWideOnly: true,
      cell: ({ _count: { active } }) => (
        <span aria-label={`${formatCount(active, "contact")} in it now`}>{formatNumber(active)}</span>
      ),
    },
    {
      key: "finished",
      header: "Finished",
      width: "5.5rem",
      align: "right",
      isWideOnly: true,
      cell: ({ _count: { executions, active } }) => (
        <span aria-label={`${formatCount(executions - active, "execution")} finished`}>
          {formatNumber(executions - active)}
        </span>
      ),
    },
    {
      key: "changed",
      header: "Changed",
      width: "8rem",
      isWideOnly: true,
      cell: ({ updatedAt }) => (
        <span className={classes.faded}>
          <Time at={updatedAt} />
        </span>
      ),
    },
    { key: "state", header: "Enabled", width: "4.5rem", cell: (workflow) => <Enabled workflow={workflow} /> },
    { key: "more", header: "", width: "2.25rem", cell: (workflow) => <More workflow={workflow} /> },
  ];
}

function Enabled({ workflow }: { workflow: CountedWorkflow }) {
  const { enable, disable } = useEnable();
  return (
    <Switch
      size="sm"
      aria-label={`${workflow.name} is enabled`}
      checked={workflow.enabled}
      onChange={() => (workflow.enabled ? void disable(workflow) : void enable(workflow))}
    />
  );
}

function More({ workflow }: { workflow: CountedWorkflow }) {
  const [, navigate] = useLocation();
  const duplicate = useDuplicateWorkflow();
  const remove = useRemoveWorkflow();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon aria-label={`More for ${workflow.name}`}>
          <MoreIcon size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<EditIcon size={15} />} onClick={() => navigate(`/workflows/${workflow.id}`)}>
          Edit
        </Menu.Item>
        <Menu.Item leftSection={<CopyIcon size={15} />} onClick={() => void duplicate(workflow)}>
          Duplicate
        </Menu.Item>
        <Menu.Item color="red" leftSection={<DeleteIcon size={15} />} onClick={() => void remove(workflow)}>
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
