// A trial run: the way that a contact would take through the saved steps, drawn. Nothing is sent, and nothing is written.
import { Alert, SegmentedControl } from "@mantine/core";
import { useMemo } from "react";
import type { GraphDocument, Workflow, WorkflowTrial } from "../../api.gen.ts";
import { useNames } from "../../parts/canvas/drawn.ts";
import { ContactPicker } from "../../parts/contact_picker.tsx";
import { InfoIcon } from "../../parts/icons.tsx";
import { Loaded } from "../../parts/states.tsx";
import { useUrlState } from "../../place.ts";
import { useApi } from "../../queries.ts";
import execution from "../execution/execution.module.css";
import { marksOf, toldBy, visitsOfTrial } from "../execution/story.ts";
import { type Line, TimeLine } from "../execution/time_line.tsx";
import { Canvas } from "./canvas.ts";
import { drawnGraph } from "./drawn_graph.ts";
import classes from "./trial.module.css";

interface TrialProps {
  workflow: Workflow;
  /** Something is drawn that is not saved: it is not tried. */
  isUnsaved: boolean;
}

/** The tab; the address remembers for whom. */
export default function Trial({ workflow, isUnsaved }: TrialProps) {
  const [{ who, waits }, set] = useUrlState({ who: "", waits: "event" });
  const path = { id: workflow.id };
  const graph = useApi("GET /workflows/{id}/graph", { path });
  const hasWait = graph.data?.steps.some(({ type }) => type === "WAIT_FOR_EVENT");
  const body = { contactId: who, waits: waits === "timeout" ? "timeout" : "event" } as const;
  const trial = useApi(
    "POST /workflows/{id}/test",
    { path, body },
    { enabled: who !== "", staleTime: 0, placeholderData: (before) => before },
  );
  return (
    <div className={classes.trial}>
      <div className={classes.bar}>
        <ContactPicker
          aria-label="Contact"
          className={classes.contact!}
          placeholder="Try it with a contact"
          value={who}
          onChange={(id) => set({ who: id }, { replace: true })}
        />
        {hasWait && (
          <SegmentedControl
            aria-label="Waits for events"
            data={[
              { value: "event", label: "The events happen" },
              { value: "timeout", label: "Time is up" },
            ]}
            value={body.waits}
            onChange={(next) => set({ waits: next }, { replace: true })}
          />
        )}
        <span className={classes.hint}>
          {isUnsaved
            ? "The saved version is tested: save your changes to test them. Nothing is sent, called or changed."
            : "Nothing is sent, called or changed."}
        </span>
      </div>
      <Loaded query={graph}>
        {(stored) =>
          who === "" ? (
            <Walked workflow={workflow} graph={stored} trial={null} />
          ) : (
            <Loaded query={trial}>
              {(walked) => <Walked workflow={workflow} graph={stored} trial={walked} />}
            </Loaded>
          )
        }
      </Loaded>
    </div>
  );
}

interface Props {
  workflow: Workflow;
  graph: GraphDocument;
  /** Null: nobody has been chosen. */
  trial: WorkflowTrial | null;
}

function Walked({ workflow, graph, trial }: Props) {
  const names = useNames(graph.steps);
  const [{ step }, set] = useUrlState({ step: "" });
  const steps = useMemo(() => drawnGraph(graph.steps, names, workflow), [graph.steps, names, workflow]);
  const marks = useMemo(
    () => trial && marksOf(visitsOfTrial(trial.path), graph.transitions),
    [trial, graph.transitions],
  );
  const choose = (stepId: string | null) =>
    set({ step: stepId === step ? "" : (stepId ?? "") }, { replace: true });
  return (
    <div className={execution.columns}>
      <div className={execution.canvas}>
        <Canvas
          label={`Trial run of ${workflow.name}`}
          steps={steps}
          ways={graph.transitions}
          marks={marks ?? undefined}
          chosen={step || null}
          choose={choose}
        />
      </div>
      <div className={execution.story}>
        {trial ? (
          <>
            <End trial={trial} />
            <TimeLine
              label="What would happen"
              lines={linesOf(trial)}
              steps={graph.steps}
              chosen={step || null}
              choose={choose}
            />
          </>
        ) : (
          <p className={classes.hint}>
            Choose a contact to see the path they would take, and what each step would do and when.
          </p>
        )}
      </div>
    </div>
  );
}

const ENDS: Record<WorkflowTrial["status"], string> = {
  COMPLETED: "The contact reaches the end.",
  EXITED: "The contact leaves at an exit.",
  FAILED: "It fails.",
  RUNNING: "It loops: this is where the loop starts.",
};

function End({ trial: { status, exitReason } }: { trial: WorkflowTrial }) {
  return (
    <Alert
      variant="light"
      color={status === "FAILED" ? "red" : status === "RUNNING" ? "yellow" : "green"}
      icon={<InfoIcon size={16} />}
      role="status"
      mb="sm"
    >
      {ENDS[status]} {exitReason && status !== "COMPLETED" && `${exitReason}.`}
    </Alert>
  );
}

function linesOf({ path }: WorkflowTrial): Line[] {
  return path.map(({ stepId, type, name, at, branch, output, error }, n) => {
    const told = toldBy({ output });
    return {
      id: String(n),
      stepId,
      type,
      name,
      at,
      isWaiting: false,
      told: branch === null ? told : { ...told, branch },
      error,
    };
  });
}
