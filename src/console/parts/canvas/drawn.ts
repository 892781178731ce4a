// Stored graphs as they are drawn.
import { useMemo } from "react";
import type { GraphStep } from "../../api.gen.ts";
import { useApi } from "../../queries.ts";
import { useVocabulary, type Vocabulary } from "../conditions/vocabulary.ts";
import { branchNamesOf, type DrawnStep, placesOf } from "./graph.ts";
import { aboutOf, type Names, type Trigger } from "./words.ts";

const MAX_NAMES = 100;

/** Names with everything that conditions can be about: for forms, too. */
export interface KnownNames extends Names {
  vocabulary: Vocabulary | null;
}

/** The names that steps refer to by ids: of templates, segments and fields. What is not known yet comes later. */
export function useNames(): KnownNames {
  const { vocabulary } = useVocabulary();
  const query = { fields: "name", pageSize: MAX_NAMES, sort: "updatedAt", dir: "desc" } as const;
  const templates = useApi("GET /templates", { query });
  const data = templates.data?.data;
  return useMemo(
    () => ({
      templates: new Map(
        (data as { id: string; name: string }[] | undefined)?.map(({ id, name }) => [id, name]),
      ),
      vocabulary,
    }),
    [data, vocabulary],
  );
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
