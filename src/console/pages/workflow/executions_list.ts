// The executions of a workflow, page after page.
import { useNumberedPages } from "../../numbered_pages.ts";
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
  const query = {
    pageSize: PAGE_SIZE,
    ...(EXECUTION_STATES.includes(status as ExecutionState) && { status: status as ExecutionState }),
    ...(UUID.test(at) && { stepId: at }),
    ...(UUID.test(contact) && { contactId: contact }),
  };
  return useNumberedPages("GET /workflows/{id}/executions", { path: { id }, query });
}
