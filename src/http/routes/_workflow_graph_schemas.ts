// How the graph of a workflow looks as one document.
import { type TSchema, Type } from "@sinclair/typebox";
import { t } from "elysia";
import { STEP_TYPES } from "../../automation/steps/mod.ts";
import { givenErrors } from "../../automation/workflows/given_graph.ts";
import { bounded } from "../entry/body_bounds.ts";
import { documented } from "../entry/document.ts";
import { withRules } from "../entry/field_errors.ts";
import { IdOf, Int, Nullable, Text, Uuid, Words } from "../entry/schemas.ts";
import { stepsByType } from "./_step_documents.ts";
import { Branch, draftRules, NewStepFields, Position, Step } from "./_workflow_schemas.ts";

const { workflowId: _, ...StepProperties } = Step.properties;

const Finding = t.Object(
  {
    level: Words(["error", "warning"]),
    stepId: Nullable(Uuid),
    field: Nullable(t.String({ description: "For example `config.url`; null for the whole object." })),
    message: t.String(),
  },
  { title: "WorkflowFinding" },
);

const Ways = { from: Uuid, to: Uuid };

/** A graph, with what is wrong with it. */
export const GraphDocument = t.Object(
  {
    version: t.String({ description: "Send it back with `PUT`." }),
    steps: t.Array(t.Object(StepProperties, { title: "GraphStep" })),
    transitions: t.Array(
      t.Object({ ...Ways, branch: Nullable(t.String()), priority: Int }, { title: "GraphTransition" }),
    ),
    findings: t.Array(Finding),
  },
  { title: "GraphDocument" },
);

const MAX_STEPS = 500;
const MAX_TRANSITIONS = 2_000;
/** All configs together have a megabyte, and names, positions and ids come to as much at most. */
const SIZE = { bytes: 2_500_000, values: 200_000, levels: 110 };

/** While it is being typed a name may be blank. */
const StepNameDraft = Text({ format: "header-text", maxLength: 255 });

const GivenStep = {
  id: IdOf("a step: of yours where it is new"),
  ...NewStepFields,
  position: t.Optional(Nullable(Position)),
};

const Version = Text({ maxLength: 100, description: "The `version` of the graph that was read." });

const Transitions = t.Array(
  t.Object(
    {
      from: IdOf("a step"),
      to: IdOf("a step"),
      branch: t.Optional(Nullable(Branch)),
      priority: t.Optional(Nullable(Type.Integer({ minimum: -2_147_483_647, maximum: 2_147_483_647 }))),
    },
    { title: "GivenTransition" },
  ),
  { maxItems: MAX_TRANSITIONS },
);

/** The steps of a graph; in the document each by its type. */
function stepsOf<T extends TSchema>(step: T) {
  const steps = bounded(t.Array(step, { maxItems: MAX_STEPS + 1 }), SIZE);
  return documented(steps, {
    type: "array",
    maxItems: MAX_STEPS,
    items: stepsByType("GivenStep", GivenStep, { types: STEP_TYPES, isDraft: true }),
  });
}

const GraphFields = t.Object(
  { version: Version, steps: stepsOf(withRules(t.Object(GivenStep), draftRules)), transitions: Transitions },
  { title: "GraphBody" },
);

/** A graph to be saved. */
export const GraphBody = withRules(GraphFields, givenErrors);

/** A graph to be checked: what is wrong with its configs is part of the answer. */
export const GraphCheckBody = t.Optional(
  Nullable(
    t.Object(
      {
        version: t.Optional(Version),
        steps: stepsOf(t.Object({ ...GivenStep, name: StepNameDraft })),
        transitions: Transitions,
      },
      { title: "GraphCheckBody" },
    ),
  ),
);

const GraphWarning = t.Object(
  {
    stepId: Nullable(t.String({ format: "uuid", description: "The step concerned; null for the graph." })),
    transition: Nullable(
      Type.Integer({ description: "The transition concerned, by its index in the list, from 0." }),
    ),
    field: Nullable(t.String({ description: "For example `config.url`; null for the whole object." })),
    message: t.String(),
  },
  { title: "GraphWarning" },
);

/** What is wrong with a graph. */
export const GraphCheck = t.Object(
  {
    valid: t.Boolean({ description: "The graph can be saved, and the workflow enabled." }),
    faults: t.Array(
      t.Object(
        {
          ...GraphWarning.properties,
          prevents: Words(["saving", "enabling"], { description: "What would be refused because of this." }),
        },
        { title: "GraphFault" },
      ),
    ),
    warnings: t.Array(GraphWarning),
  },
  { title: "GraphCheck" },
);

/** The graph by which an execution goes. */
export const ExecutionGraph = t.Object(
  {
    version: Nullable(
      Type.Integer({
        description: "Its number in the list of versions; null for versions from before they were numbered.",
      }),
    ),
    steps: t.Array(
      t.Object(
        {
          ...StepProperties,
          position: Nullable(
            t.Object({ x: t.Number(), y: t.Number() }, { description: "Null if it was not kept." }),
          ),
        },
        { title: "ExecutionGraphStep" },
      ),
    ),
    transitions: t.Array(
      t.Object({ ...Ways, branch: Nullable(t.String()) }, { title: "ExecutionGraphTransition" }),
    ),
  },
  { title: "ExecutionGraph" },
);

/** How executions fare at a step. */
export const StepStatistics = t.Object(
  {
    stepId: Uuid,
    waiting: Type.Integer({ description: "Waiting there now; counted up to 100,000." }),
    entered: Int,
    passed: Int,
    failed: Int,
    conversion: t.Number({ description: "Percent, with two decimals." }),
    transitions: t.Array(
      t.Object(
        {
          to: Uuid,
          branch: Nullable(t.String()),
          passed: Int,
          share: t.Number({ description: "Percent of those that passed the step, with two decimals." }),
        },
        { title: "TransitionStatistics" },
      ),
    ),
  },
  { title: "StepStatistics" },
);
