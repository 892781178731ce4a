// What the console has read, and for how long that holds. Every key begins with the project (or `account`), so that nothing
// of one project can be on a page of another.
import {
  type InfiniteData,
  keepPreviousData,
  MutationCache,
  QueryCache,
  QueryClient,
  useInfiniteQuery,
  useMutation,
  type UseMutationOptions,
  useQuery,
  useQueryClient,
  type UseQueryOptions,
} from "@tanstack/react-query";
import {
  type Answer,
  call,
  type CallOptions,
  type Endpoint,
  type Input,
  Refusal,
  Unreachable,
} from "./api.ts";
import { useProjectId } from "./place.ts";
import { toast } from "./parts/toast.tsx";

/** The first part of the keys of what belongs to nobody's project. */
const ACCOUNT = "account";
const FRESH_MS = 15_000;
const MAX_RETRIES = 2;

/** The key of what an endpoint answers. */
export const keyOf = (projectId: string | null, endpoint: Endpoint, input: unknown = {}) =>
  [projectId ?? ACCOUNT, endpoint, input] as const;

/** The key of who is logged in. */
export const SESSION_KEY = keyOf(null, "GET /auth/session");

export const queryClient: QueryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: FRESH_MS, retry: isWorthRetrying },
    mutations: { networkMode: "always" },
  },
  queryCache: new QueryCache({ onError: endSessionOn }),
  mutationCache: new MutationCache({
    onError(error, _variables, _context, mutation) {
      endSessionOn(error);
      // Where a form or a dialog shows it, it is not said twice.
      if (!mutation.meta?.isShown) toast.failed(error);
    },
  }),
});

/** What was refused is refused again. */
function isWorthRetrying(times: number, error: Error): boolean {
  if (times >= MAX_RETRIES) return false;
  return error instanceof Unreachable || (error instanceof Refusal && error.status >= 500);
}

/** The session has ended, here or elsewhere: the shell leads to the log-in, and back to this place afterwards. */
function endSessionOn(error: Error): void {
  if (error instanceof Refusal && error.code === "TWO_FACTOR_SETUP_REQUIRED") {
    // The project requires it from now on: the shell says so.
    void readAgain(queryClient, null, ["GET /users/@me/projects", "GET /auth/session"]);
  }
  if (error instanceof Refusal && error.status === 401 && queryClient.getQueryData(SESSION_KEY)) {
    queryClient.setQueryData(SESSION_KEY, { user: null });
  }
}

type QueryOptions<K extends Endpoint, T> = Omit<UseQueryOptions<Answer<K>, Error, T>, "queryKey" | "queryFn">;

/** What an endpoint answers, about the project in the address: `useApi("GET /contacts", { query: { search } })`. */
export function useApi<K extends Endpoint, T = Answer<K>>(
  endpoint: K,
  input: Input<K>,
  options: QueryOptions<K, T> = {},
) {
  return useApiOf(useProjectId(), endpoint, input, options);
}

/** As {@linkcode useApi}, about the account, or outside of any project. */
export function useAccountApi<K extends Endpoint, T = Answer<K>>(
  endpoint: K,
  input: Input<K>,
  options: QueryOptions<K, T> = {},
) {
  return useApiOf(null, endpoint, input, options);
}

function useApiOf<K extends Endpoint, T>(
  projectId: string | null,
  endpoint: K,
  input: Input<K>,
  options: QueryOptions<K, T>,
) {
  const queryKey = keyOf(projectId, endpoint, input);
  const queryFn = ({ signal }: { signal: AbortSignal }) => call(endpoint, input, { projectId, signal });
  const cache = useQueryClient();
  if (isToBeAsked(cache, queryKey, options.enabled)) void cache.prefetchQuery({ queryKey, queryFn });
  return useQuery({ queryKey, queryFn, ...options });
}

/**
 * What is asked for the first time is asked while the page is drawn, not after it was: the service works meanwhile. The query asks
 * nothing again that is on its way.
 */
export const isToBeAsked = (cache: QueryClient, key: readonly unknown[], enabled: unknown = true) =>
  enabled === true && cache.getQueryState(key) === undefined;

/** A page of a list that continues at a cursor. */
interface Paged {
  cursor: string | null;
  hasMore: boolean;
}

/** The endpoints whose answer is a page of a list. */
export type PagedEndpoint = { [K in Endpoint]: Answer<K> extends Paged ? K : never }[Endpoint];

/** A list that was scrolled further than this is left as it is when the window gets the focus again. */
const FEW_PAGES = 3;

/**
 * A list of the project in the address, page after page: `data.pages`, and `fetchNextPage()`. The first page of a list
 * with a total has it. `keepsPrevious`: what was found stays while something else is looked for.
 */
export function useApiPages<K extends PagedEndpoint>(
  endpoint: K,
  input: Input<K>,
  { keepsPrevious = false, ...options }: { enabled?: boolean; keepsPrevious?: boolean } = {},
) {
  const projectId = useProjectId();
  const cache = useQueryClient();
  const pages = {
    queryKey: [...keyOf(projectId, endpoint, input), "pages"],
    queryFn: ({ pageParam, signal }: { pageParam: string | null; signal: AbortSignal }) => {
      const { query } = input as { query?: object };
      // The cursor is the place from then on: an anchor beside it is refused.
      const place = pageParam === null ? {} : { cursor: pageParam, anchor: undefined };
      const asked = { ...input, query: { ...query, ...place } } as Input<K>;
      return call(endpoint, asked, { projectId, signal });
    },
    initialPageParam: null,
  };
  if (isToBeAsked(cache, pages.queryKey, options.enabled)) void cache.prefetchInfiniteQuery(pages);
  return useInfiniteQuery<Answer<K>, Error, InfiniteData<Answer<K>>, readonly unknown[], string | null>({
    ...pages,
    getNextPageParam: (page) => ((page as Paged).hasMore ? (page as Paged).cursor : undefined),
    // All pages that were read would be read again, one after another.
    refetchOnWindowFocus: ({ state }) => (state.data?.pages.length ?? 0) <= FEW_PAGES,
    ...(keepsPrevious && { placeholderData: keepPreviousData }),
    ...options,
  });
}

type ChangeOptions<K extends Endpoint> = Omit<
  UseMutationOptions<Answer<K>, Error, ChangeInput<K>>,
  "mutationFn"
> & {
  /** What is read again afterwards: every endpoint of the project that begins so, such as `GET /contacts`. */
  reads?: string[];
  /** The page shows a refusal itself, at the field or in its dialog. */
  showsErrors?: boolean;
};

/** What a change takes, with what the call says besides. */
type ChangeInput<K extends Endpoint> = Input<K> & { options?: Omit<CallOptions, "projectId" | "signal"> };

/** Changes something of the project in the address: `useChange("PATCH /contacts/{id}", { reads: ["GET /contacts"] })`. */
export function useChange<K extends Endpoint>(endpoint: K, options: ChangeOptions<K> = {}) {
  return useChangeOf(useProjectId(), endpoint, options);
}

/** As {@linkcode useChange}, of the account, or outside of any project. */
export function useAccountChange<K extends Endpoint>(endpoint: K, options: ChangeOptions<K> = {}) {
  return useChangeOf(null, endpoint, options);
}

function useChangeOf<K extends Endpoint>(
  projectId: string | null,
  endpoint: K,
  { reads = [], showsErrors = false, onSuccess, ...options }: ChangeOptions<K>,
) {
  const cache = useQueryClient();
  return useMutation<Answer<K>, Error, ChangeInput<K>>({
    mutationFn: ({ options: more, ...input }) =>
      call(endpoint, input as unknown as Input<K>, { ...more, projectId }),
    meta: { isShown: showsErrors },
    onSuccess: async (...given) => {
      await readAgain(cache, projectId, reads);
      return await onSuccess?.(...given);
    },
    ...options,
  });
}

/** Has everything of a project read again whose endpoint begins with one of these. */
export async function readAgain(
  cache: QueryClient,
  projectId: string | null,
  starts: string[],
): Promise<void> {
  await cache.invalidateQueries({
    predicate: ({ queryKey: [owner, endpoint] }) =>
      owner === (projectId ?? ACCOUNT) && starts.some((start) => String(endpoint).startsWith(start)),
  });
}
