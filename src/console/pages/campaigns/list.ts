// The campaigns of a project, page after page.
import { useInfiniteQuery } from "@tanstack/react-query";
import type { Campaign } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { useProjectId } from "../../place.ts";
import { keyOf } from "../../queries.ts";
import { isStatus } from "./words.ts";

const FIELDS = [
  "name",
  "subject",
  "status",
  "audienceType",
  "segmentId",
  "scheduledFor",
  "sentAt",
  "updatedAt",
  "totalRecipients",
  "sentCount",
  "openedCount",
  "clickedCount",
  "failedCount",
  "capturedCount",
  "processedCount",
] as const;

/** A campaign in the list: without its body. */
export type Listed = Pick<Campaign, "id" | (typeof FIELDS)[number]>;

/** What the address says of the list. */
export interface ListState {
  search: string;
  status: string;
}

const PAGE_SIZE = 50;
const WATCH_MS = 5_000;
/** A list that was scrolled further than this is not watched: all of it would be read again. */
const WATCHED_PAGES = 2;

/** What matches, newest first. What was found stays while something else is looked for; what is being sent is watched. */
export function useCampaigns({ search, status }: ListState) {
  const projectId = useProjectId();
  const query = {
    fields: FIELDS.join(","),
    pageSize: PAGE_SIZE,
    ...(search && { search }),
    ...(isStatus(status) && { status }),
  };
  const list = useInfiniteQuery({
    queryKey: [...keyOf(projectId, "GET /campaigns", { query }), "pages"],
    queryFn: ({ pageParam, signal }) =>
      call("GET /campaigns", { query: { ...query, page: pageParam } }, { projectId, signal }),
    initialPageParam: 1,
    getNextPageParam: ({ page, totalPages }) => (page < totalPages ? page + 1 : undefined),
    placeholderData: (before) => before,
    refetchInterval({ state: { data } }) {
      const pages = data?.pages ?? [];
      const isSending = pages.some((page) => page.data.some((campaign) => campaign.status === "SENDING"));
      return isSending && pages.length <= WATCHED_PAGES ? WATCH_MS : false;
    },
  });
  // One that was made while the list was read is on two pages.
  const byId = new Map(list.data?.pages.flatMap(({ data }) => data.map((one) => [one.id!, one as Listed])));
  return { list, campaigns: [...byId.values()], total: list.data?.pages[0]?.total };
}
