// One contact's way through a workflow: drawn on the graph that it goes by, and told step by step.
import { Alert, Button } from "@mantine/core";
import { useMemo } from "react";
import { Link, useParams } from "wouter";
import type { ExecutionGraph, ExecutionWithHistory } from "../api.gen.ts";
import { useNames } from "../parts/canvas/drawn.ts";
import { confirm } from "../parts/confirm.tsx";
import { CloseIcon, InfoIcon } from "../parts/icons.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { Loaded } from "../parts/states.tsx";
import { Status } from "../parts/status.tsx";
import { Time } from "../parts/time.tsx";
import { toast } from "../parts/toast.tsx";
import { useUrlState } from "../place.ts";
import { useApi, useChange } from "../queries.ts";
import { MailDrawer } from "./contact/mail_drawer.tsx";
import classes from "./execution/execution.module.css";
import { marksOf, toldBy, visitsOf } from "./execution/story.ts";
import { type Line, TimeLine } from "./execution/time_line.tsx";
import { Canvas } from "./workflow/canvas.ts";
import { drawnGraph } from "./workflow/drawn_graph.ts";
import { isActive } from "./workflow/execution_states.ts";

/** While it is in progress its next steps are looked for. */
const LOOK_MS = 5_000;

/** `/workflows/:id/executions/:executionId`. */
export default function ExecutionPage() {
  const { id, executionId } = useParams<{ id: string; executionId: string }>();
  const path = { id, executionId };
  const execution = useApi(
    "GET /workflows/{id}/executions/{executionId}",
    { path },
    { refetchInterval: ({ state }) => (state.data && isActive(state.data.status) ? LOOK_MS : false) },
  );
  const graph = useApi(
    "GET /workflows/{id}/executions/{executionId}/graph",
    { path },
    { staleTime: Infinity },
  );
  return (
    <Loaded query={execution}>{(told) => <Shown key={executionId} execution={told} graph={graph} />}</Loaded>
  );
}

interface Props {
  execution: ExecutionWithHistory;
  graph: React.ComponentProps<typeof Loaded<ExecutionGraph>>["query"];
}

function Shown({ execution, graph }: Props) {
  const { contact, workflow, status, startedAt, completedAt, stepExecutions } = execution;
  const [{ step, mail }, set] = useUrlState({ step: "", mail: "" });
  const name = contact?.email ?? "A deleted contact";
  const choose = (stepId: string | null) =>
    set({ step: stepId === step ? "" : (stepId ?? "") }, { replace: true });
  return (
    <div className={classes.page}>
      <PageHeader
        title={name}
        back={{ label: workflow.name, to: `/workflows/${workflow.id}?tab=executions` }}
        badge={<Status status={status} />}
        about={
          <>
            Began <Time at={startedAt} />
            {completedAt && (
              <>
                , ended <Time at={completedAt} />
              </>
            )}
            {contact && (
              <>
                {" · "}
                <Link href={`/contacts/${contact.id}`}>The contact</Link>
              </>
            )}
          </>
        }
        actions={isActive(status) && <Cancel execution={execution} name={name} />}
      />
      <Reason execution={execution} />
      <div className={classes.columns}>
        <div className={classes.canvas}>
          <Loaded query={graph}>
            {(drawn) => <Drawn execution={execution} graph={drawn} chosen={step || null} choose={choose} />}
          </Loaded>
        </div>
        <div className={classes.story}>
          <TimeLine
            label="What happened"
            lines={linesOf(execution)}
            steps={graph.data?.steps ?? []}
            chosen={step || null}
            choose={choose}
            openMail={(id) => set({ mail: id })}
            end={stepExecutions.length === 0 ? "It has not reached its first step yet." : undefined}
          />
        </div>
      </div>
      <MailDrawer id={mail} close={() => set({ mail: "" })} />
    </div>
  );
}

/** Why it ended, if that is not what one expects. */
function Reason({ execution: { status, exitReason } }: { execution: ExecutionWithHistory }) {
  if (!exitReason || status === "CANCELLED") return null;
  return (
    <Alert
      variant="light"
      color={status === "FAILED" ? "red" : "gray"}
      icon={<InfoIcon size={16} />}
      className={classes.reason!}
    >
      {exitReason}
    </Alert>
  );
}

interface DrawnProps {
  execution: ExecutionWithHistory;
  graph: ExecutionGraph;
  chosen: string | null;
  choose: (stepId: string | null) => void;
}

function Drawn({ execution, graph, chosen, choose }: DrawnProps) {
  const names = useNames(graph.steps);
  const workflow = useApi("GET /workflows/{id}", { path: { id: execution.workflow.id } });
  const { stepExecutions } = execution;
  const marks = useMemo(
    () => marksOf(visitsOf(stepExecutions), graph.transitions),
    [stepExecutions, graph.transitions],
  );
  const steps = useMemo(
    () => drawnGraph(graph.steps, names, workflow.data),
    [graph.steps, names, workflow.data],
  );
  return (
    <Canvas
      label={`Way through ${execution.workflow.name}`}
      steps={steps}
      ways={graph.transitions}
      marks={marks}
      chosen={chosen}
      choose={choose}
    />
  );
}

function linesOf({ stepExecutions }: ExecutionWithHistory): Line[] {
  return stepExecutions.map((entry) => ({
    id: entry.id,
    stepId: entry.stepId,
    type: entry.step?.type,
    name: entry.step?.name ?? null,
    at: entry.startedAt,
    isWaiting: entry.status !== "COMPLETED" && entry.status !== "FAILED",
    told: toldBy(entry),
    error: entry.error,
  }));
}

function Cancel({ execution: { id, workflow }, name }: { execution: ExecutionWithHistory; name: string }) {
  const cancel = useChange("DELETE /workflows/{id}/executions/{executionId}", {
    reads: ["GET /workflows"],
    showsErrors: true,
  });
  const ask = () =>
    confirm({
      title: `Cancel this execution?`,
      children: `${name} stays where it is in ${workflow.name}, and gets nothing more from this run. This cannot be taken back.`,
      action: "Cancel the execution",
      stay: "Keep it running",
      act: async () => {
        await cancel.mutateAsync({ path: { id: workflow.id, executionId: id } });
        toast.done("Cancelled");
      },
    });
  return (
    <Button variant="default" leftSection={<CloseIcon size={15} />} onClick={ask}>
      Cancel
    </Button>
  );
}
