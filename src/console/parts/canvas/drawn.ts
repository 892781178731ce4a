// Stored graphs as they are drawn.
import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import type { GraphStep } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { useProjectId } from "../../place.ts";
import { keyOf, useApi } from "../../queries.ts";
import { useVocabulary, type Vocabulary } from "../conditions/vocabulary.ts";
import { branchNamesOf, type DrawnStep, placesOf } from "./graph.ts";
import { aboutOf, type Names, type Trigger } from "./words.ts";

const MAX_NAMES = 100;

/** Names with everything that conditions can be about: for forms, too. */
export interface KnownNames extends Names {
  vocabulary: Vocabulary | null;
}

/** What of a step names need. */
type WithTemplate = Pick<GraphStep, "templateId">;

/** The names that these steps refer to by ids: of templates, segments and fields. What is not known yet comes later. */
export function useNames(steps: readonly WithTemplate[]): KnownNames {
  const { vocabulary } = useVocabulary();
  const query = { fields: "name", pageSize: MAX_NAMES, sort: "updatedAt", dir: "desc" } as const;
  const templates = useApi("GET /templates", { query });
  const newest = templates.data?.data as Named[] | undefined;
  const others = useOthers(steps, newest);
  return useMemo(
    () => ({
      templates: new Map([...(newest ?? []), ...others].map(({ id, name }) => [id, name])),
      vocabulary,
    }),
    [newest, others, vocabulary],
  );
}

interface Named {
  id: string;
  name: string;
}

/** The templates of steps that are not among the newest: asked for one by one, since they are few. */
function useOthers(steps: readonly WithTemplate[], newest: Named[] | undefined): Named[] {
  const projectId = useProjectId();
  const known = new Set(newest?.map(({ id }) => id));
  const used = new Set(steps.flatMap(({ templateId }) => (templateId === null ? [] : [templateId])));
  const missing = newest ? [...used].filter((id) => !known.has(id)) : [];
  return useQueries({
    queries: missing.map((id) => ({
      queryKey: keyOf(projectId, "GET /templates/{id}", { path: { id } }),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        call("GET /templates/{id}", { path: { id } }, { projectId, signal }),
    })),
    combine: namesOf,
  });
}

const namesOf = (answers: { data?: Named | undefined }[]): Named[] =>
  answers.flatMap(({ data }) => (data ? [{ id: data.id, name: data.name }] : []));

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
