// The names of the campaigns and templates that conditions name by their ids.
import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import { call, Refusal } from "../../api.ts";
import { useProjectId } from "../../place.ts";
import { keyOf } from "../../queries.ts";
import type { MailSource } from "./catalogue.ts";
import type { MailNames } from "./words.ts";

const ENDPOINTS = { campaignId: "GET /campaigns/{id}", templateId: "GET /templates/{id}" } as const;

/** The names of those that are named anywhere in `conditions`: trees, drafts of them, or what holds some. */
export function useMailNames(conditions: unknown): MailNames {
  const projectId = useProjectId();
  const named = useMemo(() => [...namedIn(conditions)], [conditions]);
  const answers = useQueries({
    queries: named.map(([id, source]) => {
      const endpoint = ENDPOINTS[source];
      const input = { path: { id } };
      return {
        queryKey: keyOf(projectId, endpoint, input),
        queryFn: ({ signal }: { signal: AbortSignal }) => call(endpoint, input, { projectId, signal }),
      };
    }),
  });
  const known = answers.flatMap(({ data, error }, n): [string, string | null][] => {
    if (data) return [[named[n]![0], data.name]];
    // Of one that cannot be asked for now, nothing is said.
    return error instanceof Refusal && error.status === 404 ? [[named[n]![0], null]] : [];
  });
  // The same map as long as it says the same: what is made of it is made again otherwise.
  const said = JSON.stringify(known);
  return useMemo(() => new Map(JSON.parse(said) as [string, string | null][]), [said]);
}

function namedIn(json: unknown, named = new Map<string, MailSource>()): Map<string, MailSource> {
  if (typeof json !== "object" || json === null) return named;
  for (const [key, value] of Object.entries(json)) {
    const isSource = key === "campaignId" || key === "templateId";
    if (isSource && typeof value === "string" && value) named.set(value, key);
    else namedIn(value, named);
  }
  return named;
}
