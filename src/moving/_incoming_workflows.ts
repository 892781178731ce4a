import { createWorkflow } from "../automation/workflows/mod.ts";
import { getGraph, saveGraph } from "../automation/workflows/graph_document.ts";
import type { GivenGraph } from "../automation/workflows/given_graph.ts";
import { type Context, inTransaction } from "../context.ts";
import { q } from "../db/queries.ts";
import { NOBODY } from "../edits.ts";
import { attempt, type Incoming, type IncomingWorkflow, translated } from "./incoming_types.ts";

/** Takes a workflow in with its graph, disabled: it is left out as a whole where one of its steps cannot be used. */
export async function takeWorkflow(
  ctx: Context,
  incoming: Incoming,
  workflow: IncomingWorkflow,
): Promise<void> {
  const { projectId, dryRun, report } = incoming;
  const { name, description = null, eventName, allowReentry } = workflow;
  if (await q.incoming.workflow(ctx, { projectId, name: name.trim(), eventName: eventName.trim() })) {
    report.workflows.existing += 1;
    return;
  }
  const made =
    dryRun ||
    (await attempt(incoming, `workflow ${name}`, () =>
      inTransaction(ctx, async (tx) => {
        const { id } = await createWorkflow(tx, projectId, { name, description, eventName, allowReentry });
        const { version, steps: begun } = await getGraph(tx, projectId, id);
        const graph = graphOf(incoming, workflow, begun[0]!);
        await saveGraph(tx, projectId, id, { version, ...graph }, NOBODY);
        return id;
      }),
    ));
  if (made) report.workflows.created += 1;
}

/** The graph with ids of its own; its trigger is the one that the workflow has got. */
function graphOf(
  incoming: Incoming,
  { steps, transitions }: IncomingWorkflow,
  trigger: { id: string },
): Pick<GivenGraph, "steps" | "transitions"> {
  const ids = new Map(
    steps.map(({ id, type }) => [id, type === "TRIGGER" ? trigger.id : crypto.randomUUID()]),
  );
  const given = steps.map(({ id, templateId, ...step }) => ({
    ...translated(incoming, { ...step, templateId }),
    id: ids.get(id)!,
  }));
  return {
    steps: given as unknown as GivenGraph["steps"],
    transitions: transitions.map(({ from, to, ...way }) => ({
      ...way,
      from: ids.get(from) ?? from,
      to: ids.get(to) ?? to,
    })),
  };
}
