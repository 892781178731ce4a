// How workflows, their steps and transitions look in requests and answers.
import { Type } from "@sinclair/typebox";
import { t } from "elysia";
import { STEP_TYPES, type StepTypeName, stepErrors } from "../../automation/steps/mod.ts";
import { TRIGGER_TYPES, triggerErrors, type TriggerType } from "../../automation/workflows/trigger.ts";
import { type FieldError, problems } from "../../problem/mod.ts";
import { bounded } from "../entry/body_bounds.ts";
import { Absent, documented } from "../entry/document.ts";
import { ANY_CONFIG, stepsByType } from "./_step_documents.ts";
import { withRules } from "../entry/field_errors.ts";
import { Data, Int, Nullable, Text, Timestamp, Uuid, Words, IdOf, ZONE_PATTERN } from "../entry/schemas.ts";

const MAX_INT = 2_147_483_647;
const PRIORITY = "For editors: it is stored, and has no effect. The branch alone decides which way is taken.";

/** Where an execution stands. */
export const ExecutionStatus = Words(["RUNNING", "WAITING", "COMPLETED", "EXITED", "FAILED", "CANCELLED"]);

/** A workflow. */
export const Workflow = t.Object(
  {
    id: Uuid,
    name: t.String(),
    description: Nullable(t.String()),
    enabled: t.Boolean(),
    triggerType: Words(TRIGGER_TYPES),
    triggerConfig: Nullable(Data),
    allowReentry: t.Boolean(),
    projectId: Uuid,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: "Workflow" },
);

/** A workflow in a list. */
export const CountedWorkflow = t.Object(
  {
    ...Workflow.properties,
    _count: t.Object({
      steps: Int,
      executions: Int,
      active: Type.Integer({
        description: "Executions that run or wait now; counted up to 100,000.",
      }),
    }),
  },
  { title: "CountedWorkflow" },
);

/** Where an editor shows a step. */
export const Position = t.Object({ x: t.Number(), y: t.Number() });

/** A step of a workflow. */
export const Step = t.Object(
  {
    id: Uuid,
    workflowId: Uuid,
    type: Words(STEP_TYPES),
    name: t.String(),
    position: Position,
    config: Data,
    templateId: Nullable(Uuid),
  },
  { title: "Step" },
);

/** A transition of a workflow. */
export const Transition = t.Object(
  {
    id: Uuid,
    fromStepId: Uuid,
    toStepId: Uuid,
    condition: Nullable(t.Object({ branch: t.String() })),
    priority: Type.Integer({ description: PRIORITY }),
  },
  { title: "Transition" },
);

/** A workflow with its graph. */
export const WorkflowGraph = t.Object(
  {
    ...Workflow.properties,
    steps: t.Array(
      t.Object({
        ...Step.properties,
        template: Nullable(t.Object({ id: Uuid, name: t.String() })),
        outgoingTransitions: t.Array(Transition),
        incomingTransitions: t.Array(Transition),
      }),
    ),
  },
  { title: "WorkflowGraph" },
);

/** A field that a CONDITION can ask about. */
export const WorkflowFields = t.Object(
  {
    fields: t.Array(t.String()),
    typedFields: t.Array(
      t.Object({
        field: t.String(),
        type: Words(["string", "number", "boolean", "date"]),
        category: t.String(),
      }),
    ),
    count: Int,
  },
  { title: "WorkflowFields" },
);

const Name = Text({ format: "header-text", minLength: 1, maxLength: 255, pattern: "\\S" });
const Description = t.Optional(Nullable(Text({ maxLength: 1000 })));
const EventName = Text({
  minLength: 1,
  maxLength: 255,
  trimmed: true,
  description: "Any name, including those of the service itself, such as `contact.subscribed`.",
});

const EventTrigger = t.Object({ eventName: EventName }, { title: "EventTrigger" });
const ScheduleTrigger = t.Object(
  {
    schedule: t.String({ pattern: "\\S", maxLength: 255, examples: ["0 9 * * 1"] }),
    segmentId: t.Optional(Uuid),
    timezone: t.Optional(t.String({ pattern: ZONE_PATTERN, examples: ["Europe/Oslo"] })),
  },
  { title: "ScheduleTrigger" },
);

/** What creates a workflow. */
export const WorkflowBody = t.Object(
  {
    name: Name,
    eventName: EventName,
    description: Description,
    allowReentry: t.Optional(t.Boolean({ description: "Default: false, so each contact enters only once." })),
  },
  { title: "WorkflowBody" },
);

const PatchFields = {
  name: t.Optional(Name),
  description: Description,
  enabled: t.Optional(t.Boolean()),
  allowReentry: t.Optional(t.Boolean()),
};

/** A trigger by its type, for the document; without one the config is for the type that the workflow has. */
const TRIGGERS = {
  Event: { triggerType: Words(["EVENT"]), triggerConfig: t.Optional(Nullable(EventTrigger)) },
  Schedule: { triggerType: Words(["SCHEDULE"]), triggerConfig: t.Optional(Nullable(ScheduleTrigger)) },
  Manual: { triggerType: Words(["MANUAL"]), triggerConfig: t.Optional(t.Null()) },
  Same: { triggerConfig: t.Optional(t.Union([EventTrigger, ScheduleTrigger, t.Null()])) },
};

/** Where the type of the trigger is next to its config, errors of it are listed with all others. */
const triggerRules = ({
  triggerType,
  triggerConfig,
}: {
  triggerType?: TriggerType;
  triggerConfig?: unknown;
}) => (triggerType === undefined ? [] : triggerErrors(triggerType, triggerConfig, new Date()));

const WorkflowPatch = withRules(
  t.Object({
    ...PatchFields,
    triggerType: t.Optional(Words(TRIGGER_TYPES)),
    triggerConfig: t.Optional(
      bounded(
        t.Unknown({
          description:
            "EVENT: `{eventName}`. SCHEDULE: a cron expression of five fields, for the members of a segment or for all " +
            "contacts. MANUAL: null.",
        }),
        { bytes: 16_384 },
      ),
    ),
  }),
  triggerRules,
);

/** What changes a workflow. */
export const WorkflowPatchBody = documented(WorkflowPatch, {
  title: "WorkflowPatch",
  anyOf: Object.entries(TRIGGERS).map(([kind, trigger]) =>
    t.Object(
      { ...PatchFields, ...trigger, ...(kind === "Same" && { triggerType: Absent }) },
      { title: `${kind}TriggerPatch` },
    ),
  ),
});

const StepFields = {
  config: t.Optional(
    documented(
      bounded(
        t.Unknown({
          description:
            "Depends on the type of the step. At most 64 KB, and 1 MB for all steps of a workflow together.",
        }),
        { bytes: 65_536, levels: 100 },
      ),
      ANY_CONFIG,
    ),
  ),
  templateId: t.Optional(Nullable(IdOf("a template"))),
};

/** What a new step is made of. */
export const NewStepFields = {
  type: Words(STEP_TYPES),
  name: Name,
  position: t.Optional(Nullable(Position)),
  ...StepFields,
};

const AddedStepFields = {
  ...NewStepFields,
  autoConnect: t.Optional(
    Nullable(
      t.Boolean({
        description:
          "Default: true: it is connected to the only open end. If there are several, or a " +
          "branch has to be named, it stays unconnected.",
      }),
    ),
  ),
};

interface StepParts {
  type?: StepTypeName;
  config?: unknown;
  templateId?: string | null;
}

/** Errors of a config are listed together with those of the other fields. */
const configRules = (body: StepParts) => (body.type === undefined ? [] : stepErrors(body.type, body));

/** The same for a step of a draft. */
export const draftRules = (step: StepParts) =>
  step.type === undefined ? [] : stepErrors(step.type, step, { isDraft: true });

/** What adds a step. */
export const StepBody = documented(
  withRules(t.Object(AddedStepFields), configRules),
  stepsByType("Step", AddedStepFields),
);

/** What puts a step into a transition. */
export const InsertedStepBody = documented(
  withRules(t.Object(NewStepFields), configRules),
  stepsByType("InsertedStep", NewStepFields),
);

const StepPatchFields = t.Object(
  {
    name: t.Optional(Nullable(Name)),
    position: t.Optional(Nullable(Position)),
    type: t.Optional(Nullable(Words(STEP_TYPES))),
    ...StepFields,
  },
  { title: "StepPatch" },
);

/** What changes a step. Where its type is next to its config, errors of that are listed with all others. */
export const StepPatchBody = withRules(StepPatchFields, (step: StepParts) =>
  step.config === undefined ? [] : draftRules(step),
);

/** One of the ways out of a step. */
export const Branch = Text({ minLength: 1, maxLength: 64 });

interface Branched {
  condition?: { branch?: string | null } | null;
  branch?: string | null;
}

/** The branch by which a transition leaves, in whichever of its two places it stands. Throws 422 if they differ. */
export function branchOf(body: Branched): string | null {
  const errors = branchErrors(body);
  if (errors.length > 0) throw problems.invalid(errors);
  return body.condition?.branch ?? body.branch ?? null;
}

function branchErrors({ condition, branch }: Branched): FieldError[] {
  const inCondition = condition?.branch ?? null;
  if (inCondition === null || (branch ?? inCondition) === inCondition) return [];
  return [{ field: "branch", code: "custom", message: "Expected the same branch as in condition.branch" }];
}

const TransitionFields = t.Object(
  {
    fromStepId: Uuid,
    toStepId: Uuid,
    condition: t.Optional(Nullable(t.Object({ branch: t.Optional(Nullable(Branch)) }))),
    branch: t.Optional(
      Nullable(
        Text({
          minLength: 1,
          maxLength: 64,
          description:
            "`yes` or `no`, the id of a branch, `default`; `event` or `timeout`. Same as condition.branch.",
        }),
      ),
    ),
    priority: t.Optional(
      Nullable(Type.Integer({ minimum: -MAX_INT, maximum: MAX_INT, description: PRIORITY })),
    ),
  },
  { title: "TransitionBody" },
);

/** What adds a transition. */
export const TransitionBody = withRules(TransitionFields, branchErrors);
