// How people fare in a workflow: at each step who is there now and who passed it, on each way how many continued.
import { Button } from "@mantine/core";
import { useMemo } from "react";
import type { GraphDocument, StepStatistics, WorkflowGraph } from "../../api.gen.ts";
import { useNames } from "../../parts/canvas/drawn.ts";
import {
  type Badge,
  branchName,
  branchNamesOf,
  type Marks,
  type StepMark,
  wayId,
} from "../../parts/canvas/graph.ts";
import { formatCompact, formatNumber, formatPercent } from "../../parts/format.ts";
import { ContactsIcon } from "../../parts/icons.tsx";
import { Loaded } from "../../parts/states.tsx";
import { useUrlState } from "../../place.ts";
import { useApi } from "../../queries.ts";
import { Canvas } from "./canvas.ts";
import { drawnGraph } from "./drawn_graph.ts";
import classes from "./statistics.module.css";

const LOOK_MS = 15_000;

/** The tab. */
export default function Statistics({ workflow }: { workflow: WorkflowGraph }) {
  const path = { id: workflow.id };
  const graph = useApi("GET /workflows/{id}/graph", { path });
  const statistics = useApi("GET /workflows/{id}/statistics", { path }, { refetchInterval: LOOK_MS });
  return (
    <Loaded query={graph}>
      {(stored) => (
        <Loaded query={statistics}>
          {(counted) => <Shown workflow={workflow} graph={stored} counted={counted} />}
        </Loaded>
      )}
    </Loaded>
  );
}

interface Props {
  workflow: WorkflowGraph;
  graph: GraphDocument;
  counted: StepStatistics[];
}

function Shown({ workflow, graph, counted }: Props) {
  const names = useNames(graph.steps);
  const [{ step }, set] = useUrlState({ step: "" });
  const steps = useMemo(() => drawnGraph(graph.steps, names, workflow), [graph.steps, names, workflow]);
  const marks = useMemo(() => marksOf(counted), [counted]);
  const chosen = counted.find(({ stepId }) => stepId === step);
  const choose = (stepId: string | null) =>
    set({ step: stepId === step ? "" : (stepId ?? "") }, { replace: true });
  return (
    <div className={classes.statistics}>
      <div className={classes.canvas}>
        <Canvas
          label={`Statistics of ${workflow.name}`}
          steps={steps}
          ways={graph.transitions}
          marks={marks}
          chosen={step || null}
          choose={choose}
        />
      </div>
      <div className={classes.below} aria-live="polite">
        {chosen ? <OfStep graph={graph} counted={chosen} /> : <OfAll counted={counted} />}
      </div>
    </div>
  );
}

/** What is at steps and ways. */
function marksOf(counted: StepStatistics[]): Marks {
  const steps = new Map<string, StepMark>();
  const ways = new Map<string, { label: string }>();
  for (const { stepId, waiting, passed, failed, transitions } of counted) {
    const badges: Badge[] = [
      { label: `${formatCompact(passed)} passed`, title: `${formatNumber(passed)} passed` },
    ];
    if (waiting > 0)
      badges.push({
        label: `${formatCompact(waiting)} here`,
        tone: "busy",
        title: `${formatNumber(waiting)} here now`,
      });
    if (failed > 0)
      badges.push({
        label: `${formatCompact(failed)} failed`,
        tone: "bad",
        title: `${formatNumber(failed)} failed`,
      });
    steps.set(stepId, { badges, ...(failed > 0 ? { tone: "bad" } : waiting > 0 ? { tone: "busy" } : {}) });
    for (const { branch, share } of transitions)
      if (passed > 0) ways.set(wayId({ from: stepId, branch }), { label: formatPercent(share / 100) });
  }
  return { steps, ways };
}

function OfAll({ counted }: { counted: StepStatistics[] }) {
  const sum = (of: (step: StepStatistics) => number) => counted.reduce((total, step) => total + of(step), 0);
  return (
    <>
      <dl className={classes.numbers}>
        <Figure label="Began" value={formatNumber(counted[0]?.entered ?? 0)} />
        <Figure label="In it now" value={formatNumber(sum(({ waiting }) => waiting))} />
        <Figure label="Failed" value={formatNumber(sum(({ failed }) => failed))} />
      </dl>
      <p className={classes.hint}>Choose a step to see its numbers and its contacts.</p>
    </>
  );
}

interface OfStepProps {
  graph: GraphDocument;
  counted: StepStatistics;
}

function OfStep({ graph, counted }: OfStepProps) {
  const [, set] = useUrlState({ tab: "canvas", at: "" });
  const { stepId, waiting, entered, passed, failed, conversion, transitions } = counted;
  const nameOf = (id: string) => graph.steps.find((step) => step.id === id)?.name ?? "";
  const step = graph.steps.find(({ id }) => id === stepId);
  return (
    <>
      <h3 className={classes.name}>{nameOf(stepId)}</h3>
      <dl className={classes.numbers}>
        <Figure label="Reached it" value={formatNumber(entered)} />
        <Figure label="Here now" value={formatNumber(waiting)} />
        <Figure label="Passed" value={formatNumber(passed)} />
        <Figure label="Failed" value={formatNumber(failed)} />
        <Figure label="Of all executions" value={formatPercent(conversion / 100)} />
        {transitions.map(({ to, branch, passed: on, share }) => (
          <Figure
            key={`${to}${branch}`}
            label={`${branch === null ? "On" : branchName(branch, step && branchNamesOf(step))} to ${nameOf(to)}`}
            value={`${formatNumber(on)} (${formatPercent(share / 100)})`}
          />
        ))}
      </dl>
      {waiting > 0 && (
        <Button
          variant="default"
          size="xs"
          leftSection={<ContactsIcon size={14} />}
          onClick={() => set({ tab: "executions", at: stepId })}
        >
          Who is here
        </Button>
      )}
    </>
  );
}

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <div className={classes.number}>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  );
}
