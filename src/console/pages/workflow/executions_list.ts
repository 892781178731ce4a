// The executions of a workflow, page after page.
import { useInfiniteQuery } from "@tanstack/react-query";
import { call } from "../../api.ts";
import { useProjectId } from "../../place.ts";
import { keyOf } from "../../queries.ts";
import { EXECUTION_STATES, type ExecutionState } from "./execution_states.ts";

const PAGE_SIZE = 100;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** What the address says of the list. */
export interface ExecutionsState {
  status: string;
  /** The step at which they are. */
  at: string;
  contact: string;
}

/** What matches, newest first, with the total on each page. What was found stays while something else is looked for. */
export function useExecutions(id: string, { status, at, contact }: ExecutionsState) {
  const projectId = useProjectId();
  const query = {
    pageSize: PAGE_SIZE,
    ...(EXECUTION_STATES.includes(status as ExecutionState) && { status: status as ExecutionState }),
    ...(UUID.test(at) && { stepId: at }),
    ...(UUID.test(contact) && { contactId: contact }),
  };
  const endpoint = "GET /workflows/{id}/executions";
  return useInfiniteQuery({
    queryKey: [...keyOf(projectId, endpoint, { path: { id }, query }), "pages"],
    queryFn: ({ pageParam, signal }) =>
      call(endpoint, { path: { id }, query: { ...query, page: pageParam } }, { projectId, signal }),
    initialPageParam: 1,
    getNextPageParam: ({ page, totalPages }) => (page < totalPages ? page + 1 : undefined),
    placeholderData: (before) => before,
  });
}
