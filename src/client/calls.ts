// What a method gives back: a promise of the answer and, for a list, all of its items.
import {
  type Answered,
  type CallOptions,
  type Input,
  type Operation,
  send,
  type Settings,
} from "./request.ts";

/** The answer of a call. `withResponse()` also gives the status and the headers, such as `etag`. */
export type Call<T> = Promise<T> & { withResponse(): Promise<Answered<T>> };

/** The first page of a list. `for await (const item of …)` goes through the items of all pages. */
export type List<T, Item> = Call<T> & AsyncIterable<Item>;

type Read = (query: Input["query"]) => Promise<Answered<unknown>>;

/** A method of the client. It takes the values of the path, then what its operation takes, then options. */
export function methodOf(settings: Settings, operation: Operation) {
  const pathLength = operation.endpoint.split("{").length - 1;
  return (...values: unknown[]): Call<unknown> => {
    const taken = values.slice(pathLength);
    const { body, query = {} }: Partial<Input> = Object.fromEntries(
      operation.takes.map((name, index) => [name, taken[index]]),
    );
    const options = (taken[operation.takes.length] ?? {}) as CallOptions;
    const path = values.slice(0, pathLength) as string[];
    const read: Read = (asked) =>
      send(settings, operation, { path, body, query: { ...query, ...asked } }, options);
    return callOf(read, operation.list);
  };
}

function callOf(read: Read, list: Operation["list"]): Call<unknown> {
  const first = read({});
  const call = first.then(({ answer }) => answer);
  // Whoever takes the answer in another way hears of its error there.
  const taken = <T>(otherwise: T): T => {
    call.catch(() => {});
    return otherwise;
  };
  return Object.assign(call, {
    withResponse: () => taken(first),
    ...(list && { [Symbol.asyncIterator]: () => taken(itemsOf(first, read, list)) }),
  });
}

/** What a page says about the next one. */
interface Page {
  cursor?: string | null;
  page?: number;
  totalPages?: number;
  [items: string]: unknown;
}

async function* itemsOf(
  first: ReturnType<Read>,
  read: Read,
  [kind, field]: NonNullable<Operation["list"]>,
): AsyncGenerator<unknown> {
  for (let answered = first; ;) {
    const page = (await answered).answer as Page;
    yield* page[field] as unknown[];
    const { cursor, page: number = 1, totalPages = 1 } = page;
    if (kind === "cursor" ? !cursor : number >= totalPages) return;
    answered = read(kind === "cursor" ? { cursor } : { page: number + 1 });
  }
}
