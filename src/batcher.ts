import { isRefusal } from "./database_errors.ts";
import { isSilence, silence } from "./db/patience.ts";
import { Problem } from "./problem/mod.ts";
import { inShared, type SpanScope, scopeNow, tracer } from "./tracing.ts";

/** How a batcher gathers. */
export interface BatcherOptions<In> {
  /** What a trace calls a flush of several calls; left out: a batch. */
  name?: string;
  /** Items in one flush. */
  maxItems: number;
  /** Concurrent flushes. During them calls wait and gather; so a single call never waits. */
  maxFlights: number;
  /** Calls that may wait or be in progress; left out: any number. More are rejected at once. */
  maxWaiting?: number;
  /** Two items with a key in common never share a flush, nor overlap: one row cannot be written twice by one statement. */
  keysOf?: (item: In) => string[];
  /** How large an item is, and how large those of a flush are together; one that is larger goes by itself. */
  sizes?: { of: (item: In) => number; max: number };
}

/**
 * Turns calls into batches: whatever arrives during earlier batches leaves with the next one. No timer is involved, so
 * an idle service responds at once and a busy one does the work of many calls in one statement. `flush` returns one
 * result per item, in order; a result that is an Error rejects its call alone, and an exception rejects all calls of
 * that flush.
 */
export function createBatcher<In, Out>(
  flush: (items: In[]) => Promise<(Out | Error)[]>,
  { name = "batch", maxItems, maxFlights, maxWaiting = Infinity, keysOf, sizes }: BatcherOptions<In>,
): (item: In) => Promise<Out> {
  type Call = {
    item: In;
    resolve: (out: Out) => void;
    reject: (error: unknown) => void;
    caller: SpanScope | undefined;
  };
  let waiting: Call[] = [];
  let flights = 0;
  let underway = 0;
  const busyKeys = new Set<string>();

  const takeBatch = (): Call[] => {
    if (!keysOf && !sizes) return waiting.splice(0, maxItems);
    const batch: Call[] = [];
    const left: Call[] = [];
    // Nobody overtakes an item with the same key.
    const passed = new Set<string>();
    let size = 0;
    for (const call of waiting) {
      const keys = keysOf?.(call.item) ?? [];
      const sizeWith = size + (sizes?.of(call.item) ?? 0);
      const hasRoom = batch.length < maxItems && (batch.length === 0 || sizeWith <= (sizes?.max ?? Infinity));
      if (hasRoom && !keys.some((key) => busyKeys.has(key) || passed.has(key))) {
        for (const key of keys) busyKeys.add(key);
        size = sizeWith;
        batch.push(call);
      } else {
        for (const key of keys) passed.add(key);
        left.push(call);
      }
    }
    waiting = left;
    return batch;
  };

  const depart = async (batch: Call[]): Promise<void> => {
    flights++;
    underway += batch.length;
    try {
      const items = batch.map((call) => call.item);
      const results = await (tracer ? inShared(name, batch, () => flush(items)) : flush(items));
      batch.forEach((call, i) => {
        const result = results[i]!;
        if (result instanceof Error) call.reject(result);
        else call.resolve(result);
      });
    } catch (error) {
      for (const call of batch) call.reject(error);
      // An item that has waited beside them that long would wait as long again.
      if (isSilence(error)) for (const call of waiting.splice(0)) call.reject(silence());
    } finally {
      flights--;
      underway -= batch.length;
      if (keysOf) for (const call of batch) for (const key of keysOf(call.item)) busyKeys.delete(key);
      pump();
    }
  };

  const pump = (): void => {
    while (flights < maxFlights && waiting.length > 0) {
      const batch = takeBatch();
      if (batch.length === 0) return;
      void depart(batch);
    }
  };

  return (item) =>
    new Promise((resolve, reject) => {
      if (waiting.length + underway >= maxWaiting) return reject(new Error("Too many calls are waiting"));
      waiting.push({ item, resolve, reject, caller: scopeNow() });
      pump();
    });
}

/**
 * Does all items in one go, which should be one commit. If one of them is at fault (the database rejects what it says, or
 * `work` throws a problem), each half by itself, and so on until the faulty one is alone: only that fails. For the
 * `flush` of a batcher.
 */
export async function togetherOrHalves<In, Out>(
  items: In[],
  work: (items: In[]) => Promise<(Out | Error)[]>,
): Promise<(Out | Error)[]> {
  try {
    return await work(items);
  } catch (error) {
    if (items.length === 1 || !(isRefusal(error) || error instanceof Problem)) throw error;
    const middle = Math.ceil(items.length / 2);
    const half = async (some: In[]): Promise<(Out | Error)[]> =>
      await togetherOrHalves(some, work).catch((failed: Error) => some.map(() => failed));
    return [...(await half(items.slice(0, middle))), ...(await half(items.slice(middle)))];
  }
}
