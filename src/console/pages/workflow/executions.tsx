// Who goes through a workflow, and who went: by state, step and contact. A row leads to the story of one.
import { Button, Select } from "@mantine/core";
import { useLocation } from "wouter";
import type { ListedExecution, WorkflowGraph } from "../../api.gen.ts";
import { confirm } from "../../parts/confirm.tsx";
import { ContactPicker } from "../../parts/contact_picker.tsx";
import { formatCount } from "../../parts/format.ts";
import { CloseIcon, PlayIcon, WorkflowsIcon } from "../../parts/icons.tsx";
import { Empty, Failed, LoadingPage } from "../../parts/states.tsx";
import { Status, wordOf } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { toast } from "../../parts/toast.tsx";
import { type Column, VirtualTable } from "../../parts/virtual_table.tsx";
import { useUrlState } from "../../place.ts";
import { useApi, useChange } from "../../queries.ts";
import { EXECUTION_STATES, isActive } from "./execution_states.ts";
import classes from "./executions.module.css";
import { useExecutions } from "./executions_list.ts";
import { StartExecution } from "./start_execution.tsx";

const NO_FILTER = { status: "", at: "", contact: "" };

/** The tab. */
export default function Executions({ workflow }: { workflow: WorkflowGraph }) {
  const [state, set] = useUrlState({ ...NO_FILTER, start: "" });
  const [, navigate] = useLocation();
  const { status, at, contact } = state;
  const list = useExecutions(workflow.id, state);
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const isFiltered = status !== "" || at !== "" || contact !== "";
  const filter = (patch: Partial<typeof NO_FILTER>) => set(patch, { replace: true });
  const start = (
    <Button
      variant={isFiltered || rows.length > 0 ? "default" : "filled"}
      leftSection={<PlayIcon size={15} />}
      onClick={() => set({ start: "1" })}
      disabled={!workflow.enabled}
    >
      Start for a contact
    </Button>
  );
  return (
    <div className={classes.list}>
      <div className={classes.bar}>
        <Select
          aria-label="State"
          className={classes.filter!}
          data={[
            { value: "", label: "Any state" },
            ...EXECUTION_STATES.map((value) => ({ value, label: wordOf(value) })),
          ]}
          value={status}
          onChange={(next) => filter({ status: next ?? "" })}
          allowDeselect={false}
        />
        <Select
          aria-label="Step"
          className={classes.filter!}
          data={[
            { value: "", label: "At any step" },
            ...workflow.steps.map(({ id, name }) => ({ value: id, label: `At ${name}` })),
          ]}
          value={at}
          onChange={(next) => filter({ at: next ?? "" })}
          allowDeselect={false}
        />
        <ContactPicker
          aria-label="Contact"
          className={classes.contact!}
          placeholder="Any contact"
          value={contact}
          onChange={(id) => filter({ contact: id })}
        />
        <span className={classes.gap} />
        <CancelAll workflow={workflow} />
        {(isFiltered || rows.length > 0) && start}
      </div>
      {list.isPending && <LoadingPage />}
      {list.isError && rows.length === 0 && <Failed error={list.error} retry={list.refetch} />}
      {list.isSuccess && rows.length === 0 && (
        <None workflow={workflow} start={start} {...(isFiltered && { clear: () => filter(NO_FILTER) })} />
      )}
      {rows.length > 0 && (
        <VirtualTable
          label="Executions"
          columns={COLUMNS}
          rows={rows}
          idOf={(row) => row.id}
          total={list.data?.pages[0]?.total}
          hasMore={list.hasNextPage}
          isLoadingMore={list.isFetchingNextPage}
          loadMore={list.fetchNextPage}
          open={(row) => navigate(`/workflows/${workflow.id}/executions/${row.id}`)}
        />
      )}
      <StartExecution workflow={workflow} isOpen={state.start !== ""} close={() => set({ start: "" })} />
    </div>
  );
}

const COLUMNS: Column<ListedExecution>[] = [
  {
    key: "contact",
    header: "Contact",
    width: "minmax(0, 2fr)",
    cell: ({ contact }) => contact?.email ?? <span className={classes.quiet}>A deleted contact</span>,
  },
  { key: "state", header: "State", width: "8rem", cell: ({ status }) => <Status status={status} /> },
  {
    key: "step",
    header: "Step",
    width: "minmax(0, 1.5fr)",
    isWideOnly: true,
    cell: ({ currentStep, status, exitReason }) =>
      isActive(status) ? (
        (currentStep?.name ?? "–")
      ) : (
        <span className={classes.quiet}>{exitReason ?? "–"}</span>
      ),
  },
  {
    key: "began",
    header: "Began",
    width: "8rem",
    isWideOnly: true,
    cell: ({ startedAt }) => <Time at={startedAt} />,
  },
  {
    key: "ended",
    header: "Ended",
    width: "8rem",
    isWideOnly: true,
    cell: ({ completedAt }) => <Time at={completedAt} />,
  },
];

interface NoneProps {
  workflow: WorkflowGraph;
  start: React.ReactNode;
  /** Takes the filters away; left out: there are none. */
  clear?: () => void;
}

function None({ workflow, start, clear }: NoneProps) {
  if (clear) {
    const action = (
      <Button variant="default" onClick={clear}>
        Show all
      </Button>
    );
    return (
      <Empty icon={WorkflowsIcon} title="No execution matches" action={action}>
        Nobody is there in this state, or at this step, now.
      </Empty>
    );
  }
  return (
    <Empty icon={WorkflowsIcon} title="Nobody has entered yet" action={workflow.enabled && start}>
      {workflow.enabled
        ? "Contacts appear here as soon as they enter. You can also start it for one of them."
        : "Enable the workflow: from then on contacts enter it, and their ways appear here."}
    </Empty>
  );
}

/** Ends all that are in progress. How many that are is asked first. */
function CancelAll({ workflow: { id, name } }: { workflow: WorkflowGraph }) {
  const page = { pageSize: 1 };
  const path = { id };
  const running = useApi("GET /workflows/{id}/executions", { path, query: { ...page, status: "RUNNING" } });
  const waiting = useApi("GET /workflows/{id}/executions", { path, query: { ...page, status: "WAITING" } });
  const cancel = useChange("POST /workflows/{id}/executions/cancel-all", {
    reads: ["GET /workflows"],
    showsErrors: true,
  });
  const [some, others] = [running.data, waiting.data];
  const count = (some?.total ?? 0) + (others?.total ?? 0);
  if (count === 0) return null;
  const more = some?.estimated || others?.estimated ? " or more" : "";
  const ask = () =>
    confirm({
      title: `Cancel ${formatCount(count, "execution")}${more}?`,
      children: `Everybody who is in ${name} now gets nothing more from it. It stays enabled: others still enter. This cannot be taken back.`,
      action: `Cancel ${formatCount(count, "execution")}${more}`,
      stay: "Keep them running",
      act: async () => {
        const { cancelled } = await cancel.mutateAsync({ path });
        toast.done(`${formatCount(cancelled, "execution")} cancelled`);
      },
    });
  return (
    <Button variant="default" leftSection={<CloseIcon size={15} />} onClick={ask}>
      Cancel all
    </Button>
  );
}
