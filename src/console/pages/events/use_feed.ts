// The live feed of one filter: the list, and what is told from then on.
import { useEffect, useReducer, useRef, useState } from "react";
import { type Answer, call } from "../../api.ts";
import { type StreamState, useActivityStream } from "../../parts/activity/stream.ts";
import { toast } from "../../parts/toast.tsx";
import { useProjectId } from "../../place.ts";
import { useApi } from "../../queries.ts";
import { EMPTY, type Feed, withFirstPage, withNews, withNextPage, withWaiting } from "./feed_state.ts";

/** What is shown; what is left out is no condition. */
export interface FeedFilter {
  types?: string;
  eventName?: string;
  contactId?: string;
}

const PAGE = 50;

/** The feed. While it `isHeld`, what is new waits. Use it with the filter as the key: it begins again for another. */
export function useFeed(filter: FeedFilter, isHeld: boolean) {
  const projectId = useProjectId();
  const [feed, change] = useReducer((before: Feed, step: (feed: Feed) => Feed) => step(before), EMPTY);
  const [isLoadingMore, setLoadingMore] = useState(false);
  const isMissing = useRef(false);
  const state: StreamState = useActivityStream({
    query: filter,
    tell: (news) => change((before) => withNews(before, news, { isHeld })),
    miss: () => {
      isMissing.current = isHeld;
      if (!isHeld) void first.refetch();
    },
  });
  const first = useApi(
    "GET /activity",
    { query: { ...filter, limit: PAGE } },
    { staleTime: Infinity, gcTime: 0, refetchOnReconnect: false },
  );
  // Asked for at once, and again when the stream is open, so that nothing falls between both.
  const isAskedAgain = useRef(false);
  useEffect(() => {
    if (state !== "live" || first.isFetching || isAskedAgain.current) return;
    isAskedAgain.current = true;
    void first.refetch();
  }, [state, first.isFetching]);
  const page: Answer<"GET /activity"> | undefined = first.data;
  useEffect(() => {
    if (page) change((before) => withFirstPage(before, page));
  }, [page]);
  const wasHeld = useRef(isHeld);
  useEffect(() => {
    if (wasHeld.current && !isHeld) {
      change(withWaiting);
      if (isMissing.current) void first.refetch();
      isMissing.current = false;
    }
    wasHeld.current = isHeld;
  });
  const loadMore = async () => {
    if (isLoadingMore || feed.next === null) return;
    setLoadingMore(true);
    try {
      const query = { ...filter, limit: PAGE, cursor: feed.next };
      const answer = await call("GET /activity", { query }, { projectId });
      change((before) => (before.next === feed.next ? withNextPage(before, answer) : before));
    } catch (error) {
      toast.failed(error);
    } finally {
      setLoadingMore(false);
    }
  };
  return { feed, first, state, isLoadingMore, loadMore };
}
