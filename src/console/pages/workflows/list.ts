// The workflows of a project, page after page.
import { useInfiniteQuery } from "@tanstack/react-query";
import { call } from "../../api.ts";
import { useProjectId } from "../../place.ts";
import { keyOf } from "../../queries.ts";

/** How the list can be ordered. */
export const ORDERS = {
  changed: { label: "Last changed", sort: "updatedAt", dir: "desc" },
  newest: { label: "Newest", sort: "createdAt", dir: "desc" },
  name: { label: "Name", sort: "name", dir: "asc" },
} as const;

/** The states that the list can be limited to. */
export const STATES = [
  { value: "active", label: "Enabled" },
  { value: "disabled", label: "Disabled" },
] as const;

const PAGE_SIZE = 50;

/** What the address says of the list. */
export interface ListState {
  search: string;
  status: string;
  order: string;
}

/** What matches, with the total on each page. What was found stays while something else is looked for. */
export function useWorkflows({ search, status, order }: ListState) {
  const projectId = useProjectId();
  const { sort, dir } = ORDERS[order as keyof typeof ORDERS] ?? ORDERS.changed;
  const state = STATES.find(({ value }) => value === status)?.value;
  const query = {
    pageSize: PAGE_SIZE,
    sort,
    dir,
    ...(search && { search }),
    ...(state && { status: state }),
  };
  return useInfiniteQuery({
    queryKey: [...keyOf(projectId, "GET /workflows", { query }), "pages"],
    queryFn: ({ pageParam, signal }) =>
      call("GET /workflows", { query: { ...query, page: pageParam } }, { projectId, signal }),
    initialPageParam: 1,
    getNextPageParam: ({ page, totalPages }) => (page < totalPages ? page + 1 : undefined),
    placeholderData: (before) => before,
  });
}
