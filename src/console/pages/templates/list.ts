// The templates of a project, page after page.
import { useQueries } from "@tanstack/react-query";
import type { Template, TemplateUses } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { useProjectId } from "../../place.ts";
import { useNumberedPages } from "../../numbered_pages.ts";
import { sortOf } from "../../parts/list_tools.tsx";
import { keyOf } from "../../queries.ts";
import { MAIL_TYPES, type MailType } from "../../parts/mail_types.ts";

/** A template in the list: without its body. */
export type Listed = Pick<Template, "id" | "name" | "description" | "subject" | "type" | "updatedAt">;

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
  const query = {
    fields: FIELDS,
    pageSize: PAGE_SIZE,
    ...sortOf(order),
    ...(search && { search }),
    ...(isType(type) && { type }),
  };
  return useNumberedPages("GET /templates", { query });
}

/** How often each of these templates is used, asked for page by page; empty until it is known. */
export function useUses(templates: Listed[]): Map<string, TemplateUses> {
  const projectId = useProjectId();
  const pages = Array.from({ length: Math.ceil(templates.length / PAGE_SIZE) }, (_, n) =>
    templates.slice(n * PAGE_SIZE, (n + 1) * PAGE_SIZE).map(({ id }) => id),
  );
  return useQueries({
    queries: pages.map((ids) => {
      const input = { query: { ids: ids.join(",") } };
      return {
        queryKey: keyOf(projectId, "GET /templates/uses", input),
        queryFn: ({ signal }: { signal: AbortSignal }) =>
          call("GET /templates/uses", input, { projectId, signal }),
      };
    }),
    combine: (answers) =>
      new Map(answers.flatMap(({ data }) => data ?? []).map((uses) => [uses.id, uses] as const)),
  });
}
