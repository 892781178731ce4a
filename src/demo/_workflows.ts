// Makes the workflows of the demo by the service's own functions, and lets contacts have gone through them.
import type { GivenStep } from "../automation/workflows/given_graph.ts";
import { getGraph, saveGraph } from "../automation/workflows/graph_document.ts";
import { createWorkflow } from "../automation/workflows/mod.ts";
import { patchWorkflow } from "../automation/workflows/settings.ts";
import { currentVersion } from "../automation/workflows/versions.ts";
import { type Context, newId } from "../context.ts";
import { q } from "../db/queries.ts";
import type { Templates } from "./_content.ts";
import type { Segments } from "./_segments.ts";
import { type PathPlan, type WorkflowPlan, WORKFLOWS } from "./_workflow_plans.ts";
import { PEOPLE } from "./_words.ts";

/** A step that sends: its mails have this content. */
export interface SendingStep {
  id: string;
  template_id: string;
  content_id: string;
}

/** The workflows to be enabled in the end, and the steps that have sent mails. */
export interface Workflows {
  enabled: string[];
  winBack: string;
  sending: SendingStep[];
}

const DAYS = 88;
const DAY_MS = 86_400_000;
const EDIT = { by: PEOPLE[1].email };

/** Makes the workflows, still disabled, and their executions. */
export async function addWorkflows(
  tx: Context,
  projectId: string,
  templates: Templates,
  seed: number,
): Promise<Workflows> {
  const made: Workflows = { enabled: [], winBack: "", sending: [] };
  const since = new Date(tx.now().getTime() - DAYS * DAY_MS);
  const contents = new Map<string, string>();
  for (const plan of WORKFLOWS) {
    const { name, description, event: eventName } = plan;
    const { id } = await createWorkflow(tx, projectId, { name, description, eventName });
    const ids = await saveSteps(tx, projectId, id, plan, templates);
    await q.demoWorkflows.age(tx, { projectId, workflowId: id, at: since });
    if (plan.enabled) made.enabled.push(id);
    if (plan.event === "win-back") made.winBack = id;
    if (plan.paths.length === 0) continue;
    await addExecutions(tx, projectId, id, plan, ids, { since, seed });
    for (const [step, { template }] of Object.entries(plan.steps)) {
      if (!template) continue;
      const templateId = templates[template];
      const contentId = contents.get(templateId) ?? newId(tx, since);
      if (!contents.has(templateId)) {
        await q.demoMails.addSharedContent(tx, { projectId, id: contentId, templateId, at: since });
      }
      contents.set(templateId, contentId);
      made.sending.push({ id: ids[step]!, template_id: templateId, content_id: contentId });
    }
  }
  return made;
}

/** Enables them: from here on they react to what happens. */
export async function enableWorkflows(
  tx: Context,
  projectId: string,
  { enabled, winBack }: Workflows,
  { lapsed }: Segments,
): Promise<void> {
  const triggerConfig = { schedule: "0 9 * * 1", segmentId: lapsed, timezone: "Europe/Berlin" };
  await patchWorkflow(tx, projectId, winBack, { triggerType: "SCHEDULE", triggerConfig }, EDIT);
  for (const id of enabled) await patchWorkflow(tx, projectId, id, { enabled: true }, EDIT);
}

/** Saves the graph as a whole, and returns the ids of its steps by their names. */
async function saveSteps(
  tx: Context,
  projectId: string,
  workflowId: string,
  plan: WorkflowPlan,
  templates: Templates,
): Promise<Record<string, string>> {
  const { version, steps: known } = await getGraph(tx, projectId, workflowId);
  const trigger = known[0]!;
  const ids: Record<string, string> = { Trigger: trigger.id };
  const steps: GivenStep[] = [
    { ...trigger, position: { x: 0, y: 0 }, templateId: null } as GivenStep,
    ...Object.entries(plan.steps).map(
      ([
        name,
        {
          type,
          config = {},
          template,
          at: [x, y],
        },
      ]) => {
        const id = (ids[name] = newId(tx));
        const templateId = template ? templates[template] : null;
        return { id, type, name, config, templateId, position: { x, y } } as GivenStep;
      },
    ),
  ];
  const transitions = plan.ways.map((way) => {
    const [, from, branch, to] = /^(.+?) (\S*)> (.+)$/.exec(way)!;
    return { from: ids[from!]!, to: ids[to!]!, branch: branch || null };
  });
  await saveGraph(tx, projectId, workflowId, { version, steps, transitions }, EDIT);
  return ids;
}

async function addExecutions(
  tx: Context,
  projectId: string,
  workflowId: string,
  plan: WorkflowPlan,
  ids: Record<string, string>,
  { since, seed }: { since: Date; seed: number },
): Promise<void> {
  const { id: versionId } = await currentVersion(tx, projectId, workflowId);
  let upto = 0;
  const paths = plan.paths.map((path, n) => ({
    n,
    upto: n === plan.paths.length - 1 ? 1.1 : (upto += path.share),
    status: path.status,
    exit_reason: path.status === "EXITED" || path.status === "FAILED" ? (path.reason ?? null) : null,
    step_id: ids[path.steps.at(-1)![0]]!,
    seconds: path.steps.reduce((sum, [, seconds]) => sum + seconds, 0),
  }));
  const steps = plan.paths.flatMap((path, n) => pagesOf(path, n, ids));
  const waits = Object.entries(plan.steps).flatMap(([name, { type, config }]) =>
    type === "WAIT_FOR_EVENT" ? [{ step_id: ids[name]!, event_name: config!.eventName as string }] : [],
  );
  const named = { projectId, workflowId, versionId, eventName: plan.event };
  await q.demoWorkflows.addExecutions(tx, { ...named, paths, steps, waits, since, now: tx.now(), seed });
}

/** The history of a path: each step begins when the one before it has ended. */
function pagesOf({ steps, status, reason }: PathPlan, path: number, ids: Record<string, string>) {
  let at = 0;
  const pages = steps.map(([name, seconds, branch], i) => {
    const isLast = i === steps.length - 1;
    const ended = status === "FAILED" && isLast ? ("FAILED" as const) : ("COMPLETED" as const);
    return {
      path,
      seq: i + 1,
      step_id: ids[name]!,
      status: isLast && status === "RUNNING" ? ("RUNNING" as const) : ended,
      begins: at,
      ends: (at += seconds),
      error: ended === "FAILED" ? reason : undefined,
      output: branch === undefined ? undefined : { branch },
    };
  });
  const trigger = { path, seq: 0, step_id: ids.Trigger!, status: "COMPLETED" as const, begins: 0, ends: 0 };
  return [{ ...trigger, error: undefined, output: undefined }, ...pages];
}
