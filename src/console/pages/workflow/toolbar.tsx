// What is above the graph: how it is shown, steps back and on, and what is still wrong.
import { ActionIcon, Menu, SegmentedControl, Tooltip, UnstyledButton } from "@mantine/core";
import { icon, UndoIcon, WarningIcon } from "../../parts/icons.tsx";
import { formatCount } from "../../parts/format.ts";
import type { WorkflowDraft } from "./draft.ts";
import type { Fault } from "./faults.ts";
import { type Model, stepOf } from "./model.ts";
import classes from "./workflow.module.css";

const RedoIcon = icon("Redo", "M15.5 4.5 20 9l-4.5 4.5M20 9H10a5.5 5.5 0 0 0 0 11h4");
const TidyIcon = icon("Tidy", "M9 3h6v5H9zM3 16h6v5H3zM15 16h6v5h-6zM12 8v4M6 16v-4h12v4");

/** How the graph is shown. */
export type View = "canvas" | "list";

interface Props {
  draft: WorkflowDraft;
  faults: Fault[];
  view: View;
  setView: (view: View) => void;
  tidy: () => void;
  open: (stepId: string | null) => void;
}

export function Toolbar({ draft, faults, view, setView, tidy, open }: Props) {
  return (
    <div className={classes.toolbar}>
      <SegmentedControl
        size="xs"
        aria-label="Show"
        data={[
          { value: "canvas", label: "Canvas" },
          { value: "list", label: "List" },
        ]}
        value={view}
        onChange={(next) => setView(next as View)}
      />
      <div className={classes.tools}>
        <Faults faults={faults} model={draft.model} open={open} />
        <Tool label="Undo" keys="Control+z" icon={UndoIcon} isOff={!draft.canUndo} act={draft.undo} />
        <Tool label="Redo" keys="Control+Shift+z" icon={RedoIcon} isOff={!draft.canRedo} act={draft.redo} />
        {view === "canvas" && <Tool label="Tidy up the layout" icon={TidyIcon} act={tidy} />}
      </div>
    </div>
  );
}

interface ToolProps {
  label: string;
  icon: (props: { size?: number }) => React.JSX.Element;
  keys?: string;
  isOff?: boolean;
  act: () => void;
}

function Tool({ label, icon: Shape, keys, isOff = false, act }: ToolProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        aria-label={label}
        {...(keys && { "aria-keyshortcuts": keys })}
        className={classes.tool!}
        disabled={isOff}
        onClick={act}
      >
        <Shape size={17} />
      </ActionIcon>
    </Tooltip>
  );
}

const COLOURS = { unsaved: "red", error: "red", warning: "yellow" } as const;
const SHOWN = 30;

/** How much is wrong, and a list of it that leads there. */
function Faults({
  faults,
  model,
  open,
}: {
  faults: Fault[];
  model: Model;
  open: (id: string | null) => void;
}) {
  if (faults.length === 0) return null;
  const isSerious = faults.some(({ level }) => level !== "warning");
  return (
    <Menu position="bottom-end" width={320}>
      <Menu.Target>
        <UnstyledButton className={classes.faultCount!} data-serious={isSerious || undefined}>
          <WarningIcon size={15} />
          {formatCount(faults.length, isSerious ? "problem" : "warning")}
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown className={classes.faultList!}>
        {faults.slice(0, SHOWN).map(({ stepId, field, message, level }) => (
          <Menu.Item
            key={`${stepId} ${field} ${message}`}
            color={COLOURS[level]}
            onClick={() => open(stepId)}
          >
            <span className={classes.faultStep}>{stepId ? stepOf(model, stepId)?.name : "The workflow"}</span>
            <span className={classes.faultWords}>{message}</span>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
