// What the service finds wrong with a graph that is not saved yet: asked when the changes pause.
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { GraphCheck, GraphFault } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { useProjectId } from "../../place.ts";
import { keyOf } from "../../queries.ts";
import { type Fault, stillSaid } from "./faults.ts";
import { bodyOf, type Model, type Way } from "./model.ts";

const PAUSE_MS = 500;
const FRESH_MS = 60_000;

/**
 * The faults of a graph, as the service sees them. What was found last stays until it has looked again, but for steps that
 * were changed since: nobody is told of a mistake that they have just mended.
 */
export function useCheck(workflowId: string, model: Model): Fault[] {
  const projectId = useProjectId();
  const [{ steps, ways, trigger }] = useDebouncedValue(model, PAUSE_MS);
  const body = useMemo(() => {
    const { version: _, ...graph } = bodyOf({ trigger, steps, ways }, "");
    return graph;
  }, [trigger, steps, ways]);
  const path = { id: workflowId };
  const { data } = useQuery({
    queryKey: keyOf(projectId, "POST /workflows/{id}/graph/check", { path, body }),
    queryFn: async ({ signal }) => {
      const check = await call("POST /workflows/{id}/graph/check", { path, body }, { projectId, signal });
      return { check, steps, ways };
    },
    placeholderData: (before) => before,
    staleTime: FRESH_MS,
    // What cannot even be checked is said by the rules here, and by the refusal of a save.
    retry: false,
  });
  return useMemo(
    () => (data ? stillSaid(faultsOfCheck(data.check, data.ways), data.steps, model) : []),
    [data, model],
  );
}

/** A fault at a way is shown at the step that it leaves. */
function faultsOfCheck({ faults, warnings }: GraphCheck, ways: Way[]): Fault[] {
  const placed = ({ stepId, transition, field, message }: Omit<GraphFault, "prevents">) => ({
    stepId: stepId ?? (transition === null ? null : (ways[transition]?.from ?? null)),
    field: stepId === null ? null : field,
    message,
  });
  return [
    ...faults
      // The trigger is not a part of the graph: it may have been changed here.
      .filter(({ field }) => !field?.startsWith("triggerConfig"))
      .map((fault): Fault => ({
        ...placed(fault),
        level: fault.prevents === "saving" ? "unsaved" : "error",
      })),
    ...warnings.map((warning): Fault => ({ ...placed(warning), level: "warning" })),
  ];
}
