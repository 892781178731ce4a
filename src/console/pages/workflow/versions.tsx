// What the graph of a workflow was: who changed it when and how, drawn and in words, and the way back.
import { RestoreVersion } from "../../parts/edits/restore.tsx";
import { SegmentedControl } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ListedWorkflowVersion, Workflow, WorkflowVersion } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { useNames } from "../../parts/canvas/drawn.ts";
import { branchNamesOf } from "../../parts/canvas/graph.ts";
import { formatCount } from "../../parts/format.ts";
import { Failed, Loaded, SkeletonLines } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { useProjectId, useUrlState } from "../../place.ts";
import { readAgain, useApi } from "../../queries.ts";
import { Canvas } from "./canvas.ts";
import { drawnGraph } from "./drawn_graph.ts";
import { changeMarks, changesBetween, changeWords, merged } from "./graph_changes.ts";
import classes from "./versions.module.css";

interface Props {
  workflow: Workflow;
  /** Something is drawn that is not saved: a version that is restored would take its place. */
  isUnsaved?: boolean;
  /** The graph is another one now. */
  restored?: () => void;
}

/** The tab: the list, and what one of them has changed. */
export default function Versions({ workflow, isUnsaved = false, restored }: Props) {
  const versions = useApi("GET /workflows/{id}/versions", { path: { id: workflow.id } });
  const [{ version, against }, set] = useUrlState({ version: "", against: "before" });
  return (
    <Loaded query={versions}>
      {(all) => {
        const chosen = all.find((one) => String(one.version) === version) ?? all[0]!;
        const at = all.indexOf(chosen);
        const isNow = against === "now" && at > 0;
        return (
          <div className={classes.versions}>
            <ol className={classes.list} aria-label="Versions">
              {all.map((one, n) => (
                <li key={one.version}>
                  <Version
                    version={one}
                    isNow={n === 0}
                    isChosen={one === chosen}
                    choose={() => set({ version: String(one.version) }, { replace: true })}
                  />
                </li>
              ))}
            </ol>
            <div className={classes.shown}>
              <div className={classes.bar} hidden={at === 0}>
                <SegmentedControl
                  size="xs"
                  aria-label="Compare"
                  data={[
                    { value: "before", label: "What it changed" },
                    { value: "now", label: "Compared with now" },
                  ]}
                  value={isNow ? "now" : "before"}
                  onChange={(next) => set({ against: next }, { replace: true })}
                />
                {at > 0 && (
                  <Restore
                    workflow={workflow}
                    version={chosen}
                    newest={all[0]!.version}
                    isUnsaved={isUnsaved}
                    {...(restored && { restored })}
                  />
                )}
              </div>
              <Shown
                workflow={workflow}
                version={chosen}
                other={isNow ? all[0] : all[at + 1]}
                isNow={isNow}
              />
            </div>
          </div>
        );
      }}
    </Loaded>
  );
}

interface VersionProps {
  version: ListedWorkflowVersion;
  isNow: boolean;
  isChosen: boolean;
  choose: () => void;
}

function Version({ version: one, isNow, isChosen, choose }: VersionProps) {
  const { version, createdAt, createdBy, steps, activeExecutions } = one;
  return (
    <button type="button" className={classes.version} aria-current={isChosen || undefined} onClick={choose}>
      <span className={classes.name}>
        Version {version}
        {isNow && " · now"}
      </span>
      <span className={classes.faded}>
        <Time at={createdAt} />
        {createdBy && `, ${createdBy}`}
      </span>
      <span className={classes.faded}>
        {formatCount(steps, "step")}
        {activeExecutions > 0 && ` · ${formatCount(activeExecutions, "contact")} in it`}
      </span>
    </button>
  );
}

interface ShownProps {
  workflow: Workflow;
  version: ListedWorkflowVersion;
  other: ListedWorkflowVersion | undefined;
  /** The other is what it is now: then it is the later one. */
  isNow: boolean;
}

function Shown({ workflow, version, other, isNow }: ShownProps) {
  const one = useVersion(workflow.id, version);
  const two = useVersion(workflow.id, other);
  if (one.isError) return <Failed error={one.error} retry={one.refetch} />;
  if (two.isError) return <Failed error={two.error} retry={two.refetch} />;
  if (!one.data || (other && !two.data)) return <SkeletonLines count={6} />;
  if (!two.data) return <Differences workflow={workflow} before={null} after={one.data} />;
  return isNow ? (
    <Differences workflow={workflow} before={one.data} after={two.data} />
  ) : (
    <Differences workflow={workflow} before={two.data} after={one.data} />
  );
}

/** A version never changes; the key has its time, because numbers of a workflow that is deleted come again. */
function useVersion(id: string, version: ListedWorkflowVersion | undefined) {
  return useApi(
    "GET /workflows/{id}/versions/{version}",
    { path: { id, version: String(version?.version) } },
    { enabled: version !== undefined, staleTime: Infinity },
  );
}

interface DifferencesProps {
  workflow: Workflow;
  /** Null: nothing older is kept. */
  before: WorkflowVersion | null;
  after: WorkflowVersion;
}

function Differences({ workflow, before, after }: DifferencesProps) {
  const names = useNames(after.steps);
  const { words, graph, marks } = useMemo(() => {
    if (!before)
      return { words: ["This is the oldest version that is kept."], graph: after, marks: undefined };
    const changes = changesBetween(before, after);
    const all = [...before.steps, ...after.steps];
    const stepNames = new Map(all.map(({ id, name }) => [id, name]));
    const found = changeWords(changes, stepNames, new Map(all.map((step) => [step.id, branchNamesOf(step)])));
    return {
      words: found.length > 0 ? found : ["Both are the same."],
      graph: merged(before, after),
      marks: changeMarks(changes),
    };
  }, [before, after]);
  const steps = useMemo(() => drawnGraph(graph.steps, names, workflow), [graph.steps, names, workflow]);
  return (
    <>
      <ul className={classes.changes} aria-label="What differs">
        {words.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <div className={classes.canvas}>
        <Canvas
          key={`${before?.version}>${after.version}`}
          label={`Version ${after.version}`}
          steps={steps}
          ways={graph.transitions}
          marks={marks}
        />
      </div>
    </>
  );
}

interface RestoreProps extends Props {
  version: ListedWorkflowVersion;
  /** What it is now: the way back. */
  newest: number;
}

function Restore({ workflow, version: { version }, newest, isUnsaved, restored }: RestoreProps) {
  const projectId = useProjectId();
  const cache = useQueryClient();
  const { id } = workflow;
  // Who restores has seen the graph as it is: where somebody was faster, nothing is changed.
  const graph = useApi("GET /workflows/{id}/graph", { path: { id } });
  const bring = async (wanted: number, ifMatch: string | undefined) => {
    const path = { id, version: String(wanted) };
    const now = await call(
      "POST /workflows/{id}/versions/{version}/restore",
      { path },
      { projectId, ifMatch },
    );
    // First: where nothing is left unsaved, what is read again takes its place.
    restored?.();
    await readAgain(cache, projectId, ["GET /workflows"]);
    return now.version;
  };
  return (
    <RestoreVersion
      version={version}
      newest={newest}
      tag={graph.data?.version}
      isUnsaved={isUnsaved}
      discards="Unsaved changes are discarded."
      bring={bring}
      className={classes.right!}
    />
  );
}
