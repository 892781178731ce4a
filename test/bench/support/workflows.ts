// Workflows of benches.
import { addStep } from "../../../src/automation/workflows/editor.ts";
import type { StepTypeName } from "../../../src/automation/steps/mod.ts";
import { patchWorkflow } from "../../../src/automation/workflows/settings.ts";
import { addTransition } from "../../../src/automation/workflows/transitions.ts";
import { createWorkflow } from "../../../src/automation/workflows/mod.ts";
import { createTemplate } from "../../../src/content/templates.ts";
import { DOMAIN, type Stage } from "./stage.ts";

/** A step, and the branch of the step before it that leads to it. */
export interface BenchStep {
  type: StepTypeName;
  config: object;
  after?: string;
  templateId?: string;
}

/** A workflow whose steps follow one another, enabled; answers its id. */
export async function chain(
  { ctx, project }: Stage,
  eventName: string,
  steps: BenchStep[],
  { allowReentry = false } = {},
): Promise<string> {
  const { id } = await createWorkflow(ctx, project.id, { name: eventName, eventName, allowReentry });
  const [trigger] = await ctx.pool`select id from workflow_steps where workflow_id = ${id}`;
  let fromStepId = trigger!.id as string;
  for (const { type, config, after = null, templateId = null } of steps) {
    const added = { type, name: type, config, templateId, position: { x: 0, y: 0 }, autoConnect: false };
    const { id: toStepId } = await addStep(ctx, project.id, id, added);
    await addTransition(ctx, project.id, id, { fromStepId, toStepId, branch: after, priority: 0 });
    fromStepId = toStepId;
  }
  await patchWorkflow(ctx, project.id, id, { enabled: true });
  return id;
}

/** A template with variables; answers its id. */
export async function greeting({ ctx, project }: Stage): Promise<string> {
  const { id } = await createTemplate(ctx, project.id, {
    name: "Hello",
    subject: "Hello {{firstName ?? there}}",
    body: '<p>Hello {{firstName}}, you are on {{plan}}. <a href="https://shop.example/">Look</a></p>',
    from: `news@${DOMAIN}`,
  });
  return id;
}
