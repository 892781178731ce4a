// The workflows of a project, page after page.
import { useNumberedPages } from "../../numbered_pages.ts";
import { sortOf } from "../../parts/list_tools.tsx";

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
  const state = STATES.find(({ value }) => value === status)?.value;
  const query = {
    pageSize: PAGE_SIZE,
    ...sortOf(order),
    ...(search && { search }),
    ...(state && { status: state }),
  };
  return useNumberedPages("GET /workflows", { query });
}
