// The campaigns of a project, page after page.
import type { Campaign } from "../../api.gen.ts";
import { useNumberedPages } from "../../numbered_pages.ts";
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
  const query = {
    fields: FIELDS.join(","),
    pageSize: PAGE_SIZE,
    ...(search && { search }),
    ...(isStatus(status) && { status }),
  };
  const list = useNumberedPages(
    "GET /campaigns",
    { query },
    {
      againAfter(pages) {
        const isSending = pages.some(({ data }) => data.some((one) => one.status === "SENDING"));
        return isSending && pages.length <= WATCHED_PAGES ? WATCH_MS : false;
      },
    },
  );
  // One that was made while the list was read is on two pages.
  const byId = new Map(list.data?.pages.flatMap(({ data }) => data.map((one) => [one.id!, one as Listed])));
  return { list, campaigns: [...byId.values()], total: list.data?.pages[0]?.total };
}
