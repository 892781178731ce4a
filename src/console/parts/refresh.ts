// A list that follows what happens, while its beginning is in view.
import { useEffect, useRef } from "react";

interface Refreshed {
  data?: { pages: unknown[] } | undefined;
  isFetching: boolean;
  refetch: () => Promise<unknown>;
}

/**
 * Reads the first page of a list again, every `ms`: only while the window is seen, nothing is being read, and nobody has
 * scrolled, so that no row moves under the eyes of somebody who reads it.
 */
export function useRefresh(query: Refreshed, ms: number): void {
  const latest = useRef(query);
  latest.current = query;
  useEffect(() => {
    const timer = setInterval(() => {
      const { data, isFetching, refetch } = latest.current;
      const table = document.querySelector("main [role=table]");
      const isAtStart = (data?.pages.length ?? 0) <= 1 && (table?.scrollTop ?? 0) === 0;
      if (document.visibilityState === "visible" && isAtStart && !isFetching) void refetch();
    }, ms);
    return () => clearInterval(timer);
  }, [ms]);
}
