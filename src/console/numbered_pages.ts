// Lists whose pages have numbers.
import { type InfiniteData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { type Answer, call, type Endpoint, type Input } from "./api.ts";
import { useProjectId } from "./place.ts";
import { isToBeAsked, keyOf } from "./queries.ts";

interface Numbered {
  page: number;
  totalPages: number;
}

/** The endpoints whose answer is a numbered page of a list. */
export type NumberedEndpoint = { [K in Endpoint]: Answer<K> extends Numbered ? K : never }[Endpoint];

type Pages<K extends Endpoint> = InfiniteData<Answer<K>, number>;

interface Options<K extends Endpoint> {
  /** After how many milliseconds what was read is read again; false: not. */
  againAfter?: (pages: Answer<K>[]) => number | false;
}

/**
 * A list of the project in the address, page after page: `data.pages`, each with the total, and `fetchNextPage()`. What was found
 * stays while something else is looked for.
 */
export function useNumberedPages<K extends NumberedEndpoint>(
  endpoint: K,
  input: Input<K>,
  { againAfter }: Options<K> = {},
) {
  const projectId = useProjectId();
  const cache = useQueryClient();
  const pages = {
    queryKey: [...keyOf(projectId, endpoint, input), "pages"],
    queryFn: ({ pageParam, signal }: { pageParam: number; signal: AbortSignal }) => {
      const { query } = input as { query?: object };
      return call(endpoint, { ...input, query: { ...query, page: pageParam } } as Input<K>, {
        projectId,
        signal,
      });
    },
    initialPageParam: 1,
  };
  if (isToBeAsked(cache, pages.queryKey)) void cache.prefetchInfiniteQuery(pages);
  return useInfiniteQuery<Answer<K>, Error, Pages<K>, readonly unknown[], number>({
    ...pages,
    getNextPageParam: (last) => {
      const { page, totalPages } = last as Numbered;
      return page < totalPages ? page + 1 : undefined;
    },
    placeholderData: (before) => before,
    ...(againAfter && { refetchInterval: ({ state }) => againAfter(state.data?.pages ?? []) }),
  });
}
