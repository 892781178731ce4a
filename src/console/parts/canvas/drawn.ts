// Stored graphs as they are drawn.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { GraphStep } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { useProjectId } from "../../place.ts";
import { keyOf } from "../../queries.ts";
import { useVocabulary, type Vocabulary } from "../conditions/vocabulary.ts";
import { branchNamesOf, type DrawnStep, placesOf } from "./graph.ts";
import { aboutOf, type Names, type Trigger } from "./words.ts";

/** As many ids as a request names. */
const MAX_IDS = 100;

/** Names with everything that conditions can be about: for forms, too. */
export interface KnownNames extends Names {
  vocabulary: Vocabulary | null;
}

/** What of a step names something. */
type Naming = Pick<GraphStep, "templateId" | "config">;

/** The names that these steps refer to by ids: of templates, campaigns, segments and fields. What is not known yet comes later. */
export function useNames(steps: readonly Naming[]): KnownNames {
  const { vocabulary } = useVocabulary(steps);
  const templates = useTemplateNames(steps);
  return useMemo(() => ({ templates, vocabulary }), [templates, vocabulary]);
}

const NONE: ReadonlyMap<string, string> = new Map();

/** The names of the templates of steps, by their ids: one request for a hundred of them. */
function useTemplateNames(steps: readonly Naming[]): ReadonlyMap<string, string> {
  const projectId = useProjectId();
  const used = [...new Set(steps.flatMap(({ templateId }) => templateId ?? []))].sort();
  const query = useQuery({
    queryKey: [...keyOf(projectId, "GET /templates", { ids: used }), "names"],
    queryFn: async ({ signal }) => {
      const pages = Array.from({ length: Math.ceil(used.length / MAX_IDS) }, (_, n) =>
        used.slice(n * MAX_IDS, (n + 1) * MAX_IDS),
      );
      const answers = await Promise.all(
        pages.map((ids) => {
          const named = { ids: ids.join(), fields: "name", pageSize: MAX_IDS };
          return call("GET /templates", { query: named }, { projectId, signal });
        }),
      );
      return new Map(answers.flatMap(({ data }) => (data as Named[]).map(({ id, name }) => [id, name])));
    },
    enabled: used.length > 0,
    placeholderData: (before) => before,
  });
  return query.data ?? NONE;
}

interface Named {
  id: string;
  name: string;
}

/** The steps of a graph as they are drawn, without ends to be continued. */
export function drawnSteps(steps: GraphStep[], names: Names, trigger: Trigger): DrawnStep[] {
  const places = placesOf(steps);
  return steps.map((step) => ({
    id: step.id,
    type: step.type,
    name: step.name,
    about: aboutOf(step, names, trigger),
    place: places.get(step.id) ?? null,
    branchNames: branchNamesOf(step),
  }));
}
