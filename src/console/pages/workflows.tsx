// The workflows of a project.
import { Button, Menu } from "@mantine/core";
import { useMemo } from "react";
import { Link, useLocation } from "wouter";
import type { CountedWorkflow } from "../api.gen.ts";
import { triggerWords } from "../parts/canvas/words.ts";
import { useVocabulary, type Vocabulary } from "../parts/conditions/vocabulary.ts";
import { formatCount, formatNumber } from "../parts/format.ts";
import { AddIcon, CopyIcon, DeleteIcon, EditIcon, WorkflowsIcon } from "../parts/icons.tsx";
import { FilterSelect, FIRST_ORDER, ListTools } from "../parts/list_tools.tsx";
import { RowMenu } from "../parts/menu_button.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { RowSwitch } from "../parts/row_switch.tsx";
import { useShortcut } from "../parts/shortcuts.ts";
import { Empty, Failed, LoadingPage, NoMatch } from "../parts/states.tsx";
import { Time } from "../parts/time.tsx";
import { type Column, VirtualTable } from "../parts/virtual_table.tsx";
import { useUrlState } from "../place.ts";
import { useDuplicateWorkflow, useRemoveWorkflow } from "./workflows/actions.tsx";
import { useEnable } from "./workflows/enable.tsx";
import { STATES, useWorkflows } from "./workflows/list.ts";
import classes from "./workflows/workflows.module.css";

const ROW_HEIGHT = 60;
const NEW = "/workflows/new";

/** `/workflows`. */
export default function WorkflowsPage() {
  const [state, set] = useUrlState({ search: "", status: "", order: FIRST_ORDER });
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
      {hasSome && (
        <ListTools of="workflows" state={state} set={set}>
          <FilterSelect
            label="State"
            any="Any state"
            data={STATES}
            value={state.status}
            onChange={(status) => set({ status })}
          />
        </ListTools>
      )}
      {list.isPending && <LoadingPage />}
      {list.isError && rows.length === 0 && <Failed error={list.error} retry={list.refetch} />}
      {list.isSuccess && !hasSome && (
        <Empty icon={WorkflowsIcon} title="No workflows yet" action={create}>
          Start from a ready-made one, such as a welcome series or a cart reminder, and make it yours.
        </Empty>
      )}
      {list.isSuccess && hasSome && rows.length === 0 && (
        <NoMatch title="No workflow matches" clear={() => set({ search: "", status: "" }, { replace: true })}>
          {state.search ? `None has “${state.search}” in its name or description.` : "None is in this state."}
        </NoMatch>
      )}
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
    {
      key: "more",
      header: "",
      width: "2.25rem",
      cell: (workflow) => (
        <RowMenu label={`More for ${workflow.name}`}>
          <Acts workflow={workflow} />
        </RowMenu>
      ),
    },
  ];
}

function Enabled({ workflow }: { workflow: CountedWorkflow }) {
  const { enable, disable } = useEnable();
  return (
    <RowSwitch
      label={`${workflow.name} is enabled`}
      isOn={workflow.enabled}
      toggle={() => void (workflow.enabled ? disable(workflow) : enable(workflow))}
    />
  );
}

/** What can be done with a workflow. */
function Acts({ workflow }: { workflow: CountedWorkflow }) {
  const [, navigate] = useLocation();
  const duplicate = useDuplicateWorkflow();
  const remove = useRemoveWorkflow();
  return (
    <>
      <Menu.Item leftSection={<EditIcon size={15} />} onClick={() => navigate(`/workflows/${workflow.id}`)}>
        Edit
      </Menu.Item>
      <Menu.Item leftSection={<CopyIcon size={15} />} onClick={() => void duplicate(workflow)}>
        Duplicate
      </Menu.Item>
      <Menu.Item color="red" leftSection={<DeleteIcon size={15} />} onClick={() => void remove(workflow)}>
        Delete
      </Menu.Item>
    </>
  );
}
