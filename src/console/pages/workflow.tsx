// One workflow: its canvas with the forms of its steps, who goes through it, what it was, and its settings.
import { Alert, Badge, Button, Menu, Switch, Tabs } from "@mantine/core";
import { useEffect, useMemo } from "react";
import { useLocation, useParams } from "wouter";
import { useNames } from "../parts/canvas/drawn.ts";
import { triggerWords } from "../parts/canvas/words.ts";
import { FormError } from "../parts/form.tsx";
import { CopyIcon, DeleteIcon, InfoIcon, MoreIcon } from "../parts/icons.tsx";
import { MenuButton } from "../parts/menu_button.tsx";
import { lazyPage } from "../parts/lazy_page.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { PageTabs } from "../parts/page_tabs.tsx";
import { useSaveKey } from "../parts/save_key.ts";
import { Loaded } from "../parts/states.tsx";
import { Time } from "../parts/time.tsx";
import { toast } from "../parts/toast.tsx";
import { useUrlState } from "../place.ts";
import { useApi } from "../queries.ts";
import { useCheck } from "./workflow/check.ts";
import { Conflict } from "./workflow/conflict.tsx";
import { type Stored, useWorkflowDraft, type WorkflowDraft } from "./workflow/draft.ts";
import { Editor } from "./workflow/editor.tsx";
import { type Fault, faultsOf, merged } from "./workflow/faults.ts";
import { stepOf } from "./workflow/model.ts";
import { Settings } from "./workflow/settings.tsx";
import classes from "./workflow/workflow.module.css";
import { useDuplicateWorkflow, useRemoveWorkflow } from "./workflows/actions.tsx";
import { useEnable } from "./workflows/enable.tsx";

const Statistics = lazyPage(() => import("./workflow/statistics.tsx"));
const Executions = lazyPage(() => import("./workflow/executions.tsx"));
const Trial = lazyPage(() => import("./workflow/trial.tsx"));
const Versions = lazyPage(() => import("./workflow/versions.tsx"));

/** `/workflows/:id`. */
export default function WorkflowPage() {
  const { id } = useParams<{ id: string }>();
  const workflow = useApi("GET /workflows/{id}", { path: { id } });
  const graph = useApi("GET /workflows/{id}/graph", { path: { id } });
  return (
    <Loaded query={workflow}>
      {(shown) => (
        <Loaded query={graph}>
          {(drawn) => <Shown key={id} stored={{ workflow: shown, graph: drawn }} />}
        </Loaded>
      )}
    </Loaded>
  );
}

const TABS = [
  { value: "canvas", label: "Canvas" },
  { value: "statistics", label: "Statistics" },
  { value: "executions", label: "Executions" },
  { value: "trial", label: "Trial run" },
  { value: "versions", label: "Versions" },
  { value: "settings", label: "Settings" },
];

function Shown({ stored }: { stored: Stored }) {
  const { workflow } = stored;
  const [, set] = useUrlState({ tab: "canvas", step: "" });
  const draft = useWorkflowDraft(stored);
  const { model, refused, isChanged } = draft;
  const names = useNames(model.steps);
  const found = useCheck(workflow.id, model);
  const faults = useMemo(() => {
    // What was found is a moment old: a step may be gone by now.
    const isThere = ({ stepId }: Fault) => stepId === null || stepOf(model, stepId) !== undefined;
    return merged(refused, faultsOf(model), found.filter(isThere));
  }, [refused, model, found]);
  // What was refused is shown if it is.
  useEffect(() => {
    const [first] = refused;
    if (first) set({ tab: "canvas", step: first.stepId ?? "" }, { replace: true });
  }, [refused, set]);
  /** What cannot be saved yet is shown instead. */
  const save = async (): Promise<boolean> => {
    const wrong = faultsOf(model).find(({ level }) => level === "unsaved");
    if (!wrong) return await draft.save();
    set({ tab: "canvas", step: wrong.stepId ?? "" });
    const step = wrong.stepId === null ? undefined : stepOf(model, wrong.stepId);
    toast.failed(new Error(`${step ? `${step.name}: ` : ""}${wrong.message}`));
    return false;
  };
  useSaveKey(() => void (isChanged && !draft.other && save()));
  return (
    <div className={classes.page}>
      <PageHeader
        title={workflow.name}
        back={{ label: "Workflows", to: "/workflows" }}
        badge={isChanged && <Badge color="gray">Not saved yet</Badge>}
        about={triggerWords(model.trigger, names.vocabulary ?? {})}
        actions={<Actions stored={stored} draft={draft} save={save} />}
      />
      <Restored draft={draft} />
      <Conflict draft={draft} />
      <FormError error={draft.error} />
      <PageTabs tabs={TABS} className={classes.tabs}>
        <Tabs.Panel value="canvas" className={classes.panel!}>
          <Editor name={workflow.name} draft={draft} faults={faults} />
        </Tabs.Panel>
        <Tabs.Panel value="statistics" className={classes.panel!}>
          <Statistics workflow={workflow} />
        </Tabs.Panel>
        <Tabs.Panel value="executions" className={classes.fill!}>
          <Executions workflow={workflow} />
        </Tabs.Panel>
        <Tabs.Panel value="trial" className={classes.fill!}>
          <Trial workflow={workflow} isUnsaved={isChanged} />
        </Tabs.Panel>
        <Tabs.Panel value="versions" className={classes.fill!}>
          <Versions workflow={workflow} isUnsaved={isChanged} restored={draft.discard} />
        </Tabs.Panel>
        <Tabs.Panel value="settings" className={classes.loose!}>
          <Settings workflow={workflow} />
        </Tabs.Panel>
      </PageTabs>
    </div>
  );
}

/** What was found in this browser from before. */
function Restored({ draft: { restoredAt, discard, other } }: { draft: WorkflowDraft }) {
  if (restoredAt === null || other) return null;
  return (
    <Alert variant="light" color="gray" icon={<InfoIcon size={16} />} role="status" className={classes.note!}>
      <div className={classes.bar}>
        <span>
          What you changed <Time at={new Date(restoredAt).toISOString()} /> and did not save is here again.
        </span>
        <Button variant="default" size="compact-xs" onClick={discard}>
          Discard it
        </Button>
      </div>
    </Alert>
  );
}

interface ActionsProps {
  stored: Stored;
  draft: WorkflowDraft;
  save: () => Promise<boolean>;
}

function Actions({ stored: { workflow }, draft, save }: ActionsProps) {
  const [, navigate] = useLocation();
  const duplicate = useDuplicateWorkflow();
  const remove = useRemoveWorkflow(() => navigate("/workflows"));
  const { enable, disable } = useEnable();
  const { isChanged, isSaving, other, discard, model } = draft;
  const toggle = async () => {
    if (workflow.enabled) return await disable(workflow);
    // What is enabled is what one sees.
    if (isChanged && !(await save())) return;
    await enable({ ...workflow, ...model.trigger });
  };
  return (
    <>
      <Switch
        className={classes.switch!}
        label="Enabled"
        checked={workflow.enabled}
        disabled={isSaving || other !== null}
        onChange={() => void toggle()}
      />
      <MenuButton
        button={(opener) => (
          <Button {...opener} variant="default" leftSection={<MoreIcon size={16} />}>
            More
          </Button>
        )}
      >
        <Menu.Item leftSection={<CopyIcon size={15} />} onClick={() => void duplicate(workflow)}>
          Duplicate
        </Menu.Item>
        <Menu.Item color="red" leftSection={<DeleteIcon size={15} />} onClick={() => void remove(workflow)}>
          Delete
        </Menu.Item>
      </MenuButton>
      {isChanged && !other && (
        <Button variant="default" onClick={discard}>
          Discard
        </Button>
      )}
      <Button
        onClick={() => void save()}
        loading={isSaving}
        disabled={!isChanged || other !== null}
        aria-keyshortcuts="Control+s"
      >
        Save
      </Button>
    </>
  );
}
