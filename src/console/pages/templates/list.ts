// The templates of a project, page after page.
import { useInfiniteQuery } from "@tanstack/react-query";
import type { Template } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { useProjectId } from "../../place.ts";
import { keyOf } from "../../queries.ts";
import { MAIL_TYPES, type MailType } from "../../parts/mail_types.ts";

/** A template in the list: without its body. */
export type Listed = Pick<Template, "id" | "name" | "description" | "subject" | "type" | "updatedAt">;

/** How the list can be ordered. */
export const ORDERS = {
  changed: { label: "Last changed", sort: "updatedAt", dir: "desc" },
  newest: { label: "Newest", sort: "createdAt", dir: "desc" },
  name: { label: "Name", sort: "name", dir: "asc" },
} as const;

const FIELDS = "name,description,subject,type,updatedAt";
const PAGE_SIZE = 48;

/** What the address says of the list. */
export interface ListState {
  search: string;
  type: string;
  order: string;
}

const isType = (type: string): type is MailType => type in MAIL_TYPES;

/** What matches, with the total on each page. What was found stays while something else is looked for. */
export function useTemplates({ search, type, order }: ListState) {
  const projectId = useProjectId();
  const { sort, dir } = ORDERS[order as keyof typeof ORDERS] ?? ORDERS.changed;
  const query = {
    fields: FIELDS,
    pageSize: PAGE_SIZE,
    sort,
    dir,
    ...(search && { search }),
    ...(isType(type) && { type }),
  };
  return useInfiniteQuery({
    queryKey: [...keyOf(projectId, "GET /templates", { query }), "pages"],
    queryFn: ({ pageParam, signal }) =>
      call("GET /templates", { query: { ...query, page: pageParam } }, { projectId, signal }),
    initialPageParam: 1,
    getNextPageParam: ({ page, totalPages }) => (page < totalPages ? page + 1 : undefined),
    placeholderData: (before) => before,
  });
}
