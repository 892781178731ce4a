// How the graph of a workflow looks as one document.
import { Type } from "@sinclair/typebox";
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
    field: Nullable(t.String({ description: "Such as `config.url`; null for the whole." })),
    message: t.String(),
  },
  { title: "WorkflowFinding" },
);

const Ways = { from: Uuid, to: Uuid };

/** A graph, with what is wrong with it. */
export const GraphDocument = t.Object(
  {
    version: t.String({ description: "Goes back with `PUT`." }),
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

const GivenStep = {
  id: IdOf("a step: of yours where it is new"),
  ...NewStepFields,
  position: t.Optional(Nullable(Position)),
};

const Steps = bounded(t.Array(withRules(t.Object(GivenStep), draftRules), { maxItems: MAX_STEPS + 1 }), SIZE);

const GraphFields = t.Object(
  {
    version: Text({ maxLength: 100, description: "That of the graph that was read." }),
    steps: documented(Steps, {
      type: "array",
      maxItems: MAX_STEPS,
      items: stepsByType("GivenStep", GivenStep, { types: STEP_TYPES, isDraft: true }),
    }),
    transitions: t.Array(
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
    ),
  },
  { title: "GraphBody" },
);

/** A graph to be saved. */
export const GraphBody = withRules(GraphFields, givenErrors);

/** How executions fare at a step. */
export const StepStatistics = t.Object(
  {
    stepId: Uuid,
    waiting: Type.Integer({ description: "There at this moment; counted to 100,000." }),
    entered: Int,
    passed: Int,
    failed: Int,
    conversion: t.Number({ description: "Percent, with two decimals." }),
  },
  { title: "StepStatistics" },
);
