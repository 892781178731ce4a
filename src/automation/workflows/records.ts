// Workflows, steps and transitions as the API shows them.
import type { Json } from "../../db/types.ts";
import type { Queries } from "../../db/queries.gen.ts";
import type { StepTypeName } from "../steps/mod.ts";
import type { TriggerConfig } from "./trigger.ts";

type WorkflowRow = NonNullable<Awaited<ReturnType<Queries["workflows"]["byId"]>>>;
type GraphRow = NonNullable<Awaited<ReturnType<Queries["workflows"]["withGraph"]>>>;

/** A workflow. */
export type Workflow = Omit<WorkflowRow, "triggerConfig"> & { triggerConfig: TriggerConfig };

/** A step of a workflow. */
export interface Step {
  id: string;
  workflowId: string;
  type: StepTypeName;
  name: string;
  position: Position;
  config: Record<string, Json>;
  templateId: string | null;
}

/** Where an editor shows a step. */
export interface Position {
  x: number;
  y: number;
}

/** A way from one step to another. */
export interface Transition {
  id: string;
  fromStepId: string;
  toStepId: string;
  condition: { branch: string } | null;
  priority: number;
}

/** A step with its transitions. */
export type ConnectedStep = Step & {
  template: { id: string; name: string } | null;
  outgoingTransitions: Transition[];
  incomingTransitions: Transition[];
};

/** A workflow of the database as the API shows it. */
export function toWorkflow(row: WorkflowRow): Workflow {
  return { ...row, triggerConfig: row.triggerConfig as unknown as TriggerConfig };
}

type StepRow = Omit<Step, "type" | "position" | "config"> & { type: string; position: Json; config: Json };
type TransitionRow = Omit<Transition, "condition"> & { branch: string | null };

/** What a graph is made of, as one statement reads it. */
export interface GraphRows {
  steps: (StepRow & { templateName: string | null })[];
  transitions: TransitionRow[];
}

/** The steps and transitions that were read with a workflow. */
export function graphRowsOf({ steps, transitions }: Pick<GraphRow, "steps" | "transitions">): GraphRows {
  return { steps, transitions } as unknown as GraphRows;
}

/** A step of the database as the API shows it. */
export function toStep(row: StepRow): Step {
  const { id, workflowId, name, templateId } = row;
  const type = row.type as StepTypeName;
  const position = row.position as unknown as Position;
  return { id, workflowId, type, name, position, config: row.config as Record<string, Json>, templateId };
}

/** A transition of the database as the API shows it. */
export function toTransition({ branch, ...row }: TransitionRow): Transition {
  const { id, fromStepId, toStepId, priority } = row;
  return { id, fromStepId, toStepId, condition: branch === null ? null : { branch }, priority };
}

/** A way from one step to another, in a graph that is one document. */
export interface DocumentTransition {
  from: string;
  to: string;
  branch: string | null;
  priority: number;
}

/** The steps and transitions of a workflow as one document. */
export interface Document {
  steps: Omit<Step, "workflowId">[];
  transitions: DocumentTransition[];
}

/** The graph that was read with a workflow, as one document. */
export function toDocument(row: Pick<GraphRow, "steps" | "transitions">): Document {
  const { steps, transitions } = graphRowsOf(row);
  return {
    steps: steps.map((step) => {
      const { workflowId: _, ...shown } = toStep(step);
      return shown;
    }),
    transitions: transitions.map(({ fromStepId: from, toStepId: to, branch, priority }) => ({
      from,
      to,
      branch,
      priority,
    })),
  };
}
