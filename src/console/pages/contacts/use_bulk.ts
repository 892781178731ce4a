// Which contacts are chosen, and the work that was begun on them.
import { useState } from "react";
import type { ListedContact } from "../../api.gen.ts";
import { toast } from "../../parts/toast.tsx";
import { useProjectId, useUrlState } from "../../place.ts";
import { askFirst } from "./bulk_question.tsx";
import { begin, type Chosen, type Operation, OPPOSITES, type Work } from "./bulk_work.ts";
import { contactFilterOf, type Filters } from "./filters.ts";

const NOBODY: ReadonlySet<string> = new Set();

/**
 * The selection of the list, with what the bars need. "All" is all that match the filter, but those that were taken out by
 * hand. Another filter begins with nobody.
 */
export function useBulk(filters: Filters, rows: ListedContact[], total: number) {
  const projectId = useProjectId();
  const [{ job }, set] = useUrlState({ job: "" });
  const [work, setWork] = useState<Work | null>(null);
  const asked = JSON.stringify(contactFilterOf(filters));
  const [state, setState] = useState({ asked, ids: NOBODY, exceptIds: NOBODY, isAll: false });
  const { ids, exceptIds, isAll } =
    state.asked === asked ? state : { ids: NOBODY, exceptIds: NOBODY, isAll: false };
  const put = (next: Partial<typeof state>) => setState({ asked, ids, exceptIds, isAll, ...next });
  const clear = () => put({ ids: NOBODY, exceptIds: NOBODY, isAll: false });
  const loaded = rows.map(({ id }) => id);
  const count = isAll ? Math.max(0, total - exceptIds.size) : ids.size;

  const run = async (what: Omit<Work, "jobIds">) => {
    const begun = await begin(projectId, what);
    setWork(begun);
    clear();
    set({ job: begun.jobIds.join() }, { replace: true });
  };
  const act = (operation: Operation, segment?: { id: string; name: string }) => {
    const chosen: Chosen = isAll
      ? { filter: contactFilterOf(filters), exceptIds: [...exceptIds] }
      : { ids: [...ids] };
    const question = { operation, count, isAll, segment };
    void askFirst({ ...question, act: () => run({ operation, chosen, segment }) })?.catch(toast.failed);
  };
  const undo = ({ operation, ...before }: Work) => run({ ...before, operation: OPPOSITES[operation]! });

  return {
    count,
    jobIds: job ? job.split(",") : [],
    selection: {
      ids: isAll ? new Set(loaded.filter((id) => !exceptIds.has(id))) : ids,
      change: (next: Set<string>) => {
        if (!isAll) return put({ ids: next });
        if (next.size === 0) return clear();
        put({ exceptIds: new Set(loaded.filter((id) => !next.has(id))) });
      },
    },
    bar: { count, total, isAll, chooseAll: () => put({ isAll: true }), clear, act },
    progress: {
      jobIds: job ? job.split(",") : [],
      work: work?.jobIds.join() === job ? work : null,
      undo,
      close: () => set({ job: "" }, { replace: true }),
    },
  };
}
